# SPDX-License-Identifier: Apache-2.0
"""Open faces, whose incoming populations are taken from inside, and periodic faces with a pressure
difference."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy

from heddle.lbm.boundary.cell import BoundaryCell
from heddle.lbm.boundary.condition import BoundaryCondition, BoundaryState
from heddle.lbm.equilibrium import name_weights, require_momentum
from heddle.lbm.moments.macroscopic import labelled, vector_field
from heddle.model.equations import (
    Equations,
    Scalar,
    add,
    divide,
    multiply,
    negate,
    positive,
    quantity,
    signed,
)
from heddle.model.field import Access, Field
from heddle.model.flag import require_flag


class Outflow(BoundaryCondition):
    """f_q(x) = f_q(x - n), zero gradient: incoming populations are those that arrive one cell further
    inside.

    n is the outward normal. Nothing fixes the pressure at the face, so it drifts; PressureAntiBounceBack
    fixes it. At the ends of a dense face, the neighbouring populations must be up to date. Over a list, the
    sweep follows the links of the inner cell, including its walls; without an inner cell, the link is a wall.
    The cells of the list must form one layer, so that none of them is the inner cell of another one. EsoTwist
    and EsoPull take the indices of the inner cells, `cell_w` for a normal of e, from
    heddle::neighbour_indices. Raises KernelError for a sweep over a list without a normal.
    """

    title = "f_q(x) = f_q(x - n), n the outward normal"
    reads_neighbours = True

    def arguments(self) -> Sequence[sympy.Expr]:
        """Nothing."""
        return ()

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """What arrives inside."""
        inwards = tuple(-component for component in cell.normal("an outflow"))
        equations.section("What arrives one cell further inside")
        return BoundaryState(
            {
                q: equations.let(f"inside_{cell.lattice.names[q]}", cell.read_at(q, inwards))
                for q in cell.outgoing
            }
        )

    def incoming(
        self, cell: BoundaryCell, state: BoundaryState, q: int, outgoing_value: sympy.Expr
    ) -> sympy.Expr:
        """f_q(x - n)."""
        return state.terms[q]


class ConvectiveOutflow(Outflow):
    """f_q(x, t + 1) = [f_q(x, t) + U f_q(x - n, t + 1)] / (1 + U): d_t f + U d_n f = 0, implicit.

    speed: U, about the mean velocity through the face. saved: a field that stores f_q(x, t) between steps; 0,
    a fluid at rest, is a valid initial value. On a face the name of a field with one component per direction
    and the extents of the face; over a list the prefix of fields with one value per entry, `outflow_w` and so
    on. Raises KernelError for a speed that is not positive.

    Disturbances that travel with U leave with less reflection than through Outflow
    (tests/kernels/lbm_boundaries: 1 % of a sound pulse is reflected instead of 26 %, 0.2 % of a vortex
    instead of 2 %).
    """

    title = "f_q(x, t + 1) = [f_q(x, t) + U f_q(x - n, t + 1)] / (1 + U)"

    def __init__(self, speed: Scalar, saved: str = "outflow") -> None:
        self.speed = positive(speed, "speed")
        self.saved = saved

    def arguments(self) -> Sequence[sympy.Expr]:
        """U."""
        return [self.speed]

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """The new values, which the field keeps as well."""
        inside = super().prepare(cell, equations)
        saved = {q: self._saved(cell, q) for q in inside.terms}
        share = equations.let("share_before", divide(1, add(1, self.speed)))
        rest = equations.let("share_inside", multiply(self.speed, share))
        terms = {}
        for q, value in inside.terms.items():
            mixed = add(multiply(share, saved[q]), multiply(rest, value))
            terms[q] = equations.let(f"mixed_{cell.lattice.names[q]}", mixed)
        for q, value in terms.items():
            equations.store(saved[q], value)
        return BoundaryState(terms)

    def _saved(self, cell: BoundaryCell, q: int) -> Access:
        """Where f_q(x, t) is kept; in f16 as large as populations are."""
        lattice, scale = cell.lattice, cell.read[q].field.half_scale
        if cell.listed:
            name = f"{self.saved}_{lattice.names[q]}"
            return Field(name, "real", 0, ghost_layers=0, half_scale=scale).here
        return Field(
            self.saved,
            "real",
            lattice.dimension,
            lattice.size,
            component_names=lattice.names,
            half_scale=scale,
        ).component(q)


class PressureJump(BoundaryCondition):
    """f_q += w_q jump [1 + 3 c.u + 9/2 (c.u)^2 - 3/2 u^2] at a periodic face (Kim and Pitsch 2007).

    Populations that come through the face arrive with a density higher by `jump`, at the velocity u and the
    stress with which they left: the pressure drop along the period is jump / 3. Use it on both faces, with
    jumps of opposite sign. u: the name of the velocity field; its ghost layer holds the periodic image. Runs
    after the halo exchange of the populations and before the sweeps of walls that meet the face. Over a list
    that is periodic through the face, bit q of the mask marks a link to a listed cell on the other side; the
    velocity is that of this cell, of a field over the list (with EsoTwist and EsoPull at the numbers that
    heddle::neighbour_indices gives, `cell_e` and so on). compressible: as in the collision; without it the
    gain is w_q jump, since no velocity hangs on the density (He and Luo 1997), and u is not read. Raises
    KernelError for a sweep over a list without a normal, and for a lattice that carries no momentum.
    """

    title = "f_q += w_q jump [1 + 3 c.u + 9/2 (c.u)^2 - 3/2 u^2], u where f_q comes from"
    periodic = True

    def __init__(self, jump: Scalar, u: str = "u", *, compressible: bool = True) -> None:
        require_flag(compressible, "compressible")
        self.jump, self.u, self.compressible = quantity(jump), u, compressible

    def arguments(self) -> Sequence[sympy.Expr]:
        """The jump."""
        return [self.jump]

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """What each direction gains."""
        cell.normal("a pressure jump")
        lattice = cell.lattice
        require_momentum(lattice, "PressureJump")
        equations.section("Constants: lattice weights")
        weights = name_weights(equations, lattice, rest=False)
        if not self.compressible:
            gains = {q: multiply(weights[lattice.order(q)], self.jump) for q in cell.outgoing}
            return BoundaryState({q: add(cell.incoming[q], gain) for q, gain in gains.items()})
        field = vector_field(self.u, lattice.dimension)
        equations.section("Velocity of the cells beyond the face")
        terms: dict[int, sympy.Expr] = {}
        for q in cell.outgoing:
            c, name = lattice.velocities[q], lattice.names[q]
            behind = tuple(-component for component in c)
            u = [
                equations.let(labelled(f"u_{name}", a), cell.at_neighbour(field.component(a), behind))
                for a in range(lattice.dimension)
            ]
            along = equations.let(f"cu_{name}", add(*map(signed, c, u)))
            square = multiply(Fraction(3, 2), add(*(multiply(v, v) for v in u)))
            shape = add(1, multiply(3, along), multiply(Fraction(9, 2), along, along), negate(square))
            gain = multiply(weights[lattice.order(q)], self.jump, shape)
            terms[q] = add(cell.incoming[q], gain)
        return BoundaryState(terms)

    def incoming(
        self, cell: BoundaryCell, state: BoundaryState, q: int, outgoing_value: sympy.Expr
    ) -> sympy.Expr:
        """What came through the face, and the jump."""
        return state.terms[q]
