# SPDX-License-Identifier: Apache-2.0
"""Conditions that let only cells of one colour do something.

`(x + y + z + c) & 1 == p` holds in no two cells that are an odd number of steps apart along x, y and z. So
what lies an odd number of steps away may be read under it: no cell of this colour writes there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heddle.ir import nodes as ir
from heddle.ir.visit import walk

_COORDINATES = ("x", "y", "z")
Guard = tuple[ir.Expression, tuple[int, ...]]
"""A condition and the axes whose coordinates it adds up."""


def colour_guards(condition: ir.Expression) -> Iterator[Guard]:
    """The conditions of this kind that hold wherever `condition` holds."""
    match condition:
        case ir.Op("and", args):
            for argument in args:
                yield from colour_guards(argument)
        case ir.Op("eq" | "ne" as name, (left, right)):
            for parity, value in ((left, right), (right, left)):
                axes = _axes(parity)
                if axes and _is_same_everywhere(value) and (name == "eq" or _is_bit(value)):
                    yield condition, axes


def keeps_apart(guard: Guard, apart: Sequence[int]) -> bool:
    """Whether of two cells at this distance only one fulfils the condition."""
    return sum(apart[axis] for axis in guard[1] if axis < len(apart)) % 2 == 1


def _axes(parity: ir.Expression) -> tuple[int, ...]:
    """The axes in `(sum of coordinates and others) & 1`; none for another expression."""
    match parity:
        case ir.Cast(inner, ir.Scalar(kind="i")):
            return _axes(inner)
        case ir.Op("bitand", (ir.Const(1), total)) | ir.Op("bitand", (total, ir.Const(1))):
            counted = [0, 0, 0]
            for term in _terms(total):
                if isinstance(term, ir.Symbol) and term.name in _COORDINATES:
                    counted[_COORDINATES.index(term.name)] += 1
                elif not _is_same_everywhere(term):
                    return ()
            return tuple(axis for axis in range(3) if counted[axis] % 2)
    return ()


def _terms(value: ir.Expression) -> Iterator[ir.Expression]:
    match value:
        case ir.Op("add" | "sub", (left, right)):
            yield from _terms(left)
            yield from _terms(right)
        case ir.Op("neg", (inner,)) | ir.Cast(inner, ir.Scalar(kind="i")):
            yield from _terms(inner)
        case _:
            yield value


def _is_same_everywhere(value: ir.Expression) -> bool:
    """Whether a value does not depend on the cell: arguments and numbers."""
    return all(
        isinstance(node, (ir.Const, ir.Cast, ir.Op, ir.Scalar))
        or (isinstance(node, ir.Symbol) and node.name not in _COORDINATES)
        for node in walk(value)
    )


def _is_bit(value: ir.Expression) -> bool:
    return isinstance(value, ir.Const) and value.value in (0, 1)
