# SPDX-License-Identifier: Apache-2.0
"""The strain rate of a cell from its populations, without differences."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy

from heddle.lbm.collision.operator import CollisionOperator
from heddle.lbm.moments.macroscopic import indices, labelled
from heddle.model.equations import Equations, add, multiply, negate
from heddle.model.field import Field


def tensor_field(name: str, rank: int) -> Field:
    """A symmetric tensor on cells: components xx, yy, (zz,) xy, (xz, yz)."""
    pairs = [(a, a) for a in range(rank)] + [(a, b) for a in range(rank) for b in range(a + 1, rank)]
    names = tuple("xyz"[a] + "xyz"[b] for a, b in pairs)
    return Field(name, "real", rank, len(names), component_names=names)


def store_strain_rate(
    equations: Equations,
    collide: CollisionOperator,
    arrived: Mapping[str, sympy.Expr],
    name: str,
    *,
    zero_centred: bool,
) -> None:
    """S_ab = -3 omega / (2 rho) [Pi_ab + (u_a F_b + F_a u_b) / 2], Pi the second moment of f - f_eq.

    Of populations before the collision (Krueger et al. 2017, section 4.1.4; with the force of Guo et al.).
    omega is the rate with which the collision relaxes the stress in this cell; where the trace has a rate of
    its own, that one gives the trace. Without compressibility rho is 1 (He and Luo 1997).
    """
    lattice = collide.lattice
    stress = collide.stress(equations, arrived, zero_centred)
    tensor, bulk = stress.tensor, sympy.Integer(0)
    if stress.omega_bulk is None:
        equations.section(
            "Strain rate: -3 omega / (2 rho) [p_ab - delta_ab rho / 3 - rho u_a u_b + (u F + F u) / 2]"
        )
    else:
        equations.section(
            "Strain rate: -3 / (2 rho) [omega Pi_ab + (omega_bulk - omega) / d delta_ab Pi_cc], Pi the "
            "stress of f - f_eq"
        )
        axes = range(lattice.dimension)
        diagonal = {(a, a): equations.let(labelled("stress", a, a), tensor[a, a]) for a in axes}
        tensor = {**tensor, **diagonal}
        apart = add(stress.omega_bulk, negate(stress.omega))
        gap = multiply(Fraction(-3, 2 * lattice.dimension), apart, stress.inv_rho)
        bulk = equations.let("bulk", multiply(equations.let("bulk_scale", gap), add(*diagonal.values())))
    scale = equations.let("scale", multiply(Fraction(-3, 2), stress.omega, stress.inv_rho))
    field = tensor_field(name, lattice.dimension)
    rates = [
        equations.let(
            labelled("rate", a, b),
            add(multiply(scale, tensor[a, b]), bulk if a == b else sympy.Integer(0)),
        )
        for a, b in indices(lattice)
    ]
    equations.section("Store")
    for i, value in enumerate(rates):
        equations.store(field.component(i), value)
