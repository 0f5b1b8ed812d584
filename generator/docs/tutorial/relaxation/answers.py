# SPDX-License-Identifier: Apache-2.0
import heddle
import numpy as np
from heddle import Assignment, KernelError, Module, Reduce, Schedule, fields, parameters
from sympy import Abs

p, source = fields("p, source: real[2D]")
omega = parameters("omega")
around = p[1, 0] + p[-1, 0] + p[0, 1] + p[0, -1]
diagonal = p[1, 1] + p[1, -1] + p[-1, 1] + p[-1, -1]
residual = source.here - (around - 4 * p.here)
nine = source.here - (4 * around + diagonal - 20 * p.here) / 6

# 1. Two colours suffice for four neighbours, four for eight.
refused = []
for value, colours in ((residual, 1), (residual, 2), (nine, 2), (nine, 4)):
    module = Module("coloured")
    module.add("sweep", [Assignment(p.here, p.here - omega * value)], schedule=Schedule(colours=colours))
    try:
        module.stages("sweep", "f64", "cpu")
        refused.append(False)
    except KernelError:
        refused.append(True)
assert refused == [True, False, True, False]

poisson = Module("poisson_answers", precisions=("f64", "f32"))
poisson.add("sweep", [Assignment(p.here, p.here - omega / 4 * residual)], schedule=Schedule(colours=2))
poisson.add("check", [Reduce("max", "largest", Abs(residual))])
kernels = heddle.load(poisson)
n = 31
h = np.pi / (n + 1)
wave = np.sin(h * np.arange(1, n + 1))
best = 2 / (1 + np.sin(h))


def residuals(omega: float, sweeps: int, dtype: type = np.float64) -> list[float]:
    p, source = np.zeros((2, n + 2, n + 2), dtype)
    source[1:-1, 1:-1] = -8 * np.sin(h / 2) ** 2 * np.outer(wave, wave)
    largest = []
    for _ in range(sweeps):
        kernels.sweep(p=p, source=source, omega=omega, ghosts=1)
        largest.append(kernels.check(p=p, source=source, ghosts=1))
    return largest


# 2. At the best omega two modes share one eigenvalue and one eigenvector: t (omega - 1)^t grows, then falls.
slow, middle, fast = (residuals(value, 150) for value in (1.0, 1.5, best))
print(f"largest residual at first, and after 150 sweeps: {fast[0]:.1e}, {max(fast):.1e}, {fast[-1]:.1e}")
assert max(fast) > fast[0]
assert max(slow) == slow[0]
assert fast[-1] < middle[-1] < slow[-1]

# 3. f32 has 24 bits: the residual stops at rounding errors of 4 p, which is about 1.
single = residuals(best, 150, np.float32)
print(f"f32 stops at {single[-1]:.1e}")
assert fast[-1] < 1e-10
assert 1e-8 < single[-1] < 4 * 4 * 2**-24 * 4
