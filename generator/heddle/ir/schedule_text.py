# SPDX-License-Identifier: Apache-2.0
"""Schedules as text to paste into a model, and as JSON, read back with care."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from heddle.errors import KernelError
from heddle.ir.schedule import (
    CacheLines,
    CompressedList,
    CpuSchedule,
    GpuSchedule,
    Interleaved,
    Rows,
    Schedule,
    Strips,
    Threads,
)

KINDS: dict[str, type[CpuSchedule] | type[GpuSchedule]] = {
    kind.__name__: kind for kind in (Rows, Strips, CacheLines, Threads, Interleaved, CompressedList)
}


def as_text(schedule: Schedule) -> str:
    """As a model writes it: `Schedule(fma=True, cpu=CacheLines(4))`."""
    words = []
    for part in dataclasses.fields(schedule):
        value = getattr(schedule, part.name)
        if part.name == "_" or value == part.default:
            continue
        words.append(f"{part.name}={part_text(value) if type(value).__name__ in KINDS else repr(value)}")
    return f"Schedule({', '.join(words)})"


def part_text(part: Any) -> str:
    """One part of a schedule, such as `CacheLines(4)`."""
    words: list[str] = []
    for entry in dataclasses.fields(part):
        value = getattr(part, entry.name)
        if entry.default is dataclasses.MISSING:
            words.insert(0, repr(value))
        elif value != entry.default:
            words.append(f"{entry.name}={value!r}")
    return f"{type(part).__name__}({', '.join(words)})"


def to_json(schedule: Schedule) -> dict[str, Any]:
    """The options that differ from `Schedule()`."""
    found: dict[str, Any] = {}
    for part in dataclasses.fields(schedule):
        value = getattr(schedule, part.name)
        if part.name == "_" or value == part.default:
            continue
        if type(value).__name__ in KINDS:
            options = {e.name: getattr(value, e.name) for e in dataclasses.fields(value)}
            own = {e.name: e.default for e in dataclasses.fields(value)}
            value = {"kind": type(value).__name__} | {n: v for n, v in options.items() if v != own[n]}
        found[part.name] = value
    return found


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


def _mapping(text: object) -> Mapping[str, Any]:
    if not isinstance(text, dict):
        raise TypeError
    return text


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        options = {name: _value(entry) for name, entry in value.items() if name != "kind"}
        return KINDS[value["kind"]](**options)
    return tuple(value) if isinstance(value, list) else value
