# SPDX-License-Identifier: Apache-2.0
"""The wave equation on a plane, leapfrog: two fields hold two time levels, each step overwrites the older."""

from heddle import Assignment, Module, fields, parameters

u, u_old = fields("u, u_old: real[2D]")
courant = parameters("courant")  # (wave speed * time step / cell size)^2, at most 1/2

laplacian = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1] - 4 * u[0, 0]

wave = Module("wave", precisions=("f64",))
wave.add("step", [Assignment(u_old[0, 0], 2 * u[0, 0] - u_old[0, 0] + courant * laplacian)])
wave.add_halo()
