# SPDX-License-Identifier: Apache-2.0
"""One template over Real for f64 and f32, and when each precision keeps a text of its own."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from heddle import Assignment, Module, Schedule, fields
from heddle.build import files
from heddle.emit.expression import NoOneTextError, exact_literal, real_literal
from heddle.emit.template import merged, strip_names
from heddle.ir import nodes as ir

u, v = fields("u, v: real[2D]")


@pytest.mark.parametrize(("double", "single", "expected"), [
    ("const double a = b;", "const float a = b;", "const Real a = b;"),
    ("double* p", "double* p", "double* p"),
    ("f<8>(x + 32, n)", "f<16>(x + 64, n)", "f<strip>(x + 4 * strip, n)"),
    ("x + 31, x + 33", "x + 63, x + 65", "x + (4 * strip - 1), x + (4 * strip + 1)"),
    ("n - 16", "n - 32", "n - (2 * strip)"),
    ("double a[8];", "float a[16];", "Real a[lanes];"),
    ("double a[24];", "float a[40];", "Real a[2 * lanes + 8];"),
    ("a + 2", "a + 4", None),
    ("a + 16", "a + 8", None),
    ("a + b", "a - b", None),
    ("a + 0.5", "a + 0.5F", None),
    ("a + b + c", "a + b", None),
])  # fmt: skip
def test_merged(double: str, single: str, expected: str | None) -> None:
    assert merged(double, single) == expected
    assert strip_names(expected or "") == {name for name in ("strip", "lanes") if name in (expected or "")}


@pytest.mark.parametrize(("value", "expected"), [
    (Fraction(2), "Real{2}"), (-1.0, "Real{-1}"), (-0.0, "Real(-0.0)"), (Fraction(1, 3), "Real{1} / 3"),
    (Fraction(9, 2), "Real(4.5)"), (Fraction(-2, 9), "Real{-2} / 9"), (0.1, "Real(0.1)"),
    (2.0**-30, "Real(9.313225746154785e-10)"),
])  # fmt: skip
def test_constants_suit_both_types(value: float | Fraction, expected: str) -> None:
    assert real_literal(value, ir.F32)[0] == real_literal(value, ir.F64)[0] == expected


def test_no_text_where_a_constant_would_be_rounded_twice() -> None:
    """Halfway between two numbers of f32 but for 2^-60, which f64 drops: in one step it is rounded up."""
    value = 1 + Fraction(1, 2**24) + Fraction(1, 2**60)
    with pytest.raises(NoOneTextError):
        real_literal(value, ir.F32)
    with pytest.raises(NoOneTextError):
        real_literal(1e300, ir.F64)
    assert exact_literal(0.1) == ""


def emitted(statements: list[Assignment], *precisions: str, target: str = "cpu") -> str:
    module = Module("module", precisions=precisions)
    module.add("kernel", statements, schedule=Schedule())
    return files(module, [target])["module/kernel.cpp" if target == "cpu" else "module/kernel.cuh"]


def test_halves_have_a_text_of_their_own() -> None:
    text = emitted([Assignment(v.here, u.here / 3 + 1)], "f64", "f16", "f32")
    assert text.count("void kernel_kernel(") == 1
    assert text.count("void kernel_f16(") == 1
    entries = [f"int module_kernel_{suffix}(" for suffix in ("f64", "f16", "f32")]
    assert all(text.count(entry) == 1 for entry in entries)


def test_one_precision_needs_no_template() -> None:
    assert "Real" not in emitted([Assignment(v.here, u.here / 3)], "f32")


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_no_arithmetic_of_another_type(target: str) -> None:
    """Whole numbers stand alone beside a Real; a function gets them in its type."""
    text = emitted(
        [Assignment(v.here, 2 * u.here + abs(u.here - 1) / 3)],
        "f64",
        "f32",
        target=target,
    )
    assert "Real" in text
    assert "2 * " in text
    assert "2.0" not in text
    kernel = text.partition("kernel_kernel(")[2].partition("\n}\n")[0]
    assert "Real{1} / 3" in kernel
    assert not re.search(r"double|float|\d\.\d", kernel)
