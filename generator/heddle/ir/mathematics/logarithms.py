# SPDX-License-Identifier: Apache-2.0
"""The logarithms: x = 2^k m with m next to 1, and log(m) = 2 artanh((m - 1) / (m + 1)) as a polynomial."""

from __future__ import annotations

import math
from dataclasses import dataclass

from heddle.ir.mathematics.coefficients import LN2, LOG, LOG2E
from heddle.ir.mathematics.definition import (
    Body,
    Definition,
    add,
    fma,
    less,
    mul,
    operation,
    select,
    sub,
)
from heddle.ir.nodes import U32, Const, Expression, Scalar, Symbol


def log(real: Scalar) -> Definition:
    """The natural logarithm."""
    body = Body(real)
    x = Symbol("x", real)
    k, log_m = _of_mantissa(body, x)
    ln2, rest = LN2[real.bits]
    body.comment("k ln(2) + log(m): the first product is exact, the sum is kept in two parts.")
    k_ln2 = body.let("k_ln2", mul(k, body.number(ln2)))
    high = body.let("high", add(k_ln2, log_m.high))
    low = body.let("low", add(add(sub(k_ln2, high), log_m.high), fma(k, body.number(rest), log_m.low)))
    return body.defined("log", "The natural logarithm.", [x], _special(body, x, add(high, low)))


def log2(real: Scalar) -> Definition:
    """The logarithm to base 2."""
    body = Body(real)
    x = Symbol("x", real)
    k, log_m = _of_mantissa(body, x)
    log2_e, rest = (body.number(part) for part in LOG2E[real.bits])
    body.comment("k + log(m) / ln(2), in two parts.")
    scaled = body.let("scaled", mul(log_m.high, log2_e))
    error = body.let("scaled_low", fma(log_m.high, log2_e, operation("neg", scaled)))
    correction = body.let("correction", fma(log_m.low, log2_e, fma(log_m.high, rest, error)))
    high = body.let("high", add(k, scaled))
    low = body.let("low", add(add(sub(k, high), scaled), correction))
    return body.defined("log2", "The logarithm to base 2.", [x], _special(body, x, add(high, low)))


@dataclass(frozen=True)
class Parts:
    """A number as the sum of a large and a small one."""

    high: Expression
    low: Expression


def split(body: Body, x: Expression) -> tuple[Symbol, Symbol]:
    """k and m of x = 2^k m, sqrt(1/2) <= m < sqrt(2)."""
    bits, bias = body.mantissa_bits, body.bias
    away = body.digits + 1
    smallest = body.bits_of(math.sqrt(0.5))  # the bits of m begin there
    body.comment("x = 2^k m with sqrt(1/2) <= m < sqrt(2); subnormal numbers are made normal first.")
    tiny = body.let("is_subnormal", less(x, body.number(2.0 ** (1 - bias))))
    normal = body.let("normal", mul(x, select(tiny, body.number(2.0**away), body.number(1.0))))
    word = body.let("shifted", add(body.bits(normal), body.word((bias << bits) - smallest)))
    fraction = operation("bitand", word, body.word((1 << bits) - 1))
    m = body.let("m", body.from_bits(add(fraction, body.word(smallest))))
    whole = 2.0**bits  # k + bias as the last bits of this number
    exponent = operation("shr", word, Const(bits, U32))
    biased = body.let("biased", body.from_bits(add(exponent, body.word(body.bits_of(whole)))))
    offset = select(tiny, body.number(whole + bias + away), body.number(whole + bias))
    return body.let("k", sub(biased, offset)), m


def _of_mantissa(body: Body, x: Expression) -> tuple[Symbol, Parts]:
    """k of x = 2^k m, and log(m)."""
    k, m = split(body, x)
    body.comment("log(m) = f - f^2/2 + s (f^2/2 + s^2 p), f = m - 1, s = f / (2 + f), in two parts.")
    f = body.let("f", sub(m, body.number(1.0)))
    s = body.let("s", operation("div", f, add(body.number(2.0), f)))
    z = body.let("z", mul(s, s))
    p = body.polynomial("p", z, LOG[body.real.bits])
    half = body.let("half_square", mul(mul(body.number(0.5), f), f))
    high = body.let("log_m", sub(f, half))
    inner = fma(z, p, half)
    low = body.let("log_m_low", fma(s, inner, sub(sub(f, high), half)))
    return k, Parts(high, low)


def _special(body: Body, x: Expression, usual: Expression) -> Expression:
    """The logarithm of what is no positive number is -infinity at 0 and NaN elsewhere."""
    infinity, zero = body.number(math.inf), body.number(0.0)
    nan = body.from_bits(body.word(body.bits_of(math.nan)))
    value = body.let("usual", usual)
    undefined = select(operation("eq", x, zero), body.number(-math.inf), nan)
    positive = select(operation("eq", x, infinity), infinity, value)
    return select(operation("gt", x, zero), positive, undefined)
