# SPDX-License-Identifier: Apache-2.0
"""A limited stage of advection over blocks: what its kernels read of neighbouring columns is exchanged,
planes too."""

from heddle import Module
from heddle.atmosphere import advection as schemes

advection = Module("advection", precisions=("f64",), about="A limited stage of advection.")
scheme = schemes.Advection(limiter="positive-definite", quirks="wrf")
advection.add("scale", scheme.scale())
advection.add("limited_stage", scheme.limited_stage())
# In three kernels, where other blocks send fluxes beyond first order.
advection.add("excess", scheme.excess())
advection.add("scale_stored", scheme.scale(excess="excess"))
advection.add("limited_stored", scheme.limited_stage(excess="excess"))
for kernel in ("excess", "scale_stored", "limited_stored"):
    advection.add_halo(f"{kernel}_halo", [kernel])
advection.add_halo("scale_halo", ["scale"])
advection.add_halo("limited_halo", ["limited_stage"])
