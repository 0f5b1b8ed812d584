# SPDX-License-Identifier: Apache-2.0
"""Fast Fourier transforms: the butterflies of which a plan is made, derived and written as kernels.

`butterfly(r)` is the discrete Fourier transform of r complex numbers, the special part that is generated; the
plan that leads from butterfly to butterfly is ordinary C++ (runtime/poisson).
"""

from __future__ import annotations

from heddle.fft.derive import transform
from heddle.fft.kernels import RADICES, butterfly

__all__ = ["RADICES", "butterfly", "transform"]
