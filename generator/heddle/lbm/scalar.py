# SPDX-License-Identifier: Apache-2.0
"""Scalars in a flow: advection and diffusion on a separate lattice, and the buoyancy that they cause.

T = sum g_q, g_eq = w T [1 + c.u / c_s^2], with the terms of second order in u on lattices that are isotropic
to fourth order. The even and the odd half of each pair relax with separate rates (Ginzburg 2005); the rate of
the odd half sets the diffusivity c_s^2 (1/omega - 1/2). Order of coupled kernels: T from the populations that
arrive, the force from T, u with half the force, then both collisions with that u.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.collision.operator import Collision, relaxation_rate
from heddle.lbm.equilibrium import name_weights
from heddle.lbm.lattice import Lattice, require_lattice
from heddle.lbm.moments.macroscopic import Pairs, Vector, labelled, pair_sums, vector_field
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
from heddle.model.require import vector


class AdvectionDiffusion(Collision):
    """d_t T + div(u T) = div(D grad T) + source, with D = c_s^2 (1/omega - 1/2).

    lattice: any, D2Q5 and D3Q7 too. omega: the rate of the odd halves. u: the name of a velocity field, or
    one entry per axis, or None for pure diffusion. source: per step. magic: (1/omega - 1/2) (1/omega_even -
    1/2): 3/16 puts Dirichlet walls in the middle of the link, 1/6 makes the error of diffusion isotropic, 1/4
    is the most stable; None relaxes both halves with omega (BGK). Raises KernelError for a rate known to be
    unstable, a magic number not above 0, or a velocity of another dimension.
    """

    letter = "g"

    def __init__(
        self,
        lattice: Lattice,
        omega: Scalar = "omega",
        *,
        u: str | Sequence[Scalar | Access] | None = "u",
        source: Scalar = 0,
        magic: Scalar | None = Fraction(1, 4),
    ) -> None:
        require_lattice(lattice)
        self.lattice = lattice
        self.omega = relaxation_rate(omega)
        self.velocity = scalar_velocity(lattice, u)
        self.source = quantity(source)
        self.magic = None if magic is None else positive(magic, "magic")

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        return (self.omega, *self.velocity, self.source, *(() if self.magic is None else (self.magic,)))

    def derive(
        self, equations: Equations, populations: Mapping[str, sympy.Expr], zero_centred: bool
    ) -> Mapping[str, sympy.Expr]:
        """Even and odd halves of each pair."""
        lattice, half, odd_rate = self.lattice, sympy.Rational(1, 2), self.omega
        even_rate = odd_rate
        if self.magic is not None:
            odd_time = add(divide(1, odd_rate), -half)
            even_rate = equations.let("omega_even", divide(1, add(half, divide(self.magic, odd_time))))
        source = equations.let("source", self.source)
        equations.section("Scalar: T = sum g_q" + (" + source / 2" if source != 0 else ""))
        state = scalar_state(equations, lattice, populations, source, zero_centred=zero_centred)
        parts = _halves(equations, lattice, state.deviation, state.value, self.velocity)
        equations.section("Collide: g* = g - omega_even (g+ - g_eq+) - omega (g- - g_eq-)")
        keep = equations.let("one_minus_omega_even", add(1, negate(even_rate)))
        half_even = equations.let("half_even", multiply(half, even_rate))
        half_odd = equations.let("half_odd", multiply(half, odd_rate))
        supply = equations.let("supply", multiply(add(1, negate(half_even)), source))
        post = {
            "c": add(
                multiply(keep, populations["c"]),
                multiply(even_rate, parts.rest),
                multiply(parts.weights[0], supply),
            )
        }
        for q, opposite in lattice.pairs:
            name, other = lattice.names[q], lattice.names[opposite]
            even = add(
                multiply(even_rate, parts.even[name]), multiply(-1, half_even, state.pairs.total[name])
            )
            even = add(even, multiply(parts.weights[lattice.order(q)], supply))
            odd = add(
                multiply(odd_rate, parts.odd[name]), multiply(-1, half_odd, state.pairs.difference[name])
            )
            even, odd = equations.let(f"sym_{name}", even), equations.let(f"anti_{name}", odd)
            post[name] = add(populations[name], even, odd)
            post[other] = add(populations[other], even, negate(odd))
        return post


@dataclass(frozen=True)
class ScalarState:
    """deviation: sum of the stored populations and half the source; value: T, one more if zero-centred."""

    pairs: Pairs
    deviation: sympy.Expr
    value: sympy.Expr


def scalar_velocity(lattice: Lattice, u: str | Sequence[Scalar | Access] | None) -> Vector:
    """The velocity a component. Raises KernelError for another number of components."""
    d = lattice.dimension
    if u is None:
        return (sympy.Integer(0),) * d
    if isinstance(u, str):
        return tuple(vector_field(u, d).component(a) for a in range(d))
    found = vector(u, "a velocity")
    if len(found) != d:
        raise KernelError(
            calling_place(),
            f"a velocity on {lattice.name} has {d} components, not {len(found)}.",
            "give one entry per axis, or the name of a field",
        )
    return found


def scalar_state(
    equations: Equations,
    lattice: Lattice,
    g: Mapping[str, sympy.Expr],
    source: sympy.Expr,
    *,
    zero_centred: bool,
) -> ScalarState:
    """Name T of the populations `g` (direction name -> value)."""
    pairs = pair_sums(equations, lattice, g)
    terms = [g["c"], *pairs.total.values(), multiply(Fraction(1, 2), source)]
    deviation = equations.let("delta_scalar" if zero_centred else "scalar", add(*terms))
    value = equations.let("scalar", add(1, deviation)) if zero_centred else deviation
    return ScalarState(pairs, deviation, value)


def scalar_equilibrium(
    equations: Equations, lattice: Lattice, value: sympy.Expr, velocity: Vector, *, zero_centred: bool
) -> dict[str, sympy.Expr]:
    """g_eq of each direction, less the weight if zero-centred."""
    value = equations.let("scalar", value)
    deviation = equations.let("delta_scalar", add(value, -1)) if zero_centred else value
    parts = _halves(equations, lattice, deviation, value, velocity)
    result = {"c": parts.rest}
    for q, opposite in lattice.pairs:
        name = lattice.names[q]
        result[name] = add(parts.even[name], parts.odd[name])
        result[lattice.names[opposite]] = add(parts.even[name], negate(parts.odd[name]))
    return result


@dataclass(frozen=True)
class _Halves:
    rest: sympy.Expr
    even: Mapping[str, sympy.Expr]
    odd: Mapping[str, sympy.Expr]
    weights: Mapping[int, sympy.Expr]


def _halves(
    equations: Equations, lattice: Lattice, deviation: sympy.Expr, value: sympy.Expr, velocity: Vector
) -> _Halves:
    """Name the halves of w [deviation + T (c.u / c_s^2 + (c.u)^2 / (2 c_s^4) - u^2 / (2 c_s^2))]."""
    equations.section("Equilibrium: g_eq = w T (1 + c.u / c_s^2 + ...)")
    weights = name_weights(equations, lattice)
    u = [equations.let(labelled("u", a), component) for a, component in enumerate(velocity)]
    flux = [equations.let(labelled("flux", a), multiply(value, component)) for a, component in enumerate(u)]
    second = lattice.defect(4) is None
    isotropic = deviation
    if second:
        kinetic = multiply(
            -1 / (2 * lattice.cs2), add(*(multiply(a, b) for a, b in zip(flux, u, strict=True)))
        )
        isotropic = equations.let("isotropic", add(deviation, kinetic))
    even: dict[str, sympy.Expr] = {}
    odd: dict[str, sympy.Expr] = {}
    for q, _ in lattice.pairs:
        name, c, weight = lattice.names[q], lattice.velocities[q], weights[lattice.order(q)]
        along = equations.let(f"flux_{name}", add(*map(signed, c, flux)))
        square = sympy.Integer(0)
        if second:
            square = multiply(1 / (2 * lattice.cs2**2), along, add(*map(signed, c, u)))
        even[name] = equations.let(f"even_{name}", multiply(weight, add(isotropic, square)))
        odd[name] = equations.let(f"odd_{name}", multiply(1 / lattice.cs2, weight, along))
    return _Halves(multiply(weights[0], isotropic), even, odd, weights)


def boussinesq(
    lattice: Lattice,
    gravity: Sequence[Scalar],
    *,
    scalar: str = "T",
    expansion: Scalar = "beta",
    reference: Scalar = 0,
) -> Vector:
    """The force density -beta (T - T_ref) g of a fluid of density 1, to give an operator as its `force`.

    gravity: its vector, one entry per axis. scalar: the name of the field of T. Raises KernelError for
    another number of components.
    """
    require_lattice(lattice)
    g = vector(gravity, "gravity")
    if len(g) != lattice.dimension:
        raise KernelError(
            calling_place(),
            f"gravity on {lattice.name} has {lattice.dimension} components, not {len(g)}.",
            "give one entry per axis, 0 where there is none",
        )
    excess = add(Field(scalar, "real", lattice.dimension).here, negate(quantity(reference)))
    return tuple(multiply(-1, quantity(expansion), excess, component) for component in g)
