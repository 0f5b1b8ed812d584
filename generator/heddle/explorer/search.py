# SPDX-License-Identifier: Apache-2.0
"""In which order candidates are tried, and how long each is timed.

exhaustive: as they come. random: shuffled, so that a budget takes a sample. halving: all with few samples,
the better half of them with twice as many, and so on. model: first what the cost line says is fastest; then
what a model that is fitted to the times so far says. kernel_tuner:<name>: a strategy of Kernel Tuner, group
by group (heddle.explorer.kernel_tuner).
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from heddle.errors import KernelError
from heddle.explorer.kernel_tuner import FEW, PREFIX, Strategy, strategies
from heddle.explorer.memory import library
from heddle.ir.schedule import Schedule

FEWEST = 3
"""Samples of the first round of halving."""


@dataclass(frozen=True)
class Point:
    """What a search knows of a candidate: its group (variant, step, precision), its schedule, and the seconds
    per cell that its bytes take at the speed of memory."""

    group: tuple[str, ...]
    schedule: Schedule
    prior: float


@dataclass
class Search:
    """Gives candidates by number until there are none. samples: how often each is timed. first: the one that
    is given before all others, in whatever order these come. pending: those that were given and are not
    done."""

    points: Sequence[Point]
    samples: int
    seed: int = 0
    first: int | None = None
    times: dict[int, float] = field(default_factory=dict)
    """Seconds per cell of those that are done; infinite for wrong ones."""
    pending: set[int] = field(default_factory=set)

    def batch(self, size: int) -> list[tuple[int, int]]:
        """The next candidates, each with its number of samples; none until those that are pending are done,
        or when the search is over."""
        found: list[tuple[int, int]] = []
        while len(found) < size and (chosen := self.next()) is not None:
            self.pending.add(chosen[0])
            found.append(chosen)
        return found

    def next(self) -> tuple[int, int] | None:
        """One more candidate; None if there is none until those that are pending are done."""
        left = self.left()
        return (left[0], self.samples) if left else None

    def left(self) -> list[int]:
        """Those that were not given yet."""
        order = self.order() if self.first is None else dict.fromkeys((self.first, *self.order()))
        return [number for number in order if number not in self.times.keys() | self.pending]

    def order(self) -> Sequence[int]:
        return range(len(self.points))

    def tell(self, number: int, time: float) -> None:
        self.times[number] = time
        self.pending.discard(number)


class Exhaustive(Search):
    pass


class Random(Search):
    def order(self) -> Sequence[int]:
        numbers = list(range(len(self.points)))
        random.Random(self.seed).shuffle(numbers)
        return numbers


@dataclass
class Halving(Search):
    """Successive halving (Jamieson and Talwalkar 2016), within each group."""

    waiting: list[int] = field(default_factory=list)
    now: int = 0

    def next(self) -> tuple[int, int] | None:
        if not self.now:
            self.now, self.waiting = min(FEWEST, self.samples), self.left()
        if not self.waiting:
            if self.now >= self.samples or self.pending:
                return None
            self.now = min(2 * self.now, self.samples)
            self.waiting = self._better_half()
            if not self.waiting:
                return None
        return self.waiting.pop(0), self.now

    def _better_half(self) -> list[int]:
        groups: dict[tuple[str, ...], list[int]] = {}
        for number, time in self.times.items():
            if math.isfinite(time):
                groups.setdefault(self.points[number].group, []).append(number)
        kept: list[int] = []
        for numbers in groups.values():
            numbers.sort(key=lambda number: self.times[number])
            kept += numbers[: (len(numbers) + 1) // 2]
        self.times = {number: self.times[number] for number in kept}
        return sorted(kept)


class Model(Search):
    """The logarithm of a time is that of the prior plus a sum of effects, of groups and of options, fitted by
    least squares; effects that nothing is known of are zero, so that they are tried."""

    def next(self) -> tuple[int, int] | None:
        left = self.left()
        if not left:
            return None
        if self.first in left:
            return left[0], self.samples
        predicted = self._predicted()
        return min(left, key=lambda number: (predicted[number], number)), self.samples

    def _predicted(self) -> list[float]:
        known = {number: time for number, time in self.times.items() if math.isfinite(time)}
        priors = [math.log(point.prior) for point in self.points]
        if not known:
            return priors
        np = library()
        names = sorted({name for point in self.points for name in _features(point)})
        rows = np.array([[float(name in _features(point)) for name in names] for point in self.points])
        taken = list(known)
        wanted = np.array([math.log(known[number]) - priors[number] for number in taken])
        fitted = rows[taken]
        effects = np.linalg.solve(fitted.T @ fitted + 0.05 * np.eye(len(names)), fitted.T @ wanted)
        found: list[float] = (np.array(priors) + rows @ effects).tolist()
        return found


def _features(point: Point) -> frozenset[str]:
    """What a candidate has, in words."""
    parts: list[tuple[str, Any]] = [
        ("", point.schedule),
        ("cpu.", point.schedule.cpu),
        ("gpu.", point.schedule.gpu),
    ]
    options = {
        f"{place}{part.name}={getattr(value, part.name)}"
        for place, value in parts
        for part in dataclasses.fields(value)
        if part.name not in ("_", "cpu", "gpu")
    }
    kinds = {type(point.schedule.cpu).__name__, type(point.schedule.gpu).__name__}
    return frozenset({"all", *(f"is {word}" for word in point.group), *options, *kinds})


@dataclass
class Tuner(Search):
    """A strategy of Kernel Tuner for each group, one after the other; small groups are tried whole."""

    strategy: str = ""
    groups: list[list[int]] | None = None
    now: Strategy | None = None
    given: list[int] = field(default_factory=list)

    def batch(self, size: int) -> list[tuple[int, int]]:
        if self.pending:  # a strategy goes on when it knows all that it asked for
            return []
        if self.first is not None and self.first not in self.times:
            self.pending.add(self.first)
            return [(self.first, self.samples)]
        if self.groups is None:
            groups: dict[tuple[str, ...], list[int]] = {}
            for number, point in enumerate(self.points):
                groups.setdefault(point.group, []).append(number)
            self.groups = list(groups.values())
        while True:
            asked = self._asked()
            if asked is None:
                return []
            new = [number for number in asked if number not in self.times]
            if new:
                self.pending |= set(new)
                return [(number, self.samples) for number in new]

    def _asked(self) -> list[int] | None:
        """What to try next; empty at the end of a group, None at the end of all."""
        assert self.groups is not None
        if self.now is None:
            if not self.groups:
                return None
            group = self.groups.pop(0)
            if len(group) <= FEW:
                return group
            self.now = Strategy(self.strategy, {number: self.points[number].schedule for number in group})
        elif self.given:
            self.now.answer({number: self.times[number] for number in self.given})
        self.given = self.now.asked()
        if not self.given:
            self.now = None
        return self.given


SEARCHES: dict[str, Callable[..., Search]] = {
    "exhaustive": Exhaustive,
    "random": Random,
    "halving": Halving,
    "model": Model,
}


def search(name: str, points: Sequence[Point], samples: int, seed: int, first: int | None = None) -> Search:
    """A search by its name; KernelError for one that is not known or not installed."""
    if name.startswith(PREFIX):
        strategies()
        return Tuner(points, samples, seed, first, strategy=name)
    if name not in SEARCHES:
        raise KernelError(
            "heddle.explore", f"'{name}' is no search.", f"choose one of: {', '.join(SEARCHES)}, {PREFIX}..."
        )
    return SEARCHES[name](points, samples, seed, first)
