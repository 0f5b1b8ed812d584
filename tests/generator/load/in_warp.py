# SPDX-License-Identifier: Apache-2.0
"""heddle.load with arrays of NVIDIA Warp on a CPU, by DLPack: whole arrays, since Warp does not say of what
memory a view is a part. No test of pytest: Warp's wheel takes 130 MB.

python tests/generator/load/in_warp.py        # with warp-lang and numpy
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import heddle
import numpy as np
from called import step
from heddle import Assignment, KernelError, Module, fields, parameters


def model() -> Module:
    u, u_next = fields("u, u_next: real[2D]")
    alpha = parameters("alpha")
    module = Module("for_warp", precisions=("f64", "f32"))
    around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]
    module.add("step", [Assignment(u_next.here, u.here + alpha * (around - 4 * u.here))])
    return module


def main() -> int:
    warp: Any = importlib.import_module("warp")
    kernels = heddle.load(model())
    whole = np.random.default_rng(1).integers(-9, 9, (34, 66))
    for dtype in ("f8", "f4"):
        values = whole.astype(dtype)
        u = warp.array(values, device="cpu")
        u_next = warp.zeros_like(u)
        place = u_next.ptr
        kernels.step(u=u, u_next=u_next, alpha=2, ghosts=1)
        np.testing.assert_array_equal(u_next.numpy()[1:-1, 1:-1], step(values, 2.0))
        assert u_next.ptr == place
    try:
        kernels.step(u=u, u_next=u, alpha=2, ghosts=1)
    except KernelError as error:
        print(f"refused: {error.what}")
    else:
        raise AssertionError("one array for both was not refused")
    print(f"Warp {warp.__version__}: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
