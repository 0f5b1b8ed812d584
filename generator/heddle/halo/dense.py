# SPDX-License-Identifier: Apache-2.0
"""What crosses the borders of a block, derived from where a kernel reads and writes.

A kernel that reads a component at an offset needs, beyond its block, the cells (interior + offset) without
the interior; before it runs, their owners send them. A kernel that writes there (a streaming pattern in
place) leaves values that belong to the owners; after it has run, exactly those go back. Never more: in place,
a wider copy would destroy valid data. The cells are sorted by the side on which they lie (face, edge or
corner), since each side has an owner, and given as boxes in the extents of the block, none of which meets
another. Those of a plane, which has one value per column, are one level high. Derivation: populations that
cross are those whose shifted interior leaves the block, Bailey et al. 2009 for AA.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.layout import STRIDED
from heddle.ir.visit import evaluated, statements, walk

Offset = tuple[int, ...]
Direction = Literal["before", "after"]


def _kind(side: Offset) -> str:
    across = sum(map(abs, side))
    return "face" if across == 1 else "corner" if across == len(side) else "edge"


@dataclass(frozen=True)
class HaloRegion:
    """A box of ghost cells of one component on one side of a block with n cells along an axis.

    side: -1, 0 or 1 an axis. anchor: what the box is measured from along each axis; the side, unless a box
    along the side has to end within the block. Where the anchor is 0 the box has the cells [near, n - far);
    where it is 1, [n + near, n + far); where it is -1, [-far, -near). Each has one entry per axis of the
    kernel.
    """

    field: ir.Field
    component: int
    side: Offset
    anchor: Offset
    near: Offset
    far: Offset

    def cells(self, extent: Iterable[int]) -> Iterator[Offset]:
        """The ghost cells for a block of a given extent."""
        ranges = []
        for n, anchor, near, far in zip(extent, self.anchor, self.near, self.far, strict=True):
            first, last = {0: (near, n - far), 1: (n + near, n + far), -1: (-far, -near)}[anchor]
            ranges.append(range(first, last))
        yield from itertools.product(*ranges)

    def __str__(self) -> str:
        bounds = []
        for axis, anchor, near, far in zip("xyz", self.anchor, self.near, self.far, strict=False):
            n = f"n_{axis}"
            first, last = {0: (_sum("", near), _sum(n, -far)), 1: (_sum(n, near), _sum(n, far))}.get(
                anchor, (_sum("", -far), _sum("", -near))
            )
            bounds.append(f"{axis} in [{first}, {last})")
        name = self.field.name + (
            f".{self.field.component_name(self.component)}" if self.field.components else ""
        )
        return f"{name:<8} {'  '.join(bounds)}"


@dataclass(frozen=True)
class Exchange:
    """What one kernel exchanges. direction: "before" it runs, from owners to ghost cells, or "after", back.

    min_block_extent: cells that a block needs at least along each axis for the boxes to be disjoint.
    """

    kernel: str
    direction: Direction
    fields: tuple[ir.Field, ...]
    regions: tuple[HaloRegion, ...]
    min_block_extent: int

    def components(self, side: Offset) -> list[tuple[ir.Field, int]]:
        """What crosses on a side."""
        return list(dict.fromkeys((c.field, c.component) for c in self.regions if c.side == side))

    def counts(self) -> dict[str, set[int]]:
        """For faces, edges and corners: how many components cross one of them."""
        result: dict[str, set[int]] = {}
        for side in dict.fromkeys(c.side for c in self.regions):
            result.setdefault(_kind(side), set()).add(len(self.components(side)))
        return result


def exchanges(kernel: ir.Kernel, place: Place | str = "") -> tuple[Exchange, Exchange]:
    """What a typed dense kernel needs before it runs, and what it leaves to be sent after.

    A component is written at one offset only, as check_dependences sees to, so each owner's cell has one
    ghost cell that is sent to it. Raises KernelError where what crosses does not follow from the kernel: it
    reads at computed positions, or writes beyond the block under a condition.
    """
    if not kernel.space.is_box:
        raise KernelError(
            place,
            f"'{kernel.name}' runs over a list of cells, but this exchange is for dense kernels.",
            "use list_exchanges for kernels over lists",
        )
    _check_known(kernel, place)
    stores = [s for s in statements(kernel.body) if isinstance(s, ir.Store)]
    written = dict.fromkeys(s.target for s in stores if isinstance(s.target, ir.Access))
    reads = dict.fromkeys(
        node for node in evaluated(kernel.body) if isinstance(node, ir.Access) and node.field.dense
    )
    after = _exchange(kernel, "after", [access for access in written if any(access.offsets)])
    return _exchange(kernel, "before", [access for access in reads if any(access.offsets)]), after


def _check_known(kernel: ir.Kernel, place: Place | str) -> None:
    if kernel.space.colours > 1:
        raise KernelError(
            place,
            f"'{kernel.name}' updates one colour after the other. Neighbours change in between, so one "
            "exchange before the sweep is not enough.",
            "leave the kernel out of add_halo",
        )
    everything = list(statements(kernel.body))
    swept = any(isinstance(statement, ir.Scan) for statement in everything)
    targets = [s.target for s in everything if isinstance(s, ir.Store)]
    results = {one.field for one in targets if isinstance(one, ir.Gather) and one.of_row}  # of its own rows
    for node in walk(kernel.body):
        if isinstance(node, ir.Gather) and node.field in results:
            continue
        if isinstance(node, ir.Gather) and node.field.layout is STRIDED and not (swept and node.in_column):
            raise KernelError(
                place,
                f"'{kernel.name}' reads '{node.field.name}' at positions computed at run time, so its "
                "halo is unknown.",
                "leave the kernel out of add_halo",
            )
    for conditional in (s for s in statements(kernel.body) if isinstance(s, ir.If)):
        for store in (s for s in statements(conditional.body) if isinstance(s, ir.Store)):
            if isinstance(store.target, ir.Access) and any(store.target.offsets):
                raise KernelError(
                    store.place,
                    f"'{kernel.name}' writes ghost cells of '{store.target.field.name}' under a "
                    "condition. Where the condition does not hold, the exchange would send undefined "
                    "values.",
                    "write the cell itself, or write all cells unconditionally",
                )


def _exchange(kernel: ir.Kernel, direction: Direction, accesses: list[ir.Access]) -> Exchange:
    offsets: dict[tuple[ir.Field, int], list[Offset]] = {}
    for access in accesses:
        offsets.setdefault((access.field, access.component), []).append(access.offsets)
    order = {field: number for number, field in enumerate(kernel.fields)}
    found: list[HaloRegion] = []
    min_block_extent = 1
    for field, component in sorted(offsets, key=lambda key: (order[key[0]], key[1])):
        where = offsets[field, component]
        reach = max(max(map(abs, offset)) for offset in where)
        levels = kernel.space.dimensions - field.rank  # 1 for a plane, whose first level stands for all
        for side in _sides(field.rank):
            parts = [set(_classes(side, offset, reach)) for offset in where]
            if sum(map(bool, parts)) > 1 and 0 in side:
                min_block_extent = max(min_block_extent, 2 * reach)
            for first, last in _boxes(set().union(*parts), side, reach):
                bounds = [_bounds(*axis, reach) for axis in zip(side, first, last, strict=True)]
                anchor, near, far = zip(*bounds, *[_FIRST_LEVEL] * levels, strict=True)
                found.append(HaloRegion(field, component, (*side, *[0] * levels), anchor, near, far))
    found.sort(key=lambda region: _sides(kernel.space.dimensions).index(region.side))
    fields = sorted({c.field for c in found}, key=lambda field: order[field])
    return Exchange(kernel.name, direction, tuple(fields), tuple(found), min_block_extent)


_FIRST_LEVEL = (-1, -1, 0)
"""Anchor, near and far of the cells [0, 1)."""


def _sides(rank: int) -> list[Offset]:
    """All sides: faces, then edges, then corners; along x first."""
    sides = [side[::-1] for side in itertools.product((-1, 0, 1), repeat=rank) if any(side)]
    return sorted(sides, key=lambda side: (sum(map(abs, side)), [abs(a) for a in side][::-1], side))


# So that unions can be formed without knowing n, a cell has a class along each axis. Across the block (side
# 0): classes 0, 1, ... are the cells 0, 1, ..., _INNER is every cell not within `reach` of an end, and
# _END - c is cell n - 1 - c. Beyond it (side -1, 1): class c is the ghost cell that c others part from the
# block.
_INNER, _END = 1000, 2000


def _classes(side: Offset, offset: Offset, reach: int) -> Iterator[Offset]:
    """The classes of (interior + offset) on a side."""
    axes: list[list[int]] = []
    for s, o in zip(side, offset, strict=True):
        if s:
            axes.append(list(range(max(s * o, 0))))
            continue
        low, high = range(max(o, 0), reach), range(max(-o, 0), reach)
        axes.append([*low, _INNER, *(_END - c for c in reversed(high))])
    yield from itertools.product(*axes)


def _boxes(cells: set[Offset], side: Offset, reach: int) -> Iterator[tuple[Offset, Offset]]:
    """Disjoint boxes that cover classes, each as its first and its last class; as large as they come."""
    across = [*range(reach), _INNER, *(_END - c for c in reversed(range(reach)))]
    axes = [list(range(reach)) if s else across for s in side]
    left = set(cells)
    while left:
        first = min(left)
        last = first
        for axis, known in enumerate(axes):
            for value in known[known.index(first[axis]) + 1 :]:
                grown = (*last[:axis], value, *last[axis + 1 :])
                if not _between(first, grown, axes) <= left:
                    break
                last = grown
        left -= _between(first, last, axes)
        yield first, last


def _between(first: Offset, last: Offset, axes: list[list[int]]) -> set[Offset]:
    ranges = [
        [value for value in known if low <= value <= high]
        for low, high, known in zip(first, last, axes, strict=True)
    ]
    return set(itertools.product(*ranges))


def _bounds(side: int, first: int, last: int, reach: int) -> tuple[int, int, int]:
    """Anchor, near and far of the classes from first to last along an axis."""
    if side:
        return side, first, last + 1
    if last < _INNER:
        return -1, -last - 1, -first
    if first > _INNER:
        return 1, first - _END - 1, last - _END
    return 0, min(first, reach), min(_END - last, reach)


def _sum(name: str, number: int) -> str:
    if not name or not number:
        return name or str(number)
    return f"{name} {'+' if number > 0 else '-'} {abs(number)}"


def text(exchange: Exchange) -> str:
    """For people: every box of ghost cells, side by side."""
    way = "owners send to ghost cells" if exchange.direction == "before" else "ghost cells are sent to owners"
    lines = [f"{exchange.direction} {exchange.kernel}: "]
    if not exchange.regions:
        return lines[0] + "nothing crosses"
    counts = ", ".join(
        f"{'-'.join(map(str, sorted(numbers)))} {kind}" for kind, numbers in exchange.counts().items()
    )
    lines[0] += f"{way}; components that cross: {counts}"
    for side in dict.fromkeys(c.side for c in exchange.regions):
        lines.append(f"  {_kind(side)} ({', '.join(f'{s:2d}' for s in side)})")
        lines += [f"    {region}" for region in exchange.regions if region.side == side]
    return "\n".join(lines)
