# SPDX-License-Identifier: Apache-2.0
"""Searches from the model to the files: a stencil and D2Q9 on few cells. What is wrong is never timed."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
from pathlib import Path
from typing import Any

import heddle
import numpy as np
import pytest
from heddle import KernelError, Module, Schedule, Strips, fields
from heddle.__main__ import main
from heddle.explorer import built, space
from heddle.explorer.exploration import Exploration, merge
from heddle.explorer.lists import balls
from heddle.explorer.measure import SMALL
from heddle.explorer.results import FILE, read, read_file
from heddle.explorer.variants import lattice_boltzmann
from heddle.ir.schedule_text import part_text
from heddle.python import load
from heddle.python.load import Kernels
from heddle.solvers import relaxation
from searched import OWN, SCHEDULES, explored, stencil

pytestmark = pytest.mark.compiles


def test_all_candidates_are_checked_and_timed(heat: Exploration) -> None:
    assert [(r.precision, r.schedule) for r in heat.results] == [
        (p, stencil().kernels["step"].closed(s)) for p in ("f64", "f32") for s in SCHEDULES
    ]
    for result in heat.results:
        assert result.state == "correct"
        assert len(result.seconds) == len(result.stream) == 3
        assert min(result.seconds) > 0
        size = {"f64": 8, "f32": 4}[result.precision]
        assert (result.bytes_read, result.bytes_written) == (
            size,
            size,
        )  # u is read once, u_next written once
        assert result.lines > 20
        assert result.compilation > 0
        assert result.object_bytes > 0
        assert result.peak > 0
        assert result.own == (result.schedule == OWN)
        assert result.rounds_alike == (not result.schedule.fma)
    assert [r.write_allocate for r in heat.results] == [8, 0, 4, 0]


def test_errors_are_those_of_numpy(heat: Exploration) -> None:
    """Relative to f64, of an f32 stencil computed by NumPy in the kernel's order."""
    u = np.random.default_rng(7).uniform(0.005, 0.015, (300, 300)).astype("f4")

    def step(u: Any, alpha: Any) -> Any:
        around = u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1]
        return u[1:-1, 1:-1] + alpha * (around - u.dtype.type(4) * u[1:-1, 1:-1])

    exact = step(u.astype("f8"), 0.1)
    expected = math.sqrt(np.mean((step(u, np.float32(0.1)) - exact) ** 2) / np.mean(exact**2))
    for result in heat.results:
        assert result.error is not None
        if result.precision == "f32":
            assert result.error == pytest.approx(expected, rel=0.5)
        else:
            assert result.error == 0


def test_the_files(heat: Exploration) -> None:
    folder = heat.folder
    assert folder is not None
    t4 = json.loads((folder / "results.json").read_text())
    assert t4["schema_version"] == "1.0.0"
    assert len(t4["results"]) == 4
    states = {"timeout", "compile", "runtime", "correctness", "constraints", "correct"}
    for entry in t4["results"]:
        assert {"configuration", "times", "invalidity", "correctness"} <= set(entry)
        assert entry["invalidity"] in states
        assert isinstance(entry["correctness"], float)
        times = entry["times"]
        assert set(times) == {"compilation_time", "runtimes", "framework", "search_algorithm", "validation"}
        assert all(isinstance(value, float) for name, value in times.items() if name != "runtimes")
        for measured in entry["measurements"]:
            assert set(measured) == {"name", "value", "unit"}
            assert isinstance(measured["value"], (int, float, str))
        assert set(entry["objectives"]) <= {measured["name"] for measured in entry["measurements"]}
    best = json.loads((folder / "schedules.json").read_text())
    kernel = best["machines"]["here"]["cpu"]["heat"][""]["step"]
    assert set(kernel) == {"f64", "f32"}
    assert all(
        "fma" not in entry["schedule"] for entry in (*kernel["f64"], *kernel["f32"])
    )  # rounds as asked
    assert (folder / "report.html").stat().st_size < 300_000
    (cache,) = (folder / "kernel_tuner").iterdir()
    tuned = json.loads(cache.read_text())
    assert tuned["tune_params"] == {
        "precision": ["f64", "f32"],
        "cpu.kind": ["Rows", "CacheLines"],
        "cpu.nontemporal_from": ["32", "-"],
        "cpu.prefetch_distance": ["-", "4"],
        "cpu.nontemporal": ["-", "True"],
    }
    assert list(tuned["cache"]) == [
        *("f64,Rows,32,-,-", "f64,CacheLines,-,4,True", "f32,Rows,32,-,-", "f32,CacheLines,-,4,True")
    ]
    for entry, result in zip(tuned["cache"].values(), heat.results, strict=True):
        assert entry["time"] == pytest.approx(result.time * 1e3)
    assert f"f64 {heat.results[0].shown} (own)" in heat.table()
    assert heat.results[0].shown == f"Schedule(cpu={part_text(OWN.cpu)})"


