# SPDX-License-Identifier: Apache-2.0
"""Levels that are known at run time, and integers that are carried to them."""

from __future__ import annotations

import sympy
from errors.cases import kernel, p, says
from heddle import Assignment, Scan, block_coordinates, fields

u, v = fields("u, v: real[3D]")
w = fields("w: real(3)[3D]")
k = sympy.Symbol("k", integer=True)
SEARCH = Scan(2, {k: 0}, [], {k: k + 1})


@says(
    "{here}: 'p' has no columns with levels along z.\n"
    "  Hint: declare it as [3D], neither split nor of another grid; of a profile, gather(level)"
)
def level_of_a_plane() -> None:
    p.at_level(1)  # here


@says(
    "{here}: 'u' is assigned at a position that is computed.\n"
    "  Hint: write to the own column, u.at_level(k), or to an access"
)
def store_in_another_column() -> None:
    Assignment(u.gather(block_coordinates()[0] + 1, block_coordinates()[1], k), 1)  # here


@says(
    "{here}: 'k' writes 'u' and gathers from it at positions known only at run time.\n"
    "  Hint: write to a second field, or gather from the own column, u.at_level(k)"
)
def gather_of_another_column() -> None:
    kernel([SEARCH, Scan(2, {}, [Assignment(u.here, u.gather(0, 0, k))], {})])  # here


@says(
    "{here}: 'k' writes 'u' and touches it at a level known only at run time, but has no Scan along z: its "
    "cells run in any order.\n"
    "  Hint: move what belongs to the cells into a Scan along z, or write to a second field"
)
def level_without_a_scan() -> None:
    kernel([Assignment(u.at_level(0), v.here)])  # here


@says(
    "{here}: 'k' writes 'w' and touches a component that is known only at run time.\n"
    "  Hint: give the component as a number"
)
def level_of_some_component() -> None:
    kernel([SEARCH, Assignment(w.at_level(0, 1), w.at_level(k, k))])  # here


@says(
    "{here}: 'k' reads u.gather(...) and writes u[1, 0, 0]: one cell reads an element that another cell "
    "writes, in no defined order.\n"
    "  Hint: write to a second field"
)
def level_that_another_column_writes() -> None:
    kernel([SEARCH, Scan(2, {}, [Assignment(u[1, 0, 0], u.at_level(k))], {})])  # here


@says(
    "{here}: 'k' is carried as an integer, but has a real value.\n"
    "  Hint: round it: floor(value), or carry a symbol that is not integer=True"
)
def real_value_carried_as_an_integer() -> None:
    kernel([Scan(2, {k: 0}, [Assignment(v.here, k)], {k: k / 2})])  # here
