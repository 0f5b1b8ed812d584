# SPDX-License-Identifier: Apache-2.0
from heddle import Assignment, Module, fields, parameters
from sympy import symbols

u, v, u_next, v_next = fields("u, v, u_next, v_next: real[2D]")
feed, kill = parameters("feed, kill")
spread_u, spread_v, eaten = symbols("spread_u, spread_v, eaten")


def around(c):
    return c[0, -1] + c[-1, 0] + c[1, 0] + c[0, 1] - 4 * c.here


gray_scott = Module("kokkos_gray_scott", about="Two substances react and diffuse.", precisions=("f64",))
gray_scott.add(
    "step",
    [
        Assignment(spread_u, around(u)),
        Assignment(spread_v, around(v)),
        Assignment(eaten, u.here * v.here**2),
        Assignment(u_next.here, u.here + 0.16 * spread_u - eaten + feed * (1 - u.here)),
        Assignment(v_next.here, v.here + 0.08 * spread_v + eaten - (feed + kill) * v.here),
    ],
)
