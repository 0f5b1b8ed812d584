# SPDX-License-Identifier: Apache-2.0
"""Walls of a kernel whose threads take a cell of several blocks: those that all of these blocks have are the
kernel's, those that only some have are part of what crosses between them (heddle::WallLinks)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heddle.halo.dense import Exchange
from heddle.ir import nodes as ir
from heddle.ir.space import Link
from heddle.ir.walls import axis_of, bit, is_upper, of_populations


def lanes(kernel: ir.Kernel) -> int:
    """Blocks of which a thread takes a cell at once."""
    return kernel.space.interleave


def walls(kernel: ir.Kernel) -> tuple[str, ...]:
    """The sides of the domain with walls within the kernel."""
    return kernel.space.walls


def sides(kernel: ir.Kernel) -> int:
    """The same as bits."""
    return sum(bit(side) for side in walls(kernel))


@dataclass(frozen=True)
class LaneWalls:
    """What an exchange has to know of them. fields: of the exchange, by number; sides: a bit each."""

    links: tuple[Link, ...]
    fields: tuple[int, ...]
    sides: int


def lane_walls(kernel: ir.Kernel, exchange: Exchange) -> LaneWalls | None:
    """The links that end at walls; None for an exchange without populations."""
    links = tuple(link for link in kernel.space.links if _crosses(link, kernel.space.walls))
    fields = tuple(n for n, field in enumerate(exchange.fields) if of_populations(kernel.space, field))
    return LaneWalls(links, fields, sides(kernel)) if fields else None


def _crosses(link: Link, beyond: Sequence[str]) -> bool:
    """Whether a link leads beyond one of the sides."""
    return any(link.offset[axis_of(side)] * (1 if is_upper(side) else -1) > 0 for side in beyond)
