# SPDX-License-Identifier: Apache-2.0
"""What no other compiled kernel has: lattices, viscosities, forces, fields and boundaries, several
in each kernel."""

from heddle import CompressedList, Module, Rows, Schedule, Sparse, Strips, lbm

d2q9, d3q15, d3q7 = (lbm.Lattice(name) for name in ("D2Q9", "D3Q15", "D3Q7"))
mean = lbm.Lattice("D3Q27_mean", {"rest": "5/18", "axis": "1/12", "edge": "1/72", "corner": "1/144"})
warm = lbm.Lattice("D3Q7_warm", {"rest": "1/10", "axis": "3/20"})
"""Lattices of a user's own: half D3Q15 and half D3Q19, and one for scalars with c_s^2 = 3/10."""

plane, alone = lbm.Pull(d2q9), Schedule(cpu=Rows(parallel=False))  # for channels of a few cells
blood = lbm.Carreau(at_rest="nu_0", at_infinity="nu_inf", time="time", exponent="n")
paste = lbm.HerschelBulkley(
    consistency="K", exponent=1, yield_stress="tau_y", growth="m", bounds=("low", "high")
)
pushed, driven = lbm.ExactDifference(("g_x", 0)), lbm.He(("g_x", 0))

lbm_family = Module(
    "lbm_family", precisions=("f64",), about="Parts of the family that nothing else compiles."
)
add = lbm_family.add
vessel = lbm.BGK(d2q9, rheology=blood, force=pushed)
add("carreau", plane(vessel), schedule=alone)
add("strain", plane.strain_rate(vessel), schedule=alone)
add("bingham", plane(lbm.TRT(d2q9, rheology=paste, force=driven, compressible=False)), schedule=alone)
add("state", plane.moments("rho", "u", pressure="p", force=driven, compressible=False))
add("start", plane(lbm.ConsistentInitialisation(d2q9)), schedule=alone)

listed = lbm.Pull(d3q15)
fluid, chunks = Sparse("fluid"), Schedule(cpu=Strips(16), gpu=CompressedList())
add("wale", listed(lbm.TRT(d3q15, eddy_viscosity=lbm.WALE("constant"))), space=fluid, schedule=chunks)
add("curl", listed.vorticity("u", "curl", walls="one_sided"), space=fluid)
add("vreman", lbm.Pull(mean)(lbm.BGK(mean, eddy_viscosity=lbm.Vreman("constant"))))
add("q", lbm.q_criterion(3))

heat = lbm.Pull(d3q7, "g", "g_next")
add("heat", heat(lbm.AdvectionDiffusion(d3q7)), schedule=alone)
add("warm", lbm.Pull(warm, "g", "g_next")(lbm.AdvectionDiffusion(warm)), schedule=alone)
add("flux", heat.boundary(lbm.ScalarFlux("flux"), face="b"))
