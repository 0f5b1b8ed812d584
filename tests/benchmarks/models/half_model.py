# SPDX-License-Identifier: Apache-2.0
"""D3Q19 BGK with halves in memory and arithmetic in f32, as heddle-bench times it on a CPU."""

from heddle import Module, Schedule, Strips, lbm

d3q19 = lbm.Lattice("D3Q19")

d3q19_half = Module(
    "d3q19_half",
    precisions=("f16",),
    about="D3Q19 BGK on a box, AA in place.",
    citation="Bailey et al. 2009 (AA)",
)
d3q19_half.add(
    "aa",
    lbm.AA(d3q19)(lbm.BGK(d3q19, omega="omega")),
    schedule=Schedule(fma=True, cpu=Strips(16, prefetch=64)),
)
