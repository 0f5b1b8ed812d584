# SPDX-License-Identifier: Apache-2.0
"""Schedules as text to paste into a model, and as JSON, read back with care."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping
from typing import Any

from heddle.errors import KernelError
from heddle.ir.schedule import CPU_KINDS, GPU_KINDS, CpuSchedule, GpuSchedule, Schedule

KINDS: dict[str, type[CpuSchedule] | type[GpuSchedule]] = {
    kind.__name__: kind for kind in (*CPU_KINDS, *GPU_KINDS)
}


def as_text(schedule: Schedule) -> str:
    """As a model writes it: `Schedule(fma=True, cpu=CacheLines(4))`."""
    words = (
        f"{name}={part_text(value) if isinstance(value, (CpuSchedule, GpuSchedule)) else repr(value)}"
        for name, value in _stated(schedule).items()
    )
    return f"Schedule({', '.join(words)})"


def part_text(part: CpuSchedule | GpuSchedule) -> str:
    """One part of a schedule, such as `CacheLines(4)`."""
    options = _stated(part)
    without_default = [e.name for e in dataclasses.fields(part) if e.default is dataclasses.MISSING]
    words = [repr(options.pop(name)) for name in without_default]
    words += (f"{name}={value!r}" for name, value in options.items())
    return f"{type(part).__name__}({', '.join(words)})"


def to_json(schedule: Schedule) -> dict[str, Any]:
    """The options that differ from `Schedule()`."""
    return {
        name: {"kind": type(value).__name__} | _stated(value)
        if isinstance(value, (CpuSchedule, GpuSchedule))
        else value
        for name, value in _stated(schedule).items()
    }


def _stated(whole: Schedule | CpuSchedule | GpuSchedule) -> dict[str, Any]:
    """The options that differ from their defaults, or have none; not what follows from others."""
    options = ((option, getattr(whole, option.name)) for option in dataclasses.fields(whole) if option.init)
    return {option.name: value for option, value in options if value != option.default}


def from_json(where: str, text: object) -> Schedule:
    """The schedule that `to_json` wrote; KernelError for anything else. where: what it was read from."""
    try:
        options = {name: _value(value) for name, value in _mapping(text).items()}
        return Schedule(**options)
    except KernelError as error:
        raise KernelError(where, f"no schedule: {error.what}", error.hint) from None
    except (TypeError, KeyError, ValueError):
        raise KernelError(
            where, f"{text!r} is no schedule.", "write it with heddle explore, or leave it out"
        ) from None


def from_text(where: str, text: str) -> Schedule:
    """The schedule that `as_text` wrote, without running it; KernelError for anything else."""
    try:
        found = _called(ast.parse(text, mode="eval").body)
        if isinstance(found, Schedule):
            return found
    except (TypeError, KeyError, ValueError, SyntaxError):
        pass
    raise KernelError(where, f"{text!r} is no schedule.", "write it with heddle explore, or leave it out")


def _called(node: ast.expr) -> Any:
    """A call of a class of schedules, with constants and such calls as arguments; or a constant."""
    if not isinstance(node, ast.Call):
        return ast.literal_eval(node)
    if not isinstance(node.func, ast.Name):
        raise TypeError
    kind: Any = Schedule if node.func.id == "Schedule" else KINDS[node.func.id]
    words = {word.arg or "": _called(word.value) for word in node.keywords}
    return kind(*map(_called, node.args), **words)


def _mapping(text: object) -> Mapping[str, Any]:
    if not isinstance(text, dict):
        raise TypeError
    return text


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        options = {name: _value(entry) for name, entry in value.items() if name != "kind"}
        return KINDS[value["kind"]](**options)
    return tuple(value) if isinstance(value, list) else value
