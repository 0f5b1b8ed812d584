# SPDX-License-Identifier: Apache-2.0
"""Kernel Tuner: its cache files; how a strategy asks and is answered, with a made-up one in its place; and
its own strategies where it is installed (PyPI: kernel_tuner)."""

from __future__ import annotations

import json
import math
import sys
import threading
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from heddle import CacheLines, KernelError, Schedule, Strips, Threads
from heddle.explorer.exploration import Exploration
from heddle.explorer.kernel_tuner import PREFIX, caches, flat
from heddle.explorer.search import search
from searched import result
from test_results import points

INSTALLED = find_spec("kernel_tuner") is not None


def test_options_have_names() -> None:
    own = flat(Schedule(CacheLines(4), Threads(block=(64, 4, 1)), fma=True))
    assert own["gpu.block"] == "64x4x1"
    assert (own["cpu.kind"], own["cpu.prefetch_distance"], own["fma"]) == ("CacheLines", "4", "True")
    assert len({tuple(flat(point.schedule).items()) for point in points()[0]}) == 8  # none is lost


def test_cache_files() -> None:
    several = [
        result(key="a", variant="BGK, AA", validation=0.5, generation=1, compilation=2),
        result(key="b", variant="BGK, AA", state="compile", seconds=(), stream=(),
               schedule=Schedule(Strips(16), Threads())),
        result(key="c", machine="there", error=None),
    ]  # fmt: skip
    first, second = caches(several).values()
    assert first["tune_params"] == {"cpu.kind": ["Rows", "Strips"], "cpu.size": ["-", "16"]}
    assert first["problem_size"] == [10, 10]
    good, bad = first["cache"]["Rows,-"], first["cache"]["Strips,16"]
    assert good["time"] == pytest.approx(2e-3)  # milliseconds
    assert good["compile_time"] == 3000
    assert good["verification_time"] == 500
    assert bad["time"] == "CompilationFailedConfig"
    assert second["device_name"] == "there (cpu)"
    assert list(second["cache"]) == [""]  # a space of one
    names = caches([result(variant="BGK, AA"), result(variant="TRT, AA")])
    (only,) = names.values()
    assert list(only["cache"]) == ["BGK; AA", "TRT; AA"]


def test_cache_files_keep_their_names(tmp_path: Path) -> None:
    """Whatever comes before; those of an earlier search go, other files stay."""
    here, there = result(), result(machine="there")
    names = {one.machine: set(caches([one])) for one in (here, there)}
    assert set(caches([there, here])) == names["here"] | names["there"]
    folder = tmp_path / "kernel_tuner"
    Exploration((here, there)).write(tmp_path)
    (folder / "heat-step-0.json").write_text("{}")
    (folder / "mine.json").write_text("{}")
    Exploration((there,)).write(tmp_path)
    assert {path.name for path in folder.iterdir()} == names["there"] | {"mine.json"}


@pytest.mark.parametrize("order", [1, -1])
def test_the_newest_of_a_configuration(order: int) -> None:
    old = result(key="old", state="timeout", seconds=(), stream=())
    new = result(key="new", timestamp="2026-11-29T12:00:00+00:00")
    (cache,) = caches([old, new][::order]).values()
    (entry,) = cache["cache"].values()
    assert entry["time"] == pytest.approx(2e-3)


class Options(dict[str, Any]):
    def __getattr__(self, name: str) -> Any:
        return self[name]


class Budget:
    def __init__(self, seconds: None, most: int) -> None:
        self.left = most

    def is_done(self) -> bool:
        return self.left <= 0

    def add_evaluations(self, count: int) -> None:
        self.left -= count


