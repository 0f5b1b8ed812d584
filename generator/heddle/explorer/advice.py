# SPDX-License-Identifier: Apache-2.0
"""Why a candidate is not faster, as far as its cost line and the limits measured beside it say."""

from __future__ import annotations

from heddle.emit.targets import TARGETS
from heddle.explorer.results import Result
from heddle.ir.schedule import CacheLines, Rows, Strips

AT_THE_LIMIT = 0.9
"""Share of a limit from which on that limit is the reason."""
NEAR_PEAK = 0.5
FEW_WARPS = 0.3
"""Share of a multiprocessor's warps up to which too few of them may wait for memory at a time."""


def why_not_faster(result: Result) -> str:
    """One or two sentences."""
    if not result.stream:
        return "Another tuner timed it: no stream beside it, and no cost line, says why it is not faster."
    share = result.flops * result.cells / result.time / result.peak if result.peak else 0.0
    cpu = result.schedule.cpu
    on_cpu = TARGETS[result.target].gpu is None
    if result.fraction >= AT_THE_LIMIT:
        said = f"Memory: it moves its {result.bytes:g} B per cell as fast as the matching stream does. "
        allocated = result.write_allocate
        if on_cpu and allocated and "nontemporal" not in result.stream_schedule:
            return said + f"Stores also read {allocated:g} B per cell first; nontemporal stores do not."
        return said + "Fewer bytes would help: storage of lower precision, or a variant in place."
    if share >= NEAR_PEAK:
        return (
            f"Arithmetic: {result.flops:g} operations per cell run at {share:.0%} of what chains of "
            "multiply-adds reach. Fewer operations, or fma=True, would help."
        )
    if result.calls:
        names = ", ".join(f"{count:g} {name}" for name, count in result.calls.items())
        return (
            f'Functions of the library: {names} per cell. math="reproducible" computes them in vector lanes.'
        )
    start = f"It takes {1 / max(result.fraction, 1e-9):.2f} times as long as the matching stream. "
    if result.spills:
        return start + (
            f"A thread has {result.registers} registers and spills {result.spills} B to memory: "
            "rematerialise=True and less coarsening need fewer, minimum_blocks=0 allows more."
        )
    if result.occupancy is not None and result.occupancy <= FEW_WARPS:
        return start + (
            f"Only {result.occupancy:.0%} of the warps are resident, with {result.registers} registers a "
            "thread: rematerialise=True or minimum_blocks make room for more."
        )
    if on_cpu and isinstance(cpu, Rows) and not cpu.simd:
        return start + "Its cells are not vector lanes: leave out simd=False."
    past = isinstance(cpu, (CacheLines, Strips)) and cpu.nontemporal
    if on_cpu and past and "nontemporal" not in result.stream_schedule:
        return start + "Its stores bypass the caches, which the stream is faster without at this size."
    if on_cpu and result.write_allocate and "nontemporal" in result.stream_schedule:
        total = result.bytes + result.write_allocate
        return start + (
            f"Stores read {result.write_allocate:g} B per cell before they write, {total:g} B in all; the "
            "stream bypasses the caches: try nontemporal=True."
        )
    if on_cpu and isinstance(cpu, Rows):
        return start + "Neither memory nor arithmetic is at its limit: try CacheLines(4), which prefetches."
    return start + "Neither memory nor arithmetic is at its limit: latencies, addresses or loads decide."
