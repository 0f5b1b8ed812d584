# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np

kernels = heddle.load(Path(__file__).with_name("model.py"))

# A sine mode is an eigenvector of the five-point Laplacian, with this eigenvalue. p is 0 in the ghost cells.
n = 63
h = np.pi / (n + 1)
wave = np.sin(h * np.arange(1, n + 1))
eigenvalue = -8 * np.sin(h / 2) ** 2
solution = np.outer(wave, wave)


def residuals(omega: float, sweeps: int) -> tuple[np.ndarray, list[float]]:
    """The field after so many sweeps from 0, and the largest residual after each."""
    p, source = np.zeros((2, n + 2, n + 2))
    source[1:-1, 1:-1] = eigenvalue * solution
    largest = []
    for _ in range(sweeps):
        kernels.sweep(p=p, source=source, omega=omega, ghosts=1)
        largest.append(kernels.check(p=p, source=source, ghosts=1)["largest"])
    return p[1:-1, 1:-1], largest


# Young 1954: with omega = 1 a sweep shrinks the error of this mode by cos^2 h.
_, slow = residuals(1.0, 101)
factor = (slow[100] / slow[0]) ** (1 / 100)
print(f"omega 1: a sweep leaves {factor:.9f}, expected {np.cos(h) ** 2:.9f}")
assert abs(factor - np.cos(h) ** 2) < 1e-9

# With the best omega, by about omega - 1.
best = 2 / (1 + np.sin(h))
p, fast = residuals(best, 300)
print(f"omega {best:.3f}: the residual is {fast[-1]:.1e} after 300 sweeps; omega 1: {slow[-1]:.1e} after 101")
assert fast[-1] < 1e-11
assert abs(p - solution).max() < 1e-9
