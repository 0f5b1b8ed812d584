# SPDX-License-Identifier: Apache-2.0
"""heddle-lift as a program: exit status, output, time, and that all versions of LLVM agree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import KERNEL_FLAGS, PROGRAMS, ROOT, Lift, Run
from constructs import CASES
from heddle.ir.json import from_json, to_json
from heddle.lift.schema import header
from random_source import Writer

KERNELS = sorted(
    file for end in ("cpp", "cu", "cuh") for file in (ROOT / "build/dev/generated").rglob(f"*.{end}")
)
if os.environ.get("HEDDLE_TESTS") != "full":
    KERNELS = KERNELS[::7]  # `heddle check` reads those of every second module


def test_the_builder_functions_are_written_from_the_schema() -> None:
    committed = (ROOT / "generator" / "lift" / "nodes.hpp").read_text()
    assert committed == header(), "run: python -m heddle.lift.schema > generator/lift/nodes.hpp"


def test_exit_status(run: Run, tmp_path: Path) -> None:
    good, wrong, absent = tmp_path / "good.cpp", tmp_path / "wrong.cpp", tmp_path / "absent.cpp"
    good.write_text("int f() { return 1; }\n")
    wrong.write_text("int f() { return x; }\nint g() { return }\n")
    assert run(good).returncode == 0
    result = run(good, wrong)
    assert (result.returncode, result.stdout.count("\n")) == (1, 1)
    assert "wrong.cpp:1" in result.stderr
    result = run(absent)
    assert result.returncode == 1
    assert "absent.cpp" in result.stderr
    for arguments in ((), ("--unknown", good), (good, "--function"), ("--", good)):
        result = run(*arguments)
        assert result.returncode == 2
        assert "usage: heddle-lift" in result.stderr
    assert run("--version").stdout.startswith("heddle-lift, LLVM ")


def test_output_is_whole_or_as_before(run: Run, tmp_path: Path) -> None:
    good, wrong, output = tmp_path / "good.cpp", tmp_path / "wrong.cpp", tmp_path / "record.json"
    good.write_text("int f() { return 1; }\n")
    wrong.write_text("int f() { return x; }\n")
    assert run("--output", output, good, good).stdout == ""
    written = output.read_text()
    assert [json.loads(line)["file"] for line in written.splitlines()] == ["good.cpp", "good.cpp"]
    assert run("--output", output, good, wrong).returncode == 1
    assert output.read_text() == written
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["good.cpp", "record.json", "wrong.cpp"]
    assert run("--output", tmp_path / "no" / "record.json", good).returncode == 1


def test_flags_of_a_compilation_database(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "input.cpp"
    file.write_text("#ifdef LONG\nlong f() { return 1; }\n#endif\n")
    command = {
        "directory": str(tmp_path),
        "file": "input.cpp",
        "command": "c++ -D LONG -fno-such-flag -O2 -o input.o -c input.cpp",
    }
    (tmp_path / "compile_commands.json").write_text(json.dumps([command]))
    assert '"key":"f()"' in run("-p", tmp_path, file).stdout
    assert '"functions":[]' in run(file).stdout
    other = tmp_path / "other.cpp"
    other.write_text("int f;\n")
    result = run("-p", tmp_path / "no", other)
    assert (result.returncode, result.stdout) == (1, "")


def test_records_round_trip(lift: Lift) -> None:
    for text, _ in CASES.values():
        unit = lift(text, flags=KERNEL_FLAGS)
        assert from_json(to_json(unit)) is unit


def test_bytes_that_json_cannot_hold(lift: Lift) -> None:
    unit = lift("// \xff\nint f(int a\u0301) { return a\u0301; }\n", 'b\u00e4d".cpp')
    assert unit.file == 'b\u00e4d".cpp'


@pytest.mark.parametrize("text", ["x + " * 3000 + "x", "(" * 200 + "x" + ")" * 200, "-" + " - " * 3000 + "x"])
def test_nesting_has_an_end(lift: Lift, text: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(4000)  # of Python's own JSON reader
    try:
        unit = lift(f"int f(int x) {{ return {text}; }}\n", flags=["-fbracket-depth=10000"])
    finally:
        sys.setrecursionlimit(limit)
    assert [function.key for function in unit.functions] == ["f(i32)"]


def test_a_crash_of_clang_is_an_error_of_one_file(run: Run, tmp_path: Path) -> None:
    deep, good = tmp_path / "deep.cpp", tmp_path / "good.cpp"
    deep.write_text("int f(int x) { return " + "- " * 300000 + "x; }\n")  # more than any stack holds
    good.write_text("int f() { return 1; }\n")
    result = run(deep, good)
    assert (result.returncode, result.stdout.count("\n")) == (1, 1)
    assert f"{deep}: error: Clang stopped" in result.stderr


def processors() -> float:
    """Seconds that children have computed: other work on the machine changes them little."""
    times = os.times()
    return times.children_user + times.children_system


def test_emitted_kernels_take_less_than_half_a_second_each(run: Run) -> None:
    begin = processors()
    result = run(*KERNELS, flags=KERNEL_FLAGS)
    seconds = processors() - begin
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("\n") == len(KERNELS) > 100
    assert seconds < 0.5 * len(KERNELS)


def test_the_real_library_takes_less_than_half_a_second(lift: Lift) -> None:
    headers = ("algorithm", "array", "cmath", "functional", "map", "numeric", "span", "string", "vector")
    text = "".join(f"#include <{header}>\n" for header in headers)
    text += "double f(std::vector<double>& u, std::span<const double> v) { return std::max(v[1], u[0]); }\n"
    lift(text)  # once for the file cache
    begin = processors()
    unit = lift(text)
    assert [function.key for function in unit.functions] == [
        "f(std::vector<double, std::allocator<double>>&, std::span<const double, 18446744073709551615>)"
    ]
    assert processors() - begin < 3.0, "0.5 s on a machine that does nothing else"


def test_all_versions_write_the_same(tmp_path: Path) -> None:
    files = [*KERNELS] if len(PROGRAMS) > 1 else []  # one program alone has read them in a test above
    for number, (text, _) in enumerate(CASES.values()):
        files.append(tmp_path / f"{number}.cpp")
        files[-1].write_text(text)
    with_library = sorted((ROOT / "tests" / "lift").glob("*/input.*"))
    for seed in range(20):
        with_library.append(tmp_path / f"random_{seed}.cpp")
        with_library[-1].write_text(Writer(seed).program())
    for calls in ([*files, "--", *KERNEL_FLAGS], with_library):
        records = {
            subprocess.run([program, *calls], capture_output=True, check=True).stdout for program in PROGRAMS
        }
        assert len(records) == 1
