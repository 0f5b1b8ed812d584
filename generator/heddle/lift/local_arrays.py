# SPDX-License-Identifier: Apache-2.0
"""Small arrays of a cell as variables.

before   local w[2]; store w[0] = a[i]; store w[1] = 2; store b[i] = w[0] * w[1]
after    var w_0; var w_1; assign w_0 = a[i]; assign w_1 = 2; store b[i] = w_0 * w_1
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.visit import statements, transform_expressions, walk
from heddle.lift.lifted import refuse
from heddle.lift.scope import Scope

Body = tuple[ir.Statement, ...]


def local_arrays(body: Sequence[ir.Statement]) -> frozenset[ir.Symbol]:
    """The arrays that a body declares for itself, not those of a block of threads."""
    return frozenset(s.symbol for s in statements(body) if isinstance(s, ir.Local) and s.space != "shared")


def with_variables(body: Sequence[ir.Statement], scope: Scope, place: Place) -> Body:
    """A body without arrays of its own. Raises KernelError where an element is chosen at run time."""
    arrays = local_arrays(body)
    return tuple(_Elements(body, arrays, scope, place).block(body)) if arrays else tuple(body)


class _Elements:
    def __init__(
        self, body: Sequence[ir.Statement], arrays: frozenset[ir.Symbol], scope: Scope, place: Place
    ) -> None:
        self.scope, self.place = scope.inner(), place
        self.taken = {node.name for node in walk(body) if isinstance(node, ir.Symbol)}
        self.arrays = arrays
        self.names: dict[ir.Symbol, list[ir.Symbol]] = {}

    def block(self, body: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
        for statement in body:
            self.place = getattr(statement, "place", self.place)
            match statement:
                case ir.Local(symbol, length, space) if symbol in self.arrays:
                    yield from self.declared(symbol, length, space)
                case ir.Let():
                    changed = self.changed(statement)
                    self.scope.names(changed)
                    yield changed
                case ir.Var(symbol):
                    self.scope.variables.add(symbol.name)
                    yield self.changed(statement)
                case ir.Store(ir.Load(pointer) as target, value) if pointer in self.arrays:
                    yield ir.Assign(self.element(target), self.value(value))
                case ir.If(condition=condition, body=inner) | ir.While(condition=condition, body=inner):
                    chosen = self.value(condition)
                    outer, self.scope = self.scope, self.scope.inner()
                    yield dataclasses.replace(statement, condition=chosen, body=tuple(self.block(inner)))
                    self.scope = outer
                case ir.Loop(_, _, begin, end, _, inner):
                    outer, self.scope = self.scope, self.scope.inner()
                    yield dataclasses.replace(
                        statement, begin=self.value(begin), end=self.value(end), body=tuple(self.block(inner))
                    )
                    self.scope = outer
                case _:
                    yield self.changed(statement)

    def declared(self, array: ir.Symbol, length: int, space: str) -> Iterator[ir.Statement]:
        assert isinstance(array.type, ir.Pointer)
        kind = array.type.element
        self.names[array] = []
        for number in range(length):
            name = f"{array.name}_{number}"
            while name in self.taken:
                name += "_"
            self.taken.add(name)
            symbol = ir.Symbol(name, kind)
            self.names[array].append(symbol)
            zero = ir.Const(0.0 if kind.is_float else 0, kind)
            yield ir.Var(symbol, zero if space == "scratch" else None)

    def element(self, load: ir.Load) -> ir.Symbol:
        number = self.scope.polynomial(load.index).constant
        names = self.names[load.pointer]
        if number is None or not 0 <= number < len(names):
            raise refuse(
                self.place,
                f"Which element of the local array '{load.pointer.name}' is meant is known only at run time."
                if number is None
                else f"'{load.pointer.name}' has {len(names)} elements, not one with the number {number}.",
                "index local arrays with numbers, or by the counters of short loops",
            )
        return names[number]

    def value(self, expression: ir.Expression) -> ir.Expression:
        def change(node: ir.Expression) -> ir.Expression:
            return self.element(node) if isinstance(node, ir.Load) and node.pointer in self.arrays else node

        changed: ir.Expression = transform_expressions(expression, change)
        if any(node in self.arrays for node in walk(changed)):
            raise refuse(self.place, "A local array is passed on as a whole.", "pass its elements")
        return changed

    def changed(self, statement: ir.Statement) -> ir.Statement:
        if isinstance(statement, ir.Let) and isinstance(statement.value, ir.View):
            if statement.value.pointer in self.arrays:
                raise refuse(self.place, "A local array gets another name.", "use one name for an array")
            return statement
        changed: ir.Statement = transform_expressions(
            statement, lambda node: self.value(node) if isinstance(node, ir.Load) else node
        )
        return changed
