# SPDX-License-Identifier: Apache-2.0
"""Carbon Bond 2005 by Rodas3 on a GPU: a thread per cell, a warp for one, and warps that share the rounds of
several."""

from heddle import Module, Schedule, Threads, WarpPerCell, chemistry

module = Module("cb05_device", precisions=("f64",))
solver = chemistry.Rosenbrock(chemistry.cb05(), "Rodas3", dimensions=1)
step = solver.integrate()
for name, gpu in (
    ("thread", Threads(block=(64, 1, 1))),
    ("warp1", WarpPerCell(cells_at_once=1, minimum_blocks=18)),
    ("block8", WarpPerCell(cells_at_once=8, warps=8, cells=64, minimum_blocks=2)),
    ("block16", WarpPerCell(cells_at_once=16, warps=16, cells=128, minimum_blocks=1)),
    ("block16wide", WarpPerCell(cells_at_once=16, warps=32, cells=128, minimum_blocks=1)),
):
    module.add(name, step, schedule=Schedule(gpu=gpu, math="reproducible"))
