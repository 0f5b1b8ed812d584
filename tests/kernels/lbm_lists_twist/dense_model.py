# SPDX-License-Identifier: Apache-2.0
"""The same method and pattern over all cells of a box."""

from heddle import Module, lbm

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.TRT(d3q19, omega="omega", magic="magic", force=("g_x", 0, 0))

lbm_twist_dense = Module(
    "lbm_twist_dense", precisions=("f64", "f32", "f16"), about="D3Q19 TRT in a box, EsoTwist."
)
lbm_twist_dense.add("step", lbm.EsoTwist(d3q19)(collide))
