# SPDX-License-Identifier: Apache-2.0
"""Columns: a body in which loops run along one more axis, one after the other, with work at single cells
before and after them.

before   cp[0] = c[0] / b[0]; loop k in [1, nz) { ... }; loop k in (nz - 1, 0] { ... }
after    scan z { if z == 0 { ... } if z != 0 { ... } }; scan z reversed { if z < n_z - 1 { ... } }

Work at a single cell beside a loop's range joins its sweep; the column is the union of all ranges.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.build import add, integer
from heddle.ir.visit import statements, walk
from heddle.lift.lifted import refuse
from heddle.lift.loop_nests import Axis, Body, axis_of
from heddle.lift.polynomial import Polynomial
from heddle.lift.scope import Scope


@dataclass(frozen=True)
class Segment:
    """A part of a body. axis: the loop of a sweep, None for work in a single cell of a column or in the cell
    of a nest without sweeps."""

    axis: Axis | None
    body: Body


def segments(body: Sequence[ir.Statement], scope: Scope) -> tuple[list[ir.Statement], list[Segment]]:
    """The values that a body names without touching memory, and its segments in order."""
    if not any(isinstance(s, ir.Loop) for s in statements(body)):
        return [], [Segment(None, tuple(body))]
    head: list[ir.Statement] = []
    found: list[Segment] = []
    for statement in _flat(body, ()):
        if isinstance(statement, ir.Let) and scope.names(statement):
            continue
        if isinstance(statement, (ir.Let, ir.Var)) and statement.value is not None and _touches((statement,)):
            head.append(
                ir.Var(statement.symbol, None)
            )  # read in a cell of the column, and carried from there
            statement = ir.Assign(statement.symbol, statement.value)
        guards, loop = _guarded_loop(statement)
        if loop is not None:
            axis = axis_of(loop, scope)
            inner = loop.body
            if any(isinstance(s, ir.Loop) for s in statements(inner)):
                raise refuse(scope.place, "There are nested loops next to other work in a column.")
            found.append(Segment(axis, _under(guards, inner)))
        elif not found and isinstance(statement, (ir.Let, ir.Var)) and not _touches((statement,)):
            head.append(statement)
        elif found and found[-1].axis is None:
            found[-1] = dataclasses.replace(found[-1], body=(*found[-1].body, statement))
        else:
            found.append(Segment(None, (statement,)))
    for statement in head:
        if isinstance(statement, ir.Var):
            scope.variables.add(statement.symbol.name)
    return head, found


def _flat(body: Sequence[ir.Statement], guards: tuple[ir.If, ...]) -> Iterable[ir.Statement]:
    """The statements of a body; a condition around loops is put around each statement."""
    for statement in body:
        if isinstance(statement, ir.If) and any(isinstance(s, ir.Loop) for s in statements(statement.body)):
            yield from _flat(statement.body, (*guards, statement))
        elif isinstance(statement, ir.Comment):
            continue
        elif isinstance(statement, (ir.Let, ir.Var)):
            yield statement
        else:
            yield from _under(guards, (statement,))


def _under(guards: Sequence[ir.If], body: Body) -> Body:
    for guard in reversed(guards):
        body = (dataclasses.replace(guard, body=body),)
    return body


def _guarded_loop(statement: ir.Statement) -> tuple[list[ir.If], ir.Loop | None]:
    guards: list[ir.If] = []
    while isinstance(statement, ir.If) and len(statement.body) == 1:
        guards.append(statement)
        statement = statement.body[0]
    return guards, statement if isinstance(statement, ir.Loop) else None


def _touches(body: Sequence[ir.Statement]) -> bool:
    return any(isinstance(node, ir.Load) for node in walk(body))


@dataclass(frozen=True)
class Stretch:
    """A segment with the cells of the column that it runs over."""

    segment: Segment
    begin: Polynomial
    end: Polynomial

    @property
    def reverse(self) -> bool:
        return self.segment.axis is not None and self.segment.axis.reverse


def grouped(stretches: Sequence[Stretch]) -> list[tuple[bool, list[Stretch]]]:
    """Sweeps: (reverse, stretches in the order of visiting). A single cell joins the loop after which it is
    next, or before which it was last."""
    groups: list[tuple[bool, list[Stretch]]] = []
    for at, stretch in enumerate(stretches):
        following = next((s for s in stretches[at + 1 :] if s.segment.axis is not None), None)
        single = stretch.segment.axis is None
        reverse = stretch.reverse
        if groups and _continues(groups[-1], stretch, single):
            groups[-1][1].append(stretch)
            continue
        if single and following is not None:
            reverse = following.reverse
        groups.append((reverse, [stretch]))
    return groups


def _continues(group: tuple[bool, list[Stretch]], stretch: Stretch, single: bool) -> bool:
    """Whether a stretch lies wholly behind a group's last one in the direction of the group, and may join."""
    reverse, members = group
    last = members[-1]
    if not single and (stretch.reverse != reverse or last.segment.axis is not None):
        return False
    room = (last.begin - stretch.end if reverse else stretch.begin - last.end).constant
    return room is not None and room >= 0


def range_condition(
    stretch: Stretch,
    begin: Polynomial,
    end: Polynomial,
    coordinate: ir.Symbol,
    extent: ir.Symbol,
    place: Place,
) -> ir.Expression | None:
    """The condition that a cell of the column lies in a stretch; None for the whole column."""
    before, behind = (stretch.begin - begin).constant, (end - stretch.end).constant
    length = (stretch.end - stretch.begin).constant
    if before is None or behind is None:
        if length == 1 and before is not None:
            return ir.Op("eq", (coordinate, integer(before)), ir.BOOL)
        if length == 1 and behind is not None:
            return ir.Op("eq", (coordinate, add(extent, integer(-behind - 1))), ir.BOOL)
        raise refuse(
            place,
            f"The column sweep from {stretch.begin} to {stretch.end} has no known position in its column.",
        )
    conditions: list[ir.Expression] = []
    if before == 1:
        conditions.append(ir.Op("ne", (coordinate, integer(0)), ir.BOOL))
    elif before:
        conditions.append(ir.Op("ge", (coordinate, integer(before)), ir.BOOL))
    if behind == 1:
        conditions.append(ir.Op("ne", (coordinate, add(extent, integer(-1))), ir.BOOL))
    elif behind:
        conditions.append(ir.Op("lt", (coordinate, add(extent, integer(-behind))), ir.BOOL))
    if not conditions:
        return None
    result = conditions[0]
    for condition in conditions[1:]:
        result = ir.Op("and", (result, condition), ir.BOOL)
    return result
