# SPDX-License-Identifier: Apache-2.0
"""version_loops: a second copy of a cell's statements for the value that most cells have.

before   loop simd i in [0, n_i) { let c_e = select(bitand(open_row[i], 1) != 0, c_x, 0); ... }
after    loop i_begin in [0, n_i) by 64 {
           let i_end = min(i_begin + 64, n_i);
           if all_equal(open_row, i_begin, i_end, 63) { loop simd i in [i_begin, i_end) { ... c_x ... } }
           if not all_equal(...) { loop simd i in [i_begin, i_end) { as before } } }

Both give the same bits: the copy is the whole with a constant put in (ir.usual). A CPU asks for a piece of a
row, since vectors cannot branch; a CUDA thread for the cells that it updates, whose elements it loads before
it asks, so that they are under way together.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from heddle.ir.build import add, integer, operate
from heddle.ir.device_calls import is_warp_reduction, parts_of
from heddle.ir.legality import check_integers, check_specialised
from heddle.ir.loop_versions import versions
from heddle.ir.nodes import (
    BOOL,
    I32,
    I64,
    Call,
    Cast,
    Const,
    DeviceCall,
    Expression,
    Kernel,
    Let,
    Load,
    Loop,
    LoopKind,
    Op,
    Scalar,
    Statement,
    Store,
    Symbol,
    Var,
    View,
)
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import statements, transform, walk

PIECE = 64
"""Cells of a row that a CPU asks for at once: some vectors of the widest lanes."""


def version_loops(kernel: Kernel, request: Request) -> Kernel:
    """Where the schedule names a usual value, copy the statements for it; KernelError where no cell reads it.
    The reference target asks nothing."""
    schedule, target = request.schedule, request.target
    if schedule.specialise is None or not (target.threads or target.inner == "simd"):
        return kernel
    check_integers(kernel, schedule.specialise[0])
    copying = _Copying(kernel, *schedule.specialise)
    body = copying.threads(kernel.body) if target.threads else copying.rows(kernel.body)
    check_specialised(kernel, copying.field, copying.done)
    return dataclasses.replace(kernel, body=body)


class _Copying:
    def __init__(self, kernel: Kernel, field: str, value: int) -> None:
        self.kernel, self.field, self.done = kernel, field, False
        self.taken = names_in(kernel)
        self.lines = {field}  # pointers to the current cell, or to the own row
        self.value = value

    def constant(self, scalar: Scalar) -> Const:
        return Const(self.value, scalar)

    # On a CPU

    def rows(self, body: Sequence[Statement]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for statement in body:
            self.note(statement)
            if isinstance(statement, Loop):
                row = None if _holds_loop(statement) else self.row_of(statement)
                if row is None:
                    statement = dataclasses.replace(statement, body=self.rows(statement.body))
                elif statement.begin == integer(0):
                    statement = self.in_pieces(statement, row)
                else:  # a piece already
                    result += self.pair(statement, row)
                    continue
            result.append(statement)
        return tuple(result)

    def note(self, statement: Statement) -> None:
        """Remember what leads to the own cells of the field."""
        if (
            isinstance(statement, Let)
            and isinstance(statement.value, View)
            and statement.value.pointer.name in self.lines
        ):
            self.lines.add(statement.symbol.name)

    def row_of(self, loop: Loop) -> Symbol | None:
        """The row in which a loop over cells reads the field at its own cells."""
        for node in walk(loop.body):
            if isinstance(node, Load) and node.index is loop.counter and node.pointer.name in self.lines:
                return node.pointer if loop.step == integer(1) else None
        return None

    def in_pieces(self, loop: Loop, row: Symbol) -> Loop:
        begin = Symbol(fresh(f"{loop.counter.name}_begin", self.taken), I64)
        end = Symbol(fresh(f"{loop.counter.name}_end", self.taken), I64)
        last = Call("min", (add(begin, integer(PIECE)), loop.end), I64)
        kind: LoopKind = "omp" if loop.kind == "omp simd" else "serial"
        lanes: LoopKind = "simd" if loop.kind in ("simd", "omp simd") else "serial"
        inner = Loop(lanes, loop.counter, begin, end, loop.step, loop.body)
        body = (Let(end, last), *self.pair(inner, row))
        return Loop(kind, begin, loop.begin, loop.end, integer(PIECE), body)

    def pair(self, loop: Loop, row: Symbol) -> tuple[Statement, ...]:
        self.done = True
        usual = Call("all_equal", (row, loop.begin, loop.end, self.constant(I32)), BOOL)
        return versions((usual,), (loop,))

    # On a device

    def threads(self, body: Sequence[Statement]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for statement in body:
            self.note(statement)
            if isinstance(statement, Loop):
                inner = (
                    self.threads(statement.body)
                    if _holds_loop(statement) or statement.kind != "thread"
                    else self.thread(statement)
                )
                statement = dataclasses.replace(statement, body=inner)
            result.append(statement)
        return tuple(result)

    def thread(self, loop: Loop) -> tuple[Statement, ...]:
        """The body of a thread: where its cells lie, what it reads, and the rest once or twice."""
        head: list[Statement] = []
        before: list[Statement] = []
        rest: list[Statement] = []
        tail: list[Statement] = []
        combined = {parts_of(s)["value"] for s in loop.body if is_warp_reduction(s)}
        for statement in loop.body:
            self.note(statement)
            match statement:
                case Var(symbol) if symbol in combined:
                    head.append(statement)
                case DeviceCall() if is_warp_reduction(statement):
                    tail.append(statement)
                case Let(symbol, value) if isinstance(value, View) or symbol.type == I64 or _element(value):
                    before.append(statement)
                case _:
                    rest.append(statement)
        loads, rest = self.named_loads(rest)
        before += loads
        asked = [
            operate("eq", s.symbol, self.constant(s.symbol.type))  # type: ignore[arg-type]
            for s in before
            if isinstance(s, Let) and self.is_own(_element(s.value), loop.counter)
        ]
        if not asked:
            return loop.body
        self.done = True
        return (*head, *before, *versions(asked, rest), *tail)

    def is_own(self, element: Load | None, counter: Symbol) -> bool:
        """Whether it is the field's at an own cell of the thread."""
        return (
            element is not None
            and element.pointer.name in self.lines
            and element.index in (integer(0), counter)
        )

    def named_loads(self, body: Sequence[Statement]) -> tuple[list[Statement], list[Statement]]:
        """A name for each element that the statements read before their first store, and the statements
        with the names."""
        at = next((k for k, s in enumerate(body) if isinstance(s, Store)), len(body))
        names: dict[Expression, Symbol] = {}
        for node in walk(s.value for s in body[: at + 1] if isinstance(s, (Let, Store))):
            if isinstance(node, Load) and node not in names:
                names[node] = Symbol(fresh(_name(node), self.taken), node.type)
                self.taken |= {names[node].name}
        lets: list[Statement] = [Let(symbol, load) for load, symbol in names.items()]

        def named(value: Expression) -> Expression:
            return transform(value, lambda node: names.get(node, node))  # type: ignore[no-any-return]

        changed = [
            dataclasses.replace(s, value=named(s.value)) if isinstance(s, (Let, Store)) else s
            for s in body[: at + 1]
        ]
        return lets, [*changed, *body[at + 1 :]]


