# SPDX-License-Identifier: Apache-2.0
"""Flow through and past spheres: D3Q19 on a list of cells, with walls anywhere on the links."""

from heddle import AssignmentCollection, Module, Reduce, Schedule, Sparse, Strips, lbm

d3q19 = lbm.Lattice("D3Q19")
stream = lbm.Pull(d3q19)

lbm_validation_space = Module(
    "lbm_validation_space", precisions=("f64", "f32", "f16"), about="Flows in space on a list of cells."
)
add = lbm_validation_space.add
add(
    "trt",
    stream(lbm.TRT(d3q19, magic="magic", force=("g_x", 0, 0))),
    space=Sparse("fluid"),
    schedule=Schedule(fma=True, cpu=Strips(16)),
)
add("inlet", stream.boundary(lbm.VelocityBounceBack(("wall_x", 0, 0))), space=Sparse("inlet", listed=True))
outlet = lbm.PressureAntiBounceBack("density", saved="u")
add("outlet", stream.boundary(outlet), space=Sparse("outlet", listed=True))
add("body", stream.boundary(lbm.Bouzidi(), force="force"), space=Sparse("body", listed=True))
along = [c[0] for c in d3q19.velocities]
moving = sum(c * stream.source[0, 0, 0, q] for q, c in enumerate(along) if c != 0)
add("flux", AssignmentCollection([Reduce("sum", "flux", moving)]), space=Sparse("plane", listed=True))
