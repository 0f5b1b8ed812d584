# SPDX-License-Identifier: Apache-2.0
"""The same method on a list of cells, EsoPull: walls full-way, and half-way by a mask."""

from heddle import Module, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.TRT(d3q19, omega="omega", magic="magic", force=("g_x", 0, 0))

lbm_lists_eso_pull = Module(
    "lbm_lists_eso_pull", precisions=("f32",), about="D3Q19 TRT on a list of cells, EsoPull."
)
lbm_lists_eso_pull.add("full", lbm.EsoPull(d3q19)(collide), space=Sparse("fluid"))
lbm_lists_eso_pull.add("half", lbm.EsoPull(d3q19, halfway_mask="walls")(collide), space=Sparse("fluid"))
