# SPDX-License-Identifier: Apache-2.0
"""Central moments of a cell: their stress relaxes, and they become raw moments again."""

from __future__ import annotations

from fractions import Fraction

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.collision.moment_operator import MomentOperator, relax_stress
from heddle.lbm.lattice import Lattice, require_lattice
from heddle.lbm.moments.macroscopic import Tensor, indices, labelled
from heddle.lbm.moments.moment_space import (
    Moments,
    MomentState,
    Powers,
    central_moments,
    monomials,
    powers_of,
    raw_from_central,
)
from heddle.model.equations import Equations, add, multiply, negate
from heddle.model.flag import require_flag


class CentralMoments:
    """Central moments of a cell, their second-order part relaxed, and the way back to raw ones."""

    def __init__(self, operator: MomentOperator, equations: Equations, state: MomentState) -> None:
        self.equations, self.state, self.lattice = equations, state, operator.lattice
        lattice = operator.lattice
        equations.section("Central moments: k_1 = m_1 - u m_0, k_2 = m_2 - u (m_1 + k_1) along each axis")
        first = tuple(map(negate, state.half_force))
        self.moments = central_moments(
            equations, state.moments, state.velocity, state.rho, first, state.whole
        )
        self.pressure_excess = pressure_excess = equations.let(
            "pressure_excess", multiply(lattice.cs2, state.deviation)
        )
        self.second = {(a, b): self.moments[powers_of(lattice, a, b)] for a, b in indices(lattice)}

        def stress() -> Tensor:
            return {
                (a, b): equations.let(
                    labelled("stress", a, b), add(value, negate(pressure_excess) if a == b else 0)
                )
                for (a, b), value in self.second.items()
            }

        self.work = operator.work(equations, state, stress)

    def relaxed(self, omega_bulk: sympy.Expr, *, galilean: bool) -> Moments:
        """The moments up to second order after the collision; those of first order are F / 2."""
        lattice, equations = self.lattice, self.equations
        equations.section("Collide: the stress relaxes with omega, its trace with omega_bulk")
        nothing: Tensor = dict.fromkeys(self.second, sympy.Integer(0))
        self.stress = relax_stress(
            self.work, omega_bulk, self.second, self.pressure_excess, nothing, galilean=galilean
        )
        relaxed: Moments = {powers_of(lattice): self.state.deviation}
        relaxed |= {powers_of(lattice, a): half for a, half in enumerate(self.state.half_force)}
        for (a, b), value in self.stress.pi.items():
            name = labelled("k", a, b) + "_post"
            relaxed[powers_of(lattice, a, b)] = equations.let(
                name, add(self.pressure_excess, value) if a == b else value
            )
        return relaxed

    def to_raw(self, relaxed: Moments) -> Moments:
        """Raw moments of the central ones."""
        equations, state = self.equations, self.state
        equations.section("Raw moments: m_1 = k_1 + u m_0, m_2 = k_2 + u (k_1 + m_1) along each axis")
        first = tuple(
            equations.let(labelled("m", a) + "_post", add(j, half))
            for a, (j, half) in enumerate(zip(state.momentum, state.half_force, strict=True))
        )
        return raw_from_central(equations, relaxed, state.velocity, state.rho, first, state.whole)


FULL = {2: "D2Q9", 3: "D3Q27"}
"""The lattices of all directions to nearest neighbours."""


def require_central_moments(lattice: Lattice, what: str, compressible: bool) -> None:
    """Raises KernelError for a lattice whose moments are no products of those of its axes."""
    require_lattice(lattice)
    require_flag(compressible, "compressible")
    known = monomials(lattice)
    if any(lowest != p or lattice.moment(p) != _product_moment(lattice, p) for p, lowest in known.items()):
        raise KernelError(
            calling_place(),
            f"{what} needs moments that factorise over the axes; those of {lattice.name} do not.",
            f"use the weights of {FULL[lattice.dimension]}, or the MRT operator"
            if lattice.size == 3**lattice.dimension
            else "use D2Q9, D3Q19 or D3Q27, or the MRT operator",
        )
    if not compressible:
        raise KernelError(
            calling_place(),
            f"{what} is defined relative to the velocity j / rho and has no incompressible form.",
            "leave out compressible=False, or use MRT, BGK, TRT or Regularised",
        )


def _product_moment(lattice: Lattice, powers: Powers) -> Fraction:
    return Fraction(0) if any(p % 2 for p in powers) else lattice.cs2 ** (sum(powers) // 2)
