# SPDX-License-Identifier: Apache-2.0
"""The longwave radiation that heddle-atmosphere times: 140 g-points with tables, as `rtrn` in WRF."""

from heddle import Module, Schedule, Threads
from heddle.atmosphere import longwave

longwave_bench = Module("longwave_bench", precisions=("f32", "f64"), about="Longwave radiation of columns.")
schedule = Schedule(math="reproducible", gpu=Threads(block=(160, 1, 1)))
longwave_bench.add("fluxes", longwave.fluxes(), schedule=schedule)
