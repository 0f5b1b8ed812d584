# SPDX-License-Identifier: Apache-2.0
"""One candidate, from its files to its times. Both functions run in children."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from heddle.emit.cost import cost
from heddle.emit.targets import TARGETS
from heddle.explorer import built, counters, measure
from heddle.explorer.hybrid import HybridRun, parts
from heddle.explorer.memory import Values, library
from heddle.explorer.schedules import arithmetic
from heddle.explorer.solved import solved
from heddle.explorer.space import Candidate
from heddle.explorer.streams import moves, peak_module, ways, ways_of
from heddle.explorer.workers import set_threads
from heddle.ir import nodes as ir
from heddle.ir.schedule import CacheLines, Strips
from heddle.ir.schedule_text import as_text
from heddle.ir.visit import evaluated
from heddle.python.load import Kernels, over_lists

Accuracy: TypeAlias = Callable[[Kernels, str], float]
Own: TypeAlias = tuple[built.Built, dict[str, Any]]
"""A candidate and its costs."""
PEAK_CELLS = 1 << 16
"""Of the kernel `peak`: what it reads lies in a cache, and all cores have some of it."""
GPU_PEAK_CELLS = 1 << 22


@dataclass(frozen=True)
class Conditions:
    """What is the same for all candidates of a run."""

    target: str
    values: Values
    accuracy: Accuracy | None
    threads: int | None = None
    counters: bool = False

    @property
    def gpu(self) -> bool:
        return TARGETS[self.target].gpu is not None

    @property
    def clock(self) -> measure.Clock:
        return measure.clock(None if self.gpu else self.threads)


@dataclass(frozen=True)
class Made:
    """What a candidate needs, in the cache: itself, what it is checked against, what errors are measured
    against, what it is timed beside, and the limit of arithmetic. calls: whether it calls
    functions of the library."""

    own: built.Built
    reference: built.Built
    exact: built.Built
    streams: built.Built
    peak: built.Built
    calls: bool


def shared_parts(candidate: Candidate, target: str) -> dict[str, tuple[Hashable, Callable[[], built.Built]]]:
    """What a candidate needs and shares with others: for each part of `Made` a key, and what makes it.
    Raises KernelError, when it is called, as heddle.load does."""
    group = ("reference", candidate.variant, candidate.step)
    rounding, exact = arithmetic(candidate.schedule), arithmetic(candidate.arithmetic)
    moved = tuple(map(moves, built.paced(candidate)))
    exact_key: Hashable = (*group, "f64", exact)
    if candidate.method is not None:
        exact_key = (*group, candidate.precision, rounding)
    return {
        "reference": (
            (*group, candidate.precision, rounding),
            lambda: built.build(built.reference(candidate), "reference"),
        ),
        "exact": (exact_key, lambda: built.build(built.exact(candidate), "reference")),
        "streams": (
            ("streams", moved),
            lambda: built.build(built.streams(candidate, target), target),
        ),
        "peak": (
            ("peak", candidate.precision),
            lambda: built.build(peak_module(candidate.precision)[0], target),
        ),
    }


@dataclass(frozen=True)
class Known:
    """What candidates before this one have shown. error: of the same rounding. stream: in which of
    WAYS the stream is fastest. peak: operations per second."""

    error: float | None = None
    stream: str | None = None
    peak: float = 0.0


def own_part(candidate: Candidate, target: str) -> Own:
    """Generate and compile a candidate; returns its costs, too. Raises KernelError as heddle.load does."""
    made = built.build(candidate.module, target)
    if candidate.method is not None:  # what a solve costs is counted when it runs
        return made, {}
    costs = built.costs(candidate.module, target)
    return made, costs if candidate.hybrid is None else {"calls": costs["calls"]}


def write_allocate(candidate: Candidate, extent: Sequence[int], gpu: bool) -> float:
    """Bytes per update that a CPU reads because it stores to lines that it does not have."""
    cpu = candidate.schedule.cpu
    if gpu or (isinstance(cpu, (CacheLines, Strips)) and cpu.nontemporal):
        return 0.0
    total = 0
    for kernel in built.paced(candidate):
        read = {n.field for n in evaluated(kernel.body) if isinstance(n, (ir.Access, ir.Gather))}
        fields = [(f.type.bytes * max(1, f.components), f in read) for f in kernel.fields]
        taken = sum(size for size, _ in fields) * math.prod(extent)
        if cpu.nontemporal_from is None or taken <= cpu.nontemporal_from << 20:
            total += sum(size for size, is_read in fields if not is_read)
    return total / len(candidate.kernels)


def measured(
    candidate: Candidate,
    made: Made,
    extent: tuple[int, ...],
    samples: int,
    conditions: Conditions,
    known: Known,
) -> dict[str, Any]:
    """Check, then time: nothing is timed that is wrong. Returns parts of a Result, and `stream_way`."""
    if conditions.threads:
        set_threads(conditions.threads)
    gpu, values, typed = conditions.gpu, conditions.values, built.typed(candidate.module)
    if candidate.method is not None:
        return _solved(candidate, made, extent, samples, conditions, known)
    functions, small = made.own.functions(), measure.small(typed, candidate.schedule, len(extent))
    started = time.perf_counter()
    plain = built.typed(built.reference(candidate))
    expected = measure.runnable(made.reference.functions(), plain, small, values, gpu=False)
    tolerance = gpu and made.calls
    why = measure.difference(_own(candidate, functions, small, conditions), expected, tolerance)
    result: dict[str, Any] = {"validation": time.perf_counter() - started}
    if why:
        return result | {"state": "correctness", "why": why}
    result["error"] = known.error
    if known.error is None:
        result["error"] = _error(candidate, made, functions, small, conditions)
    own = _own(candidate, functions, extent, conditions)
    listed = len(own.memory.cells) if own.memory.cells is not None else 0
    along = (listed,) if listed and candidate.hybrid is None else extent
    fastest, stream = _fastest(candidate, made, along, conditions, known)
    seconds, beside = measure.timed([own, stream], samples, conditions.clock)
    if isinstance(own, HybridRun):
        result |= own.costs
        beside = [one * own.stream_share for one in beside]
    elif conditions.counters:
        cells = listed or math.prod(extent)
        names = [kernel.name for kernel in typed]
        result["counted"] = counters.counted(made.own, own, names, cells, gpu)
    return result | {
        "listed": listed,
        "seconds": tuple(seconds),
        "stream": tuple(beside),
        **_limits(candidate, made, fastest, conditions, known),
    }


def _own(
    candidate: Candidate,
    functions: Mapping[str, Callable[..., Any]],
    extent: Sequence[int],
    conditions: Conditions,
) -> measure.Runnable | HybridRun:
    """A candidate with arrays of its own. A hybrid on few cells, where it is checked, has blocks and listed
    cells side by side, whatever the mask is."""
    kernels, values, gpu = built.typed(candidate.module), conditions.values, conditions.gpu
    if candidate.hybrid is None:
        return measure.runnable(functions, kernels, extent, values, gpu)
    few = tuple(extent) == measure.small(kernels, candidate.schedule, len(extent))
    divided = parts(candidate.hybrid, kernels, extent, values, gpu, alternate=few)
    return HybridRun(
        candidate.hybrid, functions, kernels, divided, values, library("cupy" if gpu else "numpy")
    )


def _limits(
    candidate: Candidate, made: Made, way: str, conditions: Conditions, known: Known
) -> dict[str, Any]:
    """Beside what a result is judged. way: in which the stream is fastest."""
    return {
        "stream_way": way,
        "stream_schedule": as_text(ways(conditions.target)[way]),
        "peak": known.peak or _peak(made.peak, candidate.precision, conditions),
    }


def _fastest(
    candidate: Candidate, made: Made, along: tuple[int, ...], conditions: Conditions, known: Known
) -> tuple[str, measure.Runnable]:
    """The matching stream, in the way in which it is fastest."""
    module = built.streams(candidate, conditions.target)
    parts, calls = {part.name: part for part in built.typed(module)}, made.streams.functions()
    kernels = built.paced(candidate)
    gpu = conditions.gpu
    streams = {
        way: measure.runnable(calls, [parts[f"{way}_{kernel.name}"] for kernel in kernels], along, {}, gpu)
        for way in ([known.stream] if known.stream else ways_of(module, conditions.target))
    }
    several = len(streams) > 1
    fastest = [*streams][measure.fastest([*streams.values()], conditions.clock) if several else 0]
    return fastest, streams[fastest]


def _solved(
    candidate: Candidate,
    made: Made,
    extent: tuple[int, ...],
    samples: int,
    conditions: Conditions,
    known: Known,
) -> dict[str, Any]:
    """The same for a method."""
    way, stream = _fastest(candidate, made, extent, conditions, known)
    moved = sum(cost(kernel, kernel).bytes_read + cost(kernel, kernel).bytes_written
                for kernel in built.paced(candidate))  # fmt: skip
    parts = {"own": made.own, "reference": made.reference}
    result = solved(candidate, parts, extent, samples, conditions.gpu, (stream, moved), conditions.clock)
    return result | _limits(candidate, made, way, conditions, known) if "seconds" in result else result


def _error(
    candidate: Candidate,
    made: Made,
    functions: Mapping[str, Callable[..., Any]],
    small: tuple[int, ...],
    conditions: Conditions,
) -> float:
    """What the user's function says, or the error of one update relative to f64."""
    if conditions.accuracy is not None:
        given = over_lists(candidate.module, dict(functions), conditions.target)
        loaded = Kernels(
            candidate.module.name, made.own.library.parent, given, (), lambda: candidate.module.links
        )
        said = float(conditions.accuracy(loaded, candidate.precision))
        if not (math.isfinite(said) and said >= 0):
            raise ValueError(f"the function of accuracy returned {said}, which is no error")
        return said
    values = conditions.values
    best = built.typed(built.exact(candidate))
    exact = measure.runnable(made.exact.functions(), best, small, values, gpu=False)
    return measure.error(_own(candidate, functions, small, conditions), exact)


def _peak(limit: built.Built, precision: str, conditions: Conditions) -> float:
    """Operations per second of chains of multiply-adds."""
    module, flops = peak_module(precision)
    cells = GPU_PEAK_CELLS if conditions.gpu else PEAK_CELLS
    run = measure.runnable(limit.functions(), built.typed(module), (cells,), {}, conditions.gpu)
    (seconds,) = measure.timed([run], 7, conditions.clock)
    return flops * cells / min(seconds)
