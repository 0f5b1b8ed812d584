# SPDX-License-Identifier: Apache-2.0
"""D3Q19 BGK in a periodic box under different schedules: the same numbers, however the loop is run."""

from heddle import lbm
from heddle.ir.schedule import CacheLines, Rows, Schedule, Strips, Threads
from heddle.module import Module

d3q19 = lbm.Lattice("D3Q19")
pull, aa, collide = lbm.Pull(d3q19), lbm.AA(d3q19), lbm.BGK(d3q19)

lbm_schedules = Module("lbm_schedules", precisions=("f64", "f32"), about="D3Q19 under several schedules.")
lbm_schedules.add("serial", pull(collide), schedule=Schedule(cpu=Rows(simd=False, parallel=False)))
lbm_schedules.add("streamed", pull(collide), schedule=Schedule(cpu=CacheLines(4, nontemporal=True)))
lbm_schedules.add("prefetched", aa(collide), schedule=Schedule(cpu=CacheLines(4)))
lbm_schedules.add("fused", aa(collide), schedule=Schedule(fma=True, gpu=Threads(block=(32, 4, 1))))
lbm_schedules.add(
    "fused_streamed", pull(collide), schedule=Schedule(fma=True, cpu=Strips(48, nontemporal=True))
)
