# SPDX-License-Identifier: Apache-2.0
"""Conditions as terms: comparisons with `<` or `<=`, of integers with 0; `and` and `or` as sets."""

from __future__ import annotations

from heddle.ir import nodes as ir
from heddle.ir.functions import OPERATORS
from heddle.roundtrip.equivalence.integers import Arguments, Integers
from heddle.roundtrip.equivalence.terms import Term, Terms, conjuncts

_SWAPPED = {"gt": "lt", "ge": "le"}


class Conditions(Integers):
    """The constructors of conditions."""

    def __init__(self, terms: Terms, assumptions: set[str]) -> None:
        super().__init__(terms, assumptions)
        self.yes, self.no = terms.make("bool", True), terms.make("bool", False)

    def number(self, term: Term) -> float | None:
        """The value of a constant."""
        return float.fromhex(term.data[1]) if term.kind == "real" else None

    def condition(self, value: bool) -> Term:
        return self.yes if value else self.no

    def not_positive(self, _: str, args: Arguments) -> Term:
        """p <= 0 for an integer p, divided by what its coefficients have in common."""
        polynomial = self.terms.polynomial(args[0])
        common = polynomial.unknown.content
        if not common:
            return self.condition(polynomial.number <= 0)
        reduced = polynomial.unknown.floored(common)[0] + -(-polynomial.number // common)
        return self.terms.make("le0", "", (self.terms.collected(reduced),))

    def zero(self, _: str, args: Arguments) -> Term:
        """p == 0 for an integer p."""
        polynomial = self.terms.polynomial(args[0])
        parts = polynomial.unknown
        common = parts.content
        if not common:
            return self.condition(polynomial.number == 0)
        if polynomial.number % common:
            return self.no
        first = min(parts.terms, key=lambda monomial: [self.key(atom) for atom in monomial])
        reduced = polynomial.floored(common if parts.terms[first] > 0 else -common)[0]
        return self.terms.make("eq0", "", (self.terms.collected(reduced),))

    def compare(self, name: str, scalar: ir.Scalar, args: Arguments) -> Term:
        if name == "ne":
            return self.negated("", (self.compare("eq", scalar, args),))
        if name in _SWAPPED:
            return self.compare(_SWAPPED[name], scalar, args[::-1])
        if scalar.is_float:
            ordered = {"lt": self.compare_less, "le": self.compare_less_or_equal, "eq": self.compare_equal}
            return ordered[name](str(scalar), args)
        if scalar.kind == "b":
            if name != "eq":
                return self.terms.make(name, str(scalar), args)
            return self.either(
                "",
                (
                    self.both("", args),
                    self.both("", tuple(self.negated("", (argument,)) for argument in args)),
                ),
            )
        difference = self.terms.minus(*args)
        if name == "eq":
            return self.zero("", (difference,))
        one = self.terms.integer(1 if name == "lt" else 0)
        return self.not_positive("", (self.terms.plus(difference, one),))

    def compare_less(self, data: str, args: Arguments) -> Term:
        return self._folded_comparison("lt", data, args)

    def compare_less_or_equal(self, data: str, args: Arguments) -> Term:
        return self._folded_comparison("le", data, args)

    def compare_equal(self, data: str, args: Arguments) -> Term:
        return self._folded_comparison("eq", data, self.sorted(args))

    def _folded_comparison(self, name: str, data: str, args: Arguments) -> Term:
        left, right = map(self.number, args)
        if left is not None and right is not None:
            return self.condition(OPERATORS[name].meaning(left, right))
        return self.terms.make(name, data, args)

    def negated(self, _: str, args: Arguments) -> Term:
        (value,) = args
        match value.kind:
            case "bool":
                return self.condition(not value.data)
            case "not":
                return value.args[0]
            case "and":
                return self.either("", tuple(self.negated("", (part,)) for part in value.args))
            case "or":
                return self.both("", tuple(self.negated("", (part,)) for part in value.args))
            case "le0":  # not p <= 0: 1 - p <= 0
                return self.not_positive("", (self.terms.minus(self.terms.integer(1), value.args[0]),))
        return self.terms.make("not", "", args)

    def both(self, _: str, args: Arguments) -> Term:
        return self._junction("and", args, self.yes, self.no)

    def either(self, _: str, args: Arguments) -> Term:
        """What all of them have in common stands outside: `a && b || a && c` is `a && (b || c)`."""
        shared = set.intersection(*(set(conjuncts(argument)) for argument in args)) - {self.yes}
        common = [condition for condition in conjuncts(args[0]) if condition in shared]
        if len(args) < 2 or not common:
            return self._junction("or", args, self.no, self.yes)
        rests = (self.both("", tuple(c for c in conjuncts(a) if c not in common)) for a in args)
        return self.both("", (*common, self.either("", tuple(rests))))

    def _junction(self, name: str, args: Arguments, neutral: Term, absorbing: Term) -> Term:
        parts: dict[Term, None] = {}
        for argument in args:
            parts |= dict.fromkeys(argument.args if argument.kind == name else (argument,))
        parts.pop(neutral, None)
        if absorbing in parts or any(self.negated("", (part,)) in parts for part in parts):
            return absorbing
        if len(parts) < 2:
            return next(iter(parts), neutral)
        return self.terms.make(name, "", self.sorted(tuple(parts)))
