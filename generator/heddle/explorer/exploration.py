# SPDX-License-Identifier: Apache-2.0
"""The results of a search, as a table, as files, and merged with those of other machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from heddle.emit.files import write_if_changed
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.explorer.drift import Change, counts, drift
from heddle.explorer.kernel_tuner import CACHE_NAME, caches
from heddle.explorer.other_tuners import from_t4
from heddle.explorer.report import report
from heddle.explorer.results import (
    FILE,
    SOURCES,
    Result,
    append,
    best,
    metadata,
    read,
    read_file,
    schedules,
    solve_text,
    t4,
)
from heddle.ir.schedule_text import as_text


@dataclass(frozen=True)
class Exploration:
    """What a search found. results: in the order of the candidates. refused: points of the space that are
    not legal, and why. texts: emitted kernels by the name of their file. folder: where it was written.
    earlier: results of an earlier search that they are compared with. untried: how many candidates were left
    when the budget was spent."""

    results: tuple[Result, ...]
    refused: tuple[Any, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    earlier: tuple[Result, ...] | None = None
    untried: int = 0

    @property
    def correct(self) -> list[Result]:
        """Those that were timed, the fastest of each step, machine and size first."""
        found = [result for result in self.results if result.state == "correct"]
        return sorted(found, key=lambda r: (r.place, r.time))

    @property
    def wrong(self) -> list[Result]:
        """Those that do not compile, crash, take too long or give other bits than the reference."""
        return [result for result in self.results if result.state != "correct"]

    @property
    def drift(self) -> list[Change]:
        """What changed since the earlier search, the worst first; nothing where there is none."""
        return [] if self.earlier is None else drift(self.earlier, self.results)

    def best(self, step: str | None = None, precision: str | None = None) -> Result:
        """The fastest result, of one step and precision if these are given. Raises KernelError if nothing was
        timed."""
        found = [
            result
            for result in best(self.results)
            if step in (None, result.step) and precision in (None, result.precision)
        ]
        if not found:
            raise KernelError(
                "heddle.explore", "no candidate was timed.", "see the column `why` of the table"
            )
        return min(found, key=lambda result: result.nanoseconds_per_cell)

    def table(self, rows: int | None = None, paint: Callable[[str, str], str] = lambda text, _: text) -> str:
        """All results, the fastest first; at most so many of each step, machine and size. paint: gives a text
        a colour: bold for headings, green for the fastest, red for what is wrong."""
        lines: list[str] = []
        place: tuple[Any, ...] = ()
        shown = 0
        for result in self.correct:
            if result.place != place:
                place, shown = result.place, 0
                size = "x".join(map(str, result.extent))
                heading = f"{result.module}/{result.step}, {size}, {result.machine}, {result.target}"
                lines += ["", paint(heading, "bold")]
                gpu = TARGETS[result.target].gpu is not None
                several = [r for r in self.correct if r.place == place]
                varied = any(not r.own for r in several)
                counters = any(r.counted is not None for r in several)
                by_counters = f" {'counted':>7}" if counters else ""
                taken = f" {'regs':>4} {'spills':>6} {'warps':>5}" if gpu else ""
                lines.append(
                    f"{'ns/cell':>8} {'stream':>6} {'B/cell':>7}{by_counters} {'error':>8} {'lines':>5} "
                    f"{'compile':>7}{taken}  candidate"
                )
            shown += 1
            if rows is not None and shown > rows:
                continue
            error = "" if result.error is None else f"{result.error:.1e}"
            own = " (own)" if result.own and (varied or result.residual is None) else ""
            by_counters = "" if result.counted is None else f"{result.counted:.4g}"
            by_counters = f" {by_counters:>7}" if counters else ""
            taken = ""
            if gpu:
                share = "" if result.occupancy is None else f"{result.occupancy:.0%}"
                taken = f" {result.registers:4} {result.spills:6} {share:>5}"
            line = (
                f"{result.nanoseconds_per_cell:8.3g} {_share(result):>6} {result.bytes:7.4g}{by_counters} "
                f"{error:>8} {result.lines:5} {result.compilation:5.1f} s{taken}  "
                f"{result.variant + ': ' if result.variant else ''}{result.precision} "
                f"{_how(result, varied) + own}"
            )
            lines.append(paint(line, "green") if shown == 1 else line)
        for result in self.wrong:
            lines += ["", f"{paint(result.state, 'red')}: {result.name}", f"  {result.why}"]
        if self.earlier is not None:
            changes = self.drift
            lines += ["", f"since the earlier search: {counts(changes)}"]
            lines += [f"  {change.line}" for change in changes if change.kind != "same"][:rows]
        if self.refused:
            lines += ["", f"not legal: {len(self.refused)} candidates"]
        return "\n".join(lines).strip()

    def __str__(self) -> str:
        return self.table()

    def t4(self) -> dict[str, Any]:
        """All results as T4, the format of Kernel Tuner; points that are not legal are `constraints`."""
        found = t4(self.results)
        found["results"] += [
            {
                "configuration": {
                    "variant": point.variant,
                    "kernel": point.step,
                    "precision": point.precision,
                    "schedule": as_text(point.schedule),
                },
                "times": {},
                "invalidity": "constraints",
                "correctness": 0.0,
                "measurements": [{"name": "reason", "value": point.why, "unit": ""}],
            }
            for point in self.refused
        ]
        return found

    def schedules(self) -> dict[str, Any]:
        """The best schedules that round as the model does, and with which entries take the same arrays, by
        machine; heddle.load and `heddle build` take them."""
        return schedules(self.results)

    def write(self, folder: Path) -> list[Path]:
        """Write results.json (T4), metadata.json, schedules.json, report.html, and cache files of Kernel
        Tuner, in place of those of an earlier search; returns their paths."""
        texts = {
            "results.json": json.dumps(self.t4(), indent=1),
            "metadata.json": json.dumps(metadata(self.results), indent=1),
            "schedules.json": json.dumps(self.schedules(), indent=1),
            "report.html": report(self.results, self.refused, self.texts, self.earlier).rstrip("\n"),
        }
        for name, cache in caches(self.results).items():
            texts[f"kernel_tuner/{name}"] = json.dumps(cache, indent="")
        for path in (folder / "kernel_tuner").glob("*.json"):
            if CACHE_NAME.fullmatch(path.name) and f"kernel_tuner/{path.name}" not in texts:
                path.unlink(missing_ok=True)
        for name, text in texts.items():
            write_if_changed(folder / name, text + "\n")
        return [folder / name for name in texts]


def _how(result: Result, varied: bool) -> str:
    """The schedule of a candidate; of a solve how it ended, with the schedule where several were tried."""
    if result.residual is None:
        return result.shown
    return solve_text(result) + (f", {result.shown}" if varied else "")


def _share(result: Result) -> str:
    return f"{result.fraction:.0%}" if result.stream else ""


def load_results(folders: Iterable[Path]) -> Exploration:
    """The results of folders that `explore` wrote, also of other machines, and of files in T4. Raises
    KernelError for a folder without results and for a line that is none."""
    results: dict[str, Result] = {}
    texts: dict[str, str] = {}
    for folder in folders:
        if folder.is_file():
            results |= {result.key: result for result in from_t4(folder)}
            continue
        if not (folder / FILE).is_file():
            raise KernelError(
                str(folder),
                f"there is no {FILE}.",
                "name a folder that heddle explore wrote, or a file in T4",
            )
        for result in read(folder):
            results[result.key] = result
            path = folder / SOURCES / result.source
            if result.source and path.is_file():
                texts[result.source] = path.read_text()
    return Exploration(tuple(results.values()), (), texts)


def earlier_results(place: str | Path) -> tuple[Result, ...]:
    """The results of an earlier search: a folder that `explore` wrote, its results.jsonl, whatever it is
    called now, or a file in T4 (*.json). Raises KernelError where there are none."""
    path = Path(place)
    path = path / FILE if path.is_dir() else path
    if path.is_file() and path.suffix == ".json":
        return tuple(from_t4(path))
    found = read_file(path) if path.is_file() else []
    if not found:
        raise KernelError(
            str(place),
            "there are no earlier results.",
            f"name a folder that heddle explore wrote, its {FILE}, or a file in T4",
        )
    return tuple(found)


def merge(folders: Sequence[str | Path], out: str | Path, against: str | Path | None = None) -> Exploration:
    """Put the results of several folders, such as those of several machines, into one; files in T4, such as
    those of other tuners, count as folders. against: an earlier search that they are compared with."""
    earlier = None if against is None else earlier_results(against)
    found = load_results([Path(folder) for folder in folders])
    known = {result.key for result in read(Path(out))}
    for result in found.results:
        if result.key not in known:
            append(Path(out), result, found.texts.get(result.source, ""))
    merged = replace(load_results([Path(out)]), earlier=earlier)
    merged.write(Path(out))
    return merged
