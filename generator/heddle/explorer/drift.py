# SPDX-License-Identifier: Apache-2.0
"""What changed since an earlier search: which candidates became slower or faster, broke, or are gone."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from heddle.explorer.results import Result, newest

MARGIN = 0.03
"""Share of a time by which two runs of the same program differ at least."""
KINDS = ("broken", "slower", "gone", "mended", "faster", "new", "same")


@dataclass(frozen=True)
class Change:
    """Of one candidate. kind: one of KINDS. before, now: nanoseconds per cell, or None where it was not
    timed. times: its time now over that before, both beside the matching stream of their run where that
    runs the same way and moves the same bytes; 1 where it was not timed twice. why: what else of it
    changed."""

    kind: str
    result: Result
    before: float | None
    now: float | None
    times: float
    why: str

    @property
    def line(self) -> str:
        """In one line."""
        ends = [f"{end:.3g}" for end in (self.before, self.now) if end is not None]
        share = f", {self.times:.2f} times as long" if len(ends) == 2 else ""
        why = f" ({self.why})" if self.why else ""
        return f"{self.kind}: {self.result.name}: {' -> '.join(ends)} ns/cell{share}{why}"


def drift(before: Iterable[Result], now: Iterable[Result]) -> list[Change]:
    """The changes, the worst first. Earlier results of kernels, sizes and machines that the later search does
    not have are left out."""
    later = {result.identity: result for result in newest(now)}
    earlier = {result.identity: result for result in newest(before)}
    places = {result.place for result in later.values()}
    found = [_change(earlier.get(identity), result) for identity, result in later.items()]
    found += [
        Change("gone", result, _time(result), None, 1.0, "")
        for identity, result in earlier.items()
        if identity not in later and result.place in places and result.state == "correct"
    ]
    known = [change for change in found if change.kind != "new" or change.result.state == "correct"]
    return sorted(known, key=lambda change: (KINDS.index(change.kind), -change.times, change.result.name))


def counts(changes: Sequence[Change]) -> str:
    """How many there are of each kind, in words."""
    numbers = {kind: sum(change.kind == kind for change in changes) for kind in KINDS}
    return ", ".join(f"{number} {kind}" for kind, number in numbers.items() if number) or "nothing in common"


def _time(result: Result) -> float | None:
    return result.nanoseconds_per_cell if result.state == "correct" else None


def _change(before: Result | None, now: Result) -> Change:
    if before is None:
        return Change("new", now, None, _time(now), 1.0, "" if now.state == "correct" else now.why)
    ends = _time(before), _time(now)
    if None in ends:
        kind = "same" if ends == (None, None) else "broken" if ends[1] is None else "mended"
        return Change(kind, now, *ends, 1.0, now.why)
    times = _times(before, now)
    room = 1 + max(MARGIN, _scatter(before) + _scatter(now))
    kind = "slower" if times > room else "faster" if times < 1 / room else "same"
    return Change(kind, now, *ends, times, _why(before, now))


def _times(before: Result, now: Result) -> float:
    """How many times as long it takes. A stream that moves other bytes is another kernel: a candidate that
    moves twice as many would take as long as ever beside it."""
    streams = [(one.stream_schedule, one.bytes_read, one.bytes_written) for one in (before, now)]
    if streams[0] == streams[1] and before.fraction and now.fraction:
        return before.fraction / now.fraction
    return now.nanoseconds_per_cell / before.nanoseconds_per_cell


def _scatter(result: Result) -> float:
    """Half the distance of the quartiles of its times, relative to their median."""
    turns = [own / other for own, other in zip(result.seconds, result.stream, strict=False)]
    if len(turns) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(turns, n=4, method="inclusive")
    return (high - low) / 2 / middle


def _why(before: Result, now: Result) -> str:
    """What else changed."""
    counted = ("bytes", "flops", "registers", "spills", "lines")
    ends = [(name, getattr(before, name), getattr(now, name)) for name in counted]
    said = [f"{name} {old:g} -> {new:g}" for name, old, new in ends if old != new]
    if before.compiler != now.compiler:
        said.append(f"{before.compiler} -> {now.compiler}")
    if before.source != now.source and not said:
        said.append("other text")
    return ", ".join(said)
