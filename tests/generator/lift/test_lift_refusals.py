# SPDX-License-Identifier: Apache-2.0
"""What recovery refuses beside the corpus: the line, and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from heddle.errors import KernelError, Place
from heddle.lift.front_end import read
from heddle.lift.kernels import lifted
from heddle.lift.raise_accesses import raise_accesses

LOOP = "for (int i = 0; i < n; ++i)"
CASES = {
    "the argument changes": (
        f"void f(double* a, int n, double s) {{\n{LOOP}\n {{ a[i] = s; s = s + 1; }} }}",
        "The argument 's' is assigned in the loop.",
    ),
    "two loops, one sum": (
        f"void f(double* a, int n, double* t) {{ double s = 0;\n{LOOP} s += a[i];\n"
        f"{LOOP} s += a[i]; *t = s; }}",
        "'s' is accumulated in two loops.",
    ),
    "stored too early": (
        f"void f(double* a, int n, double* t) {{ double s = 0;\n*t = s;\n{LOOP} s += a[i]; }}",
        "'s' is stored before it is computed.",
    ),
    "no sum": (
        "void f(double* a, int n, int m, double* t) { double s = 1;\nfor (int j = 0; j < m; ++j)\n"
        f"{LOOP} s = s * a[i + n * j]; *t = s; }}",
        "'s' is carried from cell to cell, but is not a sum, minimum or maximum.",
    ),
    "a sum that begins elsewhere": (
        f"void f(double* a, int n, double* t) {{ double s = 1;\n{LOOP} s += a[i]; *t = s; }}",
        "The sum 's' does not start at 0.",
    ),
    "outside the loops": (
        f"void f(double* a, int n) {{\na[0] = 1;\n{LOOP} a[i] = 2; }}",
        "There is work outside the loops over cells.",
    ),
    "no loop": ("void f(double* a) { (void)a; }", "'f' has no loop over elements."),
    "nothing stored": (
        f"void f(double* a, int n) {{\n{LOOP} {{ double b = a[i]; (void)b; }} }}",
        "stores nothing.",
    ),
    "four axes": (
        "void f(double* a, int n) {\nfor (int l = 0; l < n; ++l) for (int k = 0; k < n; ++k)"
        " for (int j = 0; j < n; ++j)"
        f" {LOOP} a[i + n * (j + n * (k + n * l))] = 0; }}",
        "There are 4 nested loops; at most three are supported.",
    ),
    "two strides": (
        f"void f(double* a, int n) {{\n{LOOP} a[i] = a[i] + a[2 * i]; }}",
        "'a' is accessed along 'i' with different strides,",
    ),
    "reversed reading": (
        f"void f(double* a, int n) {{\n{LOOP} a[i] = a[i] + a[n - 1 - i]; }}",
        "'a' is accessed along 'i' with different strides,",
    ),
    "far away": (
        f"void f(double* a, int n) {{\n{LOOP} a[i] = a[i + 1000]; }}",
        "'a' is accessed 1000 cells away along axis x, which is not a neighbour.",
    ),
    "turned in place": (
        f"void f(double* a, int n) {{\nfor (int j = 0; j < n; ++j) {LOOP} a[i + n * j] = a[j + n * i]; }}",
        "'a' is accessed along 'i' with different strides,",
    ),
    "shifted by an unknown distance": (
        f"void f(double* a, int n, int m) {{\n{LOOP} a[i] = a[i + m]; }}",
        "'a' is written, and also accessed m elements away, which may be another cell.",
    ),
    "mirrored about an unknown place": (
        f"void f(double* a, int n, int m) {{\n{LOOP} a[i] = a[m - i]; }}",
        "'a' is accessed along 'i' with different strides,",
    ),
    "a type that no field has": (
        f"void f(short* a, int n) {{\n{LOOP} a[i] = 1; }}",
        "'a' has elements of type i16, which fields do not support.",
    ),
    "gathered in a plane": (
        "void f(double* a, const double* u, const int* p, int n, int m) {\nfor (int j = 0; j < m; ++j)"
        f" {LOOP} a[i + n * j] = u[p[i + n * j]]; }}",
        "'u' is read at computed indices in a loop nest of several axes; only one axis is supported.",
    ),
    "loops in a column": (
        "void f(double* a, int n) {\nfor (int j = 0; j < n; ++j) { a[j] = 0;\n"
        f"{LOOP} for (int k = 0; k < n; ++k) a[j + n * (i + n * k)] = 1; }} }}",
        "There are nested loops next to other work in a column.",
    ),
    "a loop that starts at a remainder": (
        "void f(double* a, int n, int c) {\nfor (int j = 0; j < n; ++j)"
        " for (int i = (j + c) % 2; i < n; ++i)"
        " a[i + n * j] = 0; }",
        "The loop over 'i' begins at a remainder.",
    ),
    "the last value": (
        f"void f(double* a, int n, double* t) {{ double s = 1;\n{LOOP}\n"
        " { s = 0.5 * s; a[i] = s; } *t = s; }",
        "The last value of 's' is stored, but a column sweep returns no carried value.",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name: str, tmp_path: Path) -> None:
    text, reason = CASES[name]
    path = tmp_path / "input.cpp"
    path.write_text(text + "\n")
    with pytest.raises(KernelError) as caught:
        raise_accesses(lifted(read(path), "f"))
    assert reason in caught.value.what
    assert isinstance(caught.value.where, Place)
    assert caught.value.where.file == "input.cpp"
    assert caught.value.where.line in (1, 2, 3)
    assert caught.value.hint


def test_a_race_between_threads_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "input.cu"
    path.write_text(
        "__global__ void f(float* a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i > 0 && i < n) a[i] = a[i - 1];\n}\n"
    )
    with pytest.raises(KernelError, match=r"input.cu:3: A thread reads 'a' of a cell that another"):
        raise_accesses(lifted(read(path), "f"))
