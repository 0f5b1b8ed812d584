# SPDX-License-Identifier: Apache-2.0
"""Docstrings are plain text, in which `backticks` mark code; Sphinx reads reStructuredText. This turns one
into the other: nothing but code, doctests, lists and indented blocks has a meaning of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

CODE = re.compile(r"(?<!`)`([^`\n]*\S)`(?!`)")
SPECIAL = re.compile(r"([\\*|_`])")


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", _process)


def _process(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    lines[:] = converted(lines)


def converted(lines: list[str]) -> list[str]:
    """The lines of a docstring in reStructuredText."""
    found: list[str] = []
    for blank, group in groupby(lines, key=lambda line: not line.strip()):
        if not blank:
            found += [*_paragraph(list(group)), ""]
    return found


def _paragraph(lines: list[str]) -> Iterator[str]:
    if lines[0].lstrip().startswith(">>> "):
        yield from lines
    elif lines[0].startswith(("- ", "* ")):
        for line in lines:
            marked = line.startswith(("- ", "* "))
            yield (f"- {_text(line[2:])}" if marked else f"  {_text(line.strip())}")
    elif any(line.startswith(" ") for line in lines):
        yield from ("::", "", *(f"    {line}" for line in lines))
    else:
        yield from (_text(line) for line in lines)


def _text(line: str) -> str:
    """A line with its code marked, and nothing else."""
    parts = CODE.split(line)
    for at, part in enumerate(parts):
        parts[at] = f"\\ ``{part.strip()}``\\ " if at % 2 else SPECIAL.sub(r"\\\1", part)
    text = "".join(parts).removeprefix("\\ ")
    return f"\\{text}" if re.match(r"[-+#.:=~]|\d+[.)] ", text) else text
