# SPDX-License-Identifier: Apache-2.0
"""D3Q19 on a list of cells with two arrays, push: the same flow, its populations stored where they arrive."""

from heddle import Module, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.TRT(d3q19, omega="omega", magic="magic", force=("g_x", 0, 0))

lbm_lists_push = Module("lbm_lists_push", precisions=("f32",), about="D3Q19 on a list of cells, push.")
lbm_lists_push.add("step", lbm.Push(d3q19)(collide), space=Sparse("fluid"))
