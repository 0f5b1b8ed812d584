# SPDX-License-Identifier: Apache-2.0
"""Wind over terrain: large-eddy simulation on D3Q19 over a sparse list of air cells, in place (AA).

Collision: recursive-regularised, third order (Malaspinas 2015; Coreixas et al. 2017), which stays stable at
the Reynolds numbers of the atmosphere, with Smagorinsky's eddy viscosity in closed form. Ground: half-way
bounce-back, folded into the list. Inlet: prescribed wind. Outlet and top: prescribed pressure.
"""

from heddle import (
    Assignment,
    AssignmentCollection,
    Field,
    Module,
    Schedule,
    Sparse,
    Strips,
    lbm,
    parameters,
)

d3q19 = lbm.Lattice("D3Q19")
stream = lbm.AA(d3q19)
collide = lbm.RecursiveRegularised(d3q19, omega="omega", eddy_viscosity=lbm.Smagorinsky(0.17))

# The prescribed wind blows along x; its speed differs from entry to entry of the list.
speed = Field("speed", "real", 0, ghost_layers=0)
inflow = lbm.VelocityBounceBack((speed.here, 0, 0))
outflow = lbm.PressureAntiBounceBack(rho=1, saved="u")

# The mean of the samples so far, without a sum that grows: m <- m + (u - m) / n.
u = Field("u", "real", 3, 3)
mean = Field("mean", "real", 3, 3)
share = parameters("share")
average = AssignmentCollection(
    Assignment(m, m + share * (v - m)) for m, v in ((mean.component(a), u.component(a)) for a in range(3))
)

air = Sparse("air")
wind = Module(
    "wind",
    precisions=("f32",),
    about="Wind over terrain: D3Q19, AA, sparse, recursive-regularised with Smagorinsky's eddy viscosity.",
    citation="Malaspinas 2015; Coreixas et al. 2017; Hou et al. 1996",
)
wind.add("stream_collide", stream(collide), space=air, schedule=Schedule(fma=True, cpu=Strips(16)))
wind.add("inflow", stream.boundary(inflow), space=Sparse("inlet", listed=True))
wind.add("outflow", stream.boundary(outflow), space=Sparse("open", listed=True))
wind.add("moments", stream.moments("rho", "u"), space=air)
wind.add("initialise", stream.initialise("rho", "u"), space=air)
wind.add("average", average, space=air)
wind.add_halo(kernels=["stream_collide_even", "stream_collide_odd"])
