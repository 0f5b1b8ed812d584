# SPDX-License-Identifier: Apache-2.0
"""Saturation over water, over ice, and over the mixture of both that a temperature has (IFS documentation, part IV, 7.2)."""

from __future__ import annotations

import sympy
from sympy import Max, Min, exp

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
from heddle.atmosphere.microphysics.functions import number, only_if
from heddle.model.equations import Equations


def part_of_water(T: sympy.Expr) -> sympy.Expr:
    """Of condensate that is not told apart, at a temperature T (K) (equation 7.6)."""
    warmth = (Max(number(ALL_ICE), Min(number(MELTS), T)) - number(ALL_ICE)) * number(1 / 23)
    return Min(1, warmth**2)


def over_water(T: sympy.Expr) -> sympy.Expr:
    """RD/RV times the pressure of saturated vapour over water (Pa)."""
    return number(E0) * exp(number(A_W) * (T - number(MELTS)) / (T - number(B_W)))


def over_ice(T: sympy.Expr) -> sympy.Expr:
    """The same over ice."""
    return number(E0) * exp(number(A_I) * (T - number(MELTS)) / (T - number(B_I)))


def mixed(T: sympy.Expr, water: sympy.Expr) -> sympy.Expr:
    """The same over the mixture with that part of water. Only what counts is evaluated."""
    return water * only_if(water > 0, over_water(T)) + (1 - water) * only_if(water < 1, over_ice(T))


def warming(water: sympy.Expr) -> sympy.Expr:
    """By 1 kg/kg of vapour that condenses to a mixture with that part of water (K)."""
    return water * number(LV) + (1 - water) * number(LS)


def steepness(T: sympy.Expr, water: sympy.Expr, of_water: float = 1, of_ice: float = 1) -> sympy.Expr:
    """d ln e/dT of the mixture (1/K), whose parts may be weighed."""
    w = number(A_W * (MELTS - B_W) * of_water) / (T - number(B_W)) ** 2
    i = number(A_I * (MELTS - B_I) * of_ice) / (T - number(B_I)) ** 2
    return water * w + (1 - water) * i


class Saturated:
    """Air that is saturated at a pressure p (Pa): q, the specific humidity (kg/kg); growth, what a warmer saturated humidity
    takes: dq/dT = q growth d ln e/dT."""

    def __init__(self, cell: Equations, name: str, e: sympy.Expr, p: sympy.Expr) -> None:
        part = cell.let(f"e_{name}", Min(e / p, number(0.5)))
        self.growth = cell.let(f"growth_{name}", 1 / (1 - number(EXCESS) * part))
        self.q = cell.let(f"qs_{name}", part * self.growth)


def adjusted(
    cell: Equations, T: sympy.Expr, q: sympy.Expr, p: sympy.Expr, name: str
) -> tuple[sympy.Expr, sympy.Expr]:
    """Emit T (K) and q (kg/kg) after one step of Newton's method towards saturation at constant enthalpy."""
    water = cell.let(f"water_{name}", part_of_water(T))
    full = Saturated(cell, name, mixed(T, water), p)
    slope = full.q * full.growth * steepness(T, water, LV, LS)
    condensed = cell.let(f"condensed_{name}", (q - full.q) / (1 + slope))
    return cell.let(f"T_{name}", T + warming(water) * condensed), cell.let(f"q_{name}", q - condensed)
