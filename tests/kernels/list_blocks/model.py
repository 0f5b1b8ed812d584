# SPDX-License-Identifier: Apache-2.0
"""D3Q19 in place (AA) on lists of cells, one a rank: what they exchange follows from the table's rows."""

from heddle import Module, Schedule, Sparse, Strips, lbm

d3q19 = lbm.Lattice("D3Q19")
aa = lbm.AA(d3q19)

list_blocks = Module("list_blocks", precisions=("f64", "f32", "f16"), about="D3Q19 in place on lists.")
list_blocks.add("step", aa(lbm.BGK(d3q19)), space=Sparse("fluid"), schedule=Schedule(cpu=Strips(16)))
list_blocks.add_halo()
