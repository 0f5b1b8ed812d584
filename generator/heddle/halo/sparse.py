# SPDX-License-Identifier: Apache-2.0
"""What crosses the borders of a list of cells, derived from where a kernel reads and writes.

A kernel over a list reaches neighbours through rows of its table. A block of a domain has a list of its own
cells and, numbered last, of the ghost cells around them; the table has rows for both. Where a row leads from
an own cell to a ghost cell, the kernel reads (or, in place, writes) what belongs to another block; where it
leads from a ghost cell to an own one, the other block does, since the ghost cell is its own. So the two ends
of a way find the same elements in their own tables, with walls, free slip and cells that are not listed
folded in as the kernel finds them, and an element that nobody reaches does not cross.

Esoteric patterns keep a population of a link in a cell near both its ends, which rows of the table lead to
one after the other, and which a list holds even behind a wall (Link.stores_solid). In one step one end
reaches it, in the next one the other. Where one end is a wall, only the other ever does: the element then
stays with the block of that cell, be it in a ghost cell: bounce-back and boundary sweeps touch own memory
alone. So a link names the other end (`HaloLink.other`), which follows from where the kernels of the
other step reach the same component.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from heddle.errors import KernelError, Place
from heddle.halo.dense import Direction
from heddle.ir import nodes as ir
from heddle.ir.space import Link, Space
from heddle.ir.visit import evaluated, statements

Offset = tuple[int, ...]
WrittenOffsets = Mapping[tuple[str, int], frozenset[Offset]]
"""Of each component of a field, by name: the offsets at which kernels write it."""


@dataclass(frozen=True)
class HaloLink:
    """What rows of the table lead to in a field, where that is on the other side of a border.

    path: the rows, one after the other. slot: the component, where they lead to cells; None where the single
    row leads to an element. other: from the cell that reaches it, where the cell lies that reaches the same
    element in another step; where that is not listed, nothing crosses.
    """

    field: ir.Field
    path: tuple[int, ...]
    slot: int | None = None
    other: Offset = ()


@dataclass(frozen=True)
class ListExchange:
    """What one kernel over a list exchanges. direction: "before" it runs, from owners to ghost cells, or
    "after", back."""

    kernel: str
    direction: Direction
    fields: tuple[ir.Field, ...]
    links: tuple[HaloLink, ...]


def written_offsets(kernels: Iterable[ir.Kernel]) -> WrittenOffsets:
    """From where kernels over a whole list write each component; stores on wall links are left out, since no
    other cell reaches what lies behind a wall."""
    found: dict[tuple[str, int], set[Offset]] = {}
    for kernel in kernels:
        for access in _written(kernel):
            found.setdefault((access.field.name, access.component), set()).add(access.offsets)
    return {element: frozenset(offsets) for element, offsets in found.items()}


def list_exchanges(
    kernel: ir.Kernel, place: Place | str = "", ends: WrittenOffsets | None = None
) -> tuple[ListExchange, ListExchange]:
    """What a typed kernel over a list needs before it runs, and what it leaves to be sent after.

    ends: of the kernels that run in turn with it, by default of this one alone. Each element is reached by
    one cell (check_dependences and the streaming patterns see to that), so it crosses once. Raises
    KernelError for a kernel over a part of a list, for one that sees other fields than populations in the
    cells beside its own, where rows of the table do not lead to a neighbour, and where they lead to cells
    behind walls and the other end of what lies there is not known.
    """
    if not kernel.space.is_list or kernel.space.listed:
        raise KernelError(
            place,
            f"'{kernel.name}' runs over a part of a list, but only kernels over whole lists can be "
            "exchanged.",
            "name kernels over whole lists in add_halo(kernels=[...])",
        )
    reads = [node for node in evaluated(kernel.body) if isinstance(node, ir.Access)]
    beside = next((read for read in reads if any(read.through)), None)
    if beside is not None:
        raise KernelError(
            place,
            f"'{kernel.name}' reads '{beside.field.name}' of neighbouring cells. Blocks of a list "
            "exchange only the populations that rows of the neighbour table lead to.",
            "leave the kernel out of add_halo and use one block, or use lbm.Smagorinsky and strain_rate, "
            "which read no neighbours",
        )
    ways = _Ways(kernel, kernel.space, written_offsets([kernel]) if ends is None else ends, place)
    return ways.exchange("before", reads), ways.exchange("after", _written(kernel))


def _written(kernel: ir.Kernel) -> list[ir.Access]:
    behind_walls = {
        store.target
        for branch in statements(kernel.body)
        if isinstance(branch, ir.If) and branch.wall
        for store in statements(branch.body)
        if isinstance(store, ir.Store)
    }
    targets = [store.target for store in statements(kernel.body) if isinstance(store, ir.Store)]
    return [t for t in targets if isinstance(t, ir.Access) and t not in behind_walls]


@dataclass(frozen=True)
class _Ways:
    """How a kernel reaches neighbours."""

    kernel: ir.Kernel
    space: Space
    ends: WrittenOffsets
    place: Place | str

    def exchange(self, direction: Direction, accesses: Iterable[ir.Access]) -> ListExchange:
        found = {self.link(access) for access in accesses if any(access.offsets)}
        order = {field: number for number, field in enumerate(self.kernel.fields)}
        links = tuple(sorted(found, key=lambda c: (order[c.field], c.path, -1 if c.slot is None else c.slot)))
        fields = tuple(dict.fromkeys(link.field for link in links))
        return ListExchange(self.kernel.name, direction, fields, links)

    def link(self, access: ir.Access) -> HaloLink:
        path = self.space.path(access.component, access.offsets)
        if path is None:
            raise KernelError(
                self.place,
                f"'{self.kernel.name}' accesses '{access.field.name}' at {list(access.offsets)}, which no "
                "row of its neighbour table leads to, so its halo is unknown.",
                "leave the kernel out of add_halo",
            )
        if not self.space.links[path[0]].stores_solid:
            return HaloLink(access.field, path)
        others = self.ends.get((access.field.name, access.component), frozenset()) - {access.offsets}
        if len(others) != 1:
            name = access.field.component_name(access.component) if access.field.components else ""
            found = "no other cell" if not others else f"cells at {len(others)} other offsets"
            raise KernelError(
                self.place,
                f"'{self.kernel.name}' accesses '{access.field.name}{name and '.' + name}' at "
                f"{list(access.offsets)}, in a cell that may lie behind a wall. In another step it is "
                f"written by {found}, so it is unknown whether both ends of the link are fluid and the "
                "value must be sent.",
                "add the kernels of all steps of the pattern before add_halo",
            )
        (other,) = others
        seen = tuple(o - there for o, there in zip(access.offsets, other, strict=True))
        return HaloLink(access.field, path, access.component, seen)


def text(exchange: ListExchange, links: tuple[Link, ...]) -> str:
    """For people: all that leads to what crosses."""
    if not exchange.links:
        return f"{exchange.direction} {exchange.kernel}: nothing crosses"
    way = "owners send to ghost cells" if exchange.direction == "before" else "ghost cells are sent to owners"
    ways = "rows" if all(link.slot is None for link in exchange.links) else "ways"
    lines = [f"{exchange.direction} {exchange.kernel}: {way} what {len(exchange.links)} {ways} lead to"]
    for link in exchange.links:
        offset = tuple(map(sum, zip(*(links[row].offset for row in link.path), strict=True)))
        slot = links[link.path[0]].slot if link.slot is None else link.slot
        rows = " ".join(f"{row:2d}" for row in link.path)
        component = f"{link.field.name}.{link.field.component_name(slot)}"
        shared = f", shared with the cell at {_offset(link.other)}" if link.other else ""
        lines.append(f"  row {rows}: {component} at {_offset(offset)}{shared}")
    return "\n".join(lines)


def _offset(offset: Offset) -> str:
    return "(" + ", ".join(f"{o:2d}" for o in offset) + ")"
