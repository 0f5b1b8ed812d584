# SPDX-License-Identifier: Apache-2.0
"""The D3Q27 cumulant kernels that heddle-bench times on the CPU: in place and with two arrays."""

from heddle import CacheLines, Module, Schedule, lbm

d3q27 = lbm.Lattice("D3Q27")
collide = lbm.Cumulant(d3q27, omega="omega")

d3q27_dense = Module(
    "d3q27_dense",
    precisions=("f64", "f32"),
    about="D3Q27 cumulants on a box: AA and pull.",
    citation="Geier et al. 2015; Bailey et al. 2009 (AA)",
)
d3q27_dense.add("aa", lbm.AA(d3q27)(collide), schedule=Schedule(fma=True, cpu=CacheLines(4)))
d3q27_dense.add(
    "pull", lbm.Pull(d3q27)(collide), schedule=Schedule(fma=True, cpu=CacheLines(4, nontemporal=True))
)
