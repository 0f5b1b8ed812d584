# SPDX-License-Identifier: Apache-2.0
"""D3Q19 in place (AA) for blocks of which some are dense and some are lists of cells."""

from heddle import Module, Sparse, lbm
from heddle.ir.schedule import Schedule, Strips, Threads

d3q19 = lbm.Lattice("D3Q19")
aa = lbm.AA(d3q19)
collide = lbm.TRT(d3q19, omega="omega", magic="magic", force=("g_x", 0, 0))

lbm_hybrid = Module(
    "lbm_hybrid", precisions=("f64", "f32", "f16"), about="D3Q19 TRT in place, dense and on lists."
)
lbm_hybrid.add(
    "dense",
    aa(collide),
    schedule=Schedule(cpu=Strips(16), gpu=Threads(block=(32, 8, 1), rematerialise=True)),
)
lbm_hybrid.add(
    "listed",
    aa(collide),
    space=Sparse("fluid"),
    schedule=Schedule(cpu=Strips(16), gpu=Threads(block=(256, 1, 1), rematerialise=True)),
)
lbm_hybrid.add_halo()
