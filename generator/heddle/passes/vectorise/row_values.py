# SPDX-License-Identifier: Apache-2.0
"""row_values: where a loop over vectors chooses by a condition that is the same for all of its cells, it
takes one of two values that have both been computed; what is the same for all cells is named before it.

before   loop simd x { let flux = select(order_z[z] >= 5, u5, u3); store ... flux * per_mass[z] }
after    let order_z_here = order_z[z]; let per_mass_here = per_mass[z];
         loop simd x { let flux = choose(order_z_here >= 5, u5, u3); store ... flux * per_mass_here }

g++ up to 12 makes no vectors of a long loop that holds `condition ? yes : no` with a condition that does not
change there: a kernel of momentum between levels took four times as long. Only values without a call of a
library are computed for nothing, and without reads at a place that is computed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.hash_consing import Node
from heddle.ir.nodes import (
    Assign,
    Call,
    Cast,
    Comment,
    Const,
    DeviceCall,
    Expression,
    If,
    Kernel,
    Let,
    Load,
    Loop,
    Op,
    Pointer,
    Select,
    Statement,
    Symbol,
    Var,
    While,
)
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import distinct, in_every_cell, statements, transform_expressions
from heddle.passes.hoist_invariants import without_empty_sections

HEADING = "The same for the whole row"
_CHEAP = ("fma", "min", "max", "abs", "sign")


def row_values(kernel: Kernel, request: Request) -> Kernel:
    """Rewrite the vector loops of a CPU's kernel; others stay as they are."""
    if request.target.inner != "simd":
        return kernel
    taken = set(names_in(kernel))
    return dataclasses.replace(kernel, body=_inside(kernel.body, taken))


def _inside(body: Sequence[Statement], taken: set[str]) -> tuple[Statement, ...]:
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, Loop) and statement.kind == "simd":
            result += _Row(statement, taken).rewritten()
        elif isinstance(statement, (Loop, If)):
            result.append(dataclasses.replace(statement, body=_inside(statement.body, taken)))
        else:
            result.append(statement)
    return tuple(result)


