# SPDX-License-Identifier: Apache-2.0
"""The cube root: x = 2^(3 q + j) m, and Halley's iteration for m^(-1/3)."""

from __future__ import annotations

import math

from heddle.ir.mathematics.coefficients import CBRT_2, INVERSE_CBRT
from heddle.ir.mathematics.definition import (
    Body,
    Definition,
    add,
    both,
    fma,
    less,
    magnitude,
    mul,
    neg,
    operation,
    select,
    sub,
)
from heddle.ir.nodes import U32, Const, Scalar, Symbol


def cbrt(real: Scalar) -> Definition:
    """The cube root."""
    body = Body(real)
    x = Symbol("x", real)
    bits, bias = body.mantissa_bits, body.bias
    zero, one = body.number(0.0), body.number(1.0)
    size = body.let("size", magnitude(x))
    away = 54 if real.bits == 64 else 24
    body.comment("|x| = 2^k m with 1 <= m < 2; subnormal numbers are made normal first.")
    tiny = body.let("is_subnormal", less(size, body.number(2.0 ** (1 - bias))))
    word = body.let("word", body.bits(select(tiny, mul(size, body.number(2.0**away)), size)))
    fraction = operation("bitand", word, body.word((1 << bits) - 1))
    m = body.let("m", body.from_bits(add(fraction, body.word(bias << bits))))
    whole = 2.0**bits
    exponent = operation("shr", word, Const(bits, U32))
    biased = body.let("biased", body.from_bits(add(exponent, body.word(body.bits_of(whole)))))
    offset = select(tiny, body.number(whole + bias + away), body.number(whole + bias))
    k = body.let("k", sub(biased, offset))

    body.comment("k = 3 q + j with j = -1, 0 or 1, and a = 2^j m.")
    shift = body.number(1.5 * 2.0 ** (body.digits - 1) + bias)
    near = body.let("near", fma(k, body.number(1 / 3), shift))
    q = body.let("q", sub(near, shift))
    j = body.let("j", fma(q, body.number(-3.0), k))
    is_less, is_more = body.let("is_less", less(j, zero)), body.let("is_more", less(zero, j))
    scaled = [mul(m, body.number(factor)) for factor in (0.5, 2.0)]
    a = body.let("a", select(is_less, scaled[0], select(is_more, scaled[1], m)))
    root = CBRT_2[real.bits]
    factors = [body.number(number) for number in root]
    factor = body.let("factor", select(is_less, factors[0], select(is_more, factors[1], one)))

    body.comment("w next to a^(-1/3), then Halley's iteration: its error becomes the cube.")
    p = body.polynomial("p", m, INVERSE_CBRT[real.bits])
    guess = body.let("guess", mul(p, factor))
    e = body.let("e", fma(neg(mul(a, guess)), mul(guess, guess), one))
    step = mul(e, fma(e, body.number(2 / 9), body.number(1 / 3)))
    w = body.let("w", fma(guess, step, guess))

    body.comment("a w^2 is the cube root; what its cube lacks corrects it.")
    square = body.let("w_square", mul(w, w))
    t = body.let("t", mul(a, square))
    t_square = body.let("t_square", mul(t, t))
    t_square_low = body.let("t_square_low", fma(t, t, neg(t_square)))
    lacking = body.let("lacking", fma(neg(t_square_low), t, fma(neg(t_square), t, a)))
    result = body.let("root", fma(mul(lacking, square), body.number(1 / 3), t))
    value = body.let("value", mul(result, body.exponent_of(body.bits(near))))
    is_usual = both(less(zero, size), less(size, body.number(math.inf)))
    signed = body.with_sign(value, x)
    return body.defined("cbrt", "The cube root.", [x], select(is_usual, signed, x))
