# SPDX-License-Identifier: Apache-2.0
from heddle import Assignment, Module, fields, parameters

u, u_next = fields("u, u_next: real[2D]")
alpha = parameters("alpha")

around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]

torus = Module("torus", about="Heat on a torus, cut into blocks.", precisions=("f64",))
torus.add("step", [Assignment(u_next.here, u.here + alpha * (around - 4 * u.here))])
torus.add_halo()  # which cells blocks exchange, from what the kernels read; and the kernels that pack them
