# SPDX-License-Identifier: Apache-2.0
"""D3Q19 in place (EsoPull) on lists of cells, one a rank: walls full-way, and half-way by a mask."""

from heddle import Module, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.BGK(d3q19)

list_blocks_eso_pull = Module(
    "list_blocks_eso_pull", precisions=("f64", "f32", "f16"), about="D3Q19 on lists, EsoPull."
)
list_blocks_eso_pull.add("full", lbm.EsoPull(d3q19)(collide), space=Sparse("fluid"))
list_blocks_eso_pull.add("half", lbm.EsoPull(d3q19, halfway_mask="walls")(collide), space=Sparse("fluid"))
list_blocks_eso_pull.add_halo()
