# SPDX-License-Identifier: Apache-2.0
"""The last touch to a recovered body: values on the way to another are put into it, unused names go, and each
name is as short as it can be.

before   let sum = add(0, a[-1]); let sum_2 = add(sum, a[0]); let sum_3 = add(sum_2, a[1]); store b[0] = sum_3
after    let sum = add(add(add(0, a[-1]), a[0]), a[1]); store b[0] = sum
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir import nodes as ir
from heddle.ir.hash_consing import Node
from heddle.ir.visit import transform, transform_expressions, walk
from heddle.lift.ssa import Namer, used_names


def cleanup(body: Sequence[ir.Statement], namer: Namer, taken: set[str]) -> tuple[ir.Statement, ...]:
    """taken: names of fields, arguments and outputs."""
    joined = _joined(used_names(body), namer.partial)
    return _renamed(joined, namer, set(taken))


def _joined(body: Sequence[ir.Statement], partial: set[ir.Symbol]) -> list[ir.Statement]:
    """A partial value that only the next statement uses, once, becomes part of it."""
    result: list[ir.Statement] = []
    for at, statement in enumerate(body):
        if isinstance(statement, (ir.If, ir.Scan, ir.While)):
            statement = dataclasses.replace(statement, body=tuple(_joined(statement.body, partial)))
        last = result[-1] if result else None
        if (
            isinstance(last, ir.Let)
            and last.symbol in partial
            and isinstance(statement, ir.Let)
            and statement.symbol in partial
            and _uses(last.symbol, (statement,)) == 1
            and _uses(last.symbol, body[at + 1 :]) == 0
        ):
            result.pop()
            statement = _with(statement, last)
        result.append(statement)
    return result


def _with(statement: ir.Statement, let: ir.Let) -> ir.Statement:
    return transform_expressions(statement, lambda node: let.value if node is let.symbol else node)  # type: ignore[no-any-return]


def _uses(symbol: ir.Symbol, body: Sequence[ir.Statement]) -> int:
    return sum(node is symbol for node in walk(body))


def _renamed(body: Sequence[ir.Statement], namer: Namer, taken: set[str]) -> tuple[ir.Statement, ...]:
    """Names as wanted, numbered only where two are alike."""
    short = Namer(taken)
    names: dict[Node, ir.Symbol] = {}
    for node in walk(body):
        declared = (
            (node.symbol,)
            if isinstance(node, ir.Let)
            else node.carried
            if isinstance(node, (ir.Scan, ir.While))
            else ()
        )
        for symbol in declared:
            names[symbol] = short(namer.wanted.get(symbol, symbol.name), symbol.type)
    return tuple(transform(statement, lambda node: names.get(node, node)) for statement in body)
