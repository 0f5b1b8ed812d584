# SPDX-License-Identifier: Apache-2.0
"""What crosses the borders of a list of cells, derived from where a kernel reads and writes.

A kernel over a list reaches neighbours through rows of its table. A block of a domain has a list of its own
cells and, numbered last, of the ghost cells around them; the table has rows for both. Where a row leads from
an own cell to a ghost cell, the kernel reads (or, in place, writes) what belongs to another block; where it
leads from a ghost cell to an own one, the other block does, since the ghost cell is its own. So the two ends
of a way find the same elements in their own tables, with walls, free slip and cells that are not listed
folded in as the kernel finds them, and an element that nobody reaches does not cross.
"""

from __future__ import annotations

from dataclasses import dataclass

from heddle.errors import KernelError, Place
from heddle.exchange import Direction
from heddle.ir import nodes as ir
from heddle.ir.visit import evaluated, statements


@dataclass(frozen=True)
class LinkCrossing:
    """What a row of the table leads to in a field, where that is on the other side of a border."""

    field: ir.Field
    row: int


@dataclass(frozen=True)
class ListExchange:
    """What one kernel over a list exchanges. direction: "before" it runs, from owners to ghost cells, or
    "after", back."""

    kernel: str
    direction: Direction
    fields: tuple[ir.Field, ...]
    crossings: tuple[LinkCrossing, ...]


def list_exchanges(kernel: ir.Kernel, place: Place | str = "") -> tuple[ListExchange, ListExchange]:
    """What a typed kernel over a list needs before it runs, and what it leaves to be sent after.

    Each element is reached by one cell (check_dependences and the streaming patterns see to that), so it
    crosses once. Raises KernelError for a kernel over a part of a list, and where neighbours are not found by
    one row of the table.
    """
    if not isinstance(kernel.space, ir.Sparse) or kernel.space.listed:
        raise KernelError(
            place,
            f"'{kernel.name}' does not run over a whole list of cells.",
            "exchange what the kernels over all cells need",
        )
    stores = [s for s in statements(kernel.body) if isinstance(s, ir.Store)]
    written = [s.target for s in stores if isinstance(s.target, ir.Access)]
    reads = [node for node in evaluated(kernel.body) if isinstance(node, ir.Access)]
    rows = {(link.slot, link.offset): row for row, link in enumerate(kernel.space.links)}
    for access in (*reads, *written):
        if any(access.offsets) and (access.component, access.offsets) not in rows:
            raise KernelError(
                place,
                f"'{kernel.name}' reaches '{access.field.name}' at {list(access.offsets)} by no single row "
                "of its table: what crosses is not known.",
                "leave the kernel out of add_halo",
            )
    return _exchange(kernel, rows, "before", reads), _exchange(kernel, rows, "after", written)


def _exchange(
    kernel: ir.Kernel,
    rows: dict[tuple[int, tuple[int, ...]], int],
    direction: Direction,
    accesses: list[ir.Access],
) -> ListExchange:
    found = {
        LinkCrossing(access.field, rows[access.component, access.offsets])
        for access in accesses
        if any(access.offsets)
    }
    order = {field: number for number, field in enumerate(kernel.fields)}
    crossings = tuple(sorted(found, key=lambda crossing: (order[crossing.field], crossing.row)))
    fields = tuple(dict.fromkeys(crossing.field for crossing in crossings))
    return ListExchange(kernel.name, direction, fields, crossings)


def text(exchange: ListExchange, links: tuple[ir.Link, ...]) -> str:
    """For people: every row of the table through which values cross."""
    if not exchange.crossings:
        return f"{exchange.direction} {exchange.kernel}: nothing crosses"
    way = "owners send to ghost cells" if exchange.direction == "before" else "ghost cells are sent to owners"
    lines = [f"{exchange.direction} {exchange.kernel}: {way} what {len(exchange.crossings)} rows lead to"]
    for crossing in exchange.crossings:
        link, field = links[crossing.row], crossing.field
        offset = ", ".join(f"{o:2d}" for o in link.offset)
        lines.append(f"  row {crossing.row:2d}: {field.name}.{field.component_name(link.slot)} at ({offset})")
    return "\n".join(lines)
