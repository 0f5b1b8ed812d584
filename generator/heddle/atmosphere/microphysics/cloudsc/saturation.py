# SPDX-License-Identifier: Apache-2.0
"""Saturation over water, over ice, and over the mixture that a temperature has (IFS documentation, part
IV, section 7.2)."""

from __future__ import annotations

import sympy
from sympy import Min, exp

from heddle.atmosphere.microphysics.cloudsc.constants import (
    A_I,
    A_W,
    ALL_ICE,
    B_I,
    B_W,
    E0,
    EXCESS,
    LS,
    LV,
    MELTS,
)
from heddle.atmosphere.microphysics.functions import clip, number, only_if
from heddle.model.equations import Equations, multiply


class Temperature:
    """Emits what saturation at T (K) needs: water, the part of water in condensate that is not told apart
    (equation 7.6), and the divisors of Tetens' formula. Pressures are RD/RV times those of vapour (Pa;
    7.4, 7.5)."""

    def __init__(self, cell: Equations, name: str, T: sympy.Expr) -> None:
        self.cell, self.name, self.T = cell, name, T
        self.above = cell.let(f"above_melting_{name}", T - number(MELTS))
        warmth = cell.let(f"warmth_{name}", clip(T, number(ALL_ICE), number(MELTS)) - number(ALL_ICE))
        self.water = cell.let(
            f"water_{name}", Min(1, multiply(number(1 / (MELTS - ALL_ICE) ** 2), warmth, warmth))
        )
        self.to_water = cell.let(f"to_water_{name}", 1 / (T - number(B_W)))
        self.to_ice = cell.let(f"to_ice_{name}", 1 / (T - number(B_I)))

    def over_water(self) -> sympy.Expr:
        """The pressure over water."""
        return number(E0) * exp(multiply(number(A_W), self.above, self.to_water))

    def over_ice(self) -> sympy.Expr:
        """The pressure over ice."""
        return number(E0) * exp(multiply(number(A_I), self.above, self.to_ice))

    def over_mixture(self) -> sympy.Expr:
        """The pressure over the mixture; only what counts is evaluated."""
        liquid = self.water * only_if(self.water > 0, self.over_water())
        return liquid + (1 - self.water) * only_if(self.water < 1, self.over_ice())

    def warming(self) -> sympy.Expr:
        """By 1 kg/kg of vapour that condenses (K)."""
        return self.water * number(LV) + (1 - self.water) * number(LS)

    def ice_steepness(self, weight: float = 1) -> sympy.Expr:
        """d ln e/dT over ice (1/K), or a multiple of it."""
        return multiply(number(A_I * (MELTS - B_I) * weight), self.to_ice, self.to_ice)

    def steepness(self, of_water: float = 1, of_ice: float = 1) -> sympy.Expr:
        """d ln e/dT over the mixture (1/K), whose parts may be weighed."""
        liquid = multiply(number(A_W * (MELTS - B_W) * of_water), self.to_water, self.to_water)
        return self.water * liquid + (1 - self.water) * self.ice_steepness(of_ice)


class Saturated:
    """Emits q, the specific humidity (kg/kg) where the pressure of vapour is e and the reciprocal of that
    of the air per_pressure (1/Pa); and growth, with which dq/dT = q growth d ln e/dT."""

    def __init__(self, cell: Equations, name: str, e: sympy.Expr, per_pressure: sympy.Expr) -> None:
        part = cell.let(f"e_{name}", Min(e * per_pressure, number(0.5)))
        self.growth = cell.let(f"growth_{name}", 1 / (1 - number(EXCESS) * part))
        self.q = cell.let(f"qs_{name}", part * self.growth)


def adjusted(at: Temperature, q: sympy.Expr, per_pressure: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """Emit T (K) and q (kg/kg) after one step of Newton's method towards saturation at constant enthalpy."""
    full = Saturated(at.cell, at.name, at.over_mixture(), per_pressure)
    slope = full.q * full.growth * at.steepness(LV, LS)
    condensed = at.cell.let(f"condensed_{at.name}", (q - full.q) / (1 + slope))
    return at.T + at.warming() * condensed, q - condensed
