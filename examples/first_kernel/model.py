# SPDX-License-Identifier: Apache-2.0
"""The heat equation, one explicit step: a first kernel."""

from heddle import Assignment, Module, fields, parameters

u, u_next = fields("u, u_next: real[2D]")
alpha = parameters("alpha")  # diffusivity * time step / cell size^2, at most 1/4

laplacian = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1] - 4 * u[0, 0]

heat = Module("heat", about="Explicit Euler step of the heat equation on a plane.", precisions=("f64",))
heat.add("step", [Assignment(u_next[0, 0], u[0, 0] + alpha * laplacian)])
