# SPDX-License-Identifier: Apache-2.0
"""D3Q19 BGK in place in f64, two cells a CUDA thread, in a box with a moving lid."""

from lanes_model import lanes

d3q19_f64 = lanes("d3q19_f64", "f64", lanes=2)
