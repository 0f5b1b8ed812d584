# SPDX-License-Identifier: Apache-2.0
"""What names stand for inside a loop nest: integers as polynomials, pointers as an array and an index."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.visit import walk
from heddle.lift import polynomial
from heddle.lift.lifted import refuse
from heddle.lift.polynomial import Polynomial

LARGEST_INT = 2**31 - 1
LARGEST_FACTOR = 2**16
"""Products with a larger number are hashes, which rely on wrapping."""


@dataclass(frozen=True)
class Digits:
    """A counter that numbers the cells of a box: counter = sum of symbols[m] * strides[m]. Below `extents[m]`
    each, so that `/` and `%` by strides give them back."""

    counter: ir.Symbol
    symbols: tuple[ir.Symbol, ...]
    strides: tuple[Polynomial, ...]
    extents: tuple[Polynomial, ...]

    def divided(self, value: Polynomial, by: Polynomial) -> tuple[Polynomial, Polynomial] | None:
        """Quotient and remainder as C++ has them, if the digits tell."""
        quotient, low = Polynomial(), Polynomial()
        expected = polynomial.polynomial(1)
        for symbol, extent in zip(self.symbols, self.extents, strict=True):
            factor = value.coefficient(symbol)
            if factor == Polynomial():
                continue
            multiple, rest = factor.divided(by)
            if rest == Polynomial():
                quotient += polynomial.atom(symbol) * multiple
                continue
            if factor != expected or quotient != Polynomial():
                return None
            low += polynomial.atom(symbol) * factor
            expected = factor * extent
        if low == Polynomial() or expected != by or value != quotient * by + low:
            return None
        return quotient, low


@dataclass
class Scope:
    """Names of a function or nest. ranges: first and last value of counters whose bounds are numbers. spans:
    those of all counters. computed: names of values that are computed in the cell."""

    known: dict[ir.Expression, Polynomial] = field(default_factory=dict)
    views: dict[str, tuple[ir.Symbol, Polynomial, Polynomial]] = field(default_factory=dict)
    ranges: dict[ir.Expression, tuple[int, int]] = field(default_factory=dict)
    spans: dict[ir.Expression, tuple[Polynomial, Polynomial]] = field(default_factory=dict)
    digits: tuple[Digits, ...] = ()
    variables: set[str] = field(default_factory=set)
    computed: set[ir.Expression] = field(default_factory=set)
    place: Place = field(default_factory=lambda: Place("", 0))
    assumptions: list[str] = field(default_factory=list)

    def inner(self) -> Scope:
        """A copy for an inner block; what it assumes is noted outside, too."""
        return dataclasses.replace(
            self,
            known=dict(self.known),
            views=dict(self.views),
            ranges=dict(self.ranges),
            spans=dict(self.spans),
        )

    def polynomial(self, expression: ir.Expression) -> Polynomial:
        try:
            return polynomial.read(expression, self.known, self.narrow, self.divided, self.computed)
        except polynomial.TooManyTermsError:
            raise polynomial.TooManyTermsError(self.place) from None

    def narrow(self, value: Polynomial, product: bool) -> None:
        """A value is computed in 32 bits."""
        if value.atoms <= self.ranges.keys():
            ends = {
                atom: polynomial.polynomial(self.ranges[atom][positive(value.coefficient(atom))])
                for atom in value.atoms
            }
            largest = value.substitute(ends).constant
            if largest is not None and largest > LARGEST_INT:
                raise refuse(
                    self.place,
                    f"The index reaches {largest}, which overflows the 32 bits in which it is computed.",
                    "compute it in std::int64_t or std::size_t",
                )
        elif product:
            note = f"{self.place}: products of extents fit into the 32 bits that indices are computed in"
            if not any(known.endswith(note.partition(": ")[2]) for known in self.assumptions):
                self.assumptions.append(note)

    def check_wrap(self, expression: ir.Expression) -> None:
        """An unsigned number below 0 is a large one. As an index it would leave its array; where its value
        counts, it must not be negative in any cell: else it is refused. Of arguments that is assumed."""
        value = least = self.polynomial(expression)
        for counter, (first, last) in self.spans.items():
            factor = least.coefficient(counter)
            if factor == Polynomial():
                continue
            if factor.constant is None:
                raise self.wraps(value)
            least = least.substitute({counter: first if factor.constant > 0 else last})
        factors = [factor for monomial, factor in least.terms.items() if monomial]
        if max(factors, default=0) > LARGEST_FACTOR or (not factors and least.number < 0):
            raise self.wraps(value)
        if min(least.terms.values(), default=0) >= 0:
            if not (isinstance(expression, ir.Cast) and any(_is_signed(own) for own in least.atoms)):
                return
        elif least != value:
            raise self.wraps(value)
        note = f"{self.place}: {value} is not negative"
        if note not in self.assumptions:
            self.assumptions.append(note)

    def wraps(self, value: Polynomial) -> KernelError:
        return refuse(
            self.place,
            f"The unsigned value {value} may wrap around: below 0 it is a large number.",
            "compute it in a signed type",
        )

    def divided(self, name: str, value: Polynomial, by: Polynomial) -> Polynomial | None:
        for digits in self.digits if name in ("div", "rem") else ():
            found = digits.divided(value, by)
            if found is not None:
                return found[name == "rem"]
        return None

    def element(self, load: ir.Load) -> tuple[ir.Symbol, Polynomial]:
        """The array that a load or store touches, and the index in it."""
        index = self.polynomial(load.index)
        return self.located(load.pointer, index)

    def located(self, pointer: ir.Symbol, index: Polynomial) -> tuple[ir.Symbol, Polynomial]:
        while pointer.name in self.views:
            pointer, offset, stride = self.views[pointer.name]
            index = offset + stride * index
        return pointer, index

    def names(self, statement: ir.Statement) -> bool:
        """Take over a Let that names a pointer or an index; False for values that stay in the kernel."""
        if not isinstance(statement, ir.Let):
            return False
        symbol, value = statement.symbol, statement.value
        self.place = statement.place
        if isinstance(value, ir.View):
            pointer, offset = self.located(value.pointer, self.polynomial(value.offset))
            self.views[symbol.name] = pointer, offset, self.polynomial(value.stride)
            return True
        if not (isinstance(symbol.type, ir.Scalar) and symbol.type.kind in "iu"):
            return False
        found = self.polynomial(value)
        if any(not isinstance(atom, ir.Symbol) or atom.name in self.variables for atom in found.atoms):
            return False
        self.known[symbol] = found
        return True


def is_unsigned(value: ir.Expression) -> bool:
    """Whether a value is a number that wraps around at 0. An element of an array has wrapped already."""
    kind = value.type
    return isinstance(kind, ir.Scalar) and kind.kind == "u" and isinstance(value, (ir.Op, ir.Cast, ir.Symbol))


def _is_signed(value: ir.Expression) -> bool:
    return isinstance(value.type, ir.Scalar) and value.type.kind == "i"


def positive(factor: Polynomial) -> int:
    return int((factor.constant or 0) > 0)


def digits_of(loop: ir.Loop, scope: Scope, total: Polynomial) -> Digits | None:
    """How a counter is decoded by `/` and `%`: the strides are what it is divided by."""
    found: dict[Polynomial, None] = {}
    strides: dict[ir.Expression, Polynomial] = {loop.counter: polynomial.polynomial(1)}

    def stride(value: ir.Expression) -> Polynomial | None:
        match value:
            case ir.Cast(inner):
                return stride(inner)
            case ir.Op("div" | "rem" as name, (left, right)):
                base = stride(left)
                if base is None:
                    return None
                found[base * scope.polynomial(right)] = None
                return base * scope.polynomial(right) if name == "div" else base
            case ir.Op("shr", (left, ir.Const(int(bits)))) if 0 <= bits < 63:
                return stride(ir.Op("div", (left, ir.Const(1 << bits, ir.I64)), value.type))
            case ir.Op("bitand", (left, ir.Const(int(mask)))) if mask > 0 and not mask & (mask + 1):
                return stride(ir.Op("rem", (left, ir.Const(mask + 1, ir.I64)), value.type))
            case ir.Op("sub", (left, _)):
                return stride(left)
        return strides.get(value)

    lets = [s for s in walk(loop.body) if isinstance(s, ir.Let)]
    for let in lets:
        if (own := stride(let.value)) is not None:
            strides[let.symbol] = own
    for node in walk(loop.body):
        if isinstance(node, ir.Op) and node.name in ("div", "rem", "shr", "bitand"):
            stride(node)
    if not found or any(p.constant is not None and p.constant <= 4 for p in found):
        return None  # `% 2` is a colour
    one = polynomial.polynomial(1)
    ordered = [one, *sorted((p for p in found if p != one and p != total), key=lambda p: p.order)]
    extents: list[Polynomial] = []
    for small, large in zip(ordered, [*ordered[1:], total], strict=True):
        extent, rest = large.divided(small)
        if rest != Polynomial():
            return None
        extents.append(extent)
    symbols = tuple(ir.Symbol(f"{loop.counter.name}_{m}", ir.I64) for m in range(len(ordered)))
    return Digits(loop.counter, symbols, tuple(ordered), tuple(extents))


def counters_in(value: Polynomial, counters: Sequence[ir.Symbol]) -> list[ir.Symbol]:
    """The counters that a polynomial contains, also inside its atoms."""
    inside = {node for atom in value.atoms for node in walk(atom)}
    return [counter for counter in counters if counter in inside]
