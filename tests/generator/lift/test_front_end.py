# SPDX-License-Identifier: Apache-2.0
"""Which front end reads, with which flags, and what is said when it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from heddle.errors import KernelError, Place
from heddle.ir.json import to_json
from heddle.ir.source import Unit
from heddle.lift import front_end
from heddle.lift.clang import recorded_flags
from heddle.lift.front_end import read, read_many


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "input.cpp"
    path.write_text("#ifdef LONG\nlong f() { return LONG; }\n#endif\nint g() { return 1; }\n")
    return path


def _program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def no_lift(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HEDDLE_LIFT", raising=False)
    monkeypatch.setattr(front_end, "_CHECKOUT", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


def test_heddle_lift_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: Path) -> None:
    record = Unit("from heddle-lift", ())
    script = f"echo \"$@\" > {tmp_path}/called\necho '{json.dumps(json.loads(to_json(record)))}'"
    monkeypatch.setenv("HEDDLE_LIFT", str(_program(tmp_path / "lift", script)))
    assert read(text, ["-DLONG=3"], compile_commands=tmp_path) is record
    called = (tmp_path / "called").read_text().split()
    assert called[2:] == ["-p", str(tmp_path), str(text), "--", "-DLONG=3"]
    assert read(text, front_end="clang-json").file == "input.cpp"


def test_the_newest_build_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, no_lift: None) -> None:
    assert front_end.heddle_lift() is None
    program = tmp_path / "build" / "dev" / "bin" / "heddle-lift"
    program.parent.mkdir(parents=True)
    assert front_end.heddle_lift() is None
    _program(program, "exit 1")
    assert front_end.heddle_lift() == program


@pytest.mark.usefixtures("no_lift")
def test_without_any_front_end(text: Path) -> None:
    with pytest.raises(KernelError, match="neither heddle-lift nor a clang") as caught:
        read(text)
    assert "apt-get install clang" in caught.value.hint
    with pytest.raises(KernelError, match="there is no such program"):
        read(text, front_end="heddle-lift")


def test_a_wrong_program_is_named(monkeypatch: pytest.MonkeyPatch, text: Path) -> None:
    monkeypatch.setenv("HEDDLE_LIFT", "/nowhere/heddle-lift")
    with pytest.raises(KernelError, match="/nowhere/heddle-lift is no program"):
        read(text)


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("echo '{'", "Expecting property name"),
        ('echo \'{"node": "Nothing"}\'', "there is no node 'Nothing'"),
        ("true", "it wrote 0 records for 1 files"),
        ("echo 'input.cpp:3:7: error: no such thing' >&2; exit 1", "input.cpp:3: no such thing"),
        ("exit 1", "no reason given"),
        ("kill -9 $$", "no reason given"),
    ],
)
def test_what_heddle_lift_may_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: Path, script: str, what: str
) -> None:
    monkeypatch.setenv("HEDDLE_LIFT", str(_program(tmp_path / "lift", script)))
    with pytest.raises(KernelError, match=what):
        read(text)


def test_errors_of_the_compiler_have_a_place(tmp_path: Path) -> None:
    path = tmp_path / "input.cpp"
    path.write_text("int f() {\n  return missing;\n}\n")
    with pytest.raises(KernelError, match="undeclared identifier 'missing'") as caught:
        read(path, front_end="clang-json")
    assert caught.value.where == Place("input.cpp", 2)


def test_a_missing_header_is_named(tmp_path: Path) -> None:
    path = tmp_path / "input.cpp"
    path.write_text('#include "absent.hpp"\n')
    with pytest.raises(KernelError, match=r"'absent.hpp' file not found"):
        read(path, front_end="clang-json")


@pytest.mark.parametrize("name", ["absent.cpp", "", "a\0b"])
def test_missing_files(tmp_path: Path, name: str) -> None:
    with pytest.raises(KernelError, match="there is no such file"):
        read(f"{tmp_path}/{name}")


def test_a_missing_function(text: Path) -> None:
    with pytest.raises(KernelError, match="there is no function 'f' with a body"):
        read(text, function="f", front_end="clang-json")
    assert read(text, ["-DLONG=3"], function="f", front_end="clang-json").functions[0].key == "f()"


def test_flags_of_a_compilation_database(text: Path) -> None:
    folder = text.parent
    command = {"directory": str(folder), "file": "input.cpp", "command": "c++ -DLONG=7 -o x.o -c input.cpp"}
    (folder / "compile_commands.json").write_text(json.dumps([command]))
    unit = read(text, compile_commands=folder, front_end="clang-json")
    assert [function.key for function in unit.functions] == ["f()", "g()"]
    # Flags of another compiler, and of code generation, do not count.
    nvcc = "nvcc -forward-unknown-to-host-compiler -gencode=arch=compute_90 -O3 -fno-such-flag -MF x.d"
    command["command"] = f"{nvcc} -isystem {folder}/no -D LONG=8 -x cu -c input.cpp -o input.o"
    (folder / "compile_commands.json").write_text(json.dumps([command]))
    assert read(text, compile_commands=folder, front_end="clang-json") is read(text, ["-DLONG=8"])
    assert recorded_flags(str(text), folder)[0] == ["-isystem", f"{folder}/no", "-D", "LONG=8"]
    other = folder / "other.cpp"
    other.write_text("")
    with pytest.raises(KernelError, match="no command for"):
        read(other, compile_commands=folder, front_end="clang-json")


@pytest.mark.parametrize("database", ["", "{}", "[3]", '[{"directory": 1, "file": 2}]'])
def test_broken_databases(text: Path, database: str) -> None:
    (text.parent / "compile_commands.json").write_text(database)
    with pytest.raises(KernelError, match=r"compile_commands\.json"):
        read(text, compile_commands=text.parent, front_end="clang-json")


def test_many_files(text: Path) -> None:
    units = read_many([text, text], front_end="clang-json")
    assert units[0] is units[1]
