# SPDX-License-Identifier: Apache-2.0
"""Numbers as a type holds them: what a value is rounded to, what a literal is, what a cast gives."""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from heddle.ir import nodes as ir
from heddle.ir.functions import OPERATORS

Number = int | float | bool
_FORMATS = {16: ("e", 11, -24, 65504.0), 32: ("f", 24, -149, (2 - 2.0**-23) * 2.0**127)}


class InterpretationError(Exception):
    """A kernel does what has no meaning."""


def rounded(value: Number | Fraction, scalar: ir.Scalar) -> Number:
    """The number of a type nearest to a value, ties to even. Unsigned integers wrap."""
    kind, bits = scalar.kind, scalar.bits
    if kind == "f":
        return _nearest(value, bits)
    if kind == "b":
        return bool(value)
    if kind == "u":
        return int(value) & (1 << bits) - 1
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise InterpretationError(f"{value} is out of the range of {scalar}")
    return int(value)


@functools.cache
def rounding(scalar: ir.Scalar) -> Callable[[Any], Number]:
    """`rounded` to a type; at once where nothing is to be done, or where C does it."""
    if scalar == ir.F64:
        return lambda value: value if type(value) is float else rounded(value, scalar)
    if scalar.kind == "f":
        return functools.partial(_rounded_in_c, struct.Struct(_FORMATS[scalar.bits][0]), scalar)
    if scalar.kind == "b":
        return bool
    if scalar.kind == "u":
        mask = (1 << scalar.bits) - 1
        return lambda value: int(value) & mask
    low, beyond = -(1 << scalar.bits - 1), 1 << scalar.bits - 1
    return lambda value: value if type(value) is int and low <= value < beyond else rounded(value, scalar)


def _rounded_in_c(form: struct.Struct, scalar: ir.Scalar, value: Number | Fraction) -> Number:
    if type(value) is not float:
        return rounded(value, scalar)
    try:
        return float(form.unpack(form.pack(value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _nearest(value: Number | Fraction, bits: int) -> float:
    if isinstance(value, float):
        if bits == 64:
            return value
        code, *_ = _FORMATS[bits]
        try:
            return float(struct.unpack(code, struct.pack(code, value))[0])
        except OverflowError:
            return math.copysign(math.inf, value)
    exact = Fraction(value)
    _, digits, lowest, largest = _FORMATS.get(bits, ("d", 53, -1074, math.inf))
    if not exact:
        return 0.0
    size = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent = size if abs(exact) >= Fraction(2) ** size else size - 1
    unit = Fraction(2) ** max(exponent - digits + 1, lowest)
    try:
        near = float(round(abs(exact) / unit) * unit)
    except OverflowError:
        near = math.inf
    return math.copysign(near if near <= largest else math.inf, -1.0 if exact < 0 else 1.0)


def constant(value: Number | Fraction, scalar: ir.Scalar) -> Number:
    """A literal as it is emitted: a rational whose denominator is no power of two is a quotient."""
    if scalar.is_float and isinstance(value, Fraction) and value.denominator & (value.denominator - 1):
        above, below = (_nearest(float(part), scalar.bits) for part in (value.numerator, value.denominator))
        return _nearest(OPERATORS["div"].meaning(above, below), scalar.bits)
    return rounded(float(value) if scalar.is_float else value, scalar)


def converted(value: Number, scalar: ir.Scalar) -> Number:
    """A cast: floats to integers truncate, integers to narrower ones wrap, everything else rounds."""
    if scalar.is_float or scalar.kind == "b":
        return rounded(value, scalar)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InterpretationError(f"{value} has no {scalar} representation")
        return rounded(math.trunc(value), scalar)
    span = 1 << scalar.bits
    wrapped = int(value) % span
    return wrapped - span if scalar.kind == "i" and wrapped >= span // 2 else wrapped
