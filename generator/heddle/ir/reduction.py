# SPDX-License-Identifier: Apache-2.0
"""What a reduction over cells means: one result, whatever the number of threads, blocks and lanes.

Each cell (each column, where an axis is scanned) gives one number: what its Reduce statements gave, combined
in their order. 32 numbers at a time, a tile of cells of one colour along a row, become one by halves: number
0 with 16, 1 with 17, ..., then 0 with 8, and so on. 32 of these results, in the order of the rows (x fastest,
colours last), become one in the same way, until one is left. Where numbers are missing, the neutral element
stands for them.

Where each row has a result of its own, the results of its tiles are combined one after the other, from the
first to the last.

If one of the numbers is NaN, so is the result. The minimum of nothing is infinite, the maximum -infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from heddle.ir.nodes import Call, Gather, Pointer, Scalar, Statement, Store, Symbol
from heddle.ir.visit import statements

TILE = 32
"""Cells that become one number at a time: the threads of a warp."""

COMBINATION: dict[str, Callable[..., Any]] = {
    "sum": lambda a, b: a + b,
    # NaN if one of the two is NaN; `a` where they are equal, which tells zeros apart.
    "min": lambda a, b: b if b < a or b != b else a,
    "max": lambda a, b: b if a < b or b != b else a,
}
"""How two numbers become one."""

NEUTRAL = {"sum": -0.0, "min": math.inf, "max": -math.inf}
"""Changes nothing it is combined with; for a sum not even the sign of a zero."""


def work_of(output: Symbol) -> Symbol:
    """The array that holds what tiles of cells gave."""
    assert isinstance(output.type, Scalar)
    return Symbol(f"{output.name}_work", Pointer(output.type))


def row_operation(statement: Statement) -> str:
    """ "sum", "min" or "max", where a statement stores what the cells of a row become; else ""."""
    match statement:
        case Store(Gather(), Call(name)) if name.startswith("row_"):
            return name.removeprefix("row_")
    return ""


def reduces_rows(body: Iterable[Statement]) -> bool:
    """Whether statements, not yet lowered, reduce over rows."""
    return any(row_operation(statement) for statement in statements(body))


def holds_rows(block: Sequence[int], pieces: bool = False) -> bool:
    """Whether a block of so many threads along x, y, z can reduce over rows: it has one row, or one for each
    of its warps, or two, one for each half of them. pieces: it goes along its rows piece by piece."""
    if block[0] == TILE // 2:
        return math.prod(block) % TILE == 0 and not pieces
    return block[0] % TILE == 0 and (tuple(block[1:]) == (1, 1) or block[0] == TILE)


def of_row(operation: str, values: Sequence[float], rounded: Callable[[float], float]) -> float:
    """What the numbers of a row become; each step is `rounded`."""
    result = NEUTRAL[operation]
    for begin in range(0, len(values), TILE):
        tile = combined(operation, values[begin : begin + TILE], rounded)
        result = rounded(COMBINATION[operation](result, tile)) if begin else tile
    return result


def combined(operation: str, values: Sequence[float], rounded: Callable[[float], float]) -> float:
    """What a sequence of numbers becomes; each step is `rounded`."""
    combine = COMBINATION[operation]
    values = list(values)
    while True:
        tiles = []
        for begin in range(0, max(len(values), 1), TILE):
            tile = [*values[begin : begin + TILE]]
            tile += [NEUTRAL[operation]] * (TILE - len(tile))
            while len(tile) > 1:
                half = len(tile) // 2
                tile = [rounded(combine(tile[i], tile[i + half])) for i in range(half)]
            tiles.append(tile[0])
        if len(tiles) == 1:
            return tiles[0]
        values = tiles
