# SPDX-License-Identifier: Apache-2.0
from typing import Any

import heddle
import numpy as np
from heddle import Dense, Module, lbm

d2q9 = lbm.Lattice("D2Q9")
length, width, g_x = 4, 12, 1e-6
force = ("g_x", 0)
between = Dense(walls=("s", "n"))


def channel(name: str, stream: lbm.StreamingPattern, collision: lbm.CollisionOperator) -> Any:
    module = Module(name, precisions=("f64",))
    module.add("step", stream(collision), space=between)
    module.add("moments", stream.moments("rho", "u", force=force), space=between)
    return heddle.load(module)


def profile(kernels: Any, viscosity: float, steps: int = 2_000) -> np.ndarray:
    """The velocity between two walls, over that in the middle of Poiseuille's parabola."""
    numbers = {"omega": 1 / (3 * viscosity + 0.5), "g_x": g_x, "ghosts": 1}
    f, f_next = np.zeros((2, 9, width + 2, length + 2))
    rho, u = np.zeros((width + 2, length + 2)), np.zeros((2, width + 2, length + 2))
    for _ in range(steps):
        heddle.periodic(f, axes="x")
        kernels.step(f=f, f_next=f_next, **numbers)
        f, f_next = f_next, f
    heddle.periodic(f, axes="x")
    kernels.moments(f=f, rho=rho, u=u, g_x=g_x, ghosts=1)
    return u[0, 1:-1, 1] * 8 * viscosity / (g_x * width**2)


y = np.arange(width) + 0.5
poiseuille = 4 * y * (width - y) / width**2

# 1. TRT does not slip. BGK does: by the same velocity everywhere, (16 (3 viscosity)^2 - 3) / 12 in units of
# g / (2 viscosity), for BGK is TRT with magic = (3 viscosity)^2 (Ginzburg and d'Humieres 2003).
trt = channel("trt", lbm.Pull(d2q9), lbm.TRT(d2q9, omega="omega", force=force))
bgk = channel("bgk", lbm.Pull(d2q9), lbm.BGK(d2q9, omega="omega", force=force))
assert abs(profile(trt, 1) - poiseuille).max() < 1e-9
slip = profile(bgk, 1) - poiseuille
print(f"BGK slips by {slip.mean():.6f}, {slip.mean() * width**2 / 4:.6f} in units of g / (2 viscosity)")
assert np.ptp(slip) < 1e-9
assert abs(slip.mean() * width**2 / 4 - (16 * 9 - 3) / 12) < 1e-6

# 2. magic = (3 viscosity)^2 makes TRT the same as BGK.
same = channel("same", lbm.Pull(d2q9), lbm.TRT(d2q9, omega="omega", magic=9, force=force))
assert abs(profile(same, 1) - profile(bgk, 1)).max() < 1e-9

# 3. What is missing is a sine between the walls, which decays like exp(-viscosity (pi / width)^2 t).
missing = [abs(profile(trt, 1 / 6, steps) - poiseuille).max() for steps in (400, 500)]
rate = np.log(missing[0] / missing[1]) / 100
print(f"rate {rate:.5f}, expected {np.pi**2 / width**2 / 6:.5f}")
assert abs(rate / (np.pi**2 / width**2 / 6) - 1) < 0.01
