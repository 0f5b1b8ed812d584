# SPDX-License-Identifier: Apache-2.0
"""What rates depend on: temperature, pressure, the density of air, and values of the host; constants."""

from __future__ import annotations

import sympy

TEMPERATURE = sympy.Symbol("T", real=True)
"""K."""
PRESSURE = sympy.Symbol("P", real=True)
"""Pa."""
AIR = sympy.Symbol("air", real=True)
"""The density of air, P/(R T), in mol m-3: the concentration of a third body."""
STATE = (TEMPERATURE, PRESSURE, AIR)

GAS_CONSTANT = 8.31446261815324
"""J mol-1 K-1 (CODATA 2018, as the two below; exact)."""
BOLTZMANN = 1.380649e-23
"""J K-1."""
AVOGADRO = 6.02214076e23
"""mol-1."""
MOLECULES = AVOGADRO * 1e-6
"""Of 1 mol m-3, in cm-3."""


def air_density() -> sympy.Expr:
    """The value of AIR as an ideal gas."""
    return PRESSURE / (sympy.Float(GAS_CONSTANT) * TEMPERATURE)
