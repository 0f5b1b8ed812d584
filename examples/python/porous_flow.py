# SPDX-License-Identifier: Apache-2.0
import heddle
import numpy as np
from heddle import Module, Reduce, Sparse, fields, lbm
from matplotlib import pyplot

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.Pull(d2q9)
pores = Sparse("pores")
model = Module("porous_flow", about="Creeping flow between discs: D2Q9, TRT.", precisions=("f64",))
model.add("step", stream(lbm.TRT(d2q9, omega=1, force=("g_x", 0))), space=pores)
model.add("moments", stream.moments("rho", "u", force=("g_x", 0)), space=pores)
model.add("discharge", [Reduce("sum", "discharge", fields("u: real(2)[2D]")[0, 0, 0])], space=pores)

kernels = heddle.load(model)
n, g_x = 128, 1e-6
y, x = np.mgrid[:n, :n]
pore = np.hypot(x % 64 - 31.5, y % 64 - 31.5) > 12
cells = heddle.CellList(pore, kernels, periodic="xy")  # beside other cells are walls, half-way
f, f_next = cells.zeros("f8", 9), cells.zeros("f8", 9)
rho, u = cells.zeros("f8"), cells.zeros("f8", 2)
for _ in heddle.steps(10_000):
    kernels.step(f=f, f_next=f_next, g_x=g_x, cells=cells)
    f, f_next = f_next, f
kernels.moments(f=f, rho=rho, u=u, g_x=g_x, cells=cells)
permeability = kernels.discharge(u=u, cells=cells) / n**2 * (1 / 6) / g_x  # in cells squared

pyplot.imshow(cells.scatter(u)[0])
pyplot.savefig("porous_flow.png", bbox_inches="tight")
