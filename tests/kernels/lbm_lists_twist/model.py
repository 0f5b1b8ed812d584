# SPDX-License-Identifier: Apache-2.0
"""D3Q19 in place on a list of cells, EsoTwist: walls full-way, half-way by a mask in the kernel, and half-way
by a boundary sweep."""

from heddle import Module, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.TRT(d3q19, omega="omega", magic="magic", force=("g_x", 0, 0))
full, half = lbm.EsoTwist(d3q19), lbm.EsoTwist(d3q19, halfway_mask="walls")

lbm_lists_twist = Module(
    "lbm_lists_twist", precisions=("f64", "f32", "f16"), about="D3Q19 TRT on a list of cells, EsoTwist."
)
lbm_lists_twist.add("full", full(collide), space=Sparse("fluid"))
lbm_lists_twist.add("half", half(collide), space=Sparse("fluid"))
lbm_lists_twist.add("no_slip", full.boundary(lbm.NoSlip(d3q19)), space=Sparse("walls", listed=True))
