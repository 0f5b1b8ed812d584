# SPDX-License-Identifier: Apache-2.0
"""The kernels that heddle-bench times: D3Q19 BGK, dense, in place and with two arrays; heddle-overlap runs
those in place on ranks."""

from heddle import CacheLines, Module, Schedule, Threads, lbm

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.BGK(d3q19, omega="omega")

d3q19_dense = Module(
    "d3q19_dense",
    precisions=("f64", "f32"),
    about="D3Q19 BGK on a box: AA in place, and pull with two arrays.",
    citation="Bailey et al. 2009 (AA)",
)
d3q19_dense.add(
    "aa",
    lbm.AA(d3q19)(collide),
    schedule=Schedule(fma=True, cpu=CacheLines(4), gpu=Threads(block=(256, 1, 1))),
)
d3q19_dense.add(
    "pull", lbm.Pull(d3q19)(collide), schedule=Schedule(fma=True, cpu=CacheLines(4, nontemporal=True))
)
d3q19_dense.add_halo(kernels=["aa_even", "aa_odd"])
