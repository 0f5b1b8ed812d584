# SPDX-License-Identifier: Apache-2.0
"""lower_accesses: cells and offsets become pointers and indices. The only pass that knows memory layouts.

before   loop y { loop x { store v[0,0] = add(u[0,0], u[1,-1]) } }
after    let n_x = v_extent[0]; ... let u_sy = u_stride[1]; ...
         loop y { let u_row = view u + y*u_sy by u_sx; let u_row_s = view u + (y - 1)*u_sy by u_sx; ...
                  loop x { store v_row[x] = add(u_row[x], u_row_s[x + 1]) } }

A row is a line of cells along the innermost axis; each (component, outer offset) has its own, so that within
a row only the position along it counts. With a thread for each cell there is one pointer to the own cell
instead. In a sparse list a neighbour is an entry of the table, which already leads to the own cell at walls,
or where rows lead to cells (ir.Link.held) the number of a cell, found row by row.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.build import add, integer, multiply, operate
from heddle.ir.nodes import (
    BOOL,
    I64,
    U32,
    Access,
    Boxes,
    Call,
    Cast,
    Comment,
    Const,
    Dense,
    Expression,
    Field,
    Gather,
    If,
    Kernel,
    Let,
    Load,
    LoadLinks,
    Local,
    Loop,
    Node,
    Pointer,
    Prefetch,
    Select,
    Sparse,
    Statement,
    Store,
    Symbol,
    View,
    Walled,
)
from heddle.ir.target import Target
from heddle.ir.visit import children, statements, transform_expressions, walk
from heddle.ir.walls import axis_of, bit, crossed, is_upper, own
from heddle.passes.apply_schedule import AXES, COLOUR, SPLIT_COUNTER, is_chunk, is_split

_COMPASS = {1: ("s", "n"), 2: ("b", "t")}
NEIGHBOUR = "neighbour"
LINKS = Symbol("link", Pointer(U32))
"""The entries of a cell, where they come from the compressed table."""


def lower_accesses(kernel: Kernel, target: Target, unit: bool = False) -> Kernel:
    """Make memory explicit. unit: with a thread for each cell, the cells of a row follow each other."""
    return _Lowering(kernel, target, unit and target.threads).kernel_lowered()


class _Lowering:
    def __init__(self, kernel: Kernel, target: Target, unit: bool) -> None:
        self.kernel, self.target, self.unit = kernel, target, unit
        self.space = kernel.space
        self.written = {
            node.target.field
            for node in statements(kernel.body)
            if isinstance(node, Store) and isinstance(node.target, (Access, Gather))
        }
        self.head: dict[Symbol, Let] = {}
        self.views: dict[tuple[Field, int, tuple[int, ...]], Symbol] = {}
        self.links: dict[tuple[object, ...], Symbol] = {}
        self.sides: dict[str, Symbol] = {}
        self.row_axis = 0
        self.position: Expression = Symbol("x", I64)
        self.pending: list[Statement] = []

    def kernel_lowered(self) -> Kernel:
        names = {node.name for node in walk(self.kernel.body) if isinstance(node, Symbol)}
        if isinstance(self.space, (Dense, Boxes)):
            for axis in range(self.space.rank):
                if f"n_{AXES[axis]}" in names or self.target.checked:
                    self.extent(axis)
            if is_split(self.kernel):
                self.extent(0, split=True)
        body = self.block(self.kernel.body, [])
        head = sorted(self.head.values(), key=self.head_order)
        if is_split(self.kernel):
            body = _without_unused(_without_unused(body, "x"), "x_first")
        used = {node.name for node in walk(body) if isinstance(node, Symbol)}
        space = self.space
        if isinstance(space, Dense) and self.unit:
            space = dataclasses.replace(space, unit=True)
        return dataclasses.replace(
            self.kernel, space=space, body=(*(let for let in head if let.symbol.name in used), *body)
        )

    def head_order(self, let: Let) -> tuple[int, int]:
        """Extents first, then the strides of each field in the order of the arguments."""
        if let.symbol.name in ("n_i", "n_x", "n_y", "n_z"):  # not the strides of a field called n
            return -1, "ixyz".index(let.symbol.name[2])
        assert isinstance(let.value, Load)
        assert isinstance(let.value.index, Const)
        names = [f"{field.name}_{what}" for what in ("extent", "stride") for field in self.kernel.fields]
        return names.index(let.value.pointer.name), int(let.value.index.value)

    # Arguments of the function, named on demand

    def pointer(self, field: Field) -> Symbol:
        return Symbol(field.name, Pointer(field.type, field not in self.written))

    def extent(self, axis: int, split: bool = False) -> Symbol:
        """The number of cells along an axis; `split`: of one colour along x."""
        symbol = Symbol("n_i" if split else f"n_{AXES[axis]}", I64)
        layouts = ("split",) if split else ("strided",) if axis == 0 else ("strided", "split")
        reference = next((f for f in self.kernel.fields if f.layout in layouts), None)
        if reference is None:  # all fields are split
            self.head[symbol] = Let(symbol, multiply(integer(2), self.extent(0, split=True)))
            return symbol
        return self.argument(symbol, f"{reference.name}_extent", axis)

    def stride(self, field: Field, axis: int) -> Expression:
        """Element stride along axis 0, 1, 2, or along the components for axis = rank."""
        if axis == 0 and self.unit:
            return integer(1)
        if axis == 0 and self.target.threads and isinstance(self.space, Dense) and self.space.lanes > 1:
            return integer(self.space.lanes)  # interleaved blocks: see stage_lanes
        label = "q" if axis == field.rank else AXES[axis]
        return self.argument(Symbol(f"{field.name}_s{label}", I64), f"{field.name}_stride", axis)

    def slot_stride(self, field: Field) -> Symbol:
        return self.argument(Symbol(f"{field.name}_sq", I64), f"{field.name}_stride", 1)

    def argument(self, symbol: Symbol, array: str, index: int) -> Symbol:
        if symbol not in self.head:
            self.head[symbol] = Let(symbol, Load(Symbol(array, Pointer(I64, True)), integer(index)))
        return symbol

    # Statements

    def block(self, body: Sequence[Statement], counters: list[Symbol]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        rows = [statement for statement in body if isinstance(statement, Loop) and self.is_row(statement)]
        if rows:
            self.row_axis = AXES.index(rows[0].counter.name[0]) if rows[0].counter.name[0] in AXES else 0
            lets = self.row_views([node for row in rows for node in walk(row)], counters)
            first = body.index(rows[0])
            result += [self.lowered(statement, counters) for statement in body[:first]]
            return (*result, *lets, *(self.lowered(statement, counters) for statement in body[first:]))
        for statement in body:
            result.append(self.lowered(statement, counters))
        return tuple(result)

    def is_row(self, loop: Loop) -> bool:
        """The innermost loop of a nest of serial or vector loops, with the loop over its chunks."""
        if loop.kind == "thread":
            return False
        inner = _loops(loop.body)
        return not inner or (is_chunk(loop) and len(inner) == 1)

    def lowered(self, statement: Statement, counters: list[Symbol]) -> Statement:
        match statement:
            case Loop(kind, counter):
                inner = [*counters, counter]
                if kind == "thread" and not any(inside.kind == "thread" for inside in _loops(statement.body)):
                    return dataclasses.replace(statement, body=self.cell(statement, inner))
                self.position = counter
                if self.target.threads and kind == "serial" and counter.name in AXES:
                    self.row_axis = AXES.index(counter.name)
                if is_chunk(statement) and self.is_row(statement):
                    body = tuple(self.lowered(inside, inner) for inside in statement.body)
                elif self.innermost(statement):
                    body = (*self.list_position(statement), *self.with_pending(statement.body, inner))
                else:
                    body = self.block(statement.body, inner)
                return dataclasses.replace(statement, body=body)
            case If(condition, body) if _loops(body) and not self.target.threads:
                return dataclasses.replace(
                    statement, condition=self.value(condition), body=self.block(body, counters)
                )
            case If(condition, body):
                return dataclasses.replace(
                    statement, condition=self.value(condition), body=self.with_pending(body, counters)
                )
            case Store(Access() as target, value):
                stored = self.value(value)
                if crossed(self.space, target) and not self.target.threads:
                    return self.stored_in_rows(statement, target, stored)
                return dataclasses.replace(statement, target=self.element(target), value=stored)
            case Prefetch(target, length):
                assert isinstance(target, Access)
                if target.field.layout == "compressed":  # cells ahead in the list, not in space
                    own = self.listed_element(dataclasses.replace(target, offsets=(0,) * target.field.rank))
                    return Prefetch(Load(own.pointer, add(own.index, integer(target.offsets[0]))), length)
                return Prefetch(self.element(target), length)
            case Comment():
                return statement
        return transform_expressions(statement, self.leaf)  # type: ignore[no-any-return]

    @staticmethod
    def innermost(loop: Loop) -> bool:
        return not _loops(loop.body)

    def with_pending(self, body: Sequence[Statement], counters: list[Symbol]) -> tuple[Statement, ...]:
        """Lower statements one by one; what they need named first (a neighbour's index) comes before each."""
        outer_links, outer_sides, outer_pending = dict(self.links), dict(self.sides), self.pending
        result: list[Statement] = []
        for statement in body:
            self.pending = []
            lowered = self.lowered(statement, counters)
            result += [*self.pending, lowered]
        self.links, self.sides, self.pending = outer_links, outer_sides, outer_pending
        return tuple(result)

    def cell(self, loop: Loop, counters: list[Symbol]) -> tuple[Statement, ...]:
        """The body of one CUDA thread."""
        if isinstance(self.space, Sparse):
            self.position = loop.counter
            before = (*self.list_position(loop), *self.chunk_links(loop))
            return (*before, *self.with_pending(loop.body, counters))
        self.row_axis = -1
        lets = self.cell_views(loop, counters)
        place = [s for s in loop.body if isinstance(s, Let) and s.symbol == Symbol("x", I64)]
        rest = [s for s in loop.body if s not in place]
        return (*place, *lets, *self.with_pending(rest, counters))

    # Views

    def row_views(self, nodes: Sequence[object], counters: list[Symbol]) -> list[Statement]:
        accesses = dict.fromkeys(
            node for node in nodes if isinstance(node, Access) and node.field.layout != "profile"
        )
        accesses |= dict.fromkeys(own(self.space, node) for node in accesses if crossed(self.space, node))
        lets: list[Statement] = []
        self.views = {}
        if isinstance(self.space, Sparse):
            ahead = {node.target for node in nodes if isinstance(node, Prefetch)}
            return self.sparse_views(
                [access for access in accesses if access not in ahead or not any(access.offsets)]
            )
        order = {field: number for number, field in enumerate(self.kernel.fields)}
        outer = sorted(
            {(access.field, self.part(access), self.across(access)): None for access in accesses},
            key=lambda row: (order[row[0]], row[1], [abs(d) for d in row[2]][::-1], row[2][::-1]),
        )
        offsets: dict[tuple[Field, int], list[tuple[int, ...]]] = {}
        for field, component, across in outer:
            offsets.setdefault((field, component), []).append(across)
        for field, component, across in outer:
            alone = len(offsets[field, component]) == 1 and field.layout != "split"
            lets += self.row_view(field, component, across, alone, counters)
        return lets

    # Fields that are split by colour: "component" 0 is the colour of the own cell, 1 the other one

    @staticmethod
    def part(access: Access) -> int:
        """The component, or which colour the element has."""
        return sum(access.offsets) % 2 if access.field.layout == "split" else access.component

    def part_offset(self, field: Field, part: int) -> Expression:
        if field.layout == "split":
            colour = operate("sub", integer(1), COLOUR) if part else COLOUR
            return multiply(colour, self.stride(field, field.rank))
        return multiply(integer(part), self.stride(field, field.rank)) if part else integer(0)

    def where(self, field: Field) -> Expression:
        """The position along x."""
        if not is_split(self.kernel):
            return self.position
        return SPLIT_COUNTER if field.layout == "split" else Symbol("x", I64)

    @staticmethod
    def along(access: Access, axis: int) -> Expression:
        """How far an element lies from the own one along an axis, in elements of memory: rows of the other
        colour begin one cell later or earlier."""
        d = access.offsets[axis]
        if access.field.layout != "split" or axis > 0:
            return integer(d)
        return add(Symbol("x_first", I64), integer((d - 1) // 2)) if d % 2 else integer(d // 2)

    def across(self, access: Access) -> tuple[int, ...]:
        """Offsets with the one along the row set to 0."""
        return tuple(0 if axis == self.row_axis else d for axis, d in enumerate(access.offsets))

    def row_view(
        self, field: Field, component: int, across: tuple[int, ...], alone: bool, counters: list[Symbol]
    ) -> list[Statement]:
        terms: list[Expression] = []
        if component or field.layout == "split":
            terms.append(self.part_offset(field, component))
        for axis in range(field.rank):
            counter = Symbol(AXES[axis], I64)
            if counter in counters:
                where = self.checked(field, axis, add(counter, integer(across[axis])))
                terms.append(multiply(where, self.stride(field, axis)))
            elif across[axis]:
                terms.append(multiply(integer(across[axis]), self.stride(field, axis)))
        offset: Expression = integer(0)
        for term in terms:
            offset = add(offset, term)
        line = "row" if self.row_axis == 0 else "column"
        name = self.component_label(field, component, line) + ("" if alone else _compass(across))
        if field.layout == "split" and component != any(across):
            name += "_own" if any(across) else "_other"
        symbol = Symbol(name, Pointer(field.type, field not in self.written))
        self.views[field, component, across] = symbol
        return [Let(symbol, View(self.pointer(field), offset, self.stride(field, self.row_axis)))]

    def component_label(self, field: Field, component: int, line: str) -> str:
        if not field.components:
            return f"{field.name}_{line}"
        return f"{field.name}_{field.component_name(component)}_{line}"

    def cell_views(self, loop: Loop, counters: list[Symbol]) -> list[Statement]:
        """One pointer a field, to the own cell; scans inside the thread add their own position."""
        lets: list[Statement] = []
        accesses = [
            node for node in walk(loop) if isinstance(node, Access) and node.field.layout != "profile"
        ]
        parts = dict.fromkeys((a.field, self.part(a) if a.field.layout == "split" else 0) for a in accesses)
        for field, part in parts:
            offset = self.part_offset(field, part) if field.layout == "split" else integer(0)
            for axis in range(field.rank):
                counter = Symbol(AXES[axis], I64)
                if counter in counters or SPLIT_COUNTER in counters:
                    place = self.where(field) if axis == 0 and is_split(self.kernel) else counter
                    offset = add(offset, multiply(place, self.stride(field, axis)))
            lets.append(Let(self.cell_pointer(field, part), View(self.pointer(field), offset, integer(1))))
        return lets

    def cell_pointer(self, field: Field, part: int) -> Symbol:
        name = f"{field.name}_other" if field.layout == "split" and part else f"{field.name}_cell"
        return Symbol(name, Pointer(field.type, field not in self.written))

    def sparse_views(self, accesses: list[Access]) -> list[Statement]:
        lets: list[Statement] = []
        for access in accesses:
            field = access.field
            key = field, access.component, ()
            if (
                field.layout != "compressed"
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
            if access.field.layout == "compressed" and any(access.through):
                lets += self.link_row(self.link_to(access.through))
            if access.field.layout == "compressed" and any(access.offsets):
                lets += self.link_row(access)
        return lets

    def link_to(self, offset: tuple[int, ...]) -> Access:
        """The first link that leads to the cell at an offset."""
        assert isinstance(self.space, Sparse)
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
            table = Symbol(NEIGHBOUR, Pointer(U32, True))
            offset = multiply(integer(row), Symbol(f"{NEIGHBOUR}_stride", I64))
            lets.append(Let(symbol, View(table, offset, integer(1))))
        return lets

    def chunk_links(self, loop: Loop) -> list[Statement]:
        """All entries of the own cell at once, from the compressed table."""
        assert isinstance(self.space, Sparse)
        follows = any(
            isinstance(node, Access) and node.field.layout == "compressed" and any(node.offsets)
            for node in walk(loop.body)
        )
        if not (self.space.compressed and follows):
            return []
        chunks, table = (Symbol(name, Pointer(U32, True)) for name in (f"{NEIGHBOUR}_chunk", NEIGHBOUR))
        rows, stride = len(self.space.links), Symbol(f"{NEIGHBOUR}_stride", I64)
        return [
            Local(LINKS, rows, "scratch"),
            LoadLinks(LINKS, chunks, table, stride, loop.counter, loop.end, rows),
        ]

    def chunk_entry(self, access: Access, n: Expression) -> Expression:
        """What the compressed table says, or at a wall the own cell's element."""
        assert isinstance(self.space, Sparse)
        (row,) = self.path(access)
        slot = multiply(integer(self.space.links[row].wall_slot), self.slot_stride(access.field))
        return Call("linked", (Load(LINKS, integer(row)), Cast(add(slot, n), U32)), U32)

    def path(self, access: Access) -> tuple[int, ...]:
        """The rows of the table that lead to an element, which check_dependences has found to exist."""
        assert isinstance(self.space, Sparse)
        rows = self.space.path(access.component, access.offsets)
        assert rows is not None
        return rows

    def is_held(self, access: Access) -> bool:
        """Whether the table leads to the cell of an element, for all its components alike."""
        assert isinstance(self.space, Sparse)
        return self.space.links[self.path(access)[0]].held

    def link_pointer(self, access: Access, row: int) -> Symbol:
        assert isinstance(self.space, Sparse)
        link = self.space.links[row]
        label = _compass(link.offset) if link.held else f"_{access.field.component_name(access.component)}"
        return Symbol(NEIGHBOUR + label, Pointer(U32, True))

    def list_position(self, loop: Loop) -> list[Statement]:
        if not self.listed:
            return []
        cell: Expression = Cast(Load(Symbol("cells", Pointer(U32, True)), loop.counter), I64)
        return [Let(Symbol("n", I64), self.checked_cell(cell))]

    def checked_cell(self, n: Expression) -> Expression:
        if not self.target.checked:
            return n
        field = next(field for field in self.kernel.fields if field.layout == "compressed")
        cells = self.argument(Symbol(f"{field.name}_cells", I64), f"{field.name}_extent", 0)
        return Call("within", (n, integer(0), cells), I64)

    # Expressions

    def value(self, expression: Expression) -> Expression:
        return transform_expressions(expression, self.leaf)  # type: ignore[no-any-return]

    def leaf(self, expression: Expression) -> Expression:
        match expression:
            case Access() if crossed(self.space, expression) and not self.target.threads:
                stands = own(self.space, expression)
                return Select(self.beside(expression), self.element(stands), self.element(expression))
            case Access():
                return self.element(expression)
            case Walled(field, offsets, component, through):
                return self.walled(Access(field, offsets, component, through))
            case Gather(field, position, component):
                return self.gathered(field, position, component)
        return expression

    def element(self, access: Access) -> Load:
        field = access.field
        if field.layout == "entries":
            return Load(self.pointer(field), Symbol("i", I64))
        if field.layout == "profile":
            counter = Symbol(AXES[field.axis], I64)
            return self.level(field, add(counter, integer(access.offsets[0])))
        if field.layout == "compressed":
            return self.listed_element(access)
        if self.row_axis < 0 or self.target.threads:
            return self.cell_element(access)
        view = self.views[field, self.part(access), self.across(access)]
        position = self.where(field) if self.row_axis == 0 else self.position
        where = add(position, self.along(access, self.row_axis))
        return Load(view, self.checked(field, self.row_axis, where))

    def cell_element(self, access: Access) -> Load:
        if crossed(self.space, access):
            stands, there = self.cell_place(own(self.space, access)), self.cell_place(access)
            return Load(there.pointer, Select(self.beside(access), stands.index, there.index))
        return self.cell_place(access)

    def cell_place(self, access: Access) -> Load:
        field = access.field
        index: Expression = integer(0)
        if access.component:
            index = multiply(integer(access.component), self.stride(field, field.rank))
        for axis in range(field.rank):
            index = add(index, multiply(self.along(access, axis), self.stride(field, axis)))
        if self.row_axis >= 0:  # inside a scan
            index = add(index, multiply(self.position, self.stride(field, self.row_axis)))
        return Load(self.cell_pointer(field, self.part(access)), index)

    # Walls of a dense space

    def beside(self, access: Access) -> Expression:
        """Whether the element lies behind a wall: the own cell is the last one before it."""
        condition, *others = [self.at_side(side) for side in crossed(self.space, access)]
        for other in others:
            condition = operate("or", condition, other)
        return condition

    def at_side(self, side: str) -> Expression:
        """Whether the own cell lies at a wall, named once a cell."""
        if side not in self.sides:
            axis, wall = axis_of(side), Const(bit(side), U32)
            last = operate("sub", self.extent(axis), integer(1)) if is_upper(side) else integer(0)
            there = operate("ne", operate("bitand", Symbol("walls", U32), wall), Const(0, U32))
            self.sides[side] = Symbol(f"at_{side}", BOOL)
            value = operate("and", operate("eq", Symbol(AXES[axis], I64), last), there)
            self.pending.append(Let(self.sides[side], value))
        return self.sides[side]

    def stored_in_rows(self, store: Store, target: Access, value: Expression) -> Statement:
        """Rows are views, so that which of two elements is written is a condition around it."""
        if not isinstance(value, Symbol):
            named = Symbol(
                f"{target.field.name}_{target.field.component_name(target.component)}_new", value.type
            )
            self.pending.append(Let(named, value))
            value = named
        beside = self.beside(target)
        stands = dataclasses.replace(store, target=self.element(own(self.space, target)), value=value)
        there = dataclasses.replace(store, target=self.element(target), value=value)
        self.pending.append(If(beside, (stands,), True, store.place))
        return If(operate("not", beside), (there,), False, store.place)

    def listed_element(self, access: Access) -> Load:
        field = access.field
        n: Expression = self.cell_seen_from(access.through)
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
        """Whether a link leads back to its own cell: the entry is then that which the list has at a wall."""
        assert isinstance(self.space, Sparse)
        n = self.cell_seen_from(access.through)
        slot = self.space.links[self.space.row(access.component, access.offsets)].wall_slot
        own = add(multiply(integer(slot), self.slot_stride(access.field)), n)
        return operate("eq", Cast(self.link_index(access, n), I64), own)

    def cell_seen_from(self, through: tuple[int, ...]) -> Symbol:
        """The number of the own cell, or of the one that the link at `through` leads to: an entry of the
        table is slot * slot stride + number."""
        own = Symbol("n", I64) if self.listed else self.position
        assert isinstance(own, Symbol)
        if not any(through):
            return own
        key = ("cell", through)
        if key not in self.links:
            link = self.link_to(through)
            entry = Cast(self.link_index(link, own), I64)
            number = operate("rem", entry, self.slot_stride(link.field))
            symbol = Symbol(f"n{_compass(through)}", I64)
            self.pending.append(Let(symbol, self.checked_cell(number)))
            self.links[key] = symbol
        return self.links[key]

    @property
    def listed(self) -> bool:
        return isinstance(self.space, Sparse) and self.space.listed

    def link_index(self, access: Access, n: Expression) -> Symbol:
        """The neighbour's element, read from the table once a cell."""
        key = access.component, access.offsets, access.through
        if key not in self.links:
            name = f"i_{access.field.component_name(access.component)}{_compass(access.through)}"
            symbol = Symbol(name, U32)
            assert isinstance(self.space, Sparse)
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
        offset = multiply(integer(row), Symbol(f"{NEIGHBOUR}_stride", I64))
        return Load(Symbol(NEIGHBOUR, Pointer(U32, True)), add(offset, n))

    def neighbour_cell(self, access: Access, rows: tuple[int, ...], n: Expression) -> Symbol:
        """The number of the cell to which rows lead one after the other, read from the table once a cell."""
        key = -1, rows
        if key not in self.links:
            assert isinstance(self.space, Sparse)
            before = self.neighbour_cell(access, rows[:-1], n) if rows[1:] else n
            offsets = [self.space.links[row].offset for row in rows]
            symbol = Symbol("n" + _compass(tuple(map(sum, zip(*offsets, strict=True)))), I64)
            if self.target.checked and rows[1:]:
                before = self.checked_cell(before)
            self.pending.append(Let(symbol, Cast(self.table_entry(access, rows[-1], before), I64)))
            self.links[key] = symbol
        return self.links[key]

    def gathered(self, field: Field, position: tuple[Expression, ...], component: Expression) -> Load:
        if field.layout == "entries":
            return Load(self.pointer(field), position[0])
        if field.layout == "profile":
            return self.level(field, position[0])
        index = multiply(component, self.stride(field, field.rank)) if field.components else integer(0)
        for axis in range(field.rank):
            where = self.checked(field, axis, position[axis])
            index = add(index, multiply(where, self.stride(field, axis)))
        return Load(self.pointer(field), index)

    def level(self, field: Field, where: Expression) -> Load:
        """The value of a profile at a position along its axis."""
        return Load(self.pointer(field), self.checked(field, field.axis, where))

    def checked(self, field: Field, axis: int, where: Expression) -> Expression:
        """On the reference target every index is tested against the field and its ghost layers."""
        if not self.target.checked:
            return where
        lower = integer(-field.ghost_layers)
        extent = "n_i" if field.layout == "split" and axis == 0 else f"n_{AXES[axis]}"
        upper = add(Symbol(extent, I64), integer(field.ghost_layers))
        return Call("within", (where, lower, upper), I64)


def _loops(body: Sequence[Statement]) -> list[Loop]:
    return [statement for statement in statements(body) if isinstance(statement, Loop)]


def _without_unused(body: Sequence[Statement], name: str) -> tuple[Statement, ...]:
    """The same statements without a coordinate that nobody names."""
    named = [node for s in statements(body) for node in walk(_own_parts(s)) if isinstance(node, Symbol)]
    if any(node.name == name for node in named):
        return tuple(body)
    return _without(body, name)


def _own_parts(statement: Statement) -> list[Node]:
    """What a statement evaluates itself."""
    inner = set(getattr(statement, "body", ()))
    skipped = {statement.symbol} if isinstance(statement, Let) else set()
    return [part for part in children(statement) if part not in inner and part not in skipped]


def _without(body: Sequence[Statement], name: str) -> tuple[Statement, ...]:
    kept: list[Statement] = []
    for statement in body:
        if isinstance(statement, Let) and statement.symbol.name == name:
            continue
        if isinstance(statement, (Loop, If)):
            statement = dataclasses.replace(statement, body=_without(statement.body, name))
        kept.append(statement)
    return tuple(kept)


def _compass(offsets: tuple[int, ...]) -> str:
    """`_n`, `_bs`, `_t2`: where a row lies, seen from the own one; x counts as `_e` and `_w` (rows along
    another axis)."""
    letters = ""
    for axis in reversed(range(len(offsets))):
        d = offsets[axis]
        if d:
            pair = _COMPASS.get(axis, ("w", "e"))
            letters += pair[d > 0] + (str(abs(d)) if abs(d) > 1 else "")
    return f"_{letters}" if letters else ""
