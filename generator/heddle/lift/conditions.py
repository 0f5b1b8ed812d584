# SPDX-License-Identifier: Apache-2.0
"""Conditions: what holds together, and the opposite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heddle.ir import nodes as ir

_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


def conjuncts(condition: ir.Expression, negated: bool = False) -> Iterator[ir.Expression]:
    """The conditions that all hold; comparisons of integers are negated themselves, those of floats as a
    whole, since a NaN compares with nothing."""
    match condition:
        case ir.Op("not", (inner,)):
            yield from conjuncts(inner, not negated)
        case ir.Op("and" | "or" as name, args) if (name == "and") != negated:
            for argument in args:
                yield from conjuncts(argument, negated)
        case ir.Op(name, (left, right)) if negated and name in _OPPOSITE and not left.type.is_float:
            yield ir.Op(_OPPOSITE[name], (left, right), ir.BOOL)
        case _:
            yield ir.Op("not", (condition,), ir.BOOL) if negated else condition


def all_of(conditions: Sequence[ir.Expression]) -> ir.Expression:
    """One condition for several that all hold."""
    result = conditions[0]
    for condition in conditions[1:]:
        result = ir.Op("and", (result, condition), ir.BOOL)
    return result


def negation(condition: ir.Expression) -> ir.Expression:
    """The opposite, as one comparison where it is one of integers."""
    return all_of(list(conjuncts(condition, True)))


def are_opposite(one: ir.Expression, other: ir.Expression) -> bool:
    """Whether of two conditions exactly one holds, by their form."""
    return other is negation(one) or one is negation(other) or ir.Op("not", (one,), ir.BOOL) is other
