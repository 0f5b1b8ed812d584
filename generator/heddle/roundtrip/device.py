# SPDX-License-Identifier: Apache-2.0
"""A CUDA kernel function and its launch, read back, against the kernel they were printed from.

How thread loops become coordinates, guards and warps is written here a second time; the printer has no part
in it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from heddle.emit.signature import Argument
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer
from heddle.ir.colouring import COLOUR
from heddle.ir.device_calls import is_row_reduction, is_warp_reduction, parts_of, with_parts
from heddle.ir.hash_consing import Node
from heddle.ir.loops import is_over_threads
from heddle.ir.reduction import TILE, holds_rows
from heddle.ir.visit import statements, transform
from heddle.lift.statements import opposite
from heddle.roundtrip.canonical import Body, canonical
from heddle.roundtrip.kernel import DifferenceError, parameter, same_bodies, same_parameters, used_names

_TEMPLATE = re.compile(r"(heddle::launch(?:_combine_\w+)?)<.*?>\(")


@dataclass(frozen=True)
class Launched:
    """A lowered kernel as a launcher sees it: what is computed before, what a launch does, what combines its
    results. short: the kernel function computes indices in 32 bits, into which they fit."""

    head: Body
    loop: ir.Loop
    tail: Body
    short: bool = False

    @staticmethod
    def of(lowered: ir.Kernel) -> Launched:
        """Cut a lowered kernel, in canonical form, at its loop."""
        body = canonical(lowered.body)
        at = next(i for i, statement in enumerate(body) if isinstance(statement, ir.Loop))
        loop = body[at]
        assert isinstance(loop, ir.Loop)
        return Launched(body[:at], loop, body[at + 1 :], lowered.space.same_strides)

    @property
    def coloured(self) -> bool:
        """Whether there is a launch for each colour."""
        return self.loop.counter == COLOUR

    @property
    def inside(self) -> Body:
        """What one launch does."""
        return self.loop.body if self.coloured else (self.loop,)


def same_device_kernel(
    parameters: Sequence[source.FunctionParameter],
    found: Body,
    host: Body,
    launched: Launched,
    arguments: Sequence[Argument],
) -> list[str]:
    """A kernel function (`parameters`, `found`) together with the constants that its launcher computes
    (`host`), all canonical.

    Returns the names that the launch has to pass, in order. Raises DifferenceError.
    """
    if launched.short:
        parameters, found = _widened_parameters(parameters), widened(found)
    head = {s.symbol.name: s for s in launched.head if isinstance(s, ir.Let)}
    own = tuple(s for s in found if isinstance(s, ir.Let) and s.symbol.name in head)
    for part in (host, own):
        _same_constants(part, head)
    same_bodies(found, (*own, *thread_form(launched.inside, launched.short)))
    given = {argument.name: parameter(argument) for argument in arguments}
    computed = {s.symbol.name: s.symbol for s in host if isinstance(s, ir.Let)}
    if launched.coloured:
        computed[COLOUR.name] = COLOUR
    names = [each.symbol.name for each in parameters]
    unknown = [name for name in names if name not in given and name not in computed]
    if unknown:
        raise DifferenceError(f"the parameter '{unknown[0]}' of the kernel gets no value")
    same_parameters(
        parameters, [given.get(name) or source.FunctionParameter(computed[name]) for name in names]
    )
    known = {*names, *(s.symbol.name for s in own if isinstance(s, ir.Let))}
    elsewhere = {*head, *given, *([COLOUR.name] if launched.coloured else [])}
    for name in sorted(used_names(found) & elsewhere - known):
        raise DifferenceError(f"the kernel does not know '{name}'")
    for name in sorted((used_names(host) | used_names(launched.tail)) & set(head) - set(computed)):
        raise DifferenceError(f"the launcher does not know '{name}'")
    return names


def _same_constants(found: Body, head: dict[str, ir.Let]) -> None:
    """Definitions of the kernel's head, in its order."""
    order = list(head)
    for statement in found:
        name = statement.symbol.name if isinstance(statement, ir.Let) else ""
        if head.get(name) is not statement:
            same_bodies((statement,), (head[name],) if name in head else ())
    names = [s.symbol.name for s in found if isinstance(s, ir.Let)]
    if names != sorted(names, key=order.index):
        raise DifferenceError("its constants are in a different order")


# --- Threads ------------------------------------------------------------------------------------------------


def widened(body: Body) -> Body:
    """Indices that are computed in 32 bits as 64-bit ones, which is the same where none is larger. Kernels
    with such indices have no other integers (see heddle.ir.legality)."""

    def wide(node: Any) -> Any:
        match node:
            case ir.Cast(value, ir.I32 | ir.I64) if value.type == ir.I64:
                return value
            case ir.Let(symbol, value):
                return ir.Let(wide(symbol), value)
        if getattr(node, "type", None) == ir.I32:
            return dataclasses.replace(node, type=ir.I64)
        return node

    return tuple(transform(statement, wide) for statement in body)


