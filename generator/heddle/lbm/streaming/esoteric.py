# SPDX-License-Identifier: Apache-2.0
"""Esoteric patterns: in place, and both steps access the same few neighbours.

In either step, a link of the lattice between two cells is stored in two components of one of the neighbouring
cells. Populations at walls are therefore not in the cell itself, and a list also stores cells behind walls
whose components belong to fluid cells (`Link`, STORES_SOLID). No kernel updates these cells: populations that
enter a wall return two steps later, which is full-way bounce-back at no cost. Half-way bounce-back needs one
mask per cell. Sources: EsoTwist, Geier and Schoenherr 2017; EsoPull, Lehmann 2022.
"""

from __future__ import annotations

import sympy

from heddle.lbm.collision.operator import Collided
from heddle.lbm.streaming.access_pattern import Offset
from heddle.lbm.streaming.pull_push_aa import InPlace
from heddle.model.assignment import Assignment, If, Statement
from heddle.model.bits import has_bit
from heddle.model.equations import Equations
from heddle.model.field import Field
from heddle.model.streaming_kernels import STORES_SOLID, Link


class Esoteric(InPlace):
    """Base of EsoTwist and EsoPull.

    halfway_mask: name of a field (uint32, one value per cell) in which bit q marks that population q comes
    from a wall. Walls at rest are then half-way between cells and reflect populations in one step, as the
    neighbour tables of Pull and AA do. Without it, walls reflect in two steps (full-way), with the same
    steady flow. Cells behind walls are cells that a list leaves out, or ghost cells of a dense box. Other
    arguments: as for StreamingPattern.
    """

    has_halfway_mask = True

    @property
    def links(self) -> tuple[Link, ...]:
        """A row for each neighbour that the pattern touches."""
        shifts = dict.fromkeys(self.shift(q) for q in range(self.lattice.size))
        return tuple(Link(0, shift, STORES_SOLID) for shift in shifts if any(shift))

    def _store(self, equations: Equations, collided: Collided, step: str) -> None:
        super()._store(equations, collided, step)
        if self.halfway_mask is None:
            return
        equations.section("Half-way walls: what leaves comes in again")
        walls = Field(self.halfway_mask, "uint32", self.lattice.dimension, ghost_layers=0).here
        mask = equations.let("incoming", walls)
        following = self.next_step(step)
        back: list[Statement] = []
        for q in range(1, self.lattice.size):
            outgoing_value = collided.post[self.lattice.names[self.lattice.opposite(q)]]
            target = self.access(self.read(q, following))
            back.append(If(has_bit(mask, q), [Assignment(target, outgoing_value)], wall=True))
        equations.statements.append(If(sympy.Ne(mask, 0), back, wall=True))


class EsoTwist(Esoteric):
    """Geier and Schoenherr 2017: all offsets are in {0, 1}, and both steps have the same form.

    A list stores only the cells at +x, +y and +z, 12 B per cell: all other cells are neighbours of these.
    """

    def shift(self, q: int) -> Offset:
        return tuple(max(0, -c) for c in self.lattice.velocities[q])

    @property
    def links(self) -> tuple[Link, ...]:
        axes = range(self.lattice.dimension)
        return tuple(Link(0, tuple(int(a == axis) for a in axes), STORES_SOLID) for axis in axes)


class EsoPull(Esoteric):
    """Lehmann 2022: the second direction of each pair is read from the neighbour.

    A list needs the first neighbour of each pair, 36 B per cell on D3Q19.
    """

    def shift(self, q: int) -> Offset:
        return self.lattice.velocities[q - 1] if q and q % 2 == 0 else (0,) * self.lattice.dimension
