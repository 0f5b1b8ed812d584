# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on terms that keeps the bits: what may be rewritten without changing one result.

Floating point: operands of + and * are sorted (IEEE 754 operations commute), nothing is re-associated;
`a - b` is `a + (-b)`; a sign moves out of products and quotients; a division by a power of two is a product;
`2 * x` is `x + x`; constants are folded with the rounding of their type; a comparison is written with `<` or
`<=`. `min` and `max` keep the order of their arguments, which decides what a NaN becomes. Payloads of NaN are
no difference. Integers: polynomials over the whole numbers; what overflows is undefined in C++ where it is
signed, and is reduced modulo 2^bits where it is unsigned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from heddle.equivalence.division import divided
from heddle.equivalence.terms import ONE, Term, Terms, conjuncts
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.functions import FUNCTIONS, OPERATORS
from heddle.ir.interpret import InterpretationError, converted, rounded
from heddle.ir.interpret import constant as literal

Arguments = tuple[Term, ...]
_SWAPPED = {"gt": "lt", "ge": "le"}
INTEGER_OVERFLOW = "integer arithmetic does not overflow"
INSIDE = "every index that the reference target checks lies inside its array"


class Bits:
    """The constructors of terms. assumptions: what they took for granted on the way. associates: whether sums
    may be added up in any order."""

    associates = False

    def __init__(self, terms: Terms, assumptions: set[str]) -> None:
        self.terms, self.assumptions = terms, assumptions
        self.yes, self.no = terms.make("bool", True), terms.make("bool", False)
        self.makers: dict[str, Callable[[Any, Arguments], Term]] = {
            "add": self.add, "mul": self.mul, "div": self.div, "neg": self.neg,
            "lt": self.compare_less, "le": self.compare_less_or_equal, "eq": self.compare_equal,
            "select": self.select, "cast": self.cast_float, "float": self.to_float,
            "truncated": self.to_integer, "le0": self.not_positive, "eq0": self.zero,
            "not": self.negated, "and": self.both, "or": self.either,
            "quotient": self.quotient, "remainder": self.remainder, "wrap": self.wrapped,
            "bitand": self.bitand,
        }  # fmt: skip

    def key(self, term: Term) -> int:
        """What sorts terms: equal for equal terms."""
        return term.number

    def sorted(self, args: Arguments) -> Arguments:
        return tuple(sorted(args, key=lambda argument: (self.key(argument), argument.number)))

    # Rebuilding

    def build(self, term: Term, args: Arguments) -> Term:
        """The term with other operands, in normal form."""
        if term.kind == "poly":
            return self.polynomial_of(term, dict(zip(term.args, args, strict=True)))
        if term.kind == "call":
            name, data = term.data
            return self.call(name, data, args)
        if term.kind in ("least", "greatest"):
            return self.extreme(term.kind, args)
        if term.kind in self.makers:
            return self.makers[term.kind](term.data, args)
        return self.terms.make(term.kind, term.data, args)

    def polynomial_of(self, term: Term, values: dict[Term, Term]) -> Term:
        total = self.terms.integer(0)
        for monomial, factor in self.terms.polynomial(term).items():
            product = self.terms.integer(factor)
            for atom in monomial:
                product = self.terms.times(product, values[atom])
            total = self.terms.plus(total, product)
        return total

    # Integers

    def integer_operation(self, name: str, scalar: ir.Scalar, args: Arguments) -> Term:
        terms = self.terms
        result: Term
        match name:
            case "add":
                result = terms.plus(args[0], args[1])
            case "sub":
                result = terms.minus(args[0], args[1])
            case "mul":
                result = terms.times(args[0], args[1])
            case "neg":
                result = terms.scaled(args[0], -1)
            case "shl" if args[1].kind == "int" and 0 <= args[1].data < scalar.bits:
                result = terms.scaled(args[0], 1 << args[1].data)
            case "div":
                return self.quotient("", args)
            case "rem":
                return self.remainder("", args)
            case "bitand":
                return self.bitand(str(scalar), args)
            case _:
                return terms.make(name, str(scalar), args)
        if scalar.kind == "u":
            return self.wrapped(str(scalar), (result,))
        if result.kind != "int":
            self.assumptions.add(INTEGER_OVERFLOW)
        return result

    def wrapped(self, data: str, args: Arguments) -> Term:
        """A number modulo 2^bits. Inside sums and products, reducing once is enough."""
        (value,) = args
        bits = ir.SCALARS[data].bits
        inner = {
            atom: atom.args[0]
            for monomial in self.terms.polynomial(value)
            for atom in monomial
            if atom.kind == "wrap" and ir.SCALARS[atom.data].bits >= bits
        }
        if inner:
            atoms = {atom for monomial in self.terms.polynomial(value) for atom in monomial}
            value = self.polynomial_of(value, {atom: inner.get(atom, atom) for atom in atoms})
        reduced = {monomial: c % (1 << bits) for monomial, c in self.terms.polynomial(value).items()}
        value = self.terms.collected(reduced)
        if value.kind == "int" or self.fits(value, ir.SCALARS[data]):
            return value
        return self.terms.make("wrap", data, (value,))

    def fits(self, value: Term, scalar: ir.Scalar) -> bool:
        """Whether a single atom is known to be a number of an unsigned type already."""
        known = {"load": 0, "parameter": 1}.get(value.kind)
        known = value.data if value.kind == "wrap" else None if known is None else value.data[known]
        return known in ir.SCALARS and ir.SCALARS[known].kind == "u" and ir.SCALARS[known].bits <= scalar.bits

    def quotient(self, _: str, args: Arguments) -> Term:
        """Rounded towards zero, as in C++."""
        above, below = args
        if below.kind == "int" and below.data:
            if above.kind == "int":
                return self.terms.integer(OPERATORS["div"].meaning(above.data, below.data))
            if below.data > 0:
                found = divided(self.terms, above, below.data)
                if found is not None:
                    return self.terms.plus(found[0], self.quotient("", (found[1], found[2])))
        if above is self.terms.integer(0):
            return above
        return self.terms.make("quotient", "", args)

    def remainder(self, _: str, args: Arguments) -> Term:
        """What the quotient leaves, which is how C++ defines it."""
        above, below = args
        if below is self.terms.integer(0):
            return self.terms.make("remainder", "", args)
        return self.terms.minus(above, self.terms.times(below, self.quotient("", args)))

    def bitand(self, data: str, args: Arguments) -> Term:
        if all(argument.kind == "int" for argument in args):
            return self.terms.integer(args[0].data & args[1].data)
        return self.terms.make("bitand", data, self.sorted(args))

    def extreme(self, name: str, args: Arguments) -> Term:
        """The least or greatest of two integers: here order does not matter."""
        difference = self.terms.minus(*args)
        if difference.kind == "int":
            first, second = args
            return second if (difference.data > 0) == (name == "least") else first
        return self.terms.make(name, "", self.sorted(args))

    # Conditions

    def condition(self, value: bool) -> Term:
        return self.yes if value else self.no

    def not_positive(self, _: str, args: Arguments) -> Term:
        """p <= 0 for an integer p, divided by what its coefficients have in common."""
        parts = dict(self.terms.polynomial(args[0]))
        constant = parts.pop(ONE, 0)
        if not parts:
            return self.condition(constant <= 0)
        common = math.gcd(*parts.values())
        reduced = {monomial: factor // common for monomial, factor in parts.items()}
        reduced[ONE] = -(-constant // common)
        return self.terms.make("le0", "", (self.terms.collected(reduced),))

    def zero(self, _: str, args: Arguments) -> Term:
        """p == 0 for an integer p."""
        parts = dict(self.terms.polynomial(args[0]))
        constant = parts.pop(ONE, 0)
        if not parts:
            return self.condition(constant == 0)
        common = math.gcd(*parts.values())
        if constant % common:
            return self.no
        first = min(parts, key=lambda monomial: [self.key(atom) for atom in monomial])
        sign = common if parts[first] > 0 else -common
        reduced = {monomial: factor // sign for monomial, factor in (parts | {ONE: constant}).items()}
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
        common = set.intersection(*(set(conjuncts(argument)) for argument in args)) - {self.yes}
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

    def select(self, data: str, args: Arguments) -> Term:
        condition, yes, no = args
        if condition.kind == "bool":
            return yes if condition.data else no
        if yes is no:
            return yes
        if condition.kind == "not":
            return self.select(data, (condition.args[0], no, yes))
        if condition.kind == "lt" and condition.args == (yes, no):
            return self.call("min", data, (no, yes))
        if condition.kind == "lt" and condition.args == (no, yes):
            return self.call("max", data, (no, yes))
        if data == "bool":
            return self.either(
                "",
                (self.both("", (condition, yes)), self.both("", (self.negated("", (condition,)), no))),
            )
        if condition.kind == "le0" and not ir.SCALARS[data].is_float:  # a <= b ? a : b
            gap = self.terms.minus(yes, no)
            if condition.args[0] in (gap, self.terms.plus(gap, self.terms.integer(1))):
                return self.extreme("least", (yes, no))
        return self.terms.make("select", data, args)

    # Floating point

    def constant(self, value: int | float | Fraction | bool, scalar: ir.Scalar) -> Term:
        """A literal as it is emitted: a rational that is no binary fraction is a quotient of two literals."""
        if scalar.kind == "b":
            return self.condition(bool(value))
        if not scalar.is_float:
            assert not isinstance(value, (float, Fraction)) or value == int(value)
            return self.terms.integer(int(rounded(int(value), scalar)))
        return self.real(float(literal(value, scalar)), str(scalar))

    def real(self, value: float, data: str) -> Term:
        return self.terms.make("real", (data, "nan" if math.isnan(value) else value.hex()))

    def number(self, term: Term) -> float | None:
        """The value of a constant."""
        return float.fromhex(term.data[1]) if term.kind == "real" else None

    def folded(self, name: str, data: str, args: Arguments) -> Term | None:
        """An operation on constants."""
        values = [self.number(argument) for argument in args]
        if any(value is None for value in values):
            return None
        meaning = (OPERATORS.get(name) or FUNCTIONS[name]).meaning
        return self.real(float(rounded(meaning(*values), ir.SCALARS[data])), data)

    def operation(self, name: str, scalar: ir.Scalar, args: Arguments) -> Term:
        """An operator on operands of one type."""
        if name in ("and", "or", "not"):
            return self.makers[name]("", args)
        if OPERATORS[name].result == "bool":
            return self.compare(name, scalar, args)
        if not scalar.is_float:
            return self.integer_operation(name, scalar, args)
        data = str(scalar)
        if name == "sub":
            return self.add(data, (args[0], self.neg(data, args[1:])))
        if name not in self.makers:
            raise KernelError("equivalent", f"'{name}' on {scalar} has no meaning.")
        return self.makers[name](data, args)

    def neg(self, data: str, args: Arguments) -> Term:
        (value,) = args
        return (
            self.folded("neg", data, args)
            or (value.args[0] if value.kind == "neg" else None)
            or self.terms.make("neg", data, args)
        )

    def _sign(self, data: str, term: Term) -> tuple[bool, Term]:
        """Whether a factor is negative, and the factor without its sign."""
        value = self.number(term)
        if value is not None and math.copysign(1.0, value) < 0.0:
            return True, self.real(-value, data)
        return (True, term.args[0]) if term.kind == "neg" else (False, term)

    def _signed(self, data: str, negative: bool, term: Term) -> Term:
        return self.neg(data, (term,)) if negative else term

    def add(self, data: str, args: Arguments) -> Term:
        constant = self.folded("add", data, args)
        if constant:
            return constant
        for value, other in (args, args[::-1]):
            if value.kind == "real" and value.data[1] == (-0.0).hex():
                return other
        return self.terms.make("add", data, self.sorted(args))

    def mul(self, data: str, args: Arguments) -> Term:
        constant = self.folded("mul", data, args)
        if constant:
            return constant
        (minus, left), (other_minus, right) = (self._sign(data, argument) for argument in args)
        negative = minus != other_minus
        for value, other in ((left, right), (right, left)):
            if self.number(value) == 1.0:
                return self._signed(data, negative, other)
            if self.number(value) == 2.0:
                return self._signed(data, negative, self.add(data, (other, other)))
        return self._signed(data, negative, self.terms.make("mul", data, self.sorted((left, right))))

    def div(self, data: str, args: Arguments) -> Term:
        constant = self.folded("div", data, args)
        if constant:
            return constant
        (minus, above), (other_minus, below) = (self._sign(data, argument) for argument in args)
        number = self.number(below)
        if number and math.isfinite(number) and math.frexp(number)[0] == 0.5:
            inverse = 1.0 / number
            if 2.0**-14 <= inverse <= 2.0**15 and rounded(inverse, ir.SCALARS[data]) == inverse:
                return self._signed(
                    data, minus != other_minus, self.mul(data, (above, self.real(inverse, data)))
                )
        return self._signed(data, minus != other_minus, self.terms.make("div", data, (above, below)))

    def call(self, name: str, data: str, args: Arguments) -> Term:
        """A function; of integers: least, greatest and absolute value."""
        if name == "within":
            self.assumptions.add(INSIDE)
            return args[0]
        scalar = ir.SCALARS[data]
        if not scalar.is_float:
            if name in ("min", "max"):
                return self.extreme("least" if name == "min" else "greatest", args)
            return self.terms.make("call", (name, data), args)
        if FUNCTIONS[name].exact:
            constant = self.folded(name, data, args)
            if constant:
                return constant
        if name in ("min", "max") and args[0] is args[1]:
            return args[0]
        if name == "abs":
            args = (self._sign(data, args[0])[1],)
        if name == "fma":
            (minus, left), (other_minus, right) = (self._sign(data, argument) for argument in args[:2])
            left, right = self.sorted((left, right))
            args = (self._signed(data, minus != other_minus, left), right, args[2])
        return self.terms.make("call", (name, data), args)

    # Conversions

    def cast(self, value: Term, source: ir.Scalar, target: ir.Scalar) -> Term:
        if source == target:
            return value
        if source.is_float and target.is_float:
            return self.cast_float(f"{source} {target}", (value,))
        if source.is_float:
            if target.kind == "b":
                zero = self.real(0.0, str(source))
                return self.compare("ne", source, (value, zero))
            return self.to_integer(str(target), (value,))
        if source.kind == "b":
            one, zero = self.constant(1, target), self.constant(0, target)
            return self.select(str(target), (value, one, zero))
        if target.is_float:
            return self.to_float(str(target), (value,))
        if target.kind == "b":
            return self.negated("", (self.zero("", (value,)),))
        return self.cast_integer(value, source, target)

    def cast_integer(self, value: Term, source: ir.Scalar, target: ir.Scalar) -> Term:
        if target.kind == "u":
            if source.kind == "u" and source.bits <= target.bits:
                return value
            return self.wrapped(str(target), (value,))
        if source.bits < target.bits or (source.kind == "i" and source.bits == target.bits):
            return value
        if value.kind == "int":
            return self.terms.integer(int(converted(value.data, target)))
        if value.kind == "wrap" and ir.SCALARS[value.data].bits == target.bits:
            self.assumptions.add(INTEGER_OVERFLOW)
            return value.args[0]
        return self.terms.make("narrow", str(target), (value,))

    def cast_float(self, data: str, args: Arguments) -> Term:
        (value,) = args
        source, target = (ir.SCALARS[name] for name in data.split())
        number = self.number(value)
        if number is not None:
            return self.real(float(rounded(number, target)), str(target))
        if value.kind == "cast":
            origin, middle = (ir.SCALARS[name] for name in value.data.split())
            if middle.bits > origin.bits:  # nothing was lost on the way
                return self.cast(value.args[0], origin, target)
        return self.terms.make("cast", f"{source} {target}", args)

    def to_float(self, data: str, args: Arguments) -> Term:
        (value,) = args
        if value.kind == "int":
            return self.real(float(rounded(value.data, ir.SCALARS[data])), data)
        return self.terms.make("float", data, args)

    def to_integer(self, data: str, args: Arguments) -> Term:
        (value,) = args
        number = self.number(value)
        if number is not None:
            try:
                return self.terms.integer(int(converted(number, ir.SCALARS[data])))
            except InterpretationError:
                pass
        return self.terms.make("truncated", data, args)

    def combined(self, value: Term, carried: Term) -> Iterator[tuple[str, Term]]:
        """(operation, v) where a value is the carried one combined with v, in a way that does not depend on
        the order of many v: a minimum or a maximum, in whose second argument a NaN is dropped."""
        if value.kind == "call" and value.data[0] in ("min", "max") and value.args[0] is carried:
            yield value.data[0], value.args[1]
