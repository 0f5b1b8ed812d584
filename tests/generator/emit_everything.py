# SPDX-License-Identifier: Apache-2.0
"""Print a digest of every file of a set of models: run in other processes to see whether the bytes agree."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import sympy
from heddle import Module, Schedule, Sparse, lbm
from heddle.build import files
from models import column, random_model, reduction


def main() -> None:
    """One line a file; the first says which SymPy made them."""
    print("SymPy", sympy.__version__)
    modules: list[tuple[Module, tuple[str, ...]]] = []
    stencils = Module("stencils", precisions=("f32",))
    for seed in range(10):
        stencils.add(f"k{seed}", random_model(seed), schedule=Schedule(fma=bool(seed % 2)))
    stencils.add("thomas", column(3, 2))
    modules.append((stencils, ("cpu", "cuda")))
    reduced = Module("reduced", precisions=("f16",))
    reduced.add("norms", reduction())
    modules.append((reduced, ("reference", "cpu")))
    lattice = lbm.Lattice("D3Q19")
    flow = Module("flow", precisions=("f64",))
    stream = lbm.AA(lattice)
    flow.add("step", stream(lbm.TRT(lattice, "omega", force=("g_x", "g_y", 0))), space=Sparse("fluid"))
    flow.add(
        "wall", stream.boundary(lbm.VelocityBounceBack(("u", "v", 0))), space=Sparse("wall", listed=True)
    )
    modules.append((flow, ("cpu",)))
    for module, targets in modules:
        module.model = Path("model.py")
        for name, text in files(module, targets).items():
            print(hashlib.sha256(text.encode()).hexdigest(), name)
            if sys.argv[1:]:
                path = Path(sys.argv[1]) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)


if __name__ == "__main__":
    main()
