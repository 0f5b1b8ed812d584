# SPDX-License-Identifier: Apache-2.0
"""Consistent initialisation: a collision to iterate before a flow starts, which computes the pressure and
the stress for a velocity."""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from heddle.lbm.collision.operator import Collision, relaxation_rate
from heddle.lbm.equilibrium import equilibrium, name_weights, require_momentum
from heddle.lbm.lattice import Lattice
from heddle.lbm.moments.macroscopic import labelled, pair_sums, vector_field
from heddle.model.equations import Equations, Scalar, add, multiply
from heddle.model.flag import require_flag


class ConsistentInitialisation(Collision):
    """Mei, Luo, Lallemand and d'Humieres, Comput. Fluids 35 (2006) 855: the density follows a given velocity.

    f* = f + omega (f_eq(rho, u_0) - f) in the even half of each pair, f_eq in the odd one, with the density
    of the populations and the velocity of the field u. Start from initialise(1, "u") and iterate as many
    ordinary steps as it takes for the density to settle: that solves the Poisson equation of the pressure,
    and leaves populations with their stress from which the flow goes on. omega, compressible: as in the
    flow. Raises KernelError for a lattice that carries no momentum.
    """

    def __init__(
        self, lattice: Lattice, omega: Scalar = "omega", u: str = "u", *, compressible: bool = True
    ) -> None:
        require_momentum(lattice, type(self).__name__)
        require_flag(compressible, "compressible")
        self.lattice, self.u, self.compressible = lattice, u, compressible
        self.omega = relaxation_rate(omega)

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The rate."""
        return (self.omega,)

    def derive(
        self, equations: Equations, populations: Mapping[str, sympy.Expr], zero_centred: bool
    ) -> Mapping[str, sympy.Expr]:
        lattice, f = self.lattice, populations
        equations.section("Constants: lattice weights")
        weights = name_weights(equations, lattice)
        equations.section("Density of the populations, velocity of the field")
        pairs = pair_sums(equations, lattice, f)
        deviation = equations.let("delta_rho" if zero_centred else "rho", add(f["c"], *pairs.total.values()))
        rho: sympy.Expr = sympy.Integer(1)
        if self.compressible:
            rho = equations.let("rho", add(1, deviation)) if zero_centred else deviation
        field = vector_field(self.u, lattice.dimension)
        axes = range(lattice.dimension)
        velocity = tuple(equations.let(labelled("u", a), field.component(a)) for a in axes)
        momentum = tuple(equations.let(labelled("j", a), multiply(rho, velocity[a])) for a in axes)
        equations.section("Collide: f* = f + omega (f_eq - f), the odd half of each pair as in f_eq")
        parts = equilibrium(equations, lattice, weights, deviation, momentum, velocity)
        keep = equations.let("one_minus_omega", add(1, multiply(-1, self.omega)))
        post = {"c": add(multiply(keep, f["c"]), multiply(self.omega, parts.rest))}
        for q, opposite in lattice.pairs:
            name = lattice.names[q]
            total = multiply(sympy.Rational(1, 2), keep, pairs.total[name])
            even = equations.let(f"sym_{name}", add(total, multiply(self.omega, parts.even[name])))
            post[name] = add(even, parts.odd[name])
            post[lattice.names[opposite]] = add(even, multiply(-1, parts.odd[name]))
        return post
