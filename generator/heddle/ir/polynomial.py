# SPDX-License-Identifier: Apache-2.0
"""Polynomials with integer coefficients: what indices, bounds, extents and strides are made of.

Lifting divides the index of an access by the strides of an array to find cells and offsets
(`heddle.lift.polynomial`); the prover divides it to find the iteration that wrote an element
(`heddle.roundtrip.equivalence.terms`). Their unknowns differ, the arithmetic is this one. It is exact, and it
knows nothing about its atoms: whether a number is negative or wraps around is for its users to show or to
assume.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Generic, Self, TypeVar

Atom = TypeVar("Atom", bound=Hashable)


class IntegerPolynomial(ABC, Generic[Atom]):
    """A sum of integer multiples of monomials. terms: the multiple of each monomial, never 0; a monomial is
    its atoms with multiplicity, in the order of their keys. Equal polynomials have equal terms."""

    def __init__(self, terms: Mapping[tuple[Atom, ...], int] | None = None) -> None:
        self.terms: Final[Mapping[tuple[Atom, ...], int]] = {} if terms is None else terms

    @staticmethod
    @abstractmethod
    def key(atom: Atom) -> Any:
        """What sorts atoms: different for different atoms."""

    @classmethod
    def of_atom(cls, atom: Atom) -> Self:
        return cls({(atom,): 1})

    @classmethod
    def of_number(cls, number: int) -> Self:
        return cls({(): number} if number else {})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IntegerPolynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __add__(self, other: Self | int) -> Self:
        return self.plus(other)

    def __sub__(self, other: Self | int) -> Self:
        return self.plus(other, -1)

    def __neg__(self) -> Self:
        return self * -1

    def __mul__(self, other: Self | int) -> Self:
        if isinstance(other, int):
            return type(self)({m: factor * other for m, factor in self.terms.items()} if other else {})
        terms: dict[tuple[Atom, ...], int] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                monomial = tuple(sorted((*left, *right), key=self.key))
                terms[monomial] = terms.get(monomial, 0) + a * b
        return self._without_zeros(terms)

    def plus(self, other: Self | int, factor: int = 1) -> Self:
        """self + factor * other."""
        terms = dict(self.terms)
        for monomial, number in ({(): other} if isinstance(other, int) else other.terms).items():
            terms[monomial] = terms.get(monomial, 0) + factor * number
        return self._without_zeros(terms)

    @classmethod
    def _without_zeros(cls, terms: Mapping[tuple[Atom, ...], int]) -> Self:
        return cls({monomial: factor for monomial, factor in terms.items() if factor})

    # Parts

    @property
    def constant(self) -> int | None:
        """Its value, if it is a number."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def number(self) -> int:
        """Its constant term."""
        return self.terms.get((), 0)

    @property
    def unknown(self) -> Self:
        """What is left without its constant term."""
        return type(self)({monomial: factor for monomial, factor in self.terms.items() if monomial})

    @cached_property
    def atoms(self) -> frozenset[Atom]:
        return frozenset(atom for monomial in self.terms for atom in monomial)

    @property
    def content(self) -> int:
        """The greatest common divisor of the coefficients; 0 if there are none."""
        return math.gcd(*self.terms.values())

    @property
    def order(self) -> tuple[int, int]:
        """How large it is as a stride: its degree, then its largest leading coefficient."""
        degree = max((len(monomial) for monomial in self.terms), default=0)
        leading = [abs(f) for monomial, f in self.terms.items() if len(monomial) == degree]
        return degree, max(leading, default=0)

    def ordered(self) -> list[tuple[tuple[Atom, ...], int]]:
        """Terms, highest degree first."""
        return sorted(self.terms.items(), key=lambda term: (-len(term[0]), self._keys(term[0])))

    def _keys(self, monomial: tuple[Atom, ...]) -> tuple[Any, ...]:
        return tuple(map(self.key, monomial))

    def linear(self, atom: Atom) -> tuple[Self, Self] | None:
        """(c, r) with self = c * atom + r, neither containing the atom; None if a power of it occurs."""
        factor: dict[tuple[Atom, ...], int] = {}
        rest: dict[tuple[Atom, ...], int] = {}
        for monomial, number in self.terms.items():
            others = tuple(other for other in monomial if other != atom)
            if len(monomial) - len(others) > 1:
                return None
            (rest if len(others) == len(monomial) else factor)[others] = number
        return type(self)(factor), type(self)(rest)

    def coefficient(self, atom: Atom) -> Self:
        """What the first power of an atom is multiplied by."""
        found = {
            tuple(other for other in monomial if other != atom): factor
            for monomial, factor in self.terms.items()
            if monomial.count(atom) == 1
        }
        return type(self)(found)

    def substitute(self, values: Mapping[Atom, Self]) -> Self:
        """The same with polynomials in place of atoms."""
        if not self.atoms & values.keys():
            return self
        result = type(self)()
        for monomial, factor in self.terms.items():
            product = self.of_number(factor)
            for atom in monomial:
                product *= values[atom] if atom in values else self.of_atom(atom)
            result += product
        return result

    def is_natural(self, natural: Callable[[Atom], bool]) -> bool:
        """Whether no coefficient is negative, and every atom is known not to be."""
        if any(factor < 0 for factor in self.terms.values()):
            return False
        return all(natural(atom) for monomial in self.terms for atom in monomial)

    # Division

    def floored(self, by: int) -> tuple[Self, Self]:
        """Quotient and remainder of each coefficient, rounded down."""
        quotient = {monomial: factor // by for monomial, factor in self.terms.items()}
        remainder = {monomial: factor % by for monomial, factor in self.terms.items()}
        return self._without_zeros(quotient), self._without_zeros(remainder)

    def divided(self, divisor: Self) -> tuple[Self, Self]:
        """Quotient and remainder, such that self = quotient * divisor + remainder and no term of the
        remainder is a multiple of the divisor's leading term. By a number, each coefficient is divided to the
        nearest integer, so that remainders are small: offsets, not wrapped ones. By 0 the quotient is 0."""
        by = divisor.constant
        if by == 0:
            return type(self)(), self
        if by is not None:
            quotient = self._without_zeros({m: _nearest(f, by) for m, f in self.terms.items()})
            return quotient, self.plus(quotient, -by)
        leading = max(divisor.terms, key=lambda monomial: (len(monomial), self._keys(monomial)))
        quotient, remainder = type(self)(), self
        for _ in range(32):  # each round removes a leading term; strides have few
            step = next((q for term in remainder.ordered() if (q := divisor._multiple(leading, *term))), None)
            if step is None:
                return quotient, remainder
            quotient, remainder = quotient + step, remainder - step * divisor
        return type(self)(), self

    def _multiple(self, leading: tuple[Atom, ...], monomial: tuple[Atom, ...], factor: int) -> Self | None:
        """What self is multiplied by to have a term as its leading one, if there is such a thing."""
        rest = list(monomial)
        for wanted in leading:
            if wanted not in rest:
                return None
            rest.remove(wanted)
        quotient, remainder = divmod(factor, self.terms[leading])
        return None if remainder else type(self)({tuple(rest): quotient})

    def mixed_radix(self, strides: Sequence[Self]) -> tuple[list[Self], Self]:
        """What each stride is multiplied by, found from the largest stride to the smallest, and what is left:
        self is the sum of all."""
        digits, rest = [type(self)() for _ in strides], self
        for position in sorted(range(len(strides)), key=lambda p: strides[p].order, reverse=True):
            digits[position], rest = rest.divided(strides[position])
        return digits, rest


def _nearest(value: int, by: int) -> int:
    """value / by, rounded to the nearest integer, ties towards zero."""
    quotient, remainder = divmod(abs(value), abs(by))
    quotient += 2 * remainder > abs(by)
    return quotient if (value < 0) == (by < 0) else -quotient
