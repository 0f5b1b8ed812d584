# SPDX-License-Identifier: Apache-2.0
"""Strips of a row whose stores bypass the caches, as a copy of the loop over the whole row.

plain    loop simd x in [0, n_x) { store u_next_row[x] = ...; }
strips   loop x_begin in [0, n_x) by 64 {
           let x_end = min(x_begin + 64, n_x);
           local u_next_run[64];
           loop simd x in [x_begin, x_end) { store u_next_run[x - x_begin] = ...; }
           stream_run[64](u_next_row, x_begin, u_next_run, x_end - x_begin); }

Both store the same where the loop reads nothing of the arrays that it stores to so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence, Set

from heddle.ir.build import add, integer, operate
from heddle.ir.device_calls import device_call, is_call, parts_of
from heddle.ir.nodes import (
    I64,
    Call,
    Comment,
    DeviceCall,
    Expression,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Scalar,
    Statement,
    Store,
    Symbol,
    View,
)
from heddle.ir.unique_names import fresh
from heddle.ir.visit import distinct, evaluated, statements

STRIP = 64
"""Cells: 4 or 8 vectors of the widest lanes, loaded straight from the rows."""


def in_strips(loop: Loop, rows: Sequence[Symbol], taken: Set[str]) -> Loop:
    """The strips of a loop over a row, which stores the own element of each of `rows` once, in every cell."""
    begin = Symbol(fresh(f"{loop.counter.name}_begin", taken), I64)
    end = Symbol(fresh(f"{loop.counter.name}_end", taken), I64)
    runs = {row: Symbol(_run_name(row, taken), Pointer(_element(row))) for row in rows}
    lane, count = operate("sub", loop.counter, begin), operate("sub", end, begin)

    def stored(statement: Statement) -> Statement:
        row = _stored_row(statement, loop)
        if row not in runs or not isinstance(statement, Store):
            return statement
        return dataclasses.replace(statement, target=Load(runs[row], lane))

    body: tuple[Statement, ...] = (
        Let(end, Call("min", (add(begin, integer(STRIP)), loop.end), I64)),
        *(Local(run, STRIP, "register") for run in runs.values()),
        dataclasses.replace(loop, begin=begin, end=end, body=tuple(stored(s) for s in loop.body)),
        *(
            device_call("stream_run", row=row, first=begin, local=run, count=count, length=STRIP)
            for row, run in runs.items()
        ),
    )
    return Loop("serial", begin, loop.begin, loop.end, integer(STRIP), body)


def plain_row(strips: Statement, read: Set[Symbol], arrays: Mapping[Symbol, Symbol]) -> Loop | None:
    """The loop over a row of which these are the strips; None if they are none. read: the arrays of which
    the kernel reads; arrays: into which one each pointer leads."""
    match strips:
        case Loop("serial", begin, first, extent, size, (Let(end, last), *rest)) if len(rest) % 2:
            middle = len(rest) // 2
            locals_, loop, streams = rest[:middle], rest[middle], rest[middle + 1 :]
        case _:
            return None
    if last != Call("min", (add(begin, size), extent), I64) or not isinstance(loop, Loop):
        return None
    if (loop.begin, loop.end) != (begin, end):
        return None
    lane, count = operate("sub", loop.counter, begin), operate("sub", end, begin)
    rows: dict[Expression, Symbol] = {}
    for local, stream in zip(locals_, streams, strict=True):
        if not (isinstance(local, Local) and is_call(stream, "stream_run")):
            return None
        row = parts_of(stream)["row"]
        if stream != _stream(row, begin, local, count):
            return None
        rows[Load(local.symbol, lane)] = row
    body = tuple(
        dataclasses.replace(s, target=Load(rows[s.target], loop.counter))
        if isinstance(s, Store) and s.target in rows
        else s
        for s in loop.body
    )
    whole = dataclasses.replace(loop, begin=first, end=extent, body=body)
    names = {begin, end, *(target.pointer for target in rows if isinstance(target, Load))}
    if not len(streams) == len(rows) == len(set(rows.values())) or names & set(distinct(whole)):
        return None
    return whole if set(rows.values()) <= set(stored_rows(whole, arrays, read)) else None


def stored_rows(loop: Loop, arrays: Mapping[Symbol, Symbol], read: Set[Symbol]) -> list[Symbol]:
    """The rows whose own element a loop over a row stores in every cell, which are all that it stores to
    their arrays. arrays: into which one each pointer leads; read: those of which the kernel reads."""
    if not all(isinstance(s, (Comment, Let, Store)) for s in loop.body):
        return []
    stores = [s.target.pointer for s in loop.body if isinstance(s, Store) and isinstance(s.target, Load)]
    stored = [arrays.get(row, row) for row in stores]
    own = [row for s in loop.body if (row := _stored_row(s, loop)) is not None]
    return [
        row for row in own if stored.count(arrays.get(row, row)) == 1 and arrays.get(row, row) not in read
    ]


def arrays_of(kernel: Kernel) -> dict[Symbol, Symbol]:
    """The argument into which each pointer leads."""
    views = {
        s.symbol: s.value.pointer
        for s in statements(kernel.body)
        if isinstance(s, Let) and isinstance(s.value, View)
    }
    result = {}
    for symbol in views:
        array = symbol
        while array in views:
            array = views[array]
        result[symbol] = array
    return result


def arrays_read(kernel: Kernel) -> frozenset[Symbol]:
    """The arguments of which a kernel reads elements, as far as loads say it."""
    arrays = arrays_of(kernel)
    pointers = {node.pointer for node in evaluated(kernel.body) if isinstance(node, Load)}
    return frozenset(arrays.get(pointer, pointer) for pointer in pointers)


def _stream(row: Symbol, begin: Symbol, local: Local, count: Expression) -> DeviceCall:
    return device_call(
        "stream_run", row=row, first=begin, local=local.symbol, count=count, length=local.length
    )


def _stored_row(statement: Statement, loop: Loop) -> Symbol | None:
    """The row of which a statement stores the element of the cell."""
    match statement:
        case Store(Load(pointer, index)) if index is loop.counter:
            return pointer
    return None


def _element(row: Symbol) -> Scalar:
    assert isinstance(row.type, Pointer)
    return row.type.element


def _run_name(row: Symbol, taken: Set[str]) -> str:
    return fresh(f"{row.name.removesuffix('_row')}_run", taken)
