# SPDX-License-Identifier: Apache-2.0
"""Integer expressions of the IR as polynomials.

The unknowns are atoms of the IR: counters, integer arguments, and integer expressions that no polynomial
describes, such as `index[i]` or `id / nx`. Arithmetic is exact (`heddle.ir.polynomial`): that an index does
not wrap around is an assumption, which the caller reports (`narrow`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.build import add, integer, multiply
from heddle.ir.functions import OPERATORS
from heddle.ir.polynomial import IntegerPolynomial
from heddle.ir.text import expression as text
from heddle.ir.visit import walk

MOST_TERMS = 2000


class TooManyTermsError(KernelError):
    """A product of sums that nobody writes as an index: it would fill the memory."""

    def __init__(self, where: Place | str = "an index") -> None:
        super().__init__(
            where,
            "An integer here expands to too many products.",
            "compute it before the loop, and pass it as an argument",
        )


class Polynomial(IntegerPolynomial[ir.Expression]):
    """A polynomial in expressions, sorted by their text."""

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        if isinstance(other, Polynomial) and len(self.terms) * len(other.terms) > MOST_TERMS:
            raise TooManyTermsError
        return super().__mul__(other)

    @staticmethod
    def key(atom: ir.Expression) -> str:
        return text(atom)

    def expression(self) -> ir.Expression:
        """The polynomial as an index expression of type i64: what is added first, numbers last."""
        result: ir.Expression = integer(0)
        for monomial, factor in sorted(self.ordered(), key=lambda term: (not term[0], term[1] < 0)):
            product: ir.Expression = integer(factor)
            for atom in monomial:
                product = multiply(product, atom if atom.type == ir.I64 else ir.Cast(atom, ir.I64))
            result = add(result, product)
        return result

    def __str__(self) -> str:
        parts: list[str] = []
        for monomial, factor in sorted(self.ordered(), key=lambda term: (not term[0], term[1] < 0)):
            names = [str(abs(factor))] if abs(factor) != 1 or not monomial else []
            names += [text(atom) for atom in monomial]
            sign = "-" if factor < 0 else "+"
            parts += [sign, "*".join(names)]
        if not parts:
            return "0"
        return " ".join(parts[1:] if parts[0] == "+" else [parts[0] + parts[1], *parts[2:]])


def polynomial(value: Polynomial | int) -> Polynomial:
    """A number as a polynomial."""
    return Polynomial.of_number(value) if isinstance(value, int) else value


def atom(expression: ir.Expression) -> Polynomial:
    """An unknown."""
    return Polynomial.of_atom(expression)


def read(
    expression: ir.Expression,
    known: Mapping[ir.Expression, Polynomial],
    narrow: Callable[[Polynomial, bool], None],
    divided: Callable[[str, Polynomial, Polynomial], Polynomial | None],
    computed: Container[ir.Expression] = (),
) -> Polynomial:
    """An integer expression as a polynomial; `known` names are replaced, what is no polynomial becomes an
    atom. narrow: told what is computed in 32 bits, and whether it is a product of unknowns. divided: what
    "div" or "rem" of two polynomials is, where that is known. computed: names of what is no index: cut to 32
    bits it may become another number."""

    def of(value: ir.Expression) -> Polynomial:
        result = polynomial_of(value)
        if isinstance(value, ir.Op) and value.type == ir.I32 and value.name in ("add", "mul"):
            narrow(result, value.name == "mul" and all(of(factor).constant is None for factor in value.args))
        return result

    def polynomial_of(value: ir.Expression) -> Polynomial:
        match value:
            case _ if value in known:
                return known[value]
            case ir.Const(int(number)):
                return polynomial(int(number))
            case ir.Cast(inner, ir.Scalar(bits=32)) if _is_cut(inner, computed):
                return atom(value)
            case ir.Cast(inner, ir.Scalar(kind="i" | "u", bits=32 | 64)) if _is_integer(inner):
                return of(inner)
            case ir.Op("add", (left, right)):
                return of(left) + of(right)
            case ir.Op("sub", (left, right)):
                return of(left) - of(right)
            case ir.Op("neg", (inner,)):
                return -of(inner)
            case ir.Op("mul", (left, right)):
                return of(left) * of(right)
            case ir.Op("shl", (left, ir.Const(int(bits)))) if 0 <= bits < 63:
                return of(left) * (1 << int(bits))
            case ir.Op("div" | "rem" | "bitand" | "shr" as name, (left, right)):
                one, other = of(left), of(right)
                numbers = one.constant, other.constant
                if None not in numbers and (other.constant or name in ("bitand", "shr")):
                    return polynomial(int(OPERATORS[name].meaning(*numbers)))
                found = divided(*_as_division(name, one, other))
                if found is not None:
                    return found
        return atom(value)

    return of(expression)


def _as_division(name: str, value: Polynomial, by: Polynomial) -> tuple[str, Polynomial, Polynomial]:
    """Shifts and masks of what is not negative, as quotients and remainders of powers of two."""
    number = by.constant
    if name == "shr" and number is not None and 0 <= number < 63:
        return "div", value, polynomial(1 << number)
    if name == "bitand" and number is not None and number > 0 and not number & (number + 1):
        return "rem", value, polynomial(number + 1)
    return name, value, by


def _is_cut(value: ir.Expression, computed: Container[ir.Expression]) -> bool:
    """Whether a value may need the bits that a conversion to 32 drops: it is loaded, computed, or large."""

    def exceeds(node: object) -> bool:
        match node:
            case ir.Load(type=ir.Scalar(bits=64)):
                return True
            case ir.Const(int(number)):
                return not -(1 << 31) <= number < 1 << 31
            case ir.Symbol(type=ir.Scalar(bits=64)):
                return node in computed
        return False

    return _is_integer(value) and value.type.bits == 64 and any(exceeds(node) for node in walk(value))


def _is_integer(value: ir.Expression) -> bool:
    return isinstance(value.type, ir.Scalar) and value.type.kind in "iu"


def number_of(value: ir.Expression) -> int | None:
    """An integer whose value is known."""
    try:
        return read(value, {}, lambda *_: None, lambda *_: None).constant
    except TooManyTermsError:
        return None
