# SPDX-License-Identifier: Apache-2.0
"""Short constructors that fold what is certain: integer arithmetic, neutral elements of index arithmetic."""

from __future__ import annotations

from heddle.ir.functions import OPERATORS
from heddle.ir.nodes import BOOL, I64, Const, Expression, Op, Scalar


def operate(name: str, *args: Expression) -> Op:
    """An operator whose type follows from its first argument."""
    result = BOOL if OPERATORS[name].result == "bool" else args[0].type
    return Op(name, args, result)


def integer(value: int) -> Const:
    return Const(value, I64)


def _value(expression: Expression) -> int | None:
    if isinstance(expression, Const) and isinstance(expression.value, int) and expression.type == I64:
        return expression.value
    return None


def add(a: Expression, b: Expression) -> Expression:
    """a + b on indices, without `+ 0` and with a negative constant as a subtraction."""
    left, right = _value(a), _value(b)
    if left is not None and right is not None:
        return integer(left + right)
    if right == 0:
        return a
    if left == 0:
        return b
    if right is not None and right < 0:
        return operate("sub", a, integer(-right))
    if isinstance(b, Op) and b.name == "neg":
        return operate("sub", a, b.args[0])
    return operate("add", a, b)


def multiply(a: Expression, b: Expression) -> Expression:
    """a * b on indices, without `* 1` and `* 0`."""
    left, right = _value(a), _value(b)
    if left is not None and right is not None:
        return integer(left * right)
    if left == 0 or right == 0:
        return integer(0)
    if left == 1:
        return b
    if right == 1:
        return a
    if left == -1:
        return operate("neg", b)
    if right == -1:
        return operate("neg", a)
    return operate("mul", a, b)


def constant(value: int | float, scalar: Scalar) -> Const:
    return Const(value, scalar)
