# SPDX-License-Identifier: Apache-2.0
"""D3Q19 BGK in place with four cells a CUDA thread: the same cell of four interleaved blocks."""

from heddle import Dense, Interleaved, Schedule, lbm
from heddle.module import Module

d3q19 = lbm.Lattice("D3Q19")
collide = lbm.BGK(d3q19)
vectors = Schedule(gpu=Interleaved(4, block=(128, 1, 1)))

lbm_lanes = Module("lbm_lanes", precisions=("f32", "f16"), about="D3Q19 on four interleaved blocks.")
lbm_lanes.add("aa", lbm.AA(d3q19)(collide), schedule=vectors)
lbm_lanes.add("eso_pull", lbm.EsoPull(d3q19)(collide), schedule=vectors)
lbm_lanes.add("lid", lbm.AA(d3q19).boundary(lbm.VelocityBounceBack(("u_lid", 0, 0)), face="t"))
lbm_lanes.add("floor", lbm.AA(d3q19).boundary(lbm.NoSlip(d3q19), face="b"))
sides = Dense(walls=("w", "e", "s", "n"))
lbm_lanes.add("walled", lbm.AA(d3q19)(collide), sides, vectors)
lbm_lanes.add("walled_lid", lbm.AA(d3q19).boundary(lbm.VelocityBounceBack(("u_lid", 0, 0)), face="t"), sides)
lbm_lanes.add("walled_floor", lbm.AA(d3q19).boundary(lbm.NoSlip(d3q19), face="b"), sides)
box = Dense(walls=("w", "e", "s", "n", "b", "t"))
parts = Schedule(gpu=Interleaved(4, threads_per_vector=2, block=(128, 1, 1), rematerialise=True))
lbm_lanes.add("boxed", lbm.AA(d3q19)(collide), box, parts)
lbm_lanes.add("boxed_lid", lbm.AA(d3q19).boundary(lbm.VelocityBounceBack(("u_lid", 0, 0)), face="t"), box)
for side in sides.walls:
    lbm_lanes.add(f"wall_{side}", lbm.AA(d3q19).boundary(lbm.NoSlip(d3q19), face=side))
lbm_lanes.add_halo(
    kernels=[
        *("aa_even", "aa_odd", "eso_pull_even", "eso_pull_odd"),
        *("walled_even", "walled_odd", "boxed_even", "boxed_odd"),
    ]
)
