# SPDX-License-Identifier: Apache-2.0
"""Free slip: a wall without friction."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.symbolic.boundary import BoundaryCell, BoundaryCondition, BoundaryState
from heddle.symbolic.equations import Equations


class FreeSlip(BoundaryCondition):
    """f_q(x) = f*_r(x - t), specular reflection half-way behind a dense face.

    r is q mirrored at the face, t the part of c_q along it: the population that left the neighbour comes back
    with its velocity along the wall. So f* beside the face is read one cell further along it: at the ends of
    the face its ghost layer has to hold what the neighbours, or the walls there, would have sent. Raises
    KernelError for a sweep over a list: there the table has it without one (`slips` of heddle::IndexList).
    """

    title = "f_q(x) = f*_r(x - t), r mirrored at the side, t the part of c_q along it"

    def given(self) -> Sequence[sympy.Expr]:
        """Nothing."""
        return ()

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """The mirrored populations."""
        del equations
        if cell.listed:
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
            terms[q] = cell.beside(cell.lattice.velocities.index(mirrored), back)
        return BoundaryState(terms)

    def incoming(self, cell: BoundaryCell, state: BoundaryState, q: int, left: sympy.Expr) -> sympy.Expr:
        """f*_r(x - t)."""
        return state.terms[q]
