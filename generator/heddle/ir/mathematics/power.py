# SPDX-License-Identifier: Apache-2.0
"""x^y = 2^(y log2(x)), with log2(x) to twelve digits more than its type has: an error there counts a
thousandfold in f64, and a hundredfold in f32."""

from __future__ import annotations

import math

from heddle.ir.mathematics.coefficients import LOG2_TAIL, TWO_OVER_LN2, TWO_THIRDS_OVER_LN2
from heddle.ir.mathematics.definition import (
    Body,
    Definition,
    add,
    cast,
    equal,
    floor,
    fma,
    less,
    magnitude,
    mul,
    neg,
    operation,
    select,
    sub,
)
from heddle.ir.mathematics.exponentials import Scaling, power_of_two
from heddle.ir.mathematics.logarithms import Parts, split
from heddle.ir.nodes import Const, Expression, Scalar, Symbol


def pow(real: Scalar) -> Definition:
    """The power function."""
    body = Body(real)
    x, y = Symbol("x", real), Symbol("y", real)
    size = body.let("size", magnitude(x))
    log = _logarithm(body, size)

    body.comment("y log2(|x|) in two parts; a larger y gives 0, 1 or infinity, too.")
    most = Const(body.bits_of(2.0**65 if real.bits == 64 else 2.0**36), body.signed)
    word = body.let("y_word", cast(body.bits(magnitude(y)), body.signed))
    fewer = body.let("y_limit", select(less(word, most), word, most))
    limited = body.let("y_limited", body.with_sign(body.from_bits(cast(fewer, body.unsigned)), y))
    high = body.let("exponent", mul(limited, log.high))
    low = body.let("exponent_low", fma(limited, log.low, fma(limited, log.high, neg(high))))

    scaling = Scaling(body, high, None, -900.0 if real.bits == 64 else -90.0)
    rest = body.let("rest", add(sub(high, scaling.n), low))
    scaled = scaling.scaled(rest, power_of_two(body, rest, body.balanced))
    least = body.number(-1076.0 if real.bits == 64 else -151.0)
    usual = body.let("usual", select(less(high, least), body.number(0.0), scaled))
    return body.defined("pow", "x^y.", [x, y], _special(body, x, y, size, usual))


def _logarithm(body: Body, x: Expression) -> Parts:
    """log2(x) of a positive number. Its error is that of products of three small parts: 2^-65 in f64."""
    bits = body.real.bits
    k, m = split(body, x)
    body.comment("s = (m - 1) / (m + 1) in two parts.")
    one = body.number(1.0)
    f = body.let("f", sub(m, one))
    d = body.let("d", add(m, one))
    d_low = body.let("d_low", sub(m, sub(d, one)))
    inverse = body.let("inverse", operation("div", one, d))
    s = body.let("s", mul(f, inverse))
    s_low = body.let("s_low", mul(fma(neg(s), d_low, fma(neg(s), d, f)), inverse))
    body.comment("log2(m) = s (c1 + s^2 (c3 + s^2 t)), sums and products in two parts.")
    z = body.let("z", mul(s, s))
    t = body.balanced("t", z, LOG2_TAIL[bits])
    c1, c1_low = (body.number(part) for part in TWO_OVER_LN2[bits])
    c3, c3_low = (body.number(part) for part in TWO_THIRDS_OVER_LN2[bits])
    c = body.let("c", fma(z, t, c3))
    c_low = body.let("c_low", add(fma(z, t, sub(c3, c)), c3_low))
    u = body.let("u", mul(z, c))
    u_low = body.let("u_low", fma(fma(s, s, neg(z)), c, fma(z, c_low, fma(z, c, neg(u)))))
    v = body.let("v", add(c1, u))
    v_low = body.let("v_low", add(add(sub(c1, v), u), add(u_low, c1_low)))
    log_m = body.let("log_m", mul(s, v))
    slope = fma(body.number(2.0), u, v)
    log_m_low = body.let("log_m_low", fma(s_low, slope, fma(s, v_low, fma(s, v, neg(log_m)))))
    high = body.let("log", add(k, log_m))
    low = body.let("log_low", add(add(sub(k, high), log_m), log_m_low))
    return Parts(high, low)


def _special(body: Body, x: Expression, y: Expression, size: Expression, usual: Expression) -> Expression:
    """Zeros and infinities, negative x, NaN; x^0 and 1^y are 1 even then. They come last, where what they
    compare has long been known, and one select after the other, of which compilers make vectors."""
    zero, one, infinity = body.number(0.0), body.number(1.0), body.number(math.inf)
    body.comment("Powers of 0 and of infinity.")
    is_falling = body.let("is_falling", less(y, zero))
    of_zero = body.let("of_zero", select(is_falling, infinity, zero))
    of_infinity = body.let("of_infinity", select(is_falling, zero, infinity))
    value = body.let("of_positive", select(equal(size, zero), of_zero, usual))
    value = body.let("of_size", select(equal(size, infinity), of_infinity, value))
    body.comment("A negative x keeps its sign where y is odd, and has no power where y is no whole number.")
    is_whole = body.let("is_whole", equal(floor(y), y))
    half = body.let("half", mul(body.number(0.5), y))
    sign = body.let("sign", body.sign_of(x))
    of_whole = body.let("sign_of_whole", select(equal(floor(half), half), body.word(0), sign))
    kept = body.let("sign_kept", select(is_whole, of_whole, body.word(0)))
    value = body.let("with_sign", body.from_bits(add(body.bits(value), kept)))
    nan = body.from_bits(body.word(body.bits_of(math.nan)))
    of_finite = body.let("of_finite", select(is_whole, value, nan))
    of_negative = body.let("of_negative", select(equal(size, infinity), value, of_finite))
    value = body.let("of_number", select(less(x, zero), of_negative, value))
    body.comment("NaN stays, but x^0 and 1^y are 1.")
    sum_of_sizes = body.let("sum_of_sizes", add(size, magnitude(y)))
    value = body.let("of_any", select(equal(sum_of_sizes, sum_of_sizes), value, nan))
    value = body.let("to_zero", select(equal(y, zero), one, value))
    return select(equal(x, one), one, value)
