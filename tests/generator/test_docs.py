# SPDX-License-Identifier: Apache-2.0
"""Decisions have one form and stand in their index, and each decision that a file names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "generator/docs"
DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
NUMBERS = {page.name[:4] for page in DECISIONS}
FOLDERS = ("generator", "templates", "runtime", "tests", "examples", ".ci")
SUFFIXES = {".py", ".hpp", ".cpp", ".cu", ".h", ".c", ".j2", ".md", ".cmake", ".sh", ".txt", ".f90"}
HEADINGS = ["Context", "Decision", "Consequences", "Status"]
# "decision 0012", "decisions 0012 and 0034", "decisions/0012-..."
NAMED = re.compile(r"\bdecisions?[ /](0\d{3}(?:(?:, | and |, and )0\d{3})*)")


def hand_written() -> list[Path]:
    files = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in FOLDERS:
        files += (ROOT / folder).rglob("*")
    return sorted(path for path in files if path.suffix in SUFFIXES and path.is_file())


def missing(text: str) -> set[str]:
    """The decisions that a text names and that do not exist."""
    return {number for named in NAMED.findall(text) for number in re.findall(r"\d{4}", named)} - NUMBERS


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_has_its_four_parts(page: Path) -> None:
    text = page.read_text()
    assert re.match(rf"# {page.name[:4]} \S", text)
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    assert parts[1::2] == HEADINGS
    assert all(part.strip() for part in parts[2::2])
    assert re.match(r"\s*(Accepted|Superseded by 0\d{3}), \d+ \w+ \d{4}\b", parts[-1])
    # Within a decision a bare number is another one, but for those that it replaces.
    named = set(re.findall(r"\b0\d{3}\b", re.sub(r"Merges [\d, and]+", "", text)))
    assert named <= NUMBERS


def test_each_decision_stands_in_the_index_once_with_its_title() -> None:
    index = (DOCS / "decisions/README.md").read_text()
    listed = re.findall(r"^- \[(\d{4})\]\((.*)\) (.*)$", index, flags=re.MULTILINE)
    heads = [(page.name, page.read_text().partition("\n")[0]) for page in DECISIONS]
    assert sorted(listed) == [(name[:4], name, head.removeprefix(f"# {name[:4]} ")) for name, head in heads]


def test_each_decision_that_a_file_names_exists() -> None:
    own = Path(__file__)
    wrong = {path: missing(path.read_text()) for path in hand_written() if path != own}
    assert {path: numbers for path, numbers in wrong.items() if numbers} == {}


def test_names_of_decisions_are_found() -> None:
    assert missing("see decisions 0999, 0998 and 0012, decision 0997") == {"0997", "0998", "0999"}
    assert missing("generator/docs/decisions/0996-x.md") == {"0996"}
