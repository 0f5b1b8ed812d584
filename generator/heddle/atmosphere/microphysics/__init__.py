# SPDX-License-Identifier: Apache-2.0
"""Microphysics of clouds and rain: schemes of the Weather Research and Forecasting model as columns.

    module.add("kessler", microphysics.Kessler().step())
    module.add("wsm3", microphysics.WSM3().step())
    module.add("wsm5", microphysics.WSM5().step())

Each scheme is a kernel: a thread or a lane takes a column along z, and several sweeps share its values.
`quirks="wrf"`, of CLOUDSC "ifs", reproduces what the original does against its own intention; by default
that is mended.
"""

from heddle.atmosphere.microphysics.cloudsc import CLOUDSC
from heddle.atmosphere.microphysics.kessler import Kessler
from heddle.atmosphere.microphysics.wsm3 import WSM3
from heddle.atmosphere.microphysics.wsm5 import WSM5

__all__ = ["CLOUDSC", "WSM3", "WSM5", "Kessler"]
