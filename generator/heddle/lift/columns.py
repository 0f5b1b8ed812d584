# SPDX-License-Identifier: Apache-2.0
"""The sweeps of a column as Scan statements, with what they carry from cell to cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heddle.errors import NOWHERE
from heddle.ir import nodes as ir
from heddle.ir.visit import statements, walk
from heddle.lift.polynomial import Polynomial
from heddle.lift.ssa import Namer, State, single_values
from heddle.lift.sweeps import Stretch, grouped, range_condition


def column_body(
    head: Sequence[ir.Statement],
    stretches: Sequence[Stretch],
    bodies: Mapping[int, Sequence[ir.Statement]],
    column: tuple[Polynomial, Polynomial],
    axis: int,
    coordinate: ir.Symbol,
    extent: ir.Symbol,
    namer: Namer,
) -> list[ir.Statement]:
    """The statements of a column. head: values before all sweeps. bodies: of the segments, by identity."""
    state = State({}, {})
    result = single_values(head, state, namer)
    variables = [s.symbol for s in head if isinstance(s, ir.Var)]
    groups = grouped(stretches)
    for at, (reverse, members) in enumerate(groups):
        parts: list[ir.Statement] = []
        for member in members:
            place = next((s.place for s in statements(member.segment.body) if hasattr(s, "place")), NOWHERE)
            condition = range_condition(member, *column, coordinate, extent, place)
            body = tuple(bodies[id(member.segment)])
            parts += body if condition is None else (ir.If(condition, body),)
        later = [bodies[id(m.segment)] for _, following in groups[at + 1 :] for m in following]
        result.append(_scan(axis, reverse, parts, later, variables, state, namer))
    return result


def _scan(
    axis: int,
    reverse: bool,
    body: Sequence[ir.Statement],
    later: Sequence[Sequence[ir.Statement]],
    variables: Sequence[ir.Symbol],
    state: State,
    namer: Namer,
) -> ir.Scan:
    """One sweep. What it assigns is carried where the next cell, or a later sweep, reads it."""
    assigned = {s.symbol for s in statements(body) if isinstance(s, ir.Assign)}
    candidates = [v for v in variables if v in assigned]
    inner = state.copy()
    inner.memory.clear()
    before = {symbol: namer(symbol.name, symbol.type) for symbol in candidates}
    inner.values.update(before)
    cells = single_values(body, inner, namer)
    used = {node for node in walk(cells)} | {
        node for symbol in candidates for node in walk(inner.values[symbol] or symbol)
        if inner.values[symbol] is not before[symbol]
    }  # fmt: skip
    carried = [
        symbol
        for symbol in candidates
        if before[symbol] in used or any(node is symbol for node in walk([s for b in later for s in b]))
    ]
    initial = tuple(state.values[s] or ir.Const(0.0, s.type) for s in carried)  # type: ignore[arg-type]
    update = tuple(inner.values[s] or ir.Const(0.0, s.type) for s in carried)  # type: ignore[arg-type]
    state.values.update({s: before[s] for s in carried})
    place = next((s.place for s in statements(cells) if isinstance(s, (ir.Store, ir.Let))), NOWHERE)
    return ir.Scan(axis, reverse, tuple(before[s] for s in carried), initial, tuple(cells), update, place)
