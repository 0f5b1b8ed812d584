# SPDX-License-Identifier: Apache-2.0
"""Committed kernels that somebody edited: what changes a program without being in Clang's tree is refused,
with file and line; what changes nothing is proved."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from heddle import Assignment, Module, fields
from heddle.__main__ import main
from heddle.build import files, load, write
from heddle.errors import KernelError
from heddle.roundtrip.report import proved, proved_kernel
from heddle.roundtrip.tokens import same_tokens, tokens
from sympy import Rational

ROOT = Path(__file__).resolve().parents[3]
MODELS = {"heat": "examples/first_kernel/model.py", "lifted": "examples/lift_loop/model.py"}
COLUMN = "      for (std::int64_t z = 0; z < n_z; ++z) {\n"
SIMD = "#pragma omp simd\n"
PARALLEL = "#pragma omp parallel for schedule(static)\n"
BEGIN, UPDATE = "namespace {\n\ntemplate", "      u_next_row[x] = "
CELL, CUH, CU = "u_next_cell[0] = u_next_new", "heat/step.cuh", "heat/step.cu"
STEP, DIFFUSE = "heat/step.cpp", "lifted/diffuse_column.cpp"

# name: (file, what stands there, what comes in its place, the word that the refusal names)
FAULTS = {
    # M1: pragmas that no line begins with, before a recurrence
    "_Pragma": (DIFFUSE, COLUMN, '_Pragma("omp simd")\n' + COLUMN, "_Pragma"),
    "digraph": (DIFFUSE, COLUMN, "%:pragma omp simd\n" + COLUMN, "pragma"),
    "comment between": (DIFFUSE, COLUMN, SIMD + "/* along z */\n" + COLUMN, "pragma"),
    "comment inside": (DIFFUSE, COLUMN, "#pragma /* one\n */ omp simd\n" + COLUMN, "pragma"),
    "word in two lines": (DIFFUSE, COLUMN, "#pra\\\ngma omp simd\n" + COLUMN, "pragma"),
    "comment before": (DIFFUSE, COLUMN, "/**/ # pragma omp simd\n" + COLUMN, "pragma"),
    # M2: pragmas of compilers
    "ivdep": (DIFFUSE, COLUMN, "#pragma GCC ivdep\n" + COLUMN, "ivdep"),
    "assume safety": (
        DIFFUSE,
        COLUMN,
        "#pragma clang loop vectorize(assume_safety)\n" + COLUMN,
        "assume_safety",
    ),
    # M3: clauses and constructs that are not read
    "linear": (STEP, SIMD, "#pragma omp simd linear(x : 2)\n", "linear"),
    "ordered": (STEP, PARALLEL, "#pragma omp parallel for ordered schedule(static)\n", "ordered"),
    "target": (STEP, PARALLEL, "#pragma omp target teams distribute parallel for\n", "target"),
    "taskloop": (STEP, SIMD, "#pragma omp taskloop simd\n", "taskloop"),
    "orphaned": (STEP, PARALLEL, "#pragma omp for\n", "omp for"),
    "block": (STEP, UPDATE, "#pragma omp critical\n" + UPDATE, "critical"),
    # M4: arithmetic of the file or a function
    "fast-math": (STEP, BEGIN, '#pragma GCC optimize("fast-math")\n' + BEGIN, "optimize"),
    "reassociate": (
        STEP,
        "  const std::int64_t n_x",
        "#pragma clang fp reassociate(on)\n  const std::int64_t n_x",
        "reassociate",
    ),
    "contract": (STEP, BEGIN, "#pragma STDC FP_CONTRACT ON\n" + BEGIN, "FP_CONTRACT"),
    "attribute optimize": (
        STEP, "void step_f64(", '__attribute__((optimize("fast-math"))) void step_f64(', "__attribute__",
    ),
    "attribute const": (
        STEP, "int step_f64_entry(", "__attribute__((const)) int step_f64_entry(", "__attribute__",
    ),
    "attribute of C++": (STEP, "int heat_step_f64(", "[[gnu::const]] int heat_step_f64(", "attribute"),
    "attribute in digraphs": (STEP, "int heat_step_f64(", "<:<:gnu::const:>:> int heat_step_f64(", "<:"),
    # M5: one configuration is read, another one compiled
    "_OPENMP": (STEP, UPDATE, "#ifdef _OPENMP\n      continue;\n#endif\n" + UPDATE, "_OPENMP"),
    "not clang": (STEP, UPDATE, "#ifndef __clang__\n      continue;\n#endif\n" + UPDATE, "__clang__"),
    "optimised": (STEP, UPDATE, "#ifdef __OPTIMIZE__\n      continue;\n#endif\n" + UPDATE, "__OPTIMIZE__"),
    "NDEBUG": (STEP, UPDATE, "#ifdef NDEBUG\n      continue;\n#endif\n" + UPDATE, "NDEBUG"),
    "on the device": (CUH, CELL, "\n#ifdef __CUDA_ARCH__\n  return;\n#endif\n" + CELL, "__CUDA_ARCH__"),
    "nvcc": (
        CU,
        "dim3(128, 1, 1)",
        "\n#ifdef __NVCC__\n  dim3(2048, 1, 1)\n#else\n  dim3(128, 1, 1)\n#endif\n",
        "__NVCC__",
    ),
    "number of the compiler": (STEP, "u_row[x - 1]", "u_row[x - (__GNUC__ - 3)]", "__GNUC__"),
    "another guard": (CUH, "HEAT_STEP_CUH", "NDEBUG", "guard"),
    # M6: the header means something else where it is included
    "renamed before the header": (
        CU, '#include "step.cuh"', '#define blockDim gridDim\n#include "step.cuh"', "define",
    ),
    "undefined": (CU, '#include "heat.h"', '#undef __global__\n#include "heat.h"', "undef"),
    "include of another file": (
        STEP, "#include <cstdint>", '#include <cstdint>\n#include "mine.h"', "mine.h",
    ),
    "include inside": (STEP, BEGIN, "namespace {\n#include <cmath>\n}\n" + BEGIN, "cmath"),
    # M7: a building block with the name of Heddle's
    "building block": (
        STEP,
        BEGIN,
        "namespace heddle { template <bool u> const double* row(const double*, std::int64_t); }\n" + BEGIN,
        "template < bool u >",
    ),
    "function of std": (
        STEP, BEGIN, "namespace std { double fma(double a, double, double) { return a; } }\n" + BEGIN, "fma",
    ),
    "one namespace in another": (
        STEP, BEGIN, "namespace heddle::detail { int f() { return 0; } }\n" + BEGIN, "namespace",
    ),
    "using": (STEP, BEGIN, "using namespace std;\n" + BEGIN, "using"),
    # M8: what no entry names
    "global object": (STEP, BEGIN, "const heddle::ArrayArgument row{};\n" + BEGIN, "ArrayArgument"),
    "variable": (STEP, BEGIN, "double counter = 1.0;\n" + BEGIN, "double counter"),
    "function": (STEP, BEGIN, "int more() { return 0; }\n" + BEGIN, "more"),
    "overload": (STEP, BEGIN, "namespace {\nvoid step_f64(float) {}\n}\n" + BEGIN, "step_f64"),
    "division by zero": (STEP, UPDATE, "      (void)(1 / (n_x - 4));\n" + UPDATE, "without effect"),
    "local alias": (STEP, UPDATE, "      using real = float;\n" + UPDATE, "using"),
    "assembly": (STEP, UPDATE, '      asm("nop");\n' + UPDATE, "asm"),
    # what compilers do not agree on
    "trigraph": (STEP, UPDATE, "      // is this right??/\n" + UPDATE, "trigraph"),
    "carriage return": (STEP, UPDATE, "      // a line\r      continue;\n" + UPDATE, "control character"),
    "blank behind a backslash": (STEP, UPDATE, "      // a line \\ \n" + UPDATE, "backslash"),
    "raw string": (STEP, BEGIN, 'const char* text = R"(")";\n' + BEGIN, '"'),
}  # fmt: skip


def edited(tmp_path: Path, file: str, old: str, new: str) -> tuple[list[str], int]:
    """What the proof says of a file in which `new` stands for `old`, and the line where it begins to
    differ."""
    module, name = file.split("/")
    shutil.copytree(ROOT / "generated" / module, tmp_path / module)
    path = tmp_path / file
    text = path.read_text()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())
    model = load(ROOT / MODELS[module])
    kernel, target = name.split(".")[0], "cpu" if name.endswith(".cpp") else "cuda"
    verdicts = list(proved_kernel(model, kernel, target, path.parent))
    assert [verdict.tier for verdict in verdicts] == [
        "NOT PROVED" if v.problem else "structural" for v in verdicts
    ]
    return [verdict.problem for verdict in verdicts], text.count("\n", 0, text.index(old)) + 1


@pytest.mark.parametrize("name", FAULTS)
def test_what_clangs_tree_does_not_show_is_refused(name: str, tmp_path: Path) -> None:
    file, old, new, word = FAULTS[name]
    problems, line = edited(tmp_path, file, old, new)
    assert problems
    for problem in problems:
        found = re.match(r"([\w.]+):(\d+): ", problem)
        assert found is not None, problem
        assert found[1] == Path(file).name
        assert line <= int(found[2]) <= line + new.count("\n")
        assert word in problem


SAME = {
    "comments": (STEP, UPDATE, "      /* one step\n         of Euler */\n" + UPDATE),
    "layout": (
        STEP,
        "  const std::int64_t n_x = u_extent[0];\n",
        "  const std::int64_t\n  n_x=u_extent[ 0 ];\n",
    ),
    "line ends of Windows": (STEP, "\n", "\r\n"),
    "layout of a pragma": (STEP, PARALLEL, "#  pragma  omp parallel  for schedule( static )  // rows\n"),
    "another schedule": (STEP, PARALLEL, "#pragma omp parallel for schedule(dynamic, 4) num_threads(2)\n"),
    "parentheses": (STEP, "4.0 * u_row[x]", "(4.0 * (u_row[x]))"),
    "layout of a launch": (CU, "dim3(128, 1, 1),", "\n        dim3(128, 1, 1),"),
    "comment in a kernel": (CUH, CELL, "// one step\n  " + CELL),
}


@pytest.mark.parametrize("name", SAME)
def test_edits_that_change_nothing_are_proved(name: str, tmp_path: Path) -> None:
    assert edited(tmp_path, *SAME[name])[0] == [""]


@pytest.mark.parametrize("precisions", [("f32",), ("f64", "f32")], ids=["float", "template"])
def test_fractions_are_proved(precisions: tuple[str, ...], tmp_path: Path) -> None:
    u, v = fields("u, v: real[2D]")
    thirds = Module("thirds", precisions=precisions)
    thirds.add("step", [Assignment(v.here, Rational(1, 3) * u.here + Rational(2, 7))])
    targets = ("cpu", "cuda")
    thirds.model = Path("model.py")
    write(files(thirds, targets), tmp_path)
    assert [verdict.problem for verdict in proved(thirds, targets, tmp_path)] == [""] * 2 * len(precisions)
    text = tmp_path / "thirds" / "step.cpp"
    text.write_text(re.sub(r"\b3(\.0F)?\b", r"4\1", text.read_text()))
    assert all(verdict.problem for verdict in proved(thirds, ("cpu",), tmp_path))


def check(tmp_path: Path, *options: str) -> int:
    return main(
        ["check", str(ROOT / MODELS["heat"]), "--root", str(ROOT), "--against", str(tmp_path), *options]
    )


@pytest.fixture
def committed(tmp_path: Path) -> Path:
    for folder in ("heat", "heddle"):
        shutil.copytree(ROOT / "generated" / folder, tmp_path / folder)
    return tmp_path


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_an_edited_kernel_reaches_the_proof(committed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its text is another one, so the exit code is 1, and the report says that it does the same."""
    rewrite(committed / STEP, "4.0 * u_row[x]", "(4.0 * u_row[x])")
    assert check(committed) == 1
    said = capsys.readouterr()
    assert "heat/step.cpp: another text, proved to give the same bits" in said.err
    assert "2 of 2 kernels proved" in said.out
    assert check(committed, "--allow-edits") == 0


