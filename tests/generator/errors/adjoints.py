# SPDX-License-Identifier: Apache-2.0
"""Kernels that have no adjoint."""

from __future__ import annotations

from typing import Any

import sympy
from errors.cases import D2Q9, says
from heddle import (
    Assignment,
    If,
    Module,
    Reduce,
    Scan,
    Schedule,
    Sparse,
    block_coordinates,
    fields,
    lbm,
    profiles,
)

u, v, u_bar = fields("u, v, u_bar: real[2D]")
flag = fields("flag: int32[2D]")
halves = fields("halves, others: real[2D]", split=True)
rho = profiles("rho: real[y]")
a, r = sympy.symbols("a r")


def step(statements: Any) -> Module:
    """A module with this kernel."""
    module = Module("m", precisions=("f64",))
    module.add("step", statements)
    return module


@says("{here}: 'm' has no kernel 'stop' to differentiate.\n  Hint: choose one of: step")
def adjoint_of_no_kernel() -> None:
    module = Module("m")
    module.add("step", [Assignment(v.here, u.here)])
    module.add_adjoint("stop")  # here


@says(
    "{here}: 'step' has no adjoint: it does not run over all cells of a box, in any order.\n"
    "  Hint: differentiate a kernel over Dense(), without colours"
)
def adjoint_over_a_list() -> None:
    module = Module("m")
    module.add("step", lbm.Pull(D2Q9)(lbm.BGK(D2Q9)), space=Sparse("fluid"))
    module.add_adjoint("step")  # here


@says(
    "{here}: 'step' has no adjoint: it does not run over all cells of a box, in any order.\n"
    "  Hint: differentiate a kernel over Dense(), without colours"
)
def adjoint_of_a_relaxation() -> None:
    module = Module("m")
    module.add("step", [Assignment(u.here, u[1, 0])], schedule=Schedule(colours=2))
    module.add_adjoint("step")  # here


@says(
    "{here}: 'step' has no adjoint: a statement stands under an If.\n"
    "  Hint: write Piecewise((value, condition), (other, True))"
)
def adjoint_under_a_condition() -> None:
    step([If(u.here > 0, [Assignment(v.here, u.here)])]).add_adjoint("step")  # here


@says(
    "{here}: 'step' has no adjoint: it has a Scan, whose adjoint would run backwards over stored values.\n"
    "  Hint: write kernels of single cells"
)
def adjoint_of_a_scan() -> None:
    step([Scan(1, {r: 0}, [Assignment(v.here, r)], {r: r + u.here})]).add_adjoint("step")  # here


@says(
    "{here}: 'step' has no adjoint: of reductions only sums over all cells to one number have an adjoint.\n"
    '  Hint: use Reduce("sum", name, value)'
)
def adjoint_of_a_maximum() -> None:
    step([Reduce("max", "most", u.here)]).add_adjoint("step")  # here


@says(
    "{here}: 'step' has no adjoint: it reads a field at a computed position, and other cells may read there, "
    "too.\n"
    "  Hint: use relative accesses, u[1, 0, 0]"
)
def adjoint_of_a_gather() -> None:
    step([Assignment(v.here, u.gather(block_coordinates()[0] + 1, 0))]).add_adjoint("step")  # here


@says(
    "{here}: 'step' has no adjoint here: floor of what depends on its inputs has no derivative that is of "
    "use.\n"
    "  Hint: leave out what it depends on, of=(...); or write its steps as a Piecewise"
)
def adjoint_of_floor() -> None:
    step([Assignment(v.here, sympy.floor(u.here))]).add_adjoint("step")  # here


@says(
    "{here}: 'step' has no adjoint here: 'flag[0,0]' is a whole number, which has no derivative.\n"
    "  Hint: leave out what it depends on, of=(...)"
)
def adjoint_of_a_whole_number() -> None:
    step([Assignment(flag.here, sympy.floor(u.here))]).add_adjoint("step")  # here


@says("{here}: 'step' reads no real field and takes no real parameter 'w'.\n  Hint: choose of u, a")
def adjoint_of_what_is_not_there() -> None:
    step([Assignment(v.here, a * u.here * flag.here)]).add_adjoint("step", of=["w"])  # here


@says(
    "{here}: 'rho' has one value for many cells, so its adjoint is a sum over these, which no cell can "
    "store.\n"
    '  Hint: give it a value per cell, and add up the adjoint; or leave it out: of=("u",)'
)
def adjoint_of_a_profile() -> None:
    step([Assignment(v.here, rho.here * u.here)]).add_adjoint("step")  # here


@says("{here}: the adjoint of 'u' would be 'u_bar', which 'step' uses.\n  Hint: rename one of them")
def adjoint_with_a_taken_name() -> None:
    step([Assignment(v.here, u.here * u_bar.here)]).add_adjoint("step")  # here


@says(
    "{here}: 'step' changes 'u' in place, and its adjoint needs 'u_bar' of other cells before they change "
    "it.\n"
    "  Hint: write to a second field"
)
def adjoint_in_place() -> None:
    step([Assignment(u.here, u.here * (v[1, 0] + v[-1, 0]))]).add_adjoint("step")  # here


@says(
    "{here}: accumulate= names 'w', whose adjoint 'step' does not store to a field of its own.\n"
    "  Hint: choose of u"
)
def adjoint_added_to_nothing() -> None:
    step([Assignment(v.here, u[1, 0] - u.here)]).add_adjoint("step", accumulate=["w"])  # here


@says(
    "{here}: nothing that 'step' gives depends on u, but for conditions.\n"
    "  Hint: name what it depends on: of=(...)"
)
def adjoint_of_a_condition() -> None:
    jump = sympy.Piecewise((1, u.here > a), (a, True))
    step([Assignment(v.here, jump)]).add_adjoint("step", of="u")  # here


@says(
    "{here}: a cell of 'step' asks its place, 'x', which its adjoint would have to know of cells beyond the "
    "block.\n"
    "  Hint: read it from a field"
)
def adjoint_of_a_place() -> None:
    step([Assignment(v.here, block_coordinates()[0] * (u[1, 0] - u.here))]).add_adjoint("step")  # here


@says(
    "{here}: 'step' adds up what it reads from other cells, u[1,0].\n"
    "  Hint: store the value in a field, and add it up in a second kernel"
)
def adjoint_of_a_sum_of_differences() -> None:
    step([Reduce("sum", "total", (u[1, 0] - u.here) ** 2)]).add_adjoint("step")  # here
