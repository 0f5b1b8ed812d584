# SPDX-License-Identifier: Apache-2.0
"""Saturation of water vapour over water and ice, with constant heat capacities of all phases.

The equation of Clausius and Clapeyron with a latent heat that is linear in temperature, integrated from the
triple point: e = psat t^xa exp(xb (1 - t)), t = T_t/T, with xa, xb of water, or of ice below T_t.
"""

from __future__ import annotations

import sympy
from sympy import Max, Min, log

from heddle.atmosphere.constants import (
    FREEZING,
    GAS_CONSTANT_VAPOUR,
    HEAT_ICE,
    HEAT_LIQUID,
    HEAT_OF_SUBLIMATION,
    HEAT_OF_VAPORISATION,
    HEAT_VAPOUR,
    MOLECULAR_RATIO,
    SATURATION_PRESSURE,
)
from heddle.atmosphere.microphysics.functions import number, only_if
from heddle.atmosphere.microphysics.wsm_constants import QMIN
from heddle.model.equations import Equations

TRIPLE_POINT = FREEZING + sympy.Rational(1, 100)
"""K."""


def _exponents(heat: sympy.Expr, capacity: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """xa and xb of a phase: its latent heat at the triple point (J/kg), its heat capacity (J/(kg K))."""
    power = -(HEAT_VAPOUR - capacity) / GAS_CONSTANT_VAPOUR
    return power, power + heat / (GAS_CONSTANT_VAPOUR * TRIPLE_POINT)


XA, XB = _exponents(HEAT_OF_VAPORISATION, HEAT_LIQUID)
XAI, XBI = _exponents(HEAT_OF_SUBLIMATION, HEAT_ICE)


def saturation(cell: Equations, T: sympy.Expr, p: sympy.Expr, ice: bool, suffix: str = "") -> sympy.Expr:
    """Emit the mixing ratio of saturated vapour (kg/kg), at temperature T (K) and pressure p (Pa).

    ice: over ice below the triple point, else over water at all temperatures. suffix: of the names.
    """
    t = cell.let(f"t{suffix}", number(TRIPLE_POINT) / T)
    xa, xb = number(XA), number(XB)
    if ice:
        frozen = t > 1
        xa = cell.let(f"xa{suffix}", only_if(frozen, number(XAI), xa))
        xb = cell.let(f"xb{suffix}", only_if(frozen, number(XBI), xb))
    deficit = cell.let(f"deficit{suffix}", 1 - t)
    exponent = cell.let(f"exponent{suffix}", xa * log(t) + xb * deficit)
    return _mixing_ratio(cell, exponent, p, suffix)


def saturation_of_both(cell: Equations, T: sympy.Expr, p: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """Emit the mixing ratios of vapour (kg/kg) that is saturated over water, and over ice below the triple
    point, at temperature T (K) and pressure p (Pa). Above it both are the first."""
    t = cell.let("t", number(TRIPLE_POINT) / T)
    deficit, logarithm = cell.let("deficit", 1 - t), cell.let("log_t", log(t))
    water = _mixing_ratio(cell, number(XA) * logarithm + number(XB) * deficit, p, "_w")
    frozen = t > 1
    exponent = cell.let("exponent_i", only_if(frozen, number(XAI) * logarithm + number(XBI) * deficit))
    ice = _mixing_ratio(cell, exponent, p, "_ice")
    return water, cell.let("qs_i", only_if(frozen, ice, water))


def _mixing_ratio(cell: Equations, exponent: sympy.Expr, p: sympy.Expr, suffix: str) -> sympy.Expr:
    """Emit that of vapour whose pressure is e^exponent of that at the triple point."""
    e = cell.let(f"e{suffix}", number(SATURATION_PRESSURE) * sympy.exp(exponent))
    limited = cell.let(f"e_limited{suffix}", Min(e, number(0.99) * p))
    return cell.let(f"qs{suffix}", Max(number(MOLECULAR_RATIO) * limited / (p - limited), number(QMIN)))
