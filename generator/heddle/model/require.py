# SPDX-License-Identifier: Apache-2.0
"""Checks of user input: one error for each common mistake, at the line of the mistake."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.model.equations import Scalar, quantity
from heddle.model.flag import shown


def require_object(value: object, kind: type | tuple[type, ...], what: str, hint: str) -> None:
    """Raises KernelError unless `value` is an instance of a kind; also if it is a class instead of an
    instance.

    what: the expected kind, with its article. hint: how to write it.
    """
    if isinstance(value, kind):
        return
    if isinstance(value, type):
        said = f"{value.__name__} is a class, but {what} is expected, which must be an object."
    else:
        said = f"{shown(value)} is not {what}."
    raise KernelError(calling_place(), said, hint)


def vector(value: Sequence[Scalar], what: str) -> tuple[sympy.Expr, ...]:
    """The components of a vector. what: its name. Raises KernelError unless it is a sequence; a string is
    not."""
    try:
        entries = () if isinstance(value, str) else tuple(value)
    except TypeError:
        entries = ()
    if not entries:
        raise KernelError(
            calling_place(),
            f"{what} is a vector, not {shown(value)}.",
            'give one entry per axis, such as ("u_x", 0)',
        )
    return tuple(map(quantity, entries))
