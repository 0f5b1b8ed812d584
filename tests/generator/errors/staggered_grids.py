# SPDX-License-Identifier: Apache-2.0
"""Staggered grids."""

from __future__ import annotations

from errors.cases import says
from heddle.solvers import staggered


@says(
    "{here}: faces cannot be closed: the grid has no openings.\n"
    "  Hint: construct it with Grid(openings=field of bits)"
)
def laplacian_without_openings() -> None:
    grid = staggered.Grid()
    grid.laplacian(grid.cells)  # here


@says(
    "{here}: faces cannot be closed: the grid has no openings.\n"
    "  Hint: construct it with Grid(openings=field of bits)"
)
def closing_without_openings() -> None:
    staggered.Grid().close()  # here
