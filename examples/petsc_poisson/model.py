# SPDX-License-Identifier: Apache-2.0
"""Poisson's equation for PETSc's solvers: the operator, and the kernels of red-black multigrid.

Every face has a coefficient k, area by distance of the cells on both sides; the field of an axis has those of
the lower faces. The operator is positive: a_u = sum over faces of k (own value - neighbour).
"""

import sympy
from heddle import Assignment, Module, fields
from heddle.solvers import relaxation

cut = fields("cut: real(6)[3D]")
phi, right = fields("phi, right: real[3D]")
*k, u, a_u = fields("k_x, k_y, k_z, u, a_u: real[3D]")

flux: sympy.Expr = sympy.Integer(0)
for axis in range(3):
    up = tuple(int(axis == d) for d in range(3))
    down = tuple(-d for d in up)
    flux += k[axis][up] * (u.here - u[up]) + k[axis].here * (u.here - u[down])

petsc_poisson = Module(
    "petsc_poisson", precisions=("f64",), about="Poisson's equation for the solvers of PETSc."
)
petsc_poisson.add("multiply", [Assignment(a_u.here, flux)])
petsc_poisson.add_solver(relaxation.poisson(phi, right, coefficients=cut))
