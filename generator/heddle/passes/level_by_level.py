# SPDX-License-Identifier: Apache-2.0
"""level_by_level: a block of GPU threads goes up through the levels, and computes once what cells share.

before   loop thread z { loop thread y { loop thread x {
           let w = f(u[0, 0, 0], u[-1, 0, 0]); let e = f(u[1, 0, 0], u[0, 0, 0]);
           let b = g(u[0, 0, -1]); let t = g(u[0, 0, 0]); store v[0, 0, 0] = h(e, w, t, b) } } }
after    loop thread thread_y { loop thread thread_x {
           let x = 31 * (thread_x / 32) + thread_x % 32; ...; local w_shared[2 * 32 * 32]; var b_1 = 0; ...
           loop step { let w = f(...); let b = g(...); store w_shared[place + slot] = w;
                       if own { store v[...] = h(w_shared[place + 1 + before], w_1, b, b_1) };
                       b_1 = b; barrier } } }

A value that a cell computes for itself and, in the same words, for another cell is a shared value. Every
thread computes it for its own column. Other columns read it from a plane in shared memory, one step later:
one barrier per step is enough, since a plane has a slot for each step that somebody still looks back to.
Other levels of the own column read it from variables that keep it from step to step. So each shared value
lags behind those that it needs, and a block computes shared values of some columns around its own ones, which
the next block computes, too. All components of the fields are alike: a thread has one of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence, Set

from heddle.errors import KernelError
from heddle.ir.build import add, integer, multiply, operate
from heddle.ir.device_calls import device_call
from heddle.ir.hash_consing import Node
from heddle.ir.nodes import (
    BOOL,
    I64,
    Access,
    Assign,
    Call,
    Comment,
    Const,
    Expression,
    Field,
    If,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Scalar,
    Statement,
    Store,
    Symbol,
    Var,
)
from heddle.ir.shifts import Shift
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import distinct, rebuild, statements
from heddle.passes.lowering_context import compass
from heddle.passes.shared_values import Region, SharedValues, Value

MOST_SHARED = 48 * 1024
"""Bytes of shared memory that a block has without asking."""
STEP, COMPONENT = Symbol("step", I64), Symbol("component", I64)
AXES = "xyz"
_TAKEN = {"x", "y", "z", "n_x", "n_y", "n_z", "stride_y", "stride_z", "own", "place", "step", "component"} | {
    f"{what}_{axis}" for what in ("thread", "lane", "cell") for axis in "xy"
}


def level_by_level(kernel: Kernel, request: Request) -> Kernel:
    """Where the schedule asks for it, make one loop over levels of a nest of threads."""
    gpu = request.schedule.gpu
    if not gpu.level_by_level or not request.target.threads:
        return kernel
    at = next(n for n, statement in enumerate(kernel.body) if isinstance(statement, Loop))
    nest = kernel.body[at]
    assert isinstance(nest, Loop)
    while isinstance(nest.body[0], Loop):
        nest = nest.body[0]
    shared = SharedValues(kernel, nest.body)
    made = _Columns(kernel, shared, gpu.block[0], gpu.block[1]).nest()
    return dataclasses.replace(kernel, body=(*kernel.body[:at], *made))


class _Columns:
    """The statements. across, along: threads of a block along x and y."""

    def __init__(self, kernel: Kernel, shared: SharedValues, along: int, across: int) -> None:
        self.kernel, self.shared = kernel, shared
        self.threads = along, across
        self.written = {target.field for target, _ in shared.stores}
        outside = [s for s in kernel.body if not isinstance(s, Loop)]
        self.taken = set(names_in(dataclasses.replace(kernel, body=tuple(outside)))) | _TAKEN
        order = shared.order
        self.low = [min(value.low[axis] for value in order) for axis in range(3)]
        self.high = [max(value.high[axis] for value in order) for axis in range(3)]
        self.cells = [self.threads[axis] + self.low[axis] - self.high[axis] for axis in range(2)]
        self.base = min(value.low[2] + value.lag for value in order)
        self.steps = max(value.high[2] + value.lag for value in order) - self.base
        self.kept: dict[int, int] = {}
        self.slots: dict[int, int] = {}
        far = [0, 0]
        for reader in order:
            for number, offset in reader.reads:
                age = shared.age(reader, number, offset)
                if offset[0] or offset[1]:
                    self.slots[number] = max(self.slots.get(number, 0), age + 1)
                    far = [max(f, abs(d)) for f, d in zip(far, offset, strict=False)]
                else:
                    self.kept[number] = max(self.kept.get(number, 0), age)
        self.pad = far[0] + far[1] * along
        self.symbols = {
            number: Symbol(self.new(value.name), value.node.type) for number, value in shared.values.items()
        }
        self.check()
        self.regions: dict[Region, dict[str, Symbol]] = {}
        self.known: dict[Region, dict[Node, Expression]] = {}
        self.alike = self.regions_alike()
        self.before: list[Statement] = []
        self.inside: list[Statement] = []

    def check(self) -> None:
        """Raise KernelError for a block that is too small, or needs too much memory."""
        hint = "use a larger block along x and y, or leave out level_by_level"
        if min(self.cells) < 1:
            what = f"a block of {self.threads[0]} x {self.threads[1]} threads has no cells of its own."
            raise KernelError(self.kernel.name, what, hint)
        needed = sum(
            self.length(slots) * _bytes(self.shared.values[number]) for number, slots in self.slots.items()
        )
        if needed > MOST_SHARED:
            what = f"planes of {self.threads[0]} x {self.threads[1]} threads take {needed} bytes of shared "
            what += f"memory, and {MOST_SHARED} are there."
            raise KernelError(self.kernel.name, what, "use a smaller block")

    def length(self, slots: int) -> int:
        return slots * self.plane + 2 * self.pad

    @property
    def plane(self) -> int:
        return self.threads[0] * self.threads[1]

    def new(self, name: str) -> str:
        name = fresh(name, self.taken)
        self.taken.add(name)
        return name

    # The nest

    def nest(self) -> tuple[Statement, ...]:
        for value in self.shared.order:
            self.stage(value)
        self.rotate()
        self.inside.append(device_call("barrier"))
        locals_ = [
            Local(self.array(number), self.length(slots), "shared") for number, slots in self.slots.items()
        ]
        variables = [
            Var(self.history(number, age), Const(0, self.symbols[number].type))  # type: ignore[arg-type]
            for number, ages in self.kept.items()
            for age in range(1, ages + 1)
        ]
        end = add(Symbol("n_z", I64), integer(self.steps))
        loop = Loop("levels", STEP, integer(0), end, integer(1), tuple(self.inside))
        body: tuple[Statement, ...] = (*self.places(), *self.before, *locals_, *variables, loop)
        while (used := _without_unused(body)) != body:
            body = used
        for axis in range(2):
            whole = add(Symbol(f"n_{AXES[axis]}", I64), integer(self.cells[axis] - 1))
            blocks = operate("div", whole, integer(self.cells[axis]))
            end = operate("mul", blocks, integer(self.threads[axis]))
            body = (Loop("thread", self.thread(axis), integer(0), end, integer(1), body),)
        end = integer(self.shared.components)
        return (Loop("thread", COMPONENT, integer(0), end, integer(1), body),)

    @staticmethod
    def own(axis: int) -> Symbol:
        """Where the column of the thread is."""
        return Symbol(f"cell_{AXES[axis]}", I64)

    def thread(self, axis: int) -> Symbol:
        return Symbol(f"thread_{AXES[axis]}", I64)

    def places(self) -> Iterator[Statement]:
        """Where the thread is, and whether it has a cell of its own."""
        yield Comment(
            f"{self.threads[0]} x {self.threads[1]} threads have {self.cells[0]} x {self.cells[1]} columns, "
            "and compute what these need around them"
        )
        own: Expression | None = None
        for axis in range(2):
            lane, place = Symbol(f"lane_{AXES[axis]}", I64), self.own(axis)
            threads = integer(self.threads[axis])
            yield Let(lane, operate("rem", self.thread(axis), threads))
            block = operate("mul", integer(self.cells[axis]), operate("div", self.thread(axis), threads))
            yield Let(place, add(operate("add", block, lane), integer(self.low[axis])))
            first = integer(-self.low[axis])
            inside = [
                operate("ge", lane, first),
                operate("lt", lane, add(first, integer(self.cells[axis]))),
                operate("lt", place, Symbol(f"n_{AXES[axis]}", I64)),
            ]
            for condition in inside:
                own = condition if own is None else operate("and", own, condition)
        assert own is not None
        yield Let(Symbol("own", BOOL), own)
        if self.slots:
            row = operate("mul", Symbol("lane_y", I64), integer(self.threads[0]))
            yield Let(Symbol("place", I64), add(add(row, Symbol("lane_x", I64)), integer(self.pad)))

    # A stage

    def stage(self, value: Value) -> None:
        """What a thread computes of one value in each step."""
        number = value.number
        made: list[Statement] = []
        known = self.known.setdefault(self.region_of(value), {}) if number is not None else {}
        result = self.value(value.node, value, made, known, root=True)
        if number is not None:
            self.inside += [*made, Let(self.symbols[number], result)]
            if number in self.slots:
                slot = self.slot(number, 0)
                target = Load(self.array(number), add(slot, Symbol("place", I64)))
                self.inside.append(Store(target, self.symbols[number]))
            return
        at = self.shared.stored.index(value)
        target_of = self.shared.stores[at][0]
        store = Store(self.element(target_of, value), result)
        level = add(STEP, integer(self.base - value.lag))
        own: Expression = operate("and", Symbol("own", BOOL), operate("ge", level, integer(0)))
        if self.steps > value.lag - self.base:
            own = operate("and", own, operate("lt", level, Symbol("n_z", I64)))
        self.inside.append(If(own, (*made, store)))

    def value(
        self,
        node: Node,
        reader: Value,
        made: list[Statement],
        known: dict[Node, Expression],
        root: bool = False,
    ) -> Expression:
        """A part of a value, with what it needs named before it."""
        number = None if root else self.shared.number(node)
        if number is None and not root and node in known:
            return known[node]
        if number is not None:
            result: Expression = self.read(number, self.shared.offset(node, number), reader)
        elif isinstance(node, Access):
            result = self.load(node, reader)
        else:
            result = rebuild(node, lambda child: self.part(child, reader, made, known))
        if not root and number is None and node in self.shared.names and not isinstance(node, Const):
            named = Symbol(self.new(self.shared.names[node]), node.type)
            made.append(Let(named, result))
            result = named
        if number is None and not root:
            known[node] = result
        return result

    def part(self, node: Node, reader: Value, made: list[Statement], known: dict[Node, Expression]) -> Node:
        if not isinstance(node, Expression) or isinstance(node, (Scalar, Pointer)):
            return node
        return self.value(node, reader, made, known)

    def read(self, number: int, offset: Shift, reader: Value) -> Expression:
        """A shared value of the own column, or of another one."""
        age = self.shared.age(reader, number, offset)
        x, y, _ = offset
        if not (x or y):
            return self.history(number, age)
        place = add(self.slot(number, age), Symbol("place", I64))
        return Load(self.array(number), add(place, integer(x + y * self.threads[0])))

    def history(self, number: int, age: int) -> Symbol:
        symbol = self.symbols[number]
        return Symbol(f"{symbol.name}_before_{age}", symbol.type) if age else symbol

    def array(self, number: int) -> Symbol:
        symbol = self.symbols[number]
        assert isinstance(symbol.type, Scalar)
        return Symbol(f"{symbol.name}_shared", Pointer(symbol.type))

    def slot(self, number: int, age: int) -> Expression:
        """Where the plane of a step begins."""
        slots = self.slots[number]
        step = add(STEP, integer(slots - age)) if age else STEP
        name = Symbol(f"slot_{slots}" + (f"_before_{age}" if age else ""), I64)
        whole = slots & (slots - 1) == 0
        own = operate("bitand", step, integer(slots - 1)) if whole else operate("rem", step, integer(slots))
        let = Let(name, operate("mul", own, integer(self.plane)))
        if let not in self.inside:
            self.inside.insert(0, let)
        return name

    def rotate(self) -> None:
        for number, ages in self.kept.items():
            for age in range(ages, 0, -1):
                self.inside.append(Assign(self.history(number, age), self.history(number, age - 1)))

    # Memory

    def region(self, value: Value) -> dict[str, Symbol]:
        """The level and the number of the cell of which a value is computed: beyond those for which it is
        needed, the nearest one."""
        key = self.region_of(value)
        if key not in self.regions:
            suffix = f"_{len(self.regions)}" if self.regions else ""
            symbols = {name: Symbol(self.new(f"{name}{suffix}"), I64) for name in ("column", "level", "cell")}
            self.regions[key] = symbols
            column: Expression = self.nearest(key, 0, self.own(0))
            row = multiply(self.nearest(key, 1, self.own(1)), Symbol("stride_y", I64))
            self.before.append(Let(symbols["column"], operate("add", column, row)))
            level = self.nearest(key, 2, add(STEP, integer(self.base - value.lag)))
            self.inside.append(Let(symbols["level"], level))
            height = operate("mul", symbols["level"], Symbol("stride_z", I64))
            self.inside.append(Let(symbols["cell"], operate("add", symbols["column"], height)))
        return self.regions[key]

    def region_of(self, value: Value) -> Region:
        """That of all values that lag alike, if the fields have as many ghost layers."""
        return value.region if value.number is None else self.alike.get(value.lag, value.region)

    def regions_alike(self) -> dict[int, Region]:
        found: dict[int, Region] = {}
        for lag in {value.lag for value in self.shared.values.values()}:
            together = [value for value in self.shared.values.values() if value.lag == lag]
            low = tuple(min(value.low[axis] for value in together) for axis in range(3))
            high = tuple(max(value.high[axis] for value in together) for axis in range(3))
            if all(_has(access, low, high) for value in together for access in self.shared.accesses(value)):
                found[lag] = lag, low, high
        return found

    @staticmethod
    def nearest(region: Region, axis: int, place: Expression) -> Expression:
        """A place along an axis, or the nearest one in a region."""
        _, low, high = region
        last = add(Symbol(f"n_{AXES[axis]}", I64), integer(high[axis] - 1))
        return Call("max", (Call("min", (place, last), I64), integer(low[axis])), I64)

    def load(self, access: Access, reader: Value) -> Expression:
        """An element of memory as the stage of a value reads it."""
        of = access.field
        pointer, symbols = self.pointer(of), self.region(reader)
        if of.layout.along_axis:
            where: Expression = symbols["level"]
            if of.axis < 2:
                where = self.nearest(self.region_of(reader), of.axis, self.own(of.axis))
            return Load(pointer, add(where, integer(access.offsets[0])))
        if of.is_plane(self.kernel.space):
            return self.of_column(access, pointer, reader)
        return self.element(access, reader)

    def element(self, access: Access, reader: Value) -> Load:
        """An element of a field with a value for each cell."""
        of = access.field
        index: Expression = self.region(reader)["cell"]
        if of.components and self.shared.components > 1:
            index = operate("add", index, self.component(of))
        for axis, step in enumerate((integer(1), Symbol("stride_y", I64), Symbol("stride_z", I64))):
            d = access.offsets[axis]
            far = multiply(integer(abs(d)), step)
            index = operate("sub", index, far) if d < 0 else add(index, far)
        return Load(self.pointer(of), index)

    def pointer(self, of: Field) -> Symbol:
        return Symbol(of.name, Pointer(of.type, of not in self.written))

    def component(self, of: Field) -> Symbol:
        """Where the component begins that a thread has."""
        name = Symbol(f"first_of_{of.name}", I64)
        return self.once(Let(name, operate("mul", COMPONENT, Symbol(f"{of.name}_sq", I64))))

    def of_column(self, access: Access, pointer: Symbol, reader: Value) -> Symbol:
        """An element of a plane, which is read before the loop over the levels."""
        region = self.region_of(reader)
        places = [self.nearest(region, axis, self.own(axis)) for axis in range(2)]
        x, y = (add(place, integer(d)) for place, d in zip(places, access.offsets, strict=True))
        index = operate("add", x, multiply(y, Symbol(f"{access.field.name}_sy", I64)))
        suffix = compass(access.offsets) + self.regions[region]["cell"].name.removeprefix("cell")
        return self.once(Let(Symbol(f"{access.field.name}_here{suffix}", access.type), Load(pointer, index)))

    def once(self, let: Let) -> Symbol:
        if let not in self.before:
            self.before.append(let)
        return let.symbol


def _without_unused(body: Sequence[Statement], used: Set[Node] | None = None) -> tuple[Statement, ...]:
    """Statements without names that nothing mentions."""
    if used is None:
        used = {node for statement in statements(body) for node in distinct(_mentioned(statement))}
    return tuple(
        dataclasses.replace(s, body=_without_unused(s.body, used)) if isinstance(s, (Loop, If)) else s
        for s in body
        if not (isinstance(s, Let) and s.symbol not in used)
    )


def _mentioned(statement: Statement) -> list[Node]:
    """What a statement mentions, but for the name that it gives, and for the statements in it."""
    if isinstance(statement, Let):
        return [statement.value]
    return [part for part in statement.children if not isinstance(part, Statement)]


def _has(access: Access, low: Sequence[int], high: Sequence[int]) -> bool:
    """Whether a field has the elements that the cells of a region read."""
    of = access.field
    axes = [of.axis] if of.layout.along_axis else range(of.rank)
    return all(
        -of.ghost_layers <= low[axis] + d and high[axis] + d <= of.ghost_layers
        for axis, d in zip(axes, access.offsets, strict=True)
    )


def _bytes(value: Value) -> int:
    assert isinstance(value.node.type, Scalar)
    return value.node.type.bytes
