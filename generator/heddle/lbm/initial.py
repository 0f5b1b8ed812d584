# SPDX-License-Identifier: Apache-2.0
"""Initial populations: the equilibrium of a density and velocity, with the stress of its gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.collision.operator import relaxation_rate
from heddle.lbm.equilibrium import halves, name_weights, outer, require_momentum
from heddle.lbm.force import Force, force_vector
from heddle.lbm.lattice import Lattice
from heddle.lbm.moments.macroscopic import Tensor, indices, labelled, vector_field
from heddle.lbm.neighbour_access import STENCIL_NEIGHBOURS, NeighbourAccess
from heddle.model.equations import Equations, Scalar, add, divide, exact, multiply, negate, quantity
from heddle.model.field import Field
from heddle.model.flag import require_flag


def initial_populations(
    lattice: Lattice,
    rho: Scalar,
    u: str | Sequence[Scalar],
    *,
    omega: Scalar | None,
    omega_bulk: Scalar | None,
    force: Force | None,
    zero_centred: bool,
    compressible: bool = True,
    neighbours: NeighbourAccess = STENCIL_NEIGHBOURS,
) -> tuple[Equations, dict[str, sympy.Expr]]:
    """The statements and the population of each direction. neighbours: how a cell sees its neighbours.

    f = f_eq(rho, u) - (w rho / (omega c_s^2)) (c_a c_b - c_s^2 delta_ab) d_a u_b, with omega_bulk for the
    trace. With a force the first moment is rho u - F/2 and the stress less (u F + F u)/2, so that the
    collision sees the given u and stress. Without compressibility 1 takes the place of rho, but for the
    zeroth moment (He and Luo 1997).
    """
    require_momentum(lattice, "initialise")
    require_flag(compressible, "compressible")
    d = lattice.dimension
    density = Field(rho, "real", d).here if isinstance(rho, str) else quantity(rho)
    body_force = force_vector(lattice, force)
    given = given_velocity(lattice, u)
    rates = stress_rates(u, omega, omega_bulk)
    names = [name for name in (rho, u) if isinstance(name, str)]
    equations = Equations([density, *given, *body_force, *rates], names)
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
    if rates and isinstance(u, str):
        trace = ", the trace with omega_bulk" if omega_bulk is not None else ""
        equations.section(f"Stress: Pi_ab = -rho / (3 omega) (d_a u_b + d_b u_a), central differences{trace}")

        def scale(rate: sympy.Expr) -> sympy.Expr:
            return divide(multiply(Fraction(-1, 3), carried), rate)

        stress = stress_of_gradients(equations, lattice, u, neighbours, rates, scale)
        tensor = {}
        for a, b in indices(lattice):
            forced = multiply(-1, add(multiply(velocity[a], half[b]), multiply(half[a], velocity[b])))
            tensor[a, b] = equations.let(labelled("t", a, b), add(flow[a, b], *stress[a, b], forced))
    equations.section("Populations: w [delta_rho + 3 c.j + 9/2 (c_a c_b - delta_ab / 3) t_ab]")
    vector = tuple(
        equations.let(labelled("first", a), add(j, multiply(-1, half[a]))) for a, j in enumerate(momentum)
    )
    parts = halves(equations, lattice, weights, deviation, vector, tensor)
    return equations, parts.populations(lattice)


def given_velocity(lattice: Lattice, u: str | Sequence[Scalar]) -> list[sympy.Expr]:
    """The velocity of a start, one component per axis: of a field that is named, or expressions."""
    if isinstance(u, str):
        field = vector_field(u, lattice.dimension)
        return [field.component(a) for a in range(lattice.dimension)]
    return [quantity(component) for component in u]


def stress_rates(
    u: str | Sequence[Scalar], omega: Scalar | None, omega_bulk: Scalar | None
) -> tuple[sympy.Expr, ...]:
    """The rates of the stress of a start: none, omega, or omega and omega_bulk.

    Raises KernelError for what is no rate, for a velocity that is no field, of which there are no gradients,
    and for a rate of the trace alone.
    """
    if omega is None and omega_bulk is None:
        return ()
    if omega is None:
        raise KernelError(
            calling_place(),
            "omega_bulk is given without omega: it is the relaxation rate of the stress's trace, omega "
            "that of the other components.",
            "give both, or leave out omega_bulk",
        )
    if not isinstance(u, str):
        raise KernelError(
            calling_place(),
            "the stress of an initial state needs the velocity as a field, because it takes velocity "
            "gradients.",
            'pass the field\'s name, u="u", instead of expressions, or leave out omega',
        )
    return tuple(relaxation_rate(rate) for rate in (omega, omega_bulk) if rate is not None)


def stress_of_gradients(
    equations: Equations,
    lattice: Lattice,
    u: str,
    neighbours: NeighbourAccess,
    rates: Sequence[sympy.Expr],
    scale: Callable[[sympy.Expr], sympy.Expr],
) -> dict[tuple[int, int], list[sympy.Expr]]:
    """The terms of scale(omega) (d_a u_b + d_b u_a), of the trace of that scale(omega_bulk) if there are two
    rates. u: the name of the field. neighbours: how a cell sees its neighbours."""
    field, d = vector_field(u, lattice.dimension), lattice.dimension
    shear = equations.let("stress_scale", scale(rates[0]))
    strain: Tensor = {}
    twice = neighbours.difference(equations)
    for a, b in indices(lattice):
        slopes = twice(field, a, b)
        if a != b:
            slopes = multiply(exact(Fraction(1, 2)), add(slopes, twice(field, b, a)))
        strain[a, b] = equations.let(labelled("strain", a, b), slopes)
    terms = {ab: [multiply(shear, value)] for ab, value in strain.items()}
    for omega_bulk in rates[1:]:
        apart = multiply(Fraction(1, d), add(scale(omega_bulk), negate(shear)))
        trace = add(*(strain[a, a] for a in range(d)))
        bulk = equations.let("bulk_stress", multiply(equations.let("bulk_scale", apart), trace))
        for a in range(d):
            terms[a, a].append(bulk)
    return terms
