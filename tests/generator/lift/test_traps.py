# SPDX-License-Identifier: Apache-2.0
"""Loops that are easily misread: what is lifted does natively what the loop does, bit for bit; what a model
cannot say is refused, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from heddle.commands.lifted_model import adopted
from heddle.errors import KernelError, Place
from heddle.ir.text import text as kernel_text
from heddle.lift.front_end import read
from heddle.lift.kernels import lifted
from heddle.lift.model_writer.model_text import Origin
from heddle.lift.raise_accesses import raise_accesses
from natively import Case, Natively

LOOP = "for (int i = 0; i < n; ++i)"
TWO = "double* __restrict__ a, const double* __restrict__ b, int n"
THREE = "double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c, int n"
GIVEN = {"scalars": {"n": 29}, "arrays": {"a": 29, "b": 29}}
GIVEN3 = {"scalars": {"n": 29}, "arrays": {"a": 29, "b": 29, "c": 29}}
RIGHT = {
    "stored_under_if": Case(
        f"void stored_under_if({TWO}) {{ {LOOP} {{ a[i] = b[i]; if (b[i] > 0.5) a[i] = 0.25;"
        " a[i] += 10; } }",
        **GIVEN,
    ),
    "read_after_if": Case(
        f"void read_after_if({THREE}) {{ {LOOP} {{ if (b[i] > 0.5) a[i] = 0.25; c[i] = a[i] * 2; }} }}",
        **GIVEN3,
    ),
    "stored_under_ifs": Case(
        f"void stored_under_ifs({THREE}) {{ {LOOP} {{ if (b[i] > 0) {{ a[i] = b[i];"
        " if (b[i] > 0.5) a[i] = 0.25; } c[i] = a[i] * 2; } }",
        **GIVEN3,
    ),
    "clamped": Case(
        f"void clamped({TWO}) {{ {LOOP} {{ a[i] = 2 * b[i]; if (a[i] > 1) a[i] = 1;"
        " if (a[i] < 0) a[i] = 0; } }",
        **GIVEN,
    ),
    "passed_by_value": Case(
        "static void put(double v, double* a, double* b, int i) { a[i] = 1; b[i] = v; }\n"
        "void passed_by_value(double* __restrict__ a, double* __restrict__ b, int n)"
        f" {{ {LOOP} put(a[i], a, b, i); }}",
        **GIVEN,
    ),
    "named_twice": Case(
        f"void named_twice({THREE}) {{ {LOOP} {{ const double x = b[i]; {{ const double x = 3; a[i] = x; }}"
        " c[i] = x; } }",
        **GIVEN3,
    ),
    "named_in_if": Case(
        f"void named_in_if({THREE}) {{ {LOOP} {{ double x = b[i]; if (x > 0) {{ double x = 3; x = x + b[i];"
        " a[i] = x; } x = x + 1; c[i] = x; } }",
        **GIVEN3,
    ),
    "named_by_both": Case(
        "static void upd(double* a, const double* b, int i) { const double s = b[i] + 1; a[i] = s; }\n"
        f"void named_by_both({THREE}) {{ {LOOP} {{ const double s = b[i] * 2; upd(a, b, i); c[i] = s; }} }}",
        **GIVEN3,
    ),
    "assigned_by_both": Case(
        "static void twice(double* a, const double* b, int i) { double s = b[i]; s = s + s; a[i] = s; }\n"
        f"void assigned_by_both({THREE}) {{ {LOOP} {{ double s = b[i]; s = s * 3; twice(a, b, i);"
        " c[i] = s; } }",
        **GIVEN3,
    ),
    "named_as_a_constant": Case(
        "static const double level = 7;\n"
        f"void named_as_a_constant({TWO}) {{ {LOOP} {{ const double level = b[i]; a[i] = level; }} }}",
        **GIVEN,
    ),
    "reference_to_an_earlier_index": Case(
        f"void reference_to_an_earlier_index({TWO}) {{ {LOOP} {{ int k = i; double& r = a[k]; k = k + 1;"
        " r = b[k]; } }",
        {"n": 29},
        {"a": 29, "b": 30},
    ),
    "long_into_int": Case(
        "void long_into_int(int* __restrict__ a, const std::int64_t* __restrict__ b, int n)"
        f" {{ {LOOP} a[i] = b[i]; }}",
        **GIVEN,
    ),
    "places_into_int": Case(
        "void places_into_int(int* __restrict__ a, const int* __restrict__ b, int n)"
        " { for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + 3 * i; }",
        **GIVEN,
    ),
    "small_arrays": Case(
        f"void small_arrays({TWO}) {{ double s[4], d[3]; int i, k; for (i = 2; i < n - 2; ++i) {{"
        " for (k = 0; k < 4; ++k) s[k] = b[i - 2 + k]; for (k = 0; k < 3; ++k) d[k] = s[k + 1] - s[k];"
        " if (d[2] > 0) d[0] = s[3]; a[i] = d[0] * d[1] + d[2]; } }",
        **GIVEN,
    ),
    "small_array_that_begins_with_zeros": Case(
        f"void small_array_that_begins_with_zeros({TWO}) {{ {LOOP} {{ double w[12] = {{}};"
        " for (int k = 0; k < 6; ++k) w[2 * k] = b[i] + k; double s = 0;"
        " for (int k = 0; k < 12; ++k) s = s * 3 + w[k]; a[i] = s; } }",
        **GIVEN,
    ),
    "float_literal": Case(f"void float_literal({TWO}) {{ {LOOP} a[i] = 0.8f * b[i]; }}", **GIVEN),
    "float_arithmetic": Case(
        f"void float_arithmetic({TWO}) {{ {LOOP} a[i] = b[i] + (0.8f + 0.1f) * 2; }}", **GIVEN
    ),
    "float_constant": Case(
        f"void float_constant({TWO}) {{ const float w = 0.1f; {LOOP} a[i] = w * b[i]; }}", **GIVEN
    ),
    "truth_values": Case(
        f"void truth_values({TWO}) {{ {LOOP} a[i] = (b[i] > 0.3) + (b[i] > 0.6) * 2.5; }}", **GIVEN
    ),
    "twice_negated": Case(
        "void twice_negated(double* __restrict__ a, const int* __restrict__ k, int n)"
        f" {{ {LOOP} a[i] = !!k[i] + !k[i] * 2.0; }}",
        {"n": 29},
        {"a": 29, "k": 29},
    ),
}


WRONG = {
    "an unsigned number below 0": (
        "void f(double* a, int n) {\n"
        f"  {LOOP} {{\n    unsigned k = i - 3;\n    if (k > 100u) a[i] = (double)k;\n  }}\n}}",
        4,
        "The unsigned value i - 3 may wrap around",
    ),
    "a bound of unsigned numbers": (
        f"void f(double* a, unsigned n) {{\n  {LOOP}\n    if (i - 1u < n - 2u) a[i] = 2 * a[i];\n}}",
        3,
        "The unsigned value i - 1 may wrap around",
    ),
    "rows that overlap": (
        f"void f({TWO}, int m) {{\n  for (int j = 0; j < m; ++j)\n    for (int i = 0; i <= n; ++i)\n"
        "      a[j * n + i] = b[i];\n}",
        4,
        "'a' is written by rows of n + 1 cells that begin n elements apart, so two cells write one element.",
    ),
    "a negative remainder": (
        f"void f(double* a, int n) {{\n  {LOOP}\n    a[i] = (i - 5) % 3;\n}}",
        3,
        "The remainder of x - 5 by 3 is negative in some cells",
    ),
    "a narrow integer": (
        f"void f(double* a, int n) {{\n  {LOOP} {{\n    signed char c = i * 50;\n    a[i] = c;\n  }}\n}}",
        3,
        "A value of type i64 is rounded or cut to i8",
    ),
    "a quotient of integers": (
        f"void f(double* a, const int* k, int n) {{\n  {LOOP}\n    a[i] = k[i] / 2;\n}}",
        3,
        "Integers are divided, which drops the remainder",
    ),
    "a quotient of counters": (
        f"void f(double* a, int n) {{\n  {LOOP}\n    a[i] = i / 2;\n}}",
        3,
        "Integers are divided, which drops the remainder",
    ),
    "a value cut to float": (
        f"void f({TWO}) {{\n  {LOOP} {{\n    float k = b[i] / 3.0;\n    a[i] = k;\n  }}\n}}",
        3,
        "A value of type f64 is rounded or cut to f32",
    ),
    "a long cut to int": (
        f"void f(double* a, const std::int64_t* b, int n) {{\n  {LOOP}\n    a[i] = (int)b[i] * 0.5;\n}}",
        3,
        "A value of type i64 is rounded or cut to i32",
    ),
    "a long variable cut to int": (
        "void f(double* a, const std::int64_t* b, int n) {\n"
        f"  {LOOP} {{\n    std::int64_t t = b[i] + 1;\n    a[i] = (int)t + i;\n  }}\n}}",
        4,
        "A value of type i64 is rounded or cut to i32",
    ),
    "a long that was stored as int": (
        "void f(double* a, int* k, const std::int64_t* b, int n) {\n"
        f"  {LOOP} {{\n    k[i] = b[i];\n    a[i] = k[i];\n  }}\n}}",
        3,
        "A value of type i64 is rounded or cut to i32",
    ),
    "a condition on a long cut to int": (
        f"void f(double* a, const std::int64_t* b, int n) {{\n  {LOOP}\n    if ((int)b[i] > 3) a[i] = 1;\n}}",
        3,
        "A value of type i64 is rounded or cut to i32",
    ),
    "a product that needs more than an int": (
        "void f(std::int64_t* a, const int* b, int n) {\n"
        f"  {LOOP}\n    a[i] = (int)(b[i] + 5000000000LL * i);\n}}",
        3,
        "A value of type i64 is rounded or cut to i32",
    ),
    "a local array that is indexed by data": (
        f"void f({TWO}, const int* m) {{\n  {LOOP} {{\n    double w[2] = {{b[i], 1}};\n"
        "    a[i] = w[m[i]];\n  }\n}",
        4,
        "Which element of the local array 'w' is meant is known only at run time.",
    ),
    "an element that a local array does not have": (
        f"void f({TWO}) {{\n  {LOOP} {{\n    double w[2] = {{b[i], 1}};\n    a[i] = w[2];\n  }}\n}}",
        4,
        "'w' has 2 elements, not one with the number 2.",
    ),
    "a local array of which an element has no value": (
        f"void f({TWO}) {{\n  {LOOP} {{\n    double w[2];\n    if (b[i] > 0) w[1] = b[i];\n"
        "    a[i] = w[1];\n  }\n}",
        5,
        "'w_1' is not assigned on every path to this point.",
    ),
    "a reference to what a variable chooses": (
        f"void f({TWO}) {{\n  {LOOP} {{\n    int k = i;\n    double& r = a[k];\n"
        "    if (b[i] > 0) k = k + 1;\n    r = b[k];\n  }\n}",
        4,
        "'r' is another name of an element chosen by a value that may change later.",
    ),
}


@pytest.fixture(scope="module")
def natively(tmp_path_factory: pytest.TempPathFactory) -> Natively:
    return Natively(tmp_path_factory.mktemp("traps"), RIGHT)


@pytest.mark.compiles
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_lifted_does_what_the_loop_does(name: str, natively: Natively) -> None:
    assert natively.differences(name) == []


@pytest.mark.parametrize("name", WRONG)
def test_what_a_model_cannot_say_is_refused(name: str, tmp_path: Path) -> None:
    text, line, reason = WRONG[name]
    path = tmp_path / "input.cpp"
    if "std::" in text:
        text = text.replace("void f(", "#include <cstdint>\nvoid f(")
        line += 1
    path.write_text(text + "\n")
    with pytest.raises(KernelError) as caught:
        adopted("f", raise_accesses(lifted(read(path), "f")), Origin("input.cpp"))
    assert caught.value.what.startswith(reason)
    assert caught.value.where == Place("input.cpp", line)
    assert caught.value.hint


def test_a_thread_keeps_its_guard_behind_a_declaration(tmp_path: Path) -> None:
    path = tmp_path / "input.cu"
    path.write_text(
        "__global__ void f(double* d, const double* g, int n, double c) {\n"
        "  const int id = threadIdx.x + blockIdx.x * blockDim.x;\n  double t;\n"
        "  if (id < n && g[id] > c) { t = d[id] * 2; d[id] = t * t; }\n}\n"
    )
    (kernel,) = raise_accesses(lifted(read(path), "f"))
    assert [str(extent) for extent in kernel.extents] == ["n"]
    assert "if gt(g[0], c)" in kernel_text(kernel.kernel)


def test_a_guard_that_does_not_hold_all_work_stays(tmp_path: Path) -> None:
    """What stands before the guard runs in every thread of the grid."""
    path = tmp_path / "input.cu"
    path.write_text(
        "__global__ void f(double* d, double* e, int n) {\n"
        "  const int id = threadIdx.x + blockIdx.x * blockDim.x;\n  e[id] = 1;\n"
        "  if (id < n) d[id] = 2;\n}\n"
    )
    (kernel,) = raise_accesses(lifted(read(path), "f"))
    assert [str(extent) for extent in kernel.extents] == ["grid.x"]
    assert "if lt(x, i64(n))" in kernel_text(kernel.kernel)


def test_a_file_of_c_is_read_as_c(tmp_path: Path) -> None:
    """In C, abs takes an int, and malloc needs no cast."""
    path = tmp_path / "input.c"
    path.write_text(
        "#include <stdlib.h>\n"
        "void f(double* a, int n) { for (int i = 0; i < n; ++i) a[i] = 2 * a[i]; }\n"
        "void g(double* a, int n) { for (int i = 0; i < n; ++i) a[i] = abs(a[i]); }\n"
        "double* class(int n) { double* new = malloc(n * sizeof *new); return new; }\n"
    )
    unit = read(path)
    assert len(raise_accesses(lifted(unit, "f"))) == 1
    with pytest.raises(KernelError, match="truncated to i32"):
        adopted("g", raise_accesses(lifted(unit, "g")), Origin("input.c"))


@pytest.mark.parametrize(
    ("text", "assumed"),
    [
        ("if ((unsigned)i < (unsigned)m) a[i] = 1;", "m is not negative"),
        ("if (i == u - 1) a[i] = 1;", "u - 1 is not negative"),
        ("if (i < u) a[i] = 1;", ""),
        ("a[i] = (i + 3ul) * 0.5;", ""),
    ],
)
def test_what_unsigned_arguments_must_be_is_assumed(text: str, assumed: str, tmp_path: Path) -> None:
    path = tmp_path / "input.cpp"
    path.write_text(f"void f(double* a, int n, int m, unsigned long u) {{\n  {LOOP}\n    {text}\n}}\n")
    (kernel,) = raise_accesses(lifted(read(path), "f"))
    notes = [note for note in kernel.assumptions if "not negative" in note]
    assert notes == ([f"input.cpp:3: {assumed}"] if assumed else [])
