# SPDX-License-Identifier: Apache-2.0
"""A regularised Bingham fluid in single precision, where the quotient of its law would cancel at rest."""

from heddle import Module, Rows, Schedule, lbm

d2q9 = lbm.Lattice("D2Q9")
paste = lbm.HerschelBulkley(
    consistency="K", exponent=1, yield_stress="tau_y", growth="m", bounds=("low", "high")
)

lbm_family_single = Module("lbm_family_single", precisions=("f32",), about="A Bingham fluid.")
step = lbm.Pull(d2q9)(lbm.TRT(d2q9, rheology=paste, force=lbm.He(("g_x", 0)), compressible=False))
lbm_family_single.add("step", step, schedule=Schedule(cpu=Rows(parallel=False)))
