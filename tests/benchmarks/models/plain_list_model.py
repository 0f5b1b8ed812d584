# SPDX-License-Identifier: Apache-2.0
"""D3Q19 BGK over a list with a plain neighbour table, pull, which heddle-lists times."""

from heddle import Module, Schedule, Sparse, Threads, lbm

d3q19 = lbm.Lattice("D3Q19")

d3q19_plain_list = Module(
    "d3q19_plain_list",
    precisions=("f64", "f32", "f16"),
    about="D3Q19 BGK on an index list with a plain neighbour table, two arrays.",
)
d3q19_plain_list.add(
    "pull",
    lbm.Pull(d3q19)(lbm.BGK(d3q19, omega="omega")),
    space=Sparse("fluid"),
    schedule=Schedule(fma=True, gpu=Threads(block=(128, 1, 1), minimum_blocks=4)),
)
