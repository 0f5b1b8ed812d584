# SPDX-License-Identifier: Apache-2.0
"""Small operations on operands: conversions, offsets, sizes of arrays."""

from __future__ import annotations

from operator import add, floordiv, mul, sub
from typing import Any

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer
from heddle.ir.functions import OPERATORS
from heddle.ir.rounding import rounded
from heddle.ir.visit import walk
from heddle.lift.lifted import refuse

_FOLDED = {"add": add, "sub": sub, "mul": mul, "div": floordiv}


def converted(value: ir.Expression, scalar: ir.Scalar) -> ir.Expression:
    """A conversion; that of a literal which keeps its value is the literal in the other type."""
    if value.type == scalar:
        return value
    number = value.value if isinstance(value, ir.Const) else None
    if isinstance(number, float) and scalar.is_float and rounded(number, scalar) == number:
        return ir.Const(number, scalar)
    if isinstance(number, int) and not isinstance(number, bool):
        if scalar.is_float and rounded(number, scalar) == number:
            return ir.Const(float(number), scalar)
        if scalar.kind in "iu" and _fits(number, scalar):
            return ir.Const(number, scalar)
    return ir.Cast(value, scalar)


def single(value: ir.Expression) -> ir.Expression:
    """Arithmetic of literals of type float as the compiler rounds it, where the result becomes a double: a
    model of type double would not round to float."""
    match value:
        case ir.Op("add" | "sub" | "mul" | "div", args, ir.F32):
            left, right = map(single, args)
            if isinstance(left, ir.Const) and isinstance(right, ir.Const) and right.value:
                return ir.Const(
                    rounded(OPERATORS[value.name].meaning(left.value, right.value), ir.F32), ir.F32
                )
    return value


def folded(value: ir.Expression) -> ir.Expression:
    """The number that an expression of integers gives, such as 64 / sizeof(Real); others as they are."""
    match value:
        case ir.Cast(inner, kind):
            number = folded(inner)
            return converted(number, kind) if isinstance(number, ir.Const) else value
        case ir.Op(name, (left, right), kind) if name in _FOLDED and kind is not None and kind.kind in "iu":
            numbers = [each.value for each in map(folded, (left, right)) if isinstance(each, ir.Const)]
            if len(numbers) == 2 and not (name == "div" and (numbers[1] <= 0 or numbers[0] % numbers[1])):
                result = _FOLDED[name](*numbers)
                return ir.Const(result, kind) if _fits(result, kind) else value
    return value


def _fits(number: int, scalar: ir.Scalar) -> bool:
    if scalar.kind == "u":
        return 0 <= number < 1 << scalar.bits
    return -(1 << scalar.bits - 1) <= number < 1 << scalar.bits - 1


def joined(before: ir.Expression, more: ir.Expression, operator: str = "add") -> ir.Expression:
    """The sum of two offsets; 64 bits where they differ."""
    if isinstance(before, ir.Const) and before.value == 0 and operator == "add":
        return more
    if isinstance(more, ir.Const) and more.value == 0:
        return before
    if isinstance(before, ir.Const) and before.value == 0 and operator == "sub":
        return ir.Op("neg", (more,), more.type)
    if before.type != more.type:
        before, more = converted(before, ir.I64), converted(more, ir.I64)
    return ir.Op(operator, (before, more), before.type)


def times(index: ir.Expression, size: int | ir.Expression) -> ir.Expression:
    """An index of rows of a size, in elements."""
    if isinstance(size, ir.Const):
        size = int(size.value)
    if not isinstance(size, int):
        return ir.Op("mul", (converted(index, ir.I64), converted(size, ir.I64)), ir.I64)
    if size == 1:
        return index
    if isinstance(index, ir.Const):
        return integer(int(index.value) * size)
    return ir.Op("mul", (converted(index, ir.I64), integer(size)), ir.I64)


def innermost(kind: Any) -> Any:
    """The element type of nested arrays."""
    while isinstance(kind, source.Array):
        kind = kind.element
    return kind


def size_of(kind: source.Array, place: Place) -> int:
    """How many innermost elements an array has."""
    size = 1
    inner: Any = kind
    while isinstance(inner, source.Array):
        if inner.length == 0:
            raise refuse(place, "An inner dimension of an array is not constant.")
        size *= inner.length
        inner = inner.element
    return size


def reads(expression: ir.Expression, mutable: set[str]) -> bool:
    """Whether a value can change between statements: it loads, or uses a variable."""
    return any(
        isinstance(node, ir.Load) or (isinstance(node, ir.Symbol) and node.name in mutable)
        for node in walk(expression)
    )


def noun(expression: ir.Expression) -> str:
    match expression:
        case source.Unknown(reason):
            return reason
        case source.Invoke(name):
            return f"a call of '{name}'"
        case source.Initializer():
            return "a braced list"
        case source.AddressOf():
            return "an address"
        case ir.Symbol(name, kind):
            return f"'{name}' of type {kind}"
    return "an expression"
