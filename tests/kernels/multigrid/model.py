# SPDX-License-Identifier: Apache-2.0
"""Multigrid and conjugate gradients for div grad phi = right around walls, with fields split by colour."""

from heddle import Module, fields
from heddle.solvers import relaxation

multigrid = Module(
    "multigrid", about="Multigrid and conjugate gradients for div grad phi = right around walls."
)
phi, right = fields("phi, right: real[3D]", split=True)
open_faces = fields("open: uint8[3D]", split=True)
multigrid.add_solver(relaxation.poisson(phi, right, openings=open_faces))
