# SPDX-License-Identifier: Apache-2.0
"""The same with a coefficient for each face, as cut cells and cells of different sizes need it."""

from heddle import Module, fields
from heddle.solvers import relaxation

multigrid_cut = Module("multigrid_cut", precisions=("f64",), about="Conjugate gradients for cut cells.")
phi, right = fields("phi, right: real[3D]")
multigrid_cut.add_solver(relaxation.poisson(phi, right, coefficients=fields("cut: real(6)[3D]")))
