# SPDX-License-Identifier: Apache-2.0
import heddle
import numpy as np
from heddle import Dense, Module, lbm
from matplotlib import pyplot

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.Pull(d2q9)
walls = Dense(walls=("w", "e", "s", "n"))
model = Module("cavity", about="A square cavity whose lid moves: D2Q9, TRT.", precisions=("f64",))
model.add("step", stream(lbm.TRT(d2q9, omega="omega")), space=walls)
model.add("lid", stream.boundary(lbm.VelocityBounceBack(("u_lid", 0)), face="n"), space=walls)
model.add("moments", stream.moments("rho", "velocity"), space=walls)

kernels = heddle.load(model)
n, reynolds, u_lid = 64, 100, 0.1
omega = 1 / (3 * u_lid * n / reynolds + 0.5)
f, f_next = (heddle.zeros((9, n, n), "f8", axes="xy") for _ in range(2))  # at rest: less their weight
rho, velocity = np.zeros((n + 2, n + 2)), np.zeros((2, n + 2, n + 2))
for _ in heddle.steps(20_000):
    kernels.step(f=f, f_next=f_next, omega=omega, ghosts=1)
    kernels.lid(f=f_next, u_lid=u_lid, ghosts=1)
    f, f_next = f_next, f
kernels.moments(f=f, rho=rho, velocity=velocity, ghosts=1)
centre_line = velocity[0, 1:-1, n // 2 : n // 2 + 2].mean(axis=1) / u_lid

u_x, u_y = velocity[:, 1:-1, 1:-1] / u_lid
pyplot.figure(figsize=(5, 5))
pyplot.streamplot(*np.mgrid[:n, :n][::-1], u_x, u_y, color=np.hypot(u_x, u_y))
pyplot.savefig("cavity.png", bbox_inches="tight")
