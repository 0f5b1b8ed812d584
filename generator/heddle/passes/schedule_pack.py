# SPDX-License-Identifier: Apache-2.0
"""schedule_pack: put the body of a cell into loops over a table of boxes.

before   store buffer[place] = f.gather(x, y, z, component)                  (meaning: for every cell of every
box) after    loop omp box { let component = ...; let x_begin = ...; ... loop z { loop y { loop simd x {
             let place = ...; store buffer[place] = f.gather(x, y, z, component) } } } }

With threads, the boxes lie along the second axis of the grid and the cells of a box along the first, so that
one launch packs everything; threads beyond the end of their box do nothing. Positions in a box are divided
out in 32 bits, which a GPU does several times faster than in 64.
"""

from __future__ import annotations

from heddle.ir.build import add, integer, multiply, operate
from heddle.ir.nodes import (
    I32,
    I64,
    Cast,
    Comment,
    Expression,
    Gather,
    If,
    Kernel,
    Let,
    Loop,
    LoopKind,
    Scalar,
    Statement,
    Symbol,
)
from heddle.ir.pack_table import COLUMNS, COUNT, LONGEST, TABLE
from heddle.ir.schedule import CpuSchedule
from heddle.ir.target import Target


def schedule_pack(kernel: Kernel, schedule: CpuSchedule, target: Target) -> tuple[Statement, ...]:
    """The body of a kernel over PackRegions, in loops."""
    box = Symbol("box", I64)
    if target.threads:
        return (Loop("thread", box, integer(0), COUNT, integer(1), (_threads(kernel, box),)),)
    kind: LoopKind = "omp" if target.outer == "omp" and schedule.parallel else "serial"
    body = (*_entries(box, I64), *_rows(kernel, schedule.simd and target.inner == "simd"))
    return (Loop(kind, box, integer(0), COUNT, integer(1), body),)


def _entries(box: Symbol, scalar: Scalar) -> list[Statement]:
    """The nine numbers of a box by their names."""
    result: list[Statement] = [
        Comment("The box: component, first cell, extent, place of its first cell in the message buffer")
    ]
    for column, name in enumerate(COLUMNS):
        kind = I64 if name in ("field", "component", "first") else scalar
        entry: Expression = Gather(TABLE, (add(multiply(integer(9), box), integer(column)),), integer(0))
        result.append(Let(Symbol(name, kind), entry if kind == I32 else Cast(entry, kind)))
    return result


def _rows(kernel: Kernel, simd: bool) -> tuple[Statement, ...]:
    """Loops over z, y and x; the row of a box starts in the message buffer at a place that y and z give."""
    x, y, z = (Symbol(axis, I64) for axis in "xyz")
    begin = {axis.name: Symbol(f"{axis.name}_begin", I64) for axis in (x, y, z)}
    count = {axis.name: Symbol(f"{axis.name}_count", I64) for axis in (x, y, z)}
    above = multiply(count["y"], operate("sub", z, begin["z"]))
    before = multiply(count["x"], add(operate("sub", y, begin["y"]), above))
    row = Symbol("row", I64)
    place = Let(Symbol("place", I64), operate("sub", add(row, x), begin["x"]))
    body: tuple[Statement, ...] = (place, *kernel.body)
    for axis in (x, y, z):
        kind: LoopKind = "simd" if axis is x and simd else "serial"
        end = add(begin[axis.name], count[axis.name])
        body = (Loop(kind, axis, begin[axis.name], end, integer(1), body),)
        if axis is x:
            body = (Let(row, add(Symbol("first", I64), before)), *body)
    return body


def _threads(kernel: Kernel, box: Symbol) -> Statement:
    """A thread for each cell of a box."""
    cell, n = Symbol("cell", I64), Symbol("n", I32)
    counts = {axis: Symbol(f"{axis}_count", I32) for axis in "xyz"}
    line = operate("div", n, counts["x"])
    position = {
        "x": operate("rem", n, counts["x"]),
        "y": operate("rem", line, counts["y"]),
        "z": operate("div", line, counts["y"]),
    }
    found: list[Statement] = [
        Let(Symbol(axis, I64), Cast(add(Symbol(f"{axis}_begin", I32), inside), I64))
        for axis, inside in list(position.items())[: kernel.space.dimensions]
    ]
    found.append(Let(Symbol("place", I64), add(Symbol("first", I64), cell)))
    cells = multiply(multiply(counts["x"], counts["y"]), counts["z"])
    inside = If(operate("lt", n, cells), (*found, *kernel.body))
    body = (*_entries(box, I32), Let(n, Cast(cell, I32)), inside)
    return Loop("thread", cell, integer(0), LONGEST, integer(1), body)
