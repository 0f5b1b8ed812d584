# SPDX-License-Identifier: Apache-2.0
"""Velocity gradients of D2Q9 over lists with EsoTwist, by the numbers of the cells beside; every target."""

from heddle import Module, Sparse, lbm

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.EsoTwist(d2q9, halfway_mask="walls")
collide = lbm.TRT(d2q9, magic="magic", eddy_viscosity=lbm.WALE("constant"))

lbm_twist_gradients = Module(
    "lbm_twist_gradients", precisions=("f64",), about="Velocity gradients over lists, EsoTwist."
)
lbm_twist_gradients.add("step", stream(collide), space=Sparse("fluid"))
lbm_twist_gradients.add("curl", stream.vorticity("u", "curl"), space=Sparse("fluid"))