def test_an_edited_kernel_that_does_something_else(
    committed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(committed / STEP, "4.0 * u_row[x]", "4.5 * u_row[x]")
    assert check(committed, "--allow-edits") == 1
    said = capsys.readouterr()
    assert "heat/step.cpp: another text, not proved" in said.err
    assert "1 of 2 kernels proved" in said.out


def test_files_laid_out_anew(committed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in (STEP, CU, CUH, "heat/heat.h", "heat/heat.hpp", "heddle/device/row.hpp"):
        path = committed / file
        path.write_text(re.sub(r"(?m)^  +", "\t", path.read_text()) + "// laid out by hand\n")
    assert check(committed) == 1
    said = capsys.readouterr()
    assert said.err.count(": other comments or layout\n") == 6
    assert "2 of 2 kernels proved" in said.out
    assert check(committed, "--allow-edits") == 0
    assert check(committed, "--allow-edits", "--text-only") == 0


@pytest.mark.parametrize("file", ["heat/heat.h", "heddle/device/preconditions.hpp"])
def test_no_kernel_is_proved_with_another_header(
    file: str, committed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(committed / file, "#include <", "#define n_x 4\n#include <")
    assert check(committed, "--allow-edits") == 1
    said = capsys.readouterr()
    assert f"it includes {file}, which is not what the model gives" in said.out
    assert "0 of 2 kernels proved" in said.out


def test_a_header_that_hides_another(committed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A quoted include is looked for beside the file first."""
    hidden = committed / "heat" / "heddle" / "device" / "row.hpp"
    hidden.parent.mkdir(parents=True)
    hidden.write_text("")
    assert check(committed, "--allow-edits") == 1
    assert "0 of 2 kernels proved" in capsys.readouterr().out


def test_help_says_what_becomes_of_edited_files(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "A kernel that was laid out anew or edited is read back, too" in said
    assert "--allow-edits" in said


def test_tokens() -> None:
    text = "# /* a\nb */ include <a//b> // c\nint a\\\nb = 1'000;\n%:define x '\\''\n"
    assert [(token.text, token.line) for token in tokens(text, "a.cpp")] == [
        ("#include <a//b>", 1), ("int", 3), ("ab", 3), ("=", 4), ("1'000", 4), (";", 4),
        ("#define x '\\''", 5),
    ]  # fmt: skip


def test_same_tokens() -> None:
    assert same_tokens('extern "C" { int f(); }', 'extern /**/ "C"\n{\nint f( ); // f\n}\n')
    assert not same_tokens('extern "C"', 'extern "C "')
    assert not same_tokens("#define a b", "#define a\nb")
    assert not same_tokens("a = 1;", "a = 1; %>")


@pytest.mark.parametrize(
    "text", ['R"(x)"', 'u8R"(x)"', "a <: 1 :>", "x ??= y", "\f", "int ä;", "x # y", "#define a \\"]
)
def test_what_compilers_read_differently(text: str) -> None:
    with pytest.raises(KernelError, match=r"a\.cpp:1: "):
        tokens(text, "a.cpp")
