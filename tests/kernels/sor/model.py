# SPDX-License-Identifier: Apache-2.0
"""Relaxation of div grad phi = right around walls: one residual, several methods and layouts."""

from heddle import Module, Schedule, Threads, fields
from heddle.solvers import relaxation

CHESSBOARD = Schedule(colours=2, gpu=Threads(block=(32, 8, 1)))  # rows of a colour are short
MOSTLY_OPEN = Schedule(
    colours=2, gpu=Threads(block=(32, 4, 1), coarsening=2, unit_stride=True), specialise=("open", 63)
)

open_faces = fields("open: uint8[3D]")
cut = fields("cut: real(6)[3D]")
phi, right, phi_next = fields("phi, right, phi_next: real[3D]")
equation = relaxation.poisson(phi, right, openings=open_faces)

sor = Module("sor", precisions=("f64", "f32"), about="Relaxation of div grad phi = right around walls.")
sor.add("sweep", equation.sor(), schedule=CHESSBOARD)
sor.add("check", equation.sor(largest_change="largest"), schedule=CHESSBOARD)
sor.add("jacobi", equation.jacobi(phi_next, omega="omega"))
sor.add("cut", relaxation.poisson(phi, right, coefficients=cut).sor(), schedule=CHESSBOARD)
sor.add("residual", equation.norm("largest"))
sor.add("squares", equation.norm("total", "sum"))

open_faces = fields("open: uint8[3D]", split=True)
phi, right = fields("phi, right: real[3D]", split=True)
equation = relaxation.poisson(phi, right, openings=open_faces)
sor.add("split_sweep", equation.sor(), schedule=MOSTLY_OPEN)
sor.add("split_check", equation.sor(largest_change="largest"), schedule=MOSTLY_OPEN)
