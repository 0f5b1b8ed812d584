# SPDX-License-Identifier: Apache-2.0
"""Physical constants as the Weather Research and Forecasting model (WRF) has them, in SI units.

Source: W. C. Skamarock et al., A description of the Advanced Research WRF model version 4, NCAR technical
note 556 (2019). They are rationals: a kernel rounds each once, to its own precision.
"""

from __future__ import annotations

from sympy import Integer, Rational

GRAVITY = Rational("9.81")
"""Acceleration, m s-2."""
GAS_CONSTANT_DRY = Integer(287)
"""Of dry air, J kg-1 K-1."""
GAS_CONSTANT_VAPOUR = Rational("461.6")
"""Of water vapour, J kg-1 K-1."""
HEAT_DRY = 7 * GAS_CONSTANT_DRY / 2
"""Specific heat of dry air at constant pressure, J kg-1 K-1: 1004.5."""
HEAT_VAPOUR = 4 * GAS_CONSTANT_VAPOUR
"""Specific heat of water vapour at constant pressure, J kg-1 K-1: 1846.4."""
HEAT_LIQUID = Integer(4190)
"""Specific heat of liquid water, J kg-1 K-1."""
HEAT_ICE = Integer(2106)
"""Specific heat of ice, J kg-1 K-1."""
MOLECULAR_RATIO = GAS_CONSTANT_DRY / GAS_CONSTANT_VAPOUR
"""Mass of a mole of water vapour over that of dry air: 0.6217504332755632."""
FREEZING = Rational("273.15")
"""Temperature at which water freezes, K."""
SATURATION_PRESSURE = Rational("610.78")
"""Saturation pressure of water vapour at the triple point, Pa."""
HEAT_OF_VAPORISATION = Integer(2_500_000)
"""At freezing, J kg-1."""
HEAT_OF_SUBLIMATION = Integer(2_850_000)
"""At freezing, J kg-1."""
HEAT_OF_FUSION = Integer(350_000)
"""At freezing, J kg-1."""
REFERENCE_PRESSURE = Integer(100_000)
"""At which the potential temperature is the temperature, Pa."""
REFERENCE_DENSITY = Rational("1.28")
"""Of air near the ground, kg m-3."""
DENSITY_WATER = Integer(1000)
"""kg m-3."""
DENSITY_SNOW = Integer(100)
"""kg m-3."""
