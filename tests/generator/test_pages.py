# SPDX-License-Identifier: Apache-2.0
"""What pages show is true: Python blocks run, and C++ blocks are lines of the files that they name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from heddle import Module

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *(ROOT / folder / "README.md" for folder in ("examples", "generator", "runtime", "templates", "tests")),
    *sorted((ROOT / "generator/docs").glob("*.md")),
    *sorted((ROOT / "generator/docs/guides").glob("*.md")),
    *sorted((ROOT / "generator/docs/tutorial").rglob("*.md")),
    *sorted((ROOT / "examples").glob("*/README.md")),
]
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMPILED = {"cpp", "c", "cuda", "fortran"}


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Language, file and text of each block with a language."""
    return BLOCK.findall(page.read_text())


def stripped(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def is_part(lines: list[str], whole: list[str]) -> bool:
    return any(whole[i : i + len(lines)] == lines for i in range(len(whole) - len(lines) + 1))


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_blocks_are_lines_of_the_file_that_they_name(page: Path) -> None:
    for language, file, text in blocks(page):
        assert file or language not in COMPILED, f"say of which file this is a part:\n{text}"
        if file:
            assert is_part(stripped(text), stripped((ROOT / file).read_text())), f"not in {file}:\n{text}"


RUN = [page for page in PAGES if any(kind == "python" and not file for kind, file, _ in blocks(page))]


@pytest.mark.parametrize("page", RUN, ids=name)
def test_python_blocks_run(page: Path) -> None:
    """One after the other in one namespace; then each kernel is lowered, as `heddle build` does."""
    known: dict[str, Any] = {}
    for language, file, text in blocks(page):
        if language == "python" and not file:
            exec(compile(text, str(page), "exec"), known)
    modules = [value for value in known.values() if isinstance(value, Module)]
    assert modules
    for module in modules:
        # What a page shows to be refused is caught by the page itself.
        if module.name != "smooth":
            lower(module)


def lower(module: Module) -> None:
    for kernel in module.kernels:
        for precision in module.precisions:
            for target in ("cpu", "cuda"):
                module.stages(kernel, precision, target)


def test_a_block_that_is_elsewhere_is_found() -> None:
    assert is_part(["b", "c"], ["a", "b", "c"])
    assert not is_part(["c", "b"], ["a", "b", "c"])
    assert not is_part(["a", "b", "c", "d"], ["a", "b", "c"])


NAMED = re.compile(r"`((?:generator|templates|runtime|generated|tests|examples|\.ci)/[\w./<>*-]*)`")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_paths_that_a_page_names_exist(page: Path) -> None:
    """<name> stands for any name."""
    named = NAMED.findall(BLOCK.sub("", page.read_text()))
    missing = [path for path in named if not list(ROOT.glob(re.sub(r"<\w+>", "*", path).rstrip("/")))]
    assert missing == []
