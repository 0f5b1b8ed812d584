# SPDX-License-Identifier: Apache-2.0
"""What cells of a kernel share: values that a cell computes for itself and, in the same words, for others.

`level_by_level` computes each of them once. Here is which they are, what they need, for which cells beyond
the interior they are needed, and how many levels each is behind the first one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from heddle.errors import KernelError
from heddle.ir.hash_consing import Node
from heddle.ir.nodes import (
    BOOL,
    Access,
    Call,
    Expression,
    Kernel,
    Let,
    Op,
    Select,
    Statement,
    Store,
)
from heddle.ir.shifts import Shift, Shifts, moved_by
from heddle.ir.visit import distinct, rebuild, transform

LEAST_OPERATIONS = 3
"""A value of fewer is computed again."""
Region = tuple[int, tuple[int, ...], tuple[int, ...]]
"""How far a value lags, and for which cells beyond the interior it is needed."""


@dataclass
class Value:
    """A shared value, or what is stored, which has no number. node: it, as the own cell has it. reads: the
    shared values that it needs, and in which cells. low, high: for which cells beyond the interior it is
    needed. lag: how many levels it is behind the first one."""

    name: str
    node: Expression
    number: int | None = None
    reads: dict[tuple[int, Shift], None] = field(default_factory=dict)
    low: list[int] = field(default_factory=lambda: [0, 0, 0])
    high: list[int] = field(default_factory=lambda: [0, 0, 0])
    lag: int = 0

    @property
    def region(self) -> Region:
        return self.lag, tuple(self.low), tuple(self.high)


class SharedValues:
    """What cells of a kernel share. values: by the number of what they have in common, those that others need
    first; stored: behind them, one for each store of the first component."""

    def __init__(self, kernel: Kernel, body: Sequence[Statement]) -> None:
        self.kernel = kernel
        self.names: dict[Expression, str] = {}
        self.components = 1
        self.stores = self.closed(body)
        self.shifts = Shifts()
        self.values: dict[int, Value] = {}
        self.stored = [Value(target.field.name, value) for target, value in self.stores]
        waiting = list(self.stored)
        while waiting:
            value = waiting.pop(0)
            for node in self.found(value.node):
                number = self.shifts.of(node)[0]
                if number not in self.values:
                    self.values[number] = Value(self.names.get(node, "value"), node, number)
                    waiting.append(self.values[number])
        everything = [*self.stored, *self.values.values()]
        for value in everything:
            value.reads = dict.fromkeys(self.read_by(value.node))
        self.order = self.in_order()
        self.place()

    def closed(self, body: Sequence[Statement]) -> list[tuple[Access, Expression]]:
        """What is stored, with all names replaced by what they stand for; of the first component."""
        known: dict[Node, Expression] = {}
        memo: dict[Node, Node] = {}

        def inside(node: Node) -> Node:
            if node not in memo:
                memo[node] = known[node] if node in known else rebuild(node, inside)
            return memo[node]

        stores: list[tuple[Access, Expression]] = []
        for statement in body:
            match statement:
                case Let(symbol, value):
                    known[symbol] = inside(value)  # type: ignore[assignment]
                    self.names.setdefault(known[symbol], symbol.name)
                case Store(Access() as target, value):
                    stores.append((target, inside(value)))  # type: ignore[arg-type]
        self.components = max(target.component for target, _ in stores) + 1
        return self.of_first(stores)

    def of_first(self, stores: list[tuple[Access, Expression]]) -> list[tuple[Access, Expression]]:
        """The stores of component 0, of which those of the others are copies."""
        if self.components == 1:
            return stores
        first = [(target, value) for target, value in stores if target.component == 0]
        for n in range(1, self.components):
            wanted = [(_component(t, n), _component(v, n)) for t, v in first]
            if wanted != [(t, v) for t, v in stores if t.component == n]:
                what = f"component {n} of '{first[0][0].field.name}' is not computed as component 0 is."
                raise KernelError(self.kernel.name, what, "leave out level_by_level")
        return first

    def found(self, root: Expression) -> list[Expression]:
        """The outermost parts of a value that it has of several cells."""
        seen: dict[int, set[Shift | None]] = {}
        for node in distinct(root):
            if node is not root and self.is_worth(node):
                number, at = self.shifts.of(node)
                seen.setdefault(number, set()).add(at)
        result: dict[Expression, None] = {}
        visited: set[Node] = set()

        def visit(node: Node) -> None:
            if node in visited:
                return
            visited.add(node)
            if node is not root and isinstance(node, Expression) and self.is_worth(node):
                number = self.shifts.of(node)[0]
                if number in self.values:
                    return
                if len(seen[number]) > 1:
                    result.setdefault(node, None)
                    return
            for child in node.children:
                visit(child)

        visit(root)
        best: dict[int, Expression] = {}
        places = {name: n for n, name in enumerate(self.names)}
        for node in result:
            number = self.shifts.of(node)[0]
            one = best.setdefault(number, node)
            if places.get(node, len(places)) < places.get(one, len(places)):
                best[number] = node
        return list(best.values())

    def is_worth(self, node: Node) -> bool:
        """Whether a part of a value is one that cells may share."""
        if not isinstance(node, (Op, Call, Select)) or node.type == BOOL:
            return False
        return self.shifts.of(node)[1] is not None and self.shifts.operations(node) >= LEAST_OPERATIONS

    def read_by(self, root: Expression) -> Iterator[tuple[int, Shift]]:
        """The shared values in a value, and how far their cells are from the own one."""
        seen: set[Node] = set()
        stack: list[Node] = [root]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node is not root and (number := self.number(node)) is not None:
                yield number, self.offset(node, number)
                continue
            stack += node.children[::-1]

    def accesses(self, value: Value) -> list[Access]:
        """What the computation of a value reads from memory, apart from other shared values."""
        found: list[Access] = []
        seen: set[Node] = set()
        stack: list[Node] = [value.node]
        while stack:
            node = stack.pop()
            if node not in seen and (node is value.node or self.number(node) is None):
                seen.add(node)
                found += [node] if isinstance(node, Access) else []
                stack += node.children
        return found

    def number(self, node: Node) -> int | None:
        """Of the shared value that a part of a value is."""
        if not isinstance(node, (Op, Call, Select)):
            return None
        number = self.shifts.of(node)[0]
        return number if number in self.values else None

    def offset(self, node: Node, number: int) -> Shift:
        return moved_by(self.shifts.of(node)[1], self.shifts.of(self.values[number].node)[1])

    def in_order(self) -> list[Value]:
        """Each behind all that it needs; what is stored last."""
        done: dict[int, Value] = {}

        def add_with_needs(value: Value) -> None:
            for number, _ in value.reads:
                if number not in done:
                    add_with_needs(self.values[number])
                    done[number] = self.values[number]

        for stored in self.stored:
            add_with_needs(stored)
        return [*done.values(), *self.stored]

    def place(self) -> None:
        """For which cells each is needed, and how far it lags."""
        for value in reversed(self.order):
            for number, offset in value.reads:
                needed = self.values[number]
                for axis in range(3):
                    needed.low[axis] = min(needed.low[axis], value.low[axis] + offset[axis])
                    needed.high[axis] = max(needed.high[axis], value.high[axis] + offset[axis])
        for value in self.order:
            for number, (x, y, z) in value.reads:
                later = 1 if x or y else 0
                value.lag = max(value.lag, self.values[number].lag + z + later)

    def age(self, reader: Value, number: int, offset: Shift) -> int:
        """How many steps ago a shared value was computed that is read now."""
        return reader.lag - offset[2] - self.values[number].lag


def _component(value: Expression, n: int) -> Expression:
    """The same of another component."""

    def other(node: Node) -> Node:
        if isinstance(node, Access) and node.field.components:
            return dataclasses.replace(node, component=node.component + n)
        return node

    return transform(value, other)  # type: ignore[no-any-return]
