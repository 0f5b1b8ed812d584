# SPDX-License-Identifier: Apache-2.0
"""Functions that the schemes share: powers by logarithms, and choices between numbers."""

from __future__ import annotations

from collections.abc import Mapping

import sympy
from sympy.codegen.cfunctions import exp2, log2

from heddle.model.assignment import Assignment, While
from heddle.model.equations import Equations, square_root


def number(decimal: str | float) -> sympy.Float:
    """A decimal number of a paper, as it stands there: emitted code has its digits."""
    return sympy.Float(float(decimal))


def power(x: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    """x to a constant power for x >= 0, as 2^(exponent log2 x): half of what pow costs. 0 for x = 0."""
    return exp2(exponent * log2(x))


def fourth_root(x: sympy.Expr) -> sympy.Expr:
    """Two square roots: exact to the last bit but one, and the same on every machine."""
    return square_root(square_root(x))


def clip(x: sympy.Expr, lowest: sympy.Expr | int, highest: sympy.Expr | int) -> sympy.Expr:
    """x between two limits."""
    return sympy.Min(sympy.Max(x, lowest, evaluate=False), highest, evaluate=False)


def only_if(condition: sympy.Basic, value: sympy.Expr, otherwise: sympy.Expr | int = 0) -> sympy.Expr:
    """The value where a condition holds; elsewhere nothing of it is evaluated."""
    return sympy.Piecewise((value, condition), (otherwise, True), evaluate=False)


def constant(name: str, *factors: sympy.Expr | int) -> tuple[sympy.Symbol, Assignment]:
    """A name for a product of numbers, and the statement that gives it: emitted code shows the formula."""
    symbol = sympy.Symbol(name, real=True)
    return symbol, Assignment(symbol, sympy.Mul(*factors, evaluate=False))


def reals(*names: str) -> tuple[sympy.Symbol, ...]:
    """Symbols of real values."""
    return tuple(sympy.Symbol(name, real=True) for name in names)


def where(
    cell: Equations, condition: sympy.Basic, name: str, values: Mapping[str, tuple[sympy.Expr, sympy.Expr]],
    body: Equations,
) -> list[sympy.Expr]:  # fmt: skip
    """Emit statements for cells in which a condition holds. values: name -> what it is elsewhere, and there.

    It is a While of one round, named `name`: columns in vector lanes pass it over where no lane has to act.
    No other value of the kernel has one of these names.
    """
    (acts,) = reals(name)
    symbols = reals(*values)
    first = dict(zip(symbols, (elsewhere for elsewhere, _ in values.values()), strict=True))
    then = dict(zip(symbols, (value for _, value in values.values()), strict=True))
    cell.statements.append(
        While(
            acts > 0,
            {acts: only_if(condition, 1), **first},
            body.statements,
            {acts: sympy.Integer(0), **then},
            at_most=1,
        )
    )
    return list(symbols)
