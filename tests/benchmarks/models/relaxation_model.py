# SPDX-License-Identifier: Apache-2.0
"""The relaxations that heddle-bench times: red-black SOR around walls, in both layouts, measured or not."""

from heddle import Module, Schedule, Threads, fields
from heddle.solvers import relaxation

CHESSBOARD = {
    "plain": Schedule(colours=2, gpu=Threads(block=(32, 8, 1))),  # rows of a colour are short
    "split": Schedule(
        colours=2, gpu=Threads(block=(32, 4, 1), coarsening=3, unit_stride=True), specialise=("open", 63)
    ),
}

relaxation_bench = Module(
    "relaxation_bench",
    precisions=("f64", "f32"),
    about="Red-black SOR of div grad phi = right around walls, one byte of openings a cell.",
)
for layout, split in (("plain", False), ("split", True)):
    open_faces = fields("open: uint8[3D]", split=split)
    phi, right = fields("phi, right: real[3D]", split=split)
    equation = relaxation.poisson(phi, right, openings=open_faces)
    relaxation_bench.add(f"{layout}_sweep", equation.sor(), schedule=CHESSBOARD[layout])
    relaxation_bench.add(
        f"{layout}_check", equation.sor(largest_change="largest"), schedule=CHESSBOARD[layout]
    )
