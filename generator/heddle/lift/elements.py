# SPDX-License-Identifier: Apache-2.0
"""Statements with flat indices as statements with fields: a walk over a body that knows what its names stand
for, first to collect the accesses, then to put fields and coordinates in."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.visit import rebuild, walk
from heddle.lift.conditions import negation
from heddle.lift.lifted import refuse
from heddle.lift.operands import single
from heddle.lift.polynomial import Polynomial, atom
from heddle.lift.scope import Scope, is_unsigned

_COORDINATES = frozenset(ir.Symbol(name, ir.I64) for name in "xyz")


class Elements(Protocol):
    """What stands for the elements of arrays, at an index that counters and arguments give or at a position
    that is computed."""

    def element(self, pointer: ir.Symbol, index: Polynomial, store: bool, place: Place) -> ir.Expression: ...

    def gather(
        self, pointer: ir.Symbol, position: ir.Expression, store: bool, place: Place
    ) -> ir.Expression: ...


class Walk:
    """Rewrites a body. elements: gives the nodes for accesses. coordinates: what a counter is in a model."""

    def __init__(
        self, scope: Scope, elements: Elements, coordinates: Mapping[ir.Expression, Polynomial]
    ) -> None:
        self.scope, self.elements, self.coordinates = scope, elements, coordinates
        self.place = scope.place
        self.named: set[ir.Expression] = set()
        self.renamed: dict[ir.Symbol, ir.Symbol] = {}

    def block(self, body: Sequence[ir.Statement]) -> tuple[ir.Statement, ...]:
        return tuple(self.statements(body))

    def statements(self, body: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
        for statement in body:
            self.place = self.scope.place = getattr(statement, "place", self.place)
            match statement:
                case ir.Let(symbol, value, place):
                    if not self.scope.names(statement):
                        changed = self.value(value)
                        self.named.add(symbol)
                        self.scope.computed.add(symbol)
                        yield ir.Let(self.typed(symbol, changed), changed, place)
                case ir.Var(symbol, value):
                    self.scope.variables.add(symbol.name)
                    self.named.add(symbol)
                    self.scope.computed.add(symbol)
                    yield ir.Var(symbol, None if value is None else self.value(value))
                case ir.Assign(symbol, value):
                    yield ir.Assign(symbol, self.value(value))
                case ir.Store(ir.Load() as target, value, _, place):
                    changed = self.value(value)
                    self.place = place
                    yield ir.Store(self.access(target, True), changed, False, place)  # type: ignore[arg-type]
                case ir.If(condition, inner, _, place):
                    chosen = self.value(condition)
                    outer = self.scope
                    self.scope = outer.inner()
                    yield ir.If(chosen, self.block(inner), place=place)
                    self.scope = outer
                case ir.While(condition=condition, body=inner):
                    chosen = self.value(condition)
                    outer = self.scope
                    self.scope = outer.inner()
                    yield dataclasses.replace(statement, condition=chosen, body=self.block(inner))
                    self.scope = outer
                case ir.Comment():
                    pass
                case _:
                    yield statement

    def typed(self, symbol: ir.Symbol, value: ir.Expression) -> ir.Symbol:
        """Integers that depend on coordinates are 64 bits wide in a model."""
        if symbol.type != value.type:
            self.renamed[symbol] = ir.Symbol(symbol.name, value.type)
        return self.renamed.get(symbol, symbol)

    # Expressions

    def access(self, load: ir.Load, store: bool) -> ir.Expression:
        """An element: at a place that counters give, or at one that is computed."""
        pointer, index = self.scope.element(load)
        if any(not isinstance(own, ir.Symbol) or own in self.named for own in index.atoms):
            position = self.integer(index.substitute(dict(self.coordinates)))
            return self.elements.gather(pointer, position, store, self.place)
        return self.elements.element(pointer, index, store, self.place)

    def value(self, expression: ir.Expression) -> ir.Expression:
        if is_unsigned(expression):
            self.scope.check_wrap(expression)
        match expression:
            case ir.Load():
                return self.access(expression, False)
            case ir.Symbol() if expression in self.renamed:
                return self.renamed[expression]
            case ir.Cast(inner, scalar) if scalar.is_float or scalar.kind == "b":
                return self.converted(self.value(inner), scalar)
            case ir.Op("rem", (value, ir.Const(int(by)))) if by > 0 and self.places(value):
                return self.remainder(self.scope.polynomial(value), by)
            case ir.Op("bitand", (value, ir.Const(int(mask)))) if not mask & (mask + 1) and self.places(
                value
            ):
                return self.remainder(self.scope.polynomial(value), mask + 1)
            case ir.Op("not", (inner,)):
                return negation(self.value(inner))
            case ir.Op(name, (left, right), ir.Scalar(kind="b")) if name not in ("and", "or"):
                sides = [self.value(left), self.value(right)]
                if sides[0].type != sides[1].type:
                    sides = [cast(side, ir.I64) for side in sides]
                return ir.Op(name, tuple(sides), ir.BOOL)
        if self.is_index(expression) and (number := self.scope.polynomial(expression).constant) is not None:
            return ir.Const(number, expression.type)
        if self.is_index(expression) and (self.places(expression) or is_unsigned(expression)):
            found = self.scope.polynomial(expression)
            # A polynomial that has the expression itself as its unknown describes nothing.
            if isinstance(expression, ir.Symbol) or expression not in found.atoms:
                return self.integer(found.substitute(dict(self.coordinates)))
        changed = rebuild(
            expression, lambda node: self.value(node) if isinstance(node, ir.Expression) else node
        )
        if isinstance(changed, (ir.Op, ir.Call)) and isinstance(expression.type, ir.Scalar):
            wide = {argument.type for argument in changed.args}
            narrow = changed.type in (ir.I32, ir.U32) and changed.type not in wide
            if ir.I64 in wide and (len(wide) > 1 or narrow):  # some side is a coordinate now
                args = tuple(cast(argument, ir.I64) for argument in changed.args)
                changed = dataclasses.replace(changed, args=args, type=ir.I64)
        if isinstance(changed, ir.Select) and changed.yes.type != changed.no.type:
            changed = ir.Select(changed.condition, cast(changed.yes, ir.I64), cast(changed.no, ir.I64))
        return changed  # type: ignore[no-any-return]

    @staticmethod
    def converted(value: ir.Expression, scalar: ir.Scalar) -> ir.Expression:
        """A number as another one, or as a truth value: whether it is not 0."""
        if scalar.kind != "b" or value.type == scalar:
            return cast(value, scalar)
        wide = ir.Cast(value, ir.I32) if value.type.bits < 32 else value
        return ir.Op("ne", (wide, ir.Const(0, wide.type)), ir.BOOL)

    @staticmethod
    def is_index(expression: ir.Expression) -> bool:
        kind = expression.type
        return isinstance(kind, ir.Scalar) and kind.kind in "iu" and not isinstance(expression, ir.Call)

    def places(self, expression: ir.Expression) -> bool:
        """Whether an integer depends on where the cell is, or on a name that stands for something else."""
        return self.is_index(expression) and any(
            node in self.scope.known or node in self.coordinates
            for node in walk(expression)
            if isinstance(node, ir.Symbol)
        )

    def integer(self, value: Polynomial) -> ir.Expression:
        """A polynomial of coordinates as an expression of type i64."""
        inner = {
            own: atom(cast(self.value(own), ir.I64))
            for own in value.atoms
            if not isinstance(own, ir.Symbol) or own in self.renamed
        }
        return value.substitute(inner).expression()

    def remainder(self, value: Polynomial, by: int) -> ir.Expression:
        """`value % by` of a place, which must not be negative: there the sign of a remainder counts."""
        inner = {own: found for own in value.atoms if (found := self.same_remainder(own, by)) is not None}
        value = value.substitute(inner).substitute(dict(self.coordinates))
        first = value.substitute({own: Polynomial() for own in _COORDINATES}).constant
        if self.coordinates and first is not None and first < 0:
            raise refuse(
                self.place,
                f"The remainder of {value} by {by} is negative in some cells, where it starts at {first}.",
                f"add a multiple of {by} to make it positive",
            )
        if self.coordinates and (min(value.terms.values()) < 0 or len(value.atoms) > len(self.cell(value))):
            note = f"{self.place}: {value} is not negative where its remainder by {by} is taken"
            if note not in self.scope.assumptions:
                self.scope.assumptions.append(note)
        _, small = value.floored(by)
        if by & (by - 1) == 0:
            return ir.Op("bitand", (self.integer(small), integer(by - 1)), ir.I64)
        return ir.Op("rem", (self.integer(small), integer(by)), ir.I64)

    @staticmethod
    def cell(value: Polynomial) -> list[ir.Expression]:
        """The coordinates of the cell that a value depends on."""
        return [own for own in value.atoms if own in _COORDINATES]

    def same_remainder(self, own: ir.Expression, by: int) -> Polynomial | None:
        """What has the same remainder as `(...) % m`, for m a multiple of `by`: its operand."""
        while isinstance(own, ir.Cast):
            own = own.value
        match own:
            case ir.Op("rem", (value, ir.Const(int(outer)))) if outer and outer % by == 0:
                return self.scope.polynomial(value)
            case ir.Op("bitand", (value, ir.Const(int(mask)))) if not (mask + 1) % by and not mask & (
                mask + 1
            ):
                return self.scope.polynomial(value)
        return None


def cast(value: ir.Expression, scalar: ir.Scalar) -> ir.Expression:
    """A conversion where one is needed."""
    if value.type == scalar:
        return value
    if isinstance(value, ir.Const) and isinstance(value.value, int):
        if scalar == ir.I64:
            return integer(value.value)
        if scalar.is_float and abs(value.value) < 1 << 24:
            return ir.Const(float(value.value), scalar)
    return ir.Cast(single(value) if scalar == ir.F64 else value, scalar)
