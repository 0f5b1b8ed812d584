# SPDX-License-Identifier: Apache-2.0
"""Source that once ended in a trace, or never: each is lifted or refused, in bounded time."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from heddle.__main__ import main
from heddle.commands.lift_report import report
from heddle.errors import KernelError
from heddle.lift import limits
from heddle.lift.front_end import read
from heddle.lift.kernels import lifted
from heddle.lift.limits import bounded
from heddle.lift.raise_accesses import raise_accesses

LOOP = "for (int i = 0; i < n; ++i)"
GOOD = f"void good(double* a, int n) {{ {LOOP} a[i] = 2 * a[i]; }}\n"
LEAVING = " ".join(f"if (b[i] > {k}) {{ if (b[i] > {k}.5) continue; a[i] = {k}; }}" for k in range(22))
SQUARES = " ".join(f"int k{k + 1} = k{k} * k{k} + n;" for k in range(8))
SUMS = " + ".join(f"p{k}" for k in range(12))
ARGUMENTS = ", ".join(f"int p{k}" for k in range(12))
HARD = {
    "an array that a column touches in single cells": (
        "void f(double* x, const double* b, const double* L, int n) {\n"
        f"  {LOOP} {{ x[i] = b[i]; for (int j = 0; j < i; ++j) x[i] -= L[i * n + j] * x[j];\n"
        "    x[i] = x[i] / L[i * n + i]; }\n}",
        "",
    ),
    "many paths": (
        f"void f(double* a, const double* b, int n) {{ {LOOP} {{ {LEAVING} }} }}",
        "So many paths",
    ),
    "deep branches": (
        f"void f(double* a, const double* b, int n) {{ {LOOP} {{\n"
        + " ".join(f"if (b[i] > {k}) continue;" for k in range(350))
        + "a[i] = 1; } }",
        "nested too deeply",
    ),
    "a power of an index": (
        f"void f(double* a, int n, int k0) {{ {SQUARES} {LOOP} a[i + k8] = 1; }}",
        "expands to too many products",
    ),
    "a product of sums": (
        f"void f(double* a, int n, {ARGUMENTS}) {{ {LOOP} a[i + {' * '.join([f'({SUMS})'] * 6)}] = 1; }}",
        "expands to too many products",
    ),
}


@pytest.mark.parametrize("name", HARD)
def test_what_is_hard_is_refused_in_time(name: str, tmp_path: Path) -> None:
    text, reason = HARD[name]
    path = tmp_path / "input.cpp"
    path.write_text(text + "\n")
    since = time.process_time()
    with pytest.raises(KernelError) as caught, bounded("input.cpp"):
        raise_accesses(lifted(read(path), "f"))
    assert reason in caught.value.what
    assert "input.cpp" in str(caught.value.where)
    assert "defect of Heddle" not in caught.value.hint
    assert time.process_time() - since < 20


def test_what_never_ends_is_refused() -> None:
    def forever() -> None:
        with bounded("a.cpp", 0.1):
            while True:
                pass

    with pytest.raises(KernelError, match=r"a\.cpp: Lifting takes longer than 0\.1 seconds"):
        forever()
    time.sleep(0.15)  # and the bound is over with it


def test_clang_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An included pipe that nobody writes to."""
    os.mkfifo(tmp_path / "pipe.hpp")
    path = tmp_path / "input.cpp"
    path.write_text('#include "pipe.hpp"\n')
    monkeypatch.setattr(limits, "SECONDS", 1)
    with pytest.raises(KernelError, match=r"input\.cpp: Clang takes longer than 1 seconds"):
        read(path)


def test_clang_is_given_no_more_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Macros that double forty times."""
    path = tmp_path / "input.cpp"
    path.write_text(
        "#define M0 1 +\n" + "".join(f"#define M{k + 1} M{k} M{k}\n" for k in range(40)) + "int n = M40 0;\n"
    )
    monkeypatch.setattr(limits, "MEMORY", 1 << 29)
    with pytest.raises(KernelError, match=r"input\.cpp"):
        read(path)


def test_a_report_survives_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A defect of Heddle in one function: a row that says so, and the rows of the others."""
    import heddle.commands.lift_report as module

    whole = module.raise_each

    def broken(function: object) -> object:
        if function.name.startswith("bad"):  # type: ignore[attr-defined]
            raise IndexError("list index out of range")
        return whole(function)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "raise_each", broken)
    (tmp_path / "a.cpp").write_text(GOOD.replace("good", "bad") + GOOD)
    (tmp_path / "b.c").write_text(GOOD)
    assert main(["lift", str(tmp_path), "--report"]) == 0
    said = capsys.readouterr().out
    assert "bad   not liftable: Lifting failed: IndexError: list index out of range" in said
    assert len(re.findall(r"good  \(?n\)?: reads 8 B", said)) == 2
    assert "a.cpp:1  bad" in said
    assert "2 of 3 loops can be lifted" in said


@pytest.mark.parametrize(
    "text",
    [
        f"void f(double* a, const int* k, int n) {{ {LOOP} a[i] = k[i] / 2; }}",
        f"void f(double* _a_, int n, int import) {{ {LOOP} _a_[i] = import * 2; }}",
        f"void f(double* a, const double* b, int n) {{ {LOOP}"
        " a[i] = ((b[i] > 0) ? (b[i] > 1) : (b[i] < -1)) ? 1 : 2; }",
        f"void f(double* a, const double* b, int n) {{ {LOOP} a[i] = (b[i] > 0.3) + 2.0; }}",
    ],
)
def test_the_report_says_what_lift_does(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "input.cpp"
    path.write_text(text + "\n")
    (row,) = report(path, "input.cpp", {})
    assert (main(["lift", str(path), "--function", "f"]) == 0) == (row.problem is None)
    assert "Traceback" not in capsys.readouterr().err


def test_methods_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.cpp"
    path.write_text(
        "struct Field {\n  double* data;\n  int n;\n"
        f"  void twice() {{ {LOOP} data[i] = 2 * data[i]; }}\n}};\n"
    )
    (row,) = report(path, "a.cpp", {})
    assert row.function == "Field::twice"
    assert row.problem is None
