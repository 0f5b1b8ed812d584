# SPDX-License-Identifier: Apache-2.0
"""A candidate as files and as a library in the cache of heddle.load, and what making it took."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heddle.emit.cost import cost
from heddle.emit.targets import TARGETS
from heddle.explorer.occupancy import CAPABILITIES, occupancy
from heddle.explorer.schedules import arithmetic
from heddle.explorer.space import Candidate
from heddle.explorer.streams import stream_module
from heddle.ir import nodes as ir
from heddle.ir.schedule import Schedule, WarpPerCell
from heddle.module import Module
from heddle.python import cache
from heddle.python.compiler import compiler
from heddle.python.load import entry_name, functions_of, job_of, module_of
from heddle.python.ptxas import Taken


@dataclass(frozen=True)
class Built:
    """A module in the cache. key: of all that decides what the library does. text: of its kernels as they are
    emitted. generation, compilation: seconds, those of all processors together. compiler: its
    version. taken: what kernels of a GPU take; architecture: for which one, such as 90."""

    key: str
    library: Path
    entry: str
    text: str
    generation: float
    compilation: float
    object_bytes: int
    compiler: str
    taken: tuple[Taken, ...] = ()
    architecture: int = 0

    def functions(self) -> dict[str, Any]:
        """The kernels as functions of Python."""
        return functions_of(self.library, self.entry)


def build(module: Module, target: str) -> Built:
    """Generate and compile a module, or find it in the cache. Raises KernelError as heddle.load does."""
    own = module_of(module, None)
    started, before = time.process_time(), cache.seconds_of_children()
    job = job_of(own, target)
    generation = time.process_time() - started + cache.seconds_of_children() - before
    known = compiler(TARGETS[target])
    path = cache.library(job, known, verbose=False)
    record = json.loads((path.parent / cache.RECORD).read_text())
    return Built(
        cache.key(job.texts, known),
        path,
        entry_name(own, target),
        _text(job, own, target),
        generation,
        record["seconds"],
        sum(record["object_bytes"].values()),
        _version(known.identity),
        tuple(record["taken"]),
        capability(known.flags),
    )


def emitted(module: Module, target: str) -> str:
    """The text of the kernels of a module, as `Built.text` has it."""
    own = module_of(module, None)
    return _text(job_of(own, target), own, target)


def _text(job: cache.Job, module: Module, target: str) -> str:
    names = list(job.sources)
    if len(TARGETS[target].files) > 1:  # the kernel and its launcher lie in files of their own
        names = [f"{module.name}/{name}{TARGETS[target].files[0]}" for name in module.kernels] + names
    return "\n".join(job.texts[name] for name in names)


def capability(flags: Iterable[str]) -> int:
    """The compute capability that nvcc is asked for: 90 for -arch=sm_90 and for -arch=sm_90a; 0 where flags
    name none."""
    return next((int(found[1]) for flag in flags if (found := re.match(r"-arch=sm_(\d+)", flag))), 0)


def _version(identity: str) -> str:
    """The line of a compiler's identity that has its version: the first, of nvcc a later one."""
    lines = identity.splitlines()[1:]
    return next((line for line in lines if line.startswith("Cuda compilation tools")), lines[0])


def resources(made: Built, schedule: Schedule) -> dict[str, Any]:
    """Registers, spilled bytes, shared memory and occupancy of the kernels of a library for a GPU: of each
    the worst. Empty for a CPU; without occupancy where a launch asks for shared memory, and for GPUs that
    heddle.explorer.occupancy does not know."""
    if not made.taken:
        return {}
    worst = {name: max(int(one[name]) for one in made.taken) for name in ("registers", "spills", "shared")}
    gpu = schedule.gpu
    if made.architecture in CAPABILITIES and not isinstance(gpu, WarpPerCell):
        shares = [
            occupancy(made.architecture, gpu.threads_per_block, one["registers"], one["shared"])
            for one in made.taken
        ]
        return worst | {"occupancy": min(shares)}
    return worst


def reference(candidate: Candidate) -> Module:
    """The same arithmetic, for the reference target."""
    if candidate.method is not None:
        return candidate.method.reference(candidate.precision, candidate.schedule)
    schedule = arithmetic(candidate.schedule)
    return candidate.original.alone(_checked(candidate), candidate.precision, schedule, "reference")


def _checked(candidate: Candidate) -> Sequence[str]:
    """The kernels whose bits a candidate has to give: of a hybrid those over a list, which has all cells."""
    hybrid = candidate.hybrid
    return candidate.kernels if hybrid is None else [hybrid.listed[name] for name in candidate.kernels]


def exact(candidate: Candidate) -> Module:
    """What errors are measured against: the model as it stands, in f64, for the reference target."""
    if candidate.method is not None:  # its errors are those of its solution
        return reference(candidate)
    schedule = arithmetic(candidate.arithmetic)
    return candidate.original.alone(_checked(candidate), "f64", schedule, "reference")


def typed(module: Module) -> list[ir.Kernel]:
    """The kernels of a module in its precision."""
    return [module.typed(name, module.precisions[0]) for name in module.kernels]


def streams(candidate: Candidate, target: str) -> Module:
    """What a candidate is timed beside."""
    return stream_module(paced(candidate), candidate.precision, target)


def paced(candidate: Candidate) -> list[ir.Kernel]:
    """The kernels whose matching stream a candidate is timed beside: of a method one, of a hybrid those over
    blocks."""
    if candidate.method is None:
        return [candidate.module.typed(name, candidate.precision) for name in candidate.kernels]
    return [candidate.module.typed(candidate.method.pace, candidate.precision)]


def costs(module: Module, target: str) -> dict[str, Any]:
    """What the cost line of the banners says, the mean of the kernels."""
    found = []
    for name, model in module.kernels.items():
        stages = module.stages(name, module.precisions[0], target)
        cells = model.schedule.gpu.cells_per_thread if TARGETS[target].threads else 1
        found.append(cost(stages.kernel, stages.lowered, cells))
    calls: dict[str, float] = {}
    for one in found:
        for function, count in one.calls:
            calls[function] = calls.get(function, 0) + count / len(found)
    return {
        "bytes_read": sum(one.bytes_read for one in found) / len(found),
        "bytes_written": sum(one.bytes_written for one in found) / len(found),
        "flops": sum(one.flops for one in found) / len(found),
        "calls": calls,
    }
