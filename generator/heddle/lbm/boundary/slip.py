# SPDX-License-Identifier: Apache-2.0
"""Free slip: a wall without friction."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.boundary.cell import BoundaryCell
from heddle.lbm.boundary.condition import BoundaryCondition, BoundaryState
from heddle.model.equations import Equations
from heddle.model.field import IsWallLink


class FreeSlip(BoundaryCondition):
    """f_q(x) = f*_r(x - t), specular reflection half-way behind a face.

    r is q mirrored at the face, t the part of c_q along it: the population that left the neighbour returns
    with the same velocity along the wall. The sweep therefore reads f* one cell further along the face, at
    the ends of a dense face in the ghost layer.

    Order of sweeps on dense faces: if the flow continues at an end of the face, periodically or in another
    block, sweep after the exchange. Apply free-slip faces first, then edges where two of them meet, as
    FreeSlip() with face=("w", "n") over the cells in both faces, then corners of three in the same way, then
    all other boundaries: populations that enter through two sides take the value of the last sweep.

    Over a list of Pull, Push and AA, the neighbour table implements free slip without a sweep, also in edges
    and corners where such faces meet (`slips` of heddle::IndexList). A sweep is refused there, because f*_r
    is in the element that the neighbour's own sweep sets. EsoTwist and EsoPull keep the two elements apart;
    their sweep takes a normal and the indices of the neighbouring cells, `cell_n` and so on, from
    heddle::neighbour_indices, and reflects f*_p (bounce-back) if there is no such cell, as the table does.
    Where faces meet, that is free slip at all of them on lattices without corners, D2Q9 and D3Q19. On D3Q27,
    whose populations continue along an edge, sweep the cells of the edge after those of the two faces,
    FreeSlip() with normal=("w", "n"). Raises KernelError there for a sweep without a normal.
    """

    title = "f_q(x) = f*_r(x - t), r mirrored at the side, t the part of c_q along it"
    at_edges = True

    def arguments(self) -> Sequence[sympy.Expr]:
        """Nothing."""
        return ()

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """The mirrored populations."""
        del equations
        if cell.linked and not cell.stores_solid:
            raise KernelError(
                calling_place(),
                "over a list, free slip belongs to the neighbour table: in a sweep, cells would read "
                "what other cells write.",
                "pass the free-slip faces to heddle::IndexList (`slips`), or use a dense face",
            )
        across = [normal != 0 for normal in cell.normal("free slip")]
        terms: dict[int, sympy.Expr] = {}
        for q in cell.outgoing:
            c = cell.lattice.velocities[q]
            mirrored = tuple(-a if through else a for a, through in zip(c, across, strict=True))
            back = tuple(0 if through else -a for a, through in zip(c, across, strict=True))
            reflected = cell.written_at(cell.lattice.velocities.index(mirrored), back)
            terms[q] = reflected
            if reflected.at is not None:
                terms[q] = sympy.Piecewise((cell.outgoing[q], IsWallLink(reflected)), (reflected, True))
        return BoundaryState(terms)

    def incoming(
        self, cell: BoundaryCell, state: BoundaryState, q: int, outgoing_value: sympy.Expr
    ) -> sympy.Expr:
        """f*_r(x - t)."""
        return state.terms[q]
