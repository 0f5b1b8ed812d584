# SPDX-License-Identifier: Apache-2.0
"""Moments in memory, density and momentum in f32, the stress in f16 or, beside it, in f32.

`sides` and `space_sides` are the cells beside inlets, outlets and bodies, which do the step again.

The rate 1 of the trace damps sound: with that of the shear a cavity never becomes steady (decision 0014).
Plane periodic flows do without it.
"""

from heddle import Cells, Field, Module, Schedule, Strips, lbm

d2q9, d3q19 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19")
force, wide = ("g_x", "g_y"), Schedule(cpu=Strips(16))
buoyancy = lbm.boussinesq(d2q9, (0, "gravity"), scalar="T")
speed = Field("speed", "real", 0, ghost_layers=0).here  # one an entry


def boundaries(*inflow):
    outlet = lbm.PressureAntiBounceBack("density")
    return {"body": lbm.Bouzidi(), "inlet": lbm.VelocityBounceBack(inflow), "outlet": outlet}


lbm_validation_mixed = Module(
    "lbm_validation_mixed", precisions=("f32",), about="The regularised collision with moments in memory."
)
add = lbm_validation_mixed.add
for suffix, stored in (("", "half"), ("_f32", "real")):
    plane = lbm.MomentStorage(d2q9, stress_type=stored)
    add("plane" + suffix, plane(lbm.Regularised(d2q9)), schedule=wide)
    space = lbm.MomentStorage(d3q19, stress_type=stored)
    driven = lbm.Regularised(d3q19, omega_bulk=1, force=("g_x", 0, 0))
    add("space" + suffix, space(driven), schedule=wide)
    beside = space.boundary(driven, boundaries(speed, 0, 0), force="force", of="body")
    add("space_sides" + suffix, beside, space=Cells("sides"))
    walled = lbm.MomentStorage(
        d2q9, stress_type=stored, walls="walls", lid="lid", velocity=("lid_x", "lid_y")
    )
    forced = lbm.Regularised(d2q9, omega_bulk=1, force=force)
    add("walled" + suffix, walled(forced), schedule=wide)
    beside = walled.boundary(forced, boundaries(speed, 0), force="force", of="body")
    add("sides" + suffix, beside, space=Cells("sides"))
    closed = lbm.MomentStorage(d2q9, stress_type=stored, walls="walls")
    add("buoyant" + suffix, closed(lbm.Regularised(d2q9, omega_bulk=1, force=buoyancy)), schedule=wide)
add("velocity", walled.moments(None, "u", force=force))  # of either: it reads no stress
add("buoyant_velocity", closed.moments(None, "u", force=buoyancy))
