# SPDX-License-Identifier: Apache-2.0
"""Options that are True or False."""

from __future__ import annotations

import sympy

from heddle.errors import KernelError, calling_place


def require_flag(value: object, name: str) -> None:
    """Raises KernelError unless the value is True or False, Python's or NumPy's. name: of the option."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise KernelError(
            calling_place(), f"{name} = {shown(value)} is neither True nor False.", f"{name}=True or False"
        )


def shown(value: object) -> str:
    """As a user would write it; the class name for objects of other types."""
    plain = (str, int, float, tuple, list, dict, type(None), sympy.Basic)
    return repr(value) if isinstance(value, plain) else f"an object of {type(value).__name__}"
