# SPDX-License-Identifier: Apache-2.0
"""Loop nests of a lifted function: the box that each runs over and what it does in a cell.

before   loop j in [1, ny - 1) { loop i in [1, nx - 1) { if flag[i + j*nx] == 1 { ... } } }
after    Nest(axes=(j: 1 .. ny - 1, i: 1 .. nx - 1), body=(if flag[...] == 1 { ... },))
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.hash_consing import Node
from heddle.ir.visit import statements, walk
from heddle.lift import polynomial
from heddle.lift.conditions import all_of, conjuncts
from heddle.lift.lifted import Lifted, refuse
from heddle.lift.local_arrays import local_arrays, with_variables
from heddle.lift.polynomial import Polynomial
from heddle.lift.scope import Scope, counters_in, digits_of, is_unsigned
from heddle.lift.unroll import is_short, unrolled, written_out

Body = tuple[ir.Statement, ...]
DEPTH = 3
"""The most axes of a box."""


@dataclass(frozen=True)
class Axis:
    """A counter over [begin, end), whatever way the source counts. reverse: from the last to the first.
    condition: what else holds of the counter, where the source takes steps."""

    counter: ir.Symbol
    begin: Polynomial
    end: Polynomial
    reverse: bool
    condition: ir.Expression | None
    kind: str = "serial"


@dataclass(frozen=True)
class Nest:
    """Loops around each other and the body of the innermost one, which may hold sweeps along another axis.
    results: variables declared outside that collect a value over all cells."""

    axes: tuple[Axis, ...]
    body: Body
    scope: Scope
    results: dict[ir.Symbol, ir.Expression | None]
    place: Place


@dataclass(frozen=True)
class Finish:
    """What a function computes from results in the end, such as a root: `name` receives `value`."""

    name: str
    value: ir.Expression
    results: tuple[ir.Symbol, ...]


@dataclass(frozen=True)
class Function:
    """The nests of a function in order, and the outputs that the function stores after them: results, and
    what it computes from them."""

    loop_nests: tuple[Nest, ...]
    outputs: dict[str, str]
    finishes: tuple[Finish, ...] = ()


def loop_nests(lifted: Lifted) -> Function:
    """Split a function into its nests. Raises KernelError where something happens outside them."""
    finder = _Finder(lifted)
    finder.block(lifted.body, (), finder.scope)
    if not finder.found:
        raise refuse(
            lifted.place, f"'{lifted.name}' has no loop over elements.", "lift a function with loops"
        )
    return Function(tuple(finder.found), finder.outputs, tuple(finder.finishes))


class _Finder:
    def __init__(self, lifted: Lifted) -> None:
        self.place = lifted.place
        self.scope = Scope(place=lifted.place)
        self.found: list[Nest] = []
        self.outputs: dict[str, str] = {}
        self.finishes: list[Finish] = []
        self.outputs_done: set[ir.Symbol] = set()
        self.results: dict[ir.Symbol, ir.Expression | None] = {}

    def block(self, body: Sequence[ir.Statement], outer: Body, scope: Scope) -> None:
        """Statements outside all loops. outer: values and conditions around them, each an If or a Let."""
        values: list[ir.Statement] = []
        for statement in body:
            self.place = getattr(statement, "place", self.place)
            match statement:
                case ir.Comment():
                    pass
                case ir.Let():
                    if not scope.names(statement):
                        values.append(statement)
                case ir.Var(symbol, value):
                    self.results[symbol] = value
                    scope.variables.add(symbol.name)
                case ir.If(condition, inner) if _has_loops(inner):
                    guard = ir.If(condition, (), place=self.place)
                    self.block(inner, (*outer, *values, guard), scope)
                case ir.Loop(_, counter) if _repeats(statement):
                    scope.assumptions.append(
                        f"the loop over '{counter.name}' around it stays with the caller"
                    )
                    self.block(statement.body, (*outer, *values), scope.inner())
                case ir.Loop() if (
                    is_short(statement, scope, 0) and _has_loops(statement.body) and not _indexes(statement)
                ):
                    self.block(written_out(statement, scope), (*outer, *values), scope.inner())
                case ir.Loop():
                    self.nest(statement, (*outer, *values), scope.inner())
                case ir.Store(ir.Load() as target, value) if used := self.results_in(value):
                    self.output(target, value, used, statement.place, scope)
                case ir.Local(symbol, _, space):
                    raise refuse(
                        self.place,
                        f"'{symbol.name}' is an array in {space} memory. That belongs to the schedule of "
                        "a kernel, not to its model.",
                        "lift the loop without it; Schedule sets how the generated kernel runs",
                    )
                case _:
                    raise refuse(
                        self.place, "There is work outside the loops over cells.",
                        "lift a function that does all its work in loops",
                    )  # fmt: skip

    def results_in(self, value: ir.Expression) -> list[ir.Symbol]:
        """The variables that collect something which a value is computed from."""
        return [s for s in self.results if any(node is s for node in walk(value))]

    def output(
        self, target: ir.Load, value: ir.Expression, used: list[ir.Symbol], place: Place, scope: Scope
    ) -> None:
        """A result is stored: as it is, or after a last computation, which stays with the caller."""
        pointer, index = scope.element(target)
        if index.constant is None:
            raise refuse(place, "A result is stored at an index that is not constant.")
        for symbol in used:
            if not any(symbol in nest.results for nest in self.found):
                raise refuse(place, f"'{symbol.name}' is stored before it is computed.")
            self.outputs_done.add(symbol)
        name = pointer.name + (f"_{index.constant}" if index.constant else "")
        if name in self.outputs.values() or name in (finish.name for finish in self.finishes):
            raise refuse(place, f"'{name}' is stored twice.")
        if isinstance(value, ir.Symbol) and value.name not in self.outputs:
            self.outputs[value.name] = name
            return
        if any(isinstance(node, (ir.Load, ir.Access)) for node in walk(value)):
            raise refuse(
                place,
                f"'{name}' is computed from results and from memory in one expression.",
                "store the result first",
            )
        self.finishes.append(Finish(name, value, tuple(used)))

    def nest(self, loop: ir.Loop, outer: Body, scope: Scope) -> None:
        self.place = scope.place = next(
            (s.place for s in statements((loop,)) if hasattr(s, "place")), self.place
        )
        axes: list[Axis] = []
        wrapping: list[ir.Statement] = list(outer)
        body: Body = (loop,)
        while (inner := self.only_loop(body, wrapping, scope, len(axes))) is not None:
            axes += self.axes(inner, scope)
            body = self.unguarded(inner.body, wrapping, scope)
        if len(axes) > DEPTH:
            raise refuse(self.place, f"There are {len(axes)} nested loops; at most three are supported.")
        arrays = local_arrays(body)
        body = with_variables(tuple(unrolled(body, scope, len(axes), arrays)), scope, self.place)
        axes, rest = self.tightened(axes, (*wrapping, _RESULT), scope)
        results = {s: v for s, v in self.results.items() if s in _assigned(body)}
        self.check_assigned(body, results)
        self.found.append(Nest(tuple(axes), _wrapped(rest, body), scope, results, self.place))

    def check_assigned(self, body: Body, results: Mapping[ir.Symbol, object]) -> None:
        """What a nest changes is its own, or a result of this nest alone."""
        own = {s.symbol for s in statements(body) if isinstance(s, ir.Var)}
        for symbol in sorted(_assigned(body) - own, key=lambda s: s.name):
            if symbol not in results:
                raise refuse(self.place, f"The argument '{symbol.name}' is assigned in the loop.")
            if symbol in self.outputs_done or any(symbol in nest.results for nest in self.found):
                raise refuse(
                    self.place, f"'{symbol.name}' is accumulated in two loops.",
                    "accumulate two values, and combine them in the caller",
                )  # fmt: skip

    def only_loop(self, body: Body, wrapping: list[ir.Statement], scope: Scope, depth: int) -> ir.Loop | None:
        """The loop that is all that a body does, below values and conditions."""
        last = body[-1] if body else None
        named = [s for s in body[:-1] if not isinstance(s, ir.Comment)]
        if not all(isinstance(s, ir.Let) for s in named):
            return None
        if isinstance(last, ir.If) and _has_loops(last.body):
            inside = last
            mark = len(wrapping)
            wrapping += [s for s in named if not scope.names(s)]
            wrapping.append(ir.If(inside.condition, (), place=inside.place))
            found = self.only_loop(inside.body, wrapping, scope, depth)
            if found is None:
                del wrapping[mark:]
            return found
        if not isinstance(last, ir.Loop) or (depth and is_short(last, scope, depth)):
            return None
        wrapping += [s for s in named if not scope.names(s)]
        return last

    @staticmethod
    def unguarded(body: Body, wrapping: list[ir.Statement], scope: Scope) -> Body:
        """The statements under a condition that is around all the work of a body."""
        while body and isinstance(body[-1], ir.If) and not _has_loops(body[-1].body):
            named = [s for s in body[:-1] if not isinstance(s, ir.Comment)]
            if not all(isinstance(s, ir.Let) for s in named):
                break
            wrapping += [s for s in named if not scope.names(s)]
            wrapping.append(dataclasses.replace(body[-1], body=()))
            body = body[-1].body
        return body

    def axes(self, loop: ir.Loop, scope: Scope) -> list[Axis]:
        """The axis of a loop, or the axes that its counter numbers."""
        axis = axis_of(loop, scope)
        if axis.begin == Polynomial() and axis.condition is None:
            digits = digits_of(loop, scope, axis.end)
            if digits is not None:
                scope.digits += (digits,)
                whole = Polynomial()
                for symbol, stride in zip(digits.symbols, digits.strides, strict=True):
                    whole += polynomial.atom(symbol) * stride
                scope.known[loop.counter] = whole
                none = Polynomial()
                made = [
                    Axis(s, none, extent, False, None, loop.kind)
                    for s, extent in zip(digits.symbols, digits.extents, strict=True)
                ]
                return made[::-1]
        return [axis]

    def tightened(
        self, axes: list[Axis], wrapping: Sequence[ir.Statement], scope: Scope
    ) -> tuple[list[Axis], list[ir.Statement]]:
        """Conditions on one counter alone, around all the work, become bounds of its axis."""
        rest: list[ir.Statement] = []
        for statement in wrapping:
            if not isinstance(statement, ir.If):
                rest.append(statement)
                continue
            kept = []
            before, scope.place = scope.place, statement.place
            for condition in conjuncts(statement.condition):
                if not any(self.bound(axes, at, condition, scope) for at in range(len(axes))):
                    kept.append(condition)
            scope.place = before
            if kept:
                rest.append(dataclasses.replace(statement, condition=all_of(kept)))
        return axes, rest

    @staticmethod
    def bound(axes: list[Axis], at: int, condition: ir.Expression, scope: Scope) -> bool:
        """Whether a condition is a bound of an axis, which is then made narrower."""
        axis = axes[at]
        found = bound_of(condition, axis.counter, [a.counter for a in axes], scope)
        if found is None:
            return False
        lower, limit = found
        old = axis.begin if lower else axis.end
        apart = (limit - old).constant
        if apart is None:
            return False
        if (apart > 0) == lower and apart:
            begin, end = (limit, axis.end) if lower else (axis.begin, limit)
            axes[at] = dataclasses.replace(axis, begin=begin, end=end)
        return True


_RESULT = ir.Comment("")


def _wrapped(rest: Sequence[ir.Statement], body: Body) -> Body:
    """The body of a cell under the values and conditions around it."""
    for statement in reversed(rest):
        if isinstance(statement, ir.If):
            body = (dataclasses.replace(statement, body=body),)
        elif statement is not _RESULT:
            body = (statement, *body)
    return body


def axis_of(loop: ir.Loop, scope: Scope) -> Axis:
    """The range of a loop, counted upwards."""
    assert isinstance(loop.step, ir.Const)
    step = int(loop.step.value)
    begin, end = scope.polynomial(loop.begin), scope.polynomial(loop.end)
    for bound in (begin, end):
        if any(isinstance(node, ir.Load) for atom in bound.atoms for node in walk(atom)):
            raise refuse(
                scope.place, f"The bounds of the loop over '{loop.counter.name}' are loaded from memory."
            )
    condition = None
    low, shift = _start_parity(begin)
    if abs(step) != 1:
        counted = ir.Op("sub", (ir.Cast(loop.counter, ir.I64), low.expression()), ir.I64)
        for part in shift:
            counted = ir.Op("add" if step > 0 else "sub", (counted, ir.Cast(part, ir.I64)), ir.I64)
        if step < 0 and shift:
            raise refuse(
                scope.place, f"The loop over '{loop.counter.name}' counts down and begins at a remainder."
            )
        condition = ir.Op("eq", (ir.Op("rem", (counted, integer(abs(step))), ir.I64), integer(0)), ir.BOOL)
    elif shift:
        raise refuse(scope.place, f"The loop over '{loop.counter.name}' begins at a remainder.")
    low, high = (low, end) if step > 0 else (end + 1, begin + 1)
    scope.spans[loop.counter] = low, high - 1
    if low.constant is not None and high.constant is not None:
        scope.ranges[loop.counter] = low.constant, high.constant - 1
    return Axis(loop.counter, low, high, step < 0, condition, loop.kind)


def _start_parity(begin: Polynomial) -> tuple[Polynomial, list[ir.Expression]]:
    """A start such as `1 + (j + colour) % 2`: the least one, and the remainders added to it."""
    parts = [
        atom
        for atom in begin.atoms
        if isinstance(_bare(atom), ir.Op) and _bare(atom).name in ("rem", "bitand")  # type: ignore[attr-defined]
    ]
    low = begin
    for part in parts:
        if begin.coefficient(part).constant != 1:
            return begin, []
        low -= polynomial.atom(part)
    return low, parts


def bound_of(
    condition: ir.Expression, counter: ir.Symbol, counters: Sequence[ir.Symbol], scope: Scope
) -> tuple[bool, Polynomial] | None:
    """(True, b) for counter >= b, (False, b) for counter < b, None for another condition."""
    if not (isinstance(condition, ir.Op) and condition.name in ("lt", "le", "gt", "ge")):
        return None
    if condition.args[0].type.kind not in "iu":
        return None
    for side in condition.args:
        if is_unsigned(side):
            scope.check_wrap(side)
    left, right = map(scope.polynomial, condition.args)
    if condition.name in ("gt", "ge"):
        left, right = right, left
    room = right - left - (condition.name in ("lt", "gt"))  # at least 0 where the condition holds
    factor = room.coefficient(counter).constant
    if factor not in (1, -1) or counters_in(room, counters) != [counter]:
        return None
    rest = room - polynomial.atom(counter) * factor
    if any(isinstance(node, ir.Load) for atom in rest.atoms for node in walk(atom)):
        return None
    return (True, -rest) if factor == 1 else (False, rest + 1)


def one_repetition(body: Sequence[ir.Statement]) -> tuple[Body, tuple[str, ...]]:
    """A body with one iteration of each loop that stays with the caller, and the counters of these loops."""
    result: list[ir.Statement] = []
    counters: list[str] = []
    for statement in body:
        if not (isinstance(statement, (ir.If, ir.Loop)) and _has_loops(statement.body)):
            result.append(statement)
            continue
        repeats = isinstance(statement, ir.Loop) and _repeats(statement)
        if not repeats and isinstance(statement, ir.Loop):
            result.append(statement)
            continue
        inner, more = one_repetition(statement.body)
        counters += [statement.counter.name, *more] if isinstance(statement, ir.Loop) else more
        result += inner if repeats else [dataclasses.replace(statement, body=inner)]
    return tuple(result), tuple(counters)


def _repeats(loop: ir.Loop) -> bool:
    """A loop over nests that does not tell them which iteration it is: time steps."""
    return _has_loops(loop.body) and all(node is not loop.counter for node in walk(loop.body))


def _has_loops(body: Sequence[ir.Statement]) -> bool:
    return any(isinstance(statement, ir.Loop) for statement in statements(body))


def _indexes(loop: ir.Loop) -> bool:
    """Whether elements of arrays are chosen by a counter, not only the loops inside by it, such as those of a
    colour."""
    chosen: set[Node] = {loop.counter}
    for node in walk(loop.body):
        if isinstance(node, ir.Let) and any(n in chosen for n in walk(node.value)):
            chosen.add(node.symbol)
    return any(n in chosen for node in walk(loop.body) if isinstance(node, ir.Load) for n in walk(node))


def _bare(value: ir.Expression) -> ir.Expression:
    while isinstance(value, ir.Cast):
        value = value.value
    return value


def _assigned(body: Iterable[ir.Statement]) -> set[ir.Symbol]:
    return {s.symbol for s in statements(body) if isinstance(s, ir.Assign)}
