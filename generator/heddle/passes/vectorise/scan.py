# SPDX-License-Identifier: Apache-2.0
"""vectorise_scans: a strip of columns goes through its scans side by side, in vector lanes.

before   loop x_begin by 64 { let x_end = ...;
                              loop simd x { let t = ...; scan z [s = t] { store ...; s = f(s, t) };
                                            store rain[0,0] = s } }
after    loop x_begin by 64 { let x_end = ...; local t_lanes[64]; local s_lanes[64];
                              loop simd x { let t = ...; store t_lanes[x - x_begin] = t;
                                            store s_lanes[x - x_begin] = t }
                              loop z { loop simd x { let s = s_lanes[x - x_begin];
                                                     let t = t_lanes[x - x_begin]; store ...;
                                                     store s_lanes[x - x_begin] = f(s, t) } }
                              loop simd x { let s = s_lanes[x - x_begin]; store rain[0,0] = s } }

Columns are independent, so the loops may change places. Rows of memory are then read as they lie, and a
division or a chain of dependent operations costs one lane's share. What a column carries, and what it
computes in one loop and uses in another, has an element of an array per lane.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from heddle.ir.build import add, integer, operate
from heddle.ir.hash_consing import Node
from heddle.ir.nodes import (
    I64,
    Comment,
    Expression,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Scalar,
    Scan,
    Statement,
    Store,
    Symbol,
)
from heddle.ir.reduction import TILE, reduces_rows
from heddle.ir.stages import Request
from heddle.ir.visit import distinct
from heddle.passes.apply_schedule import AXES, in_strips, is_column, is_strip


def vectorise_scans(kernel: Kernel, request: Request) -> Kernel:
    """Bring the lanes of a strip inside the scans that they hold; other kernels stay as they are."""
    size = TILE if reduces_rows(kernel.body) else request.strips.size if request.strips else 0
    if not size:
        return kernel
    body = in_strips(
        kernel.body,
        lambda strip: _inside(strip, size),
        which=lambda loop: is_strip(loop) and _scans(loop),
    )
    return dataclasses.replace(kernel, body=body)


def _inside(strip: Loop, length: int) -> tuple[Statement, ...]:
    *before, lanes = strip.body
    assert isinstance(lanes, Loop)
    return (*before, *_Lanes(lanes, length).side_by_side())


def _scans(strip: Loop) -> bool:
    """Whether the lanes of a strip are columns with scans."""
    lanes = strip.body[-1]
    if not (isinstance(lanes, Loop) and is_column(lanes.body)):
        return False
    return lanes.kind == "simd" or reduces_rows(lanes.body)


class _Lanes:
    """The loop over the columns of a strip, taken apart at its scans."""

    def __init__(self, lanes: Loop, length: int) -> None:
        self.lanes, self.length = lanes, length
        self.shared = _shared(lanes.body)

    def side_by_side(self) -> list[Statement]:
        """A loop over the lanes for the statements between two scans, and one inside each scan."""
        result: list[Statement] = []
        waiting: list[Statement] = []
        for statement in self.lanes.body:
            if isinstance(statement, Scan):
                starts = zip(statement.carried, statement.initial, strict=True)
                waiting += [Store(self.element(symbol), value) for symbol, value in starts]
                result += [*self.loop(waiting, statement.carried), self.scan(statement)]
                waiting = []
            elif isinstance(statement, Comment) and not waiting:
                result.append(statement)
            else:
                waiting.append(statement)
        return [*result, *self.loop(waiting)]

    def loop(self, body: Sequence[Statement], carried: Sequence[Symbol] = ()) -> list[Statement]:
        """The lanes of statements between two scans. carried: what the next scan carries."""
        own = [s.symbol for s in body if isinstance(s, Let) and s.symbol in self.shared]
        arrays = [Local(_array(symbol), self.length, "scratch") for symbol in (*own, *carried)]
        kept: list[Statement] = []
        for statement in body:
            kept.append(statement)
            if isinstance(statement, Let) and statement.symbol in self.shared:
                kept.append(Store(self.element(statement.symbol), statement.symbol))
        if not kept:
            return [*arrays]
        return [*arrays, dataclasses.replace(self.lanes, body=(*self.named(body, own), *kept))]

    def scan(self, scan: Scan) -> Loop:
        updates = zip(scan.carried, scan.update, strict=True)
        cell: tuple[Statement, ...] = (
            *(Let(symbol, self.element(symbol)) for symbol in scan.carried),
            *self.named([*scan.body, *scan.update], scan.carried),
            *scan.body,
            *(Store(self.element(symbol), value) for symbol, value in updates),
        )
        counter, extent = Symbol(AXES[scan.axis], I64), Symbol(f"n_{AXES[scan.axis]}", I64)
        begin: Expression = add(extent, integer(-1)) if scan.reverse else integer(0)
        end: Expression = integer(-1) if scan.reverse else extent
        step = integer(-1 if scan.reverse else 1)
        return Loop("serial", counter, begin, end, step, (dataclasses.replace(self.lanes, body=cell),))

    def named(self, nodes: Iterable[Node], own: Sequence[Symbol]) -> list[Let]:
        """Names for the elements of arrays that other loops have filled. own: what has its name."""
        used = dict.fromkeys(node for node in distinct(nodes) if isinstance(node, Symbol))
        found = [symbol for symbol in self.shared if symbol in used and symbol not in own]
        return [Let(symbol, self.element(symbol)) for symbol in found]

    def element(self, symbol: Symbol) -> Load:
        return Load(_array(symbol), operate("sub", self.lanes.counter, self.lanes.begin))


def _shared(body: Sequence[Statement]) -> dict[Symbol, None]:
    """What a column computes in one loop over the lanes and uses in another, in order."""
    made: dict[Node, int] = {}
    shared: dict[Symbol, None] = {}
    loop = 0

    def use(*nodes: Node) -> None:
        """Nodes of the current loop."""
        for node in distinct(nodes):
            if isinstance(node, Symbol) and made.get(node, loop) != loop:
                shared[node] = None

    for statement in body:
        if isinstance(statement, Scan):
            use(*statement.initial)
            shared |= dict.fromkeys(statement.carried)
            loop += 1
            use(*statement.body, *statement.update)
            loop += 1
        else:
            use(statement)
            if isinstance(statement, Let):
                made[statement.symbol] = loop
    return shared


def _array(symbol: Symbol) -> Symbol:
    """What holds a value of every lane."""
    assert isinstance(symbol.type, Scalar)
    return Symbol(f"{symbol.name}_lanes", Pointer(symbol.type))
