# SPDX-License-Identifier: Apache-2.0
"""A cell at a boundary, between two steps: where its populations lie, and which of them come in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.lattice import Lattice, direction_name
from heddle.model.bits import has_bit
from heddle.model.field import Access, Field


@dataclass(frozen=True)
class BoundaryCell:
    """What a condition sees of a boundary cell.

    own_post: all f*_q lie in the current cell; always_own: after every step. outgoing: incoming q -> where f*
    of the opposite direction lies. incoming: incoming q -> where the next step reads f_q. mask: over a list,
    the bits of the incoming directions; None on a face, where all in `outgoing` come in. linked: neighbours
    are found through the table of a list, not at offsets of a dense box. held: the list holds cells behind
    walls. side: the outward normal, in an edge or corner the sum of several, None for a list that leads out
    on any side. written, read: where f*_q lies, and where the next step reads f_q, links of a list included.
    at_other_wall: of a face, for incoming directions whose links lead along it, too, whether the current cell
    lies at a wall within the step that such a link crosses: the wall, at rest, has the link.
    """

    lattice: Lattice
    zero_centred: bool
    own_post: bool
    always_own: bool
    outgoing: Mapping[int, Access]
    incoming: Mapping[int, Access]
    mask: Access | None
    linked: bool
    stores_solid: bool
    side: tuple[int, ...] | None
    written: Sequence[Access]
    read: Sequence[Access]
    at_other_wall: Mapping[int, sympy.Basic] = field(default_factory=dict, kw_only=True)

    @property
    def here(self) -> tuple[int, ...]:
        """The offset of the current cell."""
        return (0,) * self.lattice.dimension

    @property
    def listed(self) -> bool:
        """Whether it is a cell of a list, of listed ones or of those of a box, not of a dense face."""
        return self.mask is not None

    def is_incoming(self, q: int) -> sympy.Basic:
        """Whether direction q comes from outside."""
        return sympy.true if self.mask is None else has_bit(self.mask, q)

    def at_neighbour(self, access: Access, offset: tuple[int, ...]) -> Access:
        """The same of the cell at an offset; of the own one where a list has none there. In a list that holds
        cells behind walls no links lead to all neighbours, and their numbers are given, `cell_w` and so
        on."""
        if self.stores_solid:
            number = Field(f"cell_{direction_name(offset)}", "uint32", 0, ghost_layers=0).here
            return access.via_link(offset, number)
        if self.linked:
            return access.via_link(offset)
        moved = tuple(a + b for a, b in zip(access.offsets, offset, strict=True))
        return Access(access.field, moved, access.component)

    def written_at(self, q: int, offset: tuple[int, ...]) -> Access:
        """Where f*_q of the cell at an offset lies."""
        return self.at_neighbour(self.written[q], offset)

    def read_at(self, q: int, offset: tuple[int, ...]) -> Access:
        """Where the next step of the cell at an offset reads f_q."""
        return self.at_neighbour(self.read[q], offset)

    def normal(self, what: str) -> tuple[int, ...]:
        """The outward normal. Raises KernelError for a list of cells that was not given one."""
        if self.side is None and self.listed and not self.linked:
            raise KernelError(
                calling_place(),
                f"{what} needs the normal of the boundary, which is unknown for cells around a body.",
                "use face=... at a side of the box; around a body use a condition on links: NoSlip, "
                "VelocityBounceBack, Bouzidi, PressureAntiBounceBack, ScalarValue, ScalarFlux",
            )
        if self.side is None:
            raise KernelError(
                calling_place(),
                f"{what} needs the normal of the boundary, which a list of cells does not define.",
                "give the outward side: stream.boundary(condition, normal=...) over a list, face=... "
                "over a dense face",
            )
        return self.side
