# SPDX-License-Identifier: Apache-2.0
from heddle import Assignment, Module, fields, parameters
from heddle.solvers import staggered

grid = staggered.Grid()  # pressure p in the middle of cells, velocities u, v, w on their lower faces
rates = fields("q_u, q_v, q_w: real[3D]", ghost_layers=0)
step = parameters("step")

flow = Module("vortex", about="Momentum of an incompressible flow, by steps of Euler.", precisions=("f64",))
flow.add(
    "momentum",
    [Assignment(q.here, f) for q, f in zip(rates, grid.momentum("viscosity", (0, 0, 0)), strict=True)],
)
flow.add(
    "advance",
    [Assignment(u.here, u.here + step * q.here) for u, q in zip(grid.faces, rates, strict=True)],
)
