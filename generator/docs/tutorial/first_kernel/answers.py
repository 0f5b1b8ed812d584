# SPDX-License-Identifier: Apache-2.0
import heddle
import numpy as np
from heddle import Assignment, KernelError, Module, fields, parameters

u, u_next = fields("u, u_next: real[2D]")
alpha = parameters("alpha")
around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]
diagonal = u[1, 1] + u[1, -1] + u[-1, 1] + u[-1, -1]
answers = Module("heat_answers", precisions=("f64",))
answers.add("five", [Assignment(u_next.here, u.here + alpha * (around - 4 * u.here))])
answers.add("nine", [Assignment(u_next.here, u.here + alpha * (4 * around + diagonal - 20 * u.here) / 6)])
kernels = heddle.load(answers)

# 1. (1, -1) patterns change sign: each step multiplies them by 1 - 8 alpha. Beyond alpha = 1/4 they grow.
chess = (-1.0) ** np.add.outer(np.arange(8), np.arange(8))
after = np.zeros_like(chess)
kernels.five(u=chess, u_next=after, alpha=0.26, ghosts=1)
assert np.allclose(after[1:-1, 1:-1], (1 - 8 * 0.26) * chess[1:-1, 1:-1])
assert abs(1 - 8 * 0.26) > 1


# 2. With eight neighbours and alpha = 1/6 the leading error vanishes: twice the steps, a quarter of it.
def error(kernel, steps: int, n: int = 101) -> float:
    u, u_next = np.zeros((2, n + 2, n + 2))
    u[1 + n // 2, 1 + n // 2] = 1
    for _ in range(steps):
        kernel(u=u, u_next=u_next, alpha=1 / 6, ghosts=1)
        u, u_next = u_next, u
    x = np.arange(n) - n // 2
    square = x**2 + x[:, None] ** 2
    gaussian = np.exp(-square / (4 / 6 * steps)) / (4 / 6 * np.pi * steps)
    return abs(u[1:-1, 1:-1] - gaussian).max() / gaussian.max()


five, nine = (error(kernel, 80) / error(kernel, 160) for kernel in (kernels.five, kernels.nine))
print(f"twice the steps divide the error by {five:.2f} with four neighbours, by {nine:.2f} with eight")
assert abs(five - 2) < 0.1
assert abs(nine - 4) < 0.2

# 3. Cells are computed in parallel, and this one reads what others write.
module = Module("in_place")
module.add("step", [Assignment(u.here, u.here + alpha * (around - 4 * u.here))])
try:
    module.stages("step", "f64", "cpu")
except KernelError as refused:
    message = str(refused)
assert "and writes u[0, 0]: one cell reads an element that another cell writes" in message
