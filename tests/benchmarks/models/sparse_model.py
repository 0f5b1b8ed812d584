# SPDX-License-Identifier: Apache-2.0
"""The sparse kernels that heddle-bench times: D3Q19 BGK on an index list, in place (AA);
heddle-overlap runs them on ranks."""

from heddle import CacheLines, Module, Schedule, Sparse, Threads, lbm

d3q19 = lbm.Lattice("D3Q19")

d3q19_sparse = Module(
    "d3q19_sparse",
    precisions=("f64", "f32"),
    about="D3Q19 BGK on an index list, AA in place.",
    citation="Bailey et al. 2009 (AA)",
)
step = lbm.AA(d3q19)(lbm.BGK(d3q19, omega="omega"))
d3q19_sparse.add(
    "aa",
    step,
    space=Sparse("fluid"),
    schedule=Schedule(fma=True, cpu=CacheLines(4), gpu=Threads(block=(768, 1, 1), rematerialise=True)),
)
d3q19_sparse.add(  # f64 needs twice the registers
    "aa_wide",
    step,
    space=Sparse("fluid"),
    schedule=Schedule(fma=True, gpu=Threads(block=(512, 1, 1), rematerialise=True)),
)
d3q19_sparse.add_halo(kernels=["aa_even", "aa_odd"])
