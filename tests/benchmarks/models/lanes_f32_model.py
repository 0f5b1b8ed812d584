# SPDX-License-Identifier: Apache-2.0
"""D3Q19 BGK in place in f32, four cells a CUDA thread, in a box with a moving lid."""

from lanes_model import lanes

d3q19_f32 = lanes("d3q19_f32", "f32", lanes=4)
