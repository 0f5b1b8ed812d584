# SPDX-License-Identifier: Apache-2.0
"""lower_reductions: what is carried from cell to cell becomes variables and ordinary loops.

before   scan z carry c = 0 { store c_prime[0,0,0] = ... } update c = ...
after    var c = 0; loop serial z { store c_prime[0,0,0] = ...; assign c = ... }

before   while gt(s, 0) at most 9 carry s = 5 { ... } update s = ...
after    var s = 5; while gt(s, 0) at most 9 { ...; assign s = ... }

before   loop omp y { loop serial x_begin by 32 { loop simd x { reduce sum e with r } } }
after    let x_tiles = div(add(n_x, 31), 32)
         loop omp y { loop serial x_begin by 32 {
           local e_run[32]; loop simd x { store e_run[x - x_begin] = r }
           store e_work[y*x_tiles + x_begin/32] = combine_sum(e_run, ...) } }
         store e[0] = combine_sum(e_work, n_y*x_tiles)

With a thread for each cell:
after    loop thread y { loop thread x {
           var e_cell; assign e_cell = add(e_cell, r);
           combine_warp_sum(e_work, y*x_tiles + x/32, x%32, e_cell, ...) } }
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.build import add, integer, multiply, operate
from heddle.ir.colouring import COLOUR, bits
from heddle.ir.device_calls import device_call
from heddle.ir.nodes import (
    I64,
    Assign,
    Call,
    Const,
    Expression,
    If,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Reduce,
    Scalar,
    Scan,
    Statement,
    Store,
    Symbol,
    Var,
    While,
)
from heddle.ir.reduction import NEUTRAL, TILE, work_of
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import statements, walk
from heddle.passes.apply_schedule import AXES, is_split, is_strip


def lower_reductions(kernel: Kernel, request: Request) -> Kernel:
    """Replace Scan, Reduce and what a While carries by Var, Assign, Loop and the functions combine_* and
    combine_warp_*."""
    found = dict.fromkeys((s.operation, s.output) for s in statements(kernel.body) if isinstance(s, Reduce))
    if not found:
        return dataclasses.replace(kernel, body=_block(kernel.body, names_in(kernel)))
    tiles = _Tiles(kernel, tuple(found))
    body = _block(tiles.block(kernel.body), tiles.taken)
    return dataclasses.replace(kernel, body=(*tiles.head(), *body, *tiles.tail()))


class _Tiles:
    """Where the cells' numbers go: tile by tile, in the order that ir.reduction says."""

    def __init__(self, kernel: Kernel, outputs: tuple[tuple[str, Symbol], ...]) -> None:
        self.kernel, self.outputs, self.space = kernel, outputs, kernel.space
        self.taken = names_in(kernel)
        scanned = {s.axis for s in statements(kernel.body) if isinstance(s, Scan)}
        rank = self.space.dimensions if self.space.is_box else 0
        self.axes = [axis for axis in range(rank) if axis not in scanned]
        self.halved = 0  # axes along which only every second cell is counted
        self.split = is_split(kernel)
        if self.space.is_box and not self.split:
            self.halved = len(bits(self.space.dimensions, self.space.colours))

    # How many tiles there are, and which one a cell belongs to

    def half(self, axis: int, value: Expression) -> Expression:
        return operate("div", value, integer(2)) if axis < self.halved else value

    def row(self) -> tuple[Symbol, Expression, Expression]:
        """The counter along which tiles lie, where it begins, how far it goes."""
        if self.space.is_list:
            if self.space.listed:
                return Symbol(self.space.counter, I64), integer(0), Symbol("cell_count", I64)
            first, last = Symbol("first", I64), Symbol("last", I64)
            return Symbol(self.space.counter, I64), first, operate("sub", last, first)
        name = "i" if self.split else AXES[self.axes[0]]
        extent = Symbol(f"n_{name}", I64)
        return Symbol(name, I64), integer(0), extent

    @property
    def of_row(self) -> Symbol:
        return Symbol(fresh(f"{self.row()[0].name}_tiles", self.taken), I64)

    def cell(self, output: Symbol) -> Symbol:
        """What the current cell gives."""
        return Symbol(fresh(f"{output.name}_cell", self.taken), output.type)

    def head(self) -> list[Statement]:
        if not self.axes and self.space.is_box:
            return []
        size = TILE * (2 if self.halved else 1)  # every second cell: one tile in twice the length
        cells = add(self.row()[2], integer(size - 1))
        return [Let(self.of_row, operate("div", cells, integer(size)))]

    def count(self) -> Expression:
        """Of all tiles."""
        if not self.axes and self.space.is_box:
            return integer(1)
        total: Expression = self.of_row
        for axis in self.axes[1:]:
            total = multiply(total, self.rows(axis))
        if self.space.colours > 1:
            colours = operate("sub", Symbol("last_colour", I64), Symbol("first_colour", I64))
            total = multiply(colours, total)
        return total

    def rows(self, axis: int) -> Expression:
        extent = Symbol(f"n_{AXES[axis]}", I64)
        return self.half(axis, add(extent, integer(1))) if axis < self.halved else extent

    def tile(self, place: Expression) -> Expression:
        """The number of the own tile; `place`: of the cell or its tile's first one, along the row."""
        number: Expression | None = None
        if self.space.colours > 1:
            number = operate("sub", COLOUR, Symbol("first_colour", I64))
        for axis in self.axes[:0:-1]:
            where = self.half(axis, Symbol(AXES[axis], I64))
            number = where if number is None else add(multiply(number, self.rows(axis)), where)
        of_tile = operate("div", place, integer(TILE * (2 if self.halved else 1)))
        return of_tile if number is None else add(multiply(number, self.of_row), of_tile)

    # Loops

    def block(self, body: Sequence[Statement]) -> tuple[Statement, ...]:
        if not self.axes and self.space.is_box:  # one single scan
            stores = [
                Store(Load(work_of(output), integer(0)), self.cell(output)) for _, output in self.outputs
            ]
            return (*self.variables(), *self.assigned(body), *stores)
        result: list[Statement] = []
        for statement in body:
            if isinstance(statement, Loop) and is_strip(statement):
                statement = self.tile_loop(statement)
            elif isinstance(statement, Loop) and statement.counter == self.row()[0]:
                statement = self.thread(statement)
            elif isinstance(statement, Loop):
                statement = dataclasses.replace(statement, body=self.block(statement.body))
            result.append(statement)
        return tuple(result)

    def variables(self) -> list[Statement]:
        return [Var(self.cell(output), _neutral(operation, output)) for operation, output in self.outputs]

    def assigned(self, body: Sequence[Statement]) -> list[Statement]:
        """Reduce as an assignment to the current cell's variable."""
        result: list[Statement] = []
        for statement in body:
            match statement:
                case Reduce(_, output):
                    statement = Assign(self.cell(output), _combined(statement, self.cell(output)))
                case Loop() | If() | Scan():
                    statement = dataclasses.replace(statement, body=tuple(self.assigned(statement.body)))
            result.append(statement)
        return result

    def thread(self, loop: Loop) -> Loop:
        """The body of one thread."""
        counter, first, _ = self.row()
        place = counter if first == integer(0) else operate("sub", counter, first)
        lane = operate("rem", self.half(0, place), integer(TILE))
        size = integer(TILE * (2 if self.halved else 1))
        known = operate("lt", operate("div", place, size), self.of_row)
        given = [
            device_call(
                f"combine_warp_{operation}",
                results=work_of(output),
                index=self.tile(place),
                lane=lane,
                value=self.cell(output),
                known=known,
            )
            for operation, output in self.outputs
        ]
        return dataclasses.replace(loop, body=(*self.variables(), *self.assigned(loop.body), *given))

    def tile_loop(self, strip: Loop) -> Loop:
        """One piece of a row: its cells fill a small array, which becomes one number."""
        *before, loop = strip.body
        assert isinstance(loop, Loop)
        begin = strip.counter
        step = int(loop.step.value) if isinstance(loop.step, Const) else 1
        lane: Expression = operate("sub", loop.counter, begin)
        cells: Expression = operate("sub", loop.end, loop.begin)
        if step > 1:
            lane = operate("div", lane, integer(step))
            cells = operate("div", add(cells, integer(step - 1)), integer(step))
        locals_: list[Statement] = []
        after: list[Statement] = []
        inside: list[Statement] = list(loop.body)
        head: list[Statement] = []
        for operation, output in self.outputs:
            assert isinstance(output.type, Scalar)
            run = Symbol(fresh(f"{output.name}_run", self.taken), Pointer(output.type))
            locals_.append(Local(run, TILE, "scratch"))
            place = begin if self.row()[1] == integer(0) else operate("sub", begin, self.row()[1])
            combined = Call(f"combine_{operation}", (run, cells), output.type)
            after.append(Store(Load(work_of(output), self.tile(place)), combined))
            alone = [s for s in statements(loop.body) if isinstance(s, Reduce) and s.output == output]
            if len(alone) == 1 and alone[0] in inside:
                at = inside.index(alone[0])
                inside[at] = Store(Load(run, lane), alone[0].value)
            else:
                head.append(Var(self.cell(output), _neutral(operation, output)))
                inside.append(Store(Load(run, lane), self.cell(output)))
        inner = dataclasses.replace(loop, body=(*head, *self.assigned(inside)))
        return dataclasses.replace(strip, body=(*before, *locals_, inner, *after))

    def tail(self) -> list[Statement]:
        stores: list[Statement] = []
        for operation, output in self.outputs:
            assert isinstance(output.type, Scalar)
            whole = Call(f"combine_{operation}", (work_of(output), self.count()), output.type)
            stores.append(Store(Load(Symbol(output.name, Pointer(output.type)), integer(0)), whole))
        return stores


