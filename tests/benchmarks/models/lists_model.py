# SPDX-License-Identifier: Apache-2.0
"""The kernels on lists with two arrays that heddle-bench times: D3Q19 BGK, pull, compressed table."""

from heddle import CompressedList, Module, Schedule, Sparse, Strips, lbm

d3q19 = lbm.Lattice("D3Q19")

d3q19_lists = Module(
    "d3q19_lists",
    precisions=("f64", "f32", "f16"),
    about="D3Q19 BGK on an index list with a compressed neighbour table, two arrays.",
)
d3q19_lists.add(
    "pull",
    lbm.Pull(d3q19)(lbm.BGK(d3q19, omega="omega")),
    space=Sparse("fluid"),
    schedule=Schedule(
        fma=True, cpu=Strips(16, nontemporal=True), gpu=CompressedList(block=(128, 1, 1), minimum_blocks=4)
    ),
)
