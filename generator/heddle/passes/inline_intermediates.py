# SPDX-License-Identifier: Apache-2.0
"""inline_intermediates: a value of an intermediate field becomes what the kernel computes for that cell.

before   let d = sub(u[0], u[-1]); store flux[0] = mul(k, d); store v[0] = sub(flux[1], flux[0])
after    let d = sub(u[0], u[-1]); let flux_value = mul(k, d);
         let d_e = sub(u[1], u[0]); let flux_value_e = mul(k, d_e); store v[0] = sub(flux_value_e, flux_value)

What another cell has is named for it, once: a name that would stand for the same value as an earlier one is
that one. So each target computes a kernel of one loop without the field; schedules that share values between
cells find them again (see passes.level_by_level).
"""

from __future__ import annotations

import dataclasses
from typing import Any

from heddle.errors import NOWHERE, KernelError
from heddle.ir.hash_consing import Node
from heddle.ir.nodes import Access, Comment, Expression, Field, Gather, Kernel, Let, Statement, Store, Symbol
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import distinct, rebuild, statements
from heddle.passes.lowering_context import compass

Offset = tuple[int, ...]


def inline_intermediates(kernel: Kernel, request: Request) -> Kernel:
    """Replace the intermediate fields of a kernel. Raises KernelError where one has no value yet."""
    if not any(field.layout.intermediate for field in kernel.fields):
        return kernel
    _check(kernel)
    fields = tuple(field for field in kernel.fields if not field.layout.intermediate)
    return dataclasses.replace(kernel, fields=fields, body=tuple(_Inlined(kernel).body()))


def _check(kernel: Kernel) -> None:
    """Intermediate fields are stored in the own cell, by statements that each cell executes."""
    inside = [s for s in statements(kernel.body) if s not in kernel.body]
    for node in distinct(inside):
        if isinstance(node, (Access, Gather)) and node.field.layout.intermediate:
            raise _refused(kernel, node.field, "is used in a condition or a loop", "use it outside of these")
    for node in distinct(kernel.body):
        if isinstance(node, Gather) and node.field.layout.intermediate:
            raise _refused(kernel, node.field, "is read at a computed position", "read it at an offset")
    stored = [s.target for s in kernel.body if isinstance(s, Store) and isinstance(s.target, Access)]
    for target in stored:
        if target.field.layout.intermediate and (any(target.offsets) or stored.count(target) > 1):
            what = "is assigned in another cell, or twice"
            raise _refused(kernel, target.field, what, "assign it once, in the own cell")


def _refused(kernel: Kernel, field: Field, what: str, hint: str) -> KernelError:
    return KernelError(kernel.name, f"the intermediate field '{field.name}' {what}.", hint)


class _Inlined:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.taken = set(names_in(kernel))
        self.own = (0,) * kernel.space.dimensions
        self.lets: dict[Symbol, Let] = {}
        self.values: dict[tuple[Field, int], Symbol] = {}
        self.named: dict[tuple[Symbol, Offset], Expression] = {}
        self.known: dict[Expression, Symbol] = {}
        self.made: list[Statement] = []

    def body(self) -> list[Statement]:
        for statement in self.kernel.body:
            match statement:
                case Comment():
                    self.made.append(statement)
                case Let():
                    self.define(statement)
                case Store(Access(field, component=component), value) if field.layout.intermediate:
                    name = field.name if not field.components else f"{field.name}_{component}"
                    symbol = Symbol(self.new(f"{name}_value"))
                    self.values[field, component] = symbol
                    self.define(Let(symbol, value, statement.place))
                case _:
                    self.made.append(rebuild(statement, lambda part: self.at(part, self.own)))
        return self.made

    def new(self, name: str) -> str:
        name = fresh(name, self.taken)
        self.taken.add(name)
        return name

    def define(self, let: Let) -> None:
        """A name of the own cell, which keeps its statement."""
        self.lets[let.symbol] = let
        value = self.at(let.value, self.own)
        self.named[let.symbol, self.own] = let.symbol
        self.known.setdefault(value, let.symbol)
        self.made.append(dataclasses.replace(let, value=value))

    def at(self, value: Any, offset: Offset) -> Any:
        """An expression, or what holds one, for the cell at an offset."""
        memo: dict[Node, Node] = {}

        def moved(node: Node) -> Node:
            if node not in memo:
                memo[node] = self.moved(node, offset, moved)
            return memo[node]

        return moved(value)

    def moved(self, node: Node, offset: Offset, inside: Any) -> Node:
        match node:
            case Access(field, offsets, component) if field.layout.intermediate:
                there = tuple(a + b for a, b in zip(offsets, offset, strict=True))
                return self.symbol(self.value(field, component), there)
            case Access(field, offsets) if field.layout.along_axis:
                return dataclasses.replace(node, offsets=(offsets[0] + offset[field.axis],))
            case Access(field, offsets) if field.dense:
                return dataclasses.replace(
                    node, offsets=tuple(a + b for a, b in zip(offsets, offset, strict=False))
                )
            case Symbol() if node in self.lets:
                return self.symbol(node, offset)
            case Symbol(name) if any(offset) and name in ("x", "y", "z"):
                raise KernelError(
                    self.kernel.name,
                    "a value of an intermediate field depends on the coordinates of its cell, and is read in "
                    "another one.",
                    "take coordinates from a profile",
                )
        return rebuild(node, inside)  # type: ignore[no-any-return]

    def value(self, field: Field, component: int) -> Symbol:
        if (field, component) not in self.values:
            raise _refused(
                self.kernel, field, "is read before the kernel assigns it", "assign it in the own cell first"
            )
        return self.values[field, component]

    def symbol(self, symbol: Symbol, offset: Offset) -> Expression:
        """The name of a value in the cell at an offset; before it is used there, it is computed."""
        key = symbol, offset
        if key not in self.named:
            let = self.lets[symbol]
            value = self.at(let.value, offset)
            if value in self.known:
                self.named[key] = self.known[value]
            else:
                name = Symbol(self.new(f"{symbol.name}{compass(offset)}"), symbol.type)
                self.named[key] = self.known[value] = name
                self.made.append(Let(name, value, NOWHERE))
        return self.named[key]
