# SPDX-License-Identifier: Apache-2.0
"""Constants of moist air, which a model may choose: codes and intercomparisons differ in them."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from heddle.model.equations import exact


@dataclass(frozen=True)
class Air:
    """Constants in SI units, as decimals. By default those of the shallow-cumulus intercomparisons.

    gravity: m s-2. gas_dry, gas_vapour: gas constants of dry air and of water vapour, J kg-1 K-1. heat:
    specific heat at constant pressure, J kg-1 K-1. latent: heat of vaporisation, J kg-1. karman: von Karman's
    constant. pressure: at which the potential temperature is the temperature, Pa.
    """

    gravity: float = 9.81
    gas_dry: float = 287.04
    gas_vapour: float = 461.5
    heat: float = 1005.0
    latent: float = 2.5e6
    karman: float = 0.4
    pressure: float = 1e5

    @property
    def molecular_ratio(self) -> float:
        """Mass of a mole of water vapour over that of dry air, Rd/Rv: 0.622."""
        return self.gas_dry / self.gas_vapour

    @property
    def lightness(self) -> float:
        """Rv/Rd - 1, by which vapour makes air lighter: 0.608."""
        return self.gas_vapour / self.gas_dry - 1

    @property
    def warming(self) -> float:
        """Lv/cp: by how much condensation of 1 kg/kg warms air, K."""
        return self.latent / self.heat


def number(value: float) -> sympy.Expr:
    """A decimal number: emitted code has its digits."""
    return exact(value)
