# SPDX-License-Identifier: Apache-2.0
"""vectorise_gathers: within a strip, move elements through small arrays, so that memory is touched in whole
runs.

before   loop simd n { let i = neighbour_e[n]; let f_w = f[i]; ... store f[i] = post }
after    local f_e_lanes[16]; f_e_run = load_run[16](f_e_lanes, f, neighbour_e + n_begin, ...);
         loop simd n { let f_w = f_e_run[n - n_begin]; ... store f_e_run[n - n_begin] = post }
         store_run[16](f, f_e_run, neighbour_e + n_begin, ...)

Neighbours of consecutive cells mostly follow each other: the loop then works on the field itself, and only
the rest goes through small arrays. With a prefetch, a strip first asks for the neighbours of a later one.

after    n_ahead = min(n_strip + 2, strips - 1); prefetch_runs[16, 18](f, neighbour_run + 18 * n_ahead)

Nontemporal stores go through arrays, too: whole cache lines leave them,
best of one or two vectors: a long strip would first wait for all that it reads, then for all that it writes.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from heddle.ir.build import add, integer, multiply, operate
from heddle.ir.device_calls import device_call
from heddle.ir.nodes import (
    I64,
    U32,
    Call,
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
    View,
)
from heddle.ir.schedule import Strips
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import evaluated, statements, transform_expressions
from heddle.passes.apply_schedule import in_strips, is_strip


def vectorise_gathers(kernel: Kernel, request: Request) -> Kernel:
    """Stage links and nontemporal stores of strip-mined loops; other kernels stay as they are."""
    strips = request.strips
    if strips is None:
        return kernel
    body = in_strips(
        kernel.body,
        lambda strip: _strip(kernel, strip, strips),
        which=lambda loop: is_strip(loop) and not _goes_across(loop),
    )
    return dataclasses.replace(kernel, body=body)


def _goes_across(strip: Loop) -> bool:
    """Whether the strip's columns are swept along another axis: its lanes then lie in a loop of their own."""
    return any(isinstance(s, Loop) and s.kind == "serial" for s in strip.body)


