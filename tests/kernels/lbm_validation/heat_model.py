# SPDX-License-Identifier: Apache-2.0
"""The temperature of natural convection: D2Q5 on the list of cells of the flow."""

from heddle import Module, Schedule, Sparse, Strips, lbm

d2q5 = lbm.Lattice("D2Q5")
stream = lbm.Pull(d2q5, "g", "g_next", zero_centred=False)
fluid = Sparse("fluid")

lbm_validation_heat = Module(
    "lbm_validation_heat", precisions=("f64", "f32", "f16"), about="A scalar on a list of cells."
)
add = lbm_validation_heat.add
add("heat", stream(lbm.AdvectionDiffusion(d2q5)), space=fluid, schedule=Schedule(fma=True, cpu=Strips(16)))
add("temperature", stream.scalar_moments("T"), space=fluid)
add("side", stream.boundary(lbm.ScalarValue("value")), space=Sparse("side", listed=True))
