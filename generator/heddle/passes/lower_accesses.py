# SPDX-License-Identifier: Apache-2.0
"""lower_accesses: cells and offsets become pointers and indices. The only pass that knows memory layouts.

before   loop y { loop x { store v[0,0] = add(u[0,0], u[1,-1]) } }
after    let n_x = v_extent[0]; ... let u_sy = u_stride[1]; ...
         loop y { let u_row = view u + y*u_sy by u_sx; let u_row_s = view u + (y - 1)*u_sy by u_sx; ...
                  loop x { store v_row[x] = add(u_row[x], u_row_s[x + 1]) } }

A row is a line of cells along the innermost axis; each (component, outer offset) has its own, so that within
a row only the position along it counts. With a thread for each cell there is one pointer to the current cell
instead. Elements of lists are the matter of lower_neighbours, walls of lower_wall_reflection.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence

from heddle.ir.build import add, integer, multiply, operate
from heddle.ir.colouring import COLOUR
from heddle.ir.device_calls import device_call, is_call
from heddle.ir.hash_consing import Node
from heddle.ir.nodes import (
    I64,
    Access,
    Call,
    Comment,
    Const,
    DeviceCall,
    Expression,
    Field,
    Gather,
    If,
    IsWallLink,
    Kernel,
    Let,
    Load,
    Loop,
    Pointer,
    Select,
    Statement,
    Store,
    Symbol,
    View,
    While,
)
from heddle.ir.space import Dense
from heddle.ir.stages import Request
from heddle.ir.visit import distinct, statements, transform_expressions, walk
from heddle.ir.walls import crossed, own
from heddle.passes.apply_schedule import AXES, SPLIT_COUNTER, is_split, is_strip
from heddle.passes.lower_neighbours import NeighbourLowering
from heddle.passes.lower_wall_reflection import WallReflection
from heddle.passes.lowering_context import compass

NUMBER = Symbol("cell", I64)
"""Where the current cell lies in all fields of the same strides, counted in elements."""
MANY_ROWS = 4
"""So many rows of a field have the row of the current cells named."""


def lower_accesses(kernel: Kernel, request: Request) -> Kernel:
    """Make memory explicit. With a thread for each cell, a schedule can have the cells of a row follow each
    other."""
    target, gpu = request.target, request.schedule.gpu
    unit, alike = target.threads and gpu.unit_stride, target.threads and gpu.same_strides
    components = 0 if target.threads or target.checked else request.schedule.cpu.component_stride
    return _Lowering(kernel, target, unit, alike, components).kernel_lowered()


class _Lowering(NeighbourLowering, WallReflection):
    def kernel_lowered(self) -> Kernel:
        names = {node.name for node in distinct(self.kernel.body) if isinstance(node, Symbol)}
        rank = self.box or (0 if self.space.is_list else self.space.dimensions)
        if rank:
            for axis in range(rank):
                if f"n_{AXES[axis]}" in names or self.target.checked:
                    self.extent(axis)
            if is_split(self.kernel):
                self.extent(0, split=True)
        if self.alike:  # level_by_level has named some already
            for field in (field for field in self.kernel.fields if field.dense):
                for axis in range(field.rank + (field.components > 0)):
                    if self.stride_symbol(field, axis).name in names:
                        self.stride(field, axis)
        body = self.block(self.kernel.body, [])
        head = sorted(self.head.values(), key=self.head_order)
        if is_split(self.kernel):
            body = _without_unused(_without_unused(body, "x"), "x_first")
        used = {node for node in distinct(body) if isinstance(node, Symbol)}
        space = self.space
        if isinstance(space, Dense) and self.unit:
            space = dataclasses.replace(space, unit_stride=True)
        if isinstance(space, Dense) and self.alike:
            space = dataclasses.replace(space, same_strides=True)
        return dataclasses.replace(
            self.kernel, space=space, body=(*(let for let in head if let.symbol in used), *body)
        )

    def head_order(self, let: Let) -> tuple[int, int]:
        """Extents first, then the strides of each field in the order of the arguments."""
        if let.symbol.name in ("n_i", "n_x", "n_y", "n_z"):  # not the strides of a field called n
            return -1, "ixyz".index(let.symbol.name[2])
        assert isinstance(let.value, Load)
        assert isinstance(let.value.index, Const)
        names = [f"{field.name}_{what}" for what in ("extent", "stride") for field in self.kernel.fields]
        return names.index(let.value.pointer.name), int(let.value.index.value)

    # Statements

    def block(
        self, body: Sequence[Statement], counters: list[Symbol], repeated: bool = False
    ) -> tuple[Statement, ...]:
        """repeated: the rows around the body are those of the loops inside, too."""
        result: list[Statement] = []
        rows = [loop for loop in _beside(body) if self.is_row(loop)]
        if rows:
            self.row_axis = AXES.index(rows[0].counter.name[0]) if rows[0].counter.name[0] in AXES else 0
        rows = [loop for loop in rows if loop in body]
        if rows:
            lets = self.row_views(list(distinct(rows)), counters, repeated)
            first = body.index(rows[0])
            result += [self.lowered(statement, counters) for statement in body[:first]]
            return (*result, *lets, *(self.lowered(statement, counters) for statement in body[first:]))
        for statement in body:
            result.append(self.lowered(statement, counters))
        return tuple(result)

    def is_row(self, loop: Loop) -> bool:
        """The innermost loop of a nest of serial or vector loops, with the loop over its strips."""
        if loop.kind == "thread":
            return False
        inner = _loops(loop.body)
        return not inner or (is_strip(loop) and len(inner) == 1)

    def lowered(self, statement: Statement, counters: list[Symbol]) -> Statement:
        match statement:
            case Loop():
                outside = self.views, self.here, self.row_axis, self.position
                inside = self.loop_lowered(statement, [*counters, statement.counter])
                self.views, self.here, self.row_axis, self.position = outside
                return inside
            case If(condition=condition, body=body) | While(condition=condition, body=body) if (
                _loops(body) and not self.target.threads
            ):
                asked, views = self.value(condition), self.views
                inner = self.block(body, counters, isinstance(statement, While))
                self.views = views
                return dataclasses.replace(statement, condition=asked, body=inner)
            case If(condition=condition, body=body) | While(condition=condition, body=body):
                return dataclasses.replace(
                    statement, condition=self.value(condition), body=self.with_pending(body, counters)
                )
            case Store(Access() as target, value):
                stored = self.value(value)
                if crossed(self.space, target) and not self.target.threads:
                    return self.stored_in_rows(statement, target, stored)
                return dataclasses.replace(statement, target=self.element(target), value=stored)
            case DeviceCall("prefetch", (Access() as target,), (length,)):
                if target.field.layout.over_list:  # cells ahead in the list, not in space
                    own = self.listed_element(dataclasses.replace(target, offsets=(0,) * target.field.rank))
                    first = Load(own.pointer, add(own.index, integer(target.offsets[0])))
                    return device_call("prefetch", first=first, length=length)
                if target.field.rank == 1 or self.space.is_list:
                    return device_call("prefetch", first=self.element(target), length=length)
                first, extent = self.element(target), Symbol(f"n_{AXES[0]}", I64)
                next_row = {"count": extent, "next": self.stride(target.field, 1)}
                where = {"rows": (first.pointer,), "x": first.index}
                return device_call("prefetch_rows", **where, **next_row, length=length)
            case Comment():
                return statement
        return transform_expressions(statement, self.leaf)  # type: ignore[no-any-return]

    def loop_lowered(self, loop: Loop, counters: list[Symbol]) -> Loop:
        """counters: of the loops around its body."""
        threads = loop.kind == "thread"
        if threads and not any(inside.kind == "thread" for inside in _loops(loop.body)):
            return dataclasses.replace(loop, body=self.cell(loop, counters))
        self.position = _first_cell(loop)
        if self.target.threads and loop.kind == "serial" and loop.counter.name in AXES:
            self.row_axis = AXES.index(loop.counter.name)
        if is_strip(loop) and self.is_row(loop):
            body = tuple(self.lowered(inside, counters) for inside in loop.body)
        elif self.innermost(loop):
            body = (*self.list_position(loop), *self.with_pending(loop.body, counters))
        else:
            body = self.block(loop.body, counters)
        return dataclasses.replace(loop, body=body)

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
        if self.space.is_list:
            self.position = loop.counter
            before = (*self.list_position(loop), *self.decode_neighbours(loop))
            return (*before, *self.with_pending(loop.body, counters))
        self.row_axis = -1
        place = [s for s in loop.body if isinstance(s, Let) and s.symbol == Symbol("x", I64)]
        lets = self.cell_views(loop, [*counters, *(s.symbol for s in place)])
        rest = [s for s in loop.body if s not in place]
        return (*place, *lets, *self.with_pending(rest, counters))

    # Views

    def row_views(self, nodes: Sequence[object], counters: list[Symbol], repeated: bool) -> list[Statement]:
        accesses = dict.fromkeys(
            node
            for node in nodes
            if isinstance(node, Access) and not node.field.layout.along_axis and self.in_row(node.field)
        )
        accesses |= dict.fromkeys(own(self.space, node) for node in accesses if crossed(self.space, node))
        lets: list[Statement] = []
        known = self.views.items()
        outside = {row: view for row, view in known if repeated or row[0].is_plane(self.space)}
        self.views = {}
        if self.space.is_list:
            ahead = {node.args[0] for node in nodes if is_call(node, "prefetch")}
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
        of_field = Counter(field for field, *_ in outer)
        self.here = {}
        for field, component, across in outer:
            if (field, component, across) in outside:  # the row is the same for all levels
                self.views[field, component, across] = outside[field, component, across]
                continue
            alone = len(offsets[field, component]) == 1 and not field.layout.split
            if of_field[field] >= MANY_ROWS and not self.target.checked and field not in self.here:
                lets.append(self.pointer_here(field, counters))
            lets += self.row_view(field, component, across, alone, counters)
        return lets

    def pointer_here(self, field: Field, counters: list[Symbol]) -> Let:
        """The row of the current cells, from which a field's many rows are told."""
        offset: Expression = integer(0)
        for axis in range(field.rank):
            counter = Symbol(AXES[axis], I64)
            if counter in counters:
                offset = add(offset, multiply(counter, self.stride(field, axis)))
        self.here[field] = Symbol(f"{field.name}_here", Pointer(field.type, field not in self.written))
        return Let(self.here[field], View(self.pointer(field), offset, integer(1)))

    # Fields that are split by colour: "component" 0 is the colour of the current cell, 1 the other one

    @staticmethod
    def part(access: Access) -> int:
        """The component, or which colour the element has."""
        return sum(access.offsets) % 2 if access.field.layout.split else access.component

    def part_offset(self, field: Field, part: int) -> Expression:
        if field.layout.split:
            colour = operate("sub", integer(1), COLOUR) if part else COLOUR
            return multiply(colour, self.stride(field, field.rank))
        return multiply(integer(part), self.stride(field, field.rank)) if part else integer(0)

    def where(self, field: Field) -> Expression:
        """The position along x."""
        if not is_split(self.kernel):
            return self.position
        return SPLIT_COUNTER if field.layout.split else Symbol("x", I64)

    @staticmethod
    def along(access: Access, axis: int) -> Expression:
        """How far an element lies from the own one along an axis, in elements of memory: rows of the other
        colour begin one cell later or earlier."""
        d = access.offsets[axis]
        if not access.field.layout.split or axis > 0:
            return integer(d)
        return add(Symbol("x_first", I64), integer((d - 1) // 2)) if d % 2 else integer(d // 2)

    def across(self, access: Access) -> tuple[int, ...]:
        """Offsets with the one along the row set to 0."""
        return tuple(0 if axis == self.row_axis else d for axis, d in enumerate(access.offsets))

    def row_view(
        self, field: Field, component: int, across: tuple[int, ...], alone: bool, counters: list[Symbol]
    ) -> list[Statement]:
        terms: list[Expression] = []
        if component or field.layout.split:
            terms.append(self.part_offset(field, component))
        for axis in range(field.rank):
            counter = Symbol(AXES[axis], I64)
            if counter in counters and field not in self.here:
                where = self.checked(field, axis, add(counter, integer(across[axis])))
                terms.append(multiply(where, self.stride(field, axis)))
            elif across[axis]:
                terms.append(multiply(integer(across[axis]), self.stride(field, axis)))
        offset: Expression = integer(0)
        for term in terms:
            offset = add(offset, term)
        line = "row" if self.row_axis == 0 else "column"
        name = self.component_label(field, component, line) + ("" if alone else compass(across))
        if field.layout.split and component != any(across):
            name += "_own" if any(across) else "_other"
        symbol = Symbol(name, Pointer(field.type, field not in self.written))
        self.views[field, component, across] = symbol
        base = self.here.get(field) or self.pointer(field)
        return [Let(symbol, View(base, offset, self.stride(field, self.row_axis)))]

    def cell_views(self, loop: Loop, counters: list[Symbol]) -> list[Statement]:
        """One pointer per field to the current cell, or one number of the cell for all fields; scans inside
        the thread add their own position."""
        lets: list[Statement] = []
        accesses = [
            node for node in distinct(loop) if isinstance(node, Access) and not node.field.layout.along_axis
        ]
        parts = dict.fromkeys((a.field, self.part(a) if a.field.layout.split else 0) for a in accesses)
        numbered = next((field for field, _ in parts if self.is_numbered(field)), None)
        if numbered is not None:
            lets.append(Let(NUMBER, self.cell_offset(numbered, 0, counters)))
        for field, part in parts:
            if not self.is_numbered(field):
                view = View(self.pointer(field), self.cell_offset(field, part, counters), integer(1))
                lets.append(Let(self.cell_pointer(field, part), view))
        return lets

    def cell_offset(self, field: Field, part: int, counters: list[Symbol]) -> Expression:
        """How far the current cell of a thread lies from the first one, in elements."""
        offset = self.part_offset(field, part) if field.layout.split else integer(0)
        for axis in range(field.rank):
            counter = Symbol(AXES[axis], I64)
            if counter in counters or SPLIT_COUNTER in counters:
                place = self.where(field) if axis == 0 and is_split(self.kernel) else counter
                offset = add(offset, multiply(place, self.stride(field, axis)))
        return offset

    def is_numbered(self, field: Field) -> bool:
        return self.alike and field.numbered_with(self.space)

    def cell_pointer(self, field: Field, part: int) -> Symbol:
        name = f"{field.name}_other" if field.layout.split and part else f"{field.name}_cell"
        return Symbol(name, Pointer(field.type, field not in self.written))

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
            case IsWallLink() if crossed(self.space, expression.link):
                return self.beside(expression.link)
            case IsWallLink():
                return self.walled(expression.link)
            case Gather(field, position, component):
                return self.gathered(field, position, component)
        return expression

    def element(self, access: Access) -> Load:
        field = access.field
        if field.layout.per_entry:
            return Load(self.pointer(field), Symbol(self.space.counter, I64))
        if field.layout.along_axis:
            counter = Symbol(AXES[field.axis], I64)
            return self.level(field, add(counter, integer(access.offsets[0])))
        if field.layout.over_list:
            return self.listed_element(access)
        if not self.box and (self.row_axis < 0 or self.target.threads):
            return self.cell_element(access)
        if self.box or not self.in_row(field):
            place = [
                add(Symbol(axis, I64), integer(d)) for axis, d in zip(AXES, access.offsets, strict=False)
            ]
            return self.gathered(field, tuple(place), integer(access.component))
        view = self.views[field, self.part(access), self.across(access)]
        position = self.where(field) if self.row_axis == 0 else self.position
        where = add(position, self.along(access, self.row_axis))
        return Load(view, self.checked(field, self.row_axis, where))

    def in_row(self, field: Field) -> bool:
        """Whether the values of a field differ within a row; a plane has one for a row along z."""
        return not field.dense or self.row_axis < field.rank

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
        numbered = self.is_numbered(field)
        if numbered:
            index = self.numbered_place(access, index)
        for axis in range(0 if numbered else field.rank):
            index = add(index, multiply(self.along(access, axis), self.stride(field, axis)))
        if 0 <= self.row_axis < field.rank:  # inside a scan
            index = add(index, multiply(self.position, self.stride(field, self.row_axis)))
        if numbered:
            return Load(self.pointer(field), index)
        return Load(self.cell_pointer(field, self.part(access)), index)

    def numbered_place(self, access: Access, component: Expression) -> Expression:
        """The number of an element in a field of the shared strides."""
        index = add(NUMBER, component)
        for axis, d in enumerate(access.offsets):
            step = multiply(integer(abs(d)), self.stride(access.field, axis))
            index = operate("sub", index, step) if d < 0 else add(index, step)
        return index

    # Walls of a dense space

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

    def gathered(self, field: Field, position: tuple[Expression, ...], component: Expression) -> Load:
        if field.layout.per_entry:
            return Load(self.pointer(field), position[0])
        if field.layout.along_axis:
            return self.level(field, position[0])
        if field.layout.table:
            return Load(self.pointer(field), self.numbered(field, position[0]))
        index = multiply(component, self.stride(field, field.rank)) if field.components else integer(0)
        for axis in range(field.rank):
            where = self.checked(field, axis, position[axis])
            index = add(index, multiply(where, self.stride(field, axis)))
        return Load(self.pointer(field), index)

    def numbered(self, field: Field, where: Expression) -> Expression:
        """The number of a value of a table, which the reference target tests."""
        return Call("within", (where, integer(0), integer(field.size)), I64) if self.target.checked else where

    def level(self, field: Field, where: Expression) -> Load:
        """The value of a profile at a position along its axis."""
        return Load(self.pointer(field), self.checked(field, field.axis, where))


def _first_cell(loop: Loop) -> Expression:
    """The cell of a loop, or the first one of its strip. Strips of a list are counted by number."""
    return _loops(loop.body)[0].begin if is_strip(loop) else loop.counter


def _loops(body: Sequence[Statement]) -> list[Loop]:
    return [statement for statement in statements(body) if isinstance(statement, Loop)]


def _beside(body: Sequence[Statement]) -> Iterator[Loop]:
    """The loops among statements, under conditions and in rounds, too."""
    for statement in body:
        if isinstance(statement, Loop):
            yield statement
        elif isinstance(statement, (If, While)):
            yield from _beside(statement.body)


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
    return [part for part in statement.children if part not in inner and part not in skipped]


def _without(body: Sequence[Statement], name: str) -> tuple[Statement, ...]:
    kept: list[Statement] = []
    for statement in body:
        if isinstance(statement, Let) and statement.symbol.name == name:
            continue
        if isinstance(statement, (Loop, If, While)):
            statement = dataclasses.replace(statement, body=_without(statement.body, name))
        kept.append(statement)
    return tuple(kept)
