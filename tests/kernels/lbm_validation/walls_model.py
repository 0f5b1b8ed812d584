# SPDX-License-Identifier: Apache-2.0
"""Walls that move: cylinders that turn, a parabola at both ends of a channel, a lid between walls at rest."""

import sympy
from heddle import Cells, Dense, Module, lbm, parameters

d2q9 = lbm.Lattice("D2Q9")
stream = lbm.AA(d2q9)
u_wall, height, u_mean, u_lid = parameters("u_wall, height, u_mean, u_lid: real")


def around_the_axis(x: sympy.Expr, y: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """The velocity of a cylinder's wall, of one size everywhere."""
    r = sympy.sqrt(x**2 + y**2)
    return -u_wall * y / r, u_wall * x / r


turning = lbm.Bouzidi(velocity=around_the_axis)
parabola = lbm.VelocityBounceBack(lambda x, y: (6 * u_mean * y * (height - y) / height**2, 0))
between_plates = Dense(walls=("s", "n"))
closed = Dense(walls=("w", "e", "s", "n"))

lbm_validation_walls = Module(
    "lbm_validation_walls", precisions=("f64",), about="Flows between walls that move, in a dense box."
)
add = lbm_validation_walls.add
add("step", stream(lbm.TRT(d2q9)))
add("seen", stream.moments())
add("turning", stream.boundary(turning, cells=True, torque="couple"), space=Cells("cylinder"))
add("channel", stream(lbm.TRT(d2q9)), space=between_plates)
add("seen_in_channel", stream.moments(), space=between_plates)
add("inlet", stream.boundary(parabola, face="w"), space=between_plates)
add("outlet", stream.boundary(parabola, face="e"), space=between_plates)
add("cavity", stream(lbm.Cumulant(d2q9)), space=closed)
add("seen_in_cavity", stream.moments(), space=closed)
add("lid", stream.boundary(lbm.VelocityBounceBack((u_lid, 0)), face="n"), space=closed)
