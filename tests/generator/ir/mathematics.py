# SPDX-License-Identifier: Apache-2.0
"""The functions of heddle/device/math.hpp, compiled for this machine, called on NumPy arrays; what they
should be; and the distance."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
from compiled import FLAGS, ROOT, STRICT, run
from heddle.ir.mathematics import DEFINITIONS
from heddle.ir.nodes import F64

ARGUMENTS = {name: len(definition(F64).parameters) for name, definition in DEFINITIONS.items()}
DTYPES: dict[int, Any] = {64: np.float64, 32: np.float32}
WORDS: dict[int, Any] = {64: np.uint64, 32: np.uint32}
DIGITS, SMALLEST = {64: 53, 32: 24}, {64: -1021, 32: -125}
EXACT: dict[str, Callable[..., Any]] = {
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "cos": mpmath.cos,
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x, 2),
    "pow": lambda x, y: x**y,
    "sin": mpmath.sin,
    "tanh": mpmath.tanh,
}
NUMPY: dict[str, Callable[..., Any]] = {
    "cbrt": np.cbrt,
    "cos": np.cos,
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "pow": np.power,
    "sin": np.sin,
    "tanh": np.tanh,
}


HARD: dict[str, list[tuple[float, float]]] = {
    "cbrt": [(-10.0, 10.0)],
    "cos": [(-30.0, 30.0), (-1e6, 1e6)],
    "exp": [(-746.0, 710.0), (-1.0, 1.0), (-104.0, 89.0)],
    "exp2": [(-1076.0, 1025.0), (-1.0, 1.0), (-150.0, 128.0)],
    "log": [(0.0, 3.0), (0.99, 1.01)],
    "log2": [(0.0, 3.0), (0.99, 1.01)],
    "pow": [(-1.0, 30.0), (0.9, 1.1)],
    "sin": [(-30.0, 30.0), (-1e6, 1e6)],
    "tanh": [(0.4, 1.1), (-20.0, 20.0)],
}
"""Where a function is neither 0 nor infinite, and where it is hardest."""
DISTANCE = """
/// How far a float lies from what it should be, in units of the last place of that; infinite where one of
/// them alone is infinite, or NaN.
static double distance(float found, double wanted) {
  if (std::isnan(found) && std::isnan(wanted)) return 0.0;
  if (std::isinf(found)) return found == static_cast<float>(wanted) ? 0.0 : HUGE_VAL;
  const auto exponent = heddle::bits_as<std::uint64_t>(wanted) >> 52U & 0x7ffU;
  const auto least = exponent < 897U ? std::uint64_t{897} : exponent; // of a normal float
  const double unit = heddle::bits_as<double>((least - 23U) << 52U);
  const double away = std::abs(static_cast<double>(found) - wanted) / unit;
  return std::isfinite(away) ? away : HUGE_VAL;
}
"""
LOOP = """
extern "C" void {entry}(const {kind}* x, [[maybe_unused]] const {kind}* y, {kind}* __restrict__ result,
                        long count, int times) {{
  for (int turn = 0; turn < times; ++turn) {{
    for (long i = 0; i < count; ++i) result[i] = {call};
    asm volatile("" ::: "memory");
  }}
}}
"""
ERROR = """
/// The largest of so many floats, of which the first one has these bits.
extern "C" double {name}_error(std::uint32_t word, std::uint32_t step, long count) {{
  double largest = 0.0;
  for (long i = 0; i < count; ++i, word += step) {{
    const auto x = heddle::bits_as<float>(word);
    const double away = distance(heddle::math::{name}(x), std::{name}(static_cast<double>(x)));
    largest = away > largest ? away : largest;
  }}
  return largest;
}}
"""


def library(folder: Path, *options: str) -> ctypes.CDLL:
    """Entries per function and type: ours over an array, exp_64, the library's, std_exp_64, and the error of
    ours over floats, exp_error. options: of the compiler."""
    lines = ['#include "heddle/device/math.hpp"', DISTANCE]
    for name, arguments in ARGUMENTS.items():
        for bits, kind in ((64, "double"), (32, "float")):
            given = "(x[i], y[i])" if arguments == 2 else "(x[i])"
            for entry, call in ((name, "heddle::math::"), (f"std_{name}", "std::")):
                lines.append(LOOP.format(entry=f"{entry}_{bits}", kind=kind, call=f"{call}{name}{given}"))
        if arguments == 1:
            lines.append(ERROR.format(name=name))
    source, built = folder / "functions.cpp", folder / "functions.so"
    source.write_text("".join(lines))
    include = str(ROOT / "runtime" / "include")
    flags = [*STRICT, "-O3", *FLAGS["cpu"], *options, "-fPIC", "-shared", "-I", include]
    run(["g++", *flags, str(source), "-o", str(built)])
    made = ctypes.CDLL(str(built))
    for name, arguments in ARGUMENTS.items():
        if arguments == 1:
            getattr(made, f"{name}_error").restype = ctypes.c_double
    return made


def called(functions: ctypes.CDLL, name: str, *given: Any) -> Any:
    """The function of every element."""
    x = np.ascontiguousarray(given[0])
    y = np.ascontiguousarray(given[-1], x.dtype)
    result = np.empty_like(x)
    pointers = (ctypes.c_void_p(array.ctypes.data) for array in (x, y, result))
    getattr(functions, f"{name}_{8 * x.itemsize}")(*pointers, ctypes.c_long(x.size), 1)
    return result


def exact(name: str, *given: float) -> Any:
    """The value with forty digits more than a double has, or None where it is no real number."""
    with mpmath.workdps(60):
        value = EXACT[name](*(mpmath.mpf(number) for number in given))
        return value if isinstance(value, mpmath.mpf) else None


def distance(found: float, value: Any, bits: int) -> float:
    """How far a finite result lies from the value, in units of its last place: the place that the value has,
    or the smallest subnormal number."""
    with mpmath.workdps(60):
        value = mpmath.mpf(value)
        exponent = max(int(mpmath.frexp(value)[1]), SMALLEST[bits])
        return float(abs(mpmath.mpf(found) - value) * mpmath.mpf(2) ** (DIGITS[bits] - exponent))


def largest_distance(functions: ctypes.CDLL, name: str, step: int) -> float:
    """The largest over each so-many-th float; a double of the C library is exact enough beside them."""
    count = (2**32 + step - 1) // step
    return float(getattr(functions, f"{name}_error")(0, step, ctypes.c_long(count)))
