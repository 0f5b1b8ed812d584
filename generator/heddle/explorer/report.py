# SPDX-License-Identifier: Apache-2.0
"""One HTML file of an exploration, which needs nothing else: report.html, with report.css, report.js and the
data inside it."""

from __future__ import annotations

import html
import json
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from heddle.emit.targets import TARGETS
from heddle.explorer.advice import why_not_faster
from heddle.explorer.drift import Change, counts, drift
from heddle.explorer.results import Result, solve_text
from heddle.ir.schedule import CpuSchedule, GpuSchedule, Interleaved, Rows, Schedule, Threads
from heddle.ir.schedule_text import as_text

MOST_BYTES = 300_000
"""Of the file. Emitted text is left out, that of the slowest candidates first, until it fits."""
_HERE = Path(__file__).parent
_MARK = re.compile(r"@(TITLE|STYLE|SCRIPT|DATA)@")


def report(
    results: Sequence[Result],
    refused: Iterable[Any],
    texts: Mapping[str, str],
    earlier: Iterable[Result] | None = None,
) -> str:
    """The file as text. refused: points that are not legal. texts: emitted kernels by `Result.source`.
    earlier: results that these are compared with."""
    changes = None if earlier is None else drift(earlier, results)
    kept = [r.source for r in sorted(results, key=lambda r: r.time / r.cells) if r.source in texts]
    kept = list(dict.fromkeys(kept))
    while True:
        found = _page(results, list(refused), {name: texts[name] for name in kept}, changes)
        if len(found.encode()) <= MOST_BYTES or not kept:
            return found
        del kept[len(kept) * 3 // 4 :]


def _page(
    results: Sequence[Result],
    refused: Sequence[Any],
    texts: Mapping[str, str],
    changes: Sequence[Change] | None,
) -> str:
    names = sorted({result.module for result in results})
    parts = {
        "TITLE": html.escape(f"Explored: {', '.join(names)}"),
        "STYLE": (_HERE / "report.css").read_text().strip(),
        "SCRIPT": (_HERE / "report.js").read_text().strip(),
        "DATA": escaped(_data(results, refused, texts, changes)),
    }
    return _MARK.sub(lambda found: parts[found[1]], (_HERE / "report.html").read_text())


def escaped(data: object) -> str:
    """JSON that no name in it can leave: neither `</script>` nor a comment can stand in it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for sign in "<>&'\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _data(
    results: Sequence[Result],
    refused: Sequence[Any],
    texts: Mapping[str, str],
    changes: Sequence[Change] | None,
) -> dict[str, Any]:
    lines: dict[str, int] = {}
    sources = [[lines.setdefault(line, len(lines)) for line in text.split("\n")] for text in texts.values()]
    numbers = {name: number for number, name in enumerate(texts)}
    machines = sorted({f"{result.machine} ({result.target})" for result in results})
    compilers = sorted({result.compiler for result in results if result.compiler})
    return {
        "about": f"{'; '.join(machines)}. {'; '.join(compilers)}.",
        "results": [_entry(number, r, numbers.get(r.source, -1)) for number, r in enumerate(results)],
        "refused": [
            {
                "name": f"{one.variant} {one.step} {one.precision} {as_text(one.schedule)}".strip(),
                "why": one.why,
            }
            for one in refused
        ],
        "drift": None
        if changes is None
        else {
            "counts": counts(changes),
            "changes": [_changed(change) for change in changes if change.kind != "same"],
        },
        "lines": list(lines),
        "sources": sources,
    }


def _place(result: Result) -> str:
    """What results are compared within."""
    return f"{result.module}/{result.step}, {'x'.join(map(str, result.extent))}, {result.machine}"


def _changed(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "place": _place(change.result),
        "name": change.result.name,
        "before": change.before,
        "now": change.now,
        "times": change.times if None not in (change.before, change.now) else None,
        "why": change.why,
    }


def _entry(number: int, result: Result, source: int) -> dict[str, Any]:
    """What the page shows of a result."""
    entry: dict[str, Any] = {
        "id": number,
        "place": _place(result),
        "name": result.name,
        "variant": result.variant,
        "precision": result.precision,
        "schedule": as_text(result.schedule),
        "state": result.state,
        "why": result.why,
        "own": result.own,
        "source": source,
        "options": result.tuned
        or {"variant": result.variant, "precision": result.precision}
        | options(result.schedule, TARGETS[result.target].gpu is not None),
        "time": None,
    }
    if result.state != "correct":
        return entry
    rate = result.cells / result.time / 1e9
    calls = "".join(f" + {count:g} {name}" for name, count in result.calls.items())
    solve = "" if result.residual is None else f" A solve: {solve_text(result)}."
    return entry | {
        "time": result.nanoseconds_per_cell,
        "spread": _spread(result.seconds) / result.cells * 1e9,
        **_beside(result),
        "bytes": result.bytes,
        "counted": result.counted,
        "measured": result.flops / result.counted if result.counted else None,
        "flops": result.flops,
        "bandwidth": result.bytes * rate,
        "gflops": result.flops * rate,
        "peak": result.peak / 1e9,
        "intensity": result.flops / result.bytes if result.bytes else 0,
        "error": result.error,
        "lines": result.lines,
        "compile": result.compilation,
        "generate": result.generation,
        "object": result.object_bytes / 1e3,
        "registers": result.registers or None,
        "spills": result.spills if result.registers else None,
        "occupancy": None if result.occupancy is None else 100 * result.occupancy,
        "costs": f"Reads {result.bytes_read:g} B, writes {result.bytes_written:g} B, {result.flops:g} "
        f"flops{calls} per cell. {result.lines} lines, compiled in {result.compilation:.1f} s.{solve}",
        "hint": why_not_faster(result),
    }


def _beside(result: Result) -> dict[str, float]:
    """What the matching stream says; nothing of a result of another tuner."""
    if not result.stream:
        return {}
    stream = result.bytes * result.cells / statistics.median(result.stream) / 1e9
    return {
        "fraction": result.fraction,
        "percent": 100 * result.fraction,
        "streamBandwidth": stream,
    }


def _spread(seconds: Sequence[float]) -> float:
    """Half the distance of the quartiles."""
    if len(seconds) < 2:
        return 0.0
    low, _, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return (high - low) / 2


def options(schedule: Schedule, on_gpu: bool) -> dict[str, str]:
    """The options of a schedule that count on a CPU or a GPU, as axes of the parallel coordinates."""
    found = _on_gpu(schedule.gpu) if on_gpu else _on_cpu(schedule.cpu)
    found |= {"fma": "fma" if schedule.fma else "no fma", "math": schedule.math}
    return {name: str(value) for name, value in found.items()}


def _on_cpu(cpu: CpuSchedule) -> dict[str, Any]:
    found: dict[str, Any] = {"loop": type(cpu).__name__}
    if isinstance(cpu, Rows):
        found["loop"] += " fixed_nx" if cpu.fixed_nx else "" if cpu.simd else " scalar"
    found["size"] = getattr(cpu, "size", "-")
    found["prefetch"] = getattr(cpu, "prefetch_distance", getattr(cpu, "prefetch", 0))
    found["stores"] = "nontemporal" if getattr(cpu, "nontemporal", False) else "cached"
    return found


def _on_gpu(gpu: GpuSchedule) -> dict[str, Any]:
    found: dict[str, Any] = {"thread": type(gpu).__name__}
    if isinstance(gpu, Threads):
        found["thread"] += f" x{gpu.coarsening}" if gpu.coarsening > 1 else ""
    if isinstance(gpu, Interleaved):
        found["thread"] += f" {gpu.lanes}"
    found["block"] = "x".join(map(str, gpu.block))
    found["unit stride"] = "yes" if gpu.unit_stride else "no"
    found["same strides"] = "yes" if gpu.same_strides else "no"
    found["thread"] += f" x{gpu.row_cells} along x" if gpu.row_cells > 1 else ""
    found["addresses"] = "rematerialised" if gpu.rematerialise else "kept"
    return found
