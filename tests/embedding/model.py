# SPDX-License-Identifier: Apache-2.0
"""Two kernels that other programs call: a diffusion step, and one that mixes four components of neighbours.

The callers compare with loops of their own, to the last bit. They use small whole numbers and powers of two,
for which every order of the sums is exact: what is tested is who reads which element, not how it is rounded.
"""

import sympy
from heddle import Assignment, Module, fields

u, u_next = fields("u, u_next: real[3D]")
f, g = fields("f, g: real(4)[3D]")
alpha, beta = sympy.symbols("alpha beta")

neighbours = u[-1, 0, 0] + u[1, 0, 0] + u[0, -1, 0] + u[0, 1, 0] + u[0, 0, -1] + u[0, 0, 1]

embedding = Module("embedding", precisions=("f64", "f32"))
embedding.add("diffuse", [Assignment(u_next.here, u.here + alpha * (neighbours - 6 * u.here))])
embedding.add(
    "mix",
    [
        Assignment(g[0, 0, 0, 0], f[-1, 0, 0, 1] + beta * f[0, 0, 0, 0]),
        Assignment(g[0, 0, 0, 1], f[0, 1, 0, 2] - beta * f[0, 0, 0, 1]),
        Assignment(g[0, 0, 0, 2], f[0, 0, -1, 3] + beta * f[1, 0, 0, 2]),
        Assignment(g[0, 0, 0, 3], f[0, 0, 1, 0] - beta * f[0, -1, 0, 3]),
    ],
)
