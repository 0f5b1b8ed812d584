# SPDX-License-Identifier: Apache-2.0
"""Refinement: the defect of a solution in double becomes the right-hand side of a correction in float."""

from heddle import Assignment, Module, Schedule, Threads, fields, parameters
from heddle.solvers import relaxation

CHESSBOARD = Schedule(colours=2, gpu=Threads(block=(32, 8, 1)))  # rows of a colour are short

open_faces = fields("open: uint8[3D]", split=True)
phi = fields("phi: float[3D]", split=True)
solution, source = fields("solution, source: double[3D]", split=True)
right = fields("right: float[3D]", split=True)
equation = relaxation.poisson(solution, source, parameters("c_x, c_y, c_z: double"), openings=open_faces)

sor_refine = Module(
    "sor_refine", precisions=("f64", "f32"), about="Refinement in double by corrections in float."
)
sor_refine.add("defect", equation.defect_into(right, largest="largest"), schedule=CHESSBOARD)
sor_refine.add(
    "correct",
    [Assignment(solution.here, solution.here + phi.here), Assignment(phi.here, 0)],
    schedule=CHESSBOARD,
)