def test_an_interrupted_search_is_taken_up(heat: Exploration, tmp_path: Path) -> None:
    assert heat.folder is not None
    lines = (heat.folder / FILE).read_text().splitlines(keepends=True)
    (tmp_path / FILE).write_text("".join(lines[:2]) + lines[2][:100])
    (tmp_path / "kept.jsonl").write_text("".join(lines[:2]))
    found = explored(out=tmp_path)
    assert [r.key for r in found.results] == [r.key for r in heat.results]
    kept = {r.key for r in read_file(tmp_path / "kept.jsonl")}
    assert len(kept) == 2
    for now, before in zip(found.results, heat.results, strict=True):
        assert now == before if now.key in kept else now.seconds != before.seconds
        assert now.timestamp >= before.timestamp
    assert {r.key for r in read(tmp_path)} == {r.key for r in heat.results}


MISTAKES = {16: "3.0", 32: "(__builtin_trap(), 4.0)", 64: "no_such_name"}
"""By the size of strips: what their kernels have in place of 4.0."""


def test_what_is_wrong_is_never_timed(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_cache.is_dir()

    def job_of(module: Any, target: str) -> Any:
        job = load.job_of(module, target)
        size = getattr(module.kernels["step"].schedule.cpu, "size", 0) if "step" in module.kernels else 0
        text = job.texts.get("heat/step.cpp", "")
        texts = dict(job.texts)
        if size:
            assert "4.0" in text
            texts["heat/step.cpp"] = text.replace("4.0", MISTAKES[size])
        return dataclasses.replace(job, texts=texts)

    monkeypatch.setattr(built, "job_of", job_of)
    wrong = [Schedule(cpu=Strips(size)) for size in MISTAKES]
    found = explored(schedules=[Schedule(), *wrong], precisions=["f64"])
    good, other, crash, text = found.results
    assert [r.state for r in found.results] == ["correct", "correctness", "runtime", "compile"]
    assert all(r.seconds == r.stream == () and r.error is None for r in found.wrong)
    assert "'u_next' differs in 335 of" in other.why  # all cells of the small box, 67 x 5
    assert "SIGILL" in crash.why
    assert "no_such_name" in text.why
    assert found.correct == [good]
    assert found.best() == good
    assert "correctness: step f64 Schedule(cpu=Strips(16), gpu=" in found.table()
    assert [entry["invalidity"] for entry in found.t4()["results"]][1] == "correctness"


def test_a_known_solution(own_cache: Path) -> None:
    """A wave that is an eigenvector of the step: it shrinks by 1 - 4 alpha sin(k / 2)^2."""
    assert own_cache.is_dir()
    wave = np.cos(2 * np.pi * np.arange(24) / 24) * np.ones((8, 1))

    def distance(kernels: Kernels, precision: str) -> float:
        u, result = np.zeros((2, 10, 26), {"f64": "f8", "f32": "f4"}[precision])
        u[1:-1, 1:-1] = wave
        for _ in range(20):
            heddle.periodic(u)
            kernels.step(u=u, u_next=result, alpha=0.1, ghosts=1)
            u, result = result, u
        factor = 1 - 4 * 0.1 * math.sin(np.pi / 24) ** 2
        return float(abs(u[1:-1, 1:-1] - factor**20 * wave).max())

    double, single = explored(schedules=[Schedule()], accuracy=distance).results
    assert double.error is not None
    assert single.error is not None
    assert double.error < 1e-14 < 1e-8 < single.error < 1e-6


def test_a_pattern_in_place(own_cache: Path) -> None:
    """D2Q9: the two kernels of AA are one step."""
    assert own_cache.is_dir()
    found = heddle.explore(
        variants=lattice_boltzmann("D2Q9", ("BGK",), ("AA",), ("f32",), Schedule(fma=True)),
        schedules=[Schedule(fma=True), Schedule(fma=True, cpu=Strips(16))],
        sizes=["16x9"],
        values={"omega": 1.6},
        samples=4,
        search="halving",
        quiet=True,
    )
    assert sorted((r.state, r.variant, len(r.seconds)) for r in found.results) == [
        ("correct", "BGK, AA", 3),  # the slower one
        ("correct", "BGK, AA", 4),
    ]
    for result in found.results:
        assert result.bytes == 2 * 9 * 4
        assert result.write_allocate == 0
        assert 0 < (result.error or 0) < 1e-6
        assert result.rounds_alike


def test_a_list_of_cells(own_cache: Path) -> None:
    """D2Q9 in place over the cells of a mask, and of a porous medium where none is given."""
    assert own_cache.is_dir()
    made = lattice_boltzmann("D2Q9", ("BGK",), ("AA",), ("f32",), spaces=("list",))

    def mask(shape: tuple[int, ...]) -> Any:
        assert (
            shape == {True: (9, 40), False: SMALL[1::-1]}[shape[1] == 40]
        )  # what is timed, and what is checked
        return np.arange(np.prod(shape)).reshape(shape) % 5 != 0

    chosen: dict[str, Any] = {"variants": made, "sizes": ["40x9"], "samples": 2, "quiet": True}
    wanted = [Schedule(), Schedule(cpu=Strips(16))]
    found = heddle.explore(**chosen, schedules=wanted, values={"omega": 1.6, "fluid": mask})
    assert [(r.state, r.listed, r.cells) for r in found.results] == [("correct", 288, 288)] * 2
    assert found.results[0].bytes == 2 * 9 * 4 + 8 * 4 / 2  # the odd step reads eight entries of the table
    assert found.results[0].nanoseconds_per_cell == pytest.approx(found.results[0].time / 288 * 1e9)
    porous = heddle.explore(**chosen, schedules=wanted[:1], values={"omega": 1.6})
    assert porous.results[0].listed == balls((9, 40)).sum()
    assert 0.5 < balls((60, 60)).mean() < 0.9
    with pytest.raises(KernelError, match="'fluid' is a list of cells, not a number"):
        heddle.explore(**chosen, schedules=wanted[:1], values={"fluid": 1})


def test_fields_split_by_colour(own_cache: Path) -> None:
    """Both layouts of red-black relaxation are checked and timed."""
    assert own_cache.is_dir()

    def equation(split: bool) -> relaxation.Equation:
        phi, right = fields("phi, right: real[2D]", split=split)
        return relaxation.poisson(phi, right)

    found = heddle.explore(
        variants={name: _sweep(equation(name == "split")) for name in ("rows", "split")},
        schedules=[Schedule(colours=2)],
        sizes=["16x9"],
        values={"omega": 1.5},
        samples=2,
        quiet=True,
    )
    assert [(r.variant, r.state) for r in found.results] == [("rows", "correct"), ("split", "correct")]
    assert all(0 < (r.error or 0) < 1e-6 for r in found.results)


def _sweep(equation: relaxation.Equation) -> Module:
    module = Module("relaxation", precisions=("f32",))
    module.add("sweep", equation.sor(), schedule=Schedule(colours=2))
    return module


def test_results_of_two_machines(heat: Exploration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert heat.folder is not None
    there = tmp_path / "there"
    explored(out=there, name="there", schedules=SCHEDULES[:1], precisions=["f64"])
    both = merge([heat.folder, there], tmp_path / "both")
    assert len(both.results) == 5
    assert set(both.schedules()["machines"]) == {"here", "there"}
    again = merge([there, heat.folder], tmp_path / "both")
    assert len(again.results) == len((tmp_path / "both" / FILE).read_text().splitlines()) == 5
    assert again.texts == heat.texts
    monkeypatch.chdir(tmp_path)
    assert main(["explore", "--merge", "there", "both", "--out", "command"]) == 0
    assert (tmp_path / "command/report.html").is_file()


def test_the_command(
    own_cache: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert own_cache.is_dir()
    monkeypatch.setattr(space, "tried", lambda own, *_: [own])
    (tmp_path / "searched.py").write_text("from searched import stencil\nheat = stencil()\n")
    words = ["explore", str(tmp_path / "searched.py"), "--size", "24x10", "--samples", "1", "--name", "here"]
    words += ["--set", "alpha=0.1", "--out", str(tmp_path / "out"), "--precisions", "f64"]
    monkeypatch.setattr(os, "getloadavg", lambda: (21.4, 20.0, 20.0))
    assert main([*words, "f32", "--budget", "0.0000001"]) == 0  # one was timed
    said = capsys.readouterr()
    assert "minutes were over; candidates left: 1.\n  Hint: the same" in said.out
    assert "heddle: other programs used this machine (load 21 on " in said.out
    monkeypatch.setattr(os, "getloadavg", lambda: (0.4, 20.0, 20.0))
    assert main(words) == 0
    said = capsys.readouterr()
    assert "other programs" not in said.out
    assert f" f64 Schedule(cpu={part_text(OWN.cpu)}) (own)\n" in said.out
    assert "report.html" in said.out
    own = re.escape(f"Schedule(cpu={part_text(OWN.cpu)})")
    assert re.search(
        rf"1/1 step f64 {own}: .* ns/cell, .*% of the stream\n1 candidates in 0:\d\d min",
        said.err,
    )
