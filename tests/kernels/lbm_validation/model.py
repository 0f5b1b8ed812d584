# SPDX-License-Identifier: Apache-2.0
"""Plane flows for the validation table: D2Q9 on a list of cells, with every boundary that its cases need."""

from heddle import Field, Module, Schedule, Sparse, Strips, lbm

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.Pull(d2q9)
force = ("g_x", "g_y")
fluid, wide = Sparse("fluid"), Schedule(fma=True, cpu=Strips(16))
speed = [Field(f"speed_{axis}", "real", 0, ghost_layers=0).here for axis in "xy"]  # one an entry of the list
thinning = lbm.PowerLaw(consistency="consistency", exponent="exponent", bounds=("nu_min", "nu_max"))
buoyancy = lbm.boussinesq(d2q9, (0, "gravity"), scalar="T")

lbm_validation = Module(
    "lbm_validation", precisions=("f64", "f32", "f16"), about="Plane flows on a list of cells, two arrays."
)
add = lbm_validation.add
add("trt", stream(lbm.TRT(d2q9, magic="magic", force=force)), space=fluid, schedule=wide)
add("cumulant", stream(lbm.Cumulant(d2q9)), space=fluid, schedule=wide)
add("power_law", stream(lbm.TRT(d2q9, rheology=thinning, force=force)), space=fluid)
add("buoyant", stream(lbm.TRT(d2q9, force=buoyancy)), space=fluid, schedule=wide)
add("velocity", stream.moments(None, "u", force=buoyancy), space=fluid)
add("moving_wall", stream.boundary(lbm.VelocityBounceBack(speed)), space=Sparse("wall", listed=True))
outlet = lbm.PressureAntiBounceBack("density", saved="u")
add("outlet", stream.boundary(outlet), space=Sparse("outlet", listed=True))
add("body", stream.boundary(lbm.Bouzidi(), force="force"), space=Sparse("body", listed=True))
