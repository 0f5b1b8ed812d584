# SPDX-License-Identifier: Apache-2.0
"""Statements as C++ text. Line breaks and indentation are clang-format's business."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from heddle.emit.expression import ExpressionPrinter, type_text
from heddle.emit.files import LINE, comment_lines
from heddle.ir import nodes as ir
from heddle.ir.build import integer, operate
from heddle.ir.device_calls import Kind, is_row_reduction, is_warp_reduction, parts_of, row_of
from heddle.ir.loops import is_over_lanes, is_over_threads
from heddle.ir.target import Target
from heddle.ir.visit import distinct, statements

_COMMENT = LINE - 14
"""The length of a comment within a kernel, which stands up to five loops deep."""


class StatementPrinter:
    """Prints the body of a kernel for a target. real: the type that a template calls Real, if any. short:
    indices are known to fit into an int."""

    def __init__(self, target: Target, real: ir.Scalar | None = None, short: bool = False) -> None:
        self.target = target
        self.expression = ExpressionPrinter(target, real, short)
        self.index = self.expression.kind(ir.I64)

    def block(self, body: Sequence[ir.Statement]) -> str:
        return "\n".join(self.every_line(body))

    def every_line(self, body: Sequence[ir.Statement]) -> Iterator[str]:
        for kind, alike in groupby(body, _array_kind):
            group = list(alike)
            yield from self.in_order(group) if kind is None else [self.arrays(group)]  # type: ignore[arg-type]

    def in_order(self, body: Iterable[ir.Statement]) -> Iterator[str]:
        before: ir.Statement | None = None
        for statement in body:
            if isinstance(before, ir.If) and isinstance(statement, ir.If) and _opposite(before, statement):
                yield "else {"
                yield self.block(statement.body)
                yield "}"
            else:
                yield from self.lines(statement)
            before = statement

    @staticmethod
    def arrays(alike: Sequence[ir.Local]) -> str:
        """Small arrays of one kind."""
        kind, zeros = alike[0].symbol.type, " = {}" if alike[0].space == "scratch" else ""
        assert isinstance(kind, ir.Pointer)
        names = ", ".join(f"{array.symbol.name}[{array.length}]{zeros}" for array in alike)
        if alike[0].space == "shared":
            return f"__shared__ {type_text(kind.element)} {names};"
        return f"alignas(64) {type_text(kind.element)} {names};"

    def lines(self, statement: ir.Statement) -> Iterator[str]:
        match statement:
            case ir.Comment(text):
                yield ""
                yield from (f"// {line}" for line in comment_lines(text.splitlines(), _COMMENT))
            case ir.Let(symbol, ir.View() as view):
                yield self.view(symbol, view)
            case ir.Let(symbol, value):
                constant = not any(isinstance(node, (ir.Symbol, ir.Call)) for node in distinct(value))
                qualifier = "constexpr" if constant else "const"
                assert symbol.type is not None
                named = f"{qualifier} {self.expression.kind(symbol.type)} {symbol.name}"
                yield f"{named} = {self.expression.initializer(value)};"
            case ir.Var(symbol, value):
                assert symbol.type is not None
                assert value is not None
                kind = self.expression.kind(symbol.type)
                yield f"{kind} {symbol.name} = {self.expression.initializer(value)};"
            case ir.Assign(symbol, value):
                yield f"{symbol.name} = {self.expression.initializer(value)};"
            case ir.Store(target, value):
                yield f"{self.expression(target)} = {self.expression.initializer(value)};"
            case ir.Local():
                yield self.arrays([statement])
            case ir.DeviceCall(result=None):
                yield f"{self.call(statement)};"
            case ir.DeviceCall(result=ir.Symbol(name, ir.Pointer() as kind)) if row_of(statement).object:
                numbers = ", ".join(map(str, statement.template))
                line = f"heddle::{row_of(statement).object}<{type_text(kind.element)}, {numbers}>"
                yield f"const {line} {name}({self.arguments(statement)});"
            case ir.DeviceCall(result=ir.Symbol(name, ir.Pointer() as kind)):
                yield f"{type_text(kind)} const {name} = {self.call(statement)};"
            case ir.If(condition, body):
                yield f"if ({self.expression(condition)}) {{"
                yield self.block(body)
                yield "}"
            case ir.While(counter, at_most, condition, body=body):
                more = operate("and", operate("lt", counter, integer(at_most)), condition)
                yield f"for ({self.index} {counter.name} = 0; {self.expression(more)}; ++{counter.name}) {{"
                yield self.block(body)
                yield "}"
            case ir.Loop(kind="thread"):
                yield from self.threads(statement)
            case ir.Loop():
                yield from self.loop(statement)
            case _:
                raise AssertionError(statement)

    def view(self, symbol: ir.Symbol, view: ir.View) -> str:
        assert symbol.type is not None
        kind = f"{type_text(symbol.type)} const" if isinstance(view.stride, ir.Const) else "const auto"
        return f"{kind} {symbol.name} = {self.line(view)};"

    def line(self, view: ir.View) -> str:
        """A line through memory: a pointer, or a row that may have a stride."""
        if isinstance(view.stride, ir.Const):
            return self.expression(view)
        assert isinstance(view.stride, ir.Symbol)
        unit = "unit_stride" if view.stride.name.endswith("_sx") and not self.target.checked else "false"
        return f"heddle::row<{unit}>({self.expression(view)}, {self.expression(view.stride)})"

    def call(self, call: ir.DeviceCall) -> str:
        row = row_of(call)
        numbers = f"<{', '.join(map(str, call.template))}>" if call.template else ""
        return f"heddle::{row.function or call.name}{numbers}({self.arguments(call)})"

    def arguments(self, call: ir.DeviceCall) -> str:
        given = zip(row_of(call).kinds(len(call.args)), call.args, strict=True)
        return ", ".join(self.argument(*each) for each in given if each[0] is not Kind.LANE)

    def argument(self, kind: Kind, argument: ir.Expression) -> str:
        if kind is Kind.PLACE:
            assert isinstance(argument, ir.Load)
            return f"{argument.pointer.name} + {self.expression(argument.index, 12)}"
        if kind is Kind.ROW:
            assert isinstance(argument, ir.View)
            return self.line(argument)
        return f"{'&' if kind is Kind.ELEMENT else ''}{self.expression(argument)}"

    def loop(self, loop: ir.Loop, pragma: bool = True) -> Iterator[str]:
        counter = loop.counter.name
        if pragma and loop.kind != "serial":
            yield self.pragma(loop)
        begin, end = self.expression(loop.begin), self.expression(loop.end)
        assert isinstance(loop.step, ir.Const)
        step = int(loop.step.value)
        if step == -1:
            assert isinstance(loop.end, ir.Const)
            assert loop.end.value == -1
            yield f"for ({self.index} {counter} = {begin}; {counter} >= 0; --{counter}) {{"
        else:
            advance = f"++{counter}" if step == 1 else f"{counter} += {step}"
            yield f"for ({self.index} {counter} = {begin}; {counter} < {end}; {advance}) {{"
        collapsed = loop.kind == "omp" and self.perfectly_nested(loop)
        for statement in loop.body:
            if collapsed and isinstance(statement, ir.Loop):
                yield from self.loop(statement, pragma=False)
        if not collapsed:
            yield from self.every_line(loop.body)
        yield "}"

    @staticmethod
    def perfectly_nested(loop: ir.Loop) -> bool:
        return len(loop.body) == 1 and isinstance(loop.body[0], ir.Loop) and loop.body[0].kind == "omp"

    def pragma(self, loop: ir.Loop) -> str:
        if loop.kind in ("lanes", "levels"):
            return "HEDDLE_UNROLL" if loop.kind == "lanes" else "HEDDLE_UNROLL_PAIRS"
        if loop.kind == "simd":
            return f"#pragma omp simd{self.lanes(loop)}"
        depth, inner = 1, loop
        while self.perfectly_nested(inner):
            depth, inner = depth + 1, inner.body[0]  # type: ignore[assignment]
        collapse = f" collapse({depth})" if depth > 1 else ""
        lanes = " simd" if loop.kind == "omp simd" else ""
        return f"#pragma omp parallel for{lanes}{collapse} schedule(static)"

    @staticmethod
    def lanes(loop: ir.Loop) -> str:
        """The length of a loop over all lanes of small arrays, up to 16: without it g++ prefers vectors of
        half the size on many processors, and makes two rounds through arrays in memory of what is one."""
        if not is_over_lanes(loop):
            return ""
        assert isinstance(loop.end, ir.Const)
        return f" simdlen({min(int(loop.end.value), 16)})"

    def threads(self, loop: ir.Loop) -> Iterator[str]:
        """Nested thread loops: find the own cell, leave if there is none. Loops that are not perfectly nested
        follow one after the other: where the inner one begins depends on the outer ones."""
        nest = [loop]
        while is_over_threads(nest[-1].body[0]):
            nest.append(nest[-1].body[0])
        inside = [s for s in statements(nest[-1].body) if is_over_threads(s)]
        nest.reverse()  # x first
        assert self.target.gpu is not None
        for axis, level in enumerate(nest, start=len(inside)):
            place = self.target.gpu.coordinate(axis, self.expression.short)
            begin = "" if isinstance(level.begin, ir.Const) else f"{self.expression(level.begin)} + "
            step = self.expression(level.step)
            place = place if step == "1" else f"{step} * ({place})"
            yield f"const {self.index} {level.counter.name} = {begin}{place};"
        if any(is_warp_reduction(s) for s in nest[0].body):
            yield from self.together(nest)
            return
        together = not inside and any(is_row_reduction(s) for s in statements(nest[0].body))
        leaving = nest[1:] if together else nest  # a block has one row: none may leave alone
        if leaving:
            yield self.leave(leaving)
        yield self.block(nest[0].body)

    def leave(self, nest: Sequence[ir.Loop]) -> str:
        outside = " || ".join(f"{level.counter.name} >= {self.expression(level.end)}" for level in nest)
        return f"if ({outside}) {{ return; }}"

    def together(self, nest: Sequence[ir.Loop]) -> Iterator[str]:
        """A warp lies in one row, and all its threads combine what they have: none may leave alone."""
        row, *outer = nest
        if outer:
            yield self.leave(outer)
        given = [s for s in row.body if is_warp_reduction(s)]
        own = {parts_of(s)["value"] for s in given}
        variables = [s for s in row.body if isinstance(s, ir.Var) and s.symbol in own]
        yield self.block(variables)
        inside = f"{row.counter.name} < {self.expression(row.end)}"
        yield f"if ({inside}) {{"
        yield self.block([s for s in row.body if s not in variables and s not in given])
        yield "}"
        yield self.block(given)


def _array_kind(statement: ir.Statement) -> tuple[object, ...] | None:
    """What small arrays that are declared together have in common; None for other statements."""
    if not isinstance(statement, ir.Local):
        return None
    return statement.symbol.type, statement.length, statement.space


def _opposite(before: ir.If, statement: ir.If) -> bool:
    """Whether a statement runs where the one before does not."""
    return statement.condition == ir.Op("not", (before.condition,), ir.BOOL)
