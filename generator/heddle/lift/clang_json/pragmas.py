# SPDX-License-Identifier: Apache-2.0
"""The `omp` pragmas before a loop, from the text: without -fopenmp Clang's tree has none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

_MOST_LINES = 64  # far more than anybody writes pragmas


class Pragmas:
    """Reads the files of one unit, each once."""

    def __init__(self) -> None:
        self._text = cache(_read)

    def before(self, file: str, offset: int) -> str:
        """Of a `for` at an offset in a file."""
        text = self._text(file)
        line_begin = text.rfind(b"\n", 0, offset) + 1
        if text[line_begin:offset].strip(b" \t"):
            return ""
        found = []
        for line in _lines_above(text, line_begin):
            directive = _tidied(line)
            if directive.startswith("# pragma"):
                directive = "#" + directive[2:]
            if directive.startswith("#pragma omp "):
                found.append(directive.removeprefix("#pragma "))
            elif directive and not directive.startswith("#pragma"):
                break
        return "\n".join(reversed(found))


def _read(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError:
        return b""


def _lines_above(text: bytes, end: int) -> Iterator[str]:
    """The lines before `end`, the nearest first, those that end in a backslash joined to their next."""
    waiting: str | None = None
    for _ in range(_MOST_LINES):
        if end <= 0:
            break
        begin = text.rfind(b"\n", 0, end - 1) + 1
        line = text[begin : end - 1].decode("utf-8", "replace").removesuffix("\r")
        end = begin
        if line.endswith("\\"):
            waiting = f"{line[:-1]} {waiting or ''}"
            continue
        if waiting is not None:
            yield waiting
        waiting = line
    if waiting is not None:
        yield waiting


def _tidied(line: str) -> str:
    """The words of a line joined by single spaces, without a comment at its end."""
    return " ".join(line.partition("//")[0].replace("\t", " ").split())