def _widened_parameters(
    parameters: Sequence[source.FunctionParameter],
) -> list[source.FunctionParameter]:
    return [
        dataclasses.replace(p, symbol=ir.Symbol(p.symbol.name, ir.I64)) if p.symbol.type == ir.I32 else p
        for p in parameters
    ]


def thread_form(body: Sequence[ir.Statement], short: bool = False) -> Body:
    """Nested thread loops as every thread runs them: it finds its cell, or does nothing."""
    result: list[ir.Statement] = []
    for at, statement in enumerate(body):
        if is_pieces(statement):
            result.append(dataclasses.replace(statement, body=thread_form(statement.body, short)))
            continue
        if not is_over_threads(statement):
            result.append(statement)
            continue
        if body[at + 1 :]:
            raise DifferenceError("statements follow the loop over threads")
        nest = [statement]
        while is_over_threads(inner := nest[-1].body[0]):
            nest.append(inner)
        deeper = sum(map(is_over_threads, statements(nest[-1].body)))
        nest.reverse()  # x first
        result += [_coordinate(level, "xyz"[axis], short) for axis, level in enumerate(nest, start=deeper)]
        contributions = [s for s in nest[0].body if is_warp_reduction(s)]
        if not deeper and any(is_row_reduction(s) for s in statements(nest[0].body)):
            return (*result, *_within(nest[1:], _of_block(nest[0])))
        if not contributions:
            return (*result, *_within(nest, thread_form(nest[0].body, short)))
        return (*result, *_within(nest[1:], _together(nest[0], contributions)))
    return tuple(result)


def is_pieces(statement: ir.Statement) -> TypeGuard[ir.Loop]:
    """Whether a statement is the loop of a block of threads over the pieces of its row."""
    return (
        isinstance(statement, ir.Loop)
        and statement.kind == "serial"
        and any(map(is_over_threads, statement.body))
    )


def _coordinate(level: ir.Loop, axis: str, short: bool) -> ir.Let:
    """begin + step * (blockIdx * blockDim + threadIdx), in 64 bits; short: the number of the thread in 32."""
    numbers = [ir.Symbol(f"{name}.{axis}", ir.U32) for name in ("blockIdx", "blockDim", "threadIdx")]
    if short:
        if level.begin != integer(0):
            raise DifferenceError(f"threads along {axis} do not begin at 0")
        inside = ir.Op("add", (ir.Op("mul", (numbers[0], numbers[1]), ir.U32), numbers[2]), ir.U32)
        place: ir.Expression = ir.Cast(inside, ir.I64)
        if level.step != integer(1):
            place = ir.Op("mul", (level.step, place), ir.I64)
        return ir.Let(level.counter, place)
    block, size, thread = (ir.Cast(number, ir.I64) for number in numbers)
    begin, first = level.begin, ir.Op("mul", (block, size), ir.I64)
    if isinstance(begin, ir.Const) and begin != integer(0):
        raise DifferenceError(f"threads along {axis} begin at {begin.value}")
    if not isinstance(begin, ir.Const) and level.step == integer(1):
        first = ir.Op("add", (begin, first), ir.I64)
    number = ir.Op("add", (first, thread), ir.I64)
    if level.step != integer(1):
        number = ir.Op("mul", (level.step, number), ir.I64)
        if not isinstance(begin, ir.Const):
            number = ir.Op("add", (begin, number), ir.I64)
    return ir.Let(level.counter, number)


def _within(nest: Sequence[ir.Loop], body: Body) -> Body:
    """Under the condition that there is a cell: `if (x >= n_x || ...) return;`, then the body."""
    if not nest:
        return body
    outside: ir.Expression | None = None
    for level in nest:
        beyond = ir.Op("ge", (level.counter, level.end), ir.BOOL)
        outside = beyond if outside is None else ir.Op("or", (outside, beyond), ir.BOOL)
    assert outside is not None
    return (ir.If(opposite(outside), body),)


def _together(row: ir.Loop, contributions: Sequence[ir.DeviceCall]) -> Body:
    """All threads of a warp combine what they have, those beyond the row's end their first values."""
    own = {parts_of(s)["value"] for s in contributions}
    variables = [s for s in row.body if isinstance(s, ir.Var) and s.symbol in own]
    inside = ir.Op("lt", (row.counter, row.end), ir.BOOL)
    work = tuple(s for s in row.body if s not in variables and s not in contributions)
    step = row.step
    number = row.counter if step == integer(1) else ir.Op("div", (row.counter, step), ir.I64)
    for contribution in contributions:
        if parts_of(contribution)["lane"] != ir.Op("rem", (number, integer(TILE)), ir.I64):
            raise DifferenceError("the lane of a thread's contribution is not its thread index")
    together = [with_parts(s, lane=integer(0)) for s in contributions]
    return (*variables, ir.If(inside, work), *together)


