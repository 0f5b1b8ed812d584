# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions of scalars, a given value or flux: over lists and faces, with every pattern."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.boundary.cell import BoundaryCell
from heddle.lbm.boundary.condition import BoundaryCondition, BoundaryState
from heddle.lbm.equilibrium import name_weights
from heddle.model.equations import Equations, Scalar, add, multiply, negate, quantity


class ScalarValue(BoundaryCondition):
    """g_q = -g*_p + 2 w_q T, anti-bounce-back: the value T half-way behind the cell, at a wall at rest
    (Ginzburg 2005). With magic = 3/16, a parabolic profile of T is exact. value: a name, a number, or a
    field [entries] or of the face."""

    title = "g_q = -g*_p + 2 w_q T, p opposite to q"

    def __init__(self, value: Scalar) -> None:
        self.value = quantity(value)

    def arguments(self) -> Sequence[sympy.Expr]:
        """T."""
        return [self.value]

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """2 w T for each direction; less 2 w of zero-centred populations."""
        equations.section("Constants: lattice weights")
        weights = name_weights(equations, cell.lattice, rest=False)
        value = equations.let("wall_scalar", self.value)
        deviation = equations.let("delta_wall", add(value, -1)) if cell.zero_centred else value
        return BoundaryState(
            {q: multiply(2, weights[cell.lattice.order(q)], deviation) for q in cell.outgoing}
        )

    def incoming(
        self, cell: BoundaryCell, state: BoundaryState, q: int, outgoing_value: sympy.Expr
    ) -> sympy.Expr:
        """2 w T - g*_p."""
        return add(state.terms[q], negate(outgoing_value))


class ScalarFlux(BoundaryCondition):
    """g_q = g*_p + j: a flux j into the fluid through each wall link, 0 for an insulated wall.

    flux: per link of an axis lattice, D2Q5 or D3Q7. These have one link per face, so j is the flux per unit
    area. Raises KernelError for a non-zero flux on other lattices.
    """

    title = "g_q = g*_p + j, p opposite to q"

    def __init__(self, flux: Scalar = 0) -> None:
        self.flux = quantity(flux)

    def arguments(self) -> Sequence[sympy.Expr]:
        """j."""
        return [self.flux]

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """The flux."""
        if self.flux != 0 and cell.lattice.size != 2 * cell.lattice.dimension + 1:
            raise KernelError(
                calling_place(),
                f"several links of {cell.lattice.name} cross one wall, so the flux per link is not defined.",
                "use D2Q5 or D3Q7 for the scalar",
            )
        flux = equations.let("wall_flux", self.flux)
        return BoundaryState(dict.fromkeys(cell.outgoing, flux))

    def incoming(
        self, cell: BoundaryCell, state: BoundaryState, q: int, outgoing_value: sympy.Expr
    ) -> sympy.Expr:
        """g*_p + j."""
        return add(outgoing_value, state.terms[q])
