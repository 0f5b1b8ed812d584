# SPDX-License-Identifier: Apache-2.0
"""Terms: what a kernel computes, as a graph in which equal things are one thing.

A term is a function of the contents of memory at entry, of the parameters and of the counters of loops. Terms
are hash-consed in one table for both kernels of a comparison, so that equality is identity. Integers are
polynomials with integer coefficients in what is no sum and no product; everything else is an operator on
terms.

Bound variables (counters of a stored item, carried values of a recurrence) have no names: a binder calls its
variables `bound (height, position)`, height being one more than that of any binder inside it. So two
functions that differ in names only are one term. While a loop is being read its variables are free: these are
`counter`, `carried` and `entry` terms.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from heddle.ir.polynomial import IntegerPolynomial

Monomial = tuple["Term", ...]
FREE = ("counter", "carried", "entry")
ONE: Monomial = ()


class Term:
    """kind: which operator; data: its constants; args: its operands. number: order of making, unique. free:
    the free variables inside. height: of the highest bound variable inside."""

    __slots__ = ("args", "data", "free", "height", "kind", "number")

    def __init__(self, kind: str, data: Any, args: tuple[Term, ...], number: int) -> None:
        self.kind, self.data, self.args, self.number = kind, data, args, number
        self.free: frozenset[Term] = frozenset().union(*(argument.free for argument in args))
        if kind in FREE:
            self.free |= {self}
        self.height: int = max((argument.height for argument in args), default=0)
        if kind == "bound":
            self.height = max(self.height, data[0])

    def __repr__(self) -> str:
        return f"<{self.kind} {self.number}>"


class Polynomial(IntegerPolynomial[Term]):
    """An integer, in terms that are no sums and no products."""

    @staticmethod
    def key(atom: Term) -> int:
        return atom.number


class Terms:
    """The table of all terms of one comparison."""

    def __init__(self) -> None:
        self._table: dict[tuple[Any, ...], Term] = {}
        self._polynomials: dict[Term, Polynomial] = {}
        self._uid = itertools.count()

    def make(self, kind: str, data: Any = None, args: Iterable[Term] = ()) -> Term:
        operands = tuple(args)
        key = (kind, data, *(argument.number for argument in operands))
        term = self._table.get(key)
        if term is None:
            term = self._table[key] = Term(kind, data, operands, len(self._table))
        return term

    def fresh(self, kind: str, data: Any = None) -> Term:
        """A free variable unlike any other."""
        return self.make(kind, (next(self._uid), data))

    # Integers

    def integer(self, value: int) -> Term:
        return self.make("int", value)

    def polynomial(self, term: Term) -> Polynomial:
        """An integer as a polynomial in atoms."""
        if term.kind == "int":
            return Polynomial.of_number(term.data)
        if term.kind == "poly":
            return self._polynomials[term]
        return Polynomial.of_atom(term)

    def collected(self, polynomial: Polynomial) -> Term:
        """The term of a polynomial."""
        parts = polynomial.terms
        if not parts:
            return self.integer(0)
        if len(parts) == 1:
            ((monomial, factor),) = parts.items()
            if monomial == ONE:
                return self.integer(factor)
            if factor == 1 and len(monomial) == 1:
                return monomial[0]
        rows = sorted((tuple(atom.number for atom in monomial), factor) for monomial, factor in parts.items())
        term = self.make("poly", tuple(rows), sorted(polynomial.atoms, key=polynomial.key))
        self._polynomials.setdefault(term, polynomial)
        return term

    def plus(self, a: Term, b: Term, factor: int = 1) -> Term:
        """a + factor * b."""
        return self.collected(self.polynomial(a).plus(self.polynomial(b), factor))

    def times(self, a: Term, b: Term) -> Term:
        return self.collected(self.polynomial(a) * self.polynomial(b))

    def scaled(self, a: Term, factor: int) -> Term:
        return self.collected(self.polynomial(a) * factor)

    def minus(self, a: Term, b: Term) -> Term:
        return self.plus(a, b, -1)

    def coefficient(self, term: Term, variable: Term) -> tuple[Term, Term] | None:
        """(c, r) with term = c * variable + r, neither containing the variable; None if it is not linear."""
        parts = self.polynomial(term).linear(variable)
        if parts is None or any(variable in atom.free for part in parts for atom in part.atoms):
            return None
        return self.collected(parts[0]), self.collected(parts[1])


def is_read(term: Term, array: str) -> bool:
    """Whether a term is an element of an array that nothing has been stored to."""
    return term.kind == "load" and term.data[1] == array and term.args[0].kind in ("initial", "entry")


def conjuncts(condition: Term) -> tuple[Term, ...]:
    """What has to hold, each on its own, for a condition to hold."""
    return condition.args if condition.kind == "and" else (condition,)


def inside(terms: Iterable[Term]) -> Iterator[Term]:
    """Every term in some terms, once."""
    seen: set[Term] = set()
    stack = list(terms)
    while stack:
        term = stack.pop()
        if term not in seen:
            seen.add(term)
            yield term
            stack.extend(term.args)
