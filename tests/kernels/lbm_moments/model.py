# SPDX-License-Identifier: Apache-2.0
"""The regularised collision with moments in memory, beside the same with populations."""

from heddle import Cells, lbm
from heddle.module import Module

d2q9 = lbm.Lattice("D2Q9")
d3q19, d3q27 = lbm.Lattice("D3Q19"), lbm.Lattice("D3Q27")

lbm_moments = Module("lbm_moments", precisions=("f32",), about="Moments in memory instead of populations.")
lbm_moments.add("q19_step", lbm.MomentStorage(d3q19)(lbm.Regularised(d3q19)))
lbm_moments.add("q19_pull", lbm.Pull(d3q19)(lbm.Regularised(d3q19)))
lbm_moments.add("q27_step", lbm.MomentStorage(d3q27)(lbm.Regularised(d3q27)))
lbm_moments.add("mixed_step", lbm.MomentStorage(d3q19, stress_type="half")(lbm.Regularised(d3q19)))
lbm_moments.add("moments", lbm.MomentStorage(d3q19).moments("rho", "u"))
lbm_moments.add("initialise", lbm.MomentStorage(d3q19).initialise("rho", "u"))

plane, collide = lbm.MomentStorage(d2q9, walls="walls"), lbm.Regularised(d2q9, omega_bulk=1)
boundaries = {
    "body": lbm.Bouzidi(),
    "inlet": lbm.VelocityBounceBack(("u_in", 0)),
    "outlet": lbm.PressureAntiBounceBack("rho_out"),
}
lbm_moments.add("plane", plane(collide))
sides = plane.boundary(collide, boundaries, force="drag", torque="couple", of="body")
lbm_moments.add("sides", sides, space=Cells("sides"))
