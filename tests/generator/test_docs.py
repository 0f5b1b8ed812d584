# SPDX-License-Identifier: Apache-2.0
"""Decisions have one form and an index, who names one names one that exists; measurements have a page."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "generator/docs"
DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
NUMBERS = {page.name[:4] for page in DECISIONS}
FOLDERS = ("generator", "templates", "runtime", "tests", "examples", ".ci")
SUFFIXES = {".py", ".hpp", ".cpp", ".cu", ".h", ".c", ".j2", ".md", ".cmake", ".sh", ".txt", ".f90"}
RESULTS = sorted((ROOT / "tests/benchmarks/results").glob("*.json"))
HEADINGS = ["Context", "Decision", "Consequences", "Status"]
# "decision 0012", "decisions 0012 and 0031", "decisions/0012-..."
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


def test_each_decision_has_its_number() -> None:
    numbers = [path.name[:4] for path in DECISIONS]
    assert len(numbers) == len(set(numbers))
    assert [path.read_text()[2:6] for path in DECISIONS] == numbers


def test_own_parts_say_why_they_are_no_library() -> None:
    """Where a home-made part is written, decision 0143 is named with what was weighed."""
    own_parts = """
        core/hash.hpp core/progress.cpp core/trace.cpp geometry/mesh.cpp geometry/voxelise.cpp
        geometry/zip.hpp io/checkpoint_manifest.hpp io/output.cpp plot/figure.cpp
        poisson/fft/generated_transform.cpp poisson/transform_kernels.cuh solvers/multigrid.hpp
    """
    for part in own_parts.split():
        places = (ROOT / "runtime/src" / part, ROOT / "runtime/include/heddle" / part)
        assert "(decision 0143)" in next(place.read_text() for place in places if place.exists()), part


def test_names_of_decisions_are_found() -> None:
    assert missing("see decisions 0999, 0998 and 0012, decision 0997") == {"0997", "0998", "0999"}
    assert missing("generator/docs/decisions/0996-x.md") == {"0996"}


@pytest.mark.parametrize("folder", ["examples", "generator", "runtime", "templates", "tests"])
def test_a_folder_says_what_is_in_it(folder: str) -> None:
    """One sentence where a reader meets it; `generated` has committed output alone, whose banners say so."""
    title, _, first, *_ = (ROOT / folder / "README.md").read_text().split("\n")
    assert title == f"# {folder.capitalize()}"
    assert first[0].isupper()


def test_the_list_of_examples_is_complete() -> None:
    listed = re.findall(
        r"^\| \[(\w+)\]\(\1/README\.md\)", (ROOT / "examples/README.md").read_text(), re.MULTILINE
    )
    assert sorted(listed) == sorted(path.parent.name for path in ROOT.glob("examples/*/README.md"))


@pytest.mark.parametrize("folder", ["tests", "runtime/include/heddle"])
def test_the_lists_of_folders_are_complete(folder: str) -> None:
    text = (ROOT / folder.partition("/")[0] / "README.md").read_text()
    folders = [
        path.name for path in (ROOT / folder).iterdir() if path.is_dir() and path.name != "__pycache__"
    ]
    assert [name for name in folders if not re.search(rf"\b{name}\b", text)] == []


def report() -> Any:
    path = ROOT / "tests/benchmarks/report.py"
    spec = importlib.util.spec_from_file_location("report", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_measurements_is_what_their_files_say() -> None:
    module = report()
    assert module.PAGE.read_text() == module.page(), "run tests/benchmarks/report.py"
    assert module.PLOT.read_text() == module.plot(), "run tests/benchmarks/report.py"


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_each_measurement_says_where_when_and_how(path: Path) -> None:
    subject = json.loads(path.read_text())
    needed = {"position", "title", "about", "runs"}
    assert needed <= set(subject) <= needed | {"limit_is"}
    limits = 0
    for run in subject["runs"]:
        assert set(run) == {"machine", "date", "commit", "command", "rows"}
        assert all(run[key] for key in ("machine", "command", "rows"))
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", run["date"])
        for row in run["rows"]:
            assert {"what", "value", "unit"} <= set(row) <= {"what", "value", "unit", "limit", "plot"}
            limits += "limit" in row
    assert bool(limits) == ("limit_is" in subject)
    assert [s["position"] for s in report().subjects()] == list(range(1, len(RESULTS) + 1))
