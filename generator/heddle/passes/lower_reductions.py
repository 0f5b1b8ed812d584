# SPDX-License-Identifier: Apache-2.0
"""lower_reductions: what is carried from cell to cell becomes variables and ordinary loops.

before   scan z carry c = 0 { store c_prime[0,0,0] = ... } update c = ...
after    var c = 0; loop serial z { store c_prime[0,0,0] = ...; assign c = ... }

before   loop omp y { loop simd x { reduce max error = abs(r) } }
after    var error_max = -inf; loop omp y reduction(max) { ... assign error_max = max(error_max, abs(r)) };
store *error
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from heddle.ir.build import add, integer, operate
from heddle.ir.nodes import (
    I64,
    Assign,
    Call,
    Const,
    Expression,
    If,
    Kernel,
    Let,
    Load,
    Loop,
    Pointer,
    Reduce,
    Scalar,
    Scan,
    Statement,
    Store,
    Symbol,
    Var,
)
from heddle.ir.visit import statements, walk
from heddle.passes.apply_schedule import AXES

_IDENTITY = {"sum": 0.0, "min": math.inf, "max": -math.inf}


def lower_reductions(kernel: Kernel) -> Kernel:
    """Replace Scan and Reduce by Var, Assign and Loop."""
    body = _block(kernel.body)
    reductions = tuple(
        dict.fromkeys((s.operation, s.output) for s in statements(kernel.body) if isinstance(s, Reduce))
    )
    head: list[Statement] = []
    tail: list[Statement] = []
    for operation, output in reductions:
        total = _total(operation, output)
        assert isinstance(total.type, Scalar)
        head.append(Var(total, Const(_IDENTITY[operation], total.type)))
        pointer = Symbol(output.name, Pointer(total.type))
        tail.append(Store(Load(pointer, integer(0)), total))
    if reductions:
        body = _announce(
            body, tuple((operation, _total(operation, output)) for operation, output in reductions)
        )
    return dataclasses.replace(kernel, body=(*head, *body, *tail))


def _total(operation: str, output: Symbol) -> Symbol:
    return Symbol(f"{output.name}_{operation}", output.type)


def _block(body: Sequence[Statement]) -> tuple[Statement, ...]:
    result: list[Statement] = []
    for statement in body:
        result += _statement(statement)
    return tuple(result)


def _statement(statement: Statement) -> list[Statement]:
    match statement:
        case Reduce(operation, output, value):
            total = _total(operation, output)
            assert isinstance(total.type, Scalar)
            combined: Expression = (
                operate("add", total, value)
                if operation == "sum"
                else Call(operation, (total, value), total.type)
            )
            return [Assign(total, combined)]
        case Scan():
            return _scan(statement)
        case Loop() | If():
            return [dataclasses.replace(statement, body=_block(statement.body))]
    return [statement]


def _scan(scan: Scan) -> list[Statement]:
    counter = Symbol(AXES[scan.axis], I64)
    extent = Symbol(f"n_{AXES[scan.axis]}", I64)
    start: list[Statement] = [
        Var(symbol, value) for symbol, value in zip(scan.carried, scan.initial, strict=True)
    ]
    body = [*_block(scan.body), *_updates(scan)]
    begin: Expression
    end: Expression
    if scan.reverse:
        begin, end, step = add(extent, integer(-1)), integer(-1), integer(-1)
    else:
        begin, end, step = integer(0), extent, integer(1)
    return [*start, Loop("serial", counter, begin, end, step, tuple(body))]


def _updates(scan: Scan) -> list[Statement]:
    """All updates see the old values: one that reads a symbol updated before it is named first."""
    named: list[Statement] = []
    assigned: list[Statement] = []
    done: set[Symbol] = set()
    for symbol, value in zip(scan.carried, scan.update, strict=True):
        if any(node in done for node in walk(value)):
            following = Symbol(f"{symbol.name}_next", symbol.type)
            named.append(Let(following, value))
            value = following
        assigned.append(Assign(symbol, value))
        done.add(symbol)
    return [*named, *assigned]


def _announce(
    body: tuple[Statement, ...], reductions: tuple[tuple[str, Symbol], ...]
) -> tuple[Statement, ...]:
    """Threads and lanes need to know which variables they combine."""
    return tuple(
        dataclasses.replace(statement, body=_announce(statement.body, reductions), reductions=reductions)
        if isinstance(statement, Loop)
        else statement
        for statement in body
    )
