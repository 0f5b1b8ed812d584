# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np

kernels = heddle.load(Path(__file__).with_name("model.py"))

n, alpha, steps = 101, 0.15, 150
u, u_next = np.zeros((2, n + 2, n + 2))  # one ghost layer at each side
u[1 + n // 2, 1 + n // 2] = 1.0
for _ in range(steps):
    kernels.step(u=u, u_next=u_next, alpha=alpha, ghosts=1)
    u, u_next = u_next, u

# In the plane the heat kernel is a Gaussian: exp(-r^2 / (4 alpha t)) / (4 pi alpha t).
u = u[1:-1, 1:-1]
x = np.arange(n) - n // 2
square = x**2 + x[:, None] ** 2
gaussian = np.exp(-square / (4 * alpha * steps)) / (4 * np.pi * alpha * steps)
error = abs(u - gaussian).max() / gaussian.max()
variance = (u * x**2).sum()

print(f"heat {u.sum():.9f}, variance {variance:.6f} = 2 alpha t, error {error:.1e} of the peak")
assert abs(u.sum() - 1) < 1e-7
assert abs(variance - 2 * alpha * steps) < 1e-3
assert error < 0.01
