# SPDX-License-Identifier: Apache-2.0
"""Carbon Bond 2005 by Rodas3 on a GPU: a thread per cell, and warps that share the rounds of 1, 2 or 4."""

from heddle import Module, Schedule, Threads, WarpPerCell, chemistry

module = Module("cb05_device", precisions=("f64",))
solver = chemistry.Rosenbrock(chemistry.cb05(), "Rodas3", dimensions=1)
step = solver.integrate()
for name, gpu in (
    ("thread", Threads(block=(64, 1, 1))),
    ("warp1", WarpPerCell(cells_at_once=1, minimum_blocks=18)),
    ("warp2", WarpPerCell(cells_at_once=2, minimum_blocks=9)),
    ("warp4", WarpPerCell(cells_at_once=4, minimum_blocks=4)),
):
    module.add(name, step, schedule=Schedule(gpu=gpu, math="reproducible"))
