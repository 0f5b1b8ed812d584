# SPDX-License-Identifier: Apache-2.0
"""Momentum of an incompressible flow on a staggered grid, stage by stage of a Runge-Kutta method.

Williamson's scheme of third order (J. Comput. Phys. 35 (1980) 48) keeps one rate of change a velocity:
q <- carry q + step f(u), u <- u + share q. A projection after each stage makes u free of divergence.
"""

from heddle import Assignment, Module, fields, parameters
from heddle.solvers import staggered

grid = staggered.Grid()
rates = fields("q_u, q_v, q_w: real[3D]", ghost_layers=0)
carry, step, share = parameters("carry, step, share")
forces = grid.momentum("viscosity", ("force_x", 0, 0))

pressure_projection = Module(
    "pressure_projection",
    precisions=("f64",),
    about="Incompressible Navier-Stokes on a staggered grid: momentum of a Runge-Kutta stage.",
    citation="Harlow and Welch 1965; Williamson 1980",
)
pressure_projection.add(
    "momentum", [Assignment(q.here, carry * q.here + step * f) for q, f in zip(rates, forces, strict=True)]
)
pressure_projection.add(
    "advance", [Assignment(u.here, u.here + share * q.here) for u, q in zip(grid.faces, rates, strict=True)]
)
