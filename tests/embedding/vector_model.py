# SPDX-License-Identifier: Apache-2.0
"""Kernels for frameworks whose vectors have one axis: growth in each cell; and diffusion over a grid."""

import sympy
from heddle import Assignment, Module, fields

n, n_next = fields("n, n_next: real[1D]")
u, u_next = fields("u, u_next: real[3D]")
rate, alpha = sympy.symbols("rate alpha")

neighbours = u[-1, 0, 0] + u[1, 0, 0] + u[0, -1, 0] + u[0, 1, 0] + u[0, 0, -1] + u[0, 0, 1]

vectors = Module("vectors", precisions=("f64",))
vectors.add("grow", [Assignment(n_next.here, n.here + rate * n.here * (1 - n.here))])
vectors.add("diffuse", [Assignment(u_next.here, u.here + alpha * (neighbours - 6 * u.here))])
