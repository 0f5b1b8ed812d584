# SPDX-License-Identifier: Apache-2.0
"""Which names C++ takes."""

from __future__ import annotations

import re

RESERVED = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
    constexpr continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum
    explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
    nullptr operator or private protected public register return short signed sizeof static static_assert
    static_cast struct switch template this throw true try typedef typeid typename union unsigned using
    virtual void volatile while xor heddle std main status unit_stride blockIdx threadIdx blockDim
    gridDim dim3""".split()
)


_MACROS = re.compile(
    r"NULL|EOF|NAN|INFINITY|HUGE_VAL[FL]?|FP_[A-Z_]+|MATH_[A-Z]+|math_errhandling|"
    r"M_(E|LOG2E|LOG10E|LN2|LN10|PI|PI_2|PI_4|1_PI|2_PI|2_SQRTPI|SQRT2|SQRT1_2)[fl]?|"
    r"U?INT(_LEAST|_FAST)?\d+_(MIN|MAX|C)|U?INT(MAX|PTR)_(MIN|MAX|C)|"
    r"SIZE_MAX|u?int(_least|_fast)?\d+_t|u?int(max|ptr)_t|size_t|ptrdiff_t|errno|assert|linux|unix|"
    r"[A-Z0-9_]+_(H|HPP|CUH)|__\w*|_[A-Z]\w*"
)
"""Macros and types of the headers that emitted files include, their guards, macros of compilers, and what
the language keeps for itself."""


def is_name(text: str) -> bool:
    """Whether C++ takes a text as a name."""
    known = text.isascii() and text.isidentifier()
    return known and text not in RESERVED and not _MACROS.fullmatch(text)
