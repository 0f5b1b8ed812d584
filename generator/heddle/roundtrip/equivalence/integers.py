# SPDX-License-Identifier: Apache-2.0
"""Integers as terms: polynomials over the whole numbers.

What overflows is undefined in C++ where it is signed, and is reduced modulo 2^bits where it is unsigned.
"""

from __future__ import annotations

from heddle.ir import nodes as ir
from heddle.ir.functions import OPERATORS
from heddle.roundtrip.equivalence.division import divided
from heddle.roundtrip.equivalence.terms import Term, Terms

Arguments = tuple[Term, ...]
ASSUME_NO_INTEGER_OVERFLOW = "integer arithmetic does not overflow"


class Integers:
    """The constructors of integers. assumptions: what they took for granted on the way."""

    def __init__(self, terms: Terms, assumptions: set[str]) -> None:
        self.terms, self.assumptions = terms, assumptions

    def key(self, term: Term) -> int:
        """What sorts terms: equal for equal terms."""
        return term.number

    def sorted(self, args: Arguments) -> Arguments:
        return tuple(sorted(args, key=lambda argument: (self.key(argument), argument.number)))

    def polynomial_of(self, term: Term, values: dict[Term, Term]) -> Term:
        polynomials = {atom: self.terms.polynomial(value) for atom, value in values.items()}
        return self.terms.collected(self.terms.polynomial(term).substitute(polynomials))

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
            self.assumptions.add(ASSUME_NO_INTEGER_OVERFLOW)
        return result

    def wrapped(self, data: str, args: Arguments) -> Term:
        """A number modulo 2^bits. Inside sums and products, reducing once is enough."""
        (value,) = args
        bits = ir.SCALARS[data].bits
        inner = {
            atom: atom.args[0]
            for atom in self.terms.polynomial(value).atoms
            if atom.kind == "wrap" and ir.SCALARS[atom.data].bits >= bits
        }
        _, reduced = self.terms.polynomial(self.polynomial_of(value, inner)).floored(1 << bits)
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
