# SPDX-License-Identifier: Apache-2.0
"""Free slip: a wall without friction."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.symbolic.boundary import BoundaryCell, BoundaryCondition, BoundaryState
from heddle.symbolic.equations import Equations
from heddle.symbolic.field import Walled


class FreeSlip(BoundaryCondition):
    """f_q(x) = f*_r(x - t), specular reflection half-way behind a face.

    r is q mirrored at the face, t the part of c_q along it: the population that left the neighbour comes back
    with its velocity along the wall. So f* beside the face is read one cell further along it: at the ends of
    a dense face its ghost layer has to hold what the neighbours, or the walls there, would have sent.

    Over a list of pull, push and AA the table has it without a sweep (`slips` of heddle::IndexList), and a
    sweep is refused: there f*_r lies in the very element that the neighbour's own sweep sets. EsoTwist and
    EsoPull keep the two apart; their sweep takes a normal and the numbers of the cells beside, `cell_n` and
    so on, from heddle::cells_beside, and where there is none f*_p comes back (bounce-back), as in the table.
    """

    title = "f_q(x) = f*_r(x - t), r mirrored at the side, t the part of c_q along it"

    def given(self) -> Sequence[sympy.Expr]:
        """Nothing."""
        return ()

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """The mirrored populations."""
        del equations
        if cell.linked and not cell.held:
            raise KernelError(
                calling_place(),
                "free slip over a list lies in the neighbour table: a sweep would read what another cell "
                "writes.",
                "give the faces that slip to heddle::IndexList (`slips`), or a dense face",
            )
        axis = next(a for a, normal in enumerate(cell.normal("free slip")) if normal)
        terms: dict[int, sympy.Expr] = {}
        for q in cell.leaving:
            c = cell.lattice.velocities[q]
            mirrored = tuple(-component if a == axis else component for a, component in enumerate(c))
            back = tuple(0 if a == axis else -component for a, component in enumerate(c))
            reflected = cell.beside(cell.lattice.velocities.index(mirrored), back)
            terms[q] = reflected
            if reflected.at is not None:
                terms[q] = sympy.Piecewise((cell.leaving[q], Walled(reflected)), (reflected, True))
        return BoundaryState(terms)

    def incoming(self, cell: BoundaryCell, state: BoundaryState, q: int, left: sympy.Expr) -> sympy.Expr:
        """f*_r(x - t)."""
        return state.terms[q]
