# SPDX-License-Identifier: Apache-2.0
from heddle import Assignment, Module, fields, parameters

u, u_next = fields("u, u_next: real[2D]")
alpha = parameters("alpha")

around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]

plate = Module("plate", about="Heat between two walls.", precisions=("f64",))
plate.add("step", [Assignment(u_next.here, u.here + alpha * (around - 4 * u.here))])
