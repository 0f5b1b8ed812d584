# SPDX-License-Identifier: Apache-2.0
"""When candidates are timed, with a compiler that takes its time: each as soon as it is compiled, the model's
own schedule first and in any case; compilers run ahead by few candidates."""

from __future__ import annotations

import fcntl
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from heddle import Schedule, Strips
from heddle.explorer import run
from heddle.explorer.search import SEARCHES, Search
from heddle.explorer.space import space
from heddle.explorer.workers import Children, in_child
from heddle.python.compiler import host_compiler
from heddle.python.load import Kernels
from searched import SCHEDULES, explored, stencil

pytestmark = pytest.mark.compiles
WAITING = """#!/bin/sh
for word in "$@"; do
  case "$word" in *.cpp) grep -q "x_begin += 16" "$word" && waits=yes ;; esac
done
turns=0
while [ -n "$waits" ] && [ ! -e {release} ]; do
  turns=$((turns + 1))
  [ $turns -gt {turns} ] && echo "nobody let it go on" >&2 && exit 1
  sleep 0.1
done
exec {compiler} "$@"
"""
"""A compiler that waits for a file before it compiles strips of 16 cells."""


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], Path]]:
    """Makes that compiler the one of heddle.load, with a cache of its own. Called with the tenths of a second
    that it waits at most, it returns the file that it waits for."""

    def use(turns: int) -> Path:
        release, script = tmp_path / "release", tmp_path / "slow"
        text = WAITING.format(release=release, turns=turns, compiler=shutil.which("c++"))
        script.write_text(text)
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("CXX", str(script))
        host_compiler.cache_clear()
        return release

    monkeypatch.setenv("HEDDLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HEDDLE_ARCH", raising=False)
    monkeypatch.setenv("CXXFLAGS", "-O0")
    yield use
    host_compiler.cache_clear()


def test_a_candidate_is_timed_while_others_compile(slow: Callable[[int], Path]) -> None:
    """The second one is compiled when the first one is being measured, not before."""
    release = slow(2400)

    def measured(kernels: Kernels, precision: str) -> float:
        release.touch()
        return 0.0

    found = explored(
        schedules=[Schedule(), Schedule(cpu=Strips(16))], precisions=["f64"], accuracy=measured, jobs=2
    )
    assert [(r.state, r.why) for r in found.results] == [("correct", "")] * 2
    assert found.untried == 0


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("seconds", [1e-6, 0.7])
def test_a_budget_leaves_the_own_schedule_timed(
    search: str, seconds: float, slow: Callable[[int], Path], tmp_path: Path
) -> None:
    """Whichever comes first in the search, whatever compilers are doing. What these began is gone."""
    slow(10_000)
    schedules = [*(Schedule(cpu=Strips(16), fma=fma) for fma in (True, False)), Schedule()]
    found = explored(schedules=schedules, precisions=["f64"], search=search, budget=seconds / 60, jobs=2)
    (own,) = found.results
    assert (own.own, own.state, found.untried) == (True, "correct", 2)
    assert own.schedule == stencil().schedule("step", "f64")
    assert [path for path in (tmp_path / "cache").iterdir() if path.name.startswith(".")] == []


def test_who_waits_for_another_process_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that has to end while another process compiles what both need: what it began is gone."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("HEDDLE_CACHE", str(cache))
    monkeypatch.setenv("CXXFLAGS", "-O0")
    host_compiler.cache_clear()
    first, second = space({"": stencil()}, "cpu", 24, None, ["f64"], SCHEDULES).candidates
    assert in_child(partial(run.own_part, first, "cpu")).kind == ""
    (shared,) = cache.glob("python_calls-*/")
    shutil.rmtree(shared)
    with (cache / f"{shared.name}.lock").open("w") as lock, Children[Any]() as children:
        fcntl.flock(lock, fcntl.LOCK_EX)
        children.add(0, partial(run.own_part, second, "cpu"))
        end = time.monotonic() + 60
        while not [*cache.glob(".heat-*/heat/heat_python.cpp.o")]:
            assert children.next(time.monotonic() + 0.1) is None
            assert time.monotonic() < end
        time.sleep(1)  # its own objects are there
        began = [*cache.glob(".heat-*")]
        children.keep(())
        assert began
        assert not any(path.exists() for path in began)
    host_compiler.cache_clear()


def test_compilers_run_ahead_by_few(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the first one is timed a search has given one more to a compiler, and so on."""
    assert own_cache.is_dir()
    given = []

    def tell(search: Search, number: int, seconds: float) -> None:
        given.append(len(search.times) + len(search.pending))
        told(search, number, seconds)

    told = Search.tell
    monkeypatch.setattr(Search, "tell", tell)
    schedules = [Schedule(), *(Schedule(cpu=Strips(size)) for size in range(8, 48, 8))]
    found = explored(schedules=schedules, precisions=["f64"], jobs=1)
    assert [r.state for r in found.results] == ["correct"] * 6
    assert given == [2, 3, 4, 5, 6, 6]
