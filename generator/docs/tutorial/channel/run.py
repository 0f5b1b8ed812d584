# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np

kernels = heddle.load(Path(__file__).with_name("model.py"))
length, width, g_x = 4, 20, 1e-6
viscosity = 1 / 6
omega = 1 / (3 * viscosity + 0.5)

f, f_next = np.zeros((2, 9, width + 2, length + 2))  # at rest: populations are stored less their weight
rho, u = np.zeros((width + 2, length + 2)), np.zeros((2, width + 2, length + 2))
for _ in range(6_000):
    heddle.periodic(f, axes="x")
    kernels.step(f=f, f_next=f_next, omega=omega, g_x=g_x, ghosts=1)
    f, f_next = f_next, f
heddle.periodic(f, axes="x")
kernels.moments(f=f, rho=rho, u=u, g_x=g_x, ghosts=1)

# Poiseuille: viscosity u'' = -g between walls at y = 0 and y = width.
y = np.arange(width) + 0.5
poiseuille = g_x / (2 * viscosity) * y * (width - y)
error = abs(u[0, 1:-1, 1:-1] - poiseuille[:, None]).max() / poiseuille.max()
print(f"largest error {error:.1e} of the velocity in the middle, {poiseuille.max():.2e}")
assert error < 1e-9
assert abs(u[1, 1:-1, 1:-1]).max() < 1e-15
