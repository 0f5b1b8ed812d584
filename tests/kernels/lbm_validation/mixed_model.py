# SPDX-License-Identifier: Apache-2.0
"""Moments in memory, density and momentum in f32, the stress in f16 or, beside it, in f32.

The rate 1 of the trace damps sound: with that of the shear a cavity never becomes steady (decision 0102).
Plane periodic flows do without it.
"""

from heddle import Module, Schedule, lbm

d2q9, d3q19 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19")
force, wide = ("g_x", "g_y"), Schedule(chunk=16)
buoyancy = lbm.boussinesq(d2q9, (0, "gravity"), scalar="T")

lbm_validation_mixed = Module(
    "lbm_validation_mixed", precisions=("f32",), about="The regularised collision with moments in memory."
)
add = lbm_validation_mixed.add
for suffix, stored in (("", "half"), ("_f32", "real")):
    plane = lbm.MomentStorage(d2q9, stress_type=stored)
    add("plane" + suffix, plane(lbm.Regularised(d2q9)), schedule=wide)
    space = lbm.MomentStorage(d3q19, stress_type=stored)
    add("space" + suffix, space(lbm.Regularised(d3q19, omega_bulk=1)), schedule=wide)
    walled = lbm.MomentStorage(
        d2q9, stress_type=stored, walls="walls", lid="lid", velocity=("lid_x", "lid_y")
    )
    add("walled" + suffix, walled(lbm.Regularised(d2q9, omega_bulk=1, force=force)), schedule=wide)
    closed = lbm.MomentStorage(d2q9, stress_type=stored, walls="walls")
    add("buoyant" + suffix, closed(lbm.Regularised(d2q9, omega_bulk=1, force=buoyancy)), schedule=wide)
add("velocity", walled.moments(None, "u", force=force))  # of either: it reads no stress
add("buoyant_velocity", closed.moments(None, "u", force=buoyancy))
