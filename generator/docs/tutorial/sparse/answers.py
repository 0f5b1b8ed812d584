# SPDX-License-Identifier: Apache-2.0
from pathlib import Path
from typing import Any

import heddle
import numpy as np
from heddle import Module, Sparse, lbm

model = heddle.load(Path(__file__).with_name("model.py"))
g_x = 1e-6


def velocity(kernels: Any, pore: np.ndarray, viscosity: float, steps: int = 2_000) -> np.ndarray:
    """u_x over the box, 0 in solid cells."""
    cells = heddle.CellList(pore, kernels, periodic="xy")
    f, f_next = cells.zeros("f8", 9), cells.zeros("f8", 9)
    rho, u = cells.zeros("f8"), cells.zeros("f8", 2)
    for _ in range(steps):
        kernels.step(f=f, f_next=f_next, cells=cells, omega=1 / (3 * viscosity + 0.5), g_x=g_x)
        f, f_next = f_next, f
    kernels.moments(f=f, rho=rho, u=u, g_x=g_x, cells=cells)
    return np.nan_to_num(cells.scatter(u)[0])


# 1. A wall across the slit: the force only changes the pressure, nothing flows. What is left alternates from
# column to column and step to step, a mode that the method does not damp; two columns together have none.
slit = np.zeros((10, 6), bool)
slit[2:8] = True
blocked = slit.copy()
blocked[:, 0] = False
open_, shut = velocity(model, slit, 1 / 6), velocity(model, blocked, 1 / 6)
flux = shut.sum(0)
assert abs(flux[1:-1] + flux[2:]).max() < 1e-6 * open_.sum(0).max()

# 2. A cavity without a way out is in the list all the same, and at rest where its walls are near.
cavity = slit.copy()
cavity[0, 2] = True  # a single cell
with_cavity = velocity(model, cavity, 1 / 6)
assert (with_cavity[2:8] == open_[2:8]).all()
assert abs(with_cavity[0, 2]) < 0.2 * open_.max()

# 3. The permeability is a property of the pores: with TRT the viscosity does not change it; with BGK it does.
d2q9 = lbm.Lattice("D2Q9")
stream, pores = lbm.Pull(d2q9), Sparse("pores")
bgk = Module("pores_bgk", precisions=("f64",))
bgk.add("step", stream(lbm.BGK(d2q9, omega="omega", force=("g_x", 0))), space=pores)
bgk.add("moments", stream.moments("rho", "u", force=("g_x", 0)), space=pores)


def change(kernels: Any) -> float:
    """How much ten times the viscosity changes the permeability."""
    low, high = (viscosity * velocity(kernels, slit, viscosity).mean() for viscosity in (0.1, 1))
    return high / low - 1


changes = change(model), change(heddle.load(bgk))
print(f"ten times the viscosity: TRT {changes[0]:.1e}, BGK {changes[1]:.2f}")
assert abs(changes[0]) < 1e-9
assert changes[1] > 0.1
