# SPDX-License-Identifier: Apache-2.0
"""convert_halves: within a strip, convert halves between memory and small arrays of floats.

before   loop simd x { let f_e = f32(f_w_row[x - 1]); ...; store f_w_row[x - 1] = f16(post_w) }
after    local f_w_behind_floats[16]; load_halves[16](f_w_behind_floats, f_w_row, x_begin - 1, ...);
         loop simd x { let f_e = f_w_behind_floats[x - x_begin]; ...
                       store f_w_behind_floats[x - x_begin] = post_w }
         store_halves[16](f_w_row, x_begin - 1, f_w_behind_floats, ...)

A processor converts a vector of halves in one instruction, which compilers do not find in a loop over cells.
Lines of a list (vectorise_gathers) go the same way. All loads of a strip then come before its stores:
lanes of a loop do not read what other lanes write.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container
from itertools import count
from typing import Any

from heddle.ir.build import add, integer, operate
from heddle.ir.device_calls import device_call
from heddle.ir.hash_consing import Node
from heddle.ir.nodes import (
    F16,
    F32,
    Cast,
    Const,
    Expression,
    If,
    Kernel,
    Load,
    Local,
    Loop,
    Op,
    Pointer,
    Select,
    Statement,
    Store,
    Symbol,
)
from heddle.ir.stages import Request
from heddle.ir.visit import transform_expressions, walk
from heddle.passes.apply_schedule import in_strips


def convert_halves(kernel: Kernel, request: Request) -> Kernel:
    """Stage the halves of strip-mined loops whose cells all do the same; other kernels stay as they are."""
    strips = request.strips
    if strips is None:
        return kernel
    return dataclasses.replace(kernel, body=in_strips(kernel.body, lambda strip: _strip(strip, strips.size)))


def _strip(strip: Loop, length: int) -> tuple[Statement, ...]:
    at = next(i for i, statement in enumerate(strip.body) if isinstance(statement, Loop))
    loop = strip.body[at]
    assert isinstance(loop, Loop)
    if loop.kind != "simd" or not _stageable(loop):
        return strip.body
    staged = _Staging(loop, length)
    inner = dataclasses.replace(loop, body=staged.body())
    return (*strip.body[:at], *staged.locals, *staged.loads, inner, *staged.stores, *strip.body[at + 1 :])


def _stageable(loop: Loop) -> bool:
    """Whether every half is taken without a condition, as a float, and lies beside that of the next cell."""
    halves = [node for node in walk(loop.body) if isinstance(node, Load) and _is_half(node)]
    conditions = [node for node in walk(loop.body) if isinstance(node, (If, Select))]
    guarded = [node for condition in conditions for node in walk(condition) if node in halves]
    casts = [node for node in walk(loop.body) if _reads_half(node)]
    stores = [
        s for s in loop.body if isinstance(s, Store) and isinstance(s.target, Load) and _is_half(s.target)
    ]
    uses = {id(node.value) for node in casts if isinstance(node, Cast)} | {id(s.target) for s in stores}
    return (
        bool(halves)
        and not guarded
        and all(id(node) in uses and first_element(node, loop) is not None for node in halves)
        and all(isinstance(s.value, Cast) and s.value.value.type == F32 for s in stores)
    )


def _is_half(load: Load) -> bool:
    return isinstance(load.pointer.type, Pointer) and load.pointer.type.element == F16


def _reads_half(node: Node) -> bool:
    return (
        isinstance(node, Cast) and node.type == F32 and isinstance(node.value, Load) and _is_half(node.value)
    )


def first_element(load: Load, loop: Loop) -> Expression | None:
    """The index for the loop's first cell, where cells that follow each other have indices that do."""
    match load.index:
        case Symbol() if load.index == loop.counter:
            return loop.begin
        case Op("add", (Symbol() as counter, Const(value))) if counter == loop.counter:
            return add(loop.begin, integer(int(value)))
        case Op("sub", (Symbol() as counter, Const(value))) if counter == loop.counter:
            return add(loop.begin, integer(-int(value)))
        case Op("sub", (Symbol() as counter, begin)) if counter == loop.counter and begin == loop.begin:
            return integer(0)
    return None


class _Staging:
    def __init__(self, loop: Loop, length: int) -> None:
        self.loop, self.length = loop, length
        self.lane = operate("sub", loop.counter, loop.begin)
        self.count = operate("sub", loop.end, loop.begin)
        self.arrays: dict[tuple[Symbol, Expression], Symbol] = {}
        self.locals: list[Statement] = []
        self.loads: list[Statement] = []
        self.stores: list[Statement] = []
        self.loaded: set[Symbol] = set()

    def body(self) -> tuple[Statement, ...]:
        return tuple(self.statement(statement) for statement in self.loop.body)

    def statement(self, statement: Statement) -> Statement:
        if isinstance(statement, Store) and isinstance(statement.target, Load) and _is_half(statement.target):
            assert isinstance(statement.value, Cast)
            value = transform_expressions(statement.value.value, self.staged)
            local, where = self.array(statement.target)
            self.stores.append(device_call("store_halves", local=local, **where))
            return Store(Load(local, self.lane), value, False, statement.place)
        return transform_expressions(statement, self.staged)  # type: ignore[no-any-return]

    def staged(self, expression: Expression) -> Expression:
        if _reads_half(expression):
            assert isinstance(expression, Cast)
            assert isinstance(expression.value, Load)
            local, where = self.array(expression.value)
            if local not in self.loaded:
                self.loaded.add(local)
                self.loads.append(device_call("load_halves", local=local, **where))
            return Load(local, self.lane)
        return expression

    def array(self, element: Load) -> tuple[Symbol, dict[str, Any]]:
        """The floats of an element of all cells, and where the halves are."""
        first = first_element(element, self.loop)
        assert first is not None
        key = element.pointer, first
        if key not in self.arrays:
            name = line_name(element.pointer, first, "floats", {s.name for s in self.arrays.values()})
            self.arrays[key] = Symbol(name, Pointer(F32))
            self.locals.append(Local(self.arrays[key], self.length, "register"))
        where: dict[str, Any] = {
            "row": element.pointer,
            "first": first,
            "count": self.count,
            "length": self.length,
        }
        return self.arrays[key], where


def line_name(pointer: Symbol, first: Expression, kind: str, taken: Container[str]) -> str:
    """A name for the array of a strip's elements of a row: which row, from which cell on."""
    name = pointer.name.removesuffix("_row").removesuffix("_run")
    name += {"add": "_ahead", "sub": "_behind"}.get(first.name, "") if isinstance(first, Op) else ""
    names = (f"{name}{f'_{number}' if number > 1 else ''}_{kind}" for number in count(1))
    return next(candidate for candidate in names if candidate not in taken)
