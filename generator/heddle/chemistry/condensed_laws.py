# SPDX-License-Identifier: Apache-2.0
"""Rate laws of particles and cloud water: reactions inside them, equilibria, and what passes between them and
the gas. Concentrations of dissolved species are in mol per m3 of air.

Formulas are those of CAMP (M. L. Dawson et al., Geosci. Model Dev. 15, 3663 (2022)) and of its sources, which
each function names. What depends on the particles of a cell is a host value: the mass of their water W (kg
per m3 of air; 1 kg is 1 L), their radius r (m) and number N (m-3). Where W is 0, nothing happens in water.
"""

from __future__ import annotations

import math

import sympy

from heddle.chemistry.quantities import GAS_CONSTANT, TEMPERATURE
from heddle.model.equations import quantity

T = TEMPERATURE
ATMOSPHERE = 101325.0
"""Pa."""
CALORIE = 4.184
"""J."""
_REFERENCE = 298.0
"""K."""


def reversible(A: float, C: float, k_reverse: float) -> tuple[sympy.Expr, sympy.Expr]:
    """Forward A e^{C/T} k_r, and back k_r (MICM's reversible rate constant). C: K."""
    back = quantity(k_reverse)
    return quantity(A) * sympy.exp(quantity(C) / T) * back, back


def aqueous_equilibrium(A: float, C: float, k_reverse: float) -> tuple[sympy.Expr, sympy.Expr]:
    """Forward A e^{C (1/T - 1/298 K)} k_r, and back k_r. C: K."""
    back = quantity(k_reverse)
    return quantity(A) * sympy.exp(quantity(C) * (1 / T - sympy.Float(1 / _REFERENCE))) * back, back


def where_there_is(amount: sympy.Expr, rate: sympy.Expr) -> sympy.Expr:
    """The rate constant, and 0 where the amount is."""
    return sympy.Piecewise((rate, amount > 0), (0, True))


def in_water(rate: sympy.Expr, order: int, water: sympy.Expr) -> sympy.Expr:
    """k W^(1-n): a rate constant in (L mol-1)^(n-1) s-1 of n molecules in water, as one of concentrations per
    m3 of air, whose rate is per m3 of air, too. order: n. water: W, kg m-3."""
    return where_there_is(water, rate if order == 1 else rate * water ** (1 - order))


def accommodation(n_star: float | None) -> sympy.Expr:
    """The part alpha of the molecules that stay where they meet water: alpha/(1 - alpha) = e^{-dG/(R T)},
    dG = dH - T dS, dH = -10 (N* - 1) + 7.53 (N*^{2/3} - 1) - 1 kcal mol-1, dS = -32 (N* - 1) + 9.21
    (N*^{2/3} - 1) - 1.3 cal mol-1 K-1 (B. Ervens et al., J. Geophys. Res. 108, 4426 (2003)). 0.1 where N* is
    not known."""
    if n_star is None:
        return sympy.Float(0.1)
    root = n_star ** (2 / 3) - 1
    enthalpy = (-10 * (n_star - 1) + 7.53 * root - 1.0) * 1e3 * CALORIE
    entropy = (-32 * (n_star - 1) + 9.21 * root - 1.3) * CALORIE
    energy = sympy.Float(enthalpy / GAS_CONSTANT) / T - sympy.Float(entropy / GAS_CONSTANT)
    return 1 / (1 + sympy.exp(energy))


def condensation(
    diffusion: float, molecular_weight: float, alpha: sympy.Expr, radius: sympy.Expr, number: sympy.Expr
) -> sympy.Expr:
    """N 4 pi r D f in s-1, with the correction for small particles of N. A. Fuchs and A. G. Sutugin (1971),
    f = 0.75 alpha (1 + Kn)/(Kn^2 + Kn + 0.283 Kn alpha + 0.75 alpha), Kn = 3 D/(v r), v = sqrt(8 R T/(pi m))
    (R. A. Zaveri et al., J. Geophys. Res. 113, D13204 (2008)). It is 0 where r is.

    diffusion: D of the gas, m2 s-1. molecular_weight: m, kg mol-1.
    """
    path = sympy.Float(3 * diffusion) / sympy.sqrt(
        sympy.Float(8 * GAS_CONSTANT / (math.pi * molecular_weight)) * T
    )
    most = sympy.Float(0.75) * alpha
    below = path**2 + path * radius * (1 + sympy.Float(0.283) * alpha) + most * radius**2
    return sympy.Float(4 * math.pi * diffusion) * number * radius**2 * most * (radius + path) / below


def henry(uptake: sympy.Expr, constant: float, C: float, water: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """What enters water, k_c, and what leaves it, k_c/(H R T W): dissolved and gas are in equilibrium as
    Henry's law says, H = H(298 K) e^{C (1/T - 1/298 K)}. uptake: k_c, s-1. constant: H(298 K), mol L-1 Pa-1.
    C: K."""
    solubility = quantity(constant) * sympy.exp(quantity(C) * (1 / T - sympy.Float(1 / _REFERENCE)))
    leaving = uptake / (solubility * sympy.Float(GAS_CONSTANT) * T * water)
    return where_there_is(water, uptake), where_there_is(water, leaving)


def simpol(
    uptake: sympy.Expr, B: tuple[float, float, float, float], phase: sympy.Expr
) -> tuple[sympy.Expr, sympy.Expr]:
    """What condenses, k_c, and what evaporates, k_c p0/(R T n): over an ideal mixture the pressure is p0
    times the mole fraction, log10(p0/atm) = B1/T + B2 + B3 T + B4 ln T (J. F. Pankow and W. E. Asher, Atmos.
    Chem. Phys. 8, 2773 (2008)). uptake: k_c, s-1. phase: n, all that it holds, mol per m3 of air."""
    decades = quantity(B[0]) / T + quantity(B[1]) + quantity(B[2]) * T + quantity(B[3]) * sympy.log(T)
    pressure = sympy.Float(ATMOSPHERE) * sympy.exp(sympy.Float(math.log(10)) * decades)
    leaving = uptake * pressure / (sympy.Float(GAS_CONSTANT) * T * phase)
    return where_there_is(phase, uptake), where_there_is(phase, leaving)
