# SPDX-License-Identifier: Apache-2.0
"""vectorise_interleaved_blocks: with several cells per GPU thread, move elements as vectors and run the body
lane by lane.

before   thread x { let f_cell = view ...; let f_w = f_cell[sq + 4]; ...; store f_cell[0] = post_w }
after    thread x { let f_cell = view ...; local f_w_lanes[4]; load_vector[4](f_w_lanes, &f_cell[sq + 4]);
                    local post_w_lanes[4];
                    loop lanes lane in [0, 4) { let f_w = f_w_lanes[lane]; ...
                                                store post_w_lanes[lane] = post_w }
                    store_vector[4](&f_cell[0], post_w_lanes) }

The lanes are the same cell of interleaved blocks: block b of a group begins one element after block b - 1,
so neighbours along x are as many elements apart as there are blocks. Every element that a cell reads or
writes is then one lane of a vector that begins where the one of the first block does.

Threads that share a vector (Interleaved.threads_per_vector) count its parts: with two of them thread
x_part = 2 x takes the first half of the lanes of cell x, and x_part = 2 x + 1 the second. Neighbours lie as
far away as before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.build import integer, multiply, operate
from heddle.ir.device_calls import device_call
from heddle.ir.hash_consing import Node
from heddle.ir.nodes import (
    BOOL,
    I64,
    Call,
    Comment,
    Expression,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Statement,
    Store,
    Symbol,
    View,
)
from heddle.ir.schedule import Interleaved
from heddle.ir.stages import Request
from heddle.ir.visit import transform, transform_expressions, walk

LANE = Symbol("lane", I64)


def vectorise_interleaved_blocks(kernel: Kernel, request: Request) -> Kernel:
    """Make vectors of the loads and stores of a kernel in lanes; other kernels stay as they are."""
    schedule, target = request.schedule.gpu, request.target
    if not (target.threads and kernel.space.interleave > 1):
        return kernel
    threads = schedule.threads_per_vector if isinstance(schedule, Interleaved) else 1
    return dataclasses.replace(kernel, body=_block(kernel.body, kernel.space.interleave, threads))


def _block(body: Sequence[Statement], lanes: int, threads: int) -> tuple[Statement, ...]:
    return tuple(_nest(s, lanes, threads) if isinstance(s, Loop) else s for s in body)


def _nest(loop: Loop, lanes: int, threads: int) -> Loop:
    if any(isinstance(statement, Loop) for statement in loop.body):
        return dataclasses.replace(loop, body=_block(loop.body, lanes, threads))
    cell = _Cell(loop.body, lanes // threads, lanes).body
    if threads > 1:
        return _in_parts(dataclasses.replace(loop, body=cell), lanes, threads)
    return dataclasses.replace(loop, body=cell)


def _in_parts(loop: Loop, lanes: int, threads: int) -> Loop:
    """The loop over the cells of a row as one over the parts of their vectors."""
    x, part = loop.counter, Symbol(f"{loop.counter.name}_part", I64)
    begin, of_part = multiply(x, integer(lanes)), multiply(part, integer(lanes // threads))

    def moved(node: Node) -> Node:
        return of_part if node == begin else node

    body = tuple(
        transform(s, moved) if isinstance(s, Let) and isinstance(s.value, View) else s for s in loop.body
    )
    if x in walk(body):  # for the walls at the ends of a row
        body = (Let(x, operate("div", part, integer(threads))), *body)
    return dataclasses.replace(loop, counter=part, end=multiply(loop.end, integer(threads)), body=body)


def _is_opaque(value: Expression) -> bool:
    return isinstance(value, Call) and value.name == "opaque"


class _Cell:
    """The body of one thread."""

    def __init__(self, body: Sequence[Statement], lanes: int, blocks: int) -> None:
        self.lanes = lanes
        self.loaded: dict[Load, Symbol] = {}
        self.loads: list[Statement] = []
        self.room: list[Statement] = []
        self.stores: list[Statement] = []
        views: list[Statement] = []
        opaque: list[Statement] = []
        inside: list[Statement] = []
        for statement in body:
            if isinstance(statement, Let) and isinstance(statement.value, View):
                (opaque if statement.value.opaque else views).append(statement)
            elif isinstance(statement, Let) and _is_opaque(statement.value):
                opaque.append(statement)
            elif isinstance(statement, Let) and statement.symbol.type == BOOL:
                views.append(statement)  # whether the cell lies at a wall: the same in all lanes
            else:
                inside.append(self.statement(statement))
        loop = Loop("lanes", LANE, integer(0), integer(lanes), integer(1), tuple(inside))
        among = "" if lanes == blocks else f"{lanes} of "
        head = Comment(f"The same cell of {among}{blocks} interleaved blocks, a lane each")
        self.body = (*views, head, *self.loads, *self.room, loop, *opaque, *self.stores)

    def statement(self, statement: Statement) -> Statement:
        if isinstance(statement, Let):
            elements = [node for node in walk(statement.value) if isinstance(node, Load)]
            if len(elements) == 1:
                self.load(elements[0], statement.symbol.name)
        if isinstance(statement, Store):
            assert isinstance(statement.target, Load)
            stored = transform_expressions(statement.value, self.staged)
            return Store(self.store(statement.target, statement.value), stored, False, statement.place)
        return transform_expressions(statement, self.staged)  # type: ignore[no-any-return]

    def staged(self, expression: Expression) -> Expression:
        if isinstance(expression, Load) and expression.pointer not in self.loaded.values():
            return Load(self.load(expression, expression.pointer.name.removesuffix("_cell")), LANE)
        return expression

    def load(self, element: Load, name: str) -> Symbol:
        if element not in self.loaded:
            symbol = self.array(name, element)
            self.loaded[element] = symbol
            vector = device_call("load_vector", local=symbol, first=element, length=self.lanes)
            self.loads += [Local(symbol, self.lanes, "scratch"), vector]
        return self.loaded[element]

    def store(self, target: Load, value: Expression) -> Load:
        names = [node.name for node in walk(value) if isinstance(node, Symbol)]
        name = names[0] if len(names) == 1 else target.pointer.name.removesuffix("_cell") + "_new"
        symbol = self.array(name, target)
        self.room.append(Local(symbol, self.lanes, "scratch"))
        self.stores.append(device_call("store_vector", first=target, local=symbol, length=self.lanes))
        return Load(symbol, LANE)

    def array(self, name: str, element: Load) -> Symbol:
        """A name that no other array has."""
        taken = {
            statement.symbol.name for statement in (*self.loads, *self.room) if isinstance(statement, Local)
        }
        fresh, number = f"{name}_lanes", 1
        while fresh in taken:
            number += 1
            fresh = f"{name}_{number}_lanes"
        assert isinstance(element.pointer.type, Pointer)
        return Symbol(fresh, Pointer(element.pointer.type.element))
