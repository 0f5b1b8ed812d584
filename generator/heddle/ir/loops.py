# SPDX-License-Identifier: Apache-2.0
"""What can be seen of a loop without a pass."""

from __future__ import annotations

from typing import TypeGuard

from heddle.ir.build import operate
from heddle.ir.nodes import Comment, Const, Expression, Let, Load, Loop, Statement, Store, Symbol
from heddle.ir.visit import distinct

LANE = "lane"
"""Counts the lanes of small arrays (see pad_vector_loop)."""


def lane(loop: Loop) -> Expression:
    """How far a loop's counter is from where it began."""
    starts_at_zero = isinstance(loop.begin, Const) and loop.begin.value == 0
    return loop.counter if starts_at_zero else operate("sub", loop.counter, loop.begin)


def is_over_threads(statement: Statement) -> TypeGuard[Loop]:
    """Whether a statement is a loop of which each thread of a GPU has one turn."""
    return isinstance(statement, Loop) and statement.kind == "thread"


def is_over_lanes(loop: Loop) -> bool:
    """Whether a loop runs over all lanes of small arrays."""
    return loop.counter.name.rstrip("_") == LANE


def touches_only(loop: Loop, arrays: set[Symbol]) -> bool:
    """Whether each cell of a loop reads and writes nothing but its own lane of some arrays."""
    own = lane(loop)
    return all(isinstance(s, (Comment, Let, Store)) for s in loop.body) and all(
        node.pointer in arrays and node.index == own for node in distinct(loop.body) if isinstance(node, Load)
    )
