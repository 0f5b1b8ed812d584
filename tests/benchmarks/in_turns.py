# SPDX-License-Identifier: Apache-2.0
"""The schedules of a family (families.py) on the same arrays, in turns: what disturbs one disturbs all.

    python tests/benchmarks/in_turns.py --target cpu cuda --only NAME... --out FOLDER

All rows compile first, on all cores; then one is timed after another, on a CPU and a GPU at the same time.
Each schedule is checked against the reference target before it is timed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.synchronize import Semaphore
from pathlib import Path
from typing import Any

from families import FAMILIES, Family, own_schedule, tried
from heddle import machine
from heddle.explorer import built, measure
from heddle.explorer.memory import library
from heddle.explorer.results import Result, append, source_of
from heddle.explorer.space import Candidate, space
from heddle.explorer.trial import Own, own_part, write_allocate
from heddle.explorer.workers import Outcome, in_children, set_threads
from heddle.ir import nodes as ir
from heddle.ir.schedule import CpuSchedule, GpuSchedule
from heddle.ir.schedule_text import as_text, from_text

ENDED = "the process ended by itself"


@dataclass(frozen=True)
class Made:
    """One schedule, compiled. result: what is known of it without a time."""

    result: Result
    own: built.Built


@dataclass(frozen=True)
class Row:
    """A family in one precision. kernels: of a step, as all its schedules have them."""

    extent: tuple[int, ...]
    kernels: list[ir.Kernel]
    reference: built.Built
    schedules: list[Made]


def make(
    family: Family,
    target: str,
    precision: str,
    parts: Sequence[str] | None,
    compiling: Semaphore,
) -> Row:
    """Compile all that a row needs. parts: in place of all schedules, texts of those that are wanted beside
    the own one. compiling: lets as many work as there are cores."""
    with compiling:
        module = family.make()
        extent = family.extent(target)
        own = own_schedule(family, module)
        part = "gpu" if target == "cuda" else "cpu"
        wanted = tried(family, module, target)
        if parts is not None:
            others = [replace(own, **{part: stated(part, text)}) for text in parts]
            wanted = list(dict.fromkeys((own, *others)))
        points = space({"": module}, target, extent[0], [family.kernel], [precision], wanted)
    for refused in points.refused:
        print(
            f"{family.name}: {as_text(refused.schedule)}: {refused.why}",
            file=sys.stderr,
        )

    def one(candidate: Candidate) -> Own:
        with compiling:
            return own_part(candidate, target)

    def plain() -> built.Built:
        with compiling:
            return built.build(built.reference(points.candidates[0]), "reference")

    tasks = [*(partial(one, candidate) for candidate in points.candidates), plain]
    done: dict[int, Outcome[Any]] = dict(in_children(tasks, len(tasks)))
    found = []
    for number, candidate in enumerate(points.candidates):
        if done[number].value is None:
            print(f"{family.name}: {candidate.name}: {done[number].why}", file=sys.stderr)
            continue
        own_built, costs = done[number].value
        found.append(Made(result_of(candidate, target, extent, own_built, costs), own_built))
    reference = done[len(points.candidates)].value
    assert reference is not None, done[len(points.candidates)].why
    return Row(extent, built.typed(points.candidates[0].module), reference, found)


def stated(part: str, text: str) -> CpuSchedule | GpuSchedule:
    """A part of a schedule, cpu or gpu, from its text."""
    found: CpuSchedule | GpuSchedule = getattr(from_text("--parts", f"Schedule({part}={text})"), part)
    return found


def result_of(
    candidate: Candidate,
    target: str,
    extent: tuple[int, ...],
    own: built.Built,
    costs: dict[str, Any],
) -> Result:
    """What is known of a schedule without a time."""
    return Result(
        key=hashlib.sha256(f"{own.key}{candidate.name}{extent}".encode()).hexdigest()[:20],
        machine="",
        target=target,
        module=candidate.module.name,
        variant="",
        step=candidate.step,
        precision=candidate.precision,
        schedule=candidate.schedule,
        extent=extent,
        state="correct",
        own=candidate.own,
        compiler=own.compiler,
        generation=own.generation,
        compilation=own.compilation,
        object_bytes=own.object_bytes,
        lines=own.text.count("\n"),
        source=source_of(own.text),
        write_allocate=write_allocate(candidate, extent, target == "cuda"),
        **built.resources(own, candidate.schedule),
        **costs,
    )


def timed(row: Row, family: Family, target: str, samples: int, threads: int) -> Iterator[Result]:
    """The results of a row."""
    gpu, values = target == "cuda", family.values or {}
    small = measure.small(row.kernels, row.schedules[0].result.schedule, len(row.extent))
    expected = measure.runnable(row.reference.functions(), row.kernels, small, values, gpu=False)
    functions, right = [], []
    for made in row.schedules:
        functions.append(made.own.functions())
        found = measure.runnable(functions[-1], row.kernels, small, values, gpu)
        expected.memory.reset()
        why = measure.difference(found, expected, gpu and bool(made.result.calls))
        right.append(why)
        if why:
            yield replace(made.result, state="correctness", why=why)
    first = measure.runnable(functions[0], row.kernels, row.extent, values, gpu)
    runs, known = [], []
    for made, calls, why in zip(row.schedules, functions, right, strict=True):
        if not why:
            runs.append(replace(first, functions=tuple(calls[kernel.name] for kernel in row.kernels)))
            known.append(made)
    listed = len(first.memory.cells) if first.memory.cells is not None else 0
    seconds = measure.timed(runs, samples, measure.clock(None if gpu else threads), alike=True)
    for made, own in zip(known, seconds, strict=True):
        yield replace(made.result, seconds=tuple(own), listed=listed)


def work(
    task: tuple[Family, str, str],
    parts: Sequence[str] | None,
    samples: int,
    threads: int,
    name: str,
    compiling: Semaphore,
    connection: Connection,
) -> None:
    """One row, in a process of its own: compiles when it may, then waits for its turn and times."""
    family, target, precision = task
    try:
        row = make(family, target, precision, parts, compiling)
        connection.send(f"{len(row.schedules)} schedules")
        core = connection.recv()
        if target == "cpu":
            if threads == 1:
                os.sched_setaffinity(0, {core})
            set_threads(threads)
        for result in timed(row, family, target, samples, threads):
            now = datetime.now(UTC).isoformat(timespec="seconds")
            connection.send(replace(result, machine=name, timestamp=now))
    except Exception as error:
        connection.send(f"{type(error).__name__}: {error}")
    connection.send(None)


def turn(task: tuple[Family, str, str], connection: Connection, core: int, out: Path | None) -> None:
    """Let a row be timed, and keep what it finds."""
    family, _, precision = task
    connection.send(core)
    found: list[Result] = []
    while (result := connection.recv()) is not None:
        if isinstance(result, str):
            print(f"{family.name}, {precision}: {result}", flush=True)
            continue
        found.append(result)
        if out:
            append(out, result, "")
    best = min((result.time for result in found), default=0)
    for result in sorted(found, key=lambda result: result.time):
        own = ", chosen" if result.own else ""
        print(
            f"{family.name}, {result.extent}, {result.precision}: {result.nanoseconds_per_cell:.4g} ns, "
            f"{best / result.time:.3f}, {result.state}{own}: {as_text(result.schedule)}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", nargs="+", choices=("cpu", "cuda"), default=["cpu"])
    parser.add_argument("--only", nargs="+", default=[""], help="starts of the names of families")
    parser.add_argument(
        "--rows",
        type=Path,
        help="a file of JSON in place of these: name, size, target, precision, schedules",
    )
    parser.add_argument("--parts", nargs="+", help="texts of schedules to try beside the own one")
    parser.add_argument("--precisions", nargs="+")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1, help="of a CPU")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--compile-limit", type=float, default=1e6, help="seconds for all that compiles")
    parser.add_argument("--limit", type=float, default=1e6, help="seconds after which no row is begun")
    parser.add_argument("--core", type=int, default=0, help="that times one thread of a CPU")
    parser.add_argument("--out", type=Path, help="a folder, in which those of the targets will lie")
    options = parser.parse_args()
    started = time.monotonic()
    tasks = list(wanted(options))
    for target in options.target:
        library("cupy" if target == "cuda" else "numpy")
    names = {
        target: machine.name(target == "cuda", options.threads if target == "cpu" else None)
        for target in options.target
    }
    lines: dict[str, list[tuple[int, Any, Connection]]] = {target: [] for target in options.target}
    context = multiprocessing.get_context("fork")
    compiling = context.Semaphore(options.jobs)
    every: list[Any] = []
    active: dict[Connection, int] = {}
    while (len(every) < len(tasks) or active) and time.monotonic() - started < options.compile_limit:
        while len(every) < len(tasks) and len(active) < options.jobs:
            task, parts = tasks[len(every)]
            here, there = context.Pipe()
            process = context.Process(
                target=work,
                args=(
                    task,
                    parts,
                    options.samples,
                    options.threads,
                    names[task[1]],
                    compiling,
                    there,
                ),
                daemon=False,
            )
            process.start()
            there.close()
            active[here] = len(every)
            every.append(process)
        for here in wait(list(active), timeout=1):
            number = active.pop(here)  # type: ignore[call-overload]
            task = tasks[number][0]
            try:
                said = here.recv()  # type: ignore[union-attr]
            except EOFError:
                said = ENDED
            print(
                f"{time.monotonic() - started:.0f} s: {task[0].name}, {task[1]}, {task[2]}: {said}",
                flush=True,
            )
            if said.endswith("schedules"):
                lines[task[1]].append((number, task, here))  # type: ignore[arg-type]
    for number in (*active.values(), *range(len(every), len(tasks))):
        task = tasks[number][0]
        print(f"not compiled in time: {task[0].name}, {task[1]}, {task[2]}", flush=True)
    for number in active.values():
        every[number].kill()

    def time_all(target: str) -> None:
        for _, task, here in sorted(lines[target], key=lambda line: line[0]):
            if time.monotonic() - started > options.limit:
                print(
                    f"no time is left for {task[0].name}, {target}, {task[2]}",
                    flush=True,
                )
                continue
            try:
                turn(
                    task,
                    here,
                    options.core,
                    options.out / target if options.out else None,
                )
            except EOFError:
                print(
                    f"{task[0].name}, {target}, {task[2]}: {ENDED}",
                    flush=True,
                )

    lanes = [threading.Thread(target=time_all, args=(target,)) for target in options.target]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    for process in every:
        process.kill()


def wanted(
    options: argparse.Namespace,
) -> Iterator[tuple[tuple[Family, str, str], Sequence[str] | None]]:
    """The rows that are asked for, and with which schedules."""
    if options.rows:
        families = {family.name: family for family in reversed(FAMILIES)}
        for name, size, target, precision, parts in json.loads(options.rows.read_text()):
            if target in options.target:
                family = families[name]
                if size:
                    family = replace(family, **{"gpu" if target == "cuda" else "cpu": size})
                yield (family, target, precision), parts
        return
    for target in options.target:
        seen = set()
        for family in FAMILIES:
            if family.name.startswith(tuple(options.only)) and (target, family.name) not in seen:
                for precision in options.precisions or family.precisions:
                    if precision in family.precisions:
                        yield (family, target, precision), options.parts
            if target == "cuda":
                seen.add((target, family.name))


if __name__ == "__main__":
    main()
