# SPDX-License-Identifier: Apache-2.0
"""The explored spaces that are kept in the repository, and their page."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from heddle import Assignment, Module, Schedule, Strips, Threads, fields
from heddle.explorer.results import Result, append
from heddle.explorer.space import space as all_points
from searched import OWN, result, stencil


@pytest.fixture
def spaces(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    return importlib.import_module("explored_spaces")


@pytest.fixture
def kept(spaces: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Keeps results as those of the only space; gives the rows of its page's tables, under their heads."""
    own = replace(spaces.SPACES[0], name="heat", variants=lambda: {"": stencil()}, options={})
    monkeypatch.setattr(spaces, "RESULTS", tmp_path)
    monkeypatch.setattr(spaces, "SPACES", (own,))

    def keep(*results: Result) -> list[list[str]]:
        for number, one in enumerate(results):
            append(tmp_path / "heat" / one.target, replace(one, key=str(number)))
        lines = [line for line in spaces.page().splitlines() if line.startswith(("here", "| step"))]
        return [line.strip("| ").split(" | ") for line in lines]

    return keep


def test_the_spaces_that_are_kept(spaces: ModuleType) -> None:
    """All candidates were right; of D3Q19 the bytes are those of 19 populations; the page is in step."""
    for space in spaces.SPACES:
        found = spaces.kept(space)
        assert found is not None, space.name
        assert not found.wrong
        for one in found.correct:
            assert 0 < one.fraction < 2
            if space.name == "d3q19" and "moments" not in one.variant:
                assert one.bytes == 2 * 19 * {"f64": 8, "f32": 4, "f16": 2}[one.precision]
            assert (one.registers > 0) == (one.target == "cuda")
    assert spaces.PAGE.read_text() == spaces.page()


def test_sizes_have_tables_of_their_own(kept: Any) -> None:
    small, large = result(schedule=OWN), result(schedule=OWN, extent=(20, 10))
    first, one, second, other = kept(small, large)
    assert first == ["here, 10x10, 2026-11-27:"]
    assert second == ["here, 20x10, 2026-11-27:"]
    assert (one[3], other[3]) == ("20", "10")
    assert one[-1].endswith("of 1")


def test_results_of_older_code_do_not_count(kept: Any) -> None:
    """Where they were faster, and wherever they stand in the file."""
    new = result(schedule=OWN, timestamp="2026-11-29T12:00:00+00:00")
    _, row = kept(new, result(schedule=OWN, seconds=(1e-7,)))
    assert row[3] == "20"
    assert row[-1].endswith("of 1")


def test_chosen_is_what_schedule_chooses(kept: Any) -> None:
    strips = result(schedule=Schedule(Strips(16), OWN.gpu), seconds=(1e-6,))
    _, row = kept(
        strips, replace(strips, schedule=Schedule(OWN.cpu, Threads(block=(64, 1, 1))), seconds=(3e-6,))
    )
    assert row[3:5] == ["10", "30"]


def test_chosen_is_empty_where_it_has_no_time(kept: Any) -> None:
    strips = result(schedule=Schedule(Strips(16), Threads()))
    _, row = kept(result(schedule=OWN, state="timeout", seconds=(), stream=()), strips)
    assert row[3:5] == ["20", ""]


def test_a_step_has_a_name() -> None:
    """Kernels `_even` and `_odd` are no step without a name, which results refuse."""
    u, v = fields("u, v: real[2D]")
    module = Module("heat", precisions=("f64",))
    for name in ("_even", "_odd"):
        module.add(name, [Assignment(v.here, u.here)])
    found = all_points({"": module}, "cpu", 64, schedules=[Schedule()])
    assert [one.step for one in found.candidates] == ["_even", "_odd"]
