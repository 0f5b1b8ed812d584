# SPDX-License-Identifier: Apache-2.0
"""Elements of a list of cells: a neighbour is an entry of the table, which already leads to the current cell
at walls, or where rows lead to cells (Link.stores_solid) the number of a cell, found row by row."""

from __future__ import annotations

from heddle.ir.build import add, integer, multiply, operate
from heddle.ir.device_calls import device_call
from heddle.ir.nodes import (
    I64,
    U32,
    Access,
    Call,
    Cast,
    Expression,
    IsWallLink,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Select,
    Statement,
    Symbol,
    View,
)
from heddle.ir.visit import walk
from heddle.passes.lowering_context import LoweringContext, compass

_NEIGHBOUR = "neighbour"
_LINKS = Symbol("link", Pointer(U32))
"""The entries of a cell, where they come from the compressed table."""


class NeighbourLowering(LoweringContext):
    def sparse_views(self, accesses: list[Access]) -> list[Statement]:
        lets: list[Statement] = []
        for access in accesses:
            field = access.field
            key = field, access.component, ()
            if (
                not field.layout.over_list
                or (any(access.offsets) and not self.is_held(access))
                or key in self.views
                or not field.components
            ):
                continue
            symbol = Symbol(
                self.component_label(field, access.component, "row"),
                Pointer(field.type, field not in self.written),
            )
            self.views[key] = symbol
            offset = multiply(integer(access.component), self.slot_stride(field))
            lets.append(Let(symbol, View(self.pointer(field), offset, integer(1))))
        for access in accesses:
            if access.field.layout.over_list and any(access.through) and access.at is None:
                lets += self.link_row(self.link_to(access.through))
            if access.field.layout.over_list and any(access.offsets):
                lets += self.link_row(access)
        return lets

    def link_to(self, offset: tuple[int, ...]) -> Access:
        """The first link that leads to the cell at an offset."""
        row = self.space.row_at(offset)
        assert row is not None
        return Access(self.kernel.slots, offset, self.space.links[row].slot)

    def link_row(self, access: Access) -> list[Statement]:
        lets: list[Statement] = []
        for row in self.path(access):
            symbol = self.link_pointer(access, row)
            if symbol in self.views.values():
                continue
            self.views[access.field, -1 - row, ()] = symbol
            table = Symbol(_NEIGHBOUR, Pointer(U32, True))
            offset = multiply(integer(row), Symbol(f"{_NEIGHBOUR}_stride", I64))
            lets.append(Let(symbol, View(table, offset, integer(1))))
        return lets

    def decode_neighbours(self, loop: Loop) -> list[Statement]:
        """All entries of the current cell at once, from the compressed table."""
        follows = any(
            isinstance(node, (Access, IsWallLink)) and node.field.layout.over_list and self._links(node)
            for node in walk(loop.body)
        )
        if not (self.space.compressed and follows):
            return []
        chunks, table = (Symbol(name, Pointer(U32, True)) for name in (f"{_NEIGHBOUR}_chunk", _NEIGHBOUR))
        rows, stride = len(self.space.links), Symbol(f"{_NEIGHBOUR}_stride", I64)
        return [
            Local(_LINKS, rows, "scratch"),
            device_call(
                "decode_neighbours",
                local=_LINKS,
                chunks=chunks,
                table=table,
                stride=stride,
                n=loop.counter,
                last=loop.end,
                links=rows,
            ),
        ]

    def _links(self, node: Access | IsWallLink) -> bool:
        return any(node.offsets) or (any(node.through) and node.at is None)

    @property
    def box(self) -> int:
        """Of how many dimensions the dense box is that the listed cells are some of; 0 for none."""
        return self.space.box

    def list_position(self, loop: Loop) -> list[Statement]:
        if not self.listed or self.box:
            return []
        cell: Expression = Cast(Load(Symbol("cells", Pointer(U32, True)), loop.counter), I64)
        return [Let(self.own_cell, self.checked_cell(cell))]

    @property
    def listed(self) -> bool:
        return self.space.listed

    def checked_cell(self, n: Expression) -> Expression:
        if not self.target.checked:
            return n
        field = next(field for field in self.kernel.fields if field.layout.over_list)
        cells = self.argument(Symbol(f"{field.name}_cells", I64), f"{field.name}_extent", 0)
        return Call("within", (n, integer(0), cells), I64)

    def listed_element(self, access: Access) -> Load:
        field = access.field
        n: Expression = self.linked_cell(access)
        if any(access.offsets) and self.is_held(access):
            n = self.checked_cell(self.neighbour_cell(access, self.path(access), n))
        elif any(access.offsets):
            link: Expression = self.link_index(access, n)
            if self.target.checked:
                elements = multiply(integer(max(field.components, 1)), self.slot_stride(field))
                link = Call("within", (Cast(link, I64), integer(0), elements), I64)
            return Load(self.pointer(field), link)
        if not field.components:
            return Load(self.pointer(field), n)
        view = self.views.get((field, access.component, ()))
        if view is None:
            offset = multiply(integer(access.component), self.slot_stride(field))
            return Load(self.pointer(field), add(offset, n))
        return Load(view, n)

    def walled(self, access: Access) -> Expression:
        """Whether a link leads back to its own cell: the entry is then that which the list has at a wall, or
        the number that of the current cell."""
        n = self.linked_cell(access)
        if access.at is not None:
            return operate("eq", n, self.own_cell)
        slot = self.space.links[self.space.row(access.component, access.offsets)].wall_slot
        own = add(multiply(integer(slot), self.slot_stride(access.field)), n)
        return operate("eq", Cast(self.link_index(access, n), I64), own)

    @property
    def own_cell(self) -> Symbol:
        """The number of the current cell."""
        own = Symbol(self.space.cell, I64) if self.listed else self.position
        assert isinstance(own, Symbol)
        return own

    def linked_cell(self, access: Access) -> Symbol:
        """The number of the current cell, or of the one that the link at `through` leads to: an entry of the
        table is slot * slot stride + number. Where no link does, the number is given."""
        through = access.through
        if not any(through):
            return self.own_cell
        key = ("cell", through)
        if key not in self.links:
            number = (
                Cast(access.at, I64) if access.at is not None else self.cell_linked(self.link_to(through))
            )
            # a link to the same cell has another name: a given number may be that of the current cell
            symbol = Symbol(("n" if access.at is None else "beside") + compass(through), I64)
            self.pending.append(Let(symbol, self.checked_cell(number)))
            self.links[key] = symbol
        return self.links[key]

    def cell_linked(self, link: Access) -> Expression:
        """The number of the cell to which a link of the current cell leads. Along an axis that is the slot of
        the link in the cell there, or at a wall that of the current cell (a diagonal link at a wall that
        slips leads to a third one): no division then, which would keep loops over a whole list from being
        vectorised."""
        entry, stride = Cast(self.link_index(link, self.own_cell), I64), self.slot_stride(link.field)
        if self.listed or sum(map(abs, link.offsets)) > 1:
            return operate("rem", entry, stride)
        there = operate("sub", entry, multiply(integer(link.component), stride))
        return Select(self.walled(link), self.own_cell, there)

    def neighbour_cell(self, access: Access, rows: tuple[int, ...], n: Expression) -> Symbol:
        """The number of the cell to which rows lead one after the other, read from the table once per
        cell."""
        key = -1, rows, access.through
        if key not in self.links:
            before = self.neighbour_cell(access, rows[:-1], n) if rows[1:] else n
            offsets = [self.space.links[row].offset for row in rows]
            way = compass(access.through) + compass(tuple(map(sum, zip(*offsets, strict=True))))
            symbol = Symbol(("n" if access.at is None else "beside") + way, I64)
            if self.target.checked and rows[1:]:
                before = self.checked_cell(before)
            self.pending.append(Let(symbol, Cast(self.table_entry(access, rows[-1], before), I64)))
            self.links[key] = symbol
        return self.links[key]

    def link_index(self, access: Access, n: Expression) -> Symbol:
        """The neighbour's element, read from the table once per cell."""
        key = access.component, access.offsets, access.through
        if key not in self.links:
            name = f"i_{access.field.component_name(access.component)}{compass(access.through)}"
            symbol = Symbol(name, U32)
            if self.space.compressed and self.target.threads and not access.through:
                entry: Expression = self.chunk_entry(access, n)
            else:
                (row,) = self.path(access)
                entry = self.table_entry(access, row, n)
            self.pending.append(Let(symbol, entry))
            self.links[key] = symbol
        return self.links[key]

    def table_entry(self, access: Access, row: int, n: Expression) -> Load:
        """Entry (row, n) of the plain table."""
        pointer = self.link_pointer(access, row)
        if pointer in self.views.values():
            return Load(pointer, n)
        offset = multiply(integer(row), Symbol(f"{_NEIGHBOUR}_stride", I64))
        return Load(Symbol(_NEIGHBOUR, Pointer(U32, True)), add(offset, n))

    def chunk_entry(self, access: Access, n: Expression) -> Expression:
        """What the compressed table says, or at a wall the current cell's element."""
        (row,) = self.path(access)
        slot = multiply(integer(self.space.links[row].wall_slot), self.slot_stride(access.field))
        return Call("neighbour_or_wall", (Load(_LINKS, integer(row)), Cast(add(slot, n), U32)), U32)

    def path(self, access: Access) -> tuple[int, ...]:
        """The rows of the table that lead to an element, which check_dependences has found to exist."""
        rows = self.space.path(access.component, access.offsets)
        assert rows is not None
        return rows

    def is_held(self, access: Access) -> bool:
        """Whether the table leads to the cell of an element, for all its components alike."""
        return self.space.links[self.path(access)[0]].stores_solid

    def link_pointer(self, access: Access, row: int) -> Symbol:
        link = self.space.links[row]
        label = (
            compass(link.offset) if link.stores_solid else f"_{access.field.component_name(access.component)}"
        )
        return Symbol(_NEIGHBOUR + label, Pointer(U32, True))
