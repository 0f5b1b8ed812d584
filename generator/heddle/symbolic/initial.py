# SPDX-License-Identifier: Apache-2.0
"""Initial populations: the equilibrium of a density and velocity, with the stress of its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy

from heddle.errors import KernelError, calling_place
from heddle.symbolic.beside import BY_OFFSET, Beside
from heddle.symbolic.equations import Equations, Scalar, add, divide, exact, multiply, quantity
from heddle.symbolic.equilibrium import halves, name_weights, outer, require_momentum
from heddle.symbolic.field import Field
from heddle.symbolic.force import Force, force_vector
from heddle.symbolic.lattice import Lattice
from heddle.symbolic.moments import Tensor, indices, labelled, vector_field
from heddle.symbolic.require import require_flag


def initial_populations(
    lattice: Lattice,
    rho: Scalar,
    u: str | Sequence[Scalar],
    *,
    omega: Scalar | None,
    force: Force | None,
    zero_centred: bool,
    compressible: bool = True,
    beside: Beside = BY_OFFSET,
) -> tuple[Equations, dict[str, sympy.Expr]]:
    """The statements and the population of each direction. beside: how a cell sees its neighbours.

    f = f_eq(rho, u) - (w rho / (omega c_s^2)) (c_a c_b - c_s^2 delta_ab) d_a u_b. With a force the first
    moment is rho u - F/2 and the stress less (u F + F u)/2, so that the collision sees the given u and
    stress. Without compressibility 1 takes the place of rho, but for the zeroth moment (He and Luo 1997).
    """
    require_momentum(lattice, "initialise")
    require_flag(compressible, "compressible")
    d = lattice.dimension
    density = Field(rho, "real", d).here if isinstance(rho, str) else quantity(rho)
    body_force = force_vector(lattice, force)
    field: Field | None = None
    if isinstance(u, str):
        field = vector_field(u, d)
        given: list[sympy.Expr] = [field.component(a) for a in range(d)]
    else:
        given = [quantity(component) for component in u]
    if omega is not None and field is None:
        raise KernelError(
            calling_place(),
            "the stress of an initial state needs the velocity as a field, to take its gradients.",
            'u="u" instead of expressions, or leave out omega',
        )
    rate = None if omega is None else quantity(omega)
    names = [name for name in (rho, u) if isinstance(name, str)]
    equations = Equations([density, *given, *body_force, *([] if rate is None else [rate])], names)
    equations.section("Constants: lattice weights")
    weights = name_weights(equations, lattice)
    equations.section("State")
    whole = equations.let("density", density)
    velocity = tuple(equations.let(labelled("u", a), component) for a, component in enumerate(given))
    carried = whole if compressible else sympy.Integer(1)
    momentum = tuple(
        equations.let(labelled("j", a), multiply(carried, component)) for a, component in enumerate(velocity)
    )
    deviation = equations.let("delta_rho", add(whole, -1)) if zero_centred else whole
    flow = outer(equations, lattice, momentum, velocity, "flow")
    tensor: Tensor = flow
    half = tuple(multiply(Fraction(1, 2), component) for component in body_force)
    if rate is not None and field is not None:
        equations.section("Stress: Pi_ab = -rho / (3 omega) (d_a u_b + d_b u_a), central differences")
        scale = equations.let("stress_scale", divide(multiply(Fraction(-1, 3), carried), rate))
        tensor, twice = {}, beside.difference(equations)
        for a, b in indices(lattice):
            slopes = twice(field, a, b)
            if a != b:
                slopes = multiply(exact(Fraction(1, 2)), add(slopes, twice(field, b, a)))
            strain = equations.let(labelled("strain", a, b), slopes)
            forced = multiply(-1, add(multiply(velocity[a], half[b]), multiply(half[a], velocity[b])))
            tensor[a, b] = equations.let(
                labelled("t", a, b), add(flow[a, b], multiply(scale, strain), forced)
            )
    equations.section("Populations: w [delta_rho + 3 c.j + 9/2 (c_a c_b - delta_ab / 3) t_ab]")
    vector = tuple(
        equations.let(labelled("first", a), add(j, multiply(-1, half[a]))) for a, j in enumerate(momentum)
    )
    parts = halves(equations, lattice, weights, deviation, vector, tensor)
    return equations, parts.populations(lattice)
