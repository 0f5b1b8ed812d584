# SPDX-License-Identifier: Apache-2.0
"""One name, one value: variables that change become names for each value, and what a cell stores and reads
again is read from a name.

before   var s = 0; if c { assign s = a }; store r[0] = s; store r[0] = r[0] + b
after    let s = select(c, a, 0); let r_new = s; store r[0] = add(r_new, b)

These are the rules of a model: a symbol names one value, and no cell reads what it has stored.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.errors import NOWHERE, Place
from heddle.ir import nodes as ir
from heddle.ir.hash_consing import Node
from heddle.ir.visit import evaluated, statements, transform_expressions, walk
from heddle.lift.conditions import are_opposite, negation
from heddle.lift.lifted import refuse

Values = dict[ir.Symbol, ir.Expression | None]
Memory = dict[ir.Expression, ir.Expression]


class Namer:
    """Names that are still free. wanted: what each was called in the source. partial: those of values on the
    way to a variable's last one."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = set(taken)
        self.wanted: dict[ir.Symbol, str] = {}
        self.partial: set[ir.Symbol] = set()

    def __call__(self, wanted: str, kind: object, partial: bool = False) -> ir.Symbol:
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        symbol = ir.Symbol(name, kind)  # type: ignore[arg-type]
        self.wanted[symbol] = wanted
        if partial:
            self.partial.add(symbol)
        return symbol


@dataclasses.dataclass
class State:
    """What variables and elements hold at a point of the program; None: nothing yet."""

    values: Values
    memory: Memory

    def copy(self) -> State:
        return State(dict(self.values), dict(self.memory))

    def read(self, expression: ir.Expression, place: Place) -> ir.Expression:
        """An expression with the present values in it."""

        def present(node: ir.Expression) -> ir.Expression:
            if isinstance(node, ir.Symbol) and node in self.values:
                value = self.values[node]
                if value is None:
                    raise refuse(place, f"'{node.name}' is not assigned on every path to this point.")
                return value
            return self.memory.get(node, node)

        return transform_expressions(expression, present)  # type: ignore[no-any-return]


def single_values(
    body: Sequence[ir.Statement], state: State, namer: Namer, later: Sequence[ir.Statement] = ()
) -> list[ir.Statement]:
    """The statements with one name per value; `state` holds the last values afterwards. later: what follows
    the body, and may read what it stores."""
    result: list[ir.Statement] = []
    place = NOWHERE
    at = 0
    while at < len(body):
        statement = body[at]
        rest = (*body[at + 1 :], *later)
        place = getattr(statement, "place", place)
        at += 1
        match statement:
            case ir.Let(symbol, value) if symbol.type == ir.BOOL and not _stores_what(value, rest):
                state.values[symbol] = state.read(value, place)
            case ir.Let(symbol, value):
                named = namer(symbol.name, symbol.type)
                result.append(ir.Let(named, state.read(value, place), place))
                state.values[symbol] = named
            case ir.Var(symbol, value):
                state.values[symbol] = None
                if value is not None:
                    _set(symbol, state.read(value, place), place, state, namer, result)
            case ir.Assign(symbol, value):
                _set(symbol, state.read(value, place), place, state, namer, result)
            case ir.Store():
                _store(statement, rest, state, namer, result)
            case ir.If(condition, inner):
                chosen = state.read(condition, place)
                other: tuple[ir.Statement, ...] = ()
                beside = body[at] if at < len(body) else None
                if isinstance(beside, ir.If) and are_opposite(condition, beside.condition):
                    other, at = beside.body, at + 1
                following = (*body[at:], *later)
                _if(chosen, inner, other, place, following, state, namer, result)
            case ir.While():
                result.append(_while(statement, state, namer))
            case ir.Reduce(operation, output, value):
                result.append(ir.Reduce(operation, output, state.read(value, place), place))
            case _:
                result.append(statement)
    return result


def _stores_what(value: ir.Expression, body: Sequence[ir.Statement]) -> bool:
    """Whether a body stores to a field that a value reads: then the value has to be named before."""
    read = {node.field for node in walk(value) if isinstance(node, ir.Access)}
    return any(isinstance(s, ir.Store) and s.target.field in read for s in statements(body))  # type: ignore[union-attr]


def _set(
    symbol: ir.Symbol, value: ir.Expression, place: Place, state: State, namer: Namer,
    result: list[ir.Statement],
) -> None:  # fmt: skip
    if isinstance(value, (ir.Const, ir.Symbol)):
        state.values[symbol] = value
        return
    named = namer(symbol.name, symbol.type, partial=True)
    result.append(ir.Let(named, value, place))
    state.values[symbol] = named


def _store(
    store: ir.Store, rest: Sequence[ir.Statement], state: State, namer: Namer, result: list[ir.Statement]
) -> None:
    """A store; its value gets a name where it is read again, and an earlier store of the element goes."""
    assert isinstance(store.target, ir.Access)
    value = state.read(store.value, store.place)
    if any(node is store.target for node in evaluated(rest)):
        if not isinstance(value, (ir.Const, ir.Symbol)):
            named = namer(f"{store.target.field.name}_new", store.target.type, partial=True)
            result.append(ir.Let(named, value, store.place))
            value = named
        state.memory[store.target] = value
    else:
        state.memory.pop(store.target, None)
    result[:] = [s for s in result if not (isinstance(s, ir.Store) and s.target is store.target)]
    result.append(ir.Store(store.target, value, False, store.place))


