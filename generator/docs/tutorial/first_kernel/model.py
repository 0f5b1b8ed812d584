# SPDX-License-Identifier: Apache-2.0
from heddle import Assignment, Module, fields, parameters

u, u_next = fields("u, u_next: real[2D]")
alpha = parameters("alpha")  # diffusivity * time step / cell size^2

around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]

heat = Module("heat", about="Explicit Euler step of the heat equation.", precisions=("f64",))
heat.add("step", [Assignment(u_next.here, u.here + alpha * (around - 4 * u.here))])
