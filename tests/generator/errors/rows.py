# SPDX-License-Identifier: Apache-2.0
"""Reductions over rows, and tables."""

from __future__ import annotations

import sympy
from errors.cases import kernel, says
from heddle import (
    Assignment,
    Cells,
    If,
    Reduce,
    Scan,
    Schedule,
    Sparse,
    Strips,
    Threads,
    block_coordinates,
    fields,
    tables,
)

u, v, total = fields("u, v, total: real[3D]")
left = fields("left: real[xy]")
halves = fields("halves: half[3D]")
parts = fields("parts: real(3)[3D]")
weights = tables("weights: real[7]")
short = tables("short: real[7]")
r = sympy.Symbol("r")


@says(
    "{here}: 'k' reduces rows to 'total' where not every cell of a row takes part.\n"
    "  Hint: reduce what the condition selects: Piecewise((value, condition), (0, True))"
)
def row_under_a_condition() -> None:
    kernel([If(u.here > 0, [Reduce("sum", total.of_row(), u.here)])])  # here


@says("{here}: 'k' reduces rows to 'total' twice.\n  Hint: give each reduction a field of its own")
def row_twice() -> None:
    kernel([
        Reduce("sum", total.of_row(), u.here),
        Reduce("max", total.of_row(), u.here),  # here
    ])  # fmt: skip


@says(
    "{here}: 'k' reduces rows to 'total', and accesses it in another statement: the result is there when the "
    "whole row is done.\n"
    "  Hint: use it in a second kernel"
)
def row_read_at_once() -> None:
    kernel([
        Reduce("sum", total.of_row(), u.here),
        Assignment(v.here, total.of_row()),  # here
    ])  # fmt: skip


@says(
    "{here}: 'k' reduces the rows of each level to 'left', which has one value for all levels.\n"
    "  Hint: carry the value, and reduce it behind the Scan"
)
def row_of_each_level_to_a_plane() -> None:
    kernel([Scan(2, {r: 0}, [Reduce("sum", left.of_row(), u.here)], {r: r + u.here})])  # here


@says("{here}: rows are reduced to 'halves', whose elements are halves.\n  Hint: declare it as float")
def row_to_halves() -> None:
    kernel([Reduce("sum", halves.of_row(), u.here)])  # here


@says("{here}: 'k' reduces over rows, along which it scans, too.\n  Hint: let columns lie along y or z")
def row_along_a_scan() -> None:
    kernel([Scan(0, {r: 0}, [Reduce("sum", total.of_row(), r)], {r: r + u.here})])  # here


@says("{here}: 'k' reduces over rows and over all cells.\n  Hint: write two kernels")
def row_and_all() -> None:
    kernel([Reduce("sum", total.of_row(), u.here), Reduce("sum", "all", u.here)])  # here


@says(
    "{here}: 'k' reduces over rows, 32 cells at a time, which does not support colours, specialise, fixed_nx "
    "and other strips.\n"
    "  Hint: use Schedule(cpu=Rows())"
)
def row_in_strips() -> None:
    kernel([Reduce("sum", total.of_row(), u.here)], schedule=Schedule(cpu=Strips(16)))  # here


@says(
    "{here}: 'k' reduces over rows, each of which one block of threads has to hold.\n"
    "  Hint: use Threads(block=(32 * n, 1, 1)) with at least as many threads as a row has cells, or "
    "(32, m, 1) or (16, 2 * m, 1) for short rows; and row_pieces=True for longer ones, with 32 threads or "
    "more along x"
)
def row_of_several_blocks() -> None:
    schedule = Schedule(gpu=Threads(block=(64, 2, 1)))
    kernel([Reduce("sum", total.of_row(), u.here)], schedule=schedule, targets="cuda")  # here


@says(
    "{here}: 'k' reduces over rows, each of which one block of threads has to hold.\n"
    "  Hint: use Threads(block=(32 * n, 1, 1)) with at least as many threads as a row has cells, or "
    "(32, m, 1) or (16, 2 * m, 1) for short rows; and row_pieces=True for longer ones, with 32 threads or "
    "more along x"
)
def pieces_of_rows_of_half_a_warp() -> None:
    schedule = Schedule(gpu=Threads(block=(16, 8, 1), row_pieces=True))
    kernel([Reduce("sum", total.of_row(), u.here)], schedule=schedule, targets="cuda")  # here


@says("k: row_pieces does not work for 'k': it does not reduce over rows.\n  Hint: leave out row_pieces")
def pieces_of_no_row() -> None:
    schedule = Schedule(gpu=Threads(block=(64, 1, 1), row_pieces=True))
    kernel([Assignment(v.here, u.here)], schedule=schedule, targets="cuda")


@says(
    "{here}: row_pieces=True is out of range.\n"
    "  Hint: use one cell per thread, without same_strides and levels_first"
)
def pieces_of_rows_by_number() -> None:
    Threads(same_strides=True, row_pieces=True)  # here


@says(
    "{here}: 'total[0,0,0]' cannot hold what a Reduce gives.\n"
    '  Hint: a name for one number, "total"; field.of_row() for one of each row along x'
)
def row_to_a_cell() -> None:
    Reduce("sum", total.here, u.here)  # type: ignore[arg-type]  # here


@says(
    "{here}: 'u' has no rows with 1 offsets between them.\n"
    "  Hint: declare it as [2D] or [3D], and not split; give an offset along y, and along z in 3D"
)
def row_at_too_few_offsets() -> None:
    u.of_row(1)  # here


@says(
    "{here}: 'short' is a table: its values belong to no cell.\n"
    "  Hint: write short.gather(n) for value n, counted from 0"
)
def cell_of_a_table() -> None:
    short[0]  # here


@says(
    "{here}: cannot read the table declaration 'short: real[x]'.\n"
    '  Hint: write for example "planck: real[2896]" with a type of: real, double, float, half, int32, int64, '
    "uint8, uint32, bool"
)
def table_without_a_size() -> None:
    tables("short: real[x]")  # here


@says(
    "{here}: 'k' reduces rows to 'parts', and to a component that is known only at run time.\n"
    "  Hint: give the component as a number"
)
def row_to_some_component() -> None:
    kernel([Reduce("sum", parts.of_row(component=block_coordinates()[2]), u.here)])  # here


@says("{here}: 'k' reduces over rows and over all cells.\n  Hint: write two kernels")
def row_and_all_cells() -> None:
    kernel([Reduce("sum", total.of_row(), u.here), Reduce("sum", "all", u.here)])  # here


@says("{here}: '1st' is not a valid table name.")
def name_of_a_table() -> None:
    tables("1st: real[3]")  # here


@says("{here}: 'weights' is a table, which only dense kernels read.\n  Hint: use tables with space=Dense()")
def table_over_a_list() -> None:
    kernel([Assignment(v.here, weights.gather(0))], space=Sparse("fluid"))  # here


@says(
    "{here}: 'k' reduces over rows, which a dense space of two or three axes has.\n  Hint: use space=Dense()"
)
def row_of_some_cells() -> None:
    kernel([Reduce("sum", total.of_row(), u.here)], space=Cells("body"))  # here
