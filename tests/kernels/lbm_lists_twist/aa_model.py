# SPDX-License-Identifier: Apache-2.0
"""The same method on a list of cells, AA: walls half-way, in the neighbour table."""

from heddle import Module, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.TRT(d3q19, omega="omega", magic="magic", force=("g_x", 0, 0))

lbm_lists_aa = Module("lbm_lists_aa", precisions=("f32",), about="D3Q19 TRT on a list of cells, AA.")
lbm_lists_aa.add("step", lbm.AA(d3q19)(collide), space=Sparse("fluid"))
