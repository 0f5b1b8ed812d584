# SPDX-License-Identifier: Apache-2.0
"""Reproducible functions: exp, log and so on as expressions of the kernel language, with the same bits on
every target.

Each is a formula of additions, multiplications, fused multiply-adds, selects and bits of numbers, all of
which IEEE 754 rounds in one way; nothing is left to a library. There are no branches and no tables, so that
compilers make vectors of a loop that calls them. heddle/device/math.hpp has their text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from heddle.ir.mathematics.cube_root import cbrt
from heddle.ir.mathematics.definition import Definition
from heddle.ir.mathematics.exponentials import exp, exp2
from heddle.ir.mathematics.hyperbolic import tanh
from heddle.ir.mathematics.logarithms import log, log2
from heddle.ir.mathematics.power import pow
from heddle.ir.mathematics.trigonometry import cos, sin
from heddle.ir.nodes import Scalar

DEFINITIONS: dict[str, Callable[[Scalar], Definition]] = {
    function.__name__: cache(function) for function in (cbrt, cos, exp, exp2, log, log2, pow, sin, tanh)
}