def _of_block(row: ir.Loop) -> Body:
    """All threads of a block do the same, and know their places."""
    end = _row_end(row)

    def unspelled(node: Node) -> Node:
        if not is_row_reduction(node):
            return node
        parts = parts_of(node)
        if parts["lane"] != row.counter or parts["count"] != end:
            raise DifferenceError("the place of a thread's contribution is not its thread index")
        if parts["known"] != ir.Op("lt", (row.counter, end), ir.BOOL):
            raise DifferenceError("threads without a cell contribute to a row")
        return with_parts(node, lane=integer(0), count=integer(0))

    return tuple(transform(statement, unspelled) for statement in row.body)


def _row_end(row: ir.Loop) -> ir.Expression:
    """Where a row ends, of the loop over the cells of it or of a piece."""
    match row.end:
        case ir.Call("min", ends) if row.begin != integer(0):
            return next(end for end in ends if isinstance(end, ir.Symbol))
    return row.end


# --- The launch ---------------------------------------------------------------------------------------------


def launch_lines(
    launched: Launched, kernel: str, block: Sequence[int], passed: Sequence[str]
) -> Iterator[str]:
    """The statements of a CUDA entry after its constants, in the form of `heddle.lift.dump`.

    kernel: qualified name of the kernel function. block: threads of a block along x, y, z. passed: what the
    launch passes.
    """
    if any(is_warp_reduction(s) for s in statements(launched.inside)) and block[0] % TILE:
        raise DifferenceError(f"blocks of {block[0]} threads along x are not whole tiles")
    pieces = [s for s in statements(launched.inside) if is_pieces(s)]
    rows = any(is_row_reduction(s) for s in statements(launched.inside))
    if rows and not holds_rows(block, bool(pieces)):
        raise DifferenceError(f"blocks of {block} threads are neither whole tiles of one row nor a tile each")
    if any(s.begin != integer(0) or s.step != integer(block[0]) for s in pieces):
        raise DifferenceError(f"pieces of a row are not those of blocks of {block[0]} threads")
    counts = list(_threads(launched.inside[-1]))
    counts += ["i64(1:i32)"] * (3 - len(counts))
    sizes = ", ".join(f"u32({size}:i32)" for size in block)
    call = f"heddle::launch({kernel}, {{{', '.join(counts)}}}, dim3({sizes}), stream, {', '.join(passed)})"
    checked = [f"const i32 status = {call}", "if ne(status, heddle::ok) {", "return status", "}"]
    if launched.coloured:
        loop = launched.loop
        name = loop.counter.name
        until = f"lt({name}, {text(loop.end)})"
        yield f"for (i64 {name} = {text(loop.begin)}; {until}; {name} = add({name}, 1:i64)) {{"
        yield from checked
        yield "}"
    elif launched.tail:
        yield from checked
    else:
        yield f"return {call}"
    for number, statement in enumerate(launched.tail, start=1):
        combine = _combination(statement)
        if number == len(launched.tail):
            yield f"return {combine[1]}"
        else:
            yield f"const i32 {combine[0]}_status = {combine[1]}"
            yield from (f"if ne({combine[0]}_status, heddle::ok) {{", f"return {combine[0]}_status", "}")
    if launched.coloured and not launched.tail:
        yield "return heddle::ok"


def without_template_arguments(line: str) -> str:
    """A line without the deduced template arguments of a launch."""
    return _TEMPLATE.sub(r"\1(", line)


def _combination(statement: ir.Statement) -> tuple[str, str]:
    """Name of the result, and the call that makes it of what the warps gave."""
    assert isinstance(statement, ir.Store)
    assert isinstance(statement.target, ir.Load)
    whole = statement.value
    assert isinstance(whole, ir.Call)
    result = statement.target.pointer.name
    given = ", ".join(map(text, whole.args))
    return result, f"heddle::launch_{whole.name}({result}, {given}, stream)"


def _threads(level: ir.Statement) -> list[str]:
    """As many threads along each axis as the longest row has cells, x first."""
    counts: list[str] = []
    while is_over_threads(level):
        assert isinstance(level.step, ir.Const)
        step, end = int(level.step.value), text(level.end)
        if step > 1:
            counts.insert(0, f"div(add({end}, i64({step - 1}:i32)), i64({step}:i32))")
        elif level.begin == integer(0):
            counts.insert(0, end)
        else:
            counts.insert(0, f"sub({end}, {text(level.begin)})")
        level = next((s for s in level.body if isinstance(s, ir.Loop)), level.body[0])
    if is_pieces(level):
        counts.insert(0, text(level.step))
    return counts


def text(value: ir.Expression) -> str:
    """An index expression as Clang reads it: literals are of type int."""
    match value:
        case ir.Const(number):
            return f"i64({number}:i32)"
        case ir.Symbol(name):
            return name
        case ir.Op(name, args):
            return f"{name}({', '.join(map(text, args))})"
    raise AssertionError(value)
