# SPDX-License-Identifier: Apache-2.0
"""A limited stage of advection over blocks: what its kernels read of neighbouring columns is exchanged,
planes too."""

from heddle import Module
from heddle.atmosphere import advection as schemes

advection = Module("advection", precisions=("f64",), about="A limited stage of advection.")
scheme = schemes.Advection(limiter="positive-definite", quirks="wrf")
advection.add("scale", scheme.scale())
advection.add("limited_stage", scheme.limited_stage())
advection.add_halo("scale_halo", ["scale"])
advection.add_halo("limited_halo", ["limited_stage"])
