# SPDX-License-Identifier: Apache-2.0
"""Copies of statements for a value that most cells have: what they are, and how to do without them.

if all_equal(open_row, i_begin, i_end, 63) { let residual = c_x * ...; ... }      the copy: 63 is put in
if not all_equal(...) { let c_e = select(bitand(faces, 1) != 0, c_x, 0); ... }    the whole, for any value

if order_z_here == 5 { loop simd x { ... u5 ... } }                               the same for whole rows
if not order_z_here == 5 { loop simd x { ... choose(order_z_here >= 5, u5, u3) ... } }

if exceeds_mebibytes(u_next, ...) { loop x_begin by 64 { ... } }      stores past the caches: streamed_rows
if not exceeds_mebibytes(u_next, ...) { loop simd x { ... } }

The copy follows from the whole and the condition, so it says nothing new: whoever wants to know what a kernel
does, or what one update costs, looks at the whole alone.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence

from heddle.ir.build import operate
from heddle.ir.functions import OPERATORS
from heddle.ir.nodes import (
    BOOL,
    Call,
    Cast,
    Comment,
    Const,
    Expression,
    If,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Op,
    Select,
    Statement,
    Symbol,
    Var,
)
from heddle.ir.streamed_rows import arrays_of, arrays_read, plain_row
from heddle.ir.visit import distinct, statements, transform_expressions, walk


def specialised_loop(whole: Sequence[Statement], condition: Expression) -> tuple[Statement, ...]:
    """The statements as they are where a condition holds: all_equal of the cells of the one loop among them,
    or several `symbol == constant` joined by `and`. Constants are folded, names of constants and of other
    names disappear, and what is the same for all cells of the loop is named before it; of a row, what nobody
    reads any more disappears, too."""
    if not (isinstance(condition, Call) and condition.name == "all_equal"):
        known = dict(_known(condition))
        if len(whole) == 1 and isinstance(whole[0], Loop):
            cells = _needed(tuple(_with_values(whole[0].body, known)))
            return (dataclasses.replace(whole[0], body=cells),)
        return tuple(_with_values(whole, known))
    (loop,), (row, begin, end, value) = whole, condition.args
    assert isinstance(loop, Loop)
    assert (loop.begin, loop.end) == (begin, end)
    assert isinstance(row, Symbol)
    assert isinstance(value, Const)
    own = Load(row, loop.counter)
    body = tuple(_with_values(loop.body, {own: Const(value.value, own.type)}))
    inside = {loop.counter} | {s.symbol for s in statements(body) if isinstance(s, (Let, Var, Local))}
    before: list[Statement] = []
    for statement in body:
        if isinstance(statement, Let) and not any(
            isinstance(node, Load) or node in inside for node in walk(statement.value)
        ):
            before.append(statement)
            inside.remove(statement.symbol)
    kept = tuple(statement for statement in body if statement not in before)
    return (*before, dataclasses.replace(loop, body=kept))


def versions(usual: Sequence[Expression], whole: Sequence[Statement]) -> tuple[Statement, ...]:
    """A copy of the statements for where all the conditions hold, and the whole for where not."""
    condition = functools.reduce(lambda a, b: operate("and", a, b), usual)
    copy = specialised_loop(whole, condition)
    return (If(condition, copy), If(operate("not", condition), tuple(whole)))


def without_versions(kernel: Kernel) -> Kernel:
    """The kernel with each pair of a copy and the whole replaced by the whole."""
    arrays, read = arrays_of(kernel), arrays_read(kernel)

    def is_copy(copy: If, whole: If) -> bool:
        if whole.condition != Op("not", (copy.condition,), BOOL):
            return False
        if len(copy.body) == 1 and (plain_row(copy.body[0], read, arrays),) == whole.body:
            return True
        return is_specialised(copy, whole)

    return dataclasses.replace(kernel, body=_without(kernel.body, is_copy))


def _without(body: Sequence[Statement], is_copy: Callable[[If, If], bool]) -> tuple[Statement, ...]:
    result: list[Statement] = []
    at = 0
    while at < len(body):
        statement = body[at]
        following = body[at + 1] if at + 1 < len(body) else None
        if isinstance(statement, If) and isinstance(following, If) and is_copy(statement, following):
            result += following.body
            at += 2
            continue
        if isinstance(statement, (Loop, If)):
            statement = dataclasses.replace(statement, body=_without(statement.body, is_copy))
        result.append(statement)
        at += 1
    return tuple(result)


def is_specialised(copy: If, whole: If) -> bool:
    """Whether the first of two statements is what `specialised_loop` makes of the second."""
    if isinstance(copy.condition, Call) and copy.condition.name == "all_equal":
        loop, (_, *bounds, value) = whole.body[0], copy.condition.args
        if len(whole.body) != 1 or not isinstance(loop, Loop) or [loop.begin, loop.end] != bounds:
            return False
        if not isinstance(value, Const):
            return False
    elif not all(known for known, _ in _known(copy.condition)):
        return False
    return specialised_loop(whole.body, copy.condition) == copy.body


def _known(condition: Expression) -> Iterator[tuple[Expression, Expression]]:
    """The names that a condition says the value of."""
    match condition:
        case Op("and", args):
            for argument in args:
                yield from _known(argument)
        case Op("eq", (Symbol() as symbol, Const() as value)):
            yield symbol, value


def _with_values(body: Sequence[Statement], known: dict[Expression, Expression]) -> Iterator[Statement]:
    named: dict[Expression, Symbol] = {}
    for statement in body:
        changed = transform_expressions(statement, lambda node: _folded(known.get(node, node)))
        if isinstance(changed, Let):
            value = named.get(changed.value, changed.value)
            if isinstance(value, (Const, Symbol)):
                known[changed.symbol] = value
                continue
            if not any(isinstance(node, Load) for node in walk(value)):
                named[value] = changed.symbol
        yield changed


def _needed(body: Sequence[Statement]) -> tuple[Statement, ...]:
    """Statements without names that no later one reads, and without headings of nothing."""
    read: set[Symbol] = set()
    kept: list[Statement] = []
    for statement in reversed(body):
        unread = isinstance(statement, Let) and statement.symbol not in read
        nothing = isinstance(statement, Comment) and isinstance(kept[-1] if kept else statement, Comment)
        if unread or nothing:
            continue
        read.update(node for node in distinct(statement) if isinstance(node, Symbol))
        kept.append(statement)
    return tuple(reversed(kept))


def _is_integer(value: Expression) -> bool:
    return isinstance(value, Const) and value.type is not None and not value.type.is_float


def _folded(expression: Expression) -> Expression:
    """An expression of constants as one; numbers of floats stay as they are written."""
    match expression:
        case Cast(Const(value, before), scalar) if before is not None and not before.is_float:
            return expression if scalar.is_float else Const(value, scalar)
        case Op(name, args, scalar) if all(_is_integer(a) for a in args):
            return Const(OPERATORS[name].meaning(*(a.value for a in args)), scalar)  # type: ignore[attr-defined]
        case Op(("ge" | "gt" | "le" | "lt" | "eq" | "ne") as name, (Const(left), Const(right))):
            return Const(bool(OPERATORS[name].meaning(left, right)), BOOL)
        case Call("max" | "min", (Const() as left, right)) if left == right:
            return left
        case Select(Const(chosen), yes, no):
            return yes if chosen else no
    return expression
