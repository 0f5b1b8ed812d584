# SPDX-License-Identifier: Apache-2.0
"""Which heddle-lift reads, with which flags, and what is said when it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from heddle.__main__ import main
from heddle.errors import KernelError, Place
from heddle.ir.json import to_json
from heddle.ir.source import Unit
from heddle.lift import front_end
from heddle.lift.front_end import heddle_lift, read

ROOT = Path(__file__).resolve().parents[3]


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


def test_the_environment_names_the_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: Path
) -> None:
    record = Unit("from heddle-lift", ())
    script = f"echo \"$@\" > {tmp_path}/called\necho '{json.dumps(json.loads(to_json(record)))}'"
    monkeypatch.setenv("HEDDLE_LIFT", str(_program(tmp_path / "lift", script)))
    assert read(text, ["-DLONG=3"], compile_commands=tmp_path) is record
    called = (tmp_path / "called").read_text().split()
    assert called[2:] == ["-p", str(tmp_path), str(text), "--", "-DLONG=3"]


def test_the_newest_build_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, no_lift: None) -> None:
    program = tmp_path / "build" / "dev" / "bin" / "heddle-lift"
    program.parent.mkdir(parents=True)
    with pytest.raises(KernelError, match="not built"):
        heddle_lift()
    _program(program, "exit 1")
    assert heddle_lift() == program


@pytest.mark.usefixtures("no_lift")
@pytest.mark.parametrize(
    "words",
    [
        ["lift", "{text}", "--function", "g"],
        ["lift", "{text}", "--report"],
        ["check", "{model}", "--against", "{generated}"],
    ],
)
def test_commands_without_heddle_lift(
    text: Path, tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"text": text, "model": ROOT / "examples/first_kernel/model.py", "generated": tmp_path}
    assert main([word.format_map(places) for word in words]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("is not built") == 1
    assert "libclang-19-dev llvm-19-dev clang-19" in said.err
    assert "--target heddle-lift" in said.err


def test_a_wrong_program_is_named(monkeypatch: pytest.MonkeyPatch, text: Path) -> None:
    monkeypatch.setenv("HEDDLE_LIFT", "/nowhere/heddle-lift")
    with pytest.raises(KernelError, match="/nowhere/heddle-lift is not an executable file"):
        read(text)


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("echo '{'", "Expecting property name"),
        ('echo \'{"node": "Nothing"}\'', "there is no node 'Nothing'"),
        ("true", "it wrote 0 records for one file"),
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
        read(path)
    assert caught.value.where == Place("input.cpp", 2)


def test_a_missing_header_is_named(tmp_path: Path) -> None:
    path = tmp_path / "input.cpp"
    path.write_text('#include "absent.hpp"\n')
    with pytest.raises(KernelError, match=r"'absent.hpp' file not found"):
        read(path)


@pytest.mark.parametrize("name", ["absent.cpp", "", "a\0b"])
def test_missing_files(tmp_path: Path, name: str) -> None:
    with pytest.raises(KernelError, match="the file does not exist"):
        read(f"{tmp_path}/{name}")


def test_a_missing_function(text: Path) -> None:
    with pytest.raises(KernelError, match="there is no function 'f' with a body"):
        read(text, function="f")
    assert read(text, ["-DLONG=3"], function="f").functions[0].key == "f()"


def test_flags_of_a_compilation_database(text: Path) -> None:
    folder = text.parent
    command = {"directory": str(folder), "file": "input.cpp", "command": "c++ -DLONG=7 -o x.o -c input.cpp"}
    (folder / "compile_commands.json").write_text(json.dumps([command]))
    unit = read(text, compile_commands=folder)
    assert [function.key for function in unit.functions] == ["f()", "g()"]
    # Flags of another compiler, and of code generation, do not count.
    nvcc = "nvcc -forward-unknown-to-host-compiler -gencode=arch=compute_90 -O3 -fno-such-flag -MF x.d"
    command["command"] = f"{nvcc} -isystem {folder}/no -D LONG=8 -x cu -c input.cpp -o input.o"
    (folder / "compile_commands.json").write_text(json.dumps([command]))
    assert read(text, compile_commands=folder) is read(text, ["-DLONG=8"])
    # A file that is not listed is read as the listed one that is most like it.
    other = folder / "other.cpp"
    other.write_text("long h() { return LONG; }\n")
    assert read(other, compile_commands=folder).functions[0].key == "h()"


@pytest.mark.parametrize("database", ["", "{}", "[3]", "[]", '[{"directory": 1, "file": 2}]'])
def test_broken_databases(text: Path, database: str) -> None:
    (text.parent / "compile_commands.json").write_text(database)
    with pytest.raises(KernelError, match=r"compile_commands\.json"):
        read(text, compile_commands=text.parent)
