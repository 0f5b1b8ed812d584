# SPDX-License-Identifier: Apache-2.0
"""Variables that collect a value over all cells, as reductions.

before   var m = 0; loop ... { if d > m { assign m = d } }
after    reduce max m with max(d, 0)
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.visit import walk
from heddle.lift.lifted import refuse

Results = Mapping[ir.Symbol, ir.Expression | None]
Operation = Literal["sum", "min", "max"]
Found = tuple[Operation, ir.Expression]


def is_collected(body: Sequence[ir.Statement], symbol: ir.Symbol) -> bool:
    """Whether a variable is only added to, or only made larger or smaller."""
    found = list(_uses(body, symbol))
    kinds = {entry[0] for entry in found if entry is not None}
    return None not in found and len(kinds) == 1


def _uses(body: Sequence[ir.Statement], symbol: ir.Symbol) -> Iterator[Found | None]:
    """For each statement that has to do with a variable: how it collects, or None."""
    for statement in body:
        found = _reduction(statement, symbol)
        if found is not None:
            yield found
        elif isinstance(statement, (ir.If, ir.Loop)):
            parts = (
                [statement.condition] if isinstance(statement, ir.If) else [statement.begin, statement.end]
            )
            if any(node is symbol for node in walk(parts)):
                yield None
            yield from _uses(statement.body, symbol)
        elif any(node is symbol for node in walk(statement)):
            yield None


def _reduction(statement: ir.Statement, symbol: ir.Symbol) -> Found | None:
    match statement:
        case ir.Assign(target, value) if target is symbol:
            return _combined(value, symbol)
        case ir.If(condition, (ir.Assign(target, value),)) if target is symbol:
            return _largest(condition, value, symbol)
    return None


def _combined(value: ir.Expression, symbol: ir.Symbol) -> Found | None:
    match value:
        case ir.Op("add", (own, more)) if own is symbol and _free(more, symbol):
            return "sum", more
        case ir.Op("add", (more, own)) if own is symbol and _free(more, symbol):
            return "sum", more
        case ir.Op("sub", (own, less)) if own is symbol and _free(less, symbol):
            return "sum", ir.Op("neg", (less,), less.type)
        case ir.Call(("min" | "max") as name, (one, other)):
            more = other if one is symbol else one
            if symbol in (one, other) and _free(more, symbol):
                return name, more
        case ir.Select(condition, yes, no) if no is symbol:
            return _largest(condition, yes, symbol)
        case ir.Select(ir.Op(name, args), yes, no) if yes is symbol and name in _OPPOSITE:
            return _largest(ir.Op(_OPPOSITE[name], args, ir.BOOL), no, symbol)
    return None


_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


def _largest(condition: ir.Expression, value: ir.Expression, symbol: ir.Symbol) -> Found | None:
    """`if (value > symbol) symbol = value`."""
    match condition:
        case ir.Op("gt" | "ge", (left, right)) | ir.Op("lt" | "le", (right, left)) if _free(value, symbol):
            if left is value and right is symbol:
                return "max", value
            if left is symbol and right is value:
                return "min", value
    return None


def extremum(
    condition: ir.Expression, body: Sequence[ir.Statement], other: ir.Expression | None = None
) -> ir.Statement | None:
    """`if (a > b) b = a` as `b = max(a, b)`: of a variable, of an element, or of the sides of a conditional
    expression (`other`: its second one)."""
    match condition, body:
        case ir.Op("gt" | "ge", (left, right)) | ir.Op("lt" | "le", (right, left)), (statement,):
            if not isinstance(statement, (ir.Assign, ir.Store)):
                return None
            target = statement.symbol if isinstance(statement, ir.Assign) else statement.target
            kept = other if other is not None else target
            if left is statement.value and right is kept:
                return dataclasses.replace(statement, value=ir.Call("max", (left, right), left.type))
            if right is statement.value and left is kept:
                return dataclasses.replace(statement, value=ir.Call("min", (left, right), left.type))
    return None


def collecting(body: Sequence[ir.Statement], symbol: ir.Symbol) -> Operation | None:
    """The operation by which statements collect a variable, if they do nothing else to it."""
    found = {entry[0] if entry is not None else None for entry in _uses(body, symbol)}
    return found.pop() if len(found) == 1 else None


def _free(value: ir.Expression, symbol: ir.Symbol) -> bool:
    return all(node is not symbol for node in walk(value))


def collected(
    body: Sequence[ir.Statement],
    results: Results,
    outputs: Mapping[str, str],
    assumptions: list[str],
    place: Place,
) -> list[ir.Statement]:
    """The body with reductions in place of what results are assigned. place: of the loop."""
    body = list(body)
    for symbol, initial in results.items():
        if not symbol.type.is_float:  # type: ignore[union-attr]
            raise refuse(
                place,
                f"'{symbol.name}' is accumulated as an integer; reductions need floating-point values.",
                "accumulate in double, which is exact up to 2^53",
            )
        if not is_collected(body, symbol):
            raise refuse(
                place, f"'{symbol.name}' is carried from cell to cell, but is not a sum, minimum or maximum."
            )
        output = ir.Symbol(outputs.get(symbol.name, symbol.name), symbol.type)
        body = [_with_reduction(s, symbol, initial, output, assumptions, place) for s in body]
    return body


def _with_reduction(
    statement: ir.Statement, symbol: ir.Symbol, initial: ir.Expression | None, output: ir.Symbol,
    assumptions: list[str], place: Place,
) -> ir.Statement:  # fmt: skip
    place = getattr(statement, "place", place)
    found = _reduction(statement, symbol)
    if found is not None:
        operation, value = found
        return ir.Reduce(
            operation, output, _from(operation, value, initial, symbol, assumptions, place), place
        )
    if isinstance(statement, ir.If):
        inner = tuple(_with_reduction(s, symbol, initial, output, assumptions, place) for s in statement.body)
        return dataclasses.replace(statement, body=inner)
    return statement


def _from(
    operation: str, value: ir.Expression, initial: ir.Expression | None, symbol: ir.Symbol,
    assumptions: list[str], place: Place,
) -> ir.Expression:  # fmt: skip
    """The value to collect: a minimum or maximum that begins at a number never leaves it behind."""
    number = initial.value if isinstance(initial, ir.Const) else None
    if operation == "sum":
        if number != 0:
            raise refuse(place, f"The sum '{symbol.name}' does not start at 0.")
        return value
    if initial is None or (isinstance(initial, ir.Const) and abs(float(number or 0.0)) == math.inf):
        return value
    note = f"there is at least one cell, so that '{symbol.name}' has a value"
    if note not in assumptions:
        assumptions.append(note)
    if operation == "max" and number == 0 and isinstance(value, ir.Call) and value.name == "abs":
        return value
    return ir.Call(operation, (value, initial), value.type)
