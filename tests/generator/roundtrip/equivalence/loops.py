# SPDX-License-Identifier: Apache-2.0
"""Small loops written by hand: a few words for nodes of the kernel language, one statement a line."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from heddle.ir import nodes as ir
from heddle.ir.build import operate
from heddle.ir.layout import STRIDED
from heddle.ir.space import Dense

Number = int | float | Fraction


class Value:
    """An expression with the operators of Python; numbers beside it take its type."""

    def __init__(self, node: ir.Expression) -> None:
        self.node = node

    def _with(self, name: str, other: Value | Number, reversed_range: bool = False) -> Value:
        pair = (self, value(other, self.node.type))
        return Value(operate(name, *(entry.node for entry in (pair[::-1] if reversed_range else pair))))

    def __add__(self, other: Value | Number) -> Value:
        return self._with("add", other)

    def __radd__(self, other: Number) -> Value:
        return self._with("add", other, True)

    def __sub__(self, other: Value | Number) -> Value:
        return self._with("sub", other)

    def __rsub__(self, other: Number) -> Value:
        return self._with("sub", other, True)

    def __mul__(self, other: Value | Number) -> Value:
        return self._with("mul", other)

    def __rmul__(self, other: Number) -> Value:
        return self._with("mul", other, True)

    def __truediv__(self, other: Value | Number) -> Value:
        return self._with("div", other)

    def __rtruediv__(self, other: Number) -> Value:
        return self._with("div", other, True)

    def __floordiv__(self, other: Value | Number) -> Value:
        return self._with("div", other)

    def __mod__(self, other: Value | Number) -> Value:
        return self._with("rem", other)

    def __neg__(self) -> Value:
        return Value(operate("neg", self.node))

    def __lt__(self, other: Value | Number) -> Value:
        return self._with("lt", other)

    def __le__(self, other: Value | Number) -> Value:
        return self._with("le", other)

    def __gt__(self, other: Value | Number) -> Value:
        return self._with("gt", other)

    def __ge__(self, other: Value | Number) -> Value:
        return self._with("ge", other)

    def __and__(self, other: Value) -> Value:
        return self._with("and", other)

    def __invert__(self) -> Value:
        return Value(operate("not", self.node))

    def equals(self, other: Value | Number) -> Value:
        return self._with("eq", other)


def value(number: Value | Number, scalar: ir.Scalar = ir.F64) -> Value:
    return number if isinstance(number, Value) else Value(ir.Const(number, scalar))


def call(name: str, *args: Value) -> Value:
    return Value(ir.Call(name, tuple(argument.node for argument in args), args[0].node.type))


def select(condition: Value, yes: Value, no: Value) -> Value:
    return Value(ir.Select(condition.node, yes.node, no.node))


def cast(argument: Value, scalar: ir.Scalar) -> Value:
    return Value(ir.Cast(argument.node, scalar))


def named(name: str, scalar: ir.Scalar = ir.F64) -> Value:
    return Value(ir.Symbol(name, scalar))


class Array:
    """A field of any rank; `u[i, j]` is its element, `u.n(axis)` its extent."""

    def __init__(self, name: str, rank: int = 1, scalar: ir.Scalar = ir.F64) -> None:
        self.field = ir.Field(name, scalar, rank, 0, 2, STRIDED)
        self.pointer = ir.Symbol(name, ir.Pointer(scalar))

    def n(self, axis: int = 0) -> Value:
        return self._argument("extent", axis)

    def _argument(self, what: str, axis: int) -> Value:
        pointer = ir.Symbol(f"{self.field.name}_{what}", ir.Pointer(ir.I64, True))
        return Value(ir.Load(pointer, ir.Const(axis, ir.I64)))

    def __getitem__(self, position: Value | int | tuple[Value | int, ...]) -> Value:
        places = position if isinstance(position, tuple) else (position,)
        index = value(0, ir.I64)
        for axis, place in enumerate(places):
            index = index + value(place, ir.I64) * self._argument("stride", axis)
        return Value(ir.Load(self.pointer, index.node))


def store(target: Value, stored: Value) -> ir.Store:
    assert isinstance(target.node, ir.Load)
    return ir.Store(target.node, stored.node)


def let(symbol: Value, stored: Value) -> ir.Let:
    assert isinstance(symbol.node, ir.Symbol)
    return ir.Let(symbol.node, stored.node)


def var(symbol: Value, stored: Value) -> ir.Var:
    assert isinstance(symbol.node, ir.Symbol)
    return ir.Var(symbol.node, stored.node)


def assign(symbol: Value, stored: Value) -> ir.Assign:
    assert isinstance(symbol.node, ir.Symbol)
    return ir.Assign(symbol.node, stored.node)


def when(condition: Value, *body: ir.Statement) -> ir.If:
    return ir.If(condition.node, body)


def loop(
    counter: Value,
    begin: Value | int,
    end: Value | int,
    *body: ir.Statement,
    step: int = 1,
    kind: str = "serial",
) -> ir.Loop:
    assert isinstance(counter.node, ir.Symbol)
    bounds = [value(bound, ir.I64).node for bound in (begin, end, step)]
    return ir.Loop(kind, counter.node, *bounds, body)  # type: ignore[arg-type]


def kernel(
    arrays: Sequence[Array],
    *body: ir.Statement,
    parameters: Sequence[Value] = (),
    outputs: Sequence[str] = (),
) -> ir.Kernel:
    rank = max(array.field.rank for array in arrays)
    symbols = tuple(parameter.node for parameter in parameters)
    written = tuple(ir.Symbol(name, ir.F64) for name in outputs)
    fields = tuple(array.field for array in arrays)
    return ir.Kernel("loop", fields, symbols, Dense(rank), body, written)  # type: ignore[arg-type]


def output(name: str) -> Value:
    return Value(ir.Load(ir.Symbol(name, ir.Pointer(ir.F64)), ir.Const(0, ir.I64)))


X, Y, Z = (named(axis, ir.I64) for axis in "xyz")
U, V, W = Array("u"), Array("v"), Array("w")
A, B, C, S, T = (named(name) for name in "abcst")