class _Row:
    """One loop. inside: the names that it gives values to; those that move before it leave the set."""

    def __init__(self, loop: Loop, taken: set[str]) -> None:
        self.loop, self.taken = loop, taken
        self.moved: set[Symbol] = set()
        self.inside = {loop.counter}
        for statement in statements(loop.body):
            if isinstance(statement, (Let, Var, Assign)):
                self.inside.add(statement.symbol)
            elif isinstance(statement, DeviceCall) and statement.result:
                self.inside.add(statement.result)
            elif isinstance(statement, (Loop, While)):
                self.inside.add(statement.counter)
            self.inside.update(getattr(statement, "carried", ()))

    def rewritten(self) -> tuple[Statement, ...]:
        before: list[Statement] = []
        kept: list[Statement] = []
        for statement in self.loop.body:
            if isinstance(statement, Let) and self.may_move(statement.value):
                self.inside.discard(statement.symbol)
                self.moved.add(statement.symbol)
                before.append(statement)
            else:
                kept.append(statement)
        same, kept = self.same_choices(kept)
        kept = [transform_expressions(statement, self.chosen) for statement in kept]
        if not same and not any(isinstance(node, Select) and node.both for node in distinct(kept)):
            return (self.loop,)
        loads = self.named_loads(kept)
        before, kept = (
            [transform_expressions(s, lambda node: loads.get(node, node)) for s in part]
            for part in ([*before, *same], kept)
        )
        before[:0] = [Let(symbol, load) for load, symbol in loads.items()]
        heading = [Comment(HEADING)] if before else []
        return (*heading, *before, dataclasses.replace(self.loop, body=without_empty_sections(tuple(kept))))

    def may_move(self, value: Expression) -> bool:
        """Whether a named value is the same in the whole row, and reads a table at least: what needs none
        stands at the head of the kernel already."""
        nodes = _parts(value)
        return any(self.same_load(node) or node in self.moved for node in nodes) and all(
            self.same_load(node)
            or isinstance(node, (Const, Op, Select, Cast))
            or (isinstance(node, Symbol) and node not in self.inside)
            or (isinstance(node, Call) and node.name in _CHEAP)
            for node in nodes
        )

    def same_load(self, node: Node) -> bool:
        """Whether a node reads the same element for all cells: of an array that the kernel does not write,
        at a place that follows from counters."""
        return (
            isinstance(node, Load)
            and isinstance(node.pointer.type, Pointer)
            and node.pointer.type.const
            and node.pointer not in self.inside
            and _is_place(node.index)
            and not any(part in self.inside for part in _parts(node.index))
        )

    def same_choices(self, body: Sequence[Statement]) -> tuple[list[Statement], list[Statement]]:
        """Names for choices that are the same in the whole row, values and all; the statements with them."""
        named: dict[Expression, Symbol] = {}

        def change(node: Expression) -> Expression:
            if not (isinstance(node, Select) and self.may_move(node)):
                return node
            if node not in named:
                wanted = f"row_value_{len(named) + 1}" if named else "row_value"
                named[node] = self.named(wanted, node)
            return named[node]

        kept = [transform_expressions(statement, change) for statement in body]
        return [Let(symbol, value) for value, symbol in named.items()], kept

    def named_loads(self, body: Sequence[Statement]) -> dict[Expression, Symbol]:
        """Names for what is read in every cell, whatever holds there."""
        loads = {node for node in in_every_cell(body) if isinstance(node, Load) and self.same_load(node)}
        ordered = sorted(loads, key=lambda load: (load.pointer.name, _where(load.index)))
        return {load: self.named(f"{load.pointer.name}_{_where(load.index)[1]}", load) for load in ordered}

    def named(self, wanted: str, value: Expression) -> Symbol:
        """A symbol for a value, with this name or one like it."""
        name = fresh(wanted, self.taken)
        self.taken.add(name)
        return Symbol(name, value.type)

    def chosen(self, node: Expression) -> Expression:
        """A choice of which both values are computed, where the condition is the same in the whole row."""
        if not (isinstance(node, Select) and node.type is not None and node.type.is_float):
            return node
        same = all(
            isinstance(part, (Const, Op, Cast))
            or (isinstance(part, Symbol) and part not in self.inside)
            or self.same_load(part)
            for part in _parts(node.condition)
        )
        plain = all(self.is_plain(part) for arm in (node.yes, node.no) for part in _parts(arm))
        return dataclasses.replace(node, both=True) if same and plain and node.type.bits >= 32 else node

    def is_plain(self, node: Node) -> bool:
        """Whether it may be computed for nothing."""
        if isinstance(node, Call):
            return node.name in _CHEAP
        if isinstance(node, Load):
            found = {part for part in _parts(node.index) if part in self.inside}
            return _is_place(node.index) and found <= {self.loop.counter}
        return isinstance(node, (Const, Symbol, Op, Select)) or (
            isinstance(node, Cast) and node.type.is_float
        )


def _parts(value: Expression) -> list[Expression]:
    """The expressions of which a value consists, itself too."""
    return [node for node in distinct(value) if isinstance(node, Expression)]


def _is_place(index: Expression) -> bool:
    """Whether an index is computed from counters, strides and constants alone."""
    return all(isinstance(part, (Const, Symbol, Op)) for part in _parts(index))


def _where(index: Expression) -> tuple[int, str]:
    """How far an index is from a counter, and a word for it; the number itself, where it is one."""
    match index:
        case Const(value):
            assert isinstance(value, int)
            return value, f"{value}"
        case Symbol():
            return 0, "here"
        case Op("add", (Symbol(), Const(int(by)))):
            return by, f"next{by if by > 1 else ''}"
        case Op("sub", (Symbol(), Const(int(by)))):
            return -by, f"before{by if by > 1 else ''}"
    return 0, "there"
