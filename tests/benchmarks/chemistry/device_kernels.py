# SPDX-License-Identifier: Apache-2.0
"""Carbon Bond 2005 on a GPU. By Rodas3: a thread per cell, a warp for one, and warps that share the rounds of
several. By Ros3: a thread per cell."""

from heddle import Module, Schedule, Threads, WarpPerCell, chemistry

module = Module("cb05_device", precisions=("f64",))
mechanism = chemistry.cb05()
thread = Threads(block=(64, 1, 1))
step = chemistry.Rosenbrock(mechanism, "Rodas3", dimensions=1).integrate()
for name, gpu in (
    ("thread", thread),
    ("warp1", WarpPerCell(cells_at_once=1, minimum_blocks=18)),
    ("block8", WarpPerCell(cells_at_once=8, warps=8, cells=64, minimum_blocks=2)),
    ("block16", WarpPerCell(cells_at_once=16, warps=16, cells=128, minimum_blocks=1)),
    ("block16wide", WarpPerCell(cells_at_once=16, warps=32, cells=128, minimum_blocks=1)),
):
    module.add(name, step, schedule=Schedule(gpu=gpu, math="reproducible"))
ros3 = chemistry.Rosenbrock(mechanism, "Ros3", dimensions=1).integrate()
module.add("thread_ros3", ros3, schedule=Schedule(gpu=thread, math="reproducible"))
