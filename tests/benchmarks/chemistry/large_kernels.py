# SPDX-License-Identifier: Apache-2.0
"""A mechanism of 209 species by Rodas3 on a GPU: a thread per cell, a warp for one, and blocks of warps for
four at once. It is the mechanism of the generator's tests."""

import sys
from pathlib import Path

from heddle import Module, Schedule, Threads, WarpPerCell, chemistry

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "generator" / "chemistry"))

from large import large  # isort: skip

module = Module("large_device", precisions=("f64",))
step = chemistry.Rosenbrock(large(), "Rodas3", dimensions=1).integrate()
for name, gpu in (
    ("thread", Threads(block=(32, 1, 1))),
    ("warp1", WarpPerCell(cells_at_once=1, minimum_blocks=4)),
    ("block2", WarpPerCell(cells_at_once=2, warps=8, cells=16, minimum_blocks=2)),
    ("block4", WarpPerCell(cells_at_once=4, warps=8, cells=32, minimum_blocks=1)),
):
    module.add(name, step, schedule=Schedule(gpu=gpu, math="reproducible"))
