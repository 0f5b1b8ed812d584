# SPDX-License-Identifier: Apache-2.0
"""coarsen_threads: each CUDA thread updates several cells that follow each other along the outermost axis.

before   loop thread z { loop thread x { let a = u_cell[0]; store u_cell[0] = f(a) } }
after    loop thread z by 2 { loop thread x {
           let u_step_1 = select(z + 1 < n_z, sz, 0); let u_cell_1 = view u_cell + u_step_1;
           let a = u_cell[0]; let a_1 = u_cell_1[0];
           let u_new = f(a); let u_new_1 = f(a_1); store u_cell[0] = u_new; store u_cell_1[0] = u_new_1 } }

The statements of the cells alternate, and all values come before the first store: so the loads of all cells
are under way at once, and what the cells have in common is computed once. A thread at the end of the axis,
which has fewer cells, does its last one several times, with the same result. From one cell to the next a
pointer takes one step, which is cheaper than to compute it anew.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TypeVar

from heddle.ir.build import add, integer, operate
from heddle.ir.device_calls import is_warp_reduction, parts_of, with_parts
from heddle.ir.hash_consing import Node
from heddle.ir.loops import is_over_threads
from heddle.ir.nodes import (
    I64,
    Assign,
    Call,
    DeviceCall,
    Expression,
    If,
    Kernel,
    Let,
    Load,
    Loop,
    Op,
    Select,
    Statement,
    Store,
    Symbol,
    Var,
    View,
)
from heddle.ir.stages import Request
from heddle.ir.visit import expressions, rebuild, statements, transform, walk


def coarsen_threads(kernel: Kernel, request: Request) -> Kernel:
    """Where the schedule asks for it, give each thread several cells."""
    schedule, target = request.schedule.gpu, request.target
    if schedule.coarsening == 1 or not target.threads:
        return kernel
    return dataclasses.replace(kernel, body=_outside(kernel, kernel.body, schedule.coarsening))


def _outside(kernel: Kernel, body: Sequence[Statement], cells: int) -> tuple[Statement, ...]:
    """Down to the outermost loop over threads."""
    result: list[Statement] = []
    for statement in body:
        if is_over_threads(statement):
            statement = _Shared(kernel, statement, cells).loop()
        elif isinstance(statement, Loop):
            statement = dataclasses.replace(statement, body=_outside(kernel, statement.body, cells))
        result.append(statement)
    return tuple(result)


N = TypeVar("N", bound=Node)


class _Shared:
    def __init__(self, kernel: Kernel, loop: Loop, cells: int) -> None:
        self.outer, self.cells = loop, cells
        self.named = False
        self.steps: set[Symbol] = set()
        self.own: list[dict[Expression, Expression]] = [
            {loop.counter: self.place(n)} if n else {} for n in range(cells)
        ]
        deeper = [node for node in walk(loop.body) if isinstance(node, Loop)]
        assert deeper
        assert all(node.kind == "thread" and node.step == integer(1) for node in (loop, *deeper))

    def place(self, n: int) -> Symbol:
        return Symbol(f"{self.outer.counter.name}_{n}", I64)

    def there(self, n: int) -> Expression:
        """Whether there is such a cell."""
        return operate("lt", add(self.outer.counter, integer(n)), self.outer.end)

    def loop(self) -> Loop:
        body = self.block(self.outer.body)
        further = {symbol for own in self.own for symbol in own.values()}
        while unused := further & _named(body) - _used(body):
            body = _without(body, unused)
        return dataclasses.replace(self.outer, step=integer(self.cells), body=body)

    def places(self) -> list[Statement]:
        """Where the further cells lie: never beyond the last one."""
        if self.named:
            return []
        self.named = True
        last = add(self.outer.end, integer(-1))
        return [
            Let(self.place(n), Call("min", (add(self.outer.counter, integer(n)), last), I64))
            for n in range(1, self.cells)
        ]

    def block(self, body: Sequence[Statement]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for statement in body:
            if isinstance(statement, Loop):
                if any(is_warp_reduction(inside) for inside in statement.body):
                    result += self.places()  # what threads contribute that have no cell needs them, too
                result.append(dataclasses.replace(statement, body=self.block(statement.body)))
                continue
            result += self.places()
            result += self.spread(statement)
        return tuple(result)

    def spread(self, statement: Statement) -> list[Statement]:
        """A statement for each cell; one for all if it does not depend on the cell."""
        match statement:
            case Let(symbol, value) if not self.differs(value):
                return [statement]
            case Let(symbol, View() as view) if not self.differs(self.without_axis(view.offset)):
                return self.pointers(symbol, view)
            case Let(symbol, value):
                return [
                    dataclasses.replace(statement, symbol=self.renamed(symbol, n), value=self.of(value, n))
                    for n in range(self.cells)
                ]
            case Var(symbol, value):
                return [Var(self.renamed(symbol, n), value) for n in range(self.cells)]
            case Assign(symbol, value):
                named = [self.own[n].get(symbol, symbol) for n in range(self.cells)]
                return [Assign(s, self.of(value, n)) for n, s in enumerate(named)]  # type: ignore[arg-type]
            case Store(Load() as target, value):
                return self.stores(statement, target, value)
            case DeviceCall() if is_warp_reduction(statement):
                return [self.contribution(statement, n) for n in range(self.cells)]
            case If():
                return [self.inside(statement, n) for n in range(self.cells)]
        return [statement]

    def without_axis(self, offset: Expression) -> Expression:
        """An offset at the beginning of the outermost axis."""
        return transform(offset, lambda node: integer(0) if node is self.outer.counter else node)  # type: ignore[no-any-return]

    def pointers(self, symbol: Symbol, view: View) -> list[Statement]:
        """A pointer to each cell, a step beyond the one before where there is a cell."""
        result: list[Statement] = [Let(symbol, view)]
        step = next(
            other
            for node in walk(view.offset)
            if isinstance(node, Op) and node.name == "mul" and self.outer.counter in node.args
            for other in node.args
            if other is not self.outer.counter
        )
        assert isinstance(step, Symbol)
        before = symbol
        for n in range(1, self.cells):
            taken = Symbol(f"{step.name.rsplit('_', 1)[0]}_step_{n}", I64)
            if taken not in self.steps:
                self.steps.add(taken)
                result.append(Let(taken, Select(self.there(n), step, integer(0))))
            named = self.renamed(symbol, n)
            result.append(Let(named, View(before, taken, integer(1))))
            before = named
        return result

    def stores(self, store: Store, target: Load, value: Expression) -> list[Statement]:
        new = Symbol(target.pointer.name.removesuffix("_cell") + "_new", target.type)
        values: list[Statement] = []
        stored: list[Statement] = []
        for n in range(self.cells):
            symbol = self.renamed(new, n)
            values.append(Let(symbol, self.of(value, n)))
            stored.append(dataclasses.replace(store, target=self.of(target, n), value=symbol))
        return [*values, *stored]

    def contribution(self, given: DeviceCall, n: int) -> Statement:
        """What is repeated at the end of the axis goes to the same place."""
        parts = parts_of(given)
        return with_parts(given, index=self.of(parts["index"], n), value=self.of(parts["value"], n))

    def inside(self, condition: If, n: int) -> Statement:
        """The statements of one cell under its condition; not twice, since they read what they store."""
        own: If = rebuild(condition, lambda node: self.of(node, n))
        return dataclasses.replace(own, condition=operate("and", self.there(n), own.condition)) if n else own

    def differs(self, value: Node) -> bool:
        """Whether a value depends on which of a thread's cells it belongs to."""
        return any(node in self.own[-1] for node in walk(value))

    def renamed(self, symbol: Symbol, n: int) -> Symbol:
        """The symbol of one cell; the first one keeps the name."""
        if n:
            self.own[n][symbol] = Symbol(f"{symbol.name}_{n}", symbol.type)
            return self.own[n][symbol]  # type: ignore[return-value]
        return symbol

    def of(self, node: N, n: int) -> N:
        """An expression as one cell has it."""
        if not n:
            return node

        def own(inner: Node) -> Node:
            if isinstance(inner, Symbol):
                return self.own[n].get(inner, inner)
            return rebuild(inner, own)  # type: ignore[no-any-return]

        return own(node)  # type: ignore[return-value]


def _named(body: Sequence[Statement]) -> set[Expression]:
    """What the statements define."""
    return {statement.symbol for statement in statements(body) if isinstance(statement, Let)}


def _used(body: Sequence[Statement]) -> set[Expression]:
    """What the values of the statements mention."""
    found: set[Expression] = set()
    for statement in statements(body):
        if isinstance(statement, Loop):
            found |= set(expressions((statement.begin, statement.end)))
        elif isinstance(statement, Let):
            found |= set(expressions(statement.value))
            if isinstance(statement.value, View):
                found.add(statement.value.pointer)
        else:
            found |= set(expressions(statement))
    return found


def _without(body: Sequence[Statement], unused: set[Expression]) -> tuple[Statement, ...]:
    """The statements but those that name what nothing uses."""
    return tuple(
        dataclasses.replace(s, body=_without(s.body, unused)) if isinstance(s, Loop) else s
        for s in body
        if not (isinstance(s, Let) and s.symbol in unused)
    )
