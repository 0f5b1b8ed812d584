# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np
from heddle import Assignment, Module, fields

kernels = heddle.load(Path(__file__).with_name("model.py"))
start = np.random.default_rng(2).random((8 + 2, 16 + 2))
cold = -1.0


def advanced(blocks: list[np.ndarray], steps: int) -> list[np.ndarray]:
    following = [np.zeros_like(block) for block in blocks]
    for _ in range(steps):
        for i, u in enumerate(blocks):
            blocks[i - 1][:, -1] = u[:, 1]
            u[:, 0] = blocks[i - 1][:, -2]
        for u, u_next in zip(blocks, following, strict=True):
            u[0], u[-1] = 2 * cold - u[1], u[-2]  # 1. insulated: no difference across the wall
            kernels.step(u=u, u_next=u_next, alpha=0.2, ghosts=1)
        blocks, following = following, blocks
    return blocks


# 1. Nothing leaves through the upper wall, so that all becomes as cold as the lower one.
(whole,) = advanced([start.copy()], 5000)
assert abs(whole[1:-1, 1:-1] - cold).max() < 1e-9

# 2. Three blocks of 7, 1 and 8 columns. The exchange above suffices: a block of one column gives it to both.
three = advanced([start[:, :9].copy(), start[:, 7:10].copy(), start[:, 8:].copy()], 50)
(whole,) = advanced([start.copy()], 50)
assert (np.hstack([block[1:-1, 1:-1] for block in three]) == whole[1:-1, 1:-1]).all()

# 3. Corners are read, too. Columns first, then whole rows with the ghost cells that the columns have filled.
u, u_next = fields("u, u_next: real[2D]")
corners = Module("corners", precisions=("f64",))
corners.add("step", [Assignment(u_next.here, (u[1, 1] + u[1, -1] + u[-1, 1] + u[-1, -1]) / 4)])
kernel = heddle.load(corners).step
u, u_next = start.copy(), np.zeros_like(start)
u[1:-1, 0], u[1:-1, -1] = u[1:-1, -2], u[1:-1, 1]
u[0], u[-1] = u[-2], u[1]
kernel(u=u, u_next=u_next, ghosts=1)
inner = start[1:-1, 1:-1]
mean = sum(np.roll(inner, (i, j), (0, 1)) for i in (-1, 1) for j in (-1, 1)) / 4
assert np.allclose(u_next[1:-1, 1:-1], mean, rtol=1e-15)
print("insulated walls, three blocks and corners are as expected")
