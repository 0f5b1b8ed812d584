# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np

kernels = heddle.load(Path(__file__).with_name("model.py"))
n, viscosity, step, steps = 32, 0.1, 0.02, 100
h = 2 * np.pi / n
k = 2 / h * np.sin(np.pi * np.fft.fftfreq(n))  # of differences between neighbours
square = k**2 + k[:, None] ** 2
square[0, 0] = 1


def divergence(u: np.ndarray, w: np.ndarray) -> np.ndarray:
    """In cells of a periodic plane [z, x]; u and w stand on lower faces."""
    return (np.roll(u, -1, 1) - u + np.roll(w, -1, 0) - w) / h


def run(projected: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """u, w and the last pressure after some steps."""
    face, middle = h * np.arange(n), h * (np.arange(n) + 0.5)
    velocity = {name: np.zeros((n + 2, 3, n + 2)) for name in "uvw"}
    rates = {f"q_{name}": np.zeros((n + 2, 3, n + 2)) for name in "uvw"}
    u, w = (velocity[name][1:-1, 1, 1:-1] for name in "uw")  # views
    u[:], w[:] = np.outer(np.cos(middle), np.sin(face)), -np.outer(np.sin(face), np.cos(middle))
    pressure = np.zeros((n, n))
    for _ in range(steps):
        for field in velocity.values():
            heddle.periodic(field)
        per = {"per_x": 1 / h, "per_y": 1 / h, "per_z": 1 / h}
        kernels.momentum(**velocity, **rates, **per, viscosity=viscosity, ghosts=1)
        kernels.advance(**velocity, **rates, step=step, ghosts=1)
        if projected:  # 1. the solver is NumPy's transform
            spectrum = -np.fft.fft2(divergence(u, w) / step) / square
            spectrum[0, 0] = 0
            pressure = np.fft.ifft2(spectrum).real
            u -= step * (pressure - np.roll(pressure, 1, 1)) / h
            w -= step * (pressure - np.roll(pressure, 1, 0)) / h
    return u, w, pressure


# 1. The same decay as in C++.
u, w, pressure = run(projected=True)
decay = (1 - 2 * viscosity * step * (2 * np.sin(h / 2) / h) ** 2) ** steps
expected = decay * np.outer(np.cos(h * (np.arange(n) + 0.5)), np.sin(h * np.arange(n)))
print(f"error {abs(u - expected).max():.1e}, divergence {abs(divergence(u, w)).max():.1e}")
assert abs(u - expected).max() < 1e-12

# 2. The pressure is (cos 2x + cos 2z) / 4 times the square of the amplitude, here of second order.
middle = h * (np.arange(n) + 0.5)
exact = (np.cos(2 * middle) + np.cos(2 * middle)[:, None]) / 4 * decay**2
relative = abs(pressure - exact).max() / abs(exact).max()
print(f"pressure: error {relative:.1e}, h^2 = {h**2:.1e}")
assert relative < h**2

# 3. Without a projection the advection, a gradient, stays in the velocity: divergence grows.
u, w, _ = run(projected=False)
print(f"without projections the divergence is {abs(divergence(u, w)).max():.2f}")
assert abs(divergence(u, w)).max() > 0.1
