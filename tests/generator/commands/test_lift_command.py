# SPDX-License-Identifier: Apache-2.0
"""`heddle lift` and its report, as they are called."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from heddle.__main__ import main
from heddle.build import load

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "lift_loop"
LOOPS = ("advect", "sor", "diffuse_column", "receive")
SHIFT = """
void shift(const double* __restrict__ a, double* __restrict__ b, int n, double c) {
  for (int i = 1; i < n; ++i) b[i] = c * a[i - 1];
}
int total(const int* a, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum;
}
void heat(double* __restrict__ t, const double* __restrict__ level, int nx, int nz) {
  for (int k = 0; k < nz; ++k)
    for (int i = 0; i < nx; ++i) t[i + k * nx] += level[k];
}
"""


def lift(*words: str | Path) -> int:
    return main(["lift", *map(str, words)])


@pytest.fixture
def shift(tmp_path: Path) -> Path:
    path = tmp_path / "shift.cpp"
    path.write_text(SHIFT)
    return path


def test_the_example_is_what_its_loops_give(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """model.py is current, and both targets are proved equal to the loops, bit for bit."""
    words = [EXAMPLE / "legacy.cpp", "--function", *LOOPS, "--module", "lifted", "--out", tmp_path]
    assert lift(*words, "--targets", "cpu", "cuda", "--prove") == 0
    assert (tmp_path / "model.py").read_text() == (EXAMPLE / "model.py").read_text()
    said = capsys.readouterr().out
    for name in LOOPS:
        assert re.search(rf"^  {name} +cpu +equal: structural$", said, re.M)
        assert re.search(rf"^  {name} +cuda +equal: structural$", said, re.M)


def test_a_generated_file_that_was_changed_is_not_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, shift: Path
) -> None:
    import heddle.commands.lift as command

    write = command.write

    def mutated(texts: dict[str, str], out: Path) -> list[str]:
        texts["shift/shift.cpp"] = texts["shift/shift.cpp"].replace("= c * ", "= -c * ")
        return write(texts, out)

    monkeypatch.setattr(command, "write", mutated)
    words = [shift, "--function", "shift", "--out", tmp_path / "out", "--targets", "cpu", "--prove"]
    assert lift(*words) == 1
    assert "NOT PROVED" in capsys.readouterr().out


def test_a_proof_says_what_stays_with_the_caller(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A loop of time steps is no part of a kernel; the claim is about one of them."""
    path = tmp_path / "steps.cpp"
    path.write_text(
        "void steps(double* __restrict__ a, double* __restrict__ b, int n, int last) {\n"
        "  for (int t = 0; t < last; ++t) {\n"
        "    for (int i = 1; i < n; ++i) b[i] = a[i - 1] + a[i];\n"
        "    for (int i = 1; i < n; ++i) a[i] = 0.5 * b[i];\n  }\n}\n"
    )
    words = [
        "--function",
        "steps",
        "--out",
        tmp_path / "out",
        "--targets",
        "cpu",
        "--prove",
    ]
    assert lift(path, *words) == 0
    said = capsys.readouterr().out
    assert re.search(
        r"^  steps +cpu +equal: structural\n    one iteration of the loop over 't'$",
        said,
        re.M,
    )


def test_a_model_is_printed_and_runs(capsys: pytest.CaptureFixture[str], tmp_path: Path, shift: Path) -> None:
    assert lift(shift, "--function", "shift") == 0
    text = capsys.readouterr().out
    assert "Assignment(b[0], c * a[0])" in text
    (tmp_path / "model.py").write_text(text)
    assert list(load(tmp_path / "model.py").kernels) == ["shift"]


def test_a_module_may_be_called_as_a_field(shift: Path, tmp_path: Path) -> None:
    assert lift(shift, "--function", "shift", "--module", "a", "--out", tmp_path / "out") == 0
    assert load(tmp_path / "out" / "model.py").name == "a"


