# SPDX-License-Identifier: Apache-2.0
"""Numbers of the cloud scheme of the IFS, in SI units, and what follows from them.

Those of air and water are the IFS's (IFS documentation, part IV, chapter 12), which differ in the fourth
digit from those of WRF in `heddle.atmosphere.constants`. Those of the scheme: chapter 7 of the same,
cycle 41.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gamma, pi, sqrt

# Air and water.
G = 9.80665
_GAS = 6.0221367e23 * 1.380658e-23
RD, RV = 1000 * _GAS / 28.9644, 1000 * _GAS / 18.0153
"""Gas constants of dry air and of vapour (J kg-1 K-1)."""
CP = 3.5 * RD
HEAT_V, HEAT_S, HEAT_F = 2.5008e6, 2.8345e6, 2.8345e6 - 2.5008e6
"""Latent heats of vaporisation, sublimation and fusion (J/kg)."""
MELTS = 273.16
"""Temperature at which ice melts (K)."""
LV, LS = HEAT_V / CP, HEAT_S / CP
"""The warming by 1 kg/kg of vapour that becomes water, or ice (K)."""

# Saturation (IFS documentation, part IV, equations 7.4 and 7.5; Tetens' formula).
E0 = 611.21 * RD / RV
EXCESS = RV / RD - 1
A_W, B_W, A_I, B_I = 17.502, 32.19, 22.587, -0.7
"""e = E0 exp(A (T - MELTS)/(T - B)), over water and over ice."""
ALL_ICE = MELTS - 23
"""Below, condensate that is not told apart is ice; it is water above MELTS (K)."""
FREEZES_ALONE = MELTS - 38
"""Below, droplets freeze without nuclei (K)."""
KOOP = 2.583, 0.0048116
"""Supersaturation over ice at which solution droplets freeze: KOOP[0] - KOOP[1] T (Koop et al. 2000)."""
KOOP_TIME = 10800.0
"""In which clouds take up what is supersaturated (s)."""

# Thresholds.
NONE, LEAST, LEAST_COVER = 1e-14, 1e-8, 1e-8
"""Amounts that count as none; the least of a kind of water (kg/kg), and of cloud, that is kept."""
NARROW = 100 * 2.0**-52
"""The least divisor."""

# Clouds (Tiedtke 1993).
EROSION, EROSION_CONVECTIVE = 3e-6, 7.0
"""Rate of mixing with drier air (1/s), and the factor where convection detrains."""
CRITICAL, CRITICAL_FROM = 0.8, 0.8
"""Relative humidity at which clouds begin to form, p/p_s below which it grows to 1 at the ground."""

# Ice that grows from droplets (Rotstayn et al. 2000).
CRYSTAL, TOP_RATE, TOP_DEPTH, CLOUD_TOP = 1e-12, 0.1, 500.0, 0.01
"""Mass of a new crystal (kg); rate at the top of a cloud, how far below it is full (m), cover above a
top."""

# What falls.
SPEEDS = {"i": 0.13, "r": 4.0, "s": 1.0}
"""m/s."""
LEAST_FALL = 0.1
"""The least part of a cell in which precipitation falls."""
DENSITY = 1.0
"""Of air in which the speeds of drops were measured (kg m-3)."""
SNOW_RATE, SNOW_COLD, SNOW_CRITICAL = 1e-3, 0.03, 3e-5
"""Of ice that aggregates: rate (1/s), its exponent (1/K), critical content (kg/kg; Lin, Farley and
Orville 1983)."""
DROPLETS = {"sea": 50.0, "land": 300.0}
"""Per cm3."""
RAINS_FROM = {"sea": 2.5e-4, "land": 5.5e-4}
"""kg/kg."""
AUTO, AUTO_Q, AUTO_N = 1350.0, 2.47, -1.79
ACCRETION, ACCRETION_Q = 67.0, 1.15
"""Rain of droplets, rates and exponents (Khairoutdinov and Kogan 2000, equations 29 and 33)."""
MELT_TIME = 7200.0
"""s."""
WET_BULB = 1329.31, 0.0074615, 0.85e5, 40.637, 275.0
"""A fit of how far the wet bulb lies below T, per kg/kg of missing vapour."""

# Distributions of sizes: N0 = X lambda^P; mass a D^b; speed c D^d.
X_R, P_R, C_R, D_R = 0.22, 2.2, 386.8, 0.67
"""Rain (Abel and Boutle 2012)."""
X_S, A_S, B_S, C_S, D_S = 2e6, 0.069, 2.0, 16.8, 0.527
"""Snow (Houze et al. 1979; Wilson and Ballard 1999)."""
SLOPE_POWER = 1 / (4 - P_R)
_SCHMIDT, _VISCOSITY = 0.6, 1.717e-5
EXCHANGE_R = 2 * pi * X_R
VENTILATED, STILL = (D_R + 5) / 2 - P_R, 2 - P_R
"""Powers of lambda of exchange with and without ventilation."""
DIFFUSION = 5.57e11, 1.03e8, 204.0
"""Conduction of heat and diffusion of vapour: DIFFUSION[0] e - DIFFUSION[1] T e + DIFFUSION[2] T^3 p."""
BIGG_EXPONENT, FREEZES = 0.66, P_R - 7
"""Of drops that freeze, in T (1/K) and lambda (Bigg 1953; Wisner, Orville and Myers 1972)."""
RIMING_POWER = (3 + D_S) / (B_S + 1)
RIMING_EFFICIENCY = 0.3


@dataclass(frozen=True)
class Sizes:
    """What holds a Gamma function. slope: lambda of rain is (slope/(rho q))^SLOPE_POWER. ventilation,
    bigg: of rain that evaporates and freezes. riming, flakes: droplets that snow collects, riming (flakes
    rho q)^RIMING_POWER."""

    slope: float = pi * 1000 * X_R * gamma(4)
    ventilation: float = 0.31 * _SCHMIDT ** (1 / 3) * sqrt(C_R / _VISCOSITY) * gamma((D_R + 5) / 2)
    bigg: float = 20 * pi**2 * 200 * X_R * 1000
    riming: float = pi / 4 * X_S * C_S * gamma(3 + D_S)
    flakes: float = 1 / (A_S * X_S * gamma(B_S + 1))


AS_IN_THE_IFS = Sizes(
    slope=4146.902789847063, ventilation=2143.2299120517614, bigg=8685252.965082133,
    riming=90363515.76351073, flakes=3.6231880115136998e-06,
)  # fmt: skip
"""With the Gamma function of the original, whose error is 1e-7 to 2e-5."""

WETTEST, WETTEST_RAIN = 0.7, 0.8
"""Relative humidity up to which snow evaporates at least, and rain at most."""
KESSLER, KESSLER_FLUX, KESSLER_POWER = 5.44e-4 / G, 5.09e-3, 0.5777
"""Evaporation of a flux (Kessler 1969; Tiedtke 1993, equation 35)."""
