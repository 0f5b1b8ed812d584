# SPDX-License-Identifier: Apache-2.0
"""The D3Q27 cumulant in place in f64, four cells in a vector, two cells a CUDA thread, in a box with a
moving lid as in lanes_model.py."""

from heddle import Dense, Interleaved, Module, Schedule, lbm

d3q27 = lbm.Lattice("D3Q27")
stream = lbm.AA(d3q27)
box = Dense(walls=("w", "e", "s", "n", "b", "t"))

d3q27_f64 = Module(
    "d3q27_f64",
    precisions=("f64",),
    about="D3Q27 cumulant on interleaved blocks, in a box with a moving lid.",
    citation="Geier et al. 2015 (cumulant), Bailey et al. 2009 (AA)",
)
# vector_threads: shifts of 32 bytes, whole sectors, in the odd step
# renewed addresses: 128 and 138 registers instead of 194 and 192, four and three blocks an SM instead of two
d3q27_f64.add(
    "aa",
    stream(lbm.Cumulant(d3q27)),
    box,
    schedule=Schedule(
        fma=True, gpu=Interleaved(4, threads_per_vector=2, block=(128, 1, 1), rematerialise=True)
    ),
)
d3q27_f64.add("lid", stream.boundary(lbm.VelocityBounceBack(("u_lid", 0, 0)), face="n"), box)
d3q27_f64.add_halo(kernels=["aa_even", "aa_odd"])
