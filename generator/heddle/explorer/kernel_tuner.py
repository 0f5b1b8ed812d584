# SPDX-License-Identifier: Apache-2.0
"""Kernel Tuner (van Werkhoven, Future Gener. Comput. Syst. 90, 2019): its strategies as searches, where it is
installed, and its cache file as output, which its simulation mode and dashboard read.

What a strategy asks for is measured by the explorer: the strategy runs in a thread and waits for its answers.
Written for version 1.5.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import queue
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from heddle.errors import KernelError
from heddle.explorer.results import Result, newest
from heddle.ir.schedule import Schedule
from heddle.ir.schedule_text import to_json

PREFIX = "kernel_tuner:"
"""How the name of a search begins that is a strategy: kernel_tuner:genetic_algorithm."""
SHARE = 0.5
"""Of the candidates of a group that a strategy may try, rounded up; of five or fewer all are tried."""
FEW = 5
PATIENCE = 100
"""How often a strategy may ask in turn for what it knows; then it is over."""
ABSENT = "-"
FAILED = {"compile": "CompilationFailedConfig", "constraints": "InvalidConfig"}
"""By state, what a cache has in place of a time; others: RuntimeFailedConfig."""
CACHE_NAME = re.compile(r"\w+-\w+-[0-9a-f]+\.json")
"""Of the files that `caches` names, now and in earlier versions."""


# ---------------------------------------------------------------- options as parameters


def flat(schedule: Schedule) -> dict[str, str]:
    """The options of a schedule by names such as `gpu.block`, those of their usual value left out."""

    def parts(name: str, value: Any) -> Iterator[tuple[str, str]]:
        if isinstance(value, Mapping):
            for key, one in value.items():
                yield from parts(f"{name}.{key}" if name else key, one)
        elif isinstance(value, (list, tuple)):
            yield name, "x".join(map(str, value))
        else:
            yield name, str(value)

    return dict(parts("", to_json(schedule)))


def parameters(rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """The names that differ between rows, each with its values in order; a comma would separate them."""
    names = dict.fromkeys(name for row in rows for name in row)
    found = {name: list(dict.fromkeys(_word(row, name) for row in rows)) for name in names}
    return {name: values for name, values in found.items() if len(values) > 1} or dict(
        list(found.items())[:1]
    )


def _word(row: Mapping[str, str], name: str) -> str:
    return row.get(name, ABSENT).replace(",", ";")


# ---------------------------------------------------------------- the cache file


def caches(results: Iterable[Result]) -> dict[str, dict[str, Any]]:
    """Cache files by their names: one for each kernel, machine and size, which the name is a digest of. Of
    each configuration the newest result. Times are milliseconds."""
    places: dict[tuple[Any, ...], list[Result]] = {}
    for result in newest(results):
        places.setdefault(result.place, []).append(result)
    found = {}
    for place, several in places.items():
        first = several[0]
        rows = [_row(result) for result in several]
        tuned = parameters(rows)
        digest = hashlib.sha256(json.dumps(place).encode()).hexdigest()[:12]
        found[f"{first.module}-{first.step}-{digest}.json"] = {
            "device_name": f"{first.machine} ({first.target})",
            "kernel_name": f"{first.module}/{first.step}",
            "problem_size": list(first.extent),
            "tune_params_keys": list(tuned),
            "tune_params": tuned,
            "objective": "time",
            "cache": {
                ",".join(_word(row, name) for name in tuned): _entry(result, row, tuned)
                for result, row in zip(several, rows, strict=True)
            },
        }
    return found


def _row(result: Result) -> dict[str, str]:
    return {"variant": result.variant, "precision": result.precision} | flat(result.schedule)


def _entry(result: Result, row: Mapping[str, str], tuned: Iterable[str]) -> dict[str, Any]:
    correct = result.state == "correct"
    entry: dict[str, Any] = {name: _word(row, name) for name in tuned} | {
        "time": result.time * 1e3 if correct else FAILED.get(result.state, "RuntimeFailedConfig"),
        "times": [seconds * 1e3 for seconds in result.seconds],
        "compile_time": (result.generation + result.compilation) * 1e3,
        "verification_time": result.validation * 1e3,
        "benchmark_time": sum(result.seconds + result.stream) * 1e3,
        "strategy_time": 0.0,
        "framework_time": 0.0,
        "timestamp": result.timestamp,
        "bytes": result.bytes,
        "lines": result.lines,
        "fraction_of_stream": result.fraction,
    }
    numbers = {"error": result.error, "registers": result.registers or None, "occupancy": result.occupancy}
    return entry | {name: value for name, value in numbers.items() if value is not None}


# ---------------------------------------------------------------- strategies


def strategies() -> Mapping[str, Any]:
    """Those that are installed, by name. Raises KernelError where Kernel Tuner is not."""
    try:
        found: Mapping[str, Any] = importlib.import_module("kernel_tuner.interface").strategy_map
    except ImportError:
        raise KernelError(
            "heddle.explore",
            "Kernel Tuner is not installed.",
            "pip install 'kernel_tuner>=1.5', or choose another search",
        ) from None
    return found


class Strategy:
    """One strategy over one group of candidates. schedules: by their numbers. `asked` gives the numbers that
    it wants to know next, none when it has ended; `answer` takes their seconds per cell, infinite for
    those that are wrong."""

    def __init__(self, name: str, schedules: Mapping[int, Schedule]) -> None:
        known = strategies()
        chosen = name.removeprefix(PREFIX)
        if chosen not in known:
            raise KernelError(
                "heddle.explore", f"'{chosen}' is no strategy of Kernel Tuner.", f"one of: {', '.join(known)}"
            )
        rows = {number: flat(schedule) for number, schedule in schedules.items()}
        self._tuned = parameters(list(rows.values()))
        self._numbers = {
            tuple(_word(row, one) for one in self._tuned): number for number, row in rows.items()
        }
        self._questions: queue.Queue[list[int]] = queue.Queue()
        self._answers: queue.Queue[Mapping[int, float]] = queue.Queue()
        self._known: dict[int, float] = {}
        self._idle = 0
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._tune, args=(known[chosen],), daemon=True)

    def asked(self) -> list[int]:
        if not self._thread.ident:
            self._thread.start()
        found = self._questions.get()
        if self._failed is not None:
            raise KernelError(
                "heddle.explore",
                f"the strategy fails: {type(self._failed).__name__}: {self._failed}.",
                "choose another one: some need more candidates",
            )
        return found

    def answer(self, times: Mapping[int, float]) -> None:
        self._answers.put(times)

    def _tune(self, strategy: Any) -> None:
        """In the thread. An empty question says that it is over."""
        try:
            interface = importlib.import_module("kernel_tuner.interface")
            space = importlib.import_module("kernel_tuner.searchspace")
            util = importlib.import_module("kernel_tuner.util")
            most = math.ceil(SHARE * len(self._numbers))
            tuned, numbers = self._tuned, self._numbers

            def legal(one: Mapping[str, str]) -> bool:
                return tuple(one[name] for name in tuned) in numbers

            searched = space.Searchspace(tuned, legal, 1 << 30)
            options = interface.Options(
                strategy_options=interface.Options(max_fevals=most),
                objective=["time"],
                objective_higher_is_better=[False],
                tune_params=tuned,
                restrictions=legal,
                budget=util.TuningBudget(None, most),
                max_fevals=most,
                cache={},
                cachefile=None,
                metrics=None,
                verbose=False,
                quiet=True,
            )
            if strategy.__name__.endswith("brute_force"):
                options["strategy_options"] = interface.Options()
            strategy.tune(searched, _Runner(self, util), options)
        except BaseException as error:  # also SystemExit: whoever asks must not wait for ever
            self._failed = error
        finally:
            self._questions.put([])

    def measured(self, configurations: Iterable[Sequence[str]], budget: Any) -> list[float | None]:
        """For the thread: seconds per cell of configurations, infinite for wrong ones; None once the budget
        is spent."""
        found: list[int | None] = []
        for one in configurations:
            if budget.is_done():
                found.append(None)
                continue
            number = self._numbers[tuple(one)]
            if number not in self._known and number not in found:
                budget.add_evaluations(1)
            found.append(number)
        wanted = [n for n in dict.fromkeys(found) if n is not None and n not in self._known]
        self._idle = 0 if wanted else self._idle + 1
        if self._idle > PATIENCE:  # some strategies never end where all neighbours are known
            budget.add_evaluations(len(self._numbers))
        if wanted:
            self._questions.put(wanted)
            self._known |= self._answers.get()
        return [None if number is None else self._known[number] for number in found]


class _Runner:
    """What a strategy takes for the runner of its kernels."""

    def __init__(self, strategy: Strategy, util: Any) -> None:
        self.strategy, self.failed = strategy, util.RuntimeFailedConfig
        self.dev = SimpleNamespace(max_threads=1 << 30)
        self.simulation_mode = False

    def run(self, parameter_space: Iterable[Sequence[str]], tuning_options: Any) -> list[Any]:
        several = [tuple(one) for one in parameter_space]
        times = self.strategy.measured(several, tuning_options.budget)
        names = list(tuning_options.tune_params)
        results: list[Any] = []
        for one, seconds in zip(several, times, strict=True):
            if seconds is None:
                results.append(None)
                continue
            entry = dict(zip(names, one, strict=True)) | {"time": seconds * 1e3}
            results.append(entry if seconds < float("inf") else entry | {"__error__": self.failed()})
        return results

    def add_strategy_time(self, seconds: float) -> None:
        """Not counted."""

    def available_parallelism(self) -> int:
        return 1

    def shutdown(self) -> None:
        """Nothing is open."""

    def get_environment(self, tuning_options: Any) -> dict[str, Any]:
        return {}
