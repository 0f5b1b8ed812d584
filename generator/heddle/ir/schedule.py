# SPDX-License-Identifier: Apache-2.0
"""How an iteration space maps to loops and threads, and in which precision a kernel stores and computes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heddle.errors import KernelError, calling_place
from heddle.ir.nodes import SCALARS, Scalar

LINE_BITS = 512
"""Of a cache line, and of the longest vectors."""
RUN_CELLS = 16
"""Cells for which a list says whether neighbours follow each other: IndexList::chunk of the runtime."""


@dataclass(frozen=True)
class Schedule:
    """How a kernel runs. Every option changes the emitted text.

    parallel: OpenMP threads over the outer axes (CPU). simd: vector lanes along x (CPU).
    strip_size: cells that one pass of the innermost loop takes; 0 for whole rows (CPU). A strip is what
    `prefetch` and `nontemporal` work in, what a sparse kernel loads at once where neighbours are contiguous,
    and what halves are converted in.
    prefetch: cells ahead of the own one, in its row or the next, whose cache lines are asked for; 0 for none
    (CPU). Those of the fields that the kernel updates, or, with nontemporal, of those that it reads.
    nontemporal: stores bypass the caches, for fields that the kernel does not read (CPU); with strips of one
    or two vectors.
    prefetch_distance: strips of one vector, 64 bytes of what the kernel computes with, and a prefetch of the
    cache lines that lie so many further on (CPU). For kernels that move more streams than the processor
    foresees by itself; 4 is a good number. Kernels that look for neighbours in a list run in its strips of 16
    cells, and ask for the lines of neighbours that follow each other.
    fma: products that feed a sum become fused multiply-adds (all targets alike, so that bits agree).
    block: CUDA threads a block along x, y, z. minimum_blocks: resident blocks an SM that registers must
    allow. rematerialise: in-place kernels compute the addresses of stores anew instead of keeping them in
    registers (CUDA): more threads fit, which helps sparse lists and large blocks, and hurts dense kernels
    whose threads then touch too many rows at once. With interleave, strides and conditions on walls are
    rematerialised as well. coarsening: cells that a thread updates, one after the other along the outermost
    axis (CUDA): their loads are under way together, and they share what is computed of x and y. For kernels
    that move few bytes a cell. unit_stride: the cells of a row follow each other in memory, for all fields;
    the entry refuses others (CUDA). The CPU has an entry of its own for that.
    interleave: 2, 4 or 8 cells that follow each other in memory, for one CUDA thread, loaded and stored
    as vectors: the same cell of so many interleaved blocks (FieldOptions::interleaved), so that neighbours
    lie in vectors, too, whatever the direction (CUDA; a CPU takes the blocks one by one).
    threads_per_vector: 1, 2 or 4 threads that share such a vector, each with its part of the lanes (CUDA). A
    shift along x is then as many parts wide: 32 bytes, a whole sector of memory, are better than 16 for
    kernels in place that shift most of what they move.
    compressed: kernels over a list find neighbours in its compressed table, a quarter to a
    twentieth of the plain one (CUDA; the CPU has `strip_size` for that).
    specialise: a field of integers and the value that most cells have in it, ("open", 63): they run a copy of
    the statements in which that value is a constant, so that selects and divisions are gone. A CPU asks for
    64 cells of a row at once (32 with a reduction), a CUDA thread for those that it updates.
    colours: 2, 4 or 8 parts of the cells, one after the other (ir.colouring says which cell belongs to
    which), so that a kernel may read neighbours of what it writes: relaxation in place (all targets alike).
    fixed_nx: the number of cells along x, where the caller always has that many: loops along x then need no
    remainder. unchecked_entry: one more entry, `<kernel>_<precision>_unchecked`, that does not test its
    arguments and asks for unit stride along x; for callers that own all arrays and call too often for tests
    (CPU).
    """

    parallel: bool = True
    simd: bool = True
    strip_size: int = 0
    prefetch: int = 0
    prefetch_distance: int = 0
    nontemporal: bool = False
    fma: bool = False
    block: tuple[int, int, int] = (256, 1, 1)
    minimum_blocks: int = 0
    rematerialise: bool = False
    coarsening: int = 1
    unit_stride: bool = False
    interleave: int = 1
    threads_per_vector: int = 1
    colours: int = 1
    specialise: tuple[str, int] | None = None
    fixed_nx: int = 0
    unchecked_entry: bool = False
    compressed: bool = False

    def __post_init__(self) -> None:
        threads = self.block[0] * self.block[1] * self.block[2]
        if not 1 <= threads <= 1024:
            raise KernelError(
                calling_place(),
                f"a block of {self.block} has {threads} threads, which CUDA does not support.",
                "use 1 to 1024 threads",
            )
        if not 1 <= self.coarsening <= 8:
            raise KernelError(
                calling_place(),
                f"coarsening={self.coarsening} is out of range.",
                "use 1 to 8 cells per thread",
            )
        if self.prefetch_distance < 0 or (self.prefetch_distance and (self.strip_size or self.prefetch)):
            raise KernelError(
                calling_place(),
                f"prefetch_distance={self.prefetch_distance} must be positive and cannot be combined with "
                "strip_size or prefetch, which it sets.",
                "use a positive number, and leave out strip_size and prefetch",
            )
        if (self.prefetch or self.nontemporal) and not self.in_strips:
            raise KernelError(
                calling_place(), "prefetch and nontemporal need strips.", "Schedule(strip_size=64, ...)"
            )
        if self.interleave not in (1, 2, 4, 8):
            raise KernelError(
                calling_place(),
                f"interleave={self.interleave} is not a supported vector length.",
                "use 1, 2, 4 or 8",
            )
        if self.interleave > 1 and (self.coarsening > 1 or self.unit_stride):
            raise KernelError(
                calling_place(),
                "interleaved blocks cannot be combined with coarsening or unit_stride: each thread takes "
                "one vector, and vectors have their own stride.",
                "leave out coarsening and unit_stride",
            )
        if self.threads_per_vector not in (1, 2, 4) or self.threads_per_vector > self.interleave:
            raise KernelError(
                calling_place(),
                f"{self.threads_per_vector} threads cannot share a vector of {self.interleave} lanes.",
                "use 1, 2 or 4 threads, with at least one lane per thread",
            )
        if self.colours not in (1, 2, 4, 8):
            raise KernelError(
                calling_place(), f"colours={self.colours} is not a supported colouring.", "use 1, 2, 4 or 8"
            )
        if self.colours > 1 and self.in_strips:
            raise KernelError(
                calling_place(),
                "colours cannot be combined with strips: neighbouring cells of a row differ in colour.",
                "strip_size=0",
            )
        if self.fixed_nx < 0 or (self.fixed_nx and (self.colours > 1 or self.in_strips)):
            raise KernelError(
                calling_place(),
                f"fixed_nx={self.fixed_nx} must be positive and cannot be combined with colours or "
                "strips, which split rows.",
                "use a positive number, and leave out colours and strip_size",
            )
        if self.specialise is not None and (self.in_strips or self.interleave > 1):
            raise KernelError(
                calling_place(),
                "specialise works on whole rows and cannot be combined with strips or interleaved blocks.",
                "strip_size=0, interleave=1",
            )
        if self.in_strips and not self.simd:
            raise KernelError(
                calling_place(),
                "strip_size and prefetch_distance cannot be combined with simd=False: strips are SIMD loops.",
                "leave out simd=False",
            )

    @property
    def in_strips(self) -> bool:
        """Whether the innermost loop takes a piece of a row at a time."""
        return self.strip_size > 0 or self.prefetch_distance > 0

    def in_cells(self, precision: Precision, follows_links: bool = False) -> Schedule:
        """The same with `prefetch_distance` said in cells of a precision, as `strip_size` and `prefetch`.
        follows_links: the kernel looks for neighbours in the table of a list, which knows runs of so many
        cells."""
        if not self.prefetch_distance:
            return self
        vector, line = (LINE_BITS // scalar.bits for scalar in (precision.arithmetic, precision.storage))
        strip = RUN_CELLS if follows_links else vector
        return replace(self, prefetch_distance=0, strip_size=strip, prefetch=self.prefetch_distance * line)


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
