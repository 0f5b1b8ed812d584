# SPDX-License-Identifier: Apache-2.0
"""D3Q19 BGK in place, stored in f16, eight cells a CUDA thread, in a box with a moving lid."""

from lanes_model import lanes

d3q19_f16 = lanes("d3q19_f16", "f16", lanes=8)
