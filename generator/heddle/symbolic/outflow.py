# SPDX-License-Identifier: Apache-2.0
"""Open dense faces: what comes in is taken from inside; and periodic faces with a difference of pressure."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy

from heddle.symbolic.boundary import BoundaryCell, BoundaryCondition, BoundaryState
from heddle.symbolic.equations import Equations, Scalar, add, divide, multiply, negate, quantity, signed
from heddle.symbolic.equilibrium import name_weights
from heddle.symbolic.field import Field
from heddle.symbolic.moments import labelled, vector_field


class Outflow(BoundaryCondition):
    """f_q(x) = f_q(x - n), zero gradient: what comes in is what arrives one cell further inside.

    n is the outward normal. At the ends of the face the populations beside it have to be current. Raises
    KernelError for a sweep over a list.
    """

    title = "f_q(x) = f_q(x - n), n the outward normal"
    reads_neighbours = True

    def given(self) -> Sequence[sympy.Expr]:
        """Nothing."""
        return ()

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """What arrives inside."""
        inwards = tuple(-component for component in cell.normal("an outflow"))
        return BoundaryState(
            {
                q: equations.let(f"inside_{cell.lattice.names[q]}", cell.arrival(q, inwards))
                for q in cell.leaving
            }
        )

    def incoming(self, cell: BoundaryCell, state: BoundaryState, q: int, left: sympy.Expr) -> sympy.Expr:
        """f_q(x - n)."""
        return state.terms[q]


class ConvectiveOutflow(Outflow):
    """f_q(x, t + 1) = [f_q(x, t) + U f_q(x - n, t + 1)] / (1 + U): d_t f + U d_n f = 0, implicit.

    speed: U, about the mean velocity through the face. saved: the name of a field with a component a
    direction that keeps f_q(x, t) from step to step, as large as the face; 0, a fluid at rest, is a start.
    Disturbances leave with less reflection than through Outflow.
    """

    title = "f_q(x, t + 1) = [f_q(x, t) + U f_q(x - n, t + 1)] / (1 + U)"

    def __init__(self, speed: Scalar, saved: str = "outflow") -> None:
        self.speed = quantity(speed)
        self.saved = saved

    def given(self) -> Sequence[sympy.Expr]:
        """U."""
        return [self.speed]

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """The new values, which the field keeps as well."""
        lattice = cell.lattice
        inside = super().prepare(cell, equations)
        saved = Field(self.saved, "real", lattice.dimension, lattice.size, component_names=lattice.names)
        share = equations.let("share_before", divide(1, add(1, self.speed)))
        rest = equations.let("share_inside", multiply(self.speed, share))
        terms = {}
        for q, value in inside.terms.items():
            mixed = add(multiply(share, saved.component(q)), multiply(rest, value))
            terms[q] = equations.let(f"leaving_{lattice.names[q]}", mixed)
        for q, value in terms.items():
            equations.store(saved.component(q), value)
        return BoundaryState(terms)


class PressureJump(BoundaryCondition):
    """f_q += w_q jump [1 + 3 c.u + 9/2 (c.u)^2 - 3/2 u^2] at a periodic face (Kim and Pitsch 2007).

    Populations that come through the face arrive with a density higher by `jump`, at the velocity u and the
    stress with which they left: the pressure drop along the period is jump / 3. Use it on both faces, with
    jumps of opposite sign. u: the name of the velocity field; its ghost layer holds the periodic image. Runs
    after the halo exchange of the populations and before the sweeps of walls that meet the face. Raises
    KernelError for a sweep over a list.
    """

    title = "f_q += w_q jump [1 + 3 c.u + 9/2 (c.u)^2 - 3/2 u^2], u where f_q comes from"

    def __init__(self, jump: Scalar, u: str = "u") -> None:
        self.jump, self.u = quantity(jump), u

    def given(self) -> Sequence[sympy.Expr]:
        """The jump."""
        return [self.jump]

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """What each direction gains."""
        cell.normal("a pressure jump")
        lattice = cell.lattice
        equations.section("Constants: lattice weights")
        weights = name_weights(equations, lattice, rest=False)
        field = vector_field(self.u, lattice.dimension)
        terms: dict[int, sympy.Expr] = {}
        for q in cell.leaving:
            c, name = lattice.velocities[q], lattice.names[q]
            behind = tuple(-component for component in c)
            u = [
                equations.let(labelled(f"u_{name}", a), field[(*behind, a)]) for a in range(lattice.dimension)
            ]
            along = equations.let(f"cu_{name}", add(*map(signed, c, u)))
            square = multiply(Fraction(3, 2), add(*(multiply(v, v) for v in u)))
            shape = add(1, multiply(3, along), multiply(Fraction(9, 2), along, along), negate(square))
            gain = multiply(weights[lattice.order(q)], self.jump, shape)
            terms[q] = add(cell.arriving[q], gain)
        return BoundaryState(terms)

    def incoming(self, cell: BoundaryCell, state: BoundaryState, q: int, left: sympy.Expr) -> sympy.Expr:
        """What came through the face, and the jump."""
        return state.terms[q]
