# SPDX-License-Identifier: Apache-2.0
"""sin(x) and cos(x): x = q pi / 2 + r with |r| <= pi / 4, and a polynomial of r for either function.

The quarter turns x 2 / pi are computed in whole numbers, in one way for all numbers (Payne and Hanek, 1983).
x is M 2^E with a whole M. Of the bits of 2 / pi only those matter whose product with 2^E is less than four
turns, and not too small to count: three words, which selects find by the exponent in a constant of 19 words
(f64; 7 in f32). The fraction of a quarter has 126 (62) bits; numbers next to a quarter's end lose 62 (30).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from heddle.ir.mathematics.coefficients import COS, HALF_PI, SIN, TWO_OVER_PI
from heddle.ir.mathematics.definition import (
    Body,
    Definition,
    add,
    fma,
    less,
    magnitude,
    mul,
    neg,
    operation,
    select,
    sub,
)
from heddle.ir.nodes import Expression, Scalar, Symbol


def sin(real: Scalar) -> Definition:
    """The sine."""
    return _defined(real, "sin", "The sine.", lambda body, turns, x: (turns, body.sign_of(x)))


def cos(real: Scalar) -> Definition:
    """The cosine: the sine of a quarter turn more, whatever the sign."""

    def rotated(body: Body, turns: Expression, _: Expression) -> tuple[Expression, Expression]:
        return add(turns, body.word(1)), body.word(0)

    return _defined(real, "cos", "The cosine.", rotated)


Rotation = Callable[[Body, Expression, Expression], tuple[Expression, Expression]]


def _defined(real: Scalar, name: str, about: str, rotation: Rotation) -> Definition:
    """rotation: of the quarter turns and x, the turns to take, and a word with the sign of x or none."""
    body = Body(real)
    x = Symbol("x", real)
    size = body.let("size", magnitude(x))
    reduced = _reduced(body, size)
    body.comment("What is small needs no reduction.")
    small = body.let("is_small", less(size, body.number(0.785)))
    r = body.let("r", select(small, size, reduced.high))
    low = body.let("r_low", select(small, body.number(0.0), reduced.low))
    turns, word = rotation(body, select(small, body.word(0), reduced.turns), x)
    turns = body.let("turns", turns)
    z = body.let("z", mul(r, r))
    half = body.let("half_square", mul(body.number(0.5), z))
    body.comment("sin(r) = r + r^3 s")
    s = body.polynomial("s", z, SIN[real.bits])
    of_low = body.let("of_low", fma(neg(half), low, low))
    sine = body.let("sine", add(r, fma(mul(r, z), s, of_low)))
    body.comment("cos(r) = 1 - r^2 / 2 + r^4 c")
    c = body.polynomial("c", z, COS[real.bits])
    one = body.number(1.0)
    most = body.let("most", sub(one, half))
    rest = body.let("rest", fma(mul(z, z), c, sub(sub(one, most), half)))
    cosine = body.let("cosine", add(most, fma(neg(r), low, rest)))
    body.comment("Each second quarter takes the other one, and half a turn changes the sign.")
    is_odd = operation("ne", operation("bitand", turns, body.word(1)), body.word(0))
    value = body.let("value", select(is_odd, cosine, sine))
    half_turn = body.left(operation("bitand", turns, body.word(2)), real.bits - 2)
    signed = body.let("signed_value", body.from_bits(add(body.bits(value), add(half_turn, word))))
    nan = body.from_bits(body.word(body.bits_of(math.nan)))
    is_finite = less(size, body.number(math.inf))
    return body.defined(name, about, [x], select(is_finite, signed, nan))


@dataclass(frozen=True)
class Reduced:
    """x less so many quarter turns, in two parts."""

    turns: Expression
    high: Expression
    low: Expression


def _reduced(body: Body, x: Expression) -> Reduced:
    """Of a number from 1/2 on."""
    size = body.real.bits
    body.comment("x = M 2^E, and the place in 2 / pi where what counts begins.")
    word = body.let("word", body.bits(x))
    exponent = body.right(word, body.mantissa_bits)
    place = body.let("place", sub(exponent, body.word(body.bias - 1)))
    fraction = operation("bitand", word, body.word((1 << body.mantissa_bits) - 1))
    whole = body.let("m", add(fraction, body.word(1 << body.mantissa_bits)))
    first, second, third = _window(body, place)

    body.comment("The product, modulo four turns: all of it but its last word.")
    m = _Halves.of(body, "m", whole)
    w, v = (_Halves.of(body, name, value) for name, value in (("second", second), ("third", third)))
    low = body.let("low_low", mul(m.low, w.low))
    cross = body.let("cross", add(mul(m.low, w.high), body.upper(low)))
    middle = body.let("middle", add(mul(m.high, w.low), body.lower(cross)))
    over = body.let("over", add(add(mul(m.high, w.high), body.upper(cross)), body.upper(middle)))
    lower = body.let("lower", add(body.left(middle, size // 2), body.lower(low)))
    lost = [body.upper(mul(m.high, v.low)), body.upper(mul(m.low, v.high))]
    tail = body.let("tail", add(mul(m.high, v.high), add(*lost)))
    bottom = body.let("bottom", add(lower, tail))
    carried = body.let("carried", select(less(bottom, lower), add(over, body.word(1)), over))
    top = body.let("top", add(mul(whole, first), carried))

    body.comment("Turns to the nearest quarter, and what is left, in units of a quarter's last bit.")
    turns = body.let("quarters", body.right(add(top, body.word(1 << (size - 3))), size - 2))
    left = body.let("left", add(body.left(top, 2), body.right(bottom, size - 2)))
    below = body.let("below", body.left(bottom, 2))
    middle_bit = 1 << (size // 2 - 1)
    flipped = body.upper(add(left, body.sign_bit()))
    unit = 2.0 ** (size // 2)
    upper = body.let("upper", body.converted(flipped, middle_bit))
    next_one = body.let("next_one", body.converted(body.lower(left), 0))
    last = body.let("last", body.converted(body.lower(below), 0))
    tiny = fma(last, body.number(1 / unit), body.converted(body.upper(below), 0))
    high = body.let("high", fma(upper, body.number(unit), next_one))
    error = body.let("error", add(fma(upper, body.number(unit), neg(high)), next_one))
    rest = body.let("high_low", fma(tiny, body.number(1 / unit), error))

    body.comment("The same as an angle.")
    quarter, quarter_low = (body.number(part * 2.0**-size) for part in HALF_PI[size])
    angle = body.let("angle", mul(high, quarter))
    product_error = fma(high, quarter_low, fma(high, quarter, neg(angle)))
    return Reduced(turns, angle, body.let("angle_low", fma(rest, quarter, product_error)))


@dataclass(frozen=True)
class _Halves:
    """A word as two numbers whose products are words."""

    high: Symbol
    low: Symbol

    @staticmethod
    def of(body: Body, name: str, word: Expression) -> _Halves:
        high = body.let(f"{name}_high", body.upper(word))
        return _Halves(high, body.let(f"{name}_low", body.lower(word)))


def _window(body: Body, place: Expression) -> list[Symbol]:
    """Three words of 2 / pi from a bit on: four whole ones by selects, which are shifted."""
    size, words = body.real.bits, TWO_OVER_PI[body.real.bits]
    step = (len(words) - 3) // 2
    found: list[Expression] = [body.word(word) for word in words]
    last = found[-3:]

    def begins(words: int) -> Symbol:
        bit = operation("bitand", place, body.word(size * words))
        return body.let(f"is_{words}_on", operation("ne", bit, body.word(0)))

    while step:
        on = begins(step)
        kept = range(step + 3)
        found = [body.let(f"w{step}_{i}", select(on, found[i + step], found[i])) for i in kept]
        step //= 2
    shift = body.let("shift", operation("bitand", place, body.word(size - 1)))
    back = body.let("back", sub(body.word(size - 1), shift))
    is_last = begins(len(words) - 3)
    result = []
    for i, name in enumerate(("first", "second", "third")):
        following = body.right(operation("shr", found[i + 1], back), 1)
        word = add(operation("shl", found[i], shift), following)
        result.append(body.let(name, select(is_last, last[i], word)))
    return result
