# SPDX-License-Identifier: Apache-2.0
"""tanh(x): a polynomial next to 0, 1 - 2 / (e^(2 |x|) + 1) elsewhere."""

from __future__ import annotations

from heddle.ir.mathematics.coefficients import EXP, LN2, LOG2E, TANH
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
from heddle.ir.nodes import Scalar, Symbol


def tanh(real: Scalar) -> Definition:
    """The hyperbolic tangent."""
    body = Body(real)
    x = Symbol("x", real)
    size = body.let("size", magnitude(x))
    body.comment("Next to 0: |x| + |x|^3 t.")
    z = body.let("z", mul(size, size))
    t = body.polynomial("t", z, TANH[real.bits])
    small = body.let("small", fma(mul(size, z), t, size))
    body.comment("Elsewhere, by e^(2 |x|) = 2^n (1 + r p); what is larger than the limit gives 1.")
    limit = body.number(20.0 if real.bits == 64 else 10.0)
    limited = body.let("limited", select(less(limit, size), limit, size))
    double = body.let("double_size", add(limited, limited))
    offset = body.number(1.5 * 2.0 ** (body.digits - 1) + body.bias)
    near = body.let("near", fma(double, body.number(LOG2E[real.bits][0]), offset))
    n = body.let("n", sub(near, offset))
    high, low = (body.number(-part) for part in LN2[real.bits])
    r = body.let("r", fma(n, low, fma(n, high, double)))
    p = body.polynomial("p", r, (1.0, *EXP[real.bits]))
    power = body.let("power", body.exponent_of(body.bits(near)))
    exp = body.let("exp", fma(mul(power, r), p, power))
    body.comment("d = e^(2 |x|) + 1 and the quotient in two parts: next to 0.55 their errors count most.")
    one, two = body.number(1.0), body.number(2.0)
    d = body.let("d", add(exp, one))
    d_low = body.let("d_low", sub(one, sub(d, exp)))
    q = body.let("q", operation("div", two, d))
    lacking = body.let("lacking", fma(neg(q), d_low, fma(neg(q), d, two)))
    difference = body.let("difference", sub(one, q))
    rest = sub(sub(one, difference), q)
    rest_low = body.let("rest_low", fma(mul(body.number(-0.5), q), lacking, rest))
    large = body.let("large", add(difference, rest_low))
    value = body.let("value", select(less(size, body.number(0.55)), small, large))
    return body.defined("tanh", "The hyperbolic tangent.", [x], body.with_sign(value, x))
