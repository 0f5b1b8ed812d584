# SPDX-License-Identifier: Apache-2.0
"""Projection of velocities in double by pressures in float: each round removes what the one before left."""

from heddle import Module, Schedule, Threads, fields, parameters
from heddle.solvers import staggered

grid = staggered.Grid(dtype="double", pressure_dtype="float")
right = fields("right: float[3D]", ghost_layers=0)
lower, upper = fields("lower, upper: float[2D]", ghost_layers=0)
velocity = fields("velocity: double[2D]", ghost_layers=0)
factor = parameters("factor: double")
LEVELS_OF_A_THREAD = Schedule(gpu=Threads(coarsening=4))
"""On a device addresses cost more than arithmetic: four cells share them."""

projection_mixed = Module(
    "projection_mixed",
    precisions=("f64",),
    about="Pressure projection in two precisions: velocities in double, pressures in float.",
)
projection_mixed.add("divergence", grid.divergence_into(right, scale="scale"), schedule=LEVELS_OF_A_THREAD)
projection_mixed.add("correct", grid.correction("step"), schedule=LEVELS_OF_A_THREAD)
projection_mixed.add("face_correct", staggered.face_correction(velocity.here, upper.here, lower.here, factor))
projection_mixed.add("face_open", staggered.face_open(velocity.here, upper.here, factor))
