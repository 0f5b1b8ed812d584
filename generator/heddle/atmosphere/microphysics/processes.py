# SPDX-License-Identifier: Apache-2.0
"""Formulas of single processes, without their limits (HDC). Nothing here is given a name.

rho: density of the air (kg m-3). f: sqrt(rho_0/rho). T: temperature (K). colder: T0 - T (K). q: mixing ratios
(kg/kg). r, rb, N: of a Slope. r2, r3: powers of r. Rates in 1/s.
"""

from __future__ import annotations

import math

import sympy
from sympy import Abs, Max, Min

from heddle.atmosphere.constants import FREEZING, GAS_CONSTANT_VAPOUR, HEAT_OF_FUSION
from heddle.atmosphere.microphysics.functions import clip, number, power
from heddle.atmosphere.microphysics.wsm_constants import DICON, LARGEST_DIAMETER, N0S, QMIN, WsmConstants
from heddle.model.equations import multiply, square_root


def crystals(rho: sympy.Expr, q: sympy.Expr) -> sympy.Expr:
    """Ni, crystals of ice per m3 (HDC 5c)."""
    root = square_root(rho * Max(q, number(QMIN)))
    # Two roots: SymPy would join them to powers, of which each costs ten times as much.
    many = multiply(number(5.38e7), root, square_root(root))
    return clip(many, sympy.Integer(1000), sympy.Integer(1_000_000))


def size_of_ice(rho: sympy.Expr, q: sympy.Expr, Ni: sympy.Expr, limit: bool) -> sympy.Expr:
    """D, the diameter of a crystal (m). limit: at most LARGEST_DIAMETER."""
    D = number(DICON) * square_root(rho * q / Ni)
    return Min(D, number(LARGEST_DIAMETER)) if limit else D


def speed_of_ice(D: sympy.Expr) -> sympy.Expr:
    """Of a crystal with a diameter D (m), in m/s."""
    return number(1.49e4) * power(D, number(1.31))


def nuclei(colder: sympy.Expr) -> sympy.Expr:
    """Density of the ice (kg m-3) that forms on nuclei where there is none (HDC 7, 8)."""
    return number(4.92e-11 * 1e3**1.33) * sympy.exp(number(0.133) * colder)


def viscosity(T: sympy.Expr, rho: sympy.Expr) -> sympy.Expr:
    """nu, kinematic, of air (m2/s)."""
    return number(1.496e-6) * T * square_root(T) / ((T + 120) * rho)


def diffusivity(T: sympy.Expr, p: sympy.Expr) -> sympy.Expr:
    """D_v, of water vapour in air (m2/s). p: pressure (Pa)."""
    return number(8.794e-5) * power(T, number(1.81)) / p


def resistance(
    T: sympy.Expr, rho: sympy.Expr, heat: sympy.Expr, kappa: sympy.Expr, qs: sympy.Expr, D_v: sympy.Expr
) -> sympy.Expr:
    """AB, of the conduction of heat and the diffusion of vapour. heat: latent (J/kg). kappa: conductivity of
    air (W/(m K)). qs: mixing ratio of saturated vapour (kg/kg)."""
    return rho * heat**2 / (kappa * number(GAS_CONSTANT_VAPOUR) * T**2) + 1 / (qs * D_v)


def ventilation(nu: sympy.Expr, D_v: sympy.Expr, f: sympy.Expr) -> sympy.Expr:
    """V, the factor by which falling helps exchange."""
    return power(nu / D_v, number(0.3333333)) / square_root(nu) * square_root(f)


def autoconversion(q: sympy.Expr, c: WsmConstants) -> sympy.Expr:
    """Of cloud water to rain (HDC 16)."""
    return multiply(number(c.qck1), q, q, sympy.cbrt(q))


def aggregation(q: sympy.Expr, rho: sympy.Expr, delta: sympy.Expr, c: WsmConstants) -> sympy.Expr:
    """Of ice to snow (HDC 12). delta: the step (s)."""
    return Max((q - number(c.roqimax) / rho) / delta, 0)


def collected_by_rain(
    q: sympy.Expr, r3: sympy.Expr, rb: sympy.Expr, f: sympy.Expr, c: WsmConstants
) -> sympy.Expr:
    """Cloud water."""
    return number(c.pacrr) * r3 * rb * q * f


def ice_collected_by_snow(
    q: sympy.Expr, D: sympy.Expr, v_i: sympy.Expr, v_s: sympy.Expr, r: sympy.Expr, r2: sympy.Expr,
    r3: sympy.Expr, N: sympy.Expr, colder: sympy.Expr,
) -> sympy.Expr:  # fmt: skip
    """Ice with crystals of diameter D (m). v_i, v_s: speeds of ice and snow (m/s)."""
    swept = 2 * r3 + 2 * D * r2 + D**2 * r
    efficiency = sympy.exp(number(-0.07) * colder)
    return number(math.pi * N0S / 4) * q * efficiency * N * Abs(v_s - v_i) * swept


def collected_by_snow(
    q: sympy.Expr, r3: sympy.Expr, rb: sympy.Expr, N: sympy.Expr, f: sympy.Expr, c: WsmConstants
) -> sympy.Expr:
    """Cloud water, which freezes to snow or, above T0, becomes rain (Lin, Farley and Orville 1983, 24)."""
    return number(c.pacrc) * N * r3 * rb * q * f


def exchange_of_rain(r2: sympy.Expr, h: sympy.Expr, V: sympy.Expr, c: WsmConstants) -> sympy.Expr:
    """How well rain exchanges vapour with the air (HDC 14). h: r2 sqrt(r rb). V: ventilation."""
    return number(c.precr1) * r2 + number(c.precr2) * V * h


def exchange_of_snow(
    r2: sympy.Expr, h: sympy.Expr, V: sympy.Expr, N: sympy.Expr, c: WsmConstants
) -> sympy.Expr:
    """How well snow exchanges vapour and heat with the air (HDC 14). h: r2 sqrt(r rb). V: ventilation."""
    return N * (number(c.precs1) * r2 + number(c.precs2) * V * h)


def excess(T: sympy.Expr, q: sympy.Expr, qs: sympy.Expr, L: sympy.Expr, cpm: sympy.Expr) -> sympy.Expr:
    """Vapour that condenses until the air, which that warms, is saturated (kg/kg); negative: that it lacks.
    qs: mixing ratio of saturated vapour. L: latent heat (J/kg). cpm: heat capacity (J/(kg K))."""
    warming = L**2 / (number(GAS_CONSTANT_VAPOUR) * cpm)
    return (Max(q, number(QMIN)) - qs) / (1 + warming * qs / T**2)


def melting(T: sympy.Expr, rho: sympy.Expr, kappa: sympy.Expr, exchange: sympy.Expr) -> sympy.Expr:
    """Of snow by heat that the air conducts to it, T > T0 (Rutledge and Hobbs 1983, A25). kappa: conductivity
    of air (W/(m K)). exchange: of snow."""
    warmer = T - number(FREEZING)
    return number(math.pi / 2) * kappa / number(HEAT_OF_FUSION) * warmer * exchange / rho


def freezing(colder: sympy.Expr) -> sympy.Expr:
    """How fast drops freeze at 0 < colder (Bigg 1953), which stops to grow at 50 K below T0."""
    return sympy.exp(number(0.66) * Min(colder, 50)) - 1
