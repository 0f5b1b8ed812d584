# SPDX-License-Identifier: Apache-2.0
"""Subgrid models: an eddy viscosity nu_t, tau = tau_0 + 3 nu_t. The filter width Delta is the cell, 1."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction

import sympy

from heddle.lbm.collision.viscosity import LocalFlow, ViscosityModel, stress_norm
from heddle.lbm.moments.macroscopic import labelled, vector_field
from heddle.lbm.neighbour_access import (
    STENCIL_NEIGHBOURS,
    IndexedNeighbours,
    NeighbourAccess,
    Walls,
    require_walls,
)
from heddle.model.equations import Equations, Scalar, add, divide, multiply, negate, quantity, square_root

Matrix = list[list[sympy.Expr]]


@dataclass(frozen=True)
class Smagorinsky(ViscosityModel):
    """An eddy viscosity (C_s Delta)^2 |S|, from the local stress in closed form (Hou et al. 1996).

    tau = (tau_0 + sqrt(tau_0^2 + 18 sqrt(2) C_s^2 |Pi| / rho)) / 2. constant: C_s, 0.1 to 0.18.
    """

    constant: Scalar = 0.12

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """C_s."""
        return (quantity(self.constant),)

    def rate(self, flow: LocalFlow) -> sympy.Expr:
        equations = flow.equations
        equations.section("Eddy viscosity: tau = (tau_0 + sqrt(tau_0^2 + 18 sqrt(2) C_s^2 |Pi| / rho)) / 2")
        magnitude = stress_norm(flow)
        tau_0 = equations.let("tau_0", divide(1, flow.omega))
        constant = quantity(self.constant)
        if constant.is_number:
            strength = equations.constant("eddy_strength", Fraction(18 * 2**0.5 * float(constant) ** 2))
        else:
            strength = equations.let("eddy_strength", multiply(sympy.Float(18 * 2**0.5), constant, constant))
        under_root = add(multiply(tau_0, tau_0), multiply(strength, magnitude, flow.inv_rho))
        tau = equations.let("tau", multiply(Fraction(1, 2), add(tau_0, square_root(under_root))))
        return equations.let("omega_local", divide(1, tau))


@dataclass(frozen=True)
class GradientModel(ViscosityModel):
    """Base of the models that need velocity gradients: central differences of a stored velocity.

    constant: of the model. u: the name of the velocity field. It holds the state of the step before, as
    moments() writes it; in a dense box, its ghost layer must be up to date. walls: over a list, the treatment
    of a link that ends: "at_rest", a wall with velocity 0 half a cell away, "slip", a free-slip face, or
    "one_sided", one-sided differences; see heddle.lbm.neighbour_access. EsoTwist and EsoPull take the indices
    of neighbouring cells from heddle::neighbour_indices. Raises KernelError for other values of walls.
    """

    constant: Scalar
    u: str = "u"
    walls: Walls = "at_rest"
    neighbours: NeighbourAccess = field(default=STENCIL_NEIGHBOURS, repr=False, kw_only=True)

    needs_stress = False
    title = ""

    def __post_init__(self) -> None:
        require_walls(self.walls)

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The constant."""
        return (quantity(self.constant),)

    def over_list(self, neighbours: IndexedNeighbours) -> GradientModel:
        """With differences through links."""
        return replace(self, neighbours=replace(neighbours, walls=self.walls))

    def rate(self, flow: LocalFlow) -> sympy.Expr:
        equations = flow.equations
        equations.section(self.title)
        viscosity = equations.let("eddy_viscosity", self.viscosity(equations, self._gradient(flow)))
        tau_0 = equations.let("tau_0", divide(1, flow.omega))
        tau = equations.let("tau", add(tau_0, multiply(3, viscosity)))
        return equations.let("omega_local", divide(1, tau))

    def _gradient(self, flow: LocalFlow) -> Matrix:
        """g[a][b] = d_b u_a."""
        d = flow.lattice.dimension
        velocity = vector_field(self.u, d)
        twice = self.neighbours.difference(flow.equations)

        def difference(a: int, b: int) -> sympy.Expr:
            half = multiply(Fraction(1, 2), twice(velocity, b, a))
            return flow.equations.let(f"d_{'xyz'[b]}_u_{'xyz'[a]}", half)

        return [[difference(a, b) for b in range(d)] for a in range(d)]

    @abstractmethod
    def viscosity(self, equations: Equations, gradient: Matrix) -> sympy.Expr:
        """nu_t of a gradient d_b u_a."""


