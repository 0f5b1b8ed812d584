# SPDX-License-Identifier: Apache-2.0
"""Short loops over a constant range, such as taps of a filter or directions of a lattice, written out.

before   loop d in [-1, 2) { assign sum = sum + a[i + d] }
after    assign sum = sum + a[i - 1]; assign sum = sum + a[i]; assign sum = sum + a[i + 1]
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from heddle.ir import nodes as ir
from heddle.ir.visit import statements, transform_expressions, walk
from heddle.lift.scope import Scope

SHORT, LONG = 8, 32
"""Loops that are written out: of up to 8 iterations, and of up to 32 where three axes are around them or they
run over an array of the cell."""


def is_short(loop: ir.Loop, scope: Scope, depth: int, arrays: frozenset[ir.Symbol] = frozenset()) -> bool:
    """Whether a loop is written out. depth: how many loops over cells are around it. arrays: those of a
    cell."""
    numbers = _numbers(loop, scope)
    own = any(isinstance(node, ir.Load) and node.pointer in arrays for node in walk(loop.body))
    return numbers is not None and len(numbers) <= (LONG if depth >= 3 or own else SHORT)


def written_out(loop: ir.Loop, scope: Scope) -> list[ir.Statement]:
    """The iterations of a short loop, one after the other."""
    numbers = _numbers(loop, scope)
    assert numbers is not None
    return [statement for number in numbers for statement in iteration(loop, number)]


def unrolled(
    body: Sequence[ir.Statement], scope: Scope, depth: int, arrays: frozenset[ir.Symbol] = frozenset()
) -> Iterator[ir.Statement]:
    """A body with its short loops written out; other loops stay."""
    for statement in body:
        match statement:
            case ir.Loop() if is_short(statement, scope, depth, arrays):
                yield from unrolled(written_out(statement, scope), scope, depth, arrays)
            case ir.Loop() | ir.If() | ir.While():
                inner = tuple(unrolled(statement.body, scope, depth, arrays))
                yield dataclasses.replace(statement, body=inner)
            case _:
                yield statement


def _numbers(loop: ir.Loop, scope: Scope) -> range | None:
    begin, end = scope.polynomial(loop.begin).constant, scope.polynomial(loop.end).constant
    if begin is None or end is None or not isinstance(loop.step, ir.Const):
        return None
    return range(begin, end, int(loop.step.value))


def iteration(loop: ir.Loop, number: int) -> list[ir.Statement]:
    """One iteration: the counter is a number, and the names of the body end with it."""
    counter = loop.counter
    assert isinstance(counter.type, ir.Scalar)
    value = ir.Const(number, counter.type)
    body = renamed_locals(loop.body, f"_{number}" if number >= 0 else f"_m{-number}")
    return [transform_expressions(s, lambda node: value if node is counter else node) for s in body]


def renamed_locals(body: Sequence[ir.Statement], suffix: str) -> list[ir.Statement]:
    """A body whose own names end with a suffix, to stand beside other copies of it."""
    declared = {s.symbol for s in statements(body) if isinstance(s, (ir.Let, ir.Var))}
    names = {symbol: ir.Symbol(symbol.name + suffix, symbol.type) for symbol in declared}
    if not names:
        return list(body)
    return [transform_expressions(s, lambda node: names.get(node, node)) for s in body]  # type: ignore[call-overload]
