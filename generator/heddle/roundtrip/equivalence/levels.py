# SPDX-License-Identifier: Apache-2.0
"""Blocks of threads that go up through the levels together: read as a nest over cells, one by one.

before   for thread_y, thread_x: { cell_x = 29 * (thread_x / 32) + lane_x - 1; ...
           for step in [0, n_z + 3): { w = f(u[...]); plane[slot + place] = w;
             if own && step - 3 >= 0 { v[...] = h(plane[before + place + 1], w_1) }; w_1 = w; barrier } }
after    for z, y, x: { w_e = f(u[...] of the next column); w = f(u[...]); v[...] = h(w_e, w) }

What a thread reads of others is what they wrote some steps ago; what it keeps, what it computed itself some
steps ago. So each value of the own cell is followed back, by columns and steps, to what is read from memory.
Refused is what does not follow: a cell that no thread or more than one has, a column that no thread of the
block computes, a place beyond the nearest one that a thread takes instead, a slot of a plane that is written
anew before all have read it, and a step before the first. Nothing is taken from the pass.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from heddle.errors import KernelError
from heddle.ir.build import add, integer
from heddle.ir.device_calls import is_call
from heddle.ir.hash_consing import Node
from heddle.ir.loops import is_over_threads
from heddle.ir.nodes import (
    I64,
    Assign,
    Call,
    Comment,
    Const,
    Expression,
    If,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Op,
    Statement,
    Store,
    Symbol,
    Var,
)
from heddle.ir.visit import rebuild, statements

X, Y, Z = (Symbol(name, I64) for name in "xyz")
N = tuple(Symbol(f"n_{name}", I64) for name in "xyz")
Where = tuple[int, int, int]
"""How many columns along x and y, and how many steps back."""


def without_levels(kernel: Kernel) -> Kernel:
    """The same kernel, a cell per thread. Raises KernelError where that is not shown."""
    if not any(is_call(statement, "barrier") for statement in statements(kernel.body)):
        return kernel
    at = next(n for n, statement in enumerate(kernel.body) if isinstance(statement, Loop))
    return dataclasses.replace(kernel, body=(*kernel.body[:at], *_Levels(kernel, kernel.body[at]).nest()))


@dataclass(frozen=True)
class _Axis:
    """Of the threads of a block: how many, how many of them have a column of their own, and from which on."""

    threads: int
    cells: int
    first: int


class _Levels:
    def __init__(self, kernel: Kernel, nest: Statement) -> None:
        self.kernel = kernel
        components, rows, columns = self.thread_loops(nest)
        self.components = self.number(components.end)
        self.component = components.counter
        self.counters = columns.counter, rows.counter
        steps = next((s for s in columns.body if isinstance(s, Loop)), None)
        if steps is None or steps is not columns.body[-1] or steps.begin != integer(0):
            raise self.refused("the loop over steps is not the last statement of a thread")
        self.loop = steps
        self.inner, self.stores, self.shared = self.body_of(steps)
        self.lets = {s.symbol: s for s in (*columns.body, *self.inner) if isinstance(s, Let)}
        self.arrays = {
            s.symbol: s.length for s in columns.body if isinstance(s, Local) and s.space == "shared"
        }
        self.variables = {s.symbol for s in columns.body if isinstance(s, Var)}
        self.assigned = self.assignments()
        self.axes = tuple(self.axis(n, loop) for n, loop in enumerate((columns, rows)))
        self.plane = self.axes[0].threads * self.axes[1].threads
        self.made: list[Statement] = []
        self.named: dict[tuple[Symbol, Where], Symbol] = {}

    def refused(self, why: str) -> KernelError:
        return KernelError(
            self.kernel.name,
            f"the proof does not read these blocks of threads: {why}.",
            "compare the results of both kernels on your own data",
        )

    # The form

    def thread_loops(self, nest: Statement) -> tuple[Loop, Loop, Loop]:
        loops: list[Loop] = []
        while is_over_threads(nest):
            loops.append(nest)
            nest = nest.body[0]
        if len(loops) != 3 or any(len(loop.body) != 1 for loop in loops[:2]):
            raise self.refused("they are no nest of three loops over threads")
        if any(loop.begin != integer(0) or loop.step != integer(1) for loop in loops):
            raise self.refused("threads are not numbered one by one")
        return loops[0], loops[1], loops[2]

    def body_of(self, steps: Loop) -> tuple[list[Statement], list[If], dict[Symbol, Store]]:
        """The statements of a step but for conditions, these, and the one store to each shared array."""
        *body, last = steps.body
        if not is_call(last, "barrier"):
            raise self.refused("a step does not end with a barrier")
        inner: list[Statement] = []
        guarded: list[If] = []
        shared: dict[Symbol, Store] = {}
        for statement in body:
            match statement:
                case Let() | Assign() | Comment():
                    inner.append(statement)
                case Store(Load(array)) if array not in shared:
                    shared[array] = statement
                case If(_, inside) if all(isinstance(s, (Let, Store, Comment)) for s in inside):
                    guarded.append(statement)
                    inner += [s for s in inside if isinstance(s, Let)]
                case _:
                    raise self.refused("a step has other statements, or writes a plane twice")
        return inner, guarded, shared

    def assignments(self) -> dict[Symbol, Expression]:
        """What each variable becomes at the end of a step: none is read there that has changed before, and
        nothing but that follows."""
        found: dict[Symbol, Expression] = {}
        ending = False
        for statement in self.loop.body[:-1]:
            if isinstance(statement, Assign):
                ending = True
                if statement.value in found or statement.symbol in found:
                    raise self.refused(f"'{statement.symbol.name}' changes too early")
                found[statement.symbol] = statement.value
            elif ending and not isinstance(statement, Comment):
                raise self.refused("variables change within a step")
        if set(found) - self.variables or any(not isinstance(value, Symbol) for value in found.values()):
            raise self.refused("a step changes what is no variable of the thread")
        return found

    def axis(self, n: int, loop: Loop) -> _Axis:
        """cell = cells * (thread / threads) + thread % threads - first, for as many blocks as cover all."""
        name, thread = "xy"[n], self.counters[n]
        lane, cell = Symbol(f"lane_{name}", I64), Symbol(f"cell_{name}", I64)
        match self.defined(lane):
            case Op("rem", (counter, Const(int(threads)))) if counter is thread:
                pass
            case _:
                raise self.refused(f"{lane.name} is not the number of a thread in its block")
        place, first = self.apart(self.defined(cell))
        match place:
            case Op("add", (Op("mul", (Const(int(cells)), Op("div", parts))), other)) if (
                parts == (thread, integer(threads)) and other is lane
            ):
                pass
            case _:
                raise self.refused(f"{cell.name} does not follow from the number of the thread")
        whole = Op("div", (add(N[n], integer(cells - 1)), integer(cells)), I64)
        if loop.end != Op("mul", (whole, integer(threads)), I64):
            raise self.refused(f"the blocks along {name} do not cover all cells")
        if not 0 < cells <= threads + first or first > 0:
            raise self.refused(f"blocks along {name} have too few threads")
        return _Axis(threads, cells, -first)

    def defined(self, symbol: Symbol) -> Expression:
        if symbol not in self.lets:
            raise self.refused(f"{symbol.name} is not known")
        return self.lets[symbol].value

    def number(self, value: Expression) -> int:
        if not (isinstance(value, Const) and isinstance(value.value, int)):
            raise self.refused("a number is not known")
        return value.value

    @staticmethod
    def apart(value: Expression) -> tuple[Expression, int]:
        """A value without the constant that is added to it, and this."""
        total = 0
        while isinstance(value, Op) and value.name in ("add", "sub") and isinstance(value.args[1], Const):
            amount = int(value.args[1].value)
            total += amount if value.name == "add" else -amount
            value = value.args[0]
        return value, total

    # Cells

    def nest(self) -> tuple[Statement, ...]:
        body: list[Statement] = []
        for component in range(self.components):
            for guarded in self.stores:
                self.made, self.named, self.number_of = [], {}, component
                self.back = self.level_of(guarded.condition)
                stored = [self.stored(s) for s in guarded.body if isinstance(s, Store)]
                body += [*self.made, *stored]
        nest: tuple[Statement, ...] = tuple(body)
        for counter, extent in zip((X, Y, Z), N, strict=True):
            nest = (Loop("thread", counter, integer(0), extent, integer(1), nest),)
        return nest

    def level_of(self, condition: Expression) -> int:
        """How many steps the first level is behind the first step, from the condition under which a cell is
        stored: the thread has one, and the step one of the levels, all of which are met."""
        wanted = self.conditions(condition)
        for n, axis in enumerate(self.axes):
            lane, cell = Symbol(f"lane_{'xy'[n]}", I64), Symbol(f"cell_{'xy'[n]}", I64)
            for one in (
                ("ge", lane, integer(axis.first)),
                ("lt", lane, integer(axis.first + axis.cells)),
                ("lt", cell, N[n]),
            ):
                if one not in wanted:
                    raise self.refused("the condition of a store is not that the thread has a cell")
                wanted.remove(one)
        levels = [one for one in wanted if self.apart(one[1])[0] is self.loop.counter]
        ends = [self.apart(one[1])[1] for one in levels if one[0] == "ge" and one[2] == integer(0)]
        if len(levels) != len(wanted) or len(ends) != 1 or ends[0] > 0:
            raise self.refused("the condition of a store is not that of a level")
        (end,) = ends
        _, steps = self.apart(self.loop.end)
        above = [one for one in levels if one[0] == "lt"]
        exact = [("lt", add(self.loop.counter, integer(end)), N[2])]
        if (
            above != (exact if steps > -end else [])
            or self.apart(self.loop.end)[0] is not N[2]
            or steps < -end
        ):
            raise self.refused("steps do not meet each level once")
        return -end

    def conditions(self, condition: Expression) -> list[tuple[str, Expression, Expression]]:
        if isinstance(condition, Symbol):
            return self.conditions(self.defined(condition))
        match condition:
            case Op("and", (one, other)):
                return [*self.conditions(one), *self.conditions(other)]
            case Op(("ge" | "lt") as name, (one, other)):
                return [(name, one, other)]
        raise self.refused("the condition of a store has another form")

    def stored(self, store: Store) -> Statement:
        assert isinstance(store.target, Load)
        here = 0, 0, 0
        index = self.value(store.target.index, here)
        return dataclasses.replace(
            store, target=Load(store.target.pointer, index), value=self.value(store.value, here)
        )

    # Values

    def value(self, root: Expression, where: Where) -> Expression:
        memo: dict[Node, Node] = {}

        def inside(node: Node) -> Node:
            if node not in memo:
                memo[node] = self.found(node, where, inside)
            return memo[node]

        return inside(root)  # type: ignore[return-value]

    def found(self, node: Node, where: Where, inside: object) -> Node:
        x, y, back = where
        match node:
            case Symbol("cell_x"):
                return add(X, integer(x))
            case Symbol("cell_y"):
                return add(Y, integer(y))
            case Symbol() if node is self.loop.counter:
                return add(Z, integer(self.back - back))
            case Symbol() if node is self.component:
                return integer(self.number_of)
            case Symbol() if node in self.variables:
                if node not in self.assigned:
                    raise self.refused(f"'{node.name}' has no value")
                return self.value(self.assigned[node], self.earlier(where, 0, 0, 1))
            case Symbol() if node in self.lets:
                return self.name(node, where)
            case Symbol() if node in (*self.counters, Symbol("lane_x", I64), Symbol("lane_y", I64)):
                raise self.refused("a value depends on the number of a thread")
            case Load(array, index) if array in self.arrays:
                return self.of_plane(array, index, where)
            case Call("max", (Call("min", (place, last)), Const(int(low)))) if node.type == I64:
                return self.nearest(place, last, low, where)
        return rebuild(node, inside)  # type: ignore[no-any-return,arg-type]

    def name(self, symbol: Symbol, where: Where) -> Expression:
        """A named value, of another column and step."""
        key = symbol, where
        if key not in self.named:
            value = self.value(self.defined(symbol), where)
            made = Symbol(f"{symbol.name} {self.number_of} {where}", symbol.type)
            self.made.append(Let(made, value))
            self.named[key] = made
        return self.named[key]

    def earlier(self, where: Where, x: int, y: int, steps: int) -> Where:
        """Another thread of the block, and an earlier step: there are such."""
        there = where[0] + x, where[1] + y, where[2] + steps
        for d, axis in zip(there, self.axes, strict=False):
            if not -axis.first <= d <= axis.threads - axis.first - axis.cells:
                raise self.refused("a column is needed that no thread of the block has")
        if there[2] > self.back:
            raise self.refused("a step is needed before the first")
        return there

    def nearest(self, place: Expression, last: Expression, low: int, where: Where) -> Expression:
        """A place that is at least `low` and at most `last` is the nearest one itself."""
        found = self.value(place, where)
        base, d = self.apart(found)
        end, high = self.apart(last)
        for own, extent in zip((X, Y, Z), N, strict=True):
            if base is own and end is extent and low <= d <= high + 1:
                return found
        raise self.refused("a value is computed for another cell")

    def of_plane(self, array: Symbol, index: Expression, where: Where) -> Expression:
        """What another thread wrote to a plane in an earlier step."""
        store = self.shared.get(array)
        if store is None:
            raise self.refused(f"'{array.name}' is never written")
        assert isinstance(store.target, Load)
        slots, now, at, begin = self.place(store.target.index)
        others, then, far, end = self.place(index)
        if (slots, at, now) != (others, far, 0) or self.arrays[array] < slots * self.plane + begin:
            raise self.refused(f"'{array.name}' is read otherwise than written")
        age = (slots - then) % slots
        if not 0 < age < slots:
            raise self.refused(f"'{array.name}' is read in the step in which it is written")
        threads = self.axes[0].threads
        y = round((end - begin) / threads)
        x = end - begin - y * threads
        return self.value(store.value, self.earlier(where, x, y, age))

    def place(self, index: Expression) -> tuple[int, int, Expression, int]:
        """An index `slot + place + d`: how many slots there are, how far this one is from that of the step,
        the place without a constant, and the constant."""
        base, d = self.apart(index)
        match base:
            case Op("add", (Symbol() as slot, Symbol() as place)):
                at, begin = self.apart(self.defined(place))
                row = Op("mul", (Symbol("lane_y", I64), integer(self.axes[0].threads)), I64)
                if at != Op("add", (row, Symbol("lane_x", I64)), I64):
                    raise self.refused("threads write to the same place")
                slots, ahead = self.slot(self.defined(slot))
                return slots, ahead, at, begin + d
        raise self.refused("the place of an element in a plane is not known")

    def slot(self, value: Expression) -> tuple[int, int]:
        match value:
            case Op("mul", (Op("bitand", (step, Const(int(most)))), Const(int(plane)))) if (
                most & (most + 1) == 0
            ):
                slots = most + 1
            case Op("mul", (Op("rem", (step, Const(int(slots)))), Const(int(plane)))):
                pass
            case _:
                raise self.refused("the slot of a plane is not known")
        counter, ahead = self.apart(step)
        if counter is not self.loop.counter or plane != self.plane or ahead < 0:
            raise self.refused("slots of a plane overlap")
        return slots, ahead
