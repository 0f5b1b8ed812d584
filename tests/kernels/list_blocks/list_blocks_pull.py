# SPDX-License-Identifier: Apache-2.0
"""D3Q19 with two arrays (pull) on lists of cells, one a rank; on a GPU with the compressed table."""

from heddle import CompressedList, Module, Schedule, Sparse, Strips, lbm

d3q19 = lbm.Lattice("D3Q19")
pull = lbm.Pull(d3q19)

list_blocks_pull = Module("list_blocks_pull", precisions=("f64", "f32", "f16"), about="D3Q19 on lists, pull.")
list_blocks_pull.add(
    "step",
    pull(lbm.BGK(d3q19)),
    space=Sparse("fluid"),
    schedule=Schedule(cpu=Strips(16), gpu=CompressedList()),
)
list_blocks_pull.add_halo()