def _neutral(operation: str, output: Symbol) -> Const:
    assert isinstance(output.type, Scalar)
    return Const(NEUTRAL[operation], output.type)


def _combined(reduce: Reduce, before: Expression) -> Expression:
    if reduce.operation == "sum":
        return operate("add", before, reduce.value)
    assert isinstance(reduce.output.type, Scalar)
    return Call(reduce.operation, (before, reduce.value), reduce.output.type)


def _block(body: Sequence[Statement], taken: frozenset[str]) -> tuple[Statement, ...]:
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, Scan):
            result += _scan(statement, taken)
        elif isinstance(statement, While):
            result += _while(statement, taken)
        elif isinstance(statement, (Loop, If)):
            result.append(dataclasses.replace(statement, body=_block(statement.body, taken)))
        else:
            result.append(statement)
    return tuple(result)


def _scan(scan: Scan, taken: frozenset[str]) -> list[Statement]:
    counter = Symbol(AXES[scan.axis], I64)
    extent = Symbol(f"n_{AXES[scan.axis]}", I64)
    start: list[Statement] = [
        Var(symbol, value) for symbol, value in zip(scan.carried, scan.initial, strict=True)
    ]
    body = [*_block(scan.body, taken), *_updates(scan, taken)]
    begin: Expression
    end: Expression
    if scan.reverse:
        begin, end, step = add(extent, integer(-1)), integer(-1), integer(-1)
    else:
        begin, end, step = integer(0), extent, integer(1)
    return [*start, Loop("serial", counter, begin, end, step, tuple(body))]


def _while(loop: While, taken: frozenset[str]) -> list[Statement]:
    start = [Var(symbol, value) for symbol, value in zip(loop.carried, loop.initial, strict=True)]
    body = (*_block(loop.body, taken), *_updates(loop, taken))
    return [*start, dataclasses.replace(loop, carried=(), initial=(), body=body, update=())]


def _updates(scan: Scan | While, taken: frozenset[str]) -> list[Statement]:
    """All updates see the old values: one that reads a symbol updated before it is named first."""
    named: list[Statement] = []
    assigned: list[Statement] = []
    done: set[Symbol] = set()
    for symbol, value in zip(scan.carried, scan.update, strict=True):
        if any(node in done for node in walk(value)):
            following = Symbol(fresh(f"{symbol.name}_next", taken), symbol.type)
            named.append(Let(following, value))
            value = following
        assigned.append(Assign(symbol, value))
        done.add(symbol)
    return [*named, *assigned]
