# SPDX-License-Identifier: Apache-2.0
"""Moments in memory, density and momentum in f32 and the stress in f16: the mixed column of the table."""

from heddle import Module, Schedule, lbm

d2q9, d3q19 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19")
force = ("g_x", "g_y")

lbm_validation_mixed = Module(
    "lbm_validation_mixed", precisions=("f32",), about="The regularised collision with moments in memory."
)
for name, lattice in (("plane", d2q9), ("space", d3q19)):
    step = lbm.MomentStorage(lattice, stress_type="half")(lbm.Regularised(lattice))
    lbm_validation_mixed.add(name, step, schedule=Schedule(simd=False))
walled = lbm.MomentStorage(d2q9, stress_type="half", walls="walls", lid="lid", velocity=("lid_x", "lid_y"))
lbm_validation_mixed.add("walled", walled(lbm.Regularised(d2q9, force=force)), schedule=Schedule(simd=False))
