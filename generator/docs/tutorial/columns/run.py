# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np

kernels = heddle.load(Path(__file__).with_name("model.py"))
n, ny, nx = 40, 5, 8  # levels, and a column for each mode
ratio, warming = np.zeros((n, ny, nx)), np.zeros((ny, nx))

# Column m begins with the mode cos(m pi z / depth). Between levels it is an eigenvector, too.
level, mode = np.arange(n), np.arange(ny * nx).reshape(ny, nx)
modes = np.cos(np.pi * (level[:, None, None] + 0.5) * mode / n)
alpha = np.full((n, ny, nx), 25.0)  # 50 times what an explicit step takes
alpha[-1] = 0
theta = modes.copy()
for _ in range(3):
    kernels.diffuse(theta=theta, alpha=alpha, ratio=ratio, warming=warming)
decay = 1 / (1 + 4 * 25 * np.sin(np.pi * mode / (2 * n)) ** 2)
error = abs(theta - decay**3 * modes).max()
print(f"{n} modes, alpha 25: largest error {error:.1e}; mode 1 keeps {decay[0, 1]:.6f} per step")
assert error < 1e-13

# A diffusivity of each face, and ground that warms the air: against a dense solve of each column.
random = np.random.default_rng(1)
alpha[:-1] = 10 ** random.uniform(-3, 3, (n - 1, ny, nx))
warming[:] = random.random((ny, nx))
old = 300 + random.random((n, ny, nx))
theta = old.copy()
kernels.diffuse(theta=theta, alpha=alpha, ratio=ratio, warming=warming)

upper = np.moveaxis(alpha, 0, -1)  # [y, x, z]
matrix = np.zeros((ny, nx, n, n))
matrix[..., level, level] = 1 + upper + np.roll(upper, 1, -1)
matrix[..., level[:-1], level[1:]] = matrix[..., level[1:], level[:-1]] = -upper[..., :-1]
right = np.moveaxis(old, 0, -1).copy()
right[..., 0] += warming
solved = np.moveaxis(np.linalg.solve(matrix, right[..., None])[..., 0], -1, 0)
difference = abs(theta - solved).max() / 300
print(f"{ny * nx} columns: largest difference from NumPy {difference:.1e} of 300 K")
assert difference < 1e-12

# What the ground gives stays in the column.
lost = abs((theta - old).sum(axis=0) - warming).max() / old.sum(axis=0).max()
print(f"heat that is lost: {lost:.1e} of the heat in a column")
assert lost < 1e-12
