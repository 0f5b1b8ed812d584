# SPDX-License-Identifier: Apache-2.0
"""Which front ends this machine has, and how the tests call them."""

from __future__ import annotations

from pathlib import Path

from heddle.errors import KernelError
from heddle.ir.source import Unit
from heddle.lift.clang import SHIM
from heddle.lift.front_end import heddle_lift, read

ROOT = Path(__file__).resolve().parents[3]
LIFT = heddle_lift()
KERNEL_FLAGS = ("-nostdinc++", "-isystem", str(SHIM / "std"), "-I", str(ROOT / "runtime" / "include"))


def both(path: Path, flags: tuple[str, ...] = ()) -> tuple[Unit | None, Unit | None]:
    """What Clang's JSON and heddle-lift give; None where one refuses."""
    return _or_none(path, flags, "clang-json"), _or_none(path, flags, "heddle-lift")


def _or_none(path: Path, flags: tuple[str, ...], front_end: str) -> Unit | None:
    try:
        return read(path, flags, front_end=front_end)  # type: ignore[arg-type]
    except KernelError:
        return None


def first_difference(a: object, b: object, path: str = "") -> str:
    """Where two records part; empty where they do not."""
    if a is b or (not hasattr(a, "__dataclass_fields__") and not isinstance(a, tuple) and a == b):
        return ""
    if type(a) is type(b) and hasattr(a, "__dataclass_fields__"):
        parts = ((f"{path}.{name}", getattr(a, name), getattr(b, name)) for name in a.__dataclass_fields__)
    elif isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        parts = ((f"{path}[{at}]", one, other) for at, (one, other) in enumerate(zip(a, b, strict=True)))
    else:
        return f"{path}: {a} instead of {b}"
    return next(filter(None, (first_difference(one, other, at) for at, one, other in parts)), path)
