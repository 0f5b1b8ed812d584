# SPDX-License-Identifier: Apache-2.0
"""The same boundaries with two arrays: over lists, and over the faces of a dense box and bodies in it."""

from heddle import Cells, Field, Module, Sparse, lbm

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.Pull(d2q9, ghost_layers=2)  # quadratic interpolation on a face looks two cells inwards
collide = lbm.TRT(d2q9, magic="magic")
inlet, outlet, wall = (Sparse(name, listed=True) for name in ("inlet", "outlet", "wall"))
turning = [Field(f"speed_{axis}", "real", 0, ghost_layers=0).here for axis in "xy"]  # one an entry

lbm_boundaries_pull = Module(
    "lbm_boundaries_pull", precisions=("f64",), about="Boundaries over lists and faces, two arrays."
)
add = lbm_boundaries_pull.add
add("step", stream(collide), space=Sparse("fluid"))
add("velocity", stream.moments(None, "u"), space=Sparse("fluid"))
fluctuating = lbm.TRT(d2q9, magic="magic", eddy_viscosity=lbm.WALE("constant"))
add("gradients", stream(fluctuating), space=Sparse("fluid"))
add("curl", stream.vorticity("u", "curl"), space=Sparse("fluid"))
add("inlet", stream.boundary(lbm.VelocityBounceBack(("u_in", 0)), normal="w"), space=inlet)
add("outflow", stream.boundary(lbm.Outflow(), normal="e"), space=outlet)
add("convective", stream.boundary(lbm.ConvectiveOutflow("speed"), normal="e"), space=outlet)
add("jump_e", stream.boundary(lbm.PressureJump("jump"), normal="e"), space=outlet)
add("jump_w", stream.boundary(lbm.PressureJump("jump"), normal="w"), space=outlet)
for name, order in (("straight", "linear"), ("curved", "quadratic")):
    condition = lbm.Bouzidi(velocity=turning, order=order)
    add(name, stream.boundary(condition, force="push", torque="couple"), space=wall)

add("dense", stream(collide))
for name, order in (("straight_body", "linear"), ("curved_body", "quadratic")):
    condition = lbm.Bouzidi(velocity=turning, order=order)
    add(name, stream.boundary(condition, cells=True, force="push", torque="couple"), space=Cells("body"))
add("outflow_face", stream.boundary(lbm.Outflow(), face="e"))
add("convective_face", stream.boundary(lbm.ConvectiveOutflow("speed"), face="e"))
add("jump_face", stream.boundary(lbm.PressureJump("jump"), face="e"))
curved = lbm.Bouzidi("d", ("u_x", "u_y"), order="quadratic")
add("curved_face", stream.boundary(curved, face="s", force="push"))
