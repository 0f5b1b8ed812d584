# SPDX-License-Identifier: Apache-2.0
"""merge_equal_values: what is computed twice from the same values has one name, the first.

before   let t = add(flow, pi); ...; let n = add(flow, pi); store n
after    let t = add(flow, pi); ...; store t

Only arithmetic on named values is merged: what is read from a field may change between two reads, and
constants keep the names that say what they mean.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from heddle.ir.nodes import (
    Assign,
    Call,
    Cast,
    Const,
    Expression,
    Kernel,
    Let,
    Op,
    Pointer,
    Scan,
    Select,
    Statement,
    Symbol,
    Var,
    While,
)
from heddle.ir.stages import Request
from heddle.ir.visit import Renaming, distinct, statements, transform

_ARITHMETIC = (Op, Call, Select, Cast)


def merge_equal_values(kernel: Kernel, request: Request) -> Kernel:
    """Drop each value that an earlier statement has computed, and use the earlier name."""
    changing = frozenset(node.symbol for node in statements(kernel.body) if isinstance(node, (Assign, Var)))
    return dataclasses.replace(kernel, body=_block(kernel.body, {}, {}, changing)[0])


def _block(
    body: Sequence[Statement],
    known: Mapping[Expression, Symbol],
    names: Mapping[Symbol, Symbol],
    changing: frozenset[Symbol],
) -> tuple[tuple[Statement, ...], Mapping[Symbol, Symbol]]:
    """The statements, and the names at their end. known: values computed so far and their names. names:
    dropped names and those that take their place. Both hold for the blocks inside, and what is found there
    holds nowhere else but in what the block carries on."""
    known, renamed = dict(known), Renaming(names)
    names = renamed.names
    result: list[Statement] = []
    for statement in body:
        changed = renamed(statement)
        if isinstance(statement, Let):
            if names:
                changed = dataclasses.replace(changed, symbol=statement.symbol)
            if _is_arithmetic(changed.value, changing):
                if changed.value in known:
                    renamed.add(statement.symbol, known[changed.value])
                    continue
                known[changed.value] = statement.symbol
        elif hasattr(statement, "body"):
            body, inside = _block(statement.body, known, names, changing)
            changed = dataclasses.replace(changed, body=body)
            if isinstance(changed, (Scan, While)):
                changed = dataclasses.replace(changed, update=_with_names(changed.update, inside))
        result.append(changed)
    return tuple(result), names


def _with_names(values: Sequence[Expression], names: Mapping[Symbol, Symbol]) -> tuple[Expression, ...]:
    return tuple(transform(value, lambda node: names.get(node, node)) for value in values)


def _is_arithmetic(value: Expression, changing: frozenset[Symbol]) -> bool:
    """Whether the value follows from named values alone, of which there is one at least."""
    if not isinstance(value, _ARITHMETIC):
        return False
    nodes = list(distinct(value))
    symbols = [node for node in nodes if isinstance(node, Symbol)]
    known = all(
        isinstance(node, (*_ARITHMETIC, Symbol, Const)) or not isinstance(node, Expression) for node in nodes
    )
    arrays = any(isinstance(symbol.type, Pointer) for symbol in symbols)
    return known and bool(symbols) and not arrays and not changing.intersection(symbols)
