# SPDX-License-Identifier: Apache-2.0
"""What users pass for an expression: checked where it is written."""

from __future__ import annotations

import sympy
from sympy.logic.boolalg import Boolean

from heddle.errors import KernelError, Place, calling_place
from heddle.model.field import Field


def expression(value: object, place: Place) -> sympy.Basic:
    """A value, a condition or a number as SymPy knows it. Raises KernelError for anything else: what looks
    like an expression in a string would be read with other symbols than the model's."""
    if isinstance(value, Field):
        raise KernelError(place, *whole_field(value))
    if isinstance(value, str):
        raise KernelError(
            place,
            f"{value!r} is a string, not an expression.",
            "write it in Python, with fields and symbols: u.here + 1",
        )
    try:
        found = sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError, ValueError):
        found = None
    if not isinstance(found, (sympy.Expr, Boolean)):
        raise KernelError(
            place,
            f"{value!r} is not an expression.",
            "pass numbers, accesses such as u.here, symbols, and what SymPy makes of these",
        )
    return found


def require_text(value: object, of: str) -> None:
    """Raises KernelError for what is no text. of: where it stands."""
    if not isinstance(value, str):
        raise KernelError(
            calling_place(), f"the text of {of} is {value!r}, not a string.", "write it in quotes"
        )


def whole_field(field: Field) -> tuple[str, str]:
    """What is wrong with a field where one of its values is meant, and what to write."""
    offsets = ", ".join(["1", *["0"] * (field.rank - 1), *(["0"] if field.components else [])])
    return (
        f"'{field.name}' is a field, where the value of one cell is expected.",
        f"write {field.name}.here for the current cell, {field.name}[{offsets}] for a neighbour",
    )


def parts(*wholes: sympy.Basic) -> set[sympy.Basic]:
    """Every part of expressions, themselves included, visited once however often it is used: `atoms` and
    `free_symbols` of SymPy walk the tree, which is millions of nodes where squares of squares have dozens."""
    found: set[sympy.Basic] = set()
    waiting = [*wholes]
    while waiting:
        part = waiting.pop()
        if part not in found:
            found.add(part)
            waiting += part.args
    return found
