# SPDX-License-Identifier: Apache-2.0
import heddle
import numpy as np
from heddle import Assignment, Module, Reduce, fields, lbm
from sympy import Ne, Piecewise, Symbol

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.Pull(d2q9)
pore, speed = fields("pore: uint8[2D]; speed: real[2D]")
step = list(stream(lbm.TRT(d2q9, omega=1, force=("g_x", 0))).steps[""])
for i, s in enumerate(step):  # solid cells send back what arrives
    if isinstance(s, Assignment) and getattr(s.target, "field", None) == stream.target:
        back = Symbol(f"f_{d2q9.names[d2q9.opposite(s.target.component)]}")
        step[i] = Assignment(s.target, Piecewise((s.value, Ne(pore.here, 0)), (back, True)))
model = Module("porous_flow", about="Creeping flow between discs: D2Q9, TRT.", precisions=("f64",))
model.add("step", step)
model.add("moments", stream.moments("rho", "u", force=("g_x", 0)))
model.add("discharge", [Reduce("sum", "discharge", fields("u: real(2)[2D]")[0, 0, 0] * pore.here)])

kernels = heddle.load(model)
n, g_x = 128, 1e-6
y, x = np.mgrid[: n + 2, : n + 2] - 1
pore = (np.hypot(x % 64 - 31.5, y % 64 - 31.5) > 12).astype(np.uint8)
f, f_next = (heddle.zeros((9, n, n), "f8", axes="xy") for _ in range(2))
rho, u = np.zeros((n + 2, n + 2)), np.zeros((2, n + 2, n + 2))
for _ in heddle.steps(10_000):
    heddle.periodic(f, axes="xy")
    kernels.step(f=f, f_next=f_next, pore=pore, g_x=g_x, ghosts=1)
    f, f_next = f_next, f
heddle.periodic(f, axes="xy")
kernels.moments(f=f, rho=rho, u=u, g_x=g_x, ghosts=1)
permeability = kernels.discharge(u=u, pore=pore, ghosts=1) / n**2 * (1 / 6) / g_x  # in cells squared
