# SPDX-License-Identifier: Apache-2.0
"""Open, periodic and curved boundaries of D2Q9 over lists of cells, in place (AA), on every target; and the
curved ones of bodies in a dense box."""

from heddle import Cells, Module, Sparse, lbm

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.AA(d2q9)
outlet, wall = Sparse("outlet", listed=True), Sparse("wall", listed=True)

lbm_boundaries = Module("lbm_boundaries", precisions=("f64",), about="Boundaries over lists, in place.")
add = lbm_boundaries.add
add("step", stream(lbm.TRT(d2q9, magic="magic")), space=Sparse("fluid"))
add("outflow", stream.boundary(lbm.Outflow(), normal="e"), space=outlet)
add("convective", stream.boundary(lbm.ConvectiveOutflow("speed"), normal="e"), space=outlet)
add("jump", stream.boundary(lbm.PressureJump("jump"), normal="e"), space=outlet)
curved = lbm.Bouzidi(velocity=("u_x", "u_y"), order="quadratic")
box = lbm.AA(d2q9, ghost_layers=2)  # quadratic interpolation looks two cells inwards
add("dense", box(lbm.TRT(d2q9, magic="magic")))
add("body", box.boundary(curved, cells=True, force="push", torque="couple"), space=Cells("body"))
add("curved", stream.boundary(curved, force="push", torque="couple"), space=wall)
