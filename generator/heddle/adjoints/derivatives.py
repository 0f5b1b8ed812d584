# SPDX-License-Identifier: Apache-2.0
"""The rules of reverse mode: what the operands of one operation contribute to their adjoints.

For y = g(a, b) and the adjoint y_bar, operand a gets y_bar dg/da. Rules use the value y where that saves
work. Source: Griewank and Walther, Evaluating Derivatives, 2nd edition, SIAM 2008, chapter 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import sympy
from sympy.codegen.cfunctions import exp2, log2

from heddle.model.equations import multiply

Contribution = tuple[sympy.Expr, sympy.Expr]
"""An operand, and what it gets."""

_LN2 = sympy.Float(math.log(2.0))
_HALF = sympy.Rational(1, 2)


def _inverse(value: sympy.Expr) -> sympy.Expr:
    return sympy.Pow(value, -1, evaluate=False)


_FUNCTIONS: dict[type, Callable[[sympy.Expr, sympy.Expr, sympy.Expr], sympy.Expr]] = {
    # adjoint of the value, operand, value
    sympy.exp: lambda bar, x, y: multiply(bar, y),
    sympy.log: lambda bar, x, y: multiply(bar, _inverse(x)),
    exp2: lambda bar, x, y: multiply(_LN2, bar, y),
    log2: lambda bar, x, y: multiply(1 / _LN2, bar, _inverse(x)),
    sympy.sin: lambda bar, x, y: multiply(bar, sympy.cos(x)),
    sympy.cos: lambda bar, x, y: multiply(-1, bar, sympy.sin(x)),
    sympy.tanh: lambda bar, x, y: multiply(bar, sympy.Add(1, multiply(-1, y, y), evaluate=False)),
    sympy.Abs: lambda bar, x, y: multiply(bar, sympy.sign(x)),
}


def contributions(node: sympy.Expr, bar: sympy.Expr, value: sympy.Expr) -> Iterator[Contribution] | None:
    """What each operand gets; None for an operation without a rule. value: a name for what `node` is, or
    `node`. Piecewise has a rule of its own (heddle.adjoints.reverse)."""
    match node:
        case sympy.Add():
            return ((term, bar) for term in node.args)
        case sympy.Mul():
            return _product(node, bar)
        case sympy.Pow():
            return _power(node, bar, value)
        case sympy.Min() | sympy.Max():
            return _extreme(node, bar)
    rule = _FUNCTIONS.get(type(node))
    return None if rule is None else iter([(node.args[0], rule(bar, node.args[0], value))])


def _product(node: sympy.Mul, bar: sympy.Expr) -> Iterator[Contribution]:
    for place, factor in enumerate(node.args):
        yield factor, multiply(*node.args[:place], bar, *node.args[place + 1 :])


def _power(node: sympy.Pow, bar: sympy.Expr, value: sympy.Expr) -> Iterator[Contribution]:
    base, exponent = node.base, node.exp
    if exponent.is_Float and float(2 * exponent).is_integer():
        exponent = sympy.Rational(exponent)
    if exponent == -1:
        yield base, multiply(-1, bar, value, value)
    elif exponent == _HALF:
        yield base, multiply(_HALF, bar, _inverse(value))
    elif exponent == 2:
        yield base, multiply(2, bar, base)
    elif exponent == sympy.Rational(1, 3):
        yield base, multiply(exponent, bar, value, _inverse(base))
    elif exponent.is_number:
        yield base, multiply(exponent, bar, sympy.Pow(base, exponent - 1))
    else:
        yield base, multiply(exponent, bar, sympy.Pow(base, exponent - 1))
        yield exponent, multiply(bar, sympy.log(base), value)


def _extreme(node: sympy.Min | sympy.Max, bar: sympy.Expr) -> Iterator[Contribution]:
    """The larger, or smaller, operand gets all; of equal ones the first."""
    wins = sympy.Ge if isinstance(node, sympy.Max) else sympy.Le
    *before, last = node.args
    rest = before[0] if len(before) == 1 else type(node)(*before)
    first = wins(rest, last, evaluate=False)
    zero = sympy.Integer(0)
    for_rest = sympy.Piecewise((bar, first), (zero, True), evaluate=False)
    if len(before) == 1:
        yield rest, for_rest
    else:
        yield from _extreme(rest, for_rest)
    yield last, sympy.Piecewise((zero, first), (bar, True), evaluate=False)
