# SPDX-License-Identifier: Apache-2.0
"""How an iteration space maps to loops and threads, and in which precision a kernel stores and computes.

A `Schedule` has one part for CPUs (`Rows`, `Strips` or `CacheLines`) and one for GPUs (`Threads`,
`Interleaved`, `CompressedList` or `WarpPerCell`), so that what excludes each other cannot be written down.
Which schedules a space and its statements take: see heddle.ir.legality.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Literal

from heddle.errors import KernelError, calling_place
from heddle.ir.nodes import SCALARS, Scalar

LINE_BITS = 512
"""Of a cache line, and of the longest vectors."""
RUN_CELLS = 16
"""Cells for which a list says whether neighbours follow each other: IndexList::chunk of the runtime."""
MOST_CELLS = 2**31 - 1
"""Of a row or a strip, or ahead of a cell: more than any memory holds."""
MATH = ("library", "reproducible")
MOST_BLOCKS = 32
"""Resident blocks of a multiprocessor."""


def _require(holds: bool, option: str, value: object, allowed: str) -> None:
    """Raise KernelError for a value that an option never takes."""
    if not holds:
        raise KernelError(calling_place(), f"{option}={value} is out of range.", f"use {allowed}")


def _whole(option: str, value: object, allowed: str) -> None:
    """Raise KernelError unless the value is a whole number."""
    if type(value) is not int:
        raise KernelError(calling_place(), f"{option}={value!r} is not a whole number.", f"use {allowed}")


def _number(option: str, value: object, lowest: int, highest: int, allowed: str) -> None:
    """Raise KernelError unless the value is a whole number in a range."""
    _whole(option, value, allowed)
    _require(isinstance(value, int) and lowest <= value <= highest, option, value, allowed)


def _flag(option: str, value: object) -> None:
    """Raise KernelError unless the value is True or False."""
    if type(value) is not bool:
        what = f"{option}={value!r} is neither True nor False."
        raise KernelError(calling_place(), what, f"use {option}=True or {option}=False")


def _named_value(option: str, value: object, whose: str, example: tuple[str, int]) -> None:
    """Raise KernelError unless the value is a name and a whole number."""
    if not (isinstance(value, tuple) and [type(part) for part in value] == [str, int]):
        what = f"{option}={value!r} is not {whose} and a whole number."
        name, number = example
        raise KernelError(calling_place(), what, f'write for example {option}=("{name}", {number})')


@dataclass(frozen=True, kw_only=True)
class CpuSchedule:
    """How a kernel runs on a CPU: as `Rows`, `Strips` or `CacheLines`; the class itself: as
    heddle.ir.default_schedule chooses.

    parallel: OpenMP threads over the outer axes. unchecked_entry: one more entry,
    `<kernel>_<precision>_unchecked`, that does not test its arguments and asks for unit stride along x; for
    callers that own all arrays and call too often for tests. unit_stride: the cells of a row follow each
    other in memory, for all fields; the entries refuse others, and there is no second copy of the loops for
    them, which takes compilers two to three times as long as the first.
    """

    parallel: bool = True
    unchecked_entry: bool = False
    unit_stride: bool = False

    def __post_init__(self) -> None:
        _flag("parallel", self.parallel)
        _flag("unchecked_entry", self.unchecked_entry)
        _flag("unit_stride", self.unit_stride)

    @property
    def simd(self) -> bool:
        """Whether the cells of the innermost loop are vector lanes."""
        return True

    @property
    def fixed_nx(self) -> int:
        """The number of cells along x, where it is known; 0 for any."""
        return 0

    @property
    def component_stride(self) -> int:
        """Elements from one component of a cell to the next, where they are known; 0 for any."""
        return 0

    @property
    def usual(self) -> tuple[str, int] | None:
        """A profile, and the value that most rows have in it, which get a copy of the statements."""
        return None

    @property
    def nontemporal_from(self) -> int | None:
        """MiB of all fields above which stores bypass the caches; None where that does not depend on it."""
        return None


@dataclass(frozen=True)
class Rows(CpuSchedule):
    """The innermost loop takes whole rows along x.

    fixed_nx: the number of cells along x, where the caller always has that many: loops along x then need no
    remainder; 0 for any number. simd: the cells of a row are vector lanes. adjacent_components: in each field
    with components, the row of one lies directly behind that of the one before, fixed_nx elements further on,
    so that compilers know how far apart all of them are: for kernels of hundreds of components, which would
    else load an address for each. The entries for CPUs refuse other fields. usual: a profile and the value
    that it has in most rows, ("order_z", 5): those in which all that is read of it has this value run a copy
    of the statements without the choices that depend on it, and with the same bits. nontemporal_from: where
    all fields together take more than so many MiB, which the entry finds out from their extents, rows go in
    strips whose stores bypass the caches, for fields that the kernel does not read; None for never. Halves
    are stored as ever.
    """

    fixed_nx: int = 0
    simd: bool = True
    adjacent_components: bool = False
    usual: tuple[str, int] | None = None
    nontemporal_from: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _number("fixed_nx", self.fixed_nx, 0, MOST_CELLS, "a positive number, or 0 for any")
        _flag("simd", self.simd)
        _flag("adjacent_components", self.adjacent_components)
        if self.adjacent_components and not self.fixed_nx:
            what = "adjacent_components=True needs to know how many cells a row has."
            raise KernelError(calling_place(), what, "fixed_nx=8")
        if self.usual is not None:
            _named_value("usual", self.usual, "a profile's name", ("order_z", 5))
        if self.nontemporal_from is not None:
            allowed = "the MiB of a cache, or None for never"
            _number("nontemporal_from", self.nontemporal_from, 0, MOST_CELLS, allowed)

    @property
    def component_stride(self) -> int:
        return self.fixed_nx if self.adjacent_components else 0


@dataclass(frozen=True)
class Strips(CpuSchedule):
    """The innermost loop takes a piece of a row, in vector lanes: what a sparse kernel loads at once where
    neighbours are contiguous, and what halves are converted in. Columns, and cells that repeat a While, go
    side by side, under masks.

    size: cells of a strip. prefetch: cells ahead of the own one, in its row or the next, whose cache lines
    are asked for; 0 for none. Those of the fields that the kernel updates, or, with nontemporal, of those
    that it reads. nontemporal: stores bypass the caches, for fields that the kernel does not read; with
    strips of one or two vectors.
    """

    size: int
    prefetch: int = 0
    nontemporal: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        _number("size", self.size, 1, MOST_CELLS, "a positive number of cells")
        _number("prefetch", self.prefetch, 0, MOST_CELLS, "a positive number of cells, or 0 for none")
        _flag("nontemporal", self.nontemporal)


@dataclass(frozen=True)
class CacheLines(CpuSchedule):
    """Strips of one vector, 64 bytes of what the kernel computes with, and a prefetch of the cache lines that
    lie `prefetch_distance` further on. For kernels that move more streams than the processor foresees by
    itself; 4 is a good number. Kernels that look for neighbours in a list run in its strips of 16 cells, and
    ask for the lines of neighbours that follow each other.

    nontemporal: as of `Strips`.
    """

    prefetch_distance: int
    nontemporal: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        lines = self.prefetch_distance
        _number("prefetch_distance", lines, 1, MOST_CELLS // LINE_BITS, "a positive number of cache lines")
        _flag("nontemporal", self.nontemporal)

    def in_cells(self, precision: Precision, follows_links: bool) -> Strips:
        """The same in cells of a precision. follows_links: the kernel looks for neighbours in the table of a
        list, which knows runs of so many cells."""
        vector, line = (LINE_BITS // scalar.bits for scalar in (precision.arithmetic, precision.storage))
        return Strips(
            RUN_CELLS if follows_links else vector,
            self.prefetch_distance * line,
            self.nontemporal,
            parallel=self.parallel,
            unchecked_entry=self.unchecked_entry,
            unit_stride=self.unit_stride,
        )


@dataclass(frozen=True, kw_only=True)
class GpuSchedule:
    """How a kernel runs on a GPU: as `Threads`, `Interleaved` or `CompressedList`; the class itself: as
    heddle.ir.default_schedule chooses.

    block: threads per block along x, y, z. minimum_blocks: resident blocks per multiprocessor that registers
    must allow. rematerialise: in-place kernels compute the addresses of stores anew instead of keeping them
    in registers: more threads fit, which helps sparse lists and large blocks, and hurts dense kernels whose
    threads then touch too many rows at once. Of interleaved blocks strides and conditions on walls are
    rematerialised as well.
    """

    block: tuple[int, int, int] = (256, 1, 1)
    minimum_blocks: int = 0
    rematerialise: bool = False

    def __post_init__(self) -> None:
        self._check_block()
        _number("minimum_blocks", self.minimum_blocks, 0, MOST_BLOCKS, f"1 to {MOST_BLOCKS}, or 0 for any")
        _flag("rematerialise", self.rematerialise)

    def _check_block(self) -> None:
        """Raise KernelError unless the block is three numbers of threads that a GPU takes."""
        block: object = self.block
        sizes = tuple(block) if isinstance(block, (tuple, list)) else (block,)
        if not isinstance(block, tuple) or len(sizes) != 3 or any(type(size) is not int for size in sizes):
            padded = (*sizes, 1, 1)[:3] if all(type(size) is int for size in sizes) else (256, 1, 1)
            what = f"block={block!r} is not three whole numbers, of threads along x, y and z."
            raise KernelError(calling_place(), what, f"use block={padded}")
        _require(min(sizes) > 0, "block", block, "at least 1 thread along each axis")
        _require(sizes[2] <= 64, "block", block, "at most 64 threads along z")
        _require(self.threads_per_block <= 1024, "block", block, "1 to 1024 threads per block")

    @property
    def threads_per_block(self) -> int:
        x, y, z = self.block
        return x * y * z

    @property
    def coarsening(self) -> int:
        """Cells that a thread updates one after the other."""
        return 1

    @property
    def unit_stride(self) -> bool:
        """Whether the entry takes only fields whose cells of a row follow each other in memory."""
        return False

    @property
    def same_strides(self) -> bool:
        """Whether the entry takes only fields of the same strides, whose elements 31 bits can number."""
        return False

    @property
    def row_cells(self) -> int:
        """Cells of a row that a thread updates together."""
        return 1

    @property
    def levels_first(self) -> bool:
        """Whether blocks follow each other along z before they do along y."""
        return False

    @property
    def launched_block(self) -> tuple[int, int, int]:
        """Threads per block along the axes of a launch."""
        x, y, z = self.block
        return (x, z, y) if self.levels_first else (x, y, z)

    @property
    def level_by_level(self) -> bool:
        """Whether a block of threads goes up through the levels."""
        return False

    @property
    def row_pieces(self) -> bool:
        """Whether a block of threads goes along its row piece by piece."""
        return False

    @property
    def cells_per_thread(self) -> int:
        """That a thread updates, one after the other or together."""
        return self.coarsening * self.row_cells


@dataclass(frozen=True)
class Threads(GpuSchedule):
    """A thread updates one cell, or a few.

    coarsening: cells that a thread updates, one after the other along the outermost axis: their loads are
    under way together, and they share what is computed of x and y. For kernels that move few bytes per cell.
    unit_stride: the cells of a row follow each other in memory, for all fields; the entry refuses others.
    The CPU has an entry of its own for that. same_strides: all fields have the strides of the first, and
    their elements can be numbered in 31 bits; the entry refuses others. One number of a cell then serves all
    fields, which takes a quarter off the instructions of a kernel of many fields.
    row_cells: cells of a row that a thread updates together, 1, 2 or 4, with both promises above: it loads
    what they read as vectors, and computes once what they have in common, such as the flux through the face
    between two. The entry refuses rows that are no whole number of such vectors, and addresses and strides
    that are no multiple of them. For stencils that reach far along x and read many fields.
    levels_first: blocks follow each other along x, then along z, then along y; else z is last. The block's
    sizes stay those of x, y and z. For stencils that reach far along all axes: a cache that does not hold the
    planes that they read of all fields may hold the rows.
    level_by_level: a block of threads goes up through all levels, and computes once what its cells would
    compute for themselves and for others: a value of another column comes from shared memory, one of another
    level from registers. Columns at the edge of a block are computed by two blocks: x and y of the block
    should be large (32, 16). For methods of several stages in one kernel, such as a limiter of fluxes. It
    asks for unit_stride and same_strides, too. All components of the fields are treated alike.
    row_pieces: a block of threads goes along its row piece by piece, each as long as the block, so that rows
    may have any number of cells; else the entry refuses those that are longer than a block. For kernels that
    reduce over rows.
    """

    coarsening: int = 1
    unit_stride: bool = False
    same_strides: bool = False
    row_cells: int = 1
    levels_first: bool = False
    level_by_level: bool = False
    row_pieces: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        _flag("level_by_level", self.level_by_level)
        _flag("row_pieces", self.row_pieces)
        _number("coarsening", self.coarsening, 1, 8, "1 to 8 cells per thread")
        _flag("unit_stride", self.unit_stride)
        _flag("same_strides", self.same_strides)
        _flag("levels_first", self.levels_first)
        _require(
            not self.levels_first or self.coarsening == 1,
            "coarsening",
            self.coarsening,
            "1 with levels_first",
        )
        _whole("row_cells", self.row_cells, "1, 2 or 4")
        _require(self.row_cells in (1, 2, 4), "row_cells", self.row_cells, "1, 2 or 4")
        alone = self.unit_stride and self.same_strides and self.coarsening == 1
        promises = "unit_stride=True and same_strides=True beside it, and no coarsening"
        _require(self.row_cells == 1 or alone, "row_cells", self.row_cells, promises)
        promises = (
            "unit_stride=True and same_strides=True beside it, one cell per thread, and block=(x, y, 1)"
        )
        alone = alone and self.row_cells == 1 and self.block[2] == 1 and not self.levels_first
        _require(not self.level_by_level or alone, "level_by_level", self.level_by_level, promises)
        others = self.coarsening > 1 or self.same_strides or self.levels_first
        allowed = "one cell per thread, without same_strides and levels_first"
        _require(not (self.row_pieces and others), "row_pieces", self.row_pieces, allowed)


@dataclass(frozen=True)
class Interleaved(GpuSchedule):
    """A thread updates the same cell of interleaved blocks (FieldOptions::interleaved), which lie side by
    side in memory, loaded and stored as vectors: so neighbours lie in vectors, too, whatever the direction.
    A CPU takes the blocks one by one.

    lanes: blocks of a vector: 2, 4 or 8. threads_per_vector: 1, 2 or 4 threads that share a vector, each with
    its part of the lanes. A shift along x is then as many parts wide: 32 bytes, a whole sector of memory, are
    better than 16 for kernels in place that shift most of what they move.
    """

    lanes: int
    threads_per_vector: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _whole("lanes", self.lanes, "2, 4 or 8")
        _require(self.lanes in (2, 4, 8), "lanes", self.lanes, "2, 4 or 8")
        threads = self.threads_per_vector
        _whole("threads_per_vector", threads, "1, 2 or 4")
        shared = threads in (1, 2, 4) and threads <= self.lanes
        _require(shared, "threads_per_vector", threads, "1, 2 or 4, with at least one lane per thread")


@dataclass(frozen=True)
class CompressedList(GpuSchedule):
    """A thread updates one cell of a list, and finds its neighbours in the compressed table of the list, a
    quarter to a twentieth of the plain one. (The CPU has `Strips` for that.)"""


CHOSEN_CPU, CHOSEN_GPU = CpuSchedule(), GpuSchedule()
"""Parts that the user leaves open."""


@dataclass(frozen=True)
class WarpPerCell(GpuSchedule):
    """The lanes of a warp, or of several, share the rounds of a While of one cell, or of a few: for rounds
    that hold more values than a thread has registers, such as a step of a chemical mechanism. Values lie in
    shared memory; sums that do not depend on each other go side by side. Before and after the rounds a lane
    has a cell. Results have the same bits as with `Threads`, which was the faster one for Carbon Bond 2005:
    measure both.

    cells_at_once: cells of which a block has rounds under way: 1, 2, 4, 8, 16 or 32. Fewer cells have more
    lanes each; more read a table together. warps: 1, 2, 4, 8, 16 or 32 of a block; with one warp, a cell has
    four lanes at least. cells: consecutive cells that a block takes one after the other, so that as many
    lanes have work before and after the rounds; a cell that is done makes room for the next.
    """

    block: tuple[int, int, int] = field(init=False, default=(32, 1, 1))
    """Follows from warps."""
    cells_at_once: int = 1
    cells: int = 8
    warps: int = 1

    def __post_init__(self) -> None:
        _whole("warps", self.warps, "1, 2, 4, 8, 16 or 32")
        _require(self.warps in (1, 2, 4, 8, 16, 32), "warps", self.warps, "1, 2, 4, 8, 16 or 32")
        object.__setattr__(self, "block", (32 * self.warps, 1, 1))
        super().__post_init__()
        most = "1, 2, 4, 8, 16 or 32" if self.warps > 1 else "1, 2, 4 or 8"
        _whole("cells_at_once", self.cells_at_once, most)
        whole = self.cells_at_once in ((1, 2, 4, 8, 16, 32) if self.warps > 1 else (1, 2, 4, 8))
        _require(whole, "cells_at_once", self.cells_at_once, most)
        lanes = self.threads_per_block
        _number("cells", self.cells, self.cells_at_once, lanes, f"cells_at_once to {lanes} cells")


CPU_KINDS = (Rows, Strips, CacheLines)
GPU_KINDS = (Threads, Interleaved, CompressedList, WarpPerCell)
"""What a user states for a part."""


@dataclass(frozen=True)
class Schedule:
    """How a kernel runs. Every option changes the emitted text; `fma`, `colours` and `math` change results,
    too.

    cpu: Rows, Strips or CacheLines. gpu: Threads, Interleaved, CompressedList or WarpPerCell. Where one is
    left out, Heddle chooses it by what the kernel does (heddle.ir.default_schedule); this never changes
    results.
    fma: products that feed a sum become fused multiply-adds (all targets alike, so that bits agree).
    colours: 2, 4 or 8 parts of the cells, one after the other (ir.colouring says which cell belongs to
    which), so that a kernel may read neighbours of what it writes: relaxation in place (all targets alike).
    specialise: a field of integers and the value that most cells have in it, ("open", 63): they run a copy of
    the statements in which that value is a constant, so that selects and divisions are gone. A CPU asks for
    64 cells of a row at once (32 with a reduction), a GPU thread for those that it updates.
    math: what exp, log and so on are. "library": functions of <cmath> and of CUDA, whose last bits depend on
    the target. "reproducible": those of heddle/device/math.hpp, with the same bits on every target, and with
    vectors on CPUs. The library is the default, so that no kernel changes its results unasked.
    """

    cpu: CpuSchedule = CHOSEN_CPU
    gpu: GpuSchedule = CHOSEN_GPU
    _: KW_ONLY
    fma: bool = False
    colours: int = 1
    specialise: tuple[str, int] | None = None
    math: Literal["library", "reproducible"] = "library"

    def __post_init__(self) -> None:
        for name, part, kinds, left_open in (
            ("cpu", self.cpu, CPU_KINDS, CHOSEN_CPU),
            ("gpu", self.gpu, GPU_KINDS, CHOSEN_GPU),
        ):
            choices = " or ".join(f"{kind.__name__}(...)" for kind in kinds)
            _require(part == left_open or isinstance(part, kinds), name, repr(part), choices)
        _flag("fma", self.fma)
        _whole("colours", self.colours, "1, 2, 4 or 8")
        _require(self.colours in (1, 2, 4, 8), "colours", self.colours, "1, 2, 4 or 8")
        _require(self.math in MATH, "math", repr(self.math), " or ".join(f'"{name}"' for name in MATH))
        if self.specialise is not None:
            _named_value("specialise", self.specialise, "a field's name", ("open", 63))

    def computes_otherwise(self, other: Schedule) -> str:
        """The first option that is a part of what a kernel computes and that another schedule has otherwise;
        empty where there is none."""
        options = ("fma", "colours", "specialise", "math")
        return next((name for name in options if getattr(self, name) != getattr(other, name)), "")


@dataclass(frozen=True)
class Precision:
    """Type of `real` fields in memory and of the arithmetic on them."""

    storage: Scalar
    arithmetic: Scalar

    @property
    def suffix(self) -> str:
        """What the names of emitted functions end with."""
        usual = {"f16": "f32", "f32": "f32", "f64": "f64"}[str(self.storage)]
        return str(self.storage) + ("" if str(self.arithmetic) == usual else f"_{self.arithmetic}")


def precision(text: str) -> Precision:
    """Read "f64", "f32", "f16" (f16 in memory, f32 arithmetic) or "storage/arithmetic" such as "f32/f64"."""
    storage, _, arithmetic = str(text).partition("/")
    if storage == "bf16":
        raise KernelError(
            calling_place(),
            "bf16 is not supported: it keeps 8 significant bits where f16 keeps 11. With populations "
            "stored in bf16, vortices deviate by 0.4 to 1.6 % after 2000 steps; with f16 by 0.04 to 0.15 "
            "%.",
            'use "f16", which has the same size; populations are scaled to fit its range of exponents',
        )
    arithmetic = arithmetic or {"f16": "f32"}.get(storage, storage)
    if storage not in ("f16", "f32", "f64") or arithmetic not in ("f32", "f64"):
        raise KernelError(
            calling_place(),
            f"'{text}' is not a precision.",
            'write storage/arithmetic, such as "f32/f64": storage is f16, f32 or f64, arithmetic f32 or f64',
        )
    if SCALARS[storage].bits > SCALARS[arithmetic].bits:
        raise KernelError(
            calling_place(),
            f"'{text}' stores more bits than it computes with.",
            'use arithmetic of at least the storage\'s precision, such as "f32/f64"',
        )
    return Precision(SCALARS[storage], SCALARS[arithmetic])
