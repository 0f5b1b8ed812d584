# SPDX-License-Identifier: Apache-2.0
"""Walls at the sides of a dense space: which element stands for one that lies behind them.

As in the neighbour table of a list: at a cell beside a wall, the place that a link leads to is another
component of the current cell (half-way bounce-back). Bit j of the argument `walls` says whether the box of
cells ends at a wall at side SIDES[j]; where it does not, cells at its end look at their neighbours.
"""

from __future__ import annotations

from heddle.ir.layout import STRIDED
from heddle.ir.nodes import Access, Field
from heddle.ir.space import Space

SIDES = ("w", "e", "s", "n", "b", "t")
"""West and east along x, south and north along y, bottom and top along z."""


def axis_of(side: str) -> int:
    return SIDES.index(side) // 2


def is_upper(side: str) -> bool:
    return SIDES.index(side) % 2 == 1


def bit(side: str) -> int:
    """What the side adds to `walls`."""
    return 1 << SIDES.index(side)


def crossed(space: Space, access: Access) -> tuple[str, ...]:
    """The sides with walls beyond which an element may lie; none for fields that are no populations."""
    if not of_populations(space, access.field):
        return ()
    return tuple(
        side for side in space.walls if access.offsets[axis_of(side)] * (1 if is_upper(side) else -1) > 0
    )


def own(space: Space, access: Access) -> Access:
    """The element of the current cell that stands for one behind a wall; KeyError where no link leads
    there."""
    slots = {(link.slot, link.offset): link.wall_slot for link in space.links}
    return Access(access.field, (0,) * access.field.rank, slots[access.component, access.offsets])


def of_populations(space: Space, field: Field) -> bool:
    """Whether a field has a component for each link, and one for the population at rest."""
    return bool(space.walls) and field.layout is STRIDED and field.components == len(space.links) + 1
