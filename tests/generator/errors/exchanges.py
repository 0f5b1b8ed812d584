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


says(
    "here: 'k_odd' runs over a list of cells, but this exchange is for dense kernels.\n"
    "  Hint: use list_exchanges for kernels over lists"
)(sparse_exchange)


def exchange_of_a_part_of_a_list() -> None:
    module = Module("m", precisions=("f64",))
    module.add(
        "k", lbm.AA(D2Q9).boundary(lbm.VelocityBounceBack(("u", 0))), space=Sparse("wall", listed=True)
    )
    list_exchanges(module.kernels["k_after_odd"].typed(precision("f64")), "here")


says(
    "here: 'k_after_odd' runs over a part of a list, but only kernels over whole lists can be "
    "exchanged.\n"
    "  Hint: name kernels over whole lists in add_halo(kernels=[...])"
)(exchange_of_a_part_of_a_list)


def exchange_of_a_velocity_over_a_list() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", lbm.Pull(D2Q9).vorticity(), space=Sparse("fluid"))
    list_exchanges(module.kernels["k"].typed(precision("f64")), "here")


says(
    "here: 'k' reads 'u' of neighbouring cells. Blocks of a list exchange only the populations "
    "that rows of the neighbour table lead to.\n"
    "  Hint: leave the kernel out of add_halo and use one block, or use lbm.Smagorinsky and "
    "strain_rate, which read no neighbours"
)(exchange_of_a_velocity_over_a_list)


def exchange_without_rows() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", lbm.Pull(D2Q9)(lbm.BGK(D2Q9, "omega")), space=Sparse("fluid"))
    kernel = module.kernels["k"].typed(precision("f64"))
    list_exchanges(dataclasses.replace(kernel, space=ir_spaces.Sparse("fluid")), "here")


says(
    "here: 'k' accesses 'f' at [-1, 0], which no row of its neighbour table leads to, so its "
    "halo is unknown.\n"
    "  Hint: leave the kernel out of add_halo"
)(exchange_without_rows)


@says(
    "{here}: 'k_even' accesses 'f.w' at [1, 0], in a cell that may lie behind a wall. In another "
    "step it is written by no other cell, so it is unknown whether both ends of the link are "
    "fluid and the value must be sent.\n"
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


@says("{here}: 'k' is not a kernel over whole lists of 'm'.\n  Hint: choose one of: listed")
def exchange_of_both_spaces() -> None:
    both_spaces().add_halo(kernels=["listed", "k"])  # here


@says("{here}: the pack kernels use the name 'which' themselves.\n  Hint: rename the field")
def exchange_of_a_list_field_called_which() -> None:
    both_spaces(field="which").add_halo(kernels=["listed"])  # here


@says(
    "{here}: 'k' reads 'p' at positions computed at run time, so its halo is unknown.\n"
    "  Hint: leave the kernel out of add_halo"
)
def exchange_of_gathers() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(q[0, 0], p.gather(k[0, 0], 0))])  # here
    module.add_halo()


@says(
    "{here}: 'k' writes ghost cells of 'q' under a condition. Where the condition does not hold, "
    "the exchange would send undefined values.\n"
    "  Hint: write the cell itself, or write all cells unconditionally"
)
def exchange_under_a_condition() -> None:
    of_one_kernel([If(p[0, 0] > 0, [Assignment(q[1, 0], p[0, 0])])]).add_halo()  # here


@says(
    "{here}: 'k' updates one colour after the other. Neighbours change in between, so one "
    "exchange before the sweep is not enough.\n"
    "  Hint: leave the kernel out of add_halo"
)
def exchange_of_colours() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(p[0, 0], p[1, 0] + p[-1, 0])], schedule=Schedule(colours=2))  # here
    module.add_halo()


@says(
    "{here}: no kernel of 'halo' accesses cells outside its block, so nothing is exchanged.\n"
    "  Hint: remove this add_halo, or name other kernels"
)
def exchange_of_nothing() -> None:
    of_one_kernel([Assignment(q[0, 0], p[0, 0])]).add_halo()  # here


@says(
    "{here}: the fields of one halo exchange must have one type, but these differ: 'p' f64, 'k' "
    "i32.\n"
    "  Hint: call add_halo once for the kernels of each type"
)
def exchange_of_two_types() -> None:
    of_one_kernel([Assignment(q[0, 0], p[1, 0] + k[1, 0])]).add_halo()  # here


@says("{here}: the pack kernels use the name 'buffer' themselves.\n  Hint: rename the field")
def exchange_of_a_field_called_buffer() -> None:
    buffer = fields("buffer: real[2D]")
    of_one_kernel([Assignment(q[0, 0], buffer[1, 0])]).add_halo()  # here


@says(
    "{here}: 'two' and 'one' exchange different fields: f64(0) 2D, f64(0) 2D and f64(0) 2D.\n"
    "  Hint: call add_halo once for each: add_halo(name, kernels=[...])"
)
def exchanges_that_differ() -> None:
    module = Module("m", precisions=("f64",))
    module.add("one", [Assignment(q[0, 0], p[1, 0])])
    module.add("two", [Assignment(f[0, 0, 1], p[1, 0] + q[0, 1])])
    module.add_halo()  # here


@says("{here}: 'step' is not a dense kernel of 'm'.\n  Hint: choose one of: k")
def exchange_of_an_unknown_kernel() -> None:
    of_one_kernel([Assignment(q[0, 0], p[1, 0])]).add_halo(kernels=["step"])  # here


@says("{here}: 'k' already belongs to the halo 'halo'.\n  Hint: name each kernel in one add_halo only")
def exchange_in_two_halos() -> None:
    module = Module("m", precisions=("f64",))
    module.add("k", [Assignment(q[0, 0], p[1, 0])])
    module.add_halo()
    module.add_halo("again")  # here


@says(
    "{here}: 'k-k_pack' is not a valid kernel name: it is not a valid C++ identifier.\n"
    "  Hint: use letters, digits and _, begin with a letter, and leave out words of C++, such as 'new'"
)
def exchange_with_a_bad_name() -> None:
    of_one_kernel([Assignment(q[0, 0], p[1, 0])]).add_halo("k-k")  # here
