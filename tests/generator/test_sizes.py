# SPDX-License-Identifier: Apache-2.0
"""How large some files, folders and sets may become: what grows beyond is cut, not the number raised."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from heddle.ir import nodes

ROOT = Path(__file__).resolve().parents[2]
LINES = {
    "README.md": 150,
    "examples/clouds/model.py": 300,
    "generated/wind/wind_sweeps.hpp": 150,
    "generator/heddle/ir/nodes.py": 450,
    "tests/golden/d3q27_dense/pull.cpp": 450,
}
SPACES = {"Cells", "Dense", "PackRegions", "Space", "Sparse"}


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


@pytest.mark.parametrize("path", LINES)
def test_lines_of_a_file(path: str) -> None:
    assert lines(ROOT / path) <= LINES[path]


def test_generated_is_what_is_shipped() -> None:
    files = [path for path in (ROOT / "generated").rglob("*") if path.is_file()]
    assert len(files) <= 350
    assert sum(map(lines, files)) <= 75_000


def test_kinds_of_nodes() -> None:
    classes = [
        one for one in vars(nodes).values() if isinstance(one, type) and one.__module__ == nodes.__name__
    ]
    assert 20 < len(classes) <= 30


def asks_for_a_space(call: ast.Call) -> bool:
    """Whether this is isinstance(..., Dense) or the like, with one class or several."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "isinstance"):
        return False
    named = (node.id if isinstance(node, ast.Name) else node.attr for node in ast.walk(call.args[1])
             if isinstance(node, ast.Name | ast.Attribute))  # fmt: skip
    return not SPACES.isdisjoint(named)


def test_spaces_answer_for_themselves() -> None:
    """What differs between spaces is a method of theirs, so few places ask which one it is."""
    found = [
        f"{path}:{node.lineno}"
        for path in sorted((ROOT / "generator/heddle").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and asks_for_a_space(node)
    ]
    assert 5 < len(found) <= 20, "\n".join(found)
