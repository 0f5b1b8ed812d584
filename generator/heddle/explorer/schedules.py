# SPDX-License-Identifier: Apache-2.0
"""Schedules as values of a search: which ones are tried."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from heddle.ir.schedule import (
    RUN_CELLS,
    CacheLines,
    CompressedList,
    CpuSchedule,
    GpuSchedule,
    Rows,
    Schedule,
    Strips,
    Threads,
    WarpPerCell,
)

BLOCKS = ((128, 1, 1), (256, 1, 1), (512, 1, 1), (64, 1, 1), (64, 4, 1), (32, 8, 1), (32, 4, 1), (32, 2, 2))


def tried(
    own: Schedule, gpu: bool, nx: int, over_list: bool = False, rounds: bool = False
) -> Iterator[Schedule]:
    """The schedules that a search tries beside a kernel's own one, which comes first. Whether a kernel takes
    them is not known here.

    gpu: for a GPU, else for a CPU. nx: cells along x. over_list: the kernel runs over a list of cells.
    rounds: it repeats a While in each cell of a box. colours, specialise and math stay as the model has them:
    they are part of its method.
    """
    yield own
    for fma in (own.fma, not own.fma):
        for part in _parts(gpu, nx, over_list, rounds):
            name = "gpu" if gpu else "cpu"
            found = dataclasses.replace(own, fma=fma, **{name: part})  # type: ignore[arg-type]
            if found != own:
                yield found


def _parts(gpu: bool, nx: int, over_list: bool, rounds: bool) -> Iterator[CpuSchedule | GpuSchedule]:
    if over_list:
        yield from _list_parts(gpu)
    elif rounds:
        yield from _parts_of_rounds(gpu)
    else:
        yield from _gpu_parts() if gpu else _cpu_parts(nx)


def _cpu_parts(nx: int) -> Iterator[CpuSchedule]:
    yield Rows()
    for lines in (4, 2, 8):
        yield CacheLines(lines)
        yield CacheLines(lines, nontemporal=True)
    for size in (64, 16, 320):
        yield Strips(size)
    yield Strips(64, nontemporal=True)
    yield Rows(fixed_nx=nx)
    yield Rows(simd=False)


def _gpu_parts() -> Iterator[GpuSchedule]:
    for block in BLOCKS:
        for unit in (True, False):
            yield Threads(block=block, unit_stride=unit)
    yield Threads(block=(128, 1, 1), unit_stride=True, same_strides=True)
    for cells in (2, 4):
        yield Threads(coarsening=cells, block=(128, 1, 1))
    yield Threads(rematerialise=True)


def _list_parts(gpu: bool) -> Iterator[CpuSchedule | GpuSchedule]:
    if not gpu:
        yield Rows()
        yield Rows(simd=False)
        yield Strips(RUN_CELLS)
        return
    for threads in (64, 128, 256, 512):
        for kind in (Threads, CompressedList):
            yield kind(block=(threads, 1, 1))
            yield kind(block=(threads, 1, 1), rematerialise=True)


def _parts_of_rounds(gpu: bool) -> Iterator[CpuSchedule | GpuSchedule]:
    """Cells wait for those beside them that need more rounds, and hold many values meanwhile: how many go
    together is what counts."""
    if not gpu:
        yield Rows()
        for size in (8, 16, 32, 64):
            yield Strips(size)
        return
    for threads in (32, 64, 128, 256):
        yield Threads(block=(threads, 1, 1))
    for cells in (1, 4, 8):
        yield WarpPerCell(cells_at_once=cells, cells=32)
    yield WarpPerCell(cells_at_once=16, cells=64, warps=8)


def arithmetic(schedule: Schedule) -> Schedule:
    """What of a schedule changes results."""
    return Schedule(Rows(), Threads(), fma=schedule.fma, colours=schedule.colours, math=schedule.math)
