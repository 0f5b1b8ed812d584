# SPDX-License-Identifier: Apache-2.0
"""The mechanisms of model.py for a GPU: the rounds of a cell shared by a warp, and a thread per cell."""

from heddle import Module, Schedule, Threads, WarpPerCell, chemistry

from model import ozone, robertson  # isort: skip

module = Module("device_reactions", precisions=("f64",))
for name, mechanism, gpu, steps in (
    ("ozone", ozone, WarpPerCell(cells_at_once=4), 10_000),
    ("ozone_two", ozone, WarpPerCell(cells_at_once=2, cells=5), 10_000),
    ("ozone_block", ozone, WarpPerCell(cells_at_once=8, warps=2, cells=16), 10_000),
    ("ozone_thread", ozone, Threads(block=(64, 1, 1)), 10_000),
    ("robertson", robertson, WarpPerCell(cells_at_once=1, cells=3), 10_000),
    ("robertson_block", robertson, WarpPerCell(cells_at_once=16, warps=4, cells=100), 10_000),
    ("hurried", robertson, WarpPerCell(cells_at_once=8, cells=32), 3),
):
    solver = chemistry.Rosenbrock(mechanism, "Rodas3", max_steps=steps)
    module.add(name, solver.integrate(), schedule=Schedule(gpu=gpu, math="reproducible"))
each = chemistry.Rosenbrock(robertson, "Rodas3", tolerance_per_species=True).integrate()
for name, gpu in (("warp", WarpPerCell(cells_at_once=4)), ("thread", Threads(block=(64, 1, 1)))):
    module.add(f"each_{name}", each, schedule=Schedule(gpu=gpu, math="reproducible"))
