# SPDX-License-Identifier: Apache-2.0
"""What heddle-overlap runs on ranks that are processors: D3Q19 BGK in place (AA), a box and a list."""

from heddle import Module, Schedule, Sparse, lbm

d3q19 = lbm.Lattice("D3Q19")
step = lbm.AA(d3q19)(lbm.BGK(d3q19, omega="omega"))

d3q19_ranks = Module(
    "d3q19_ranks",
    precisions=("f64", "f32"),
    about="D3Q19 BGK on several ranks, AA in place.",
    citation="Bailey et al. 2009 (AA)",
)
d3q19_ranks.add("dense", step, schedule=Schedule(fma=True, lines_ahead=4))
d3q19_ranks.add("listed", step, space=Sparse("fluid"), schedule=Schedule(fma=True, lines_ahead=4))
d3q19_ranks.add_halo(kernels=["dense_even", "dense_odd"])
d3q19_ranks.add_halo("cells", kernels=["listed_even", "listed_odd"])
