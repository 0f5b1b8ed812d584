# SPDX-License-Identifier: Apache-2.0
"""Rounds that stand in functions of an object with the lanes of a strip, read back as loops over arrays.

The members become arrays of the kernel, and calls the loops of the functions. What then differs from the
kernel that was lowered is undone on both sides:

- loops over the same lanes, one after the other, are one loop: each lane touches its own elements alone;
- of such a loop it counts what it names, and what each array holds at its end. An element that it stored
  before is read as that value, so arrays between functions, which nothing else reads, say nothing;
- a loop over all lanes behind one over the cells of the strip is part of that one. Lanes beyond the row then
  hold other numbers, which is checked to be seen by none of its cells;
- names of numbers are these numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer
from heddle.ir.visit import distinct, statements, transform, transform_expressions, walk
from heddle.roundtrip.canonical import Body
from heddle.roundtrip.file_text import Lanes
from heddle.roundtrip.kernel import DifferenceError

_NUMBERS = (ir.Const, ir.Op, ir.Cast)
_OF_ANY_NUMBER = frozenset(("add", "and", "or", "not", "lt", "le", "gt", "ge", "eq", "ne", "min", "max"))
"""Operations on integers that are defined whatever a lane beyond the row holds: sums there count rounds."""


class Rounds:
    """The functions of one kernel function. lanes: their object, as the text defines it. lowered: the kernel
    from which they were printed."""

    def __init__(self, unit: source.Unit, lanes: Lanes, lowered: ir.Kernel) -> None:
        self.lanes = lanes
        self.functions = {f.key: f for f in round_functions(unit, lanes.name)}
        self.arrays = tuple(s.symbol for s in statements(lowered.body) if isinstance(s, ir.Local))
        if len(self.arrays) > len(lanes.members):
            raise DifferenceError(
                f"{lanes.name} has {len(lanes.members)} members for {len(self.arrays)} arrays"
            )
        if len({member.length for member in lanes.members}) != 1:
            raise DifferenceError(f"the arrays of {lanes.name} differ in length")
        self.length = integer(lanes.members[0].length)
        names = [array.name for array in self.arrays]
        self.names = {
            member.name: names[n] if n < len(names) else f"{lanes.name}.{member.name}"
            for n, member in enumerate(lanes.members)
        }
        """Of the arrays that stand for members: the first are those of the kernel, in order."""
        self._all = frozenset(self.names.values())
        self.called: list[str] = []
        self.cells: list[ir.Loop] = []
        """Over the cells of a strip, which one over all lanes has become a part of."""

    # From the record to one function

    def whole(self, function: source.Function) -> source.Function:
        """The kernel function with loops in place of calls. Raises DifferenceError where it uses the object
        or the functions in another way."""
        self.called = []
        body = tuple(self._in_place(without_numbers(function.body)))
        if sorted(self.called) != sorted(self.functions):
            raise DifferenceError(
                f"not each of the {len(self.functions)} functions of its rounds is called once"
            )
        for node in distinct(body):
            if isinstance(node, source.Declaration) and _is_object(node.symbol, self.lanes.name):
                raise DifferenceError(f"'{node.symbol.name}' is another object of the lanes")
        return dataclasses.replace(function, body=body)

    def _in_place(self, body: Iterable[ir.Statement]) -> Iterator[ir.Statement]:
        for statement in body:
            match statement:
                case source.Declaration(ir.Symbol(_, source.Record(self.lanes.name)), place=place):
                    for member in self.lanes.members:
                        symbol = ir.Symbol(self.names[member.name], source.Array(member.type, member.length))
                        value = source.Initializer((), symbol.type) if member.zeros else None
                        yield source.Declaration(symbol, value, False, place=place)
                case source.Evaluate(source.Invoke(key) as call) if key in self.functions:
                    yield from self._called(self.functions[key], call)
                case source.For(body=inner):
                    yield self._members(dataclasses.replace(statement, body=tuple(self._in_place(inner))))
                case _:
                    yield self._members(statement)

    def _called(self, function: source.Function, call: source.Invoke) -> Iterator[ir.Statement]:
        """The body of a function, whose parameters have the names of what is passed."""
        first, *others = function.parameters
        if len(call.args) != len(function.parameters) or call.args[0] != first.symbol or call.template:
            raise DifferenceError(f"{function.name} is not called with the object of the lanes")
        for given, parameter in zip(call.args[1:], others, strict=True):
            if given != parameter.symbol or parameter.reference or not isinstance(given.type, ir.Scalar):
                raise DifferenceError(f"{function.name} gets another value as {parameter.symbol.name}")
        body = without_numbers(function.body)
        if len(body) != 1 or not isinstance(body[0], source.For):
            raise DifferenceError(f"{function.name} is not one loop")
        self.called.append(function.key)
        yield from map(self._members, body)

    def _members(self, statement: ir.Statement) -> ir.Statement:
        """A statement with arrays in place of members."""

        def change(node: ir.Expression) -> ir.Expression:
            match node:
                case source.Member(ir.Symbol(_, source.Record(self.lanes.name)), name, kind):
                    return ir.Symbol(self.names[name], kind)
            return node

        changed: ir.Statement = transform_expressions(statement, change)
        return changed

    # Both sides in one form

    def plain(self, body: Body) -> Body:
        """The kernel that was lowered, without names of numbers."""
        return without_numbers(body)

    def normal(self, body: Body) -> Body:
        """A body, read or expected, in the one form. Raises DifferenceError where a cell may see what a lane
        beyond the row holds."""
        self.cells = []
        result = tuple(self._joined(body))
        for cells in self.cells:
            self._check_beyond(result, cells)
        return result

    def _joined(self, body: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
        waiting: list[ir.Loop] = []
        for statement in (*body, None):
            if isinstance(statement, ir.Loop) and self._own(statement) is not None:
                joined = self._together(waiting[0], statement) if waiting else None
                if joined is None:
                    yield from map(self._at_end, waiting)
                waiting = [joined or statement]
                continue
            yield from map(self._at_end, waiting)
            waiting = []
            if isinstance(statement, (ir.Loop, ir.While, ir.If)):
                yield dataclasses.replace(statement, body=tuple(self._joined(statement.body)))
            elif statement is not None and not self._between(statement):
                yield statement

    def _between(self, statement: ir.Statement) -> bool:
        """Whether it declares an array that functions hand on."""
        return isinstance(statement, ir.Local) and statement.symbol not in self.arrays

    def _is_array(self, node: ir.Expression) -> bool:
        return isinstance(node, ir.Symbol) and node.name in self._all

    def _is_over_lanes(self, loop: ir.Loop) -> bool:
        return (loop.begin, loop.end) == (integer(0), self.length)

    def _own(self, loop: ir.Loop) -> ir.Expression | None:
        """The index of the own lane in a loop that touches no other elements of the arrays, and stores to
        nothing else. None for other loops."""
        if loop.kind not in ("serial", "simd") or loop.reductions or loop.step != integer(1):
            return None
        own = loop.counter if self._is_over_lanes(loop) else ir.Op("sub", (loop.counter, loop.begin), ir.I64)
        for s in loop.body:
            match s:
                case ir.Let(symbol) if isinstance(symbol.type, ir.Scalar):
                    pass
                case ir.Store(ir.Load(array, index)) if self._is_array(array) and index == own:
                    pass
                case _:
                    return None
        for node in distinct(s.value for s in loop.body if isinstance(s, (ir.Let, ir.Store))):
            match node:
                case ir.Load(array, index) if self._is_array(array) and index != own:
                    return None
                case ir.Call(args=args) if any(map(self._is_array, args)):
                    return None
        return own

    def _together(self, first: ir.Loop, second: ir.Loop) -> ir.Loop | None:
        """Two loops, one after the other, as one."""
        if first.kind != second.kind or not self._is_over_lanes(second):
            return None
        if self._is_over_lanes(first):
            lane: ir.Expression = first.counter
        else:
            self._check_any_number(second)
            self.cells.append(first)
            lane = ir.Op("sub", (first.counter, first.begin), ir.I64)

        def own(node: ir.Expression) -> ir.Expression:
            return lane if node == second.counter else node

        behind = (transform_expressions(s, own) for s in second.body)
        return dataclasses.replace(first, body=(*first.body, *behind))

    def _at_end(self, loop: ir.Loop) -> ir.Loop:
        """A loop over lanes as the values that it names, and what each array of the kernel holds at its end;
        elements in them are those at its begin."""
        held: dict[ir.Expression, ir.Expression] = {}
        named: dict[ir.Expression, ir.Expression] = {}
        values: list[ir.Statement] = []

        def now(node: ir.Expression) -> ir.Expression:
            return named.get(node, node) if isinstance(node, ir.Symbol) else held.get(node, node)

        for s in loop.body:
            match s:
                case ir.Let(symbol, value):
                    value = transform(value, now)
                    if isinstance(value, (ir.Load, ir.Symbol)):
                        named[symbol] = value
                    else:
                        values.append(ir.Let(symbol, value))
                case ir.Store(ir.Load() as element, value):
                    held[element] = transform(value, now)
        stored = {
            load.pointer.name: ir.Store(load, value)
            for load, value in held.items()
            if isinstance(load, ir.Load)
        }
        kept = [stored[array.name] for array in self.arrays if array.name in stored]
        return dataclasses.replace(loop, body=(*values, *kept))

    # Lanes beyond the row

    def _check_any_number(self, loop: ir.Loop) -> None:
        """Raises DifferenceError where a loop over all lanes may not be run with any numbers in those beyond
        the row."""
        for node in distinct(s.value for s in loop.body if isinstance(s, (ir.Let, ir.Store))):
            match node:
                case ir.Load(array, index) if not self._is_array(array) and not isinstance(index, ir.Const):
                    raise DifferenceError(f"lanes beyond the row read elements of {array.name}")
                case ir.Op(name, _, ir.Scalar("i" | "u")) if name not in _OF_ANY_NUMBER:
                    raise DifferenceError(f"lanes beyond the row compute '{name}' of integers")
                case ir.Cast(value, ir.Scalar("i" | "u")) if value.type.is_float:
                    raise DifferenceError("lanes beyond the row round to an integer")

    def _check_beyond(self, body: Sequence[ir.Statement], cells: ir.Loop) -> None:
        """Raises DifferenceError where anything but a loop over lanes, or over the same cells, reads one."""
        count = ir.Op("sub", (cells.end, cells.begin), ir.I64)
        for s in body:
            inner = getattr(s, "body", ())
            if isinstance(s, ir.Loop) and self._is_over_lanes(s) and self._own(s) is not None:
                self._check_any_number(s)
                continue
            if isinstance(s, ir.Loop) and (s.begin, s.end, s.step) == (cells.begin, cells.end, integer(1)):
                own = ir.Op("sub", (s.counter, s.begin), ir.I64)
                seen = {n for n in distinct(inner) if isinstance(n, ir.Load) and self._is_array(n.pointer)}
                whole = [
                    n for n in distinct(inner) if isinstance(n, ir.Call) and any(map(self._is_array, n.args))
                ]
                if whole or any(load.index != own for load in seen):
                    raise DifferenceError("a cell reads the lane of another one")
                continue
            for part in s.children:
                if part in inner or isinstance(s, ir.Local):
                    continue
                for node in distinct(part):
                    match node:
                        case ir.Load(array) if self._is_array(array):
                            raise DifferenceError(f"{array.name} is read outside of the lanes' loops")
                        case ir.Call(name, args) if any(map(self._is_array, args)):
                            if name != "any_lane" or args[1] != count:
                                raise DifferenceError(f"{name} may read lanes beyond the row")
            self._check_beyond(inner, cells)


def round_functions(unit: source.Unit, lanes: str) -> list[source.Function]:
    """The functions of a file that get an object of lanes first."""
    firsts = [(f, f.parameters[0]) for f in unit.functions if f.main and f.parameters]
    return [f for f, first in firsts if first.reference and _is_object(first.symbol, lanes)]


def _is_object(symbol: ir.Symbol, lanes: str) -> bool:
    match symbol:
        case ir.Symbol(_, source.Record(name)):
            return name == lanes
    return False


def without_numbers(body: Sequence[ir.Statement]) -> Body:
    """Statements with numbers in place of the names that the outermost of them give to numbers."""
    numbers: dict[ir.Expression, ir.Expression] = {}
    declared = [s.symbol.name for s in walk(body) if isinstance(s, (ir.Let, source.Declaration))]
    kept: list[ir.Statement] = []
    for s in body:
        match s:
            case source.Declaration(symbol, value, constant=True) | ir.Let(symbol, value) if (
                isinstance(symbol.type, ir.Scalar)
                and value is not None
                and all(
                    isinstance(node, _NUMBERS) for node in distinct(value) if isinstance(node, ir.Expression)
                )
                and declared.count(symbol.name) == 1
            ):
                numbers[symbol] = value
            case _:
                kept.append(s)
    if not numbers:
        return tuple(body)
    return tuple(transform_expressions(s, lambda node: numbers.get(node, node)) for s in kept)
