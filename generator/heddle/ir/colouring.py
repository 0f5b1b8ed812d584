# SPDX-License-Identifier: Apache-2.0
"""Colourings of the cells of a box by parity: cells of one colour may be updated in any order, colours follow
one another.

Bit j of a cell's colour is the sum of its coordinates along the axes `BITS[rank, colours][j]`, modulo 2.
Along the first of them, axis j, every second cell has the bit.

2 colours: the chessboard, which separates neighbours across a face. 4 in three dimensions: also those across
an edge. 4 in two dimensions and 8 in three: all neighbours, also those across a corner.
"""

from __future__ import annotations

from collections.abc import Sequence

from heddle.ir.nodes import I64, Symbol

BITS: dict[tuple[int, int], tuple[tuple[int, ...], ...]] = {
    (1, 2): ((0,),),
    (2, 2): ((0, 1),),
    (3, 2): ((0, 1, 2),),
    (2, 4): ((0,), (1,)),
    (3, 4): ((0, 1), (1, 2)),
    (3, 8): ((0,), (1,), (2,)),
}

COLOUR = Symbol("colour", I64)
"""The colour whose cells a scheduled kernel updates."""


def bits(rank: int, colours: int) -> tuple[tuple[int, ...], ...]:
    """The axes whose coordinates make up each bit of a colour; none for a single colour."""
    return BITS[rank, colours] if colours > 1 else ()


def colour_of(rank: int, colours: int, cell: Sequence[int]) -> int:
    """The colour of a cell."""
    return sum(sum(cell[axis] for axis in axes) % 2 << bit for bit, axes in enumerate(bits(rank, colours)))


def separates(rank: int, colours: int, offset: Sequence[int]) -> bool:
    """Whether cells that lie `offset` apart always differ in colour."""
    return colour_of(rank, colours, offset) != 0


def needed(rank: int, offsets: Sequence[Sequence[int]]) -> int | None:
    """The fewest colours that separate cells at all of these offsets; None if parities cannot."""
    for known_rank, colours in BITS:
        if known_rank == rank and all(separates(rank, colours, offset) for offset in offsets):
            return colours
    return None


def formula(rank: int, colours: int) -> str:
    """How a reader computes the colour of a cell: `(x + y + z) % 2`."""
    terms = []
    for bit, axes in enumerate(bits(rank, colours)):
        coordinates = " + ".join("xyz"[axis] for axis in axes)
        term = f"({coordinates}) % 2" if len(axes) > 1 else f"{coordinates} % 2"
        terms.append(f"{2**bit} * ({term})" if bit else term)
    return " + ".join(terms)
