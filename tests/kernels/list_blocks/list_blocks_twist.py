# SPDX-License-Identifier: Apache-2.0
"""D3Q19 in place (EsoTwist) on lists of cells, one a rank: walls full-way, and half-way by a mask."""

from heddle import Module, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.BGK(d3q19)

list_blocks_twist = Module(
    "list_blocks_twist", precisions=("f64", "f32", "f16"), about="D3Q19 on lists, EsoTwist."
)
list_blocks_twist.add("full", lbm.EsoTwist(d3q19)(collide), space=Sparse("fluid"))
list_blocks_twist.add("half", lbm.EsoTwist(d3q19, halfway_mask="walls")(collide), space=Sparse("fluid"))
list_blocks_twist.add_halo()
