# SPDX-License-Identifier: Apache-2.0
"""D3Q19 on a list of cells, in place (AA), with walls; and the same method dense, for comparison."""

from heddle import Module, Sparse, lbm
from heddle.ir.schedule import Schedule, Strips

force = ("g_x", 0, 0)
d3q19 = lbm.Lattice("D3Q19")
aa, pull = lbm.AA(d3q19), lbm.Pull(d3q19)
collide = lbm.TRT(d3q19, omega="omega", magic="magic", force=force)
moving_wall = lbm.VelocityBounceBack(("wall_x", "wall_y", "wall_z"))
pressure = lbm.PressureAntiBounceBack("rho_out", force=force, saved="u")

lbm_sparse = Module("lbm_sparse", precisions=("f64", "f32"), about="D3Q19 TRT on a list of cells and dense.")
lbm_sparse.add("step", aa(collide), space=Sparse("fluid"), schedule=Schedule(cpu=Strips(16)))
lbm_sparse.add("moments", aa.moments("rho", "u", force=force), space=Sparse("fluid"))
lbm_sparse.add("start", aa.initialise("rho", "u"), space=Sparse("fluid"))
lbm_sparse.add("wall", aa.boundary(moving_wall), space=Sparse("wall", listed=True))
lbm_sparse.add("outlet", aa.boundary(pressure), space=Sparse("outlet", listed=True))
lbm_sparse.add("dense", pull(collide))
