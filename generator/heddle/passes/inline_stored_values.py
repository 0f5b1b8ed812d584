# SPDX-License-Identifier: Apache-2.0
"""inline_stored_values: what is named only to be stored is stored without a name.

before   let post_e = mul(half, sub(m_xx, m_x)); let post_w = ...;  store f_e = post_e; store f_w = post_w
after    store f_e = mul(half, sub(m_xx, m_x)); store f_w = ...

Values that read memory keep their names, for a store may come in between; and so do those of variables.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence

from heddle.ir.nodes import (
    Comment,
    Const,
    Expression,
    Gather,
    If,
    Kernel,
    Let,
    Load,
    Loop,
    Pointer,
    Statement,
    Store,
    Symbol,
    Var,
    View,
    While,
)
from heddle.ir.stages import Request
from heddle.ir.visit import distinct, statements, walk


def inline_stored_values(kernel: Kernel, request: Request) -> Kernel:
    """Store what has one use, a store among the same statements, without naming it before."""
    uses = Counter(node for node in walk(kernel.body) if isinstance(node, Symbol))
    variables = {s.symbol for s in statements(kernel.body) if isinstance(s, Var)}
    return dataclasses.replace(kernel, body=_block(kernel.body, uses, variables))


def _block(
    body: Sequence[Statement], uses: Mapping[Symbol, int], variables: set[Symbol]
) -> tuple[Statement, ...]:
    values = {
        s.symbol: s.value
        for s in body
        if isinstance(s, Let) and uses[s.symbol] == 2 and _may_wait(s.value, variables)  # here and there
    }
    stored = {s.value for s in body if isinstance(s, Store)} & values.keys()
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, Let) and statement.symbol in stored:
            continue
        if isinstance(statement, Comment) and result and isinstance(result[-1], Comment):
            continue  # the heading of the values is that of their stores
        if isinstance(statement, Store) and statement.value in stored:
            assert isinstance(statement.value, Symbol)
            statement = dataclasses.replace(statement, value=values[statement.value])
        if isinstance(statement, (If, Loop, While)):
            statement = dataclasses.replace(statement, body=_block(statement.body, uses, variables))
        result.append(statement)
    return tuple(result)


def _may_wait(value: Expression, variables: set[Symbol]) -> bool:
    """Whether an expression has the same value further on."""
    if isinstance(value, Const):
        return False
    return not any(
        isinstance(node, (Load, Gather, View))
        or (isinstance(node, Symbol) and (node in variables or isinstance(node.type, Pointer)))
        for node in distinct(value)
    )
