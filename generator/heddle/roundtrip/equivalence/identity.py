# SPDX-License-Identifier: Apache-2.0
"""Exact proofs that two terms are equal over the reals.

Sums, products, quotients and selections are expanded to polynomials with rational coefficients in what is
left (atoms); atoms of one fingerprint are one variable, and each such claim is proved in its turn. To keep
the polynomials small, three expansions are tried: one that stops at values that both terms use, as they were
written in both kernels; one down to the atoms, in which 1 / d is a variable for each divisor d; and one as
fractions of polynomials. They have up to 30,000 terms with rational coefficients, so their monomials are
packed into numbers; those of integers are `heddle.ir.polynomial`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from heddle.roundtrip.equivalence.real_terms import Fingerprint, RealTerms
from heddle.roundtrip.equivalence.terms import Term, inside

Sum = dict[int, Fraction]
"""Monomial -> coefficient; a monomial packs the exponents of the variables, BITS bits each."""
BITS = 10
MOST_TERMS = 30_000
MOST_WORK = 3_000_000
_ARITHMETIC = ("add", "mul", "div", "select", "rational")


class TooLargeError(Exception):
    """The expansion has more terms than are worth it."""


class Identities:
    """Proofs between terms over the reals; what has been proved is kept."""

    def __init__(self, reals: RealTerms) -> None:
        self.reals = reals
        self.known: dict[tuple[Term, Term], bool] = {}
        self.too_large = False

    def equal(self, a: Term, b: Term) -> bool:
        """Whether a proof was found."""
        if a is b:
            return True
        if self.reals.fingerprint(a) != self.reals.fingerprint(b):
            return False
        key = (a, b) if a.number < b.number else (b, a)
        if key not in self.known:
            self.known[key] = self._proved(a, b)
        return self.known[key]

    def _proved(self, a: Term, b: Term) -> bool:
        if a.kind in _ARITHMETIC or b.kind in _ARITHMETIC:
            return self._expanded(a, b)
        if a.kind == b.kind == "poly":
            return self._polynomials(a, b)
        return (
            a.kind == b.kind
            and a.data == b.data
            and len(a.args) == len(b.args)
            and all(self.equal(x, y) for x, y in zip(a.args, b.args, strict=True))
        )

    def _polynomials(self, a: Term, b: Term) -> bool:
        """Integers: the same polynomial in atoms that are equal."""
        table = self.reals.terms.polynomial
        left, right = ({self._monomial(m): (m, c) for m, c in table(term).terms.items()} for term in (a, b))
        return left.keys() == right.keys() and all(
            left[key][1] == right[key][1]
            and all(
                self.equal(x, y)
                for x, y in zip(self._sorted(left[key][0]), self._sorted(right[key][0]), strict=True)
            )
            for key in left
        )

    def _sorted(self, monomial: tuple[Term, ...]) -> list[Term]:
        return sorted(monomial, key=self.reals.key)

    def _monomial(self, monomial: tuple[Term, ...]) -> tuple[int, ...]:
        return tuple(self.reals.key(atom) for atom in self._sorted(monomial))

    def _expanded(self, a: Term, b: Term) -> bool:
        own = self.reals.fingerprint(a)
        shared = self._classes(a) & self._classes(b) - {own}

        def used_by_both(term: Term) -> bool:
            return term.kind != "rational" and self.reals.fingerprint(term) in shared

        attempts: tuple[tuple[Callable[[Term], bool], bool], ...] = (
            (used_by_both, False),
            (lambda term: False, False),
            (lambda term: False, True),
        )
        for stops, fractions in attempts:
            expansion = _Expansion(self.reals, stops, fractions)
            try:
                if expansion.agree(a, b) and all(self._one_class(c) for c in expansion.members.values()):
                    return True
            except TooLargeError:
                self.too_large = True
        return False

    def _classes(self, term: Term) -> set[Fingerprint]:
        return {self.reals.fingerprint(part) for part in inside((term,)) if part.kind != "rational"}

    def _one_class(self, members: list[Term]) -> bool:
        return all(self.equal(members[0], other) for other in members[1:])


class _Expansion:
    """Two terms as polynomials in common variables. members: the terms that each variable stands for."""

    def __init__(self, reals: RealTerms, stops: Callable[[Term], bool], fractions: bool) -> None:
        self.reals, self.stops, self.fractions = reals, stops, fractions
        self.members: dict[tuple[str, Fingerprint], list[Term]] = {}
        self.variables: dict[tuple[str, Fingerprint], int] = {}
        self.conditions = 0
        self.work = 0
        self.memo: dict[Term, tuple[Sum, Sum]] = {}
        self.roots: tuple[Term, ...] = ()

    def agree(self, a: Term, b: Term) -> bool:
        self.roots = (a, b)
        above, below = self.fraction(a)
        other_above, other_below = self.fraction(b)
        if not below or not other_below:
            return False
        if below == other_below:
            return above == other_above
        return self.product(above, other_below) == self.product(other_above, below)

    def variable(self, role: str, term: Term) -> Sum:
        key = role, self.reals.fingerprint(term)
        if key not in self.variables:
            self.variables[key] = len(self.variables)
        place = self.variables[key]
        if role == "condition":
            self.conditions |= 1 << BITS * place
        members = self.members.setdefault(key, [])
        if term not in members:
            members.append(term)
        return {1 << BITS * place: Fraction(1)}

    def fraction(self, root: Term) -> tuple[Sum, Sum]:
        stack = [root]
        while stack:
            term = stack[-1]
            if term in self.memo:
                stack.pop()
                continue
            opened = term.kind in _ARITHMETIC and (term in self.roots or not self.stops(term))
            operands = term.args[1:] if term.kind == "select" else term.args
            if opened and term.kind == "div" and not self.fractions:
                operands = term.args[:1]
            waiting = [argument for argument in operands if argument not in self.memo] if opened else []
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            self.memo[term] = self.combined(term) if opened else (self.variable("", term), _ONE)
        return self.memo[root]

    def combined(self, term: Term) -> tuple[Sum, Sum]:
        match term.kind:
            case "rational":
                return ({0: term.data} if term.data else {}), _ONE
            case "select":
                condition, yes, no = term.args
                chosen = self.indicator(condition)
                other = self.sum(_ONE, self.product({0: Fraction(-1)}, chosen))
                (a, a_below), (b, b_below) = self.memo[yes], self.memo[no]
                return self.added((self.product(chosen, a), a_below), (self.product(other, b), b_below))
            case "div" if not self.fractions:
                (above, below), inverse = self.memo[term.args[0]], self.variable("inverse", term.args[1])
                return self.product(above, inverse), below
        (a, a_below), (b, b_below) = (self.memo[argument] for argument in term.args)
        match term.kind:
            case "add":
                return self.added((a, a_below), (b, b_below))
            case "mul":
                return self.product(a, b), self.product(a_below, b_below)
        return self.product(a, b_below), self.product(a_below, b)

    def indicator(self, condition: Term) -> Sum:
        """A condition as a polynomial in conditions that are 0 or 1."""
        if condition.kind == "not":
            inner = self.indicator(condition.args[0])
            return self.sum(_ONE, self.product({0: Fraction(-1)}, inner))
        if condition.kind == "and":
            result = _ONE
            for part in condition.args:
                result = self.product(result, self.indicator(part))
            return result
        return self.variable("condition", condition)

    def added(self, a: tuple[Sum, Sum], b: tuple[Sum, Sum]) -> tuple[Sum, Sum]:
        if a[1] == b[1]:
            return self.sum(a[0], b[0]), a[1]
        return self.sum(self.product(a[0], b[1]), self.product(b[0], a[1])), self.product(a[1], b[1])

    def sum(self, a: Sum, b: Sum) -> Sum:
        if len(a) < len(b):
            a, b = b, a
        result = dict(a)
        self.work += len(a) + len(b)
        for monomial, factor in b.items():
            total = result.get(monomial, 0) + factor
            if total:
                result[monomial] = Fraction(total)
            else:
                result.pop(monomial, None)
        return result

    def product(self, a: Sum, b: Sum) -> Sum:
        if a == _ONE:
            return b
        if b == _ONE:
            return a
        self.work += len(a) * len(b)
        if self.work > MOST_WORK:
            raise TooLargeError
        result: Sum = {}
        for left, factor in a.items():
            for right, other in b.items():
                monomial = left + right
                if self.conditions:
                    monomial = self.idempotent(monomial)
                total = result.get(monomial, 0) + factor * other
                if total:
                    result[monomial] = Fraction(total)
                else:
                    result.pop(monomial, None)
        if len(result) > MOST_TERMS:
            raise TooLargeError
        return result

    def idempotent(self, monomial: int) -> int:
        """Conditions are 0 or 1: their squares are themselves."""
        twice = (monomial >> 1) & self.conditions
        return monomial - twice if twice else monomial


_ONE: Sum = {0: Fraction(1)}
