# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on terms that keeps the bits: what may be rewritten without changing one result.

Floating point: operands of + and * are sorted (IEEE 754 operations commute), nothing is re-associated;
`a - b` is `a + (-b)`; a sign moves out of products and quotients; a division by a power of two is a product;
`2 * x` is `x + x`; constants are folded with the rounding of their type. `min` and `max` keep the order of
their arguments, which decides what a NaN becomes. Payloads of NaN are no difference. Integers and conditions
are made by the classes above `FloatTerms`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.functions import FUNCTIONS, OPERATORS
from heddle.ir.rounding import InterpretationError, converted, rounded
from heddle.ir.rounding import constant as literal
from heddle.roundtrip.equivalence.conditions import Conditions
from heddle.roundtrip.equivalence.integers import ASSUME_NO_INTEGER_OVERFLOW, Arguments
from heddle.roundtrip.equivalence.terms import Term, Terms

ASSUME_NO_NAN = "no value that is compared for a minimum or maximum is NaN"
ASSUME_INSIDE = "every index that the reference target checks lies inside its array"


class FloatTerms(Conditions):
    """The constructors of terms. assumptions: what they took for granted on the way. associates: whether sums
    may be added up in any order."""

    associates = False

    def __init__(self, terms: Terms, assumptions: set[str]) -> None:
        super().__init__(terms, assumptions)
        self.makers: dict[str, Callable[[Any, Arguments], Term]] = {
            "add": self.add, "mul": self.mul, "div": self.div, "neg": self.neg,
            "lt": self.compare_less, "le": self.compare_less_or_equal, "eq": self.compare_equal,
            "select": self.select, "cast": self.cast_float, "float": self.to_float,
            "truncated": self.to_integer, "le0": self.not_positive, "eq0": self.zero,
            "not": self.negated, "and": self.both, "or": self.either,
            "quotient": self.quotient, "remainder": self.remainder, "wrap": self.wrapped,
            "bitand": self.bitand,
        }  # fmt: skip

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

    def select(self, data: str, args: Arguments) -> Term:
        condition, yes, no = args
        if condition.kind == "bool":
            return yes if condition.data else no
        if yes is no:
            return yes
        if condition.kind == "not":
            return self.select(data, (condition.args[0], no, yes))
        if condition.kind == "lt" and condition.args == (yes, no):
            return self.extremum("min", data, (no, yes))
        if condition.kind == "lt" and condition.args == (no, yes):
            return self.extremum("max", data, (no, yes))
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

    def extremum(self, name: str, data: str, args: Arguments) -> Term:
        """`b < a ? b : a` and its like, which of NaN keep one side only."""
        if ir.SCALARS[data].is_float:
            self.assumptions.add(ASSUME_NO_NAN)
        return self.call(name, data, args)

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
            raise KernelError(
                "equivalent",
                f"the operation '{name}' is not defined on {scalar}.",
                "use a type that supports it",
            )
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
        if name == "opaque":
            return args[0]
        if name == "within":
            self.assumptions.add(ASSUME_INSIDE)
            return args[0]
        scalar = ir.SCALARS[data]
        if not scalar.is_float:
            if name in ("min", "max"):
                return self.extreme("least" if name == "min" else "greatest", args)
            return self.terms.make("call", (name, data), args)
        if FUNCTIONS[name].exact and not (FUNCTIONS[name].definition or FUNCTIONS[name].converts):
            constant = self.folded(name, data, args)
            if constant:
                return constant
        if name in ("min", "max"):
            if args[0] is args[1]:
                return args[0]
            beyond = -math.inf if name == "max" else math.inf
            for known, other in (args, args[::-1]):
                if self.number(known) == beyond:  # then the other one is the result, also where it is NaN
                    return other
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
            self.assumptions.add(ASSUME_NO_INTEGER_OVERFLOW)
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
        the order of many v: a minimum or a maximum, which are NaN if one v is."""
        if value.kind == "call" and value.data[0] in ("min", "max") and value.args[0] is carried:
            yield value.data[0], value.args[1]