def _strip(kernel: Kernel, strip: Loop, strips: Strips) -> tuple[Statement, ...]:
    at = next(i for i, statement in enumerate(strip.body) if isinstance(statement, Loop))
    before, loop, after = strip.body[:at], strip.body[at], strip.body[at + 1 :]
    assert isinstance(loop, Loop)
    staged = _Staging(kernel, strip, loop, strips.size)
    inner = dataclasses.replace(loop, body=staged.body())
    ahead = staged.ahead(strips.prefetch // strips.size) if strips.prefetch else ()
    return (*before, *ahead, *staged.locals, *staged.loads, inner, *staged.stores, *after)


class _Staging:
    def __init__(self, kernel: Kernel, strip: Loop, loop: Loop, length: int) -> None:
        assert isinstance(loop.begin, Symbol)
        self.kernel, self.strip, self.loop, self.begin, self.length = kernel, strip, loop, loop.begin, length
        self.lane = operate("sub", loop.counter, loop.begin)
        self.count = operate("sub", loop.end, loop.begin)
        self.locals: list[Statement] = []
        self.loads: list[Statement] = []
        self.stores: list[Statement] = []
        self.links = {s.symbol: s.value for s in loop.body if isinstance(s, Let) and _is_link(s)}
        self.read = {e.index for e in evaluated(loop.body) if isinstance(e, Load)} & self.links.keys()
        self.runs: dict[tuple[Symbol, Symbol], Symbol] = {}

    def body(self) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for statement in self.loop.body:
            if isinstance(statement, Let) and statement.symbol in self.links:
                continue
            if isinstance(statement, Store) and statement.nontemporal:
                result.append(self.streamed(statement))
                continue
            for store in statements([statement]):
                if isinstance(store, Store):
                    self.note_store(store)
            result.append(transform_expressions(statement, self.staged))
        numbers = (
            set(evaluated(result)) & self.links.keys()
        )  # of cells, or whether there is one: see IsWallLink
        named = [s for s in self.loop.body if isinstance(s, Let) and s.symbol in numbers]
        return (*named, *result)

    def note_store(self, statement: Store) -> None:
        target = statement.target
        if isinstance(target, Load) and isinstance(target.index, Symbol) and target.index in self.links:
            link = self.links[target.index]
            assert isinstance(link, Load)
            run = self.run(target.index, target.pointer)
            store = device_call("store_run", field=target.pointer, line=run, **self.where(link))
            if store not in self.stores:
                self.stores.append(store)

    def staged(self, expression: Expression) -> Expression:
        if (
            isinstance(expression, Load)
            and isinstance(expression.index, Symbol)
            and expression.index in self.links
        ):
            return Load(self.run(expression.index, expression.pointer), self.lane)
        return expression

    def run(self, index: Symbol, pointer: Symbol) -> Symbol:
        """The line of a link into a field; an array where the loop only stores through the link."""
        if (index, pointer) not in self.runs:
            link = self.links[index]
            assert isinstance(link, Load)
            assert isinstance(pointer.type, Pointer)
            direction = index.name.removeprefix("i_")
            name = f"{pointer.name}_{direction}"
            if index in self.read:
                lanes = Symbol(f"{name}_lanes", Pointer(pointer.type.element))
                line = Symbol(f"{name}_run", pointer.type)
                self.locals.append(Local(lanes, self.length, "register"))
                load = device_call("load_run", line, local=lanes, field=pointer, **self.where(link))
                self.loads.append(load)
            else:
                line = Symbol(f"{name}_run", Pointer(pointer.type.element))
                self.locals.append(Local(line, self.length, "register"))
            self.runs[index, pointer] = line
        return self.runs[index, pointer]

    def where(self, link: Load) -> dict[str, Any]:
        """The parts of a call that say which elements: the indices of this strip, and what the list says of
        them."""
        run = self.number(self.strip.counter, self.row(link))
        index = Load(link.pointer, self.begin)
        return {"index": index, "count": self.count, "run": run, "length": self.length}

    def number(self, strip: Expression, row: int) -> Load:
        """What the list says of a strip and a row of its table."""
        table = Symbol("neighbour_run", Pointer(U32, True))
        return Load(table, add(multiply(integer(self.rows), strip), integer(row)))

    @property
    def rows(self) -> int:
        return len(self.kernel.space.links)

    def ahead(self, strips: int) -> tuple[Statement, ...]:
        """Ask for the neighbours of a strip so many further on, or of the last one."""
        fields = dict.fromkeys(pointer for _, pointer in self.runs)
        if not fields:
            return ()
        number = Symbol(fresh("n_ahead", names_in(self.kernel)), I64)
        further = add(self.strip.counter, integer(max(strips, 1)))
        last = operate("sub", self.strip.end, integer(1))
        return (
            Let(number, Call("min", (further, last), I64)),
            *(
                device_call(
                    "prefetch_runs",
                    field=field,
                    run=self.number(number, 0),
                    length=self.length,
                    rows=self.rows,
                )
                for field in fields
            ),
        )

    def row(self, link: Load) -> int:
        """Which row of the table `neighbour_e` is: its view starts at row * neighbour_stride."""
        view = next(
            s.value
            for s in self.kernel.body
            if isinstance(s, Let) and s.symbol is link.pointer and isinstance(s.value, View)
        )
        match view.offset:
            case Const(0):
                return 0
            case Op("mul", (Const(row), _)):
                return int(row)
        return 1

    def streamed(self, store: Store) -> Statement:
        target = store.target
        assert isinstance(target, Load)
        assert isinstance(target.pointer.type, Pointer)
        name = target.pointer.name.removesuffix("_row")
        if name in names_in(self.kernel):
            name += "_run"
        symbol = Symbol(name, Pointer(target.pointer.type.element))
        self.locals.append(Local(symbol, self.length, "register"))  # the loop writes what the stream reads
        first = add(self.begin, self.shift(target.index))
        where = {"row": target.pointer, "first": first, "count": self.count}
        self.stores.append(device_call("stream_run", local=symbol, **where, length=self.length))
        value = transform_expressions(store.value, self.staged)
        return Store(Load(symbol, self.lane), value, False, store.place)

    def shift(self, index: Expression) -> Expression:
        """The constant by which an index differs from the loop's counter."""
        if isinstance(index, Op) and isinstance(index.args[1], Const):
            offset = int(index.args[1].value)
            return integer(offset if index.name == "add" else -offset)
        return integer(0)


def _is_link(statement: Let) -> bool:
    value = statement.value
    return isinstance(value, Load) and value.pointer.name.startswith("neighbour")
