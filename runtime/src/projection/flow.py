# SPDX-License-Identifier: Apache-2.0
"""Projection of velocities and pressures of one precision: divergence into the solver's array, correction."""

from heddle import Module, Schedule, Threads, fields
from heddle.solvers import staggered

grid = staggered.Grid()
right = fields("right: real[3D]", ghost_layers=0)
LEVELS_OF_A_THREAD = Schedule(gpu=Threads(coarsening=4))
"""On a device addresses cost more than arithmetic: four cells share them."""

projection_flow = Module(
    "projection_flow",
    precisions=("f64", "f32"),
    about="Pressure projection on a staggered grid: right-hand side, correction of the velocity.",
    citation="Harlow and Welch 1965; Chorin 1968",
)
projection_flow.add("divergence", grid.divergence_into(right, scale="scale"), schedule=LEVELS_OF_A_THREAD)
projection_flow.add("norms", grid.divergence_norms("largest", "total"))
projection_flow.add("correct", grid.correction("step"), schedule=LEVELS_OF_A_THREAD)
