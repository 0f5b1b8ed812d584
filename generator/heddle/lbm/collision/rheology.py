# SPDX-License-Identifier: Apache-2.0
"""Generalised Newtonian fluids: the viscosity is a function of the shear rate.

The shear rate |S| = 3 Q / (sqrt(2) rho tau) comes from the stress Q of the cell, whose share depends on tau,
and tau = 1/2 + 3 nu(|S|): an equation for tau. It is solved by a fixed number of Newton steps from the
largest tau. For fluids that thin or yield this approaches the solution from above, whatever the law; three
steps leave less than 2e-5 of tau for power laws of exponent 0.3 to 1.5, Carreau and regularised Bingham
fluids within a range of viscosities of 1 to 2000, and 1e-3 for an exponent of 1.8. One power a step.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.collision.viscosity import LocalFlow, ViscosityModel, stress_norm
from heddle.model.equations import Equations, Scalar, add, divide, multiply, negate, quantity

Constants = tuple[sympy.Expr, ...]
Law = tuple[sympy.Expr, sympy.Expr]


@dataclass(frozen=True, kw_only=True)
class GeneralisedNewtonian(ViscosityModel):
    """Base of the viscosity laws. All quantities are in lattice units and kinematic (divided by density).

    bounds: the smallest and the largest viscosity; the law is clipped to them. iterations: Newton steps.
    Raises KernelError for invalid bounds, and for a negative parameter of the law.
    """

    bounds: tuple[Scalar, Scalar] = (Fraction(1, 1000), 2)
    iterations: int = 3

    replaces_omega = True
    title = ""

    def __post_init__(self) -> None:
        low, high = map(quantity, self.bounds)
        if self.iterations < 1 or (low.is_number and high.is_number and not 0 < float(low) < float(high)):
            raise KernelError(
                calling_place(),
                f"viscosities from {low} to {high} with {self.iterations} iterations are invalid.",
                "choose 0 < least < largest viscosity, and at least one iteration",
            )
        for value in map(quantity, self.parameters()):
            if value.is_number and float(value) < 0:
                raise KernelError(
                    calling_place(),
                    f"{type(self).__name__} has the negative parameter {value}.",
                    "viscosities, times, stresses and exponents must not be negative",
                )

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The bounds and the parameters of the law."""
        return tuple(map(quantity, (*self.bounds, *self.parameters())))

    @abstractmethod
    def parameters(self) -> tuple[Scalar, ...]:
        """The parameters of the law."""

    def constants(self, equations: Equations) -> Constants:
        """The parameters as the law uses them; here one may name what all steps share."""
        del equations
        return tuple(map(quantity, self.parameters()))

    @abstractmethod
    def law(self, equations: Equations, shear_rate: sympy.Expr, known: Constants, step: int) -> Law:
        """nu(shear_rate) and its slope d ln nu / d ln shear_rate. step: to number names with."""

    def rate(self, flow: LocalFlow) -> sympy.Expr:
        equations = flow.equations
        equations.section(f"Viscosity: {self.title}; Newton steps for tau = 1/2 + 3 nu(shear / tau)")
        factor = sympy.Float(3 / 2**0.5)
        shear = equations.let("shear", multiply(factor, stress_norm(flow), flow.inv_rho))
        low, high = (
            equations.let("nu_min", quantity(self.bounds[0])),
            equations.let("nu_max", quantity(self.bounds[1])),
        )
        known = self.constants(equations)
        half = sympy.Rational(1, 2)
        least = equations.let("tau_min", add(half, multiply(3, low)))
        tau = largest = equations.let("tau_max", add(half, multiply(3, high)))
        for step in range(1, self.iterations + 1):
            shear_rate = equations.let(f"shear_rate_{step}", divide(shear, tau))
            nu, slope = self.law(equations, shear_rate, known, step)
            nu = equations.let(f"nu_{step}", nu)
            clipped = equations.let(f"nu_clipped_{step}", _between(low, nu, high))
            free = sympy.Piecewise((slope, sympy.Eq(nu, clipped)), (0, True))
            slope = equations.let(f"slope_{step}", free)
            excess = equations.let(f"excess_{step}", add(tau, -half, multiply(-3, clipped)))
            steep = add(1, divide(multiply(3, clipped, slope), tau))
            better = add(tau, negate(divide(excess, steep)))
            tau = equations.let(f"tau_{step}", _between(least, better, largest))
        return equations.let("omega_local", divide(1, tau))


