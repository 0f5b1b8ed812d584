# SPDX-License-Identifier: Apache-2.0
"""Where Heddle's own files lie: beside the generator in a checkout, inside the package when installed."""

from __future__ import annotations

import os
from pathlib import Path

from heddle.errors import KernelError

REINSTALL = "install Heddle again"
"""What helps where a file of its own is missing."""
_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parents[1]


def program(name: str) -> Path | None:
    """A program that was installed with the package: in bin/ of a prefix that has the package in
    share/heddle/."""
    if _PACKAGE.parts[-3:-1] != ("share", "heddle"):
        return None
    found = _PACKAGE.parents[2] / "bin" / name
    return found if os.access(found, os.X_OK) else None


def folder(name: str) -> Path:
    """The folder `templates`, `runtime/cmake` or `runtime/include`. Raises KernelError without it."""
    for root in (_PACKAGE / "data", _CHECKOUT):
        if (root / name).is_dir():
            return root / name
    raise KernelError("heddle", f"its folder '{name}' is missing.", REINSTALL)
