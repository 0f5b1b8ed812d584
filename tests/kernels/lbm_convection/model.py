# SPDX-License-Identifier: Apache-2.0
"""Natural convection in a square: D2Q9 for the flow, D2Q5 for the temperature, coupled by Boussinesq."""

from heddle import lbm
from heddle.module import Module

d2q9, d2q5 = lbm.Lattice("D2Q9"), lbm.Lattice("D2Q5")
stream = lbm.Pull(d2q9)
stream_heat = lbm.Pull(d2q5, "g", "g_next", zero_centred=False)
buoyancy = lbm.boussinesq(d2q9, (0, "gravity"), scalar="T")

lbm_convection = Module("lbm_convection", precisions=("f64",), about="Natural convection in a square.")
lbm_convection.add("flow", stream(lbm.TRT(d2q9, force=buoyancy)))
lbm_convection.add("heat", stream_heat(lbm.AdvectionDiffusion(d2q5, magic="magic")))
lbm_convection.add("velocity", stream.moments(None, "u", force=buoyancy))
lbm_convection.add("temperature", stream_heat.scalar_moments("T"))
for face in "wesn":
    lbm_convection.add(f"wall_{face}", stream.boundary(lbm.NoSlip(d2q9), face=face))
lbm_convection.add("hot", stream_heat.boundary(lbm.ScalarValue("value"), face="w"))
lbm_convection.add("cold", stream_heat.boundary(lbm.ScalarValue("value"), face="e"))
for face in "sn":
    lbm_convection.add(f"insulated_{face}", stream_heat.boundary(lbm.ScalarFlux(), face=face))
