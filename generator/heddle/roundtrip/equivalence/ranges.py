# SPDX-License-Identifier: Apache-2.0
"""How large and how small an integer can be while counters run."""

from __future__ import annotations

from collections.abc import Iterable

from heddle.roundtrip.equivalence.division import mask
from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.terms import Term

ASSUME_SIZES = "the sizes that indices are made of are at least 1"


class Ranges:
    """counts: how often the counter of each loop runs."""

    def __init__(self, bits: FloatTerms) -> None:
        self.bits, self.terms = bits, bits.terms
        self.counts: dict[Term, Term] = {}

    def bound(self, value: Term, counters: Iterable[Term], upper: bool) -> Term | None:
        """The greatest or least value while some counters run; None if it is not linear in one of them."""
        for counter in sorted(set(counters) & value.free, key=lambda term: -term.number):
            parts = self.terms.coefficient(value, counter)
            count = self.counts.get(counter)
            if parts is None or count is None:
                return None
            factor, rest = parts
            rising = self.not_negative(factor)
            if not rising and not self.not_negative(self.terms.scaled(factor, -1)):
                return None
            last = self.terms.minus(count, self.terms.integer(1))
            value = self.terms.plus(rest, self.terms.times(factor, last)) if rising == upper else rest
        return value

    def not_negative(self, value: Term) -> bool:
        """Whether a number is surely at least 0, wherever the free counters stand."""
        known = value
        for counter in sorted(value.free, key=lambda term: -term.number):
            least = self.bound(known, [counter], False) if counter in self.counts else None
            known = least or known
        polynomial = self.terms.polynomial(known)
        for monomial, factor in polynomial.terms.items():
            if len(monomial) != 1:
                continue
            (atom,) = monomial
            limit = mask(atom)
            if atom.kind in ("least", "greatest"):
                gaps = (self.terms.minus(end, atom) for end in atom.args)
                enough = any if (factor < 0) == (atom.kind == "least") else all
                return enough(self.not_negative(self.terms.plus(known, gap, factor)) for gap in gaps)
            if limit is not None:  # 0 <= p & m <= m
                least = self.terms.integer(limit if factor < 0 else 0)
                return self.not_negative(self.terms.plus(known, self.terms.minus(least, atom), factor))
            if self.is_rounded(atom):
                return self.not_negative(self.without_quotient(known, atom, factor))
        if polynomial.constant is not None:
            return polynomial.constant >= 0
        if sum(polynomial.terms.values()) < 0 or not polynomial.unknown.is_natural(self.is_size):
            return False
        self.bits.assumptions.add(ASSUME_SIZES)
        return True

    def is_rounded(self, atom: Term) -> bool:
        """Whether it is a natural number over a constant."""
        if atom.kind != "quotient" or atom.args[1].kind != "int" or atom.args[1].data <= 0:
            return False
        return self.not_negative(atom.args[0])

    def without_quotient(self, value: Term, quotient: Term, factor: int) -> Term:
        """A number n such that `value` is not negative if n is not.

        From p - (k - 1) <= k (p / k) <= p follows k value >= n - (k - 1) > -k, so that value, which is whole,
        is above -1.
        """
        terms = self.terms
        above, k = quotient.args[0], quotient.args[1].data
        rest = terms.scaled(terms.plus(value, quotient, -factor), k)
        lowest = above if factor < 0 else terms.minus(above, terms.integer(k - 1))
        return terms.plus(terms.plus(rest, lowest, factor), terms.integer(k - 1))

    def is_size(self, atom: Term) -> bool:
        """An extent, a stride or an integer parameter: what sizes are made of; or a quotient of them that is
        rounded up."""
        if atom.kind == "quotient" and atom.args[1].kind == "int" and atom.args[1].data > 0:
            return self.not_negative(self.terms.minus(*atom.args))
        return atom.kind in ("parameter", "load")
