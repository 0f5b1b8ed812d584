# SPDX-License-Identifier: Apache-2.0
"""Check a candidate against the reference target, then time it beside the matching stream, in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from heddle.explorer.lists import cell_list
from heddle.explorer.memory import Memory, Values, library, on_host
from heddle.ir import nodes as ir
from heddle.ir.schedule import Schedule

SMALL = (67, 5, 4)
"""Cells along x, y, z on which results are compared: more than a strip, and no multiple of a vector."""
SHORTEST = 2e-3
"""Seconds of one sample: fast kernels run several times in it."""
ULPS = 64
"""How far results on a GPU may lie apart where a kernel calls functions of the library, relative to the
largest value of the field."""


def small(kernels: Sequence[ir.Kernel], schedule: Schedule, dimensions: int) -> tuple[int, ...]:
    """The size at which results are compared; along x what the schedule fixes, and of fields that are split
    by colour an even number."""
    x, *others = SMALL[:dimensions]
    split = any(field.layout.split for kernel in kernels for field in kernel.fields)
    return (schedule.cpu.fixed_nx or (x - x % 2 if split else x), *others)


class Turn(Protocol):
    """What is timed in turns with others."""

    @property
    def functions(self) -> Sequence[Any]: ...

    @property
    def memory(self) -> Any:
        """With `reset`, and the library of its arrays, `xp`."""

    def once(self) -> Any: ...


class Step(Turn, Protocol):
    """What is compared: its memory has the fields that it writes, `written()`."""

    def once(self) -> list[Any]:
        """Call each kernel; returns what they reduce to."""


@dataclass(frozen=True)
class Runnable:
    """Functions of Python, one for each kernel of a step, and what they are called with."""

    functions: tuple[Callable[..., Any], ...]
    memory: Memory

    def once(self) -> list[Any]:
        """Call each kernel; returns what they reduce to."""
        return [call(**given) for call, given in zip(self.functions, self.memory.calls, strict=True)]


def runnable(
    functions: Mapping[str, Callable[..., Any]],
    kernels: Sequence[ir.Kernel],
    extent: Sequence[int],
    values: Values,
    gpu: bool,
) -> Runnable:
    """The kernels of a library with arrays of their own. Kernels over lists: extent is that of the box that
    their cells lie in."""
    listed = any(kernel.space.is_index_list for kernel in kernels)
    cells = cell_list(kernels, extent, values, gpu) if listed else None
    memory = Memory(kernels, extent, values, library("cupy" if gpu else "numpy"), cells)
    return Runnable(tuple(functions[kernel.name] for kernel in kernels), memory)


def difference(found: Step, expected: Step, tolerance: bool) -> str:
    """How two results of the same calls differ; empty if they do not. Bit for bit, or with `tolerance` by few
    units in the last place of the largest value."""
    np = library()
    for kernel, (got, wanted) in enumerate(zip(found.once(), expected.once(), strict=True)):
        if not np.allclose(*_numbers(got, wanted), rtol=ULPS * 2.3e-16 if tolerance else 0, atol=0):
            return f"kernel {kernel + 1} of the step reduces to {got}, the reference to {wanted}"
    for own, other in zip(found.memory.written(), expected.memory.written(), strict=True):
        left, right = on_host(own.whole), on_host(other.whole)
        finite = np.isfinite(right.astype("f8"))
        if not finite.all():
            count = int((~finite).sum())
            return (
                f"the reference itself gives {count} values of '{own.field.name}' that are no numbers: give "
                "values for which the kernel has a meaning"
            )
        same = left == right
        if tolerance and own.field.type.is_float:
            room = ULPS * float(np.finfo(right.dtype).eps) * float(np.abs(right.astype("f8")).max())
            same = np.abs(left.astype("f8") - right.astype("f8")) <= room
        if not same.all():
            place = tuple(int(index) for index in np.argwhere(~same)[0])
            return (
                f"'{own.field.name}' differs in {int((~same).sum())} of {same.size} values, first at "
                f"{list(place)}: {left[place]!s}, the reference {right[place]!s}"
            )
    return ""


def _numbers(got: Any, wanted: Any) -> tuple[list[float], list[float]]:
    """What kernels reduce to, as numbers in order."""
    if isinstance(wanted, dict):
        return [float(got[name]) for name in wanted], [float(value) for value in wanted.values()]
    return ([], []) if wanted is None else ([float(got)], [float(wanted)])


def error(found: Step, exact: Step) -> float:
    """The relative error of what a step writes, root mean square over all fields: the largest of them."""
    np = library()
    found.once()
    exact.once()
    worst = 0.0
    for own, other in zip(found.memory.written(), exact.memory.written(), strict=True):
        if not own.field.type.is_float:
            continue
        right = other.values()
        size = float(np.sqrt(np.mean(right**2)))
        if size:
            worst = max(worst, float(np.sqrt(np.mean((own.values() - right) ** 2))) / size)
    return worst


Clock = Callable[[], float]


def clock(threads: int | None) -> Clock:
    """Of one thread the time that a processor gives it, which other programs disturb less; of several the
    time that passes."""
    return time.thread_time if threads == 1 else time.perf_counter


def timed(
    runs: Sequence[Turn], samples: int, clock: Clock = time.perf_counter, alike: bool = False
) -> list[list[float]]:
    """Seconds of one update of each, `samples` times, in turns: what disturbs one disturbs the others. alike:
    all do the same work, so a sample has as many updates of each; later ones may have less to do."""
    repeats = [_repeats(run, clock) for run in runs]
    if alike:
        repeats = [max(repeats)] * len(runs)
    found: list[list[float]] = [[] for _ in runs]
    for _ in range(samples):
        for run, count, seconds in zip(runs, repeats, found, strict=True):
            run.memory.reset()
            seconds.append(_sample(run, count, clock))
    return found


def _repeats(run: Turn, clock: Clock) -> int:
    """How often a step runs in one sample. The first call touches memory and starts threads."""
    _sample(run, 1, clock)
    run.memory.reset()
    once = max(_sample(run, 1, clock), 1e-7) * len(run.functions)
    return max(1, round(SHORTEST / once))


def _sample(run: Turn, count: int, clock: Clock) -> float:
    """Mean seconds of one update."""
    _wait(run)
    started = clock()
    for _ in range(count):
        run.once()
    _wait(run)
    return (clock() - started) / count / len(run.functions)


def _wait(run: Turn) -> None:
    """Until a GPU has done what was asked of it."""
    if hasattr(run.memory.xp, "cuda"):
        run.memory.xp.cuda.Device().synchronize()


def fastest(runs: Sequence[Turn], clock: Clock, samples: int = 5) -> int:
    """Which of several runs takes the least time."""
    medians = [statistics.median(seconds) for seconds in timed(runs, samples, clock)]
    return medians.index(min(medians))
