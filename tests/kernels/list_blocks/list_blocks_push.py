# SPDX-License-Identifier: Apache-2.0
"""D3Q19 with two arrays (push) on lists of cells, one a rank."""

from heddle import Module, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")
push = lbm.Push(d3q19)

list_blocks_push = Module("list_blocks_push", precisions=("f64", "f32", "f16"), about="D3Q19 on lists, push.")
list_blocks_push.add("step", push(lbm.BGK(d3q19)), space=Sparse("fluid"))
list_blocks_push.add_halo()
