# SPDX-License-Identifier: Apache-2.0
"""Boundaries of D2Q9 that look inwards, over lists with EsoTwist: its table has no links to all neighbours,
so that sweeps take the numbers of the cells that they look at."""

from heddle import Module, Sparse, lbm

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.EsoTwist(d2q9, halfway_mask="walls")
outlet, wall = Sparse("outlet", listed=True), Sparse("wall", listed=True)

lbm_boundaries_twist = Module(
    "lbm_boundaries_twist", precisions=("f64",), about="Boundaries over lists, EsoTwist."
)
add = lbm_boundaries_twist.add
add("step", stream(lbm.TRT(d2q9, magic="magic")), space=Sparse("fluid"))
add("outflow", stream.boundary(lbm.Outflow(), normal="e"), space=outlet)
add("jump", stream.boundary(lbm.PressureJump("jump"), normal="e"), space=outlet)
curved = lbm.Bouzidi(velocity=("u_x", "u_y"), order="quadratic")
add("curved", stream.boundary(curved, force="push", normal="s"), space=wall)
