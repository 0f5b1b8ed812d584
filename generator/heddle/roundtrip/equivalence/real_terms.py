# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on terms over the real numbers: no rounding, no NaN, no infinity.

Every term has a fingerprint: its value at random points of a prime field, several at once. Sums, products and
quotients are computed there; whatever else (a load, a function, a comparison) has a random value that depends
on the fingerprints of its operands only. So terms that are equal as rational functions have one fingerprint,
and terms that differ have, all but surely, different ones: that refutes at once, and tells which terms are
worth an exact proof (`identity`). A condition is 0 or 1 in each point, so a selection is a polynomial in it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from fractions import Fraction

from heddle.ir import nodes as ir
from heddle.ir.functions import FUNCTIONS
from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.integers import Arguments
from heddle.roundtrip.equivalence.terms import ONE, Term, Terms

Fingerprint = tuple[int, ...]
PRIME = (1 << 61) - 1
POINTS = 8
ASSUME_EXACT_ROUNDINGS = "roundings to another precision are identities over the reals"
_MOST_FACTORS = 8
_CONDITIONS = ("lt0", "zero", "le0", "eq0", "and", "or")


class RealTerms(FloatTerms):
    """Terms over the reals: `rational` constants; `add`, `mul`, `div` of two; `lt0 d` for d < 0; `eq0 d` of a
    real is `zero d`. Types of floats are dropped."""

    associates = True

    def __init__(self, terms: Terms, assumptions: set[str]) -> None:
        super().__init__(terms, assumptions)
        self.fingerprints: dict[Term, Fingerprint] = {}
        self.makers |= {"lt0": self.below_zero, "zero": self.is_zero}

    def key(self, term: Term) -> int:
        """Of the fingerprint: alike for terms that are equal over the reals."""
        return sum(point << 61 * place for place, point in enumerate(self.fingerprint(term)))

    # Fingerprints

    def fingerprint(self, root: Term) -> Fingerprint:
        known = self.fingerprints
        stack = [root]
        while stack:
            term = stack[-1]
            if term in known:
                stack.pop()
                continue
            waiting = [argument for argument in term.args if argument not in known]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            known[term] = self._fingerprint(term)
        return known[root]

    def _fingerprint(self, term: Term) -> Fingerprint:
        """The points, and a last number that tells conditions apart, of which few have other points."""
        parts = [self.fingerprints[argument] for argument in term.args]
        points = [part[:POINTS] for part in parts]
        match term.kind:
            case "int":
                return (*(term.data % PRIME,) * POINTS, 0)
            case "rational":
                value = term.data.numerator * pow(term.data.denominator, -1, PRIME) % PRIME
                return (*(value,) * POINTS, 0)
            case "poly":
                return (*(self._polynomial_at(term, place) for place in range(POINTS)), 0)
            case "add":
                return (*((a + b) % PRIME for a, b in zip(*points, strict=True)), 0)
            case "mul":
                return (*(a * b % PRIME for a, b in zip(*points, strict=True)), 0)
            case "div" if all(points[1]):
                return (*(a * pow(b, -1, PRIME) % PRIME for a, b in zip(*points, strict=True)), 0)
            case "float":
                return parts[0]
            case "bool":
                return (int(term.data),) * (POINTS + 1)
            case "not":
                return tuple((1 - a) % PRIME for a in parts[0])
            case "select":
                return (*((c * a + (1 - c) * b) % PRIME for c, a, b in zip(*points, strict=True)), 0)
        data = term.data[0] if term.kind == "call" else term.data
        digest = hashlib.blake2b(repr((term.kind, data, parts)).encode(), digest_size=64).digest()
        drawn = [int.from_bytes(digest[8 * n : 8 * n + 8], "little") % PRIME for n in range(POINTS)]
        if term.kind in _CONDITIONS:
            return (*(point & 1 for point in drawn), drawn[0])
        return (*drawn, 0)

    def _polynomial_at(self, term: Term, place: int) -> int:
        total = 0
        for monomial, factor in self.terms.polynomial(term).terms.items():
            product = factor
            for atom in monomial:
                product = product * self.fingerprints[atom][place] % PRIME
            total += product
        return total % PRIME

    # Constants

    def real(self, value: float, data: str) -> Term:
        if math.isfinite(value):
            return self.rational(Fraction(value))
        return self.terms.make("real", ("", "nan" if math.isnan(value) else value.hex()))

    def rational(self, value: Fraction) -> Term:
        return self.terms.make("rational", value)

    def constant(self, value: int | float | Fraction | bool, scalar: ir.Scalar) -> Term:
        if not scalar.is_float:
            return super().constant(value, scalar)
        if isinstance(value, float):
            return self.real(value, "")
        return self.rational(Fraction(value))

    @staticmethod
    def exact(term: Term) -> Fraction | None:
        return term.data if term.kind == "rational" else None

    # Sums, products, quotients

    def neg(self, data: str, args: Arguments) -> Term:
        return self.mul(data, (self.rational(Fraction(-1)), args[0]))

    def minus(self, a: Term, b: Term) -> Term:
        return self.add("", (a, self.neg("", (b,))))

    def add(self, data: str, args: Arguments) -> Term:
        a, b = self.exact(args[0]), self.exact(args[1])
        if a is not None and b is not None:
            return self.rational(a + b)
        if a == 0:
            return args[1]
        if b == 0:
            return args[0]
        return self.terms.make("add", "", self.sorted(args))

    def mul(self, data: str, args: Arguments) -> Term:
        a, b = self.exact(args[0]), self.exact(args[1])
        if a is not None and b is not None:
            return self.rational(a * b)
        for factor, other in ((a, args[1]), (b, args[0])):
            if factor == 0:
                return self.rational(Fraction(0))
            if factor == 1:
                return other
            if factor is not None and other.kind == "mul":
                for constant, rest in (other.args, other.args[::-1]):
                    known = self.exact(constant)
                    if known is not None:
                        return self.mul("", (self.rational(factor * known), rest))
        return self.terms.make("mul", "", self.sorted(args))

    def div(self, data: str, args: Arguments) -> Term:
        below = self.exact(args[1])
        if below:
            return self.mul("", (args[0], self.rational(1 / below)))
        if self.exact(args[0]) == 0:
            return args[0]
        return self.terms.make("div", "", args)

    # Functions

    def call(self, name: str, data: str, args: Arguments) -> Term:
        if name == "within" or (data and not ir.SCALARS[data].is_float):
            return super().call(name, data, args)
        match name:
            case "fma":
                return self.add("", (self.mul("", args[:2]), args[2]))
            case "min" | "max":
                parts: dict[Term, None] = {}
                for argument in args:
                    inner = argument.kind == "call" and argument.data[0] == name
                    parts |= dict.fromkeys(argument.args if inner else (argument,))
                beyond = self.real(-math.inf if name == "max" else math.inf, "")
                if len(parts) > 1:
                    parts.pop(beyond, None)
                if len(parts) == 1:
                    return next(iter(parts))
                return self.terms.make("call", (name, ""), self.sorted(tuple(parts)))
            case "abs":
                known = self.exact(args[0])
                if known is not None:
                    return self.rational(abs(known))
                reversed_range = self.neg("", args)
                args = (min(args[0], reversed_range, key=lambda term: (self.key(term), term.number)),)
            case "pow":
                exponent = self.exact(args[1])
                root = next((name for name, row in FUNCTIONS.items() if row.power == exponent), "")
                if exponent is not None and root:
                    return self.call(root, "", args[:1])
                if exponent is not None and exponent.denominator == 1 and abs(exponent) <= _MOST_FACTORS:
                    return self.power(args[0], int(exponent))
        return self.terms.make("call", (name, ""), args)

    def power(self, base: Term, exponent: int) -> Term:
        result = self.rational(Fraction(1))
        for _ in range(abs(exponent)):
            result = self.mul("", (result, base))
        return result if exponent >= 0 else self.div("", (self.rational(Fraction(1)), result))

    def cast_float(self, data: str, args: Arguments) -> Term:
        self.assumptions.add(ASSUME_EXACT_ROUNDINGS)
        return args[0]

    def to_float(self, data: str, args: Arguments) -> Term:
        """Sums and products of integers are those of the reals."""
        total = self.rational(Fraction(0))
        for monomial, factor in self.terms.polynomial(args[0]).terms.items():
            product = self.rational(Fraction(factor))
            for atom in monomial:
                product = self.mul("", (product, self.terms.make("float", "", (atom,))))
            total = self.add("", (total, product)) if monomial != ONE else self.add("", (product, total))
        return total

    def to_integer(self, data: str, args: Arguments) -> Term:
        known = self.exact(args[0])
        if known is not None:
            return self.terms.integer(math.trunc(known))
        return self.terms.make("truncated", "", args)

    # Conditions

    def compare_less(self, data: str, args: Arguments) -> Term:
        return self.below_zero("", (self.minus(*args),))

    def compare_less_or_equal(self, data: str, args: Arguments) -> Term:
        return self.negated("", (self.below_zero("", (self.minus(args[1], args[0]),)),))

    def compare_equal(self, data: str, args: Arguments) -> Term:
        return self.is_zero("", (self.minus(*args),))

    def below_zero(self, data: str, args: Arguments) -> Term:
        known = self.exact(args[0])
        if known is not None:
            return self.condition(known < 0)
        return self.terms.make("lt0", "", args)

    def is_zero(self, data: str, args: Arguments) -> Term:
        known = self.exact(args[0])
        if known is not None:
            return self.condition(known == 0)
        reversed_range = self.neg("", args)
        chosen = min(args[0], reversed_range, key=lambda term: (self.key(term), term.number))
        return self.terms.make("zero", "", (chosen,))

    def select(self, data: str, args: Arguments) -> Term:
        condition, yes, no = args
        if condition.kind == "lt0" and self.is_real(data):
            if condition.args[0] is self.minus(yes, no):
                return self.call("min", "", (yes, no))
            if condition.args[0] is self.minus(no, yes):
                return self.call("max", "", (yes, no))
        if data == "bool" or not self.is_real(data) or condition.kind in ("bool", "not") or yes is no:
            return super().select(data, args)
        return self.terms.make("select", "f64", args)

    @staticmethod
    def is_real(data: str) -> bool:
        return ir.SCALARS[data].is_float

    # Reductions

    def combined(self, value: Term, carried: Term) -> Iterator[tuple[str, Term]]:
        """Over the reals any order of arguments will do, and sums are reductions too."""
        if value.kind == "call" and value.data[0] in ("min", "max") and carried in value.args:
            rest = tuple(argument for argument in value.args if argument is not carried)
            yield value.data[0], rest[0] if len(rest) == 1 else self.call(value.data[0], "", rest)
        parts = list(_summands(value))
        if parts.count(carried) == 1 and len(parts) > 1:
            total = self.rational(Fraction(0))
            for part in parts:
                if part is not carried:
                    total = self.add("", (total, part))
            yield "sum", total


def _summands(term: Term) -> Iterator[Term]:
    if term.kind == "add":
        for argument in term.args:
            yield from _summands(argument)
    else:
        yield term
