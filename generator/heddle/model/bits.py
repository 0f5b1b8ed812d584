# SPDX-License-Identifier: Apache-2.0
"""Bit operations on integers, for flags and direction masks, and remainders, for colours."""

from __future__ import annotations

import sympy


class bit_and(sympy.Function):
    """`a & b` on unsigned integers."""

    nargs = 2


class remainder(sympy.Function):
    """`a % b` for non-negative integers."""

    nargs = 2


class shift_left(sympy.Function):
    """`a << b` on unsigned integers."""

    nargs = 2


def has_bit(mask: sympy.Expr, bit: int) -> sympy.Ne:
    """True where bit number `bit` of `mask` is set."""
    return sympy.Ne(bit_and(mask, sympy.Integer(1 << bit)), 0)


__all__ = ["bit_and", "has_bit", "remainder", "shift_left"]
