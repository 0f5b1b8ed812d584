# SPDX-License-Identifier: Apache-2.0
"""What the tile in a box is compared with: walls and a lid by bits a cell, a force, a rate of the trace."""

from heddle import lbm
from heddle.module import Module

lbm_moments_box = Module("lbm_moments_box", precisions=("f32",), about="Moments in memory in a box.")
for name in ("D3Q19", "D3Q27"):
    lattice = lbm.Lattice(name)
    walled = lbm.MomentStorage(lattice, walls="walls", lid="lid", velocity=("lid_x", "lid_y", 0))
    driven = lbm.Regularised(lattice, omega_bulk="omega_bulk", force=("force_x", "force_y", "force_z"))
    lbm_moments_box.add(name[2:].lower(), walled(driven))
