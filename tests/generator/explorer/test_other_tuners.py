# SPDX-License-Identifier: Apache-2.0
"""T4 read back: what heddle explore wrote is as it was; what Kernel Tuner wrote stands beside it, in the
table, the files and the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from heddle import CacheLines, KernelError, Schedule, Threads
from heddle.__main__ import main
from heddle.explorer.exploration import Exploration, earlier_results, load_results, merge
from heddle.explorer.other_tuners import from_t4
from heddle.explorer.report import _entry
from heddle.explorer.results import read
from heddle.ir.schedule_text import as_text, from_text
from searched import result

OTHERS = {
    "schema_version": "1.0.0",
    "results": [
        {
            "timestamp": "2026-11-01T12:00:00+00:00",
            "configuration": {"block_size_x": 128, "tile": 2},
            "objectives": ["time"],
            "times": {"compilation_time": 800.0, "runtimes": [2.0, 1.0, 3.0], "framework": 1.0,
                      "search_algorithm": 0.0, "validation": 4.0},
            "invalidity": "correct",
            "correctness": 1.0,
            "measurements": [{"name": "time", "value": 2.0, "unit": "ms"}],
        },
        {
            "timestamp": "2026-11-01T12:00:01+00:00",
            "configuration": {"block_size_x": 256, "tile": 2},
            "objectives": ["time"],
            "times": {"compilation_time": 800.0, "runtimes": [], "framework": 1.0, "validation": 4.0,
                      "search_algorithm": 0.0},
            "invalidity": "correct",
            "correctness": 1.0,
            "measurements": [{"name": "time", "value": 900.0, "unit": "us"}],
        },
        {"configuration": {"block_size_x": 512, "tile": 2}, "times": {}, "invalidity": "compile",
         "correctness": 0.0, "measurements": []},
        {"configuration": {"block_size_x": 1, "tile": 9}, "times": {}, "invalidity": "constraints",
         "correctness": 0.0, "measurements": []},
    ],
}  # fmt: skip


@pytest.fixture
def others(tmp_path: Path) -> Path:
    path = tmp_path / "convolution-A100.json"
    path.write_text(json.dumps(OTHERS))
    return path


def test_schedules_are_read_back() -> None:
    for one in (Schedule(), Schedule(CacheLines(4, nontemporal=True), Threads(block=(64, 4, 1)), fma=True)):
        assert from_text("here", as_text(one)) == one
    for text in ("print(1)", "Schedule(cpu=open('x'))", "Schedule(", "4", "Schedule(speed=9)"):
        with pytest.raises(KernelError, match="is no schedule"):
            from_text("here", text)


def test_what_explore_wrote(tmp_path: Path) -> None:
    """All that drift compares, and all that the table shows."""
    before = [
        replace(result(), registers=40, occupancy=0.5, lines=9, stream_schedule=""),
        replace(result(key="b", schedule=Schedule(CacheLines(4), Threads())), state="compile", why="no text",
                seconds=(), stream=(), error=None),
        replace(result(key="c", step="solve"), cycles=12, residual=1e-7),
    ]  # fmt: skip
    Exploration(tuple(before)).write(tmp_path)
    found = from_t4(tmp_path / "results.json")
    assert [one.identity for one in found] == [one.identity for one in before]
    for one, other in zip(found, before, strict=True):
        assert one.seconds == pytest.approx(other.seconds)
        assert one.fraction == pytest.approx(other.fraction)
        same = (
            "state",
            "why",
            "bytes",
            "flops",
            "error",
            "cycles",
            "residual",
            "lines",
            "registers",
            "occupancy",
        )
        assert [getattr(one, name) for name in same] == [getattr(other, name) for name in same]
    now = replace(before[0], seconds=(4e-6, 2e-6, 6e-6))
    changes = Exploration((now,), earlier=earlier_results(tmp_path / "results.json")).drift
    assert [(one.kind, one.times) for one in changes] == [("slower", pytest.approx(2))]


def test_results_of_another_tuner(others: Path, tmp_path: Path) -> None:
    first, second, third = from_t4(others)
    assert (first.machine, first.module, first.target) == ("convolution-A100", "convolution_A100", "cuda")
    assert first.tuned == {"block_size_x": "128", "tile": "2"}
    assert first.seconds == (2e-3, 1e-3, 3e-3)
    assert second.seconds == (9e-4,)
    assert (third.state, third.seconds) == ("compile", ())
    (tmp_path / "metadata.json").write_text(
        json.dumps({"metadata": {"hardware": {"hardware_description": [{"name": "A100", "target": "cuda"}]}}})
    )
    assert from_t4(others)[0].machine == "A100"
    entry = _entry(0, first, -1)
    assert entry["options"] == first.tuned
    assert entry["time"] == pytest.approx(2e6)
    assert "percent" not in entry
    assert "Another tuner" in entry["hint"]


def test_both_in_one_report(others: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    from heddle.explorer.results import append

    append(here, result())
    both = merge([here, others], tmp_path / "both")
    assert len(both.results) == 4
    assert read(tmp_path / "both") == list(both.results)
    assert set(both.schedules()["machines"]) == {"here"}
    assert "block_size_x=128, tile=2" in both.table()
    assert both.best("run").nanoseconds_per_cell == pytest.approx(9e5)
    assert (tmp_path / "both/report.html").stat().st_size < 300_000
    again = load_results([tmp_path / "both/results.json"])
    assert {one.identity for one in again.results} == {one.identity for one in both.results}
    assert (
        main(["explore", "--merge", str(here), str(others), "--out", str(tmp_path / "command")]) == 1
    )  # one is wrong


@pytest.mark.parametrize("wrong", ["{}", "[]", "{", '{"results": [{"configuration": {}}]}'])
def test_what_is_no_t4(wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(wrong)
    with pytest.raises(KernelError, match=r"this is no file of results in T4"):
        earlier_results(path)
    entry: dict[str, Any] = {**OTHERS["results"][0], "invalidity": "odd"}  # type: ignore[dict-item]
    path.write_text(json.dumps({"results": [entry]}))
    with pytest.raises(KernelError, match="'odd' is no state"):
        from_t4(path)


@pytest.mark.parametrize(("name", "module"), [
    ("convolution-A100", "convolution_A100"), ("2mm-A100", "t4_2mm_A100"), ("\u00fcber", "ber"), ("--", "t4"),
])  # fmt: skip
def test_files_of_any_name_can_be_read_again(name: str, module: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.json"
    file.write_text(json.dumps(OTHERS))
    assert {one.module for one in merge([file], tmp_path / "merged").results} == {module}
    assert {one.module for one in load_results([tmp_path / "merged"]).results} == {module}