def test_flags_follow_two_dashes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "named.cpp"
    path.write_text("void f(float* a, int n) { for (int i = 0; i < n; ++i) a[i] = FACTOR * a[i]; }\n")
    assert lift(path, "--function", "f", "--", "-DFACTOR=0.5f") == 0
    assert "0.5 * a[0]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "no function is named."),
        (("--function", "shift", "--targets", "cpu"), "targets need an output folder."),
        (("--function", "shift", "--out", "x", "--prove"), "no targets to verify are named."),
        (("--function", "nothing"), "There is no function 'nothing'."),
        (("--function", "total"), "'sum' is accumulated as an integer"),
    ],
)
def test_wrong_calls(
    shift: Path, words: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lift(shift, *words) == 1
    assert reason in capsys.readouterr().err


def test_report(shift: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.cpp").write_text("void f( {\n")
    machine = tmp_path / "report.json"
    assert lift(tmp_path, "--report", "--json", machine) == 0
    said = capsys.readouterr().out
    assert re.search(r"^broken.cpp:1 .*not liftable: ", said, re.M)
    assert "shift  (n - 1): reads 8 B, writes 8 B, 1 flops; a r1" in said
    assert "nx x nz: reads 8 B, writes 8 B, 1 flops; t r1w, level r1 same along x" in said
    assert "not liftable: 'sum' is accumulated as an integer" in said
    assert "2 of 4 loops can be lifted" in said
    rows = {row["function"]: row for row in json.loads(machine.read_text())}
    assert rows["shift"]["liftable"]
    assert rows["shift"]["bytes_written"] == 8
    assert not rows["total"]["liftable"]
    assert rows["total"]["hint"]


def test_a_report_on_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lift(tmp_path / "missing", "--report") == 1
    assert "the file or folder does not exist" in capsys.readouterr().err


PARTS = """#include <cstdio>
void steps(double* u, double* v, int n, int last) {
  int i, t;
  double mean;
  for (t = 0; t < last; ++t) {
    for (i = 1; i < n - 1; ++i) { mean = u[i - 1] + u[i + 1]; v[i] = 0.5 * mean; }
    mean = 0;
    for (i = 0; i < n; ++i) mean += v[i];
    for (i = 0; i < n; ++i) printf("%g ", v[i] - mean);
  }
}
"""


def test_a_function_is_lifted_in_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What stands in the way of the whole is said, and each nest that can be lifted is proved."""
    path = tmp_path / "steps.cpp"
    path.write_text(PARTS)
    assert lift(path, "--function", "steps", "--out", tmp_path / "out", "--targets", "cpu", "--prove") == 0
    said = capsys.readouterr()
    assert list(load(tmp_path / "out" / "model.py").kernels) == ["steps_1", "steps_2"]
    assert re.search(r"^  steps_1 +cpu +equal: structural$", said.out, re.M)
    assert re.search(r"^  steps_2 +cpu +equal: ", said.out, re.M)
    assert "assumed: steps.cpp:6: what 'steps' does besides this loop stays with the caller" in said.out
    assert "'steps' is lifted in parts: steps.cpp:9: The body of the function 'printf'" in said.err
    assert "  not lifted: steps.cpp:9: The body of the function 'printf' is not visible here." in said.err


def test_a_nest_is_lifted_by_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "steps.cpp"
    path.write_text(PARTS)
    assert lift(path, "--function", "steps", "--line", "6") == 0
    assert "steps_6" in capsys.readouterr().out
    assert lift(path, "--function", "steps", "--line", "7") == 1
    assert "loops begin at the lines 5, 6, 8, 9" in capsys.readouterr().err


def test_the_report_has_a_row_for_each_nest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Kernels of included files are rows once, and functions that do not compile have one."""
    (tmp_path / "kernels.cuh").write_text(
        "__global__ void twice(double* a, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) a[i] = 2 * a[i];\n}\n"
    )
    for name in ("first.cu", "second.cu"):
        (tmp_path / name).write_text('#include "kernels.cuh"\nvoid host(double* a) { unknownCall(a); }\n')
    (tmp_path / "steps.cpp").write_text(PARTS)
    assert lift(tmp_path, "--report") == 0
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["first.cu:2", "host"],
        ["kernels.cuh:3", "twice"],
        ["second.cu:2", "host"],
        ["steps.cpp:6", "steps"],
        ["steps.cpp:8", "steps"],
        ["steps.cpp:9", "steps"],
        ["3", "of"],
    ]