@dataclass(frozen=True, kw_only=True)
class PowerLaw(GeneralisedNewtonian):
    """nu = K |S|^(n - 1) (Ostwald and de Waele). consistency: K. exponent: n, below 1 for shear thinning.

    A shear-thinning fluid at rest, whose viscosity is infinite by the law, gets the upper one of `bounds`.
    """

    consistency: Scalar
    exponent: Scalar

    title = "nu = K |S|^(n - 1)"

    def parameters(self) -> tuple[Scalar, ...]:
        return self.consistency, self.exponent

    def constants(self, equations: Equations) -> Constants:
        return quantity(self.consistency), equations.let("power", add(quantity(self.exponent), -1))

    def law(self, equations: Equations, shear_rate: sympy.Expr, known: Constants, step: int) -> Law:
        del equations, step
        consistency, power = known
        return multiply(consistency, sympy.Pow(shear_rate, power, evaluate=False)), power


@dataclass(frozen=True, kw_only=True)
class Carreau(GeneralisedNewtonian):
    """nu = nu_inf + (nu_0 - nu_inf) (1 + (lambda |S|)^a)^((n - 1) / a) (Carreau 1972; Yasuda 1981).

    at_rest: nu_0. at_infinity: nu_inf. time: lambda. exponent: n. sharpness: a.
    """

    at_rest: Scalar
    at_infinity: Scalar
    time: Scalar
    exponent: Scalar
    sharpness: Scalar = 2

    title = "nu = nu_inf + (nu_0 - nu_inf) (1 + (lambda |S|)^a)^((n - 1) / a)"

    def parameters(self) -> tuple[Scalar, ...]:
        return self.at_rest, self.at_infinity, self.time, self.exponent, self.sharpness

    def law(self, equations: Equations, shear_rate: sympy.Expr, known: Constants, step: int) -> Law:
        at_rest, at_infinity, time, exponent, sharpness = known
        reduced = multiply(time, shear_rate)
        power = equations.let(f"reduced_{step}", sympy.Pow(reduced, sharpness, evaluate=False))
        range_ = add(at_rest, negate(at_infinity))
        fall = divide(add(exponent, -1), sharpness)
        thinned = sympy.Pow(add(1, power), fall, evaluate=False)
        above = equations.let(f"above_{step}", multiply(range_, thinned))
        nu = add(at_infinity, above)
        slope = divide(multiply(above, add(exponent, -1), power), multiply(add(1, power), nu))
        return nu, slope


@dataclass(frozen=True, kw_only=True)
class HerschelBulkley(GeneralisedNewtonian):
    """nu = K |S|^(n - 1) + tau_y (1 - exp(-m |S|)) / |S|, regularised by Papanastasiou (1987).

    consistency: K. exponent: n; 1 is a Bingham fluid. yield_stress: tau_y, divided by density. growth: m; the
    fluid creeps with the viscosity tau_y m where the stress is below the yield stress, as far as the bounds
    let it.
    """

    consistency: Scalar
    exponent: Scalar
    yield_stress: Scalar
    growth: Scalar

    title = "nu = K |S|^(n - 1) + tau_y (1 - exp(-m |S|)) / |S|"

    def parameters(self) -> tuple[Scalar, ...]:
        return self.consistency, self.exponent, self.yield_stress, self.growth

    def constants(self, equations: Equations) -> Constants:
        """With the rate below which the quotient is constant to 5e-4: single precision would cancel there."""
        known = super().constants(equations)
        return *known, equations.let("least_rate", divide(sympy.Rational(1, 1000), known[-1]))

    def law(self, equations: Equations, shear_rate: sympy.Expr, known: Constants, step: int) -> Law:
        consistency, exponent, yield_stress, growth, least = known
        rate = equations.let(f"rate_{step}", sympy.Max(shear_rate, least, evaluate=False))
        decay = equations.let(f"decay_{step}", sympy.exp(multiply(-1, growth, rate), evaluate=False))
        power = sympy.Pow(rate, add(exponent, -1), evaluate=False) if exponent != 1 else sympy.Integer(1)
        flowing = equations.let(f"flowing_{step}", multiply(consistency, power))
        yielding = equations.let(
            f"yielding_{step}", divide(multiply(yield_stress, add(1, negate(decay))), rate)
        )
        nu = add(flowing, yielding)
        rising = add(
            multiply(flowing, add(exponent, -1)), multiply(yield_stress, growth, decay), negate(yielding)
        )
        return nu, divide(rising, nu)


def _between(low: sympy.Expr, value: sympy.Expr, high: sympy.Expr) -> sympy.Expr:
    """The value, clipped."""
    return sympy.Min(sympy.Max(value, low, evaluate=False), high, evaluate=False)
