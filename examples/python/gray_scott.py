# SPDX-License-Identifier: Apache-2.0
import heddle
import numpy as np
from heddle import Assignment, Module, fields, parameters
from matplotlib import pyplot

u, v, u_next, v_next = fields("u, v, u_next, v_next: real[2D]")
feed, kill = parameters("feed, kill")
eaten = u.here * v.here**2
spread_u, spread_v = (c[1, 0] + c[-1, 0] + c[0, 1] + c[0, -1] - 4 * c.here for c in (u, v))
du = Assignment(u_next.here, u.here + 0.16 * spread_u - eaten + feed * (1 - u.here))
dv = Assignment(v_next.here, v.here + 0.08 * spread_v + eaten - (feed + kill) * v.here)
model = Module("gray_scott", about="Gray-Scott: two substances react and diffuse.", precisions=("f32",))
model.add("step", [du, dv])

kernels = heddle.load(model)
n = 256
u, u_next = np.ones((2, n + 2, n + 2), np.float32)
v, v_next = np.zeros((2, n + 2, n + 2), np.float32)
spot = slice(n // 2 - 10, n // 2 + 10)
u[spot, spot], v[spot, spot] = 0.5, 0.25
for _ in heddle.steps(10_000):
    heddle.periodic(u, v)
    kernels.step(u=u, v=v, u_next=u_next, v_next=v_next, feed=0.035, kill=0.06, ghosts=1)
    u, u_next, v, v_next = u_next, u, v_next, v

pyplot.imshow(v[1:-1, 1:-1])
pyplot.savefig("gray_scott.png", bbox_inches="tight")
