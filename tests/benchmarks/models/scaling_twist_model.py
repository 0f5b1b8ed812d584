# SPDX-License-Identifier: Apache-2.0
"""What heddle-scaling runs on lists of several GPUs: D3Q19 BGK in place (EsoTwist), walls full-way."""

from heddle import Module, Schedule, Sparse, Threads, lbm

d3q19 = lbm.Lattice("D3Q19")

d3q19_twist_blocks = Module(
    "d3q19_twist_blocks",
    precisions=("f32",),
    about="D3Q19 BGK on lists of several ranks with three pointers a cell, EsoTwist in place.",
    citation="Geier and Schoenherr 2017 (EsoTwist)",
)
d3q19_twist_blocks.add(
    "step",
    lbm.EsoTwist(d3q19)(lbm.BGK(d3q19)),
    space=Sparse("fluid"),
    schedule=Schedule(fma=True, gpu=Threads(block=(512, 1, 1), rematerialise=True)),
)
d3q19_twist_blocks.add_halo()
