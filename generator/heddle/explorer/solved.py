# SPDX-License-Identifier: Apache-2.0
"""A method, from its files to the time of a solve. Runs in a child."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heddle.emit.cost import cost
from heddle.emit.python_file import needed
from heddle.explorer import built, measure
from heddle.explorer.memory import dtype_of, library, on_host
from heddle.explorer.methods import Functions, Method, Solve
from heddle.explorer.space import Candidate
from heddle.ir.schedule import precision
from heddle.module import Module

SMALL = (20, 9, 6)
"""Cells along x, y, z on which solutions are compared: one axis with an odd number."""
ULPS = 1 << 14
"""How far solutions on a GPU may lie apart where `Method.same_bits` is false, in units in the last place of
the largest value."""


@dataclass
class Work:
    """What the calls of a solve moved and computed, as cost lines say: bytes read and written, operations."""

    module: Module
    read: float = 0
    written: float = 0
    flops: float = 0

    def counted(self, functions: Functions) -> dict[str, Callable[..., Any]]:
        """The same functions, whose calls are counted."""
        return {name: self._counting(name, call) for name, call in functions.items()}

    def _counting(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        kernel = self.module.typed(name, self.module.precisions[0])
        one = cost(kernel, kernel)
        axes = kernel.space.dimensions
        box = next(a for a, _ in needed(kernel) if a.field is not None and a.field.rank == axes)

        def counting(**given: Any) -> Any:
            shape = given[box.name].shape
            colours = given.get("last_colour", kernel.space.colours) - given.get("first_colour", 0)
            cells = math.prod(shape[len(shape) - axes :]) * colours / kernel.space.colours
            self.read += one.bytes_read * cells
            self.written += one.bytes_written * cells
            self.flops += one.flops * cells
            return call(**given)

        return counting


@dataclass(frozen=True)
class _Timed:
    """A solve as what `measure.timed` runs."""

    solve: Solve
    xp: Any
    functions: tuple[None] = (None,)

    @property
    def memory(self) -> _Timed:
        return self

    def reset(self) -> None:
        self.solve.reset()

    def once(self) -> None:
        self.solve.reset()
        self.solve.run()


def solved(
    candidate: Candidate,
    made: Mapping[str, built.Built],
    extent: tuple[int, ...],
    samples: int,
    gpu: bool,
    stream: tuple[measure.Runnable, float],
    clock: measure.Clock,
) -> dict[str, Any]:
    """Check, then time. made: the parts `own` and `reference`. stream: the fastest one, and its bytes per
    cell. Returns parts of a Result."""
    method = candidate.method
    assert method is not None
    xp, dtype = library("cupy" if gpu else "numpy"), dtype_of(precision(candidate.precision).storage)
    functions = made["own"].functions()
    started = time.perf_counter()
    small = SMALL[: len(extent)]
    why = _difference(method, functions, made["reference"].functions(), small, dtype, gpu)
    result: dict[str, Any] = {"validation": time.perf_counter() - started}
    if why:
        return result | {"state": "correctness", "why": why}
    work = Work(candidate.module)
    first = method.start(work.counted(functions), extent, dtype, xp)
    cycles = first.run()
    moved, flops = (work.read, work.written), work.flops
    result |= {"cycles": cycles, "residual": first.residual(), "error": first.error()}
    if not (result["residual"] <= method.tolerance and math.isfinite(result["error"])):
        reached = result.pop("residual")
        result["error"] = None
        why = f"after {cycles} cycles the residual is {reached:.1e}; {method.tolerance:g} was asked for"
        return result | {"state": "correctness", "why": why}
    del first
    run = _Timed(method.start(functions, extent, dtype, xp), xp)
    seconds, beside = measure.timed([run, stream[0]], samples, clock)
    cells = math.prod(extent)
    passes = sum(moved) / cells / stream[1]
    return result | {
        "seconds": tuple(seconds),
        "stream": tuple(one * passes for one in beside),
        "bytes_read": moved[0] / cells,
        "bytes_written": moved[1] / cells,
        "flops": flops / cells,
    }


def _difference(
    method: Method, own: Functions, reference: Functions, small: Sequence[int], dtype: str, gpu: bool
) -> str:
    """How the solution differs from that of the reference target; empty if it does not."""
    np = library()
    found = method.start(own, small, dtype, library("cupy" if gpu else "numpy"))
    expected = method.start(reference, small, dtype, np)
    counts = found.run(), expected.run()
    left, right = on_host(found.solution), expected.solution
    if not np.isfinite(right).all():
        return "the reference itself diverges"
    room = 0.0
    if gpu and not method.same_bits:
        room = ULPS * float(np.finfo(right.dtype).eps) * float(np.abs(right).max())
    elif counts[0] != counts[1]:
        return f"it takes {counts[0]} cycles, the reference {counts[1]}"
    apart = np.abs(left.astype("f8") - right.astype("f8"))
    if (apart > room).any():
        count = int((apart > room).sum())
        return f"the solution differs from the reference in {count} of {apart.size} values"
    return ""
