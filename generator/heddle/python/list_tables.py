# SPDX-License-Identifier: Apache-2.0
"""The tables of a list of cells, in NumPy: those that heddle::IndexList builds, word by word.

Links that lead to elements are meant: at a wall, to one of the own cell (heddle/sparse/link.hpp).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heddle.ir.schedule import RUN_CELLS
from heddle.ir.space import Link

Words = np.ndarray[Any, np.dtype[np.uint32]]
Places = np.ndarray[Any, np.dtype[np.int64]]

NOBODY = 0xFFFFFFFF
"""The number of no cell."""
_LINE = 16  # elements; 64 bytes of an entry
_DEVICE_PIECE = 128
_SEGMENTS, _UNKNOWN, _PAIR = 0x80000000, 0xFFFFFFFF, 3  # heddle::run_entry
_ROW_CELLS, _MARKS = 32, 30  # heddle/device/compressed_neighbours.hpp
_EIGHT, _SIXTEEN, _PLAIN = 0, 1, 2  # heddle::DeltaWidth
_AT_ONCE = 1 << 15  # chunks of entries that are looked at together


def padded(count: int) -> int:
    """Cells with the padding of a list: a multiple of 32."""
    return -(-count // _ROW_CELLS) * _ROW_CELLS


def strides(count: int, on_device: bool) -> tuple[int, int]:
    """Elements between two slots of a field, and between two rows of the table (heddle::ListLayout)."""
    cells = padded(count)
    if on_device:
        both = -(-cells // _DEVICE_PIECE) * _DEVICE_PIECE
        return both, both
    return _spread(cells, 19), _spread(cells, 45)


def _spread(cells: int, residue: int) -> int:
    """The least stride that holds the cells and is `residue` lines modulo 64, in large lists modulo 512."""
    period = 512 if cells >= 1 << 20 else 64
    lines = -(-cells // _LINE)
    return (lines + (residue - lines) % period) * _LINE


def neighbour_table(
    shape: tuple[int, ...],
    places: Places,
    links: Sequence[Link],
    periodic: Sequence[bool],
    slot_stride: int,
    stride: int,
) -> Words:
    """Entry [r, n]: the element to which link r of cell n leads; padding leads to itself.

    shape: of the box, x last; places: of its listed cells. periodic: for each axis, x first.
    """
    rank, count = len(shape), len(places)
    reach = [max((abs(link.offset[axis]) for link in links), default=0) for axis in range(rank)]
    box = np.full(shape, NOBODY, np.uint32)
    box.reshape(-1)[places] = np.arange(count, dtype=np.uint32)
    for axis in range(rank):
        width = [(0, 0)] * rank
        width[rank - 1 - axis] = (reach[axis], reach[axis])
        if periodic[axis]:
            box = np.pad(box, width, mode="wrap")
        else:
            box = np.pad(box, width, constant_values=NOBODY)
    numbers, steps = box.reshape(-1), [1, *np.cumprod(box.shape[:0:-1])]  # of an axis, x first
    position = np.unravel_index(places, shape)[::-1]
    at = sum(((position[axis] + reach[axis]) * int(steps[axis]) for axis in range(rank)), np.int64(0))

    table = np.empty((len(links), stride), np.uint32)
    own = np.minimum(np.arange(stride), padded(count) - 1)
    for row, link in zip(table, links, strict=True):
        beside = numbers[at + sum(d * int(s) for d, s in zip(link.offset, steps, strict=True))]
        wall = own + link.wall_slot * slot_stride
        leads = link.slot * slot_stride + beside.astype(np.int64)
        row[:] = wall
        row[:count] = np.where(beside == NOBODY, wall[:count], leads)
    return table


def run_table(table: Words, count: int) -> Words:
    """What IndexList::neighbour_run says of 16 entries of a row (heddle/device/run.hpp)."""
    cells, rows = padded(count), len(table)
    chunks = cells // RUN_CELLS
    numbers = np.full(chunks * rows, _UNKNOWN, np.uint32)
    parts, end = [numbers], len(numbers)
    lane = np.arange(RUN_CELLS, dtype=np.uint32)
    step = max(1, _AT_ONCE // rows)
    for first in range(0, chunks, step):
        last = min(first + step, chunks)
        rowwise = table[:, first * RUN_CELLS : last * RUN_CELLS].reshape(rows, -1, RUN_CELLS)
        entries = rowwise.swapaxes(0, 1).reshape(-1, RUN_CELLS)  # chunk after chunk, of each all rows
        known = entries.max(axis=1) < _SEGMENTS
        base = entries - lane  # of lane 0 it may lie below 0
        whole = (base == base[:, :1]).all(axis=1)
        here = numbers[first * rows : last * rows]
        here[whole & known] = entries[whole & known, 0]

        apart = np.flatnonzero(~whole)
        words, sizes = _segments(base[apart])
        begin = end + np.cumsum(sizes) - sizes
        ahead = begin - (first * rows + apart)
        fits = known[apart] & (ahead < _UNKNOWN - _SEGMENTS)
        here[apart[fits]] = _SEGMENTS + ahead[fits]
        parts.append(words)
        end += len(words)
    return np.concatenate(parts)


def _segments(base: Words) -> tuple[Words, Places]:
    """The words of the segments of some chunks, two segments at a time, and how many words each chunk has.
    base: of the lanes; those of one segment have the same."""
    lanes = np.arange(RUN_CELLS, dtype=np.uint16)
    same = np.packbits(base[:, :, None] == base[:, None, :], axis=2, bitorder="little")
    masks = same[..., 0] | same[..., 1].astype(np.uint32) << np.uint32(8)  # the lanes of each one's segment
    heads = masks & ((1 << lanes) - 1) == 0  # the first lane of each segment
    rank = np.cumsum(heads, axis=1) - 1
    segments = rank[:, -1] + 1
    sizes = (segments + 1) // 2 * _PAIR
    words = np.zeros(int(sizes.sum()), np.uint32)
    chunk, head = np.nonzero(heads)
    number, mask, first = rank[chunk, head], masks[chunk, head], base[chunk, head]
    pair = (np.cumsum(sizes) - sizes)[chunk] + number // 2 * _PAIR
    second = number % 2 == 1
    words[pair[~second]] = mask[~second]
    words[pair[second]] |= mask[second] << np.uint32(RUN_CELLS)
    words[pair + 1 + second] = first
    single = ~second & (number + 1 == segments[chunk])
    words[pair[single] + 2] = first[single]
    return words, sizes


def compressed_table(table: Words, count: int, links: Sequence[Link], slot_stride: int) -> Words | None:
    """The table that GPUs decode (heddle/device/compressed_neighbours.hpp); None for more links than it can
    have."""
    rows, chunks = len(links), padded(count) // _ROW_CELLS
    if rows > _MARKS:
        return None
    size = (rows + 2 + 3) // 4 * 4
    head = np.zeros((chunks, size), np.uint32)
    end = -(-chunks * size // 8) * 8
    parts: list[Words] = [np.zeros(end, np.uint32)]
    lane = np.arange(_ROW_CELLS, dtype=np.uint32)
    walls = np.array([link.wall_slot * slot_stride for link in links], np.int64)
    step = max(1, _AT_ONCE // rows)
    for first in range(0, chunks, step):
        last = min(first + step, chunks)
        numbers = np.arange(first, last)
        entries = (
            table[:, first * _ROW_CELLS : last * _ROW_CELLS].reshape(rows, -1, _ROW_CELLS).swapaxes(0, 1)
        )
        base = entries - lane
        apart = (base != base[:, :, :1]).any(axis=2)
        own = (walls + numbers[:, None] * _ROW_CELLS).astype(np.uint32)
        at_wall = base == own[:, :, None]
        least = np.where(at_wall, np.uint32(NOBODY), base).min(axis=2)
        largest = np.where(at_wall, np.uint32(0), base).max(axis=2)
        led = apart & (least <= largest)  # some entry leads to another cell
        chosen = np.where(led, least, base[:, :, 0])
        span = np.where(led, largest - least, 0)
        width = np.where(span < 0xFF, _EIGHT, np.where(span < 0xFFFF, _SIXTEEN, _PLAIN)).max(axis=1)
        here = head[first:last]
        here[:, :rows] = chosen
        here[:, rows] = (apart << np.arange(rows)).sum(axis=1) | width << _MARKS
        each = np.array([1, 2, 0])[width] * (_ROW_CELLS // 4)  # words of the deltas of a link
        sizes = each * apart.sum(axis=1)
        begin = np.cumsum(sizes) - sizes
        here[:, rows + 1] = end + begin
        deltas = np.where(at_wall, np.uint32(NOBODY), base - chosen[:, :, None])
        words = np.empty(int(sizes.sum()), np.uint32)
        before = np.cumsum(apart, axis=1) - 1
        for kind, number in ((_EIGHT, np.uint8), (_SIXTEEN, np.uint16)):
            chunk, row = np.nonzero(apart & (width == kind)[:, None])
            chosen_words = deltas[chunk, row].astype(number).view(np.uint32)
            to = begin[chunk] + before[chunk, row] * each[chunk]
            words[to[:, None] + np.arange(chosen_words.shape[1])] = chosen_words
        parts.append(words)
        end += len(words)
    parts[0][: chunks * size] = head.reshape(-1)
    return np.concatenate(parts)
