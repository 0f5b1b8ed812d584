# SPDX-License-Identifier: Apache-2.0
"""Writing equations down without letting SymPy rearrange them: sums, products and a list of named values.

SymPy's own operators distribute numbers over sums and sort terms. The formulas of a method are already
arranged by the person who derived them, so these helpers build the nodes as written and only drop zeros and
ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import isfinite
from typing import TypeAlias

import sympy

from heddle.errors import KernelError, calling_place
from heddle.model.assignment import Assignment, Section, Statement, While
from heddle.model.expression import parts
from heddle.model.field import Access, IsWallLink

Scalar: TypeAlias = str | int | float | Fraction | sympy.Expr
"""What a user may pass for a quantity: a name (of a kernel argument), a number, or an expression."""


LONG = 110
"""Terms of a sum that `Equations.total` leaves whole."""
_ONE = sympy.Integer(1)


def exact(value: int | float | Fraction) -> sympy.Expr:
    """The number as an exact SymPy number if it is exact; 0.1 stays a float."""
    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    if isinstance(value, float) and not value.is_integer():
        dyadic = Fraction(value)
        if dyadic.denominator > 4096:
            return sympy.Float(value)
        return sympy.Rational(dyadic.numerator, dyadic.denominator)
    return sympy.Integer(int(value))


def add(*terms: sympy.Expr | int) -> sympy.Expr:
    """The sum in the order given, without zeros."""
    kept: list[sympy.Expr] = []
    for given in terms:
        term = given if isinstance(given, sympy.Basic) else sympy.sympify(given)
        if not (term.is_Number and term == 0):
            kept.append(term)
    if len(kept) == 1:
        return kept[0]
    if all(term.is_Number for term in kept):
        return sympy.Add(*kept)
    return sympy.Add._from_args(kept)


def multiply(*factors: sympy.Expr | int | Fraction) -> sympy.Expr:
    """The product in the order given: numbers joined in front, nothing multiplied by 1 or 0."""
    number: sympy.Expr = _ONE
    kept: list[sympy.Expr] = []
    for factor in factors:
        value = exact(factor) if isinstance(factor, (int, Fraction)) else factor
        if value.is_Number:
            number = value if number is _ONE else number * value
        elif value.is_Mul and value.args[0].is_Number and value.args[0] == -1:
            number = -number
            kept += value.args[1:]
        else:
            kept.append(value)
    if not kept:
        return number
    if number is not _ONE:
        if number == 0:
            return number
        if number != 1:
            kept.insert(0, number)
    return kept[0] if len(kept) == 1 else sympy.Mul._from_args(kept)


def negate(value: sympy.Expr) -> sympy.Expr:
    """-value, without a product inside a product."""
    return multiply(-1, value)


def signed(sign: int, value: sympy.Expr) -> sympy.Expr:
    """sign * value for sign in -1, 0, 1."""
    return multiply(sign, value)


def divide(numerator: sympy.Expr | int, denominator: sympy.Expr) -> sympy.Expr:
    """numerator / denominator."""
    if denominator.is_Number:
        return multiply(sympy.sympify(numerator), 1 / denominator)
    return multiply(sympy.sympify(numerator), sympy.Pow(denominator, -1, evaluate=False))


def local(name: str) -> sympy.Symbol:
    """The symbol of a local value."""
    return sympy.Symbol(name, real=True)


def quantity(value: Scalar) -> sympy.Expr:
    """The user's value as an expression. A string is the name of a kernel argument.

    Raises KernelError unless it is a name, a finite number or an expression.
    """
    if isinstance(value, str):
        return sympy.Symbol(value, real=True)
    if isinstance(value, (int, Fraction)) or (isinstance(value, float) and isfinite(value)):
        return exact(value)
    if not isinstance(value, sympy.Expr) or any(p.is_Atom and p.is_finite is False for p in parts(value)):
        raise KernelError(
            calling_place(),
            f"{value!r} is not a quantity.",
            "pass the name of an argument, a finite number, a field, or an expression of these",
        )
    return value


def positive(value: Scalar, what: str) -> sympy.Expr:
    """A quantity that must be positive. what: its name, for the error.

    Raises KernelError for a number that is not greater than 0.
    """
    given = quantity(value)
    if given.is_number and not float(given) > 0:
        raise KernelError(
            calling_place(),
            f"{what} = {given} must be greater than 0.",
            "pass a positive number, or the name of an argument",
        )
    return given


def square_root(value: sympy.Expr) -> sympy.Expr:
    """The square root, as written."""
    return sympy.Pow(value, sympy.Rational(1, 2), evaluate=False)


class Equations:
    """Statements under construction. `let` names a value; names and numbers stay as they are."""

    def __init__(self, given: Iterable[sympy.Expr] = (), fields: Iterable[str] = ()) -> None:
        """given: the user's expressions. fields: names of fields. Names in both are reserved: a local with
        the same name gets the prefix `cell_`. Code that joins statements from several sources passes the
        same `given` and `fields` to each, so that names agree."""
        self.statements: list[Statement] = []
        self.taken = set(fields)
        self.keep(given)

    def keep(self, given: Iterable[sympy.Expr]) -> None:
        """Reserve the names in these expressions of the user, too."""
        for expression in given:
            for symbol in expression.free_symbols:
                if isinstance(symbol, Access):
                    self.taken.add(symbol.field.name)
                elif isinstance(symbol, sympy.Symbol):
                    self.taken.add(symbol.name)

    def section(self, text: str) -> None:
        """Start a section: a comment in the emitted code."""
        self.statements.append(Section(text))

    def let(self, name: str, value: sympy.Expr) -> sympy.Expr:
        """Emit `name = value`; returns the expression to use for it."""
        if value.is_Number or (value.is_Symbol and not isinstance(value, (Access, IsWallLink))):
            return value
        return self._assign(name, value)

    def _assign(self, name: str, value: sympy.Expr) -> sympy.Symbol:
        target = self._local(name)
        self.statements.append(Assignment(target, value))
        return target

    def once(self, name: str, value: sympy.Expr) -> sympy.Expr:
        """As `let`, but reuse the existing name if these statements already name the same value."""
        known = Assignment(self._local(name), value)
        return known.target if known in self.statements else self.let(name, value)

    def _local(self, name: str) -> sympy.Symbol:
        while name in self.taken:
            name = "cell_" + name
        return local(name)

    def total(self, name: str, *terms: sympy.Expr | int, most: int = LONG) -> sympy.Expr:
        """The sum in the order given. One of more than `most` terms is that of pieces, which get names that
        begin with `name`: a chain of hundreds of additions is nested too deeply for those who walk it."""
        if len(terms) <= most:
            return add(*terms)
        pieces = [terms[begin : begin + most] for begin in range(0, len(terms), most)]
        named = [self.let(f"{name}_{n}", add(*piece)) for n, piece in enumerate(pieces, 1)]
        return self.total(f"{name}_of", *named, most=most)

    def constant(self, name: str, value: Fraction) -> sympy.Expr:
        """Name a number: weights appear in emitted code as the rational they are."""
        return self._assign(name, exact(value))

    def only_where(
        self,
        condition: sympy.Basic,
        values: Mapping[str, tuple[sympy.Expr, sympy.Expr]],
        inside: Equations,
        rounds: str,
    ) -> tuple[sympy.Symbol, ...]:
        """Names with the first of their two values, or, where the condition holds, with the second, which
        `inside` computes: in one round of a loop, so that warps and strips without such cells pass it over.
        rounds: the name of the number of rounds that are left."""
        names, left = [local(name) for name in values], local(rounds)
        first = {name: before for name, (before, _) in zip(names, values.values(), strict=True)}
        update = {name: after for name, (_, after) in zip(names, values.values(), strict=True)}
        first[left], update[left] = sympy.Piecewise((1, condition), (0, True)), left - 1
        self.statements.append(While(left > 0, first, inside.statements, update, at_most=1))
        return tuple(names)

    def store(self, target: sympy.Symbol, value: sympy.Expr) -> None:
        """Write a value to a field."""
        self.statements.append(Assignment(target, value))


def is_zero(value: sympy.Expr) -> bool:
    """True for the number 0, which marks an absent component."""
    return bool(value.is_Number and value == 0)
