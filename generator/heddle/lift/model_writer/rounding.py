# SPDX-License-Identifier: Apache-2.0
"""Whether a model computes what was lifted, operation by operation.

Two kernels that are equal here round alike: what is taken away never changes a bit (the order of two
operands, the place of a minus sign, how a comparison is written, the width of integers).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from heddle.errors import NOWHERE, Place
from heddle.ir import nodes as ir
from heddle.ir.rounding import rounded
from heddle.ir.text import expression as text
from heddle.ir.visit import transform

_COMMUTATIVE = {"add", "mul", "and", "or", "eq", "ne", "bitand"}
_MIRRORED = {"gt": "lt", "ge": "le"}
_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


def differences(lifted: ir.Kernel, model: ir.Kernel) -> list[str]:
    """Where a model's kernel rounds otherwise than the lifted one: a sentence for each place; none if they
    are the same."""
    return list(_compared(lifted.body, model.body))


def _compared(lifted: Sequence[ir.Statement], model: Sequence[ir.Statement]) -> Iterator[str]:
    if [type(s) for s in lifted] != [type(s) for s in model]:
        yield f"{_place(lifted)}: the statements are others"
        return
    for one, other in zip(lifted, model, strict=True):
        inner = getattr(one, "body", None)
        if inner is not None:
            yield from _compared(inner, other.body)  # type: ignore[attr-defined]
        if isinstance(one, ir.Reduce) and one.operation == "sum":
            yield f"{_place([one])}: the sum {one.output.name} is added up by a fixed tree, not cell by cell"
        mine, theirs = (_normal(_bare(statement)) for statement in (one, other))
        if mine is theirs:
            continue
        if _exchanged(mine) is _exchanged(theirs):
            yield (
                f"{_place([one])}: the operands of a minimum or maximum in {_what(one)} are exchanged, which "
                "counts where both are zero or one is NaN"
            )
        else:
            yield f"{_place([one])}: {_what(one)} is computed in another order or precision"


def _what(statement: ir.Statement) -> str:
    match statement:
        case ir.Let(symbol):
            return symbol.name
        case ir.Store(target):
            return text(target)
        case ir.Reduce(_, output):
            return output.name
    return "a condition"


def _place(body: Sequence[ir.Statement]) -> Place:
    return next((s.place for s in body if hasattr(s, "place")), NOWHERE)


def _bare(statement: ir.Statement) -> ir.Statement:
    """A statement without its place and what is inside."""
    match statement:
        case ir.Let(symbol, value):
            return ir.Let(symbol, value)
        case ir.Store(target, value):
            return ir.Store(target, value)
        case ir.If(condition):
            return ir.If(condition, ())
        case ir.Reduce(operation, output, value):
            return ir.Reduce(operation, output, value)
        case ir.Scan(axis, reverse, carried, initial, _, update):
            return ir.Scan(axis, reverse, carried, initial, (), update)
        case ir.While(counter, most, condition, carried, initial, _, update):
            return ir.While(counter, most, condition, carried, initial, (), update)
    return statement


def _exchanged(statement: ir.Statement) -> ir.Statement:
    """With the operands of minima and maxima in a fixed order."""

    def changed(node: Any) -> Any:
        if isinstance(node, ir.Call) and node.name in ("min", "max"):
            return ir.Call(node.name, _sorted(node.args), node.type)
        return node

    return transform(statement, changed)  # type: ignore[no-any-return]


def _normal(statement: ir.Statement) -> ir.Statement:
    return transform(statement, _changed)  # type: ignore[no-any-return]


def _changed(node: Any) -> Any:
    match node:
        case ir.Field(name, scalar, rank, components, _, layout):
            return ir.Field(name, scalar, rank, components, 0, layout)
        case ir.Const(value, scalar) if scalar is not None and scalar.is_float:
            return ir.Const(float(rounded(value, scalar)), scalar)
        case ir.Const(value, ir.Scalar(kind="i" | "u")):
            return ir.Const(value, ir.I64)
        case ir.Cast(inner, scalar) if _is_integer(inner.type) and _is_integer(scalar):
            return inner
        case ir.Cast(ir.Const(value), scalar) if scalar.is_float and value == int(value):
            return ir.Const(float(value), scalar)
        case ir.Symbol(name, ir.Scalar(kind="i" | "u")):
            return ir.Symbol(name, ir.I64)
        case ir.Op("not", (ir.Op(name, args),)) if name in _OPPOSITE and not args[0].type.is_float:
            return _changed(ir.Op(_OPPOSITE[name], args, ir.BOOL))
        case ir.Op(name, (left, right)) if name in _MIRRORED:
            return ir.Op(_MIRRORED[name], (right, left), ir.BOOL)
        case ir.Op("add" | "sub" | "mul" | "div" | "neg", args, scalar):
            return _signed(node.name, args, _wide(scalar))
        case ir.Op(name, args, scalar) if name in _COMMUTATIVE:
            return ir.Op(name, _sorted(args), _wide(scalar))
        case ir.Op(name, args, scalar):
            return ir.Op(name, args, _wide(scalar))
        case ir.Select(_, yes, no) if yes is no:
            return yes
    return node


def _signed(name: str, args: tuple[ir.Expression, ...], scalar: ir.Scalar) -> ir.Expression:
    """Minus signs outside: rounding to nearest is the same for both signs."""
    signs, parts = zip(*(_split(argument) for argument in args), strict=True)
    if name == "neg":
        return parts[0] if signs[0] else ir.Op("neg", parts, scalar)
    if name in ("mul", "div"):
        result = ir.Op(name, _sorted(parts) if name == "mul" else parts, scalar)
        return ir.Op("neg", (result,), scalar) if signs[0] != signs[1] else result
    minus = signs[0], signs[1] != (name == "sub")
    if minus == (False, True):
        return ir.Op("sub", parts, scalar)
    if minus == (True, False):
        return ir.Op("sub", parts[::-1], scalar)
    total = ir.Op("add", _sorted(parts), scalar)
    return ir.Op("neg", (total,), scalar) if minus[0] else total


def _split(value: ir.Expression) -> tuple[bool, ir.Expression]:
    match value:
        case ir.Op("neg", (inner,)):
            return True, inner
        case ir.Const(number, scalar) if number < 0:
            return True, ir.Const(-number, scalar)
    return False, value


def _sorted(args: Sequence[ir.Expression]) -> tuple[ir.Expression, ...]:
    return tuple(sorted(args, key=text))


def _wide(scalar: Any) -> Any:
    return ir.I64 if _is_integer(scalar) else scalar


def _is_integer(scalar: object) -> bool:
    return isinstance(scalar, ir.Scalar) and scalar.kind in "iu"
