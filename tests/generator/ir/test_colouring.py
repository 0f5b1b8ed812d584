# SPDX-License-Identifier: Apache-2.0
"""Colourings: which cells have one colour, and which offsets they separate."""

from __future__ import annotations

import itertools

import pytest
from heddle.ir.colouring import BITS, colour_of, formula, needed, separates


@pytest.mark.parametrize(("rank", "colours"), BITS)
def test_colours_are_equally_frequent_and_separated_as_said(rank: int, colours: int) -> None:
    cells = list(itertools.product(range(4), repeat=rank))
    counts = [sum(colour_of(rank, colours, cell) == c for cell in cells) for c in range(colours)]
    assert counts == [4**rank // colours] * colours
    for offset in itertools.product((-2, -1, 0, 1, 2), repeat=rank):
        moved = [tuple(a + d for a, d in zip(cell, offset, strict=True)) for cell in cells]
        differ = {
            colour_of(rank, colours, a) != colour_of(rank, colours, b)
            for a, b in zip(cells, moved, strict=True)
        }
        assert differ == {separates(rank, colours, offset)}


@pytest.mark.parametrize(("rank", "colours"), BITS)
def test_formula(rank: int, colours: int) -> None:
    for cell in itertools.product(range(3), repeat=rank):
        named = dict(zip("xyz", cell, strict=False))
        assert eval(formula(rank, colours), named) == colour_of(rank, colours, cell)


def test_the_fewest_colours() -> None:
    faces = [(1, 0, 0), (0, -1, 0), (0, 0, 1)]
    edges = [*faces, (1, 1, 0), (1, 0, -1), (0, 1, 1)]
    assert needed(3, faces) == 2
    assert needed(3, edges) == 4
    assert needed(3, [*edges, (1, -1, 1)]) == 8
    assert needed(2, [(1, 0), (1, 1)]) == 4
    assert needed(2, [(1, 2)]) == 2
    assert needed(2, [(2, 0)]) is None
    assert needed(1, [(3,)]) == 2
