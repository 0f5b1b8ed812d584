# SPDX-License-Identifier: Apache-2.0
"""hoist_invariants: compute once what is the same for every cell; drop what nobody uses.

before   loop x { let w = 1/18; let omega_bar = sub(1, omega); let unused = ...; if true { store } ... }
after    let w = 1/18; let omega_bar = sub(1, omega); loop x { store ... }

Only whole named values move, and none from under a condition, of a While neither: what it guards may not be
computable outside.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.nodes import (
    BOOL,
    Access,
    Comment,
    Const,
    Expression,
    Gather,
    If,
    IsWallLink,
    Kernel,
    Let,
    Loop,
    Scan,
    Statement,
    Store,
    Symbol,
    While,
)
from heddle.ir.stages import Request
from heddle.ir.visit import distinct


def hoist_invariants(kernel: Kernel, request: Request) -> Kernel:
    """Move invariant values to the head of the kernel and remove unused ones."""
    invariant = {symbol.name for symbol in kernel.parameters}
    hoisted: list[Statement] = []
    body = _hoist(_without_unused(kernel.body), invariant, hoisted)
    return Kernel(
        kernel.name,
        kernel.fields,
        kernel.parameters,
        kernel.space,
        (*hoisted, *without_empty_sections(body)),
        kernel.outputs,
        kernel.about,
    )


def _hoist(body: Sequence[Statement], invariant: set[str], hoisted: list[Statement]) -> tuple[Statement, ...]:
    kept: list[Statement] = []
    for statement in body:
        if isinstance(statement, Let) and _is_invariant(statement.value, invariant):
            invariant.add(statement.symbol.name)
            hoisted.append(statement)
        elif isinstance(statement, If) and _always(statement):
            kept += statement.body
        elif isinstance(statement, (Loop, Scan)):
            inner = without_empty_sections(_hoist(statement.body, invariant, hoisted))
            kept.append(_with_body(statement, inner))
        else:
            kept.append(statement)
    return tuple(kept)


def _always(statement: If) -> bool:
    """Whether it guards nothing: a boundary sweep marks stores behind a wall this way."""
    return statement.condition == Const(True, BOOL) and all(isinstance(s, Store) for s in statement.body)


def _is_invariant(value: Expression, invariant: set[str]) -> bool:
    return all(
        not isinstance(node, (Access, Gather, IsWallLink))
        and (not isinstance(node, Symbol) or node.name in invariant)
        for node in distinct(value)
    )


def _with_body(statement: Loop | Scan | If | While, body: tuple[Statement, ...]) -> Statement:
    return dataclasses.replace(statement, body=body)


def _without_unused(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Repeatedly, since removing one value may leave another without a use."""
    while True:
        used = {node.name for node in distinct(_uses(body)) if isinstance(node, Symbol)}
        shorter = _filter(body, used | _COORDINATES)
        if shorter == body:
            return body
        body = shorter


def _uses(body: Sequence[Statement]) -> list[Expression]:
    found: list[Expression] = []
    for statement in body:
        if isinstance(statement, Let):
            found.append(statement.value)
            continue
        inner = set(getattr(statement, "body", ()))
        found += [child for child in statement.children if child not in inner]  # type: ignore[misc]
        found += _uses(getattr(statement, "body", ()))
    return found


def _filter(body: tuple[Statement, ...], used: set[str]) -> tuple[Statement, ...]:
    """Without values whose names are none of those."""
    kept: list[Statement] = []
    for statement in body:
        if isinstance(statement, Let) and statement.symbol.name not in used:
            continue
        if isinstance(statement, (Loop, Scan, If, While)):
            statement = _with_body(statement, _filter(statement.body, used))
        kept.append(statement)
    return tuple(kept)


_COORDINATES = {"x", "y", "z", "x_first"}
"""Accesses use the coordinates of the current cell without naming them; lower_accesses knows which are
needed."""


def without_empty_sections(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """A heading goes when everything under it has gone."""
    kept: list[Statement] = []
    for position, statement in enumerate(body):
        following = body[position + 1] if position + 1 < len(body) else None
        if isinstance(statement, Comment) and (following is None or isinstance(following, Comment)):
            continue
        kept.append(statement)
    return tuple(kept)
