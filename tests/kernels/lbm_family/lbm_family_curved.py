# SPDX-License-Identifier: Apache-2.0
"""A wall within a link, of second order, with the force and the torque on it, in space."""

from heddle import Module, Rows, Schedule, block_coordinates, lbm

x, y, _ = block_coordinates(3)
d3q15 = lbm.Lattice("D3Q15")
wall = lbm.Bouzidi("distance", order="quadratic")
sweep = lbm.Pull(d3q15, ghost_layers=2).boundary(
    wall, face="b", force="push", torque="couple", arm=(x, y, "height")
)

lbm_family_curved = Module("lbm_family_curved", precisions=("f64",), about="A curved wall in space.")
lbm_family_curved.add("step", sweep, schedule=Schedule(cpu=Rows(parallel=False)))
