# SPDX-License-Identifier: Apache-2.0
"""Retired words (generator/docs/glossary.md) come back neither as identifiers nor as names of files."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import heddle
import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "generator/docs/glossary.md"
FOLDERS = ("generator", "templates", "runtime", "tests", "examples")
CPP = {".hpp", ".cpp", ".cu", ".cuh", ".h", ".c", ".j2"}
FOREIGN = re.compile(r"tests/lift/[^/]+/input\.c")
"""Loops as others write them."""
TEXT = re.compile(
    r"//[^\n]*|/\*.*?\*/|\{#.*?#\}|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9A-Za-z])'(?:\\.|[^'\\\n])+'", re.DOTALL
)
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+")


def words(identifier: str) -> tuple[str, ...]:
    """`LoadLinks`, `load_links` and `LOAD_LINKS` are load, links."""
    return tuple(part.lower() for part in PART.findall(identifier))


def retired() -> set[tuple[str, ...]]:
    table = GLOSSARY.read_text().partition("## Retired words")[2]
    rows = [line.split("|")[2] for line in table.splitlines() if line.startswith("| ")][1:]
    return {words(word) for row in rows for word in re.findall(r"`(\w+)`", row)}


def found(identifier: str, refused: set[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The retired word within an identifier, if there is one: its parts stand in it one after the other."""
    parts = words(identifier)
    for length in {len(word) for word in refused}:
        for begin in range(len(parts) - length + 1):
            if parts[begin : begin + length] in refused:
                return parts[begin : begin + length]
    return None


def identifiers(path: Path) -> Iterator[str]:
    """The words of a source that name something; comments and strings say what they like."""
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(path.read_text()).readline)
        yield from (token.string for token in tokens if token.type == tokenize.NAME)
    elif path.suffix in CPP:
        yield from re.findall(r"[A-Za-z_]\w*", TEXT.sub(" ", path.read_text()))


def sources(folder: str) -> list[Path]:
    paths = [
        path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    return sorted(path for path in paths if not FOREIGN.match(str(path.relative_to(ROOT))))


@pytest.mark.parametrize("folder", FOLDERS)
def test_retired_words_stay_away(folder: str) -> None:
    refused = retired()
    wrong = set()
    for path in sources(folder):
        for name in {path.stem, *identifiers(path)}:
            if word := found(name, refused):
                wrong.add(f"{path.relative_to(ROOT)}: {name}: {'_'.join(word)}")
    assert not wrong, "generator/docs/glossary.md says what to write instead:\n" + "\n".join(sorted(wrong))


def test_words_are_found() -> None:
    refused = {("load", "links"), ("held",)}
    assert words("HTMLPage2_of") == ("html", "page", "2", "of")
    assert found("LoadLinks", refused) == found("_load_links_", refused) == ("load", "links")
    assert found("HELD_CELLS", refused) == ("held",)
    assert found("reload_linked", refused) is found("withheld", refused) is None


def test_what_counts_within_a_block_says_so() -> None:
    assert {"block_coordinates", "block_extents"} <= set(heddle.__all__)
    assert not {"coordinates", "extents"} & set(heddle.__all__)


def test_the_glossary_has_retired_words() -> None:
    assert len(retired()) > 30
    assert ("lines", "ahead") in retired()
