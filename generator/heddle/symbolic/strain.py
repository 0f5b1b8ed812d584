# SPDX-License-Identifier: Apache-2.0
"""The strain rate of a cell from its populations, without differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy

from heddle.symbolic.equations import Equations, add, multiply
from heddle.symbolic.field import Field
from heddle.symbolic.force import Vector
from heddle.symbolic.lattice import Lattice
from heddle.symbolic.moments import indices, labelled, macroscopic, second_moments
from heddle.symbolic.viscosity import LocalFlow, ViscosityModel


def tensor_field(name: str, rank: int) -> Field:
    """A symmetric tensor on cells: components xx, yy, (zz,) xy, (xz, yz)."""
    pairs = [(a, a) for a in range(rank)] + [(a, b) for a in range(rank) for b in range(a + 1, rank)]
    names = tuple("xyz"[a] + "xyz"[b] for a, b in pairs)
    return Field(name, "real", rank, len(names), component_names=names)


@dataclass(frozen=True)
class Relaxation:
    """How the collision relaxes the stress.

    omega: the rate of the molecular viscosity. model: of the local viscosity, or None. force: what stands in
    the equilibrium, so not that of ExactDifference. compressible: as in the operator.
    """

    omega: sympy.Expr
    model: ViscosityModel | None
    force: Vector
    compressible: bool

    @property
    def given(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        return (self.omega, *self.force, *(() if self.model is None else self.model.given))


def store_strain_rate(
    equations: Equations,
    lattice: Lattice,
    arrived: Mapping[str, sympy.Expr],
    name: str,
    relaxation: Relaxation,
    *,
    zero_centred: bool,
) -> None:
    """S_ab = -3 omega / (2 rho) [Pi_ab + (u_a F_b + F_a u_b) / 2], Pi the second moment of f - f_eq.

    Of populations before the collision (Krueger et al. 2017, section 4.1.4; with the force of Guo et al.).
    omega is the rate with which the collision relaxes the stress in this cell; without compressibility rho is
    1 (He and Luo 1997).
    """
    equations.section("Moments: rho, j = rho u, p_ab = sum c_a c_b f_q")
    state = macroscopic(
        equations,
        lattice,
        arrived,
        zero_centred=zero_centred,
        force=relaxation.force,
        compressible=relaxation.compressible,
        share_planes=True,
    )
    moments = second_moments(equations, lattice, state)
    third = equations.let("third", multiply(Fraction(1, 3), state.deviation))
    u, half = state.velocity, state.half_force

    def stress(a: int, b: int) -> sympy.Expr:
        isotropic = multiply(-1, third) if a == b else sympy.Integer(0)
        flow = multiply(-1, state.momentum[a], u[b])
        return add(moments[a, b], isotropic, flow, multiply(u[a], half[b]), multiply(half[a], u[b]))

    tensor = {(a, b): stress(a, b) for a, b in indices(lattice)}
    omega, model = relaxation.omega, relaxation.model
    if model is not None and model.needs_stress:
        tensor = {ab: equations.let(labelled("stress", *ab), value) for ab, value in tensor.items()}
    if model is not None:
        omega = model.rate(LocalFlow(equations, lattice, omega, state.inv_rho, lambda: tensor))
    equations.section(
        "Strain rate: -3 omega / (2 rho) [p_ab - delta_ab rho / 3 - rho u_a u_b + (u F + F u) / 2]"
    )
    scale = equations.let("scale", multiply(Fraction(-3, 2), omega, state.inv_rho))
    field = tensor_field(name, lattice.dimension)
    rates = [equations.let(labelled("rate", *ab), multiply(scale, tensor[ab])) for ab in indices(lattice)]
    equations.section("Store")
    for i, value in enumerate(rates):
        equations.store(field.component(i), value)
