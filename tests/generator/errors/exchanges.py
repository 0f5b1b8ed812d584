# SPDX-License-Identifier: Apache-2.0
"""What crosses the borders of blocks."""

from __future__ import annotations

import dataclasses
from typing import Any

from errors.cases import D2Q9, f, k, p, q, says
from heddle import (
    Assignment,
    If,
    Module,
    Schedule,
    Sparse,
    fields,
    lbm,
)
from heddle.halo.dense import exchanges
from heddle.halo.sparse import list_exchanges
from heddle.ir import space as ir_spaces
from heddle.ir.schedule import precision


def of_one_kernel(statements: Any) -> Module:
    """A module with one kernel called `k`."""
    module = Module("m", precisions=("f64",))
    module.add("k", statements)
    return module


def sparse_exchange() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", lbm.AA(D2Q9)(lbm.BGK(D2Q9, "omega")), space=Sparse("fluid"))
    exchanges(module.kernels["k_odd"].typed(precision("f64")), "here")


says("here: 'k_odd' runs over a list of cells.\n  Hint: exchanges are of dense kernels")(sparse_exchange)


def exchange_of_a_part_of_a_list() -> None:
    module = Module("m", precisions=("f64",))
    module.add(
        "k", lbm.AA(D2Q9).boundary(lbm.VelocityBounceBack(("u", 0))), space=Sparse("wall", listed=True)
    )
    list_exchanges(module.kernels["k_after_odd"].typed(precision("f64")), "here")


says(
    "here: 'k_after_odd' does not run over a whole list of cells.\n"
    "  Hint: exchange what the kernels over all cells need"
)(exchange_of_a_part_of_a_list)


def exchange_of_a_velocity_over_a_list() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", lbm.Pull(D2Q9).vorticity(), space=Sparse("fluid"))
    list_exchanges(module.kernels["k"].typed(precision("f64")), "here")


says(
    "here: 'k' sees 'u' of the cells beside its own, and blocks of a list exchange what rows of the table "
    "lead to, populations.\n"
    "  Hint: leave the kernel out of add_halo and use one block, or lbm.Smagorinsky and strain_rate, which "
    "look at no neighbours"
)(exchange_of_a_velocity_over_a_list)


def exchange_without_rows() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", lbm.Pull(D2Q9)(lbm.BGK(D2Q9, "omega")), space=Sparse("fluid"))
    kernel = module.kernels["k"].typed(precision("f64"))
    list_exchanges(dataclasses.replace(kernel, space=ir_spaces.Sparse("fluid")), "here")


says(
    "here: 'k' reaches 'f' at [-1, 0] by no row of its table: what crosses is not known.\n"
    "  Hint: leave the kernel out of add_halo"
)(exchange_without_rows)


@says(
    "{here}: 'k_even' reaches 'f.w' at [1, 0] in a cell that may lie behind a wall, and no other cell writes "
    "it in another step: whether both ends of that link are fluid, so that it crosses, is not known.\n"
    "  Hint: add the kernels of all steps of the pattern before add_halo"
)
def exchange_of_one_esoteric_step() -> None:
    stream = lbm.EsoTwist(D2Q9)(lbm.BGK(D2Q9, "omega"))
    even = dataclasses.replace(stream, steps={"even": stream.steps["even"]})
    module = Module("m", precisions=("f64",))
    module.add("k", even, space=Sparse("fluid"))  # here
    module.add_halo()


def both_spaces(**names: str) -> Module:
    module = Module("m", precisions=("f64",))
    module.add("listed", lbm.Pull(D2Q9, **names)(lbm.BGK(D2Q9, "omega")), space=Sparse("fluid"))
    module.add("k", [Assignment(q[0, 0], p[1, 0])])
    return module


@says("{here}: 'k' is not a kernel over whole lists of 'm'.\n  Hint: it has: listed")
def exchange_of_both_spaces() -> None:
    both_spaces().add_halo(kernels=["listed", "k"])  # here


@says("{here}: the pack kernels have a use of their own for the name 'which'.\n  Hint: rename the field")
def exchange_of_a_list_field_called_which() -> None:
    both_spaces(field="which").add_halo(kernels=["listed"])  # here


@says(
    "{here}: 'k' reads 'p' at computed positions: what crosses is not known.\n"
    "  Hint: leave the kernel out of add_halo"
)
def exchange_of_gathers() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(q[0, 0], p.gather(k[0, 0], 0))])  # here
    module.add_halo()


@says(
    "{here}: 'k' writes 'q' beyond its block only where a condition holds: elsewhere an owner would be "
    "sent what nobody wrote.\n  Hint: write the own cell, or write in all cells"
)
def exchange_under_a_condition() -> None:
    of_one_kernel([If(p[0, 0] > 0, [Assignment(q[1, 0], p[0, 0])])]).add_halo()  # here


@says(
    "{here}: 'k' runs in colours: neighbours change between one colour and the next, so that one exchange "
    "before a sweep is not enough.\n  Hint: leave the kernel out of add_halo"
)
def exchange_of_colours() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(p[0, 0], p[1, 0] + p[-1, 0])], schedule=Schedule(colours=2))  # here
    module.add_halo()


@says("{here}: no kernel of 'halo' reaches beyond its block: nothing crosses.")
def exchange_of_nothing() -> None:
    of_one_kernel([Assignment(q[0, 0], p[0, 0])]).add_halo()  # here


@says(
    "{here}: what crosses has different types: 'k' i32, 'p' f64.\n"
    "  Hint: one add_halo for the kernels of each type"
)
def exchange_of_two_types() -> None:
    of_one_kernel([Assignment(q[0, 0], p[1, 0] + k[1, 0])]).add_halo()  # here


@says("{here}: the pack kernels have a use of their own for the name 'wire'.\n  Hint: rename the field")
def exchange_of_a_wire() -> None:
    wire = fields("wire: real[2D]")
    of_one_kernel([Assignment(q[0, 0], wire[1, 0])]).add_halo()  # here


@says(
    "{here}: 'two' and 'one' exchange different fields: f64(0) 2D, f64(0) 2D and f64(0) 2D.\n"
    "  Hint: one add_halo for each: add_halo(name, kernels=[...])"
)
def exchanges_that_differ() -> None:
    module = Module("m", precisions=("f64",))
    module.add("one", [Assignment(q[0, 0], p[1, 0])])
    module.add("two", [Assignment(f[0, 0, 1], p[1, 0] + q[0, 1])])
    module.add_halo()  # here


@says("{here}: 'step' is not a dense kernel of 'm'.\n  Hint: it has: k")
def exchange_of_an_unknown_kernel() -> None:
    of_one_kernel([Assignment(q[0, 0], p[1, 0])]).add_halo(kernels=["step"])  # here


@says("{here}: 'k' is in the halo 'halo' already.")
def exchange_in_two_halos() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(q[0, 0], p[1, 0])])
    module.add_halo()
    module.add_halo("again")  # here


@says("{here}: 'k-k_pack' is not a name for a new kernel.\n  Hint: letters, digits, _")
def exchange_with_a_bad_name() -> None:
    of_one_kernel([Assignment(q[0, 0], p[1, 0])]).add_halo("k-k")  # here
