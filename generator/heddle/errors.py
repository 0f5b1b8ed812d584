# SPDX-License-Identifier: Apache-2.0
"""The one kind of error that Heddle reports to its user: where, what, and what to do about it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

_PACKAGE = str(Path(__file__).resolve().parent)


@dataclass(frozen=True)
class Place:
    """A line of the user's model. `file` is a bare file name, so that messages do not depend on the
    machine."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


NOWHERE = Place("<model>", 0)


def calling_place() -> Place:
    """The innermost line on the stack that is not Heddle's own: the line of the model."""
    frame = _calling_frame()
    return Place(_file_name(frame.f_code.co_filename), frame.f_lineno) if frame else NOWHERE


@cache
def _file_name(path: str) -> str:
    return Path(path).name


def calling_file() -> str:
    """The path of the file with that line; "" for none."""
    frame = _calling_frame()
    return frame.f_code.co_filename if frame else ""


def variables_of_callers() -> Iterator[object]:
    """The values of all variables that the executed code outside this package knows, and those in its tuples
    and lists; those of the innermost call last."""
    frames: list[FrameType] = []
    frame = _calling_frame()
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    for frame in reversed(frames):
        for value in (*frame.f_globals.values(), *frame.f_locals.values()):
            yield from value if type(value) in (tuple, list) else (value,)


def _calling_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_PACKAGE, "<")):
        frame = frame.f_back
    return frame


class KernelError(Exception):
    """A model that cannot become a correct kernel.

    where: the line of the model; what: the reason; hint: what to do.
    """

    def __init__(self, where: Place | str, what: str, hint: str = "") -> None:
        self.where, self.what, self.hint = where, what, hint
        super().__init__(f"{where}: {what}" + (f"\n  Hint: {hint}" if hint else ""))

    def __reduce__(self) -> tuple[type[KernelError], tuple[Place | str, str, str]]:
        """Whole from one process to another; an exception by itself keeps its message only."""
        return KernelError, (self.where, self.what, self.hint)
