# SPDX-License-Identifier: Apache-2.0
"""What was found about candidates: one line of JSON each, appended when it is known; and as T4, the format of
results that Kernel Tuner and its dashboards read."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.explored_schedules import FORMAT
from heddle.ir.default_schedule import plain
from heddle.ir.schedule import CompressedList, Interleaved, Rows, Schedule, Threads
from heddle.ir.schedule_text import as_text, from_json, to_json

_WHOLE_ROWS = 1
"""A format in which a part that is left out is whole rows, or one thread per cell."""
FILE = "results.jsonl"
SOURCES = "sources"
_SOURCE = re.compile(r"([0-9a-f]{16}\.txt)?")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
STATES = ("correct", "correctness", "compile", "runtime", "timeout", "constraints")
"""Of a candidate, in the words of T4. Only those that are correct have times."""


@dataclass(frozen=True)
class Result:
    """What is known of one candidate.

    key: of all that decides what was measured. extent: cells along x, y, z. listed: cells of the list in this
    box, 0 for a box. state, why: one of STATES, and
    what is wrong. bytes_read, bytes_written, flops, calls: of the cost line, per update of a cell. seconds,
    stream: of one update of all cells, by the candidate and by the matching stream, in turns;
    stream_schedule: that of the stream. peak: measured operations per second of this precision. error:
    relative to f64, or what the user's function says. lines: of emitted text. source: the name of the file
    that has it. generation, compilation, validation: seconds. own: whether the schedule is the model's own.
    rounds_alike: whether its arithmetic is the model's. write_allocate: bytes per update of the lines that
    stores read first. registers, spills, shared, occupancy: of a GPU, registers of a thread, bytes that it
    spills, bytes of shared memory of a block, and the share of a multiprocessor's warps that are resident.
    counted: bytes per update of a cell that memory moves, by counters of the hardware, where they were asked.
    tuned: options by name, of a result that another tuner found. cycles, residual: of a method that solves a
    problem, whose costs and times are those of a whole solve.
    """

    key: str
    machine: str
    target: str
    module: str
    variant: str
    step: str
    precision: str
    schedule: Schedule
    extent: tuple[int, ...]
    state: str
    why: str = ""
    listed: int = 0
    own: bool = False
    rounds_alike: bool = True
    bytes_read: float = 0
    bytes_written: float = 0
    write_allocate: float = 0
    flops: float = 0
    calls: dict[str, float] = field(default_factory=dict)
    seconds: tuple[float, ...] = ()
    stream: tuple[float, ...] = ()
    stream_schedule: str = ""
    peak: float = 0
    error: float | None = None
    lines: int = 0
    source: str = ""
    generation: float = 0
    compilation: float = 0
    validation: float = 0
    object_bytes: int = 0
    registers: int = 0
    spills: int = 0
    shared: int = 0
    occupancy: float | None = None
    counted: float | None = None
    tuned: dict[str, str] = field(default_factory=dict)
    cycles: int = 0
    residual: float | None = None
    compiler: str = ""
    timestamp: str = ""

    @property
    def cells(self) -> int:
        return self.listed or math.prod(self.extent)

    @property
    def bytes(self) -> float:
        """Per update of a cell."""
        return self.bytes_read + self.bytes_written

    @property
    def time(self) -> float:
        """Median seconds of one update; infinite if it was not timed."""
        return statistics.median(self.seconds) if self.seconds else math.inf

    @property
    def nanoseconds_per_cell(self) -> float:
        return self.time / self.cells * 1e9

    @property
    def fraction(self) -> float:
        """The time of the matching stream, divided by that of the candidate: the median over the turns."""
        turns = [other / own for own, other in zip(self.seconds, self.stream, strict=False)]
        return statistics.median(turns) if turns else 0.0

    @property
    def place(self) -> tuple[Any, ...]:
        """What competes with each other: results for the same machine, target, step and size."""
        return self.machine, self.target, self.module, self.step, self.extent

    @property
    def identity(self) -> tuple[Any, ...]:
        """What two results of one candidate share, whatever its text was."""
        return *self.place, self.variant, self.precision, as_text(self.schedule)

    @property
    def shown(self) -> str:
        """Its schedule as a terminal shows it: without the part for other targets."""
        gpu = TARGETS[self.target].gpu is not None
        usual = Schedule()
        own = self.schedule
        own = dataclasses.replace(own, cpu=usual.cpu) if gpu else dataclasses.replace(own, gpu=usual.gpu)
        return as_text(own)

    @property
    def name(self) -> str:
        variant = f"{self.variant} " if self.variant else ""
        return f"{variant}{self.step} {self.precision} {as_text(self.schedule)}"


def solve_text(result: Result) -> str:
    """How a method came to its end."""
    return f"{result.cycles} cycle{'s' if result.cycles != 1 else ''}, residual {result.residual:.1e}"


def source_of(text: str) -> str:
    """The name of the file that keeps an emitted text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16] + ".txt"


