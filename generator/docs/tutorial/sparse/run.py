# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np

kernels = heddle.load(Path(__file__).with_name("model.py"))
g_x, viscosity = 1e-6, 1 / 6
parameters = {"omega": 1 / (3 * viscosity + 0.5), "g_x": g_x}


def flow(pore: np.ndarray, steps: int) -> tuple[float, np.ndarray]:
    """After so many steps: the permeability of a mask in cells squared, and the momentum along x."""
    cells = heddle.CellList(pore, kernels, periodic="xy")
    f, f_next = cells.zeros("f8", 9), cells.zeros("f8", 9)
    rho, u = cells.zeros("f8"), cells.zeros("f8", 2)
    for _ in range(steps):
        kernels.step(f=f, f_next=f_next, cells=cells, **parameters)
        f, f_next = f_next, f
    kernels.moments(f=f, rho=rho, u=u, g_x=g_x, cells=cells)
    mean = kernels.discharge(u=u, cells=cells) / pore.size  # Darcy's velocity: over the whole box
    return mean * viscosity / g_x, cells.scatter(rho) * cells.scatter(u)[0]


# A slit of 20 cells in a box of 26: cubic law, permeability = porosity * width^2 / 12, and for half-way
# walls the discrete profile is the parabola in the middle of cells: + 1 / 24 cell squared.
slit = np.zeros((14, 4), bool)
slit[2:12] = True
permeability, _ = flow(slit, 2_000)
cubic = 10 / 14 * (10**2 / 12 + 1 / 24)
print(f"slit: permeability {permeability:.6f}, cubic law {cubic:.6f}")
assert abs(permeability / cubic - 1) < 1e-6

# A square array of cylinders: Sangani and Acrivos (1982) give the drag for small solid fractions c.
n = 32
y, x = np.mgrid[:n, :n]
pore = np.hypot(x - 15.5, y - 15.5) > 6
permeability, momentum = flow(pore, 4_000)
c = 1 - pore.mean()
drag = 4 * np.pi / (-np.log(c) / 2 - 0.738 + c - 0.887 * c**2 + 2.038 * c**3)
print(f"cylinders: {pore.sum()} of {pore.size} cells are in the list")
print(f"cylinders: permeability {permeability:.2f}, Sangani and Acrivos {n**2 / drag:.2f}")
assert abs(permeability * drag / n**2 - 1) < 0.03

# What goes in comes out: the same mass through every column of cells. Solid cells are not a number.
through = np.nansum(momentum, axis=0)
print(f"cylinders: the flux of mass differs between columns by {np.ptp(through) / through.mean():.1e}")
assert np.ptp(through) / through.mean() < 1e-6
