# SPDX-License-Identifier: Apache-2.0
"""Free slip: a wall without friction."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.boundary.condition import BoundaryCell, BoundaryCondition, BoundaryState
from heddle.model.equations import Equations
from heddle.model.field import IsWallLink


class FreeSlip(BoundaryCondition):
    """f_q(x) = f*_r(x - t), specular reflection half-way behind a face.

    r is q mirrored at the face, t the part of c_q along it: the population that left the neighbour comes back
    with its velocity along the wall. So f* beside the face is read one cell further along it, at the ends of
    a dense face in the ghost layer. Where the flow goes on there, periodic or in another block, sweep after
    the exchange. Where another boundary begins, sweep that one after this one: what has come out of the ghost
    layer comes in through both, and what is swept last holds. Where another face slips, sweep the edge after
    the two faces, FreeSlip() with face=("w", "n"), over the cells in both: what comes in through both is
    mirrored at both. So with three that meet in a corner, after their edges. Boundaries that do not slip come
    after all of these.

    Over a list of pull, push and AA the table has it without a sweep (`slips` of heddle::IndexList), and a
    sweep is refused: there f*_r lies in the very element that the neighbour's own sweep sets. The table has
    the edges and corners where such faces meet as well. EsoTwist and EsoPull keep the two apart; their sweep
    takes a normal and the numbers of the cells beside, `cell_n` and so on, from heddle::neighbour_indices,
    and where there is none f*_p comes back (bounce-back), as in the table. Where faces meet that is the slip
    at all of them on lattices without corners, D2Q9 and D3Q19; on D3Q27, whose populations go on along an
    edge, sweep the cells of the edge after those of the two faces, FreeSlip() with normal=("w", "n"). Raises
    KernelError there for a sweep without a normal.
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
