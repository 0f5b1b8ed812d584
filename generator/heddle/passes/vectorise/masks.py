# SPDX-License-Identifier: Apache-2.0
"""What lanes of a vector do that take no part: they keep their values, and evaluate nothing that could fail.

A mask is a whole number per lane, 1 where the lane takes part and 0 elsewhere. It has 32 bits: compilers then
widen or narrow it to the lanes of doubles and floats without leaving their vectors, which they do not with
bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from heddle.ir.build import operate
from heddle.ir.functions import FUNCTIONS
from heddle.ir.mathematics import DEFINITIONS
from heddle.ir.nodes import (
    BOOL,
    I32,
    Access,
    Call,
    Cast,
    Const,
    Expression,
    If,
    Let,
    Op,
    Scalar,
    Select,
    Statement,
    Store,
    Symbol,
)
from heddle.ir.schedule import Schedule
from heddle.ir.visit import distinct

Quick = AbstractSet[str]
"""The functions that lanes may evaluate for nothing."""
YES, NO = Const(1, I32), Const(0, I32)
_WHOLE_NUMBERS = {"add", "sub", "bitand"}
_EXACT = frozenset(name for name, row in FUNCTIONS.items() if row.exact and not row.arrays)


def quick_functions(schedule: Schedule) -> Quick:
    """The functions that have no branches, so that all lanes take them together."""
    return _EXACT | DEFINITIONS.keys() if schedule.math == "reproducible" else _EXACT


def taking_part(mask: Symbol | None) -> Expression:
    """Whether the own lane does; no mask: all lanes do."""
    return Const(True, BOOL) if mask is None else operate("ne", mask, NO)


def mask_where(condition: Expression, mask: Symbol | None, quick: Quick) -> Expression:
    """The mask of those lanes for which a condition holds, too."""
    if mask is None:
        return Select(condition, YES, NO)
    if is_harmless(condition, quick):
        return Select(condition, mask, NO)
    return Select(operate("and", taking_part(mask), condition), YES, NO)


def guarded(value: Expression, mask: Symbol | None, quick: Quick) -> Expression:
    """A value that only lanes that take part need: where it could fail, it is zero in the others."""
    if mask is None or is_harmless(value, quick):
        return value
    assert isinstance(value.type, Scalar)
    zero = Const(0.0 if value.type.is_float else False if value.type == BOOL else 0, value.type)
    return Select(taking_part(mask), value, zero)


def kept(new: Expression, old: Expression, mask: Symbol | None) -> Expression:
    """The new value in lanes that take part, the old one in the others."""
    return new if mask is None else Select(taking_part(mask), new, old)


def masked(statement: Statement, mask: Symbol | None, quick: Quick) -> Statement:
    """A statement of the lanes that take part."""
    if mask is None:
        return statement
    match statement:
        case Let(symbol, value, place):
            return Let(symbol, guarded(value, mask, quick), place)
        case Store():
            return If(taking_part(mask), (statement,))
        case If(condition, body, wall, place):
            return If(operate("and", taking_part(mask), condition), body, wall, place)
    return statement


def own_cells(values: Sequence[Expression]) -> list[Access]:
    """The elements of the own cell that values read: named before them, they are loads without a condition,
    whatever their stride."""
    return [node for node in distinct(values) if isinstance(node, Access) and _is_own(node)]


def is_harmless(value: Expression, quick: Quick) -> bool:
    """Whether any lane may evaluate an expression, whatever its symbols hold: it ends soon, and reads and
    computes nothing that C++ leaves undefined. A condition may stand for more than it says: cells beyond the
    interior and computed levels are read only where it holds."""
    return all(_is_harmless(node, quick) for node in distinct(value) if isinstance(node, Expression))


def _is_own(access: Access) -> bool:
    return (access.field.dense or access.field.layout.along_axis) and not any(access.offsets)


def _is_harmless(node: Expression, quick: Quick) -> bool:
    match node:
        case Const() | Symbol() | Select():
            return True
        case Access():
            return _is_own(node)
        case Op(name, (first, *_), scalar):
            number = isinstance(first.type, Scalar) and first.type.kind in "iu"
            return not number or scalar == BOOL or name in _WHOLE_NUMBERS
        case Call(name):
            return name in quick
        case Cast(given, scalar):
            return scalar.is_float or not (isinstance(given.type, Scalar) and given.type.is_float)
    return False