@dataclass(frozen=True)
class Vreman(GradientModel):
    """Vreman, Phys. Fluids 16 (2004) 3670: no eddy viscosity in pure shear, so none at walls.

    nu_t = c sqrt(B / alpha_ij alpha_ij), alpha_ij = d_i u_j, beta_ij = alpha_mi alpha_mj, B the sum of the
    principal minors of beta. constant: c, about 2.5 C_s^2.
    """

    constant: Scalar = Fraction(7, 100)

    title = (
        "Eddy viscosity: c sqrt(B / a_ij a_ij), B the principal minors of b_ij = a_mi a_mj, a_ij = d_i u_j"
    )

    def viscosity(self, equations: Equations, gradient: Matrix) -> sympy.Expr:
        d = len(gradient)
        beta = {
            (i, j): equations.let(
                labelled("beta", i, j), add(*(multiply(gradient[i][m], gradient[j][m]) for m in range(d)))
            )
            for i in range(d)
            for j in range(i, d)
        }
        minors = [
            add(multiply(beta[i, i], beta[j, j]), multiply(-1, beta[i, j], beta[i, j]))
            for i in range(d)
            for j in range(i + 1, d)
        ]
        positive = equations.let("minors", sympy.Max(add(*minors), 0, evaluate=False))
        # the trace of d_i u_m d_j u_m is that of d_m u_i d_m u_j
        square = equations.let("gradient_squared", add(*(beta[i, i] for i in range(d))))
        ratio = square_root(divide(positive, square))
        return sympy.Piecewise((multiply(quantity(self.constant), ratio), sympy.Gt(square, 0)), (0, True))


@dataclass(frozen=True)
class WALE(GradientModel):
    """Nicoud and Ducros, Flow Turb. Combust. 62 (1999) 183: nu_t falls with the cube of the wall distance.

    nu_t = C_w^2 (D:D)^(3/2) / ((S:S)^(5/2) + (D:D)^(5/4)), S the strain rate, D the traceless symmetric
    part of g g, g_ij = d_j u_i. constant: C_w, 0.325 to 0.5.
    """

    constant: Scalar = Fraction(1, 2)

    title = "Eddy viscosity: C_w^2 (D:D)^(3/2) / ((S:S)^(5/2) + (D:D)^(5/4)), D = dev sym g g, g_ij = d_j u_i"

    def viscosity(self, equations: Equations, gradient: Matrix) -> sympy.Expr:
        d = len(gradient)
        half = Fraction(1, 2)
        square: dict[tuple[int, int], sympy.Expr] = {}
        for i in range(d):
            for j in range(d):
                product = add(*(multiply(gradient[i][m], gradient[m][j]) for m in range(d)))
                square[i, j] = equations.let(labelled("g2", i, j), product)
        third = equations.let("g2_third", multiply(Fraction(1, 3), add(*(square[i, i] for i in range(d)))))
        twist: list[sympy.Expr] = []
        strain: list[sympy.Expr] = []
        for i in range(d):
            for j in range(i, d):
                twice = 1 if i == j else 2
                mean = (
                    add(square[i, i], negate(third))
                    if i == j
                    else multiply(half, add(square[i, j], square[j, i]))
                )
                slope = gradient[i][i] if i == j else multiply(half, add(gradient[i][j], gradient[j][i]))
                mean = equations.let(labelled("twist", i, j), mean)
                slope = equations.let(labelled("strain", i, j), slope)
                twist.append(multiply(twice, mean, mean))
                strain.append(multiply(twice, slope, slope))
        if d == 2:  # the third diagonal entry of the deviator, -tr / 3, is there in two dimensions as well
            twist.append(multiply(third, third))
        twist_squared = equations.let("twist_squared", add(*twist))
        strain_squared = equations.let("strain_squared", add(*strain))
        root = equations.let("twist_norm", square_root(twist_squared))
        below = add(
            multiply(strain_squared, strain_squared, square_root(strain_squared)),
            multiply(twist_squared, square_root(root)),
        )
        below = equations.let("invariants", below)
        constant = quantity(self.constant)
        above = multiply(constant, constant, twist_squared, root)
        return sympy.Piecewise((divide(above, below), sympy.Gt(below, 0)), (0, True))
