# SPDX-License-Identifier: Apache-2.0
"""`heddle new`: what it writes and refuses. tests/cmake/new.sh builds and runs what it writes."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from heddle.__main__ import main
from heddle.build import load
from heddle.commands import new

ROOT = Path(__file__).resolve().parents[3]


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a refused command prints."""
    assert main(["new", *arguments]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    return output.err


@pytest.mark.parametrize("kind", new.KINDS)
def test_a_project(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "warm"
    assert main(["new", str(project), "--kind", kind]) == 0
    files = {path.name for path in project.iterdir()}
    assert files == {"model.py", ".gitignore", "README.md"} | (
        {"CMakeLists.txt", "main.cpp", "plane.hpp", "test.cpp"}
        if kind == "cmake"
        else {"run.py", "test_model.py"}
    )
    printed = capsys.readouterr().out
    assert f"heddle: wrote {project}: {', '.join(sorted(files))}\nNext:\n" in printed
    for command in ("pip install numpy pytest", "python run.py", "python -m pytest") * (kind == "python"):
        assert f"\n  {command}\n" in printed
        assert f"\n{command}" in (project / "README.md").read_text()
    for path in project.iterdir():
        text = path.read_text()
        assert "SPDX" not in text, "what is written belongs to its user"
        assert "{" + "{" not in text
        assert text.endswith("\n")
        assert not text.startswith("\n")
        assert max(map(len, text.splitlines())) <= 110
        assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600
    module = load(project / "model.py")
    assert (module.name, list(module.kernels)) == ("warm", ["step"])
    assert not list(tmp_path.glob(".*"))


def test_templates_are_all_used() -> None:
    templates = {
        str(path.relative_to(ROOT / "templates/project"))
        for path in (ROOT / "templates/project").rglob("*.j2")
    }
    assert templates == {template for kind in new.KINDS for template in new.templates(kind).values()}


@pytest.mark.parametrize(
    ("name", "reason", "instead"),
    [
        ("a-b", "it is not a valid C++ identifier", "a_b"),
        ("3d", "it is not a valid C++ identifier", "my_3d"),
        ("wärme", "it is not a valid C++ identifier", "w_rme"),
        ("class", "C++, its headers or emitted files use this word themselves", "my_class"),
        ("_flow", "it begins with _", "flow"),
        ("test", "CMake has a target of that name", "my_test"),
        ("math", "its header would hide the system's <math.h>", "my_math"),
        ("Plane", "one of its own files has that name", "my_Plane"),
        ("x" * 65, "it has 65 letters, at most 64 are allowed", "x" * 61),
    ],
)
def test_bad_names(
    name: str, reason: str, instead: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / name
    assert said([str(project)], capsys) == (
        f"heddle: new {project}: '{name}' cannot be the name of a project: {reason}.\n"
        f"  Hint: choose another name, such as {instead}\n"
    )
    assert not list(tmp_path.iterdir())
    assert main(["new", str(tmp_path / instead)]) == 0, "what the hint names is taken"


@pytest.mark.parametrize("there", ["file", "folder", "link to nothing"])
def test_what_exists_is_left_alone(there: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "warm"
    {
        "file": lambda: project.write_text("mine"),
        "folder": lambda: project.mkdir(),
        "link to nothing": lambda: project.symlink_to("nothing"),
    }[there]()
    before = os.lstat(project)
    assert said([str(project)], capsys) == (
        f"heddle: new {project}: '{project}' is there already; nothing was changed.\n"
        "  Hint: choose another name, or remove it\n"
    )
    assert os.lstat(project) == before
    assert os.listdir(tmp_path) == ["warm"]


def test_no_folder_around(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "no where" / "warm"
    assert said([str(project)], capsys) == (
        f"heddle: new {project}: the folder '{project.parent}' is not there.\n"
        f"  Hint: make it: mkdir -p '{project.parent}'\n"
    )


def test_nothing_half_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full when the third file is written."""
    written: list[Path] = []
    write = Path.write_text

    def full(path: Path, text: str) -> int:
        written.append(path)
        if len(written) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", full)
    assert "No space left on device" in said([str(tmp_path / "warm")], capsys)
    assert len(written) == 3
    assert not list(tmp_path.iterdir())
