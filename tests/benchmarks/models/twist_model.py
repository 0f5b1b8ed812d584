# SPDX-License-Identifier: Apache-2.0
"""EsoTwist over lists, which heddle-lists times: D3Q19 BGK in place, full-way and half-way walls."""

from heddle import Module, Schedule, Sparse, Threads, lbm

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.BGK(d3q19, omega="omega")

d3q19_twist = Module(
    "d3q19_twist",
    precisions=("f64", "f32", "f16"),
    about="D3Q19 BGK on an index list with three pointers a cell, EsoTwist in place.",
    citation="Geier and Schoenherr 2017 (EsoTwist)",
)
schedule = Schedule(fma=True, gpu=Threads(block=(512, 1, 1), rematerialise=True))
d3q19_twist.add("full", lbm.EsoTwist(d3q19)(collide), space=Sparse("fluid"), schedule=schedule)
half = lbm.EsoTwist(d3q19, halfway_mask="walls")
d3q19_twist.add("half", half(collide), space=Sparse("fluid"), schedule=schedule)
