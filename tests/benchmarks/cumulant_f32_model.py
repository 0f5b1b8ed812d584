# SPDX-License-Identifier: Apache-2.0
"""The D3Q27 cumulant in place in f32, eight cells in a vector, four cells a CUDA thread."""

from heddle import Module, Schedule, lbm

d3q27 = lbm.Lattice("D3Q27")

d3q27_f32 = Module(
    "d3q27_f32",
    precisions=("f32",),
    about="D3Q27 cumulant on interleaved blocks.",
    citation="Geier et al. 2015 (cumulant), Bailey et al. 2009 (AA)",
)
# vector_threads: shifts of 32 bytes, whole sectors, in the odd step
d3q27_f32.add(
    "aa",
    lbm.AA(d3q27)(lbm.Cumulant(d3q27)),
    schedule=Schedule(fma=True, block=(128, 1, 1), lanes=8, vector_threads=2),
)
