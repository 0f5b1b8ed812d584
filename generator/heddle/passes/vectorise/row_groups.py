# SPDX-License-Identifier: Apache-2.0
"""group_rows: within a strip, what is done alike with several rows is one call.

before   prefetch_rows[8](x_begin + 32, n_x, f_sy, f_c_row);
         prefetch_rows[8](x_begin + 32, n_x, f_sy, f_n_row); ...
         stream_run[8](g_c_row, x_begin, g_c_run, x_end - x_begin);
         stream_run[8](g_e_row, x_begin, g_e_run, x_end - x_begin)
after    prefetch_rows[8](x_begin + 32, n_x, f_sy, f_c_row, f_n_row); ...
         stream_lines[8](view g_here by g_sx, g_sq, x_begin, x_end - x_begin, g_c_run, g_e_run)

Prefetches change their order; stores do not. Stores are one call where their rows are those of components
that follow each other; these rows then need no names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import groupby

from heddle.ir.device_calls import device_call, parts_of, with_parts
from heddle.ir.nodes import (
    Call,
    Const,
    DeviceCall,
    Expression,
    If,
    Kernel,
    Let,
    Load,
    Loop,
    Op,
    Statement,
    Symbol,
    View,
)
from heddle.ir.stages import Request
from heddle.ir.visit import distinct, statements

Views = Mapping[Symbol, View]


def group_rows(kernel: Kernel, request: Request) -> Kernel:
    """Group the calls of strip-mined loops; other kernels stay as they are."""
    if request.strips is None:
        return kernel
    body = _block(kernel.body, {})
    rows = {symbol for symbol in _rows(kernel.body) - _rows(body) if symbol not in _mentioned(body)}
    return dataclasses.replace(kernel, body=_without(body, rows))


def _block(body: Sequence[Statement], outer: Views) -> tuple[Statement, ...]:
    views = {s.symbol: s.value for s in body if isinstance(s, Let) and isinstance(s.value, View)}
    known = {**outer, **views}
    result: list[Statement] = []
    for name, group in groupby(body, lambda s: s.name if isinstance(s, DeviceCall) else ""):
        if name == "prefetch_rows":
            result += _prefetches(list(group))  # type: ignore[arg-type]
        elif name == "stream_run":
            result += _stores(list(group), known)  # type: ignore[arg-type]
        else:
            result += (
                dataclasses.replace(s, body=_block(s.body, known)) if isinstance(s, (Loop, If)) else s
                for s in group
            )
    return tuple(result)


def _prefetches(calls: Sequence[DeviceCall]) -> list[Statement]:
    """One call for the rows of which the same elements are asked for."""
    rows: dict[DeviceCall, tuple[Symbol, ...]] = {}
    for call in calls:
        alike = with_parts(call, rows=())
        rows[alike] = rows.get(alike, ()) + parts_of(call)["rows"]
    return [with_parts(call, rows=together) for call, together in rows.items()]


def _stores(calls: Sequence[DeviceCall], views: Views) -> Sequence[Statement]:
    """One call for the rows of components that follow each other."""
    parts = [parts_of(call) for call in calls]
    rows = [views.get(each["row"]) for each in parts]
    first = rows[0]
    strides = {stride for row in rows if row for stride in _component(row)[1:]} - {None}
    alike = {(each["first"], each["count"], each["length"]) for each in parts}
    lines = {(row.pointer, row.stride) for row in rows if row}
    numbers = [_component(row)[0] for row in rows if row]
    if (
        first is None
        or None in rows
        or len(strides) != 1
        or len(alike) != 1
        or len(lines) != 1
        or numbers != list(range(numbers[0], numbers[0] + len(calls)))
    ):
        return calls
    where = {part: parts[0][part] for part in ("first", "count", "length")}
    together = tuple(each["local"] for each in parts)
    return [device_call("stream_lines", row=first, apart=strides.pop(), **where, lines=together)]


def _component(row: View) -> tuple[int, Expression | None]:
    """Which component a row is of, and how far apart they are; -1 where the offset tells something else."""
    match row.offset:
        case Const(0):
            return 0, None
        case Symbol():
            return 1, row.offset
        case Op("mul", (Const(number), Symbol() as stride)):
            return int(number), stride
    return -1, None


def _rows(body: Sequence[Statement]) -> set[Symbol]:
    """The rows to which something is streamed."""
    return {
        parts_of(s)["row"] for s in statements(body) if isinstance(s, DeviceCall) and s.name == "stream_run"
    }


def _mentioned(body: Sequence[Statement]) -> set[Expression]:
    """The lines through memory that something is done with."""
    found: set[Expression] = set()
    for node in distinct(body):
        if isinstance(node, (Load, View)):
            found.add(node.pointer)
        elif isinstance(node, (DeviceCall, Call)):
            found.update(node.args)
    return found


def _without(body: Sequence[Statement], rows: set[Symbol]) -> tuple[Statement, ...]:
    return tuple(
        dataclasses.replace(s, body=_without(s.body, rows)) if isinstance(s, (Loop, If)) else s
        for s in body
        if not (isinstance(s, Let) and s.symbol in rows)
    )
