# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np

kernels = heddle.load(Path(__file__).with_name("model.py"))
n, alpha, cold, hot = 12, 0.2, -1.0, 3.0


def walls(u: np.ndarray) -> None:
    """Half-way between the ghost row and the first row u is that of the wall."""
    u[0] = 2 * cold - u[1]
    u[-1] = 2 * hot - u[-2]


def advanced(blocks: list[np.ndarray], steps: int) -> list[np.ndarray]:
    """Blocks that stand side by side along x; the last one meets the first."""
    following = [np.zeros_like(block) for block in blocks]
    for _ in range(steps):
        for i, u in enumerate(blocks):  # halo exchange: the column next to a block is its neighbour's
            blocks[i - 1][:, -1] = u[:, 1]
            u[:, 0] = blocks[i - 1][:, -2]
        for u, u_next in zip(blocks, following, strict=True):
            walls(u)
            kernels.step(u=u, u_next=u_next, alpha=alpha, ghosts=1)
        blocks, following = following, blocks
    return blocks


# One block, periodic along x: the exchange copies its own columns.
start = np.random.default_rng(1).random((n + 2, 24 + 2))
(whole,) = advanced([start.copy()], 2000)

# Without sources the steady state between two walls is a straight line.
line = cold + (hot - cold) * (np.arange(n) + 0.5) / n
error = abs(whole[1:-1, 1:-1] - line[:, None]).max()
print(f"largest distance from the line {error:.1e}")
assert error < 1e-9

# Two blocks of 10 and 14 columns: the same bits as one.
left, right = start[:, :12].copy(), start[:, 10:].copy()
left, right = advanced([left, right], 2000)
assert (np.hstack([left[1:-1, 1:-1], right[1:-1, 1:-1]]) == whole[1:-1, 1:-1]).all()
print("two blocks have the bits of one")