class Space:
    def __init__(self, tuned: dict[str, list[str]], legal: Callable[[Any], bool], threads: int) -> None:
        self.tuned, self.legal = tuned, legal


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Puts a strategy in the place of Kernel Tuner."""

    def put(tune: Any) -> None:
        strategy = ModuleType("mine")
        strategy.tune = tune  # type: ignore[attr-defined]
        parts: dict[str, dict[str, Any]] = {
            "": {},
            ".interface": {"strategy_map": {"mine": strategy}, "Options": Options},
            ".searchspace": {"Searchspace": Space},
            ".util": {"TuningBudget": Budget, "RuntimeFailedConfig": lambda: "failed"},
        }
        for name, values in parts.items():
            module = ModuleType(f"kernel_tuner{name}")
            vars(module).update(values)
            monkeypatch.setitem(sys.modules, module.__name__, module)

    return put


def asked(name: str, times: list[float], first: int | None = None) -> list[list[int]]:
    """The batches that a search asks for."""
    order, found = search(PREFIX + name, points()[0], 8, 0, first), []
    while batch := order.batch(3):
        assert all(count == 8 for _, count in batch)
        assert not order.batch(3)  # before it knows
        found.append([number for number, _ in batch])
        for number, _ in batch:
            order.tell(number, times[number])
    return found


def test_a_strategy_asks_and_is_answered(made_up: Callable[[Any], None]) -> None:
    heard: list[Any] = []

    def tune(space: Space, runner: Any, options: Options) -> None:
        assert options.objective == ["time"]
        kinds = [kind for kind in space.tuned["cpu.kind"] if kind == "Rows"]
        places = {name: ["-"] for name in space.tuned} | {"cpu.kind": kinds, "fma": ["-", "True"]}
        rows = [
            tuple((*places[n], "-")[0] if n != "fma" else fma for n in space.tuned) for fma in places["fma"]
        ]
        assert all(space.legal(dict(zip(space.tuned, row, strict=True))) for row in rows)
        assert not space.legal(dict.fromkeys(space.tuned, "none"))
        heard.append([entry["time"] for entry in runner.run(rows, options)])
        heard.append([entry["time"] for entry in runner.run(rows[:1], options)])  # known: nobody is asked
        options.budget.left = 0
        heard.append(runner.run(rows, options))

    made_up(tune)
    _, times = points()
    assert asked("mine", times) == [[0, 4], [8, 12]]  # group by group
    assert heard[:3] == [[pytest.approx(1000.0), pytest.approx(900.0)], [pytest.approx(1000.0)], [None, None]]
    heard.clear()
    assert asked("mine", times, first=4) == [[4], [0], [8, 12]]  # what it knows nobody is asked
    assert heard[0] == [pytest.approx(1000.0), pytest.approx(900.0)]
    made_up(lambda space, runner, options: heard.append(runner.run([_first(space)], options)))
    times[0] = times[8] = math.inf
    assert asked("mine", times) == [[0], [8]]
    assert heard[-1][0]["__error__"] == "failed"


def _first(space: Space) -> tuple[str, ...]:
    return tuple(values[0] for values in space.tuned.values())


def test_a_strategy_without_end_is_ended(made_up: Callable[[Any], None]) -> None:
    def tune(space: Space, runner: Any, options: Options) -> None:
        while runner.run([_first(space)], options) != [None]:
            pass

    made_up(tune)
    assert asked("mine", points()[1]) == [[0], [8]]


def test_what_is_refused(made_up: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(space: Space, runner: Any, options: Options) -> None:
        raise ValueError("too few")

    made_up(fails)
    with pytest.raises(KernelError, match=r"the strategy fails: ValueError: too few"):
        asked("mine", points()[1])
    with pytest.raises(KernelError, match="'other' is no strategy of Kernel Tuner"):
        asked("other", points()[1])
    monkeypatch.setitem(sys.modules, "kernel_tuner.interface", None)
    with pytest.raises(KernelError, match=r"Kernel Tuner is not installed.\n  Hint: pip install"):
        asked("mine", points()[1])
    with pytest.raises(KernelError, match="'fast' is no search"):
        search("fast", [], 1, 0)


def test_a_strategy_that_exits_keeps_nobody_waiting(made_up: Callable[[Any], None]) -> None:
    def exits(space: Space, runner: Any, options: Options) -> None:
        sys.exit(3)

    def ask() -> None:
        try:
            asked("mine", points()[1])
        except KernelError as error:
            said.append(error.what)

    said: list[str] = []
    made_up(exits)
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(10)
    assert said == ["the strategy fails: SystemExit: 3."]


@pytest.mark.skipif(not INSTALLED, reason="Kernel Tuner is not installed")
def test_its_own_strategies() -> None:
    """At most half of each group of eight, each once."""
    for name in ("genetic_algorithm", "random_sample", "simulated_annealing", "pso", "greedy_ils", "mls"):
        found = [number for batch in asked(name, points()[1]) for number in batch]
        assert len(found) == len(set(found))
        for group in (range(8), range(8, 16)):
            assert 1 <= len({*found} & {*group}) <= 4


@pytest.mark.skipif(not INSTALLED, reason="Kernel Tuner is not installed")
def test_it_reads_what_we_write(tmp_path: Path) -> None:
    """Results by its schema of T4, and a strategy on a cache file in place of a machine."""
    import jsonschema
    import kernel_tuner
    from kernel_tuner import util

    candidates, times = points()
    several = [
        result(key=str(n), variant=point.group[0], schedule=point.schedule,
               seconds=(times[n],), stream=(1.0,))
        for n, point in enumerate(candidates)
    ]  # fmt: skip
    Exploration(tuple(several)).write(tmp_path)
    schema = Path(kernel_tuner.__file__).parent / "schema/T4/1.0.0/results-schema.json"
    jsonschema.validate(json.loads((tmp_path / "results.json").read_text()), json.loads(schema.read_text()))
    (file,) = (tmp_path / "kernel_tuner").iterdir()
    known = util.read_cache(str(file), open_cache=False)
    assert len(known["cache"]) == 16
    keys, cached = known["tune_params_keys"], known["cache"]

    def legal(row: dict[str, str]) -> bool:
        return ",".join(row[name] for name in keys) in cached

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no parameter is a block
        found, _ = kernel_tuner.tune_kernel(
            known["kernel_name"],
            "",
            known["problem_size"],
            [],
            known["tune_params"],
            lang="C",
            restrictions=legal,
            strategy="random_sample",
            strategy_options={"max_fevals": 6},
            simulation_mode=True,
            cache=str(file),
            quiet=True,
        )
    assert len(found) == 6
    assert {entry["time"] for entry in found} <= {time * 1e3 for time in times}
