# SPDX-License-Identifier: Apache-2.0
"""e^x and 2^x: x = n ln(2) + r, a polynomial of r, and 2^n put together from its bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from heddle.ir.mathematics.coefficients import EXP, EXP2, LN2, LOG2E
from heddle.ir.mathematics.definition import Body, Definition, add, cast, fma, less, mul, select, sub
from heddle.ir.nodes import Const, Expression, Scalar, Symbol

Polynomial = Callable[[str, Expression, Sequence[float]], Symbol]


def exp(real: Scalar) -> Definition:
    """The exponential function."""
    body = Body(real)
    x = Symbol("x", real)
    scaling = Scaling(body, x, body.number(LOG2E[real.bits][0]), -650.0 if real.bits == 64 else -60.0)
    high, low = (body.number(-part) for part in LN2[real.bits])
    body.comment("x = n ln(2) + r: the first product is exact.")
    exact = body.let("x_reduced", fma(scaling.n, high, x))
    r = body.let("r", fma(scaling.n, low, exact))
    body.comment("e^r = 1 + r p")
    p = body.polynomial("p", r, (1.0, *EXP[real.bits]))
    y = scaling.scaled(r, p)
    zero = less(x, body.number(-746.0 if real.bits == 64 else -104.0))
    return body.defined("exp", "e^x.", [x], select(zero, body.number(0.0), y))


def exp2(real: Scalar) -> Definition:
    """The power of two."""
    body = Body(real)
    x = Symbol("x", real)
    scaling = Scaling(body, x, None, -900.0 if real.bits == 64 else -90.0)
    f = body.let("f", sub(x, scaling.n))
    y = scaling.scaled(f, power_of_two(body, f, body.polynomial))
    zero = less(x, body.number(-1076.0 if real.bits == 64 else -151.0))
    return body.defined("exp2", "2^x.", [x], select(zero, body.number(0.0), y))


def power_of_two(body: Body, f: Expression, polynomial: Polynomial) -> Symbol:
    """(2^f - 1) / f, |f| <= 1/2. polynomial: the form in which it is evaluated."""
    body.comment("2^f = 1 + f p")
    return polynomial("p", f, EXP2[body.real.bits])


class Scaling:
    """The whole number n next to a multiple of x, and 2^n in two factors, of which the second is 2, or tiny
    where the result has too small an exponent for one factor.

    A sum with 1.5 2^52 has its last bit at 1: its bits end with a whole number, here with the biased exponent
    of the first factor. What is larger than any result becomes 2^1024 (1 + r p) with a large r, which is
    infinite.
    """

    def __init__(self, body: Body, x: Expression, factor: Expression | None, smallest: float) -> None:
        self.body = body
        shift = 1.5 * 2.0 ** (body.digits - 1)
        away = 128 if body.digits == 53 else 64
        usual, tiny = body.number(shift + body.bias - 1), body.number(shift + body.bias + away)
        limit = body.bits_of(shift + 2 * body.bias)
        body.comment("n, in the last bits of a number; results without a normal exponent are scaled twice.")
        self.small = body.let("is_small", less(x, body.number(smallest)))
        offset = body.let("offset", select(self.small, tiny, usual))
        near = add(x, offset) if factor is None else fma(x, factor, offset)
        unlimited = body.let("unlimited", cast(body.bits(near), body.signed))
        most = body.let("most", Const(limit, body.signed))
        # With a name of its own it is a minimum for compilers: g++ takes a conversion into the choice.
        limited = body.let("limited", select(less(unlimited, most), unlimited, most))
        self.word = body.let("word", cast(limited, body.unsigned))
        self.n = body.let("n", sub(body.from_bits(self.word), offset))
        self.second = select(self.small, body.number(2.0**-away), body.number(2.0))

    def scaled(self, r: Expression, p: Expression) -> Expression:
        """2^n (1 + r p), of which one sum rounds: a product with a power of two is exact."""
        self.body.comment("2^n (1 + r p)")
        power = self.body.let("power", self.body.exponent_of(self.word))
        return mul(fma(mul(power, r), p, power), self.second)
