# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np
from heddle import KernelError

# 1. From Python the lifted model is a model like others.
model = Path(__file__).with_name("model.py")
kernels = heddle.load(model)
random = np.random.default_rng(4)
q, u, v = random.standard_normal((3, 12 + 2, 20 + 2))
q_new = np.zeros_like(q)
kernels.transport(q=q, u=u, v=v, q_new=q_new, c=0.3, ghosts=1)
inner = np.s_[1:-1, 1:-1]
dx = np.where(u > 0, q - np.roll(q, 1, 1), np.roll(q, -1, 1) - q)
dy = np.where(v > 0, q - np.roll(q, 1, 0), np.roll(q, -1, 0) - q)
assert (q_new[inner] == (q - 0.3 * (u * dx + v * dy))[inner]).all()

# 2. In f32 the same statements: half of the memory, and errors of its rounding.
single = heddle.load(model, precisions=["f32"])
q_single = np.zeros_like(q, np.float32)
values = {name: array.astype(np.float32) for name, array in (("q", q), ("u", u), ("v", v))}
single.transport(**values, q_new=q_single, c=0.3, ghosts=1)
error = abs(q_single[inner] - q_new[inner]).max()
print(f"f32 differs by {error:.1e}")
assert 0 < error < 16 * 2**-24 * abs(q).max() * 4

# 3. The arrays overlap, which the loop would take without a word. A kernel says what is wrong.
try:
    kernels.transport(q=q, u=u, v=v, q_new=q, c=0.3, ghosts=1)
except KernelError as refused:
    print(refused)
    message = str(refused)
assert "overlap" in message or "share" in message
