# SPDX-License-Identifier: Apache-2.0
"""The order in which lanes compute sums: levels of slices, and in a slice one piece of a sum for each lane.

List scheduling (R. L. Graham, SIAM J. Appl. Math. 17, 416 (1969)) with the latest level of each sum as its
priority: a level takes what must not wait, fills its lanes with what could wait longest least, and takes
more where whole slices are ready. Long sums are cut into pieces for that, in the order of their terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from heddle.emit.warp_sums import Alike, Sum, Value

SHORTEST = 4
"""Terms of a piece that is not the last of its sum, at least."""


@dataclass(frozen=True)
class Piece:
    """Consecutive terms of a sum."""

    sum: Sum
    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first


@dataclass
class Level:
    """Slices, with pieces for the lanes of a cell, and statements alike. None depends on another."""

    slices: list[list[Piece]] = field(default_factory=list)
    alike: list[Alike] = field(default_factory=list)


class StuckError(Exception):
    """Statements wait for each other."""


def levels_of(sums: Sequence[Sum], alike: Sequence[Alike], lanes: int) -> list[Level]:
    """All of them in levels. Raises StuckError."""
    return _Scheduler(sums, alike, lanes).run()


class _Scheduler:
    def __init__(self, sums: Sequence[Sum], alike: Sequence[Alike], lanes: int) -> None:
        self.lanes = lanes
        self.jobs: list[Sum | Alike] = [*sums, *alike]
        made: dict[Value, int] = {}
        for n, job in enumerate(self.jobs):
            for result in [job.result] if isinstance(job, Sum) else [row[0] for row in job.rows]:
                made[result] = n
        self.terms: list[list[list[int]]] = []
        """Of each job and term, the jobs that it waits for; the factor belongs to the last term."""
        for job in self.jobs:
            if isinstance(job, Sum):
                needs = [[made[v] for v in (t.a, t.b) if v in made] for t in job.terms]
                if job.factor in made:
                    needs[-1].append(made[job.factor])
            else:
                needs = [[made[v] for row in job.rows for v in row[1:] if v in made]]
            self.terms.append(needs)
        self.latest = self._latest()

    def _latest(self) -> list[int]:
        """The last level in which each job may end, if there are as few levels as can be."""
        count = len(self.jobs)
        users: list[list[int]] = [[] for _ in range(count)]
        waits = [0] * count
        for n, needs in enumerate(self.terms):
            for m in {m for term in needs for m in term}:
                users[m].append(n)
                waits[n] += 1
        first = [0] * count
        order = [n for n in range(count) if not waits[n]]
        for n in order:
            for user in users[n]:
                first[user] = max(first[user], first[n] + 1)
                waits[user] -= 1
                if not waits[user]:
                    order.append(user)
        if len(order) < count:
            raise StuckError
        latest = [max(first, default=0)] * count
        for n in reversed(order):
            latest[n] = min((latest[user] - 1 for user in users[n]), default=latest[n])
        return latest

    def run(self) -> list[Level]:
        count = len(self.jobs)
        taken = [0] * count  # terms
        ready_at = [-1] * count  # the first level that may read the result
        open_jobs = sorted(range(count), key=lambda n: self.latest[n])
        levels: list[Level] = []
        while open_jobs:
            now = len(levels)
            level = Level()
            levels.append(level)
            ready = {n: self._ready(n, taken[n], ready_at, now) for n in open_jobs}
            must = [n for n in open_jobs if self.latest[n] <= now]
            for n in [n for n in open_jobs if isinstance(self.jobs[n], Alike) and ready[n]]:
                job = self.jobs[n]
                assert isinstance(job, Alike)
                level.alike.append(job)
                taken[n], ready_at[n] = 1, now + 1
            pieces: list[tuple[int, int]] = []
            for n in must:
                if isinstance(self.jobs[n], Sum):
                    pieces.append((n, len(self.terms[n]) - taken[n]))
            cap = max([SHORTEST, *(length for _, length in pieces)])
            musts = {n for n, _ in pieces}
            others: list[tuple[int, int]] = []
            for n in open_jobs:
                left = len(self.terms[n]) - taken[n]
                length = min(ready[n], cap)
                worth = length > 0 and (length == left or length >= SHORTEST)
                if worth and n not in musts and isinstance(self.jobs[n], Sum):
                    others.append((n, length))
            others.sort(key=lambda one: self.latest[one[0]] - (len(self.terms[one[0]]) - taken[one[0]]) / 4)
            room = -len(pieces) % self.lanes
            whole = room + (len(others) - room) // self.lanes * self.lanes if len(others) >= room else room
            pieces += others[:whole]
            pieces.sort(key=lambda one: -one[1])
            for at in range(0, len(pieces), self.lanes):
                level.slices.append([])
                for n, length in pieces[at : at + self.lanes]:
                    job = self.jobs[n]
                    assert isinstance(job, Sum)
                    level.slices[-1].append(Piece(job, taken[n], taken[n] + length))
                    taken[n] += length
                    if taken[n] == len(self.terms[n]):
                        ready_at[n] = now + 1
            open_jobs = [n for n in open_jobs if taken[n] < len(self.terms[n])]
        return levels

    def _ready(self, n: int, taken: int, ready_at: Sequence[int], now: int) -> int:
        """How many of the terms that are left can be added now, one after the other."""
        count = 0
        for needs in self.terms[n][taken:]:
            if any(ready_at[m] < 0 or ready_at[m] > now for m in needs):
                break
            count += 1
        return count
