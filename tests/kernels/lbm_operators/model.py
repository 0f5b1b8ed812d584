# SPDX-License-Identifier: Apache-2.0
"""Collision in moment space, compiled: MRT, central moments, cumulants, KBC; and a shear-thinning fluid."""

from heddle import lbm
from heddle.module import Module

d2q9, d3q19, d3q27 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19"), lbm.Lattice("D3Q27")
thinning = lbm.PowerLaw(consistency="consistency", exponent="exponent", bounds=("nu_min", "nu_max"))

lbm_operators = Module("lbm_operators", precisions=("f64",), about="Operators in moment space.")
lbm_operators.add("mrt", lbm.Pull(d3q19)(lbm.MRT(d3q19, omega_bulk="omega_bulk", higher="omega_ghost")))
lbm_operators.add("central", lbm.Pull(d3q19)(lbm.CentralMoment(d3q19)))
lbm_operators.add("cumulant", lbm.Pull(d3q27)(lbm.Cumulant(d3q27)))
lbm_operators.add("parametrised", lbm.Pull(d3q27)(lbm.ParametrisedCumulant(d3q27)))
lbm_operators.add("entropic", lbm.Pull(d2q9)(lbm.KBC(d2q9)))
lbm_operators.add("entropic_27", lbm.Pull(d3q27)(lbm.KBC(d3q27)))
lbm_operators.add("power_law", lbm.Pull(d2q9)(lbm.TRT(d2q9, rheology=thinning, force=("g_x", 0))))
