# SPDX-License-Identifier: MIT-0
"""The kernels behind the modules of this folder, which have the interfaces of routines of WRF."""

from heddle import Module, Schedule, Threads
from heddle.atmosphere import advection, longwave, microphysics

same_bits = Schedule(math="reproducible")
wrf_columns = Module("wrf_columns", precisions=("f32", "f64"), about="Routines of WRF on WRF's arrays.")
wrf_columns.add("wsm3", microphysics.WSM3(quirks="wrf").step(), schedule=same_bits)
wrf_columns.add("wsm5", microphysics.WSM5(quirks="wrf").step(), schedule=same_bits)

# As in the original, where a boundary is periodic: the profiles of orders say where it is not.
scheme = advection.Advection(
    limiter="positive-definite",
    boundaries="specified",
    flow=advection.Flow(map_factor="m"),
    quirks="wrf",
)
wrf_columns.add("scale", scheme.scale())
wrf_columns.add("limited_tendency", scheme.limited_tendency())

# On a GPU a block has a thread for each of the 140 g-points.
points = Schedule(math="reproducible", gpu=Threads(block=(160, 1, 1)))
wrf_columns.add("fluxes", longwave.fluxes(), schedule=points)
wrf_columns.add("heating", longwave.heating())
