# SPDX-License-Identifier: Apache-2.0
"""Derivation: the discrete Fourier transform of r complex numbers with few operations.

X_k = sum_j x_j exp(-2 pi i j k / r). A composite r = a b is taken apart by Cooley and Tukey (Math. Comp. 19,
1965) with a = 2 or 4 first; of a prime, sums and differences of x_j and x_{r-j} are formed first, which
leaves half of the real products (Singleton, IEEE Trans. Audio Electroacoust. 17, 1969). Complex numbers are
pairs of real expressions, and every intermediate value has a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import sympy

from heddle.model.assignment import Assignment, Section, Statement


@dataclass(frozen=True)
class Complex:
    """A complex value: two real expressions."""

    re: sympy.Expr
    im: sympy.Expr

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Complex) -> Complex:
        return Complex(self.re - other.re, self.im - other.im)

    def times(self, factor: Complex) -> Complex:
        """The product of two complex values, with four real products."""
        return Complex(self.re * factor.re - self.im * factor.im, self.re * factor.im + self.im * factor.re)


@dataclass
class Derivation:
    """The statements so far. Constants and intermediate values are named as they come."""

    statements: list[Statement] = field(default_factory=list)
    constants: dict[str, sympy.Symbol] = field(default_factory=dict)
    count: dict[str, int] = field(default_factory=dict)

    def section(self, text: str) -> None:
        """A heading for what follows."""
        self.statements.append(Section(text))

    def value(self, name: str, expression: sympy.Expr) -> sympy.Symbol:
        """Name a real value."""
        symbol = sympy.Symbol(name)
        self.statements.append(Assignment(symbol, expression))
        return symbol

    def named(self, name: str, value: Complex) -> Complex:
        """Name a complex value."""
        return Complex(self.value(f"{name}_re", value.re), self.value(f"{name}_im", value.im))

    def constant(self, function: str, angle: Fraction) -> sympy.Symbol:
        """cos or sin of 2 pi times `angle`, rounded once from an exact argument."""
        name = f"{function}_{angle.numerator}_{angle.denominator}"
        if name not in self.constants:
            exact = getattr(sympy, function)(
                2 * sympy.pi * sympy.Rational(angle.numerator, angle.denominator)
            )
            self.constants[name] = self.value(name, sympy.Float(exact.evalf(30), 30))
        return self.constants[name]

    def stage(self, name: str) -> str:
        """A name that no other part has: `even`, `even2`, ..."""
        self.count[name] = self.count.get(name, 0) + 1
        return name if self.count[name] == 1 else f"{name}{self.count[name]}"


def transform(derivation: Derivation, values: Sequence[Complex], name: str) -> list[Complex]:
    """The discrete Fourier transform of `values`. name: what intermediate values are called after."""
    n = len(values)
    if n <= 1:
        return list(values)
    if n == 2:
        return [
            derivation.named(f"{name}_0", values[0] + values[1]),
            derivation.named(f"{name}_1", values[0] - values[1]),
        ]
    first = _first_factor(n)
    return _prime(derivation, values, name) if first == n else _composite(derivation, values, name, first)


def _first_factor(n: int) -> int:
    """4 where it leaves something, else the smallest prime."""
    if n % 4 == 0 and n > 4:
        return 4
    return next(p for p in range(2, n + 1) if n % p == 0)


def _composite(d: Derivation, values: Sequence[Complex], name: str, a: int) -> list[Complex]:
    """n = a b: b transforms of every b-th value, factors exp(-2 pi i j k / n), a transforms of those."""
    n, b = len(values), len(values) // a
    columns: list[list[Complex]] = []
    for j in range(b):
        column = transform(d, values[j::b], d.stage(f"{name}{j}"))
        columns.append([_turned(d, column[k], Fraction(j * k, n) % 1, f"{name}{j}_{k}") for k in range(a)])
    result: list[Complex] = [columns[0][0]] * n
    for k in range(a):
        row = transform(d, [column[k] for column in columns], d.stage(f"{name}_row{k}"))
        for q in range(b):
            result[k + a * q] = row[q]
    return result


def _turned(d: Derivation, value: Complex, angle: Fraction, name: str) -> Complex:
    """value exp(-2 pi i angle), without the products that a quarter or an eighth of a turn saves."""
    re, im = value.re, value.im
    match angle:
        case Fraction(numerator=0):
            return value
        case Fraction(numerator=1, denominator=4):
            return Complex(im, -re)
        case Fraction(numerator=1, denominator=2):
            return Complex(-re, -im)
        case Fraction(numerator=3, denominator=4):
            return Complex(-im, re)
    if angle.denominator == 8:
        half = d.constant("cos", Fraction(1, 8))
        quarters = int(angle * 8) // 2
        eighth = d.named(f"{name}t", Complex(half * (re + im), half * (im - re)))
        return _turned(d, eighth, Fraction(quarters, 4), name)
    cos, sin = d.constant("cos", angle), d.constant("sin", angle)
    return d.named(f"{name}t", Complex(cos * re + sin * im, cos * im - sin * re))


def _prime(d: Derivation, values: Sequence[Complex], name: str) -> list[Complex]:
    """An odd prime. X_k and X_{p-k} are the sum and the difference of a part that is even in j and an odd
    one."""
    p, half = len(values), len(values) // 2
    pairs = range(1, half + 1)
    sums = {j: d.named(f"{name}_sum{j}", values[j] + values[p - j]) for j in pairs}
    differences = {j: d.named(f"{name}_dif{j}", values[j] - values[p - j]) for j in pairs}
    total = values[0]
    for j in pairs:
        total = total + sums[j]
    result = [d.named(f"{name}_0", total)] + [values[0]] * (p - 1)
    for k in pairs:
        even, odd = values[0], Complex(sympy.Integer(0), sympy.Integer(0))
        for j in pairs:
            turn = Fraction(j * k % p, p)
            sign = 1 if turn < Fraction(1, 2) else -1
            angle = turn if sign > 0 else 1 - turn
            cos, sin = d.constant("cos", angle), d.constant("sin", angle)
            even = even + Complex(cos * sums[j].re, cos * sums[j].im)
            odd = odd + Complex(sign * sin * differences[j].im, -sign * sin * differences[j].re)
        even, odd = d.named(f"{name}_even{k}", even), d.named(f"{name}_odd{k}", odd)
        result[k] = d.named(f"{name}_{k}", even + odd)
        result[p - k] = d.named(f"{name}_{p - k}", even - odd)
    return result