def newest(results: Iterable[Result]) -> list[Result]:
    """Of each candidate, machine and size only the newest result; the last one of the same second."""
    found: dict[tuple[Any, ...], Result] = {}
    for result in results:
        known = found.get(result.identity)
        if known is None or known.timestamp <= result.timestamp:
            found[result.identity] = result
    return list(found.values())


def to_line(result: Result) -> str:
    """One line of results.jsonl."""
    parts = {part.name: getattr(result, part.name) for part in dataclasses.fields(result)}
    parts |= {"format": FORMAT, "schedule": to_json(result.schedule)}
    return json.dumps(parts, allow_nan=False)


def from_line(where: str, line: str) -> Result:
    """The result of a line; KernelError for anything else. where: file and line."""
    try:
        parts = json.loads(line)
        written = parts.pop("format", None) if isinstance(parts, dict) else None
        if written not in (FORMAT, _WHOLE_ROWS):
            raise ValueError(f"it is no result of format {FORMAT}")
        schedule = from_json(where, parts.pop("schedule"))
        if written == _WHOLE_ROWS:
            schedule = plain(schedule)
        known = {part.name: part for part in dataclasses.fields(Result)}
        unknown = parts.keys() - known.keys()
        if unknown:
            raise ValueError(f"'{min(unknown)}' is unknown")
        values = {name: _checked(name, str(known[name].type), value) for name, value in parts.items()}
        result = Result(schedule=schedule, **values)
        for value, known_ones, what in ((result.state, STATES, "state"), (result.target, TARGETS, "target")):
            if value not in known_ones:
                raise ValueError(f"'{value}' is no {what}")
        if not result.extent or min(result.extent) < 1 or min((1.0, *result.seconds, *result.stream)) <= 0:
            raise ValueError("sizes and times are positive")
        for name, form in (("module", _IDENTIFIER), ("step", _IDENTIFIER), ("source", _SOURCE)):
            if not form.fullmatch(getattr(result, name)):  # files are named after these
                raise ValueError(f"'{name}' is {getattr(result, name)!r}")
        return result
    except (ValueError, TypeError, KeyError) as error:
        raise KernelError(
            where, f"this line is no result: {error}.", "remove the line, or the file, and explore again"
        ) from None


