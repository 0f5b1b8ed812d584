# SPDX-License-Identifier: Apache-2.0
"""Integer polynomials: what subscripts, loop bounds and strides are made of.

The unknowns are atoms of the IR: counters, integer arguments, and integer expressions that no polynomial
describes, such as `index[i]` or `id / nx`. Arithmetic is exact: that an index does not wrap around is an
assumption, which the caller reports (`narrow`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from heddle.ir import nodes as ir
from heddle.ir.build import add, integer, multiply
from heddle.ir.functions import OPERATORS
from heddle.ir.text import expression as text

Monomial = tuple[ir.Expression, ...]
"""Atoms with multiplicity, in the order of their text."""


@dataclass(frozen=True)
class Polynomial:
    """A sum of integer multiples of monomials; a monomial with coefficient 0 is not listed."""

    terms: Mapping[Monomial, int] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __add__(self, other: Polynomial | int) -> Polynomial:
        terms = dict(self.terms)
        for monomial, factor in polynomial(other).terms.items():
            terms[monomial] = terms.get(monomial, 0) + factor
        return Polynomial({monomial: factor for monomial, factor in terms.items() if factor})

    def __neg__(self) -> Polynomial:
        return Polynomial({monomial: -factor for monomial, factor in self.terms.items()})

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self + -polynomial(other)

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        result = Polynomial()
        for left, a in self.terms.items():
            for right, b in polynomial(other).terms.items():
                result += Polynomial({_monomial((*left, *right)): a * b})
        return result

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

    @cached_property
    def atoms(self) -> frozenset[ir.Expression]:
        return frozenset(atom for monomial in self.terms for atom in monomial)

    @property
    def order(self) -> tuple[int, int]:
        """How large it is as a stride: its degree, then its largest leading coefficient."""
        degree = max((len(monomial) for monomial in self.terms), default=0)
        leading = [abs(f) for monomial, f in self.terms.items() if len(monomial) == degree]
        return degree, max(leading, default=0)

    def coefficient(self, atom: ir.Expression) -> Polynomial:
        """What the first power of an atom is multiplied by."""
        found = {
            tuple(other for other in monomial if other is not atom): factor
            for monomial, factor in self.terms.items()
            if monomial.count(atom) == 1
        }
        return Polynomial(found)

    def is_linear_in(self, atom: ir.Expression) -> bool:
        return all(monomial.count(atom) <= 1 for monomial in self.terms)

    def substitute(self, values: Mapping[ir.Expression, Polynomial]) -> Polynomial:
        """The same with polynomials in place of atoms."""
        if not self.atoms & values.keys():
            return self
        result = Polynomial()
        for monomial, factor in self.terms.items():
            product = polynomial(factor)
            for atom in monomial:
                product *= values.get(atom, Polynomial({(atom,): 1}))
            result += product
        return result

    def divided(self, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Quotient and remainder, such that self = quotient * divisor + remainder and no term of the
        remainder is a multiple of the divisor's leading term. Between numbers the quotient is the nearest
        integer, so that remainders are small: offsets, not wrapped ones."""
        number, by = self.constant, divisor.constant
        if by is not None:
            if number is None and by in (1, -1):
                return self * by, Polynomial()
            quotients = {m: _nearest(f, by) for m, f in self.terms.items()}
            quotient = Polynomial({m: f for m, f in quotients.items() if f})
            return quotient, self - quotient * divisor
        leading = max(divisor.terms, key=lambda monomial: (len(monomial), _text(monomial)))
        quotient, remainder = Polynomial(), self
        for _ in range(32):  # each round removes a leading term; strides have few
            step = next((q for m, f in remainder.ordered() if (q := _divide(m, f, leading, divisor))), None)
            if step is None:
                return quotient, remainder
            quotient, remainder = quotient + step, remainder - step * divisor
        return Polynomial(), self

    def ordered(self) -> list[tuple[Monomial, int]]:
        """Terms, highest degree first."""
        return sorted(self.terms.items(), key=lambda term: (-len(term[0]), _text(term[0])))

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
            names += [_name(atom) for atom in monomial]
            sign = "-" if factor < 0 else "+"
            parts += [sign, "*".join(names)]
        if not parts:
            return "0"
        return " ".join(parts[1:] if parts[0] == "+" else [parts[0] + parts[1], *parts[2:]])


def polynomial(value: Polynomial | int) -> Polynomial:
    """A number as a polynomial."""
    if isinstance(value, Polynomial):
        return value
    return Polynomial({(): value} if value else {})


def atom(expression: ir.Expression) -> Polynomial:
    """An unknown."""
    return Polynomial({(expression,): 1})


def read(
    expression: ir.Expression,
    known: Mapping[ir.Expression, Polynomial],
    narrow: Callable[[Polynomial, bool], None],
    divided: Callable[[str, Polynomial, Polynomial], Polynomial | None],
) -> Polynomial:
    """An integer expression as a polynomial; `known` names are replaced, what is no polynomial becomes an
    atom. narrow: told what is computed in 32 bits, and whether it is a product of unknowns. divided: what
    "div" or "rem" of two polynomials is, where that is known."""

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


def common(polynomials: Iterable[Polynomial]) -> Polynomial:
    """The part that is not a number, of polynomials that differ by numbers only."""
    first = next(iter(polynomials))
    return first - first.number


def _is_integer(value: ir.Expression) -> bool:
    return isinstance(value.type, ir.Scalar) and value.type.kind in "iu"


def _monomial(atoms: Monomial) -> Monomial:
    return tuple(sorted(atoms, key=_name))


def _name(expression: ir.Expression) -> str:
    return text(expression)


def _text(monomial: Monomial) -> tuple[str, ...]:
    return tuple(map(_name, monomial))


def _nearest(value: int, by: int) -> int:
    """value / by, rounded to the nearest integer, ties towards zero."""
    quotient, remainder = divmod(abs(value), abs(by))
    quotient += 2 * remainder > abs(by)
    return quotient if (value < 0) == (by < 0) else -quotient


def _divide(monomial: Monomial, factor: int, leading: Monomial, divisor: Polynomial) -> Polynomial | None:
    """The multiple of a divisor that has this term as its leading one, if there is one."""
    rest = list(monomial)
    for wanted in leading:
        if wanted not in rest:
            return None
        rest.remove(wanted)
    by = divisor.terms[leading]
    return Polynomial({tuple(rest): factor // by}) if factor % by == 0 else None
