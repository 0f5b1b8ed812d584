# SPDX-License-Identifier: Apache-2.0
"""Models of the local viscosity: a relaxation rate from the stress or the velocity gradients of a cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import sympy

from heddle.symbolic.equations import Equations, Scalar, add, divide, multiply, quantity, square_root
from heddle.symbolic.lattice import Lattice
from heddle.symbolic.moments import Tensor, contract


@dataclass(frozen=True)
class LocalFlow:
    """What a model sees of a cell.

    omega: the rate of the molecular viscosity. inv_rho: 1 / rho. stress: names the second moment of f - f_eq,
    Pi_ab, with its share of the force, so that S_ab = -3 omega Pi_ab / (2 rho).
    """

    equations: Equations
    lattice: Lattice
    omega: sympy.Expr
    inv_rho: sympy.Expr
    stress: Callable[[], Tensor]


class ViscosityModel(ABC):
    """Base of the models. needs_stress: whether `rate` takes the stress of the cell."""

    needs_stress = True

    @property
    @abstractmethod
    def given(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""

    @abstractmethod
    def rate(self, flow: LocalFlow) -> sympy.Expr:
        """The local relaxation rate, after the statements that it needs."""


@dataclass(frozen=True)
class Smagorinsky(ViscosityModel):
    """An eddy viscosity (C_s Delta)^2 |S|, from the local stress in closed form (Hou et al. 1996).

    tau = (tau_0 + sqrt(tau_0^2 + 18 sqrt(2) C_s^2 |Pi| / rho)) / 2. constant: C_s, 0.1 to 0.18.
    """

    constant: Scalar = 0.12

    @property
    def given(self) -> tuple[sympy.Expr, ...]:
        """C_s."""
        return (quantity(self.constant),)

    def rate(self, flow: LocalFlow) -> sympy.Expr:
        equations = flow.equations
        equations.section("Eddy viscosity: tau = (tau_0 + sqrt(tau_0^2 + 18 sqrt(2) C_s^2 |Pi| / rho)) / 2")
        stress = flow.stress()
        magnitude = equations.let("stress_norm", square_root(contract(equations, stress, "stress_squared")))
        tau_0 = equations.let("tau_0", divide(1, flow.omega))
        constant = quantity(self.constant)
        factor = sympy.Float(18 * 2**0.5)
        if constant.is_number:
            factor, constant = sympy.Float(18 * 2**0.5 * float(constant) ** 2), sympy.Integer(1)
        strength = equations.let("strength", multiply(factor, constant, constant))
        under_root = add(multiply(tau_0, tau_0), multiply(strength, magnitude, flow.inv_rho))
        tau = equations.let("tau", multiply(Fraction(1, 2), add(tau_0, square_root(under_root))))
        return equations.let("omega_local", divide(1, tau))
