# SPDX-License-Identifier: Apache-2.0
"""update_row_cells: a GPU thread updates several cells of a row, which it loads and stores as vectors.

before   thread x { let cell = ...; let a = sub(u[cell + 1], u[cell]); let b = sub(u[cell], u[cell - 1]);
                    store v[cell] = sub(a, b) }
after    thread x by 2 { let cell = ...; local u_cells[2], v_cells[2]; load_vector[2](u_cells, &u[cell]);
                         let a = sub(u_cells[1], u_cells[0]); let a_1 = sub(u[cell + 2], u_cells[1]);
                         let b = sub(u_cells[0], u[cell - 1]);
                         store v_cells[0] = sub(a, b); store v_cells[1] = sub(a_1, a);
                         store_vector[2](&v[cell], v_cells) }

A value that an earlier statement has computed for another cell is not computed again: b of the second cell is
a of the first. Loops come one after the other, each with variables of its own. All loads come before the
stores, which heddle.ir.legality allows. A vector begins at a multiple of its length from the cell on, and
every element of it lies between two that the cells read: so a thread reads no element that cells one by one
would not read. Others are loaded alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from heddle.ir.build import add, integer, operate
from heddle.ir.device_calls import device_call
from heddle.ir.hash_consing import Node
from heddle.ir.nodes import (
    Assign,
    Comment,
    Const,
    Expression,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Op,
    Pointer,
    Statement,
    Store,
    Symbol,
    Var,
    While,
)
from heddle.ir.space import Dense
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import distinct, rebuild
from heddle.passes.lower_accesses import NUMBER
from heddle.passes.lowering_context import compass

Across = tuple[tuple[str, Expression], ...]
"""What is added to the number of the cell, or taken from it, beside cells along x: "add" or "sub" of each."""


def update_row_cells(kernel: Kernel, request: Request) -> Kernel:
    """Where the schedule asks for it, give each thread several cells of a row."""
    cells = request.schedule.gpu.row_cells
    if cells == 1 or not request.target.threads:
        return kernel
    body = _threads(kernel, kernel.body, cells)
    assert isinstance(kernel.space, Dense)
    space = dataclasses.replace(kernel.space, row_cells=cells)
    return dataclasses.replace(kernel, space=space, body=body)


def _threads(kernel: Kernel, body: Sequence[Statement], cells: int) -> tuple[Statement, ...]:
    """Down to the innermost loop over threads."""
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, Loop) and any(isinstance(inside, Loop) for inside in statement.body):
            statement = dataclasses.replace(statement, body=_threads(kernel, statement.body, cells))
        elif isinstance(statement, Loop):
            inside = _RowCells(kernel, statement, cells).body()
            statement = dataclasses.replace(statement, step=integer(cells), body=inside)
        result.append(statement)
    return tuple(result)


class _RowCells:
    def __init__(self, kernel: Kernel, loop: Loop, cells: int) -> None:
        self.loop, self.cells = loop, cells
        self.taken = set(names_in(kernel))
        self.own: list[dict[Expression, Expression]] = [
            {loop.counter: add(loop.counter, integer(n))} for n in range(cells)
        ]
        self.known: dict[Expression, Symbol] = {}
        self.variables: set[Symbol] = set()
        self.rows = self.loaded_rows()
        self.vectors: dict[tuple[Symbol, Across, int], Symbol] = {}
        self.results: dict[Load, Symbol] = {}

    def body(self) -> tuple[Statement, ...]:
        head = [s for s in self.loop.body if isinstance(s, Let) and s.symbol == NUMBER]
        inside = [made for s in self.loop.body if s not in head for made in self.spread(s)]
        locals_ = [
            Local(symbol, self.cells, "register")
            for symbol in (*self.vectors.values(), *self.results.values())
        ]
        loads = [
            device_call("load_vector", local=symbol, first=self.element(*where), length=self.cells)
            for where, symbol in self.vectors.items()
        ]
        stores = [
            device_call("store_vector", first=target, local=symbol, length=self.cells)
            for target, symbol in self.results.items()
        ]
        about = Comment(f"{self.cells} cells of a row, and what they read together")
        return (*head, about, *locals_, *loads, *inside, *stores)

    def loaded_rows(self) -> dict[tuple[Symbol, Across], tuple[int, int]]:
        """Of each row that the cells read, the first and the last element, counted from the cell."""
        found: dict[tuple[Symbol, Across], tuple[int, int]] = {}
        for node in distinct([s for s in self.loop.body if isinstance(s, (Let, Store, Var, While))]):
            if isinstance(node, Load) and (place := _place(node.index)) is not None:
                along, across = place
                low, high = found.get((node.pointer, across), (along, along))
                found[node.pointer, across] = min(low, along), max(high, along)
        return {row: (low, high + self.cells - 1) for row, (low, high) in found.items()}

    def spread(self, statement: Statement) -> Iterator[Statement]:
        """A statement for each cell; none where the value is known."""
        match statement:
            case Let():
                for n in range(self.cells):
                    yield from self.named(statement, n)
            case Var(symbol, value) if value is not None:
                for n in range(self.cells):
                    own = self.of(value, n)  # before the symbol means the variable of this cell
                    variable = self.renamed(symbol, n)
                    self.variables.add(variable)
                    yield dataclasses.replace(statement, symbol=variable, value=own)
            case While():
                for n in range(self.cells):
                    yield self.repeated(statement, n)
            case Store(Load() as target, value):
                for n in range(self.cells):
                    element = Load(self.result(target), integer(n))
                    yield dataclasses.replace(statement, target=element, value=self.of(value, n))
            case _:
                yield statement

    def named(self, statement: Let, n: int) -> Iterator[Statement]:
        """The value of one cell, under a name, or none where an earlier name has it. What depends on a
        variable has other values later."""
        own = self.of(statement.value, n)
        changes = any(symbol in self.variables for symbol in distinct([own]) if isinstance(symbol, Symbol))
        if not isinstance(own, Const) and own in self.known:
            self.own[n][statement.symbol] = self.known[own]
            return
        named = self.renamed(statement.symbol, n)
        if not changes:
            self.known[own] = named
        yield dataclasses.replace(statement, symbol=named, value=own)

    def repeated(self, loop: While, n: int) -> While:
        """The rounds of one cell. Names of the body end with it."""
        outside = dict(self.known)
        body: list[Statement] = []
        for statement in loop.body:
            match statement:
                case Let():
                    body.extend(self.named(statement, n))
                case Assign(symbol, value):
                    variable = self.own[n][symbol]
                    assert isinstance(variable, Symbol)
                    body.append(dataclasses.replace(statement, symbol=variable, value=self.of(value, n)))
                case _:
                    body.append(statement)
        self.known = outside
        counter = self.renamed(loop.counter, n)
        return dataclasses.replace(
            loop, counter=counter, condition=self.of(loop.condition, n), body=tuple(body)
        )

    def renamed(self, symbol: Symbol, n: int) -> Symbol:
        """The symbol of one cell; the first one keeps the name."""
        name = fresh(f"{symbol.name}_{n}", self.taken) if n else symbol.name
        self.taken.add(name)
        self.own[n][symbol] = Symbol(name, symbol.type)
        return self.own[n][symbol]  # type: ignore[return-value]

    def of(self, value: Expression, n: int) -> Expression:
        """A value as one cell has it."""

        def own(node: Node) -> Node:
            if isinstance(node, Symbol):
                return self.own[n].get(node, node)
            if isinstance(node, Load) and (place := _place(node.index)) is not None:
                return self.loaded(node.pointer, place[1], place[0] + n)
            return rebuild(node, own)  # type: ignore[no-any-return]

        return own(value)  # type: ignore[return-value]

    def loaded(self, pointer: Symbol, across: Across, along: int) -> Load:
        """An element of a vector; or by itself, where the vector would leave what the cells read."""
        begin = along // self.cells * self.cells
        low, high = self.rows[pointer, across]
        if begin < low or begin + self.cells - 1 > high:
            return self.element(pointer, across, along)
        where = pointer, across, begin
        if where not in self.vectors:
            self.vectors[where] = self.array(pointer, compass(_offsets(across, begin)))
        return Load(self.vectors[where], integer(along - begin))

    def element(self, pointer: Symbol, across: Across, along: int) -> Load:
        """So many cells along x from the cell on, in the row that lies so far across."""
        index = add(NUMBER, integer(along))
        for name, term in across:
            index = operate(name, index, term)
        return Load(pointer, index)

    def result(self, target: Load) -> Symbol:
        """The array from which a vector is stored."""
        if target not in self.results:
            self.results[target] = self.array(target.pointer, "")
        return self.results[target]

    def array(self, pointer: Symbol, where: str) -> Symbol:
        assert isinstance(pointer.type, Pointer)
        name = fresh(f"{pointer.name}{where}_cells", self.taken)
        self.taken.add(name)
        return Symbol(name, Pointer(pointer.type.element))


def _place(index: Expression) -> tuple[int, Across] | None:
    """How far an element lies from the cell, along x and across; None where it does not follow the cell."""
    across: list[tuple[str, Expression]] = []
    along = 0
    while isinstance(index, Op) and index.name in ("add", "sub"):
        name, (index, term) = index.name, index.args
        if isinstance(term, Const):
            along += int(term.value) if name == "add" else -int(term.value)
        else:
            across.insert(0, (name, term))
    return (along, tuple(across)) if index == NUMBER else None


def _offsets(across: Across, along: int) -> tuple[int, int, int]:
    """Cells along x, y and z, for a name."""
    cells = {"stride_x": along, "stride_y": 0, "stride_z": 0}
    for name, term in across:
        match term:
            case Op("mul", (Const(number), Symbol(stride))) if stride in cells:
                cells[stride] += int(number) if name == "add" else -int(number)
            case Symbol(stride) if stride in cells:
                cells[stride] += 1 if name == "add" else -1
    return cells["stride_x"], cells["stride_y"], cells["stride_z"]
