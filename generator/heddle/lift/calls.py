# SPDX-License-Identifier: Apache-2.0
"""Functions whose meaning is known by their name: one row of `heddle.ir.functions`, spelled as C++, CUDA or
C spell it."""

from __future__ import annotations

import re

from heddle.ir import nodes as ir
from heddle.ir.functions import FUNCTIONS

# C spells the type into the name.
_C_NAMES = {"fabs": "abs", "fabsf": "abs"} | {
    f"{name}f": name for name in ("sqrt", "exp", "log", "pow", "sin", "cos", "tanh", "floor", "fma")
}
# std::min(a, b) is b < a ? b : a, which is what heddle::min is; std::fmin treats NaN otherwise.
_KNOWN = {row.spelling: name for name, row in FUNCTIONS.items() if row.spelling.startswith("heddle::")} | {
    "std::min": "min", "std::max": "max",
}  # fmt: skip
# Where no argument is NaN, and but for the sign of a zero, these are the same.
WITHOUT_NAN = {"fmin": "min", "fmax": "max", "fminf": "min", "fmaxf": "max"}
_PLAIN = {name for name, row in FUNCTIONS.items() if row.spelling.startswith("std::")}

# What HUGE_VAL and INFINITY expand to.
INFINITIES = {f"__builtin_{name}" for name in ("huge_val", "huge_valf", "inf", "inff")}
BARRIER = "__syncthreads"
CONTAINER = re.compile(r"^std::(?:__\w+::)?(span|vector|array)\b(.*)::(operator\[\]|size|data)$")
STRIDED_ROW = re.compile(r"^heddle::StridedRow\b.*::operator\[\]$")


def known_function(name: str) -> str | None:
    """The row of `heddle.ir.functions.FUNCTIONS` that a qualified C++ name calls."""
    if name in _KNOWN:
        return _KNOWN[name]
    plain = name.removeprefix("std::").removeprefix("::")
    plain = _C_NAMES.get(plain, plain)
    return plain if plain in _PLAIN else None


def half_conversion(name: str) -> ir.Scalar | None:
    """The type that a conversion between a half's bits and a number gives."""
    return {"heddle::to_half": ir.F16, "heddle::half_to_float": ir.F32, "heddle::half_to_double": ir.F64}.get(
        name
    )
