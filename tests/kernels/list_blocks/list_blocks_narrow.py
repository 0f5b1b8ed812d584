# SPDX-License-Identifier: Apache-2.0
"""D3Q19 in place (EsoTwist) on lists of cells, one a rank, in f64 with f32 in messages."""

from heddle import Module, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")

list_blocks_narrow = Module(
    "list_blocks_narrow", precisions=("f64",), about="D3Q19 on lists, EsoTwist, f32 in messages."
)
list_blocks_narrow.add("step", lbm.EsoTwist(d3q19)(lbm.BGK(d3q19)), space=Sparse("fluid"))
list_blocks_narrow.add_halo(message_precision="f32")
