# SPDX-License-Identifier: Apache-2.0
"""Fast Fourier transforms: the butterflies that plans are made of, derived and written as kernels.

`butterfly(r)` is a pass with the discrete Fourier transform of r complex numbers, the special part that is
generated; the plan that leads from pass to pass is ordinary C++ (runtime/src/poisson/fft).
"""

from __future__ import annotations

from heddle.symbolic.butterfly import RADICES, butterfly

__all__ = ["RADICES", "butterfly"]