def _checked(name: str, kind: str, value: Any) -> Any:
    """A value of JSON as a part of a result."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind.startswith("tuple"):
        whole = "int" in kind
        if isinstance(value, list) and all(type(one) is int if whole else _real(one) for one in value):
            return tuple(value)
    elif kind.startswith("dict"):
        text = "str, str" in kind
        if isinstance(value, dict) and all(
            isinstance(one, str) if text else _real(one) for one in value.values()
        ):
            return value
    elif (
        (kind == "str" and isinstance(value, str))
        or (kind == "bool" and isinstance(value, bool))
        or (kind == "int" and type(value) is int and value >= 0)
        or (kind.startswith("float") and number and _real(value) and value >= 0)
        or ("None" in kind and value is None)
    ):
        return value
    raise ValueError(f"'{name}' is {value!r}")


def _real(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def append(folder: Path, result: Result, text: str = "") -> None:
    """Add a result, and its emitted text. A line is written at once and reaches the disk before this
    returns."""
    if text:
        (folder / SOURCES).mkdir(parents=True, exist_ok=True)
        (folder / SOURCES / result.source).write_text(text)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    torn = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(handle, (("\n" if torn else "") + to_line(result) + "\n").encode())
        os.fsync(handle)
    finally:
        os.close(handle)


def read(folder: Path) -> list[Result]:
    """The results of a folder, the last one of each key. A last line that an interrupted run left unfinished
    counts as none."""
    path = folder / FILE
    return read_file(path) if path.exists() else []


def read_file(path: Path) -> list[Result]:
    """The results of a file, as `read` gives them."""
    found: dict[str, Result] = {}
    lines = path.read_text().split("\n")
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        try:
            result = from_line(f"{path.name}:{number}", line)
        except KernelError:
            if number == len(lines) or not line.endswith("}"):  # cut off
                continue
            raise
        found[result.key] = result
    return list(found.values())


def t4(results: Iterable[Result]) -> dict[str, Any]:
    """Results as T4 1.0.0 (schema_version, results[...])."""
    return {"schema_version": "1.0.0", "results": [_t4(result) for result in results]}


def _t4(result: Result) -> dict[str, Any]:
    correct = result.state == "correct"
    measured: list[tuple[str, Any, str]] = [
        ("bytes_read", result.bytes_read, "B/cell"),
        ("bytes_written", result.bytes_written, "B/cell"),
        ("flops", result.flops, "1/cell"),
        ("lines", result.lines, ""),
        ("object_size", result.object_bytes, "B"),
        ("generation_time", result.generation * 1e3, "ms"),
    ]
    if result.registers:
        measured += [
            ("registers", result.registers, ""),
            ("spills", result.spills, "B"),
            ("shared_memory", result.shared, "B"),
        ]
    if result.occupancy is not None:
        measured.append(("occupancy", result.occupancy, ""))
    if correct:
        measured = [
            ("time", result.time * 1e3, "ms"),
            ("time_per_cell", result.nanoseconds_per_cell, "ns"),
            *_beside(result),
            *measured,
        ]
    if result.counted is not None:
        measured.append(("bytes_counted", result.counted, "B/cell"))
    if result.residual is not None:
        measured += [("cycles", result.cycles, ""), ("residual", result.residual, "")]
    if result.error is not None:
        measured.append(("error", result.error, ""))
    if result.why:
        measured.append(("reason", result.why, ""))
    return {
        "timestamp": result.timestamp,
        "configuration": {
            "machine": result.machine,
            "target": result.target,
            "module": result.module,
            "variant": result.variant,
            "kernel": result.step,
            "precision": result.precision,
            "extent": "x".join(map(str, result.extent)),
            "schedule": as_text(result.schedule),
        },
        "objectives": ["time_per_cell"],
        "times": {
            "compilation_time": result.compilation * 1e3,
            "runtimes": [seconds * 1e3 for seconds in result.seconds],
            "framework": result.generation * 1e3,
            "search_algorithm": 0.0,
            "validation": result.validation * 1e3,
        },
        "invalidity": result.state,
        "correctness": 1.0 if correct else 0.0,
        "measurements": [{"name": name, "value": value, "unit": unit} for name, value, unit in measured],
    }


def _beside(result: Result) -> list[tuple[str, Any, str]]:
    """What is known from the matching stream; nothing of results of other tuners."""
    if not result.stream:
        return []
    return [
        ("fraction_of_stream", result.fraction, ""),
        ("bandwidth", result.bytes * result.cells / result.time / 1e9, "GB/s"),
        ("stream_time", statistics.median(result.stream) * 1e3, "ms"),
    ]


def metadata(results: Sequence[Result]) -> dict[str, Any]:
    """The machines and compilers of results, as T4's metadata."""
    machines = dict.fromkeys((result.machine, result.target) for result in results)
    return {
        "schema_version": "1.0.0",
        "metadata": {
            "hardware": {"hardware_description": [{"name": name, "target": kind} for name, kind in machines]},
            "environment": {"requirements": sorted({r.compiler for r in results if r.compiler})},
        },
    }


def best(results: Iterable[Result], only_alike: bool = False) -> list[Result]:
    """The fastest correct result of each place, variant and precision. only_alike: of those that round as
    the model does."""
    found: dict[tuple[Any, ...], Result] = {}
    for result in results:
        if result.state != "correct" or (only_alike and not result.rounds_alike):
            continue
        group = _group(result)
        if group not in found or result.time < found[group].time:
            found[group] = result
    return list(found.values())


def _group(result: Result) -> tuple[Any, ...]:
    return (*result.place, result.variant, result.precision)


def _takes(schedule: Schedule) -> tuple[Any, ...]:
    """What a schedule says of the arrays that an entry takes, and of its tables."""
    gpu = schedule.gpu
    lanes = gpu.lanes if isinstance(gpu, Interleaved) else 1
    compressed, cpu = isinstance(gpu, CompressedList), schedule.cpu
    rows = cpu.fixed_nx, cpu.component_stride, cpu.unchecked_entry, cpu.unit_stride
    return gpu.unit_stride, gpu.same_strides, gpu.row_cells, lanes, compressed, *rows


def schedules(results: Iterable[Result]) -> dict[str, Any]:
    """The best schedules that round as the model does, and with which entries take the same arrays, by
    machine: schedules.json."""
    machines: dict[str, Any] = {}
    every = list(results)
    own = {_group(result): _takes(result.schedule) for result in every if result.own}
    plain_arrays = _takes(Schedule(Rows(), Threads()))
    usable = [
        r
        for r in every
        if not (r.cycles or r.tuned) and _takes(r.schedule) == own.get(_group(r), plain_arrays)
    ]
    for result in best(usable, only_alike=True):
        machine = machines.setdefault(result.machine, {}).setdefault(result.target, {})
        variant = machine.setdefault(result.module, {}).setdefault(result.variant, {})
        entries = variant.setdefault(result.step, {}).setdefault(result.precision, [])
        entries.append(
            {
                "extent": list(result.extent),
                "schedule": to_json(result.schedule),
                "text": as_text(result.schedule),
                "nanoseconds_per_cell": result.nanoseconds_per_cell,
                "fraction_of_stream": result.fraction,
            }
        )
    return {"format": FORMAT, "machines": machines}
