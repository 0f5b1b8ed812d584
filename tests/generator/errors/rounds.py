# SPDX-License-Identifier: Apache-2.0
"""Loops whose end depends on the data: bounds, what is carried, what a round may do, schedules."""

from __future__ import annotations

from typing import Any

import sympy
from errors.cases import a, b, kernel, p, q, says, t
from heddle import (
    Assignment,
    CacheLines,
    Reduce,
    Scan,
    Schedule,
    Sparse,
    Strips,
    Threads,
    WarpPerCell,
    While,
    fields,
)

ANY: Any = While


@says("{here}: a While has no bound.\n  Hint: at_most=100, or so many rounds as no cell ever needs")
def loop_without_a_bound() -> None:
    While(a > 1, {a: p.here}, [], {a: a / 2})  # here


@says("{here}: at_most=0 is not a number of rounds.\n  Hint: use a whole number above 0 and below 2**31")
def loop_without_rounds() -> None:
    While(a > 1, {a: p.here}, [], {a: a / 2}, at_most=0)  # here


@says("{here}: at_most=n is not a number of rounds.\n  Hint: use a whole number above 0 and below 2**31")
def loop_bounded_by_a_symbol() -> None:
    ANY(a > 1, {a: p.here}, [], {a: a / 2}, at_most=sympy.Symbol("n"))  # here


@says("{here}: a While must update exactly its carried symbols.")
def loop_that_forgets_a_value() -> None:
    While(a > 1, {a: p.here, b: 0}, [], {a: a / 2}, at_most=9)  # here


@says("{here}: 'b' is carried, but no round changes it.\n  Hint: assign it before the While, or update it")
def loop_that_keeps_a_value() -> None:
    While(a > b, {a: p.here, b: 1}, [], {a: a / 2, b: b}, at_most=9)  # here


@says(
    "{here}: the condition of a While does not change: it uses nothing that is carried.\n"
    "  Hint: carry what it depends on, or use If"
)
def loop_that_waits_for_nothing() -> None:
    While(p.here > 1, {a: p.here}, [], {a: a / 2}, at_most=9)  # here


@says(
    "{here}: '1 < a' is a string, not an expression.\n"
    "  Hint: write it in Python, with fields and symbols: u.here + 1"
)
def loop_with_a_condition_in_words() -> None:
    ANY("1 < a", {a: p.here}, [], {a: a / 2}, at_most=9)  # here


@says("{here}: 'a' is assigned twice.\n  Hint: use a second symbol for the second value")
def loop_that_carries_a_known_name() -> None:
    loop = While(a > 1, {a: p.here}, [], {a: a / 2}, at_most=9)  # here
    kernel([Assignment(a, p.here), loop, Assignment(q.here, a)])


@says(
    "{here}: 'k' stores to q[0, 0] in each round of a While.\n"
    "  Hint: carry the value, and store it behind the While"
)
def loop_that_stores() -> None:
    stored = Assignment(q.here, a)  # here
    kernel([While(a > 1, {a: p.here}, [stored], {a: a / 2}, at_most=9)])


@says(
    "{here}: 'k' reduces 'total' in each round of a While.\n"
    "  Hint: carry the value, and reduce it behind the While"
)
def loop_that_reduces() -> None:
    total = Reduce("sum", "total", a)  # here
    kernel([While(a > 1, {a: p.here}, [total], {a: a / 2}, at_most=9)])


@says(
    "{here}: 'k' accesses 'p' outside its scans.\n"
    "  Hint: move the statement into a Scan, where it runs once per cell"
)
def loop_beside_a_scan() -> None:
    sweep = Scan(1, {t: a}, [Assignment(q.here, t)], {t: t / 2})
    kernel([While(a > 1, {a: p.here}, [], {a: a / 2}, at_most=9), sweep])  # here


WHY = (
    "{here}: 'k' repeats a While, as often as each cell asks for, and %s, which strips do not support "
    "together: the cells of a strip do the same.\n  Hint: use Schedule(cpu=Rows())"
)


@says(WHY % "reduces before its last round" + ", or reduce behind the rounds")
def reduction_before_a_loop_in_strips() -> None:
    loop = While(a > 1, {a: p.here}, [], {a: a / 2}, at_most=9)  # here
    kernel([Reduce("sum", "total", p.here), loop], schedule=Schedule(cpu=Strips(32)))


@says(WHY % "runs over a list")
def loop_in_cache_lines_of_a_list() -> None:
    r = fields("r: real[2D]")
    loop = While(a > 1, {a: p.here}, [], {a: a / 2}, at_most=9)  # here
    kernel([loop, Assignment(r.here, a)], schedule=Schedule(cpu=CacheLines(4)), space=Sparse("fluid"))


@says(
    "{here}: coarsening=2 does not work for 'k': each of its cells repeats a While as often as it asks for.\n"
    "  Hint: leave out coarsening"
)
def loop_in_coarse_threads() -> None:
    loop = While(a > 1, {a: p.here}, [], {a: a / 2}, at_most=9)  # here
    kernel([loop, Assignment(q.here, a)], schedule=Schedule(gpu=Threads(coarsening=2)), targets="cuda")


SHARED = (
    "WarpPerCell shares the rounds of one While of 'k' between lanes: %s.\n"
    "  Hint: use Schedule(gpu=Threads())"
)


@says("k: " + SHARED % "it has 0 of them")
def warps_without_rounds() -> None:
    kernel([Assignment(q.here, p.here)], schedule=Schedule(gpu=WarpPerCell()), targets="cuda")


@says("{here}: " + SHARED % "other statements scan or reduce, or its space is no plain dense one")
def warps_that_reduce() -> None:
    loop = While(a > 1, {a: p.here}, [], {a: a / 2}, at_most=9)  # here
    kernel([loop, Reduce("sum", "total", a)], schedule=Schedule(gpu=WarpPerCell()), targets="cuda")


@says(
    "{here}: WarpPerCell(warps=2) of 'k' has 32 lanes in a warp, and a wave of HIP has 64: two warps in one "
    "wave would wait for each other.\n  Hint: use WarpPerCell() with warps=1, or Threads()"
)
def two_warps_in_a_wave() -> None:
    loop = While(a > 1, {a: p.here}, [], {a: a / 2}, at_most=9)  # here
    kernel([loop, Assignment(q.here, a)], schedule=Schedule(gpu=WarpPerCell(warps=2)), targets="hip")


@says("{here}: cells_at_once=3 is out of range.\n  Hint: use 1, 2, 4 or 8")
def three_cells_of_a_warp() -> None:
    WarpPerCell(cells_at_once=3)  # here


@says("{here}: warps=3 is out of range.\n  Hint: use 1, 2, 4, 8, 16 or 32")
def three_warps_of_a_block() -> None:
    WarpPerCell(warps=3)  # here


@says("{here}: cells_at_once=16 is out of range.\n  Hint: use 1, 2, 4 or 8")
def many_cells_of_one_warp() -> None:
    WarpPerCell(cells_at_once=16, cells=16)  # here


@says("{here}: cells=65 is out of range.\n  Hint: use cells_at_once to 64 cells")
def more_cells_than_lanes() -> None:
    WarpPerCell(cells_at_once=8, warps=2, cells=65)  # here
