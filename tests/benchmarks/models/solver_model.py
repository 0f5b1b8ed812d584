# SPDX-License-Identifier: Apache-2.0
"""What heddle-solvers compares: SOR, multigrid and conjugate gradients for the same equation."""

from heddle import Assignment, AssignmentCollection, Module, Reduce, Schedule, Threads, fields, has_bit
from heddle.solvers import relaxation
from sympy import Abs, Max, Piecewise, symbols

CHESSBOARD = Schedule(
    colours=2, gpu=Threads(block=(32, 4, 1), coarsening=3, unit_stride=True), specialise=("open", 63)
)

solver_bench = Module("solver_bench", about="Solvers of div grad phi = right around walls.")
open_faces = fields("open: uint8[3D]", split=True)
exact, phi, right = fields("exact, phi, right: real[3D]", split=True)
equation = relaxation.poisson(phi, right, openings=open_faces)
solver_bench.add_solver(equation, schedule=CHESSBOARD)
solver_bench.add("sweep", equation.sor(), schedule=CHESSBOARD)
solver_bench.add("check", equation.sor(largest_change="largest"), schedule=CHESSBOARD)

# Largest difference of the velocities on the lower faces of the cells, for s_d = 1 / (2 h_d).
faces, own = symbols("faces own")
errors = []
for axis, scale in enumerate(symbols("s_x s_y s_z")):
    back = tuple(-int(axis == d) for d in range(3))
    step = scale * Abs(own - (phi[back] - exact[back]))
    errors.append(Piecewise((step, has_bit(faces, 2 * axis + 1)), (0, True)))
solver_bench.add(
    "velocity_error",
    AssignmentCollection(
        [
            Assignment(faces, open_faces.here),
            Assignment(own, phi.here - exact.here),
            Reduce("max", "error", Max(*errors)),
        ]
    ),
    schedule=CHESSBOARD,
)
