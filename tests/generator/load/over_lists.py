# SPDX-License-Identifier: Apache-2.0
"""Models over lists of cells that the tests of this folder call, and the same steps over the whole box, where
NumPy lets populations bounce back half-way."""

from __future__ import annotations

from typing import Any

import numpy as np
from heddle import Assignment, CompressedList, Module, Reduce, Schedule, Sparse, Strips, fields, lbm

D2Q9, D3Q19 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19")


def plane() -> Module:
    """Two arrays, D2Q9: strips that read runs, a sum, and a moving wall at some cells."""
    stream = lbm.Pull(D2Q9)
    step = stream(lbm.TRT(D2Q9, omega="omega"))
    rho, u = fields("rho: real[2D]; u: real(2)[2D]")
    module = Module("plane", precisions=("f64",))
    lists = Schedule(cpu=Strips(16, nontemporal=True), gpu=CompressedList())
    module.add("step", step, space=Sparse("pores"), schedule=lists)
    module.add("moments", stream.moments("rho", "u"), space=Sparse("pores"))
    module.add("mass", [Reduce("sum", "mass", rho.here)], space=Sparse("pores"))
    module.add("lid", stream.boundary(lbm.VelocityBounceBack(("u_x", 0))), space=Sparse("lid", listed=True))
    weighted = Assignment(rho.here, rho.here + u[0, 0, 1])
    module.add("add", [weighted, Reduce("sum", "there", u[0, 0, 1])], space=Sparse("some", listed=True))
    module.add("dense_step", step)
    return module


def space() -> Module:
    """One array, D3Q19: AA over a list, beside two arrays in the box."""
    stream, reference = lbm.AA(D3Q19), lbm.Pull(D3Q19)
    module = Module("space", precisions=("f64",))
    strips = Schedule(cpu=Strips(16))
    module.add("step", stream(lbm.BGK(D3Q19, omega="omega")), space=Sparse("pores"), schedule=strips)
    module.add("dense_step", reference(lbm.BGK(D3Q19, omega="omega")))
    return module


def at_walls(lattice: lbm.Lattice, f: Any, fluid: Any) -> None:
    """What a pull over the box needs at half-way walls: population q of a solid cell, which one fluid cell
    reads, is the opposite one of that cell. All arrays with ghost cells, x last."""
    axes = tuple(range(fluid.ndim))
    for q, velocity in enumerate(lattice.velocities):
        back = tuple(-c for c in velocity[::-1])  # from the solid cell to the fluid one
        arriving = np.roll(f[lattice.opposite(q)], back, axes)
        reached = ~fluid & np.roll(fluid, back, axes)
        f[q][reached] = arriving[reached]
