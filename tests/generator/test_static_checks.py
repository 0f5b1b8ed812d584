# SPDX-License-Identifier: Apache-2.0
"""The checks of .ci find the faults that they are for, and nothing in a file that has none."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

CI = Path(__file__).resolve().parents[2] / ".ci"
FIRST = "# SPDX-License-Identifier: Apache-2.0\n"


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(CI))
    return importlib.import_module("static_checks")


@pytest.fixture
def tidy(checks: ModuleType) -> ModuleType:
    return importlib.import_module("tidy")


@pytest.mark.parametrize(
    ("text", "ending", "fault"),
    [
        (FIRST + "x = 1", ".py", ":2: ends with one newline"),
        (FIRST + "x = 1\n\n", ".py", ":4: ends with one newline"),
        (FIRST + "x =\t1\n", ".py", ":2: a tab"),
        (FIRST + "x = 1\r\n", ".py", ":2: a carriage return"),
        (FIRST + "x = 1 \n", ".py", ":2: blanks at the end"),
        (FIRST + f"x = {'1' * 107}\n", ".py", ":2: 111 columns"),
        ("x = 1\n" + FIRST, ".py", ":1: begins with its SPDX"),
        ("#!/bin/sh\n\n" + FIRST, ".sh", ":1: begins with its SPDX"),
    ],
)
def test_faults_of_lines(checks: ModuleType, text: str, ending: str, fault: str) -> None:
    found = list(checks.faults_of_lines(text, ending))
    assert any(line.startswith(fault) for line in found), found


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        (FIRST + f"x = {'1' * 106}\n", ".py"),
        (FIRST + f"x = {'1' * 106}  # type: ignore[arg-type]\n", ".py"),
        ("#!/bin/sh\n" + FIRST, ".sh"),
        ("x" * 200 + "\n", ".md"),
    ],
)
def test_no_faults_of_lines(checks: ModuleType, text: str, ending: str) -> None:
    assert list(checks.faults_of_lines(text, ending)) == []


def test_crowded_folders(checks: ModuleType) -> None:
    everything = [f"a/{i}.cpp" for i in range(35)] + [f"a/{i}.md" for i in range(9)] + ["a/b/c.cpp"]
    assert list(checks.crowded_folders(everything, everything)) == []
    (fault,) = checks.crowded_folders(["a/0.cpp", "a/1.cpp"], [*everything, "a/model.py"])
    assert fault.startswith("a: 36 files")
    assert list(checks.crowded_folders(["a/b/c.cpp"], [*everything, "a/model.py"])) == []


def test_twin_tests(checks: ModuleType) -> None:
    names = [f"tests/generator/{name}.py" for name in ("test_a", "ir/test_b", "models", "ir/models")]
    assert list(checks.twin_tests([*names, "tests/lift/test_a.py"])) == []
    (fault,) = checks.twin_tests([*names, "tests/generator/ir/test_a.py"])
    assert fault.startswith("tests/generator/test_a.py: has the name of tests/generator/ir/test_a.py")


def test_links(checks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text("# D\n")
    (tmp_path / "other.md").write_text("# A `first` heading\n")
    page = "[a](other.md) [b](other.md#a-first-heading) [c](#d) [e](https://example.org)"
    assert list(checks.broken_links("page.md", page)) == []
    for link in ("absent.md", "other.md#second", "#second"):
        assert len(list(checks.broken_links("page.md", f"[a]({link})"))) == 1


@pytest.mark.parametrize(
    ("name", "text", "mended"),
    [("a.py", FIRST + "x = {'a' :1}\n", FIRST + 'x = {"a": 1}\n'), ("a.cpp", "int  a ;\n", "int a;\n")],
)
def test_layout_is_checked_and_mended(
    checks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, mended: str
) -> None:
    monkeypatch.setattr(checks, "SETTINGS", str(checks.ROOT / checks.SETTINGS))
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    (tmp_path / name).write_text(text)
    assert any(name in said for said in checks.check_format([name], False))
    assert list(checks.check_format([name], True)) == []
    assert (tmp_path / name).read_text() == mended
    assert list(checks.check_format([name], False)) == []


def test_a_header_is_checked_through_the_source_of_its_name(
    tidy: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    sources = ["a.cpp", "box.cpp", "main.cpp"]
    (tmp_path / "include").mkdir()
    for name in (*sources, "include/main.cpp"):
        (tmp_path / name).write_text('#include "grid/box.hpp"\n')
    assert tidy.sources_of(["include/grid/box.hpp"], sources) == ["box.cpp"]
    assert tidy.sources_of(["include/grid/box.hpp", "main.cpp"], sources) == ["main.cpp"]
    assert tidy.sources_of(["include/grid/box.hpp"], ["a.cpp", "include/main.cpp"]) == ["include/main.cpp"]
    assert tidy.sources_of(["include/other/box.hpp", "README.md"], sources) == []


def test_each_source_of_a_unity_file_has_a_command(tidy: ModuleType, tmp_path: Path) -> None:
    unity, parts = tmp_path / "Unity" / "unity_0_cxx.cxx", ["/tree/a.cpp", "/tree/b.cpp"]
    unity.parent.mkdir()
    unity.write_text("".join(f'#include "{part}"\n\n' for part in parts))
    build = str(tmp_path)
    whole = {"directory": build, "file": str(unity), "command": f"c++ -O2 -o a.o -c {unity}"}
    alone = {"directory": build, "file": "/tree/c.cpp", "command": "c++ -o c.o -c /tree/c.cpp"}
    expected = [{"directory": build, "file": part, "command": f"c++ -O2 -o a.o -c {part}"} for part in parts]
    assert tidy.single_commands([whole, alone]) == [*expected, alone]
