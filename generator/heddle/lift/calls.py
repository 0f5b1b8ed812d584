# SPDX-License-Identifier: Apache-2.0
"""Functions whose meaning is known by their name: one row of `heddle.ir.functions`, spelled as C++, CUDA or
C spell it."""

from __future__ import annotations

import re

from heddle.ir import nodes as ir
from heddle.ir.functions import FUNCTIONS

# Where no argument is NaN, and but for the sign of a zero, these are the same.
WITHOUT_NAN = {"fmin": "min", "fmax": "max", "fminf": "min", "fmaxf": "max"}

CHOICE = "heddle::choose"
# What HUGE_VAL and INFINITY expand to.
INFINITIES = {f"__builtin_{name}" for name in ("huge_val", "huge_valf", "inf", "inff")}
BARRIER = "__syncthreads"
CONTAINER = re.compile(r"^std::(?:__\w+::)?(span|vector|array)\b(.*)::(operator\[\]|size|data)$")
ROW_ELEMENT = re.compile(r"^heddle::(StridedRow|Line)\b.*::operator\[\]$")


def known_function(name: str) -> str | None:
    """The row of `heddle.ir.functions.FUNCTIONS` that a qualified C++ name calls."""
    if name in ("std::min", "std::max"):  # b < a ? b : a, which is what heddle::min is; unlike std::fmin
        return name.removeprefix("std::")
    plain = name.removeprefix("std::").removeprefix("::")
    for row_name, row in FUNCTIONS.items():
        if row.spelling in (name, f"std::{plain}") or plain in row.c_names:
            return row_name
    return None


def half_conversion(name: str) -> ir.Scalar | None:
    """The type that a conversion between a half's bits and a number gives."""
    return {"heddle::to_half": ir.F16, "heddle::half_to_float": ir.F32, "heddle::half_to_double": ir.F64}.get(
        name
    )