def _if(
    condition: ir.Expression,
    yes: Sequence[ir.Statement],
    no: Sequence[ir.Statement],
    place: Place,
    following: Sequence[ir.Statement],
    state: State,
    namer: Namer,
    result: list[ir.Statement],
) -> None:
    """Both sides of a condition. Variables they change become selects before them; what they store stays
    under the condition."""
    before = state.copy()
    sides: list[list[ir.Statement]] = []
    after: list[State] = []
    for body in (yes, no):
        own = before.copy()
        sides.append(single_values(body, own, namer, following))
        after.append(own)
    changed = [s for s in before.values if any(own.values[s] is not before.values[s] for own in after)]
    for symbol in changed:
        first, second = (_expanded(own.values[symbol], side) for own, side in zip(after, sides, strict=True))
        if first is None or second is None:
            state.values[symbol] = None
            continue
        merged = first if first is second else ir.Select(condition, first, second)
        named = namer(symbol.name, symbol.type)
        result.append(ir.Let(named, merged, place))
        state.values[symbol] = named
    for target in {**after[0].memory, **after[1].memory}:
        first, second = (
            _expanded(own.memory.get(target, target), side) for own, side in zip(after, sides, strict=True)
        )
        if first is not second and any(node is target for node in evaluated(following)):
            assert first is not None
            assert second is not None
            named = namer(f"{target.field.name}_new", target.type)  # type: ignore[attr-defined]
            result.append(ir.Let(named, ir.Select(condition, first, second), place))
            state.memory[target] = named
    _join_stores(condition, sides, place, result)
    _join_sides(condition, sides, place, result)
    for side, chosen in zip(sides, (condition, negation(condition)), strict=True):
        kept = _needed(side)
        if kept:
            result.append(ir.If(chosen, tuple(kept), place=place))


def _while(loop: ir.While, state: State, namer: Namer) -> ir.While:
    """Rounds; what they assign is carried from one to the next, if it is known before the first."""
    for statement in statements(loop.body):
        if isinstance(statement, (ir.Store, ir.Reduce, ir.Loop)):
            raise refuse(
                getattr(statement, "place", loop.place),
                "Each round of the loop stores or sums something, or is a loop over cells itself.",
                "change variables in the loop, and store them behind it",
            )
    assigned = {s.symbol for s in statements(loop.body) if isinstance(s, ir.Assign)}
    carried = {symbol: namer(symbol.name, symbol.type) for symbol in state.values if symbol in assigned}
    initial = tuple(state.read(symbol, loop.place) for symbol in carried)
    state.values.update(carried)
    inner = state.copy()
    condition = inner.read(loop.condition, loop.place)
    body = single_values(loop.body, inner, namer)
    update = tuple(inner.read(symbol, loop.place) for symbol in carried)
    names = tuple(carried.values())
    return ir.While(
        ir.Symbol("trip", ir.I64), loop.at_most, condition, names, initial, tuple(body), update, loop.place
    )


def _join_stores(
    condition: ir.Expression, sides: list[list[ir.Statement]], place: Place, result: list[ir.Statement]
) -> None:
    """What is stored anyway and stored anew under a condition is stored once, chosen by the condition."""
    for at, earlier in enumerate(result):
        if not isinstance(earlier, ir.Store):
            continue
        anew = [
            next((s for s in side if isinstance(s, ir.Store) and s.target is earlier.target), None)
            for side in sides
        ]
        if not any(anew):
            continue
        values = [
            _expanded(store.value, side) if store else earlier.value
            for store, side in zip(anew, sides, strict=True)
        ]
        first, second = values
        assert first is not None
        assert second is not None
        result[at] = ir.Comment("")
        result.append(ir.Store(earlier.target, ir.Select(condition, first, second), False, place))
        sides[:] = [[s for s in side if s not in anew] for side in sides]
    result[:] = [s for s in result if s != ir.Comment("")]


def _join_sides(
    condition: ir.Expression, sides: list[list[ir.Statement]], place: Place, result: list[ir.Statement]
) -> None:
    """What both sides store, and one of them reads, is stored once: in a model no cell reads what it has
    stored."""
    stored = [{s.target: s for s in side if isinstance(s, ir.Store)} for side in sides]
    for target in stored[0].keys() & stored[1].keys():
        if any(node is target for side in sides for node in evaluated(side)):
            values = [_expanded(own[target].value, side) for own, side in zip(stored, sides, strict=True)]
            first, second = values
            assert first is not None
            assert second is not None
            result.append(ir.Store(target, ir.Select(condition, first, second), False, place))
            sides[:] = [
                [s for s in side if s is not own[target]] for own, side in zip(stored, sides, strict=True)
            ]


def _expanded(value: ir.Expression | None, body: Sequence[ir.Statement]) -> ir.Expression | None:
    """A value without the names that are only known inside a body."""
    for statement in reversed(body):
        if value is not None and isinstance(statement, ir.Let):
            inner: ir.Let = statement
            value = transform_expressions(value, lambda n, let=inner: let.value if n is let.symbol else n)  # type: ignore[misc]
    return value


def _needed(body: Sequence[ir.Statement]) -> list[ir.Statement]:
    """A body without the names that nothing in it uses."""
    kept: list[ir.Statement] = []
    used: set[Node] = set()
    for statement in reversed(body):
        if isinstance(statement, ir.Let) and statement.symbol not in used:
            continue
        kept.append(statement)
        parts = [statement.value] if isinstance(statement, ir.Let) else [statement]
        used |= {node for node in walk(parts) if isinstance(node, ir.Symbol)}
    return kept[::-1]


def used_names(body: Sequence[ir.Statement]) -> list[ir.Statement]:
    """A kernel's body without the names that nothing uses."""
    return _needed(body)
