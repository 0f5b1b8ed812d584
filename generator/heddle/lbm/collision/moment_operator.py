# SPDX-License-Identifier: Apache-2.0
"""What the operators in moment space share: the way there and back, and the relaxation of the stress."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

import sympy

from heddle.lbm.collision.operator import CollisionOperator, Options, relaxation_rate
from heddle.lbm.collision.viscosity import LocalFlow
from heddle.lbm.lattice import Lattice
from heddle.lbm.moments.macroscopic import Tensor, indices, labelled
from heddle.lbm.moments.moment_space import (
    Moments,
    MomentState,
    moment_state,
    monomials,
    populations,
)
from heddle.model.equations import Equations, Scalar, add, is_zero, multiply, negate


@dataclass(frozen=True)
class Work:
    """A derivation in progress: the cell's moments and the rate of the shear stress in use."""

    equations: Equations
    lattice: Lattice
    state: MomentState
    omega: sympy.Expr


@dataclass(frozen=True)
class RelaxedStress:
    """pi: the second moment of f* - f_eq. slopes: 3 rho d_a u_a of each axis, from the moments before."""

    pi: Tensor
    slopes: Sequence[sympy.Expr]


class MomentOperator(CollisionOperator):
    """Base of the operators that relax moments and go back to populations.

    omega: rate of the shear stress. omega_bulk: rate of its trace; the bulk viscosity is 2/9 (1/omega_bulk -
    1/2) in three dimensions, 1/3 (1/omega_bulk - 1/2) in two. Other arguments: see CollisionOperator.
    """

    omega_bulk: sympy.Expr

    def __init__(
        self,
        lattice: Lattice,
        omega: Scalar = "omega",
        *,
        omega_bulk: Scalar = 1,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(lattice, omega, **options)
        monomials(lattice)
        self.omega_bulk = relaxation_rate(omega_bulk)

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        return (*super().arguments, self.omega_bulk)

    def derive(
        self, equations: Equations, populations: Mapping[str, sympy.Expr], zero_centred: bool
    ) -> Mapping[str, sympy.Expr]:
        """Raw moments, the collision between them, and the populations again."""
        force = tuple(
            equations.let(labelled("force", a), component) for a, component in enumerate(self.force)
        )
        state = moment_state(
            equations,
            self.lattice,
            populations,
            zero_centred=zero_centred,
            force=force,
            compressible=self.compressible,
        )
        relaxed = self.relax(equations, state)
        return self._populations(equations, relaxed)

    def _populations(self, equations: Equations, relaxed: Moments) -> dict[str, sympy.Expr]:
        equations.section("Populations, axis by axis: f_+- = (m_2 +- m_1) / 2, f_0 = m_0 - m_2")
        found = populations(equations, self.lattice, relaxed)
        names = zip(self.lattice.names, self.lattice.velocities, strict=True)
        return {name: found[velocity] for name, velocity in names}

    @abstractmethod
    def relax(self, equations: Equations, state: MomentState) -> Moments:
        """All raw moments after the collision."""

    def work(self, equations: Equations, state: MomentState, stress: Callable[[], Tensor]) -> Work:
        """With the local relaxation rate if there is a model of the viscosity."""
        omega = self.omega
        if self.viscosity_model is not None:
            flow = LocalFlow(equations, self.lattice, omega, state.inv_rho, stress)
            omega = self.viscosity_model.rate(flow)
        return Work(equations, self.lattice, state, omega)


def relax_stress(
    work: Work,
    omega_bulk: sympy.Expr,
    second: Tensor,
    pressure_excess: sympy.Expr,
    source: Tensor,
    *,
    galilean: bool,
) -> RelaxedStress:
    """Name the second moment of f* - f_eq, `pi_xx_post`.

    second: the moment of f less the flow, so that its equilibrium is `pressure_excess` = delta_rho / 3 on the
    diagonal. source: that of the force, u F + F u; it gets its prefactors here. The deviator relaxes with
    omega, the trace with omega_bulk. galilean: take off the defect 3 rho u_x^2 d_x u_x that c_x^3 = c_x
    leaves, with the strain rate from the moments themselves (Geier et al. 2015).
    """
    equations, omega, d = work.equations, work.omega, work.lattice.dimension
    keep = equations.let("one_minus_omega", add(1, negate(omega)))
    keep_bulk = equations.let("one_minus_omega_bulk", add(1, negate(omega_bulk)))
    half = equations.let("one_minus_half_omega", add(1, multiply(Fraction(-1, 2), omega)))
    mean = equations.let("mean", multiply(Fraction(1, d), add(*(second[a, a] for a in range(d)))))
    excess = add(mean, negate(pressure_excess))
    if not is_zero(keep_bulk):
        excess = equations.let("excess", excess)  # the slopes need it, too
    common = [multiply(keep_bulk, excess)]
    if any(not is_zero(source[a, a]) for a in range(d)):
        mean_source = multiply(Fraction(1, d), add(*(source[a, a] for a in range(d))))
        bulk_less_shear = multiply(Fraction(1, 2), add(omega, negate(omega_bulk)))
        common.append(multiply(equations.let("source_rate", bulk_less_shear), mean_source))
    relaxed: Tensor = {}
    deviators = [equations.let(labelled("deviator", a, a), add(second[a, a], negate(mean))) for a in range(d)]
    slopes = _slopes(work, omega_bulk, deviators, excess)
    defects: list[sympy.Expr] = [sympy.Integer(0)] * d
    if galilean:
        defects = [
            equations.let(labelled("defect", a), multiply(u, u, slopes[a]))
            for a, u in enumerate(work.state.velocity)
        ]
        rate = equations.let("defect_rate", multiply(Fraction(1, 2 * d), add(omega_bulk, negate(omega))))
        common.append(multiply(rate, add(*defects)))
    shared = equations.let("pi_mean_post", add(*common))
    for a, b in indices(work.lattice):
        value = deviators[a] if a == b else second[a, b]
        extra = add(source[a, b], negate(defects[a])) if a == b else source[a, b]
        terms = [multiply(keep, value), multiply(half, extra), shared if a == b else sympy.Integer(0)]
        relaxed[a, b] = equations.let(labelled("pi", a, b) + "_post", add(*terms))
    return RelaxedStress(relaxed, slopes)


def _slopes(
    work: Work, omega_bulk: sympy.Expr, deviators: Sequence[sympy.Expr], excess: sympy.Expr
) -> list[sympy.Expr]:
    """Name 3 rho d_a u_a = -9/2 (omega deviator_aa + omega_bulk excess), the strain rate of each axis."""
    equations = work.equations
    shear = equations.let("shear_slope", multiply(Fraction(-9, 2), work.omega))
    bulk = equations.let("bulk_slope", multiply(Fraction(-9, 2), omega_bulk))
    common = equations.let("slope_mean", multiply(bulk, excess))
    return [
        equations.let(labelled("slope", a, a), add(multiply(shear, deviator), common))
        for a, deviator in enumerate(deviators)
    ]
