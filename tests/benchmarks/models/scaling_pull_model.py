# SPDX-License-Identifier: Apache-2.0
"""What heddle-scaling runs on lists of several GPUs: D3Q19 BGK, two arrays, compressed table."""

from heddle import CompressedList, Module, Schedule, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")

d3q19_pull_blocks = Module(
    "d3q19_pull_blocks", precisions=("f32", "f16"), about="D3Q19 BGK on lists of several ranks, two arrays."
)
d3q19_pull_blocks.add(
    "step",
    lbm.Pull(d3q19)(lbm.BGK(d3q19)),
    space=Sparse("fluid"),
    schedule=Schedule(fma=True, gpu=CompressedList(block=(128, 1, 1), minimum_blocks=4)),
)
d3q19_pull_blocks.add_halo()
