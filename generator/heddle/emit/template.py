# SPDX-License-Identifier: Apache-2.0
"""One template over Real of the texts of a kernel in two precisions, where they differ in no more than the
type and in lengths that follow from its size."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[A-Za-z_]\w*|\d+\.?\d*(?:[eE][+-]?\d+)?[A-Za-z]*|\s+|.", re.DOTALL)
REAL, STRIP, LANES = "Real", "strip", "lanes"
_BEFORE, _AFTER = frozenset("+(<=,"), frozenset("),>];+-")
"""What may stand beside a product without parentheses."""


def merged(double: str, single: str) -> str | None:
    """The text over Real of a kernel's texts in f64 and f32, or None where they differ in anything else."""
    texts = [_WORD.findall(text) for text in (double, single)]
    if len(texts[0]) != len(texts[1]):
        return None
    words: list[str] = []
    for at, (one, other) in enumerate(zip(*texts, strict=True)):
        if one == other:
            word = one
        elif (one, other) == ("double", "float"):
            word = REAL
        elif one.isdecimal() and other.isdecimal():
            word = _length(int(one), int(other), *_neighbours(texts[0], at))
        else:
            word = ""
        if not word:
            return None
        words.append(word)
    return "".join(words)


def strip_names(text: str) -> set[str]:
    """The names that a text over Real uses for the number of elements of a cache line."""
    return {STRIP, LANES} & set(_WORD.findall(text))


def _length(double: int, single: int, before: str, after: str) -> str:
    """A number that is `double` where a cache line has 8 elements, and `single` where it has 16; nothing if
    there is none. before, after: what stands beside it."""
    strips, rest = divmod(single - double, 8)
    if rest or strips < 1:
        return ""
    more = double - 8 * strips
    is_bound = (before, after) == ("[", "]")
    name = LANES if is_bound else STRIP
    text = name if strips == 1 else f"{strips} * {name}"
    if more:
        text += f" {'+' if more > 0 else '-'} {abs(more)}"
    alone = is_bound or text == STRIP or (not more and before in _BEFORE and after in _AFTER)
    return text if alone else f"({text})"


def _neighbours(words: Sequence[str], at: int) -> tuple[str, str]:
    """The words before and after a word."""
    before = next((word for word in reversed(words[:at]) if not word.isspace()), "")
    return before, next((word for word in words[at + 1 :] if not word.isspace()), "")
