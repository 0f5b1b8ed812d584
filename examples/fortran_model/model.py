# SPDX-License-Identifier: Apache-2.0
"""The routine `advance` of the Fortran model in this folder: a step of a scalar that flows and mixes.

    s_next = s - dt/dx (F_x[x+1] - F_x[x] + F_y[y+1] - F_y[y] + F_z[z+1] - F_z[z])
    F = u (s_left + s_right) / 2 - (K_left + K_right) / 2 (s_right - s_left) / dx

u, v, w lie on the lower faces of a cell, K and s in its middle. A statement adds no more than two terms, in
the order of advance_plain.f90: so both round alike.
"""

from heddle import Assignment, Module, fields, parameters
from sympy import Rational, symbols

s, s_next, K = fields("s, s_next, K: real[3D]")
velocity = fields("u, v, w: real[3D]")
dt_dx, half_per_dx = parameters("dt_dx, half_per_dx")

statements = []
for axis, name in enumerate("xyz"):
    for side, shift in (("lower", 0), ("upper", 1)):
        right = [shift * (a == axis) for a in range(3)]
        left = [r - (a == axis) for a, r in enumerate(right)]
        named = [f"{what}_{name}_{side}" for what in ("total", "jump", "mixing", "flux")]
        total, jump, mixing, flux = symbols(named)
        statements += [
            Assignment(total, s[*left] + s[*right]),
            Assignment(jump, s[*right] - s[*left]),
            Assignment(mixing, K[*left] + K[*right]),
            Assignment(flux, Rational(1, 2) * total * velocity[axis][*right] - half_per_dx * jump * mixing),
        ]
    lower, upper, out = symbols(f"flux_{name}_lower flux_{name}_upper out_{name}")
    statements.append(Assignment(out, upper - lower))
out_x, out_y, out_z, out_xy, out = symbols("out_x out_y out_z out_xy out")
statements += [
    Assignment(out_xy, out_x + out_y),
    Assignment(out, out_xy + out_z),
    Assignment(s_next.here, s.here - dt_dx * out),
]

fortran_model = Module("fortran_model", precisions=("f64",), about="A scalar that flows and mixes.")
fortran_model.add("advance", statements)
