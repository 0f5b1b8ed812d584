# SPDX-License-Identifier: Apache-2.0
"""One form for a lowered kernel and for its text read back: what C++ cannot say is taken away, nothing that
changes a bit is."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from heddle.errors import NOWHERE
from heddle.ir import nodes as ir
from heddle.ir.rounding import rounded
from heddle.ir.visit import transform
from heddle.lift.operands import folded, single

Body = tuple[ir.Statement, ...]


def canonical(body: Sequence[ir.Statement], unit_stride: bool = False) -> Body:
    """Statements without comments, places and hints that have no text of their own.

    Rationals become the quotients that are printed, those of type float their value; half-precision numbers
    become their bits; short unsigned numbers are compared as longer ones. unit_stride: as instantiated for
    unit strides along x.
    """
    without = tuple(statement for statement in body if not isinstance(statement, ir.Comment))
    halves = (transform(statement, _read_half) for statement in without)  # while halves still have their type
    changed = (transform(statement, lambda node: _plain(node, unit_stride)) for statement in halves)
    return tuple(_reductions(statement) for statement in changed)


def _plain(node: Any, unit_stride: bool) -> Any:
    match node:
        case ir.Const(value, scalar) if scalar is not None and scalar.is_float:
            return _number(value, scalar)
        case ir.Cast(ir.Const(float(value)), scalar) if scalar.is_float:
            return ir.Const(float(rounded(value, scalar)), scalar)  # Real(0.1)
        case ir.Op(_, (ir.Const(int()), ir.Const(int()))):
            return folded(node)  # 4 * strip
        case ir.Op(_, (ir.Const(float()), ir.Const(float())), ir.F32):
            return single(node)  # as literals of type float are read
        case ir.Op("neg", (value,), scalar) if scalar is not None and (
            isinstance(value, ir.Const) or not scalar.is_float
        ):
            return _negative(value, scalar)
        case ir.Op(name, (value, ir.Const(number, (ir.U8 | ir.U16))), scalar) if scalar == ir.BOOL:
            return ir.Op(name, (ir.Cast(value, ir.U32), ir.Const(number, ir.U32)), scalar)  # as C++ compares
        case ir.Symbol(name, ir.Scalar("f", 16)):
            return ir.Symbol(name, ir.U16)
        case ir.Pointer(ir.Scalar("f", 16), const):
            return ir.Pointer(ir.U16, const)
        case ir.View(pointer, offset, ir.Symbol(name), opaque) if unit_stride and name.endswith("_sx"):
            return ir.View(pointer, offset, ir.Const(1, ir.I64), opaque)
        case ir.Store(target, value):
            return ir.Store(target, value)
        case ir.Let(symbol, value):
            return ir.Let(symbol, value)
        case ir.If(condition, body):
            return ir.If(condition, _uncommented(body))
        case ir.While(body=body):
            return dataclasses.replace(node, body=_uncommented(body), place=NOWHERE)
        case ir.Loop(body=body):
            kind = "serial" if node.kind in ("lanes", "levels") else node.kind
            return dataclasses.replace(node, kind=kind, body=_uncommented(body))
    assert getattr(node, "place", NOWHERE) == NOWHERE, node
    return node


def _negative(value: ir.Expression, scalar: ir.Scalar) -> ir.Expression:
    """A number with the other sign; of an integer product, its first factor: p - 2 * s is printed for
    p + -2 * s."""
    match value:
        case ir.Const(number):
            return ir.Const(-number, scalar)
        case ir.Op("mul", (first, *others)):
            return ir.Op("mul", (_negative(first, scalar), *others), scalar)
    return ir.Op("neg", (value,), scalar)


def _read_half(node: Any) -> Any:
    """What is converted from half precision is read from its bits."""
    if not (isinstance(node, ir.Cast) and node.value.type == ir.F16):
        return node
    if isinstance(node.value, ir.Call) and node.value.name == "as_half":
        return node
    return ir.Cast(ir.Call("as_half", (node.value,), ir.F16), node.type)


def _uncommented(body: Body) -> Body:
    return tuple(statement for statement in body if not isinstance(statement, ir.Comment))


def _number(value: Any, scalar: ir.Scalar) -> ir.Expression:
    if isinstance(value, Fraction) and value.denominator & (value.denominator - 1):
        above, below = (_number(Fraction(part), scalar) for part in (value.numerator, value.denominator))
        return single(ir.Op("div", (above, below), scalar))
    return ir.Const(float(rounded(value, scalar)), scalar)


def _reductions(statement: ir.Statement, shared: bool = False) -> ir.Statement:
    """Only loops with a pragma of their own say what they combine."""
    if not isinstance(statement, (ir.Loop, ir.If, ir.While)):
        return statement
    if not isinstance(statement, ir.Loop):
        return dataclasses.replace(statement, body=tuple(_reductions(s) for s in statement.body))
    kept = () if shared or statement.kind in ("serial", "thread") else statement.reductions
    only = len(statement.body) == 1 and statement.kind == "omp"
    body = tuple(_reductions(s, only and isinstance(s, ir.Loop) and s.kind == "omp") for s in statement.body)
    return dataclasses.replace(statement, body=body, reductions=kept)
