# SPDX-License-Identifier: Apache-2.0
"""What a kernel gets whose model leaves a part of its schedule open: `Schedule()` chooses by what it does.

The first row of a table that fits decides. Rows know a kernel and nothing of the machine that generates, so
that the text is the same everywhere; numbers suit the machines that the tables name. No choice changes a
result, or what an entry takes: unit_stride, same_strides, row_cells, fixed_nx and interleaved blocks are left
to the user. decisions/0193-schedules.md says what was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from heddle.ir.schedule import (
    CHOSEN_CPU,
    CHOSEN_GPU,
    CacheLines,
    CpuSchedule,
    GpuSchedule,
    Interleaved,
    Rows,
    Schedule,
    Strips,
    Threads,
)
from heddle.ir.space import Space

MANY_STREAMS = 8
"""Elements per cell that a kernel stores to: more than the prefetchers of a core follow by themselves."""
MANY_LOADS = 64
"""Elements that a cell loads, its neighbours' included, where these are most of a kernel's registers."""
FEW_STREAMS = 4
"""Elements per cell that one cell per thread does not keep enough loads under way for."""
Part = TypeVar("Part", CpuSchedule, GpuSchedule)


@dataclass(frozen=True)
class Traits:
    """What counts of a kernel. layer: it runs over the cells at a face. scans: the axes of its Scans. rounds:
    it repeats a While. reduces, reduces_rows: over all cells, over rows. split: fields lie split by colour.
    read, written, updated: elements per cell that it only reads, only writes, and does both with, without
    tables and planes; loads: how many it loads, also those of neighbours. stores_rows: all that it does is
    store to the own element of fields, in every cell, and none of it is a function or a root."""

    space: Space
    layer: bool = False
    scans: tuple[int, ...] = ()
    rounds: bool = False
    reduces: bool = False
    reduces_rows: bool = False
    split: bool = False
    read: int = 0
    written: int = 0
    updated: int = 0
    loads: int = 0
    stores_rows: bool = False


@dataclass(frozen=True)
class Row(Generic[Part]):
    """One row of a table. when: whether a kernel is of this kind, which has no option that an earlier row
    looks for. why: in one sentence."""

    kind: str
    when: Callable[[Traits, Schedule], bool]
    part: Part
    why: str


def _whole_rows(kernel: Traits, schedule: Schedule) -> bool:
    """What strips do not support, or where nothing was gained."""
    return (
        kernel.space.is_list
        or kernel.layer
        or bool(kernel.space.walls)
        or kernel.reduces
        or kernel.reduces_rows
        or kernel.split
        or schedule.colours > 1
        or schedule.specialise is not None
        or isinstance(schedule.gpu, Interleaved)
        or 0 in kernel.scans
    )


CPU: tuple[Row[CpuSchedule], ...] = (
    Row(
        "lists, faces, walls, reductions, colours",
        _whole_rows,
        Rows(),
        "rows are what they run over, or what the order of a reduction asks for",
    ),
    Row(
        "columns in a box, without rounds",
        # A level of a strip is one run of memory, and the next level lies elsewhere: prefetchers learn each
        # run anew. 64 values are 4 to 8 cache lines, over before that pays; 256 are 1 to 2 KiB. Two
        # dimensions have too few strips of that width for all threads.
        lambda kernel, _: bool(kernel.scans) and not kernel.rounds and kernel.space.dimensions > 2,
        Strips(256),
        "columns side by side in vector lanes: each level is a run of 1 to 2 KiB, long enough to prefetch",
    ),
    Row(
        "other columns",
        lambda kernel, _: bool(kernel.scans),
        Strips(64),
        "columns side by side in vector lanes; few wait for the slowest, and threads share a plane's columns",
    ),
    Row(
        "rounds",
        # Which lanes are active is 32 bits wide, and a vector of 64 bytes has 16 of these: g++ gives a loop
        # of 8 lanes half vectors, also for its f64.
        lambda kernel, schedule: kernel.rounds and schedule.math == "reproducible",
        Strips(16),
        "cells in vector lanes, two vectors of f64: for one, compilers take halves; few wait for the slowest",
    ),
    Row(
        "rounds with functions of the library",
        lambda kernel, _: kernel.rounds,
        Rows(),
        "these functions take one cell at a time",
    ),
    Row(
        "many neighbours, two arrays",
        # In strips of one vector each load goes through a small array, and its line is asked for: that pays
        # for streams, not for a hundred loads of which the nearest cache has most.
        lambda kernel, _: kernel.written >= MANY_STREAMS and kernel.loads >= MANY_LOADS,
        Strips(128, nontemporal=True),
        "few strips, whose loads go straight to rows, and stores that need not read what they overwrite",
    ),
    Row(
        "many streams, two arrays",
        lambda kernel, _: kernel.written >= MANY_STREAMS,
        CacheLines(4, nontemporal=True),
        "more streams than a core foresees, and stores that need not read what they overwrite",
    ),
    Row(
        "many streams in place",
        lambda kernel, _: kernel.updated >= MANY_STREAMS,
        CacheLines(4),
        "more streams than a core foresees",
    ),
    Row(
        "few streams, two arrays",
        # One of three or more transfers is the read of what is overwritten. A core's caches share the last
        # one with others, or have it from far away: 32 MiB is what a core of many finds there.
        lambda kernel, _: (
            kernel.space.dimensions > 1
            and kernel.stores_rows
            and kernel.written > 0
            and kernel.updated == 0
            and kernel.read + kernel.written <= FEW_STREAMS
        ),
        Rows(nontemporal_from=32),
        "long loops; where all fields exceed the caches, stores that need not read what they overwrite",
    ),
    Row("all others", lambda *_: True, Rows(), "long loops that compilers know best"),
)
"""For cores with vectors of 64 bytes, 1 to 2 MiB of second cache, and arrays larger than the last one."""

GPU: tuple[Row[GpuSchedule], ...] = (
    Row(
        "columns and rounds",
        lambda kernel, _: bool(kernel.scans) or kernel.rounds,
        Threads(block=(64, 1, 1)),
        "few threads with much work each: small blocks spread them over all multiprocessors",
    ),
    Row(
        "lists, faces, reductions over rows, single axes",
        lambda kernel, _: (
            kernel.space.is_list or kernel.space.dimensions < 2 or kernel.layer or kernel.reduces_rows
        ),
        Threads(),
        "rows are what they run over",
    ),
    Row(
        "colours, split fields",
        # A row of a colour is contiguous in a split field: a thread loads whole cache lines with its
        # neighbours, but few of them. Two cells per thread have their loads under way together.
        lambda kernel, schedule: schedule.colours == 2 and kernel.split and kernel.space.dimensions > 2,
        Threads(block=(32, 4, 1), coarsening=2),
        "rows of a colour are short; two cells per thread: their loads are under way together",
    ),
    Row(
        "colours",
        lambda kernel, schedule: schedule.colours > 1 and kernel.space.dimensions > 1,
        Threads(block=(32, 8, 1)),
        "rows of a colour are short",
    ),
    Row(
        "many neighbours",
        lambda kernel, _: kernel.loads >= MANY_LOADS,
        Threads(block=(32, 4, 1)),
        "many registers: small blocks, which find in the nearest cache what neighbours along y loaded",
    ),
    Row(
        "few streams",
        lambda kernel, schedule: (
            schedule.specialise is None
            and kernel.read + kernel.written + kernel.updated <= FEW_STREAMS
            and not (kernel.split or kernel.space.walls)
        ),
        Threads(coarsening=4, block=(128, 1, 1)),
        "four cells per thread: their loads are under way together",
    ),
    Row("all others", lambda *_: True, Threads(), "one thread per cell, contiguous along x"),
)
"""For about 100 multiprocessors of 2048 threads."""


def chosen(schedule: Schedule, kernel: Traits) -> Schedule:
    """The schedule with a part for what it leaves open."""
    found = schedule
    if schedule.cpu == CHOSEN_CPU:
        found = replace(found, cpu=next(row for row in CPU if row.when(kernel, schedule)).part)
    if schedule.gpu == CHOSEN_GPU:
        found = replace(found, gpu=next(row for row in GPU if row.when(kernel, schedule)).part)
    return found


def plain(schedule: Schedule) -> Schedule:
    """The same with whole rows and one thread per cell for what it leaves open."""
    return replace(
        schedule,
        cpu=Rows() if schedule.cpu == CHOSEN_CPU else schedule.cpu,
        gpu=Threads() if schedule.gpu == CHOSEN_GPU else schedule.gpu,
    )
