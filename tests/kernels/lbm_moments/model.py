# SPDX-License-Identifier: Apache-2.0
"""The regularised collision with moments in memory, beside the same with populations."""

from heddle import lbm
from heddle.module import Module

d3q19, d3q27 = lbm.Lattice("D3Q19"), lbm.Lattice("D3Q27")

lbm_moments = Module("lbm_moments", precisions=("f32",), about="Moments in memory instead of populations.")
for lattice, name in ((d3q19, "q19"), (d3q27, "q27")):
    storage = lbm.MomentStorage(lattice)
    lbm_moments.add(f"{name}_step", storage(lbm.Regularised(lattice)))
    lbm_moments.add(f"{name}_pull", lbm.Pull(lattice)(lbm.Regularised(lattice)))
lbm_moments.add("mixed_step", lbm.MomentStorage(d3q19, stress_type="half")(lbm.Regularised(d3q19)))
lbm_moments.add("moments", lbm.MomentStorage(d3q19).moments("rho", "u"))
lbm_moments.add("initialise", lbm.MomentStorage(d3q19).initialise("rho", "u"))
