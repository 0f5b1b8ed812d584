# SPDX-License-Identifier: Apache-2.0
"""Between which numbers a value lies, and whether it is a whole number, by the way it is computed."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isnan
from sys import float_info

from heddle.ir.nodes import BOOL, Call, Cast, Const, Expression, Op, Scalar, Select, Symbol

Interval = tuple[float, float]
"""The least and the greatest number; integers where they are integers."""


def limits(scalar: Scalar) -> Interval:
    """The least and the greatest number of a type."""
    if scalar == BOOL:
        return 0, 1
    if scalar.is_float:
        most = {16: 65504.0, 32: float.fromhex("0x1.fffffep127")}.get(scalar.bits, float_info.max)
        return -most, most
    signed = scalar.kind == "i"
    return -(1 << scalar.bits - 1) if signed else 0, (1 << scalar.bits - signed) - 1


def bounds(value: Expression, locals_: Mapping[str, Expression]) -> Interval:
    """Between which numbers a typed value lies. locals_: the values of local names."""
    memo: dict[Expression, Interval] = {}

    def visit(node: Expression) -> Interval:
        if node not in memo:
            memo[node] = _bounds(node)
        return memo[node]

    def _bounds(node: Expression) -> Interval:
        match node:
            case Const(number):
                return (number, number)  # type: ignore[return-value]
            case Symbol(name) if name in locals_:
                return visit(locals_[name])
            case Cast(inner):
                return visit(inner)
            case Select(_, yes, no):
                return _union(visit(yes), visit(no))
            case Op("bitand", args):
                most = [high for low, high in map(visit, args) if low >= 0]
                return (0, min(most)) if most else _of_type(node)
            case Op("rem", (dividend, divisor)):
                return 0, min(visit(dividend)[1], visit(divisor)[1] - 1)
            case Op("add" | "sub" | "mul" | "neg" as name, args):
                return _arithmetic(name, [visit(argument) for argument in args])
            case Call("min" | "max" as name, (one, other)):
                choose = min if name == "min" else max
                (low, high), (lower, higher) = visit(one), visit(other)
                return choose(low, lower), choose(high, higher)
            case Call("floor", (argument,)):
                return visit(argument)
            case Call("abs", (argument,)):
                low, high = visit(argument)
                return max(low, -high, 0), max(abs(low), abs(high))
            case Call("sign"):
                return -1, 1
        return _of_type(node)

    return visit(value)


def loses_bits(value: Expression, locals_: Mapping[str, Expression]) -> bool:
    """Whether a value, as it is stored, was an integer of a wider type that may not fit. locals_: the values
    of local names."""
    if not isinstance(value, Cast) or value.type.is_float or value.value.type.is_float:
        return False
    (least, most), (lowest, highest) = limits(value.type), bounds(value.value, locals_)
    return value.value.type.bits > value.type.bits and not least <= lowest <= highest <= most


def _of_type(value: Expression) -> Interval:
    return (-inf, inf) if value.type.is_float else limits(value.type)


def _union(one: Interval, other: Interval) -> Interval:
    return min(one[0], other[0]), max(one[1], other[1])


def _arithmetic(name: str, operands: list[Interval]) -> Interval:
    """The interval of a sum, difference, product or negative."""
    if name == "neg":
        ((low, high),) = operands
        return -high, -low
    (low, high), (lower, higher) = operands
    if name == "add":
        return low + lower, high + higher
    if name == "sub":
        return low - higher, high - lower
    corners = [one * other for one in (low, high) for other in (lower, higher)]
    return (-inf, inf) if any(map(isnan, corners)) else (min(corners), max(corners))


def is_whole(value: Expression, locals_: Mapping[str, Expression]) -> bool:
    """Whether a float is a whole number. locals_: the values of local names."""
    memo: dict[Expression, bool] = {}

    def visit(node: Expression) -> bool:
        if node not in memo:
            memo[node] = _whole(node)
        return memo[node]

    def _whole(node: Expression) -> bool:
        match node:
            case Const(number):
                return bool(number == int(number))
            case Symbol(name) if name in locals_:
                return not locals_[name].type.is_float or visit(locals_[name])
            case Call("floor" | "sign"):
                return True
            case Cast(inner):
                return not inner.type.is_float or visit(inner)
            case Op("add" | "sub" | "mul" | "neg", args) | Call("min" | "max" | "abs", args):
                return all(map(visit, args))
            case Select(_, yes, no):
                return visit(yes) and visit(no)
        return False

    return visit(value)
