# SPDX-License-Identifier: Apache-2.0
"""What heddle-scaling runs on lists of several GPUs: D3Q19 BGK in place (AA)."""

from heddle import Module, Schedule, Sparse, Threads, lbm

d3q19 = lbm.Lattice("D3Q19")

d3q19_aa_blocks = Module(
    "d3q19_aa_blocks",
    precisions=("f32",),
    about="D3Q19 BGK on lists of several ranks, AA in place.",
    citation="Bailey et al. 2009 (AA)",
)
d3q19_aa_blocks.add(
    "step",
    lbm.AA(d3q19)(lbm.BGK(d3q19)),
    space=Sparse("fluid"),
    schedule=Schedule(fma=True, gpu=Threads(block=(768, 1, 1), rematerialise=True)),
)
d3q19_aa_blocks.add_halo()
