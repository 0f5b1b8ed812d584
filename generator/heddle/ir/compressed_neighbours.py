# SPDX-License-Identifier: Apache-2.0
"""The compressed neighbour table of a sparse list, as heddle/device/compressed_neighbours.hpp lays it out:
read by the interpreter, and written here a second time so that kernels can be compared on made-up lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from heddle.ir.functions import AT_WALL

CELLS = 32
MOST_NEIGHBOURS = 30
"""How many links the bits of a word can mark, beside the width of the deltas."""
_BYTES = {0: 1, 1: 2}
"""Bytes of a delta, by width; width 2: the plain table is read."""


def row_words(links: int) -> int:
    """Words of a chunk without its deltas: a number of 16-byte pieces."""
    return (links + 2 + 3) // 4 * 4


def chunk_entry(words: Sequence[Any], links: int, link: int, n: int) -> int | None:
    """Entry (link, n), AT_WALL at a wall, None where the plain table is to be read."""
    lane, row = n % CELLS, n // CELLS * row_words(links)
    apart, begin = words[row + links], words[row + links + 1]
    if apart >> MOST_NEIGHBOURS not in _BYTES:
        return None
    base = words[row + link] + lane
    if not apart >> link & 1:
        return int(base) % 2**32
    size = _BYTES[apart >> MOST_NEIGHBOURS]
    before = (apart & ((1 << link) - 1)).bit_count()
    at = (before * CELLS + lane) * size
    word = words[begin + at // 4]
    delta = word >> at % 4 * 8 & (1 << 8 * size) - 1
    return AT_WALL if delta == (1 << 8 * size) - 1 else int(base + delta) % 2**32


Entry = Callable[[int, int], int]


def compressed(entry: Entry, own: Entry, links: int, cells: int) -> list[int]:
    """The table of a list. entry(link, n): of the plain table; own(link, n): what it has at a wall."""
    chunks = -(-cells // CELLS)
    words = [0] * (chunks * row_words(links))
    for chunk in range(chunks):
        first, row = chunk * CELLS, chunk * row_words(links)
        last = min(first + CELLS, cells)
        apart: list[list[int | None]] = []  # for each link whose entries do not follow each other
        for link in range(links):
            entries = [entry(link, n) - (n - first) for n in range(first, last)]
            words[row + link] = entries[0] % 2**32
            if len(set(entries)) == 1:
                continue
            walls = [entry(link, n) == own(link, n) for n in range(first, last)]
            base = min((e for e, wall in zip(entries, walls, strict=True) if not wall), default=0)
            words[row + link] = base % 2**32
            words[row + links] |= 1 << link
            apart.append([None if wall else e - base for e, wall in zip(entries, walls, strict=True)])
        largest = max((delta for deltas in apart for delta in deltas if delta is not None), default=0)
        width = 0 if largest < 0xFF else 1 if largest < 0xFFFF else 2
        words[row + links] |= width << MOST_NEIGHBOURS
        words[row + links + 1] = len(words)
        if width in _BYTES:
            for deltas in apart:
                words += _packed([*deltas, *[None] * (CELLS - len(deltas))], 8 * _BYTES[width])
    return words


def _packed(deltas: Sequence[int | None], bits: int) -> list[int]:
    """Numbers of so many bits in words, the first one in the lowest bits; None is the largest."""
    numbers = [(1 << bits) - 1 if delta is None else delta for delta in deltas]
    each = 32 // bits
    return [
        sum(number << bits * place for place, number in enumerate(numbers[at : at + each]))
        for at in range(0, len(numbers), each)
    ]
