# SPDX-License-Identifier: Apache-2.0
"""What passes and printers need to know of a target: one table of facts, no behaviour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from heddle.ir.reduction import TILE


@dataclass(frozen=True)
class Gpu:
    """How a GPU's kernels are spelled and launched.

    language: its name in sentences. include: what a launcher includes for `dim3`. stream: the type of what an
    entry takes as `void* stream`. qualifiers: before a kernel function. bounds_blocks: whether the second
    number of __launch_bounds__ counts the blocks of a multiprocessor. coordinates: by what a thread finds its
    cell along an axis: number of its block, threads of a block, number in the block. wave: so many threads
    run in lock step. in_runtime: whether streams of heddle::runtime may be this GPU's.
    """

    language: str
    include: str
    stream: str
    qualifiers: str
    bounds_blocks: bool
    coordinates: tuple[str, str, str]
    wave: int
    in_runtime: bool = False

    def coordinate(self, axis: int, short: bool = False) -> str:
        """How a thread finds its cell along an axis; short: in an int."""
        block, size, thread = (f"{number}.{'xyz'[axis]}" for number in self.coordinates)
        if short:
            return f"static_cast<int>({block} * {size} + {thread})"
        return f"static_cast<std::int64_t>({block}) * {size} + {thread}"

    def __post_init__(self) -> None:
        # The order of a reduction is the same everywhere, so the lanes that shuffle are those of a tile.
        assert self.wave % TILE == 0, f"a wave of {self.wave} threads is no number of tiles of {TILE}"


@dataclass(frozen=True)
class Target:
    """A target is a value of this class; see emit/targets.py.

    outer, inner: how loops over the outer axes and over x run. checked: every index is tested against the
    field. suffix: what the entry's name ends with. files: what the names of a kernel's files end with; the
    last one has the entries. gpu: of targets with a thread for each cell. compiled: what compilers have to be
    told, so that they round where the kernel says.
    """

    name: str
    outer: Literal["serial", "omp", "thread"]
    inner: Literal["serial", "simd", "thread"]
    checked: bool = False
    suffix: str = ""
    files: tuple[str, ...] = (".cpp",)
    gpu: Gpu | None = None
    compiled: str = "with -ffp-contract=off and without -ffast-math"

    @property
    def threads(self) -> bool:
        """Whether each cell has a thread of its own."""
        return self.inner == "thread"


def in_order(targets: Iterable[Target]) -> list[Target]:
    """As headers list what they declare, however the targets were asked for."""
    return sorted(targets, key=lambda target: (target.threads, target.checked, target.name))


def host_of(targets: Iterable[Target]) -> Target | None:
    """The target whose kernels a sweep calls on the host."""
    return next((t for t in in_order(targets) if not t.threads and not t.checked), None)


def device_of(targets: Iterable[Target]) -> Target | None:
    """The target whose kernels a sweep puts into a stream of a device."""
    return next((t for t in in_order(targets) if t.gpu is not None and t.gpu.in_runtime), None)
