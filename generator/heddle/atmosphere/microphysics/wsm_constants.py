# SPDX-License-Identifier: Apache-2.0
"""Constants of the WSM schemes, and what follows from them.

S.-Y. Hong, J. Dudhia and S.-H. Chen, A revised approach to ice microphysical processes for the bulk
parameterization of clouds and precipitation, Mon. Wea. Rev. 132, 103 (2004): HDC.
"""

from __future__ import annotations

import math
from functools import cache

from heddle.atmosphere.constants import DENSITY_SNOW, DENSITY_WATER, REFERENCE_DENSITY
from heddle.errors import KernelError, calling_place

QMIN, QCR = 1e-15, 1e-9
"""Mixing ratios (kg/kg): the smallest that counts for cloud and vapour, and for rain and snow."""
N0R, A_R, B_R, LARGEST_LAMBDA_R = 8e6, 841.9, 0.8, 8e4
"""Of rain: intercept (m-4); coefficient and exponent of the fall speed; largest slope (1/m)."""
N0S, A_S, B_S, LARGEST_LAMBDA_S = 2e6, 11.72, 0.41, 1e5
"""The same of snow."""
ALPHA, LARGEST_N0S = 0.12, 1e11
"""How the intercept of snow grows as it gets colder (1/K), up to which value (m-4)."""
DICON, LARGEST_DIAMETER = 11.9, 5e-4
"""Diameter of an ice crystal over the square root of its mass (m kg-1/2), and the largest one (m)."""

GAMMAS = ("exact", "product")
EULER = 0.577215664901532
"""Euler's constant, with the digits of WRF."""


@cache
def gamma_function(x: float, how: str) -> float:
    """The Gamma function. how: "exact"; or "product", 10 000 factors of Euler's product as WRF has them, one
    after the other, 0.04 to 0.12 % too small for the arguments of the schemes."""
    if how == "exact":
        return math.gamma(x)
    inverse = x * math.exp(EULER * x)
    for i in range(1, 10_001):
        inverse *= (1 + x / i) * math.exp(-x / i)
    return 1 / inverse


def check_gamma(gamma: str) -> None:
    """Raises KernelError for a word that is none of GAMMAS."""
    if gamma not in GAMMAS:
        raise KernelError(
            calling_place(),
            f"gamma={gamma!r} is unknown.",
            'use "exact", or "product" for the truncated product of WRF',
        )


class WsmConstants:
    """What follows from the constants. gamma: one of GAMMAS.

    Raises KernelError for another word.
    """

    def __init__(self, gamma: str) -> None:
        check_gamma(gamma)

        def g(x: float) -> float:
            return gamma_function(x, gamma)

        pi, rho_0 = math.pi, float(REFERENCE_DENSITY)
        self.pvtr = A_R * g(4 + B_R) / 6
        self.pvts = A_S * g(4 + B_S) / 6
        self.C_r = pi * float(DENSITY_WATER) * N0R
        self.C_s = pi * float(DENSITY_SNOW) * N0S
        self.pacrr = pi * N0R * A_R * g(3 + B_R) / 4
        self.precr1 = 2 * pi * N0R * 0.78
        self.precr2 = 2 * pi * N0R * 0.31 * math.sqrt(A_R) * g(2.5 + B_R / 2)
        self.pacrc = pi * N0S * A_S * g(3 + B_S) / 4
        self.precs1 = 4 * N0S * 0.65
        self.precs2 = 4 * N0S * 0.44 * math.sqrt(A_S) * g(2.5 + B_S / 2)
        droplets, radius, viscosity = 3e8, 8e-6, 1.718e-5
        self.bigg = 100 / (float(DENSITY_WATER) * droplets)
        self.bigg_rain = 20 * pi**2 * 100 * N0R * float(DENSITY_WATER)
        self.qc0 = 4 / 3 * pi * float(DENSITY_WATER) * radius**3 * droplets / rho_0
        self.qck1 = 0.104 * 9.8 * 0.55 / (droplets * 1000) ** (1 / 3) / viscosity * rho_0 ** (4 / 3)
        self.roqimax = 2.08e22 * LARGEST_DIAMETER**8