def _holds_loop(loop: Loop) -> bool:
    return any(isinstance(statement, Loop) for statement in statements(loop.body))


def _element(value: Expression) -> Load | None:
    """The element that a value is, perhaps in another type."""
    if isinstance(value, Cast):
        value = value.value
    return value if isinstance(value, Load) else None


DIRECTIONS = {
    "x_first": "e", "x_first - 1": "w", "1": "e", "-1": "w", "sy": "n", "-sy": "s", "sz": "t", "-sz": "b",
    "0": "here",
}  # fmt: skip


def _name(load: Load) -> str:
    """What an element that a thread reads is called: its field and the way there."""
    pointer = re.fullmatch(r"(.*?)(?:_cell|_other)?((?:_\d+)?)", load.pointer.name)
    assert pointer is not None
    way = DIRECTIONS.get(_way(load.index), "near")
    return f"{pointer[1]}_{way}{pointer[2]}"


def _way(index: Expression) -> str:
    """An index from the current cell without the names of field and cell."""
    match index:
        case Const(value):
            return str(value)
        case Symbol(name):
            plain = re.fullmatch(r"(?:.*_)?(s[yz]|x_first)(?:_\d+)?", name)
            return plain[1] if plain else name
        case Op("neg", (Symbol() as inner,)):
            return "-" + _way(inner)
        case Op("sub", (Symbol() as inner, Const(1))):
            return _way(inner) + " - 1"
    return ""
