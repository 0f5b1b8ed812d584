# SPDX-License-Identifier: Apache-2.0
"""The D3Q27 cumulant in place in f64, four cells in a vector, two cells a CUDA thread."""

from heddle import Module, Schedule, lbm

d3q27 = lbm.Lattice("D3Q27")

d3q27_f64 = Module(
    "d3q27_f64",
    precisions=("f64",),
    about="D3Q27 cumulant on interleaved blocks.",
    citation="Geier et al. 2015 (cumulant), Bailey et al. 2009 (AA)",
)
# vector_threads: shifts of 32 bytes, whole sectors, in the odd step
# renewed addresses: 128 registers instead of 194 in the even step, so four blocks an SM instead of two
d3q27_f64.add(
    "aa",
    lbm.AA(d3q27)(lbm.Cumulant(d3q27)),
    schedule=Schedule(fma=True, block=(128, 1, 1), renew=True, lanes=4, vector_threads=2),
)
