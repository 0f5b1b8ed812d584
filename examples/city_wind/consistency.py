# SPDX-License-Identifier: Apache-2.0
"""The least change of a wind that makes it conserve mass (Sasaki 1958): u = u0 + grad(lambda) / 2.

div grad lambda = -2 div u0 in the air, no flux through solid faces, lambda = 0 in the outermost cells. Cells
may be longer than wide and differ in thickness. From one residual come relaxation in place and conjugate
gradients with multigrid.

Winds lie on faces of all cells, of which an axis has one more than cells; lambda, its right side and the open
faces on the inner cells, those with an equation. The ghost cells of lambda are the outermost cells.
"""

from heddle import (
    Assignment,
    Module,
    Reduce,
    Schedule,
    Threads,
    block_coordinates,
    block_extents,
    fields,
    has_bit,
    parameters,
    profiles,
)
from heddle.solvers import relaxation
from sympy import And, Eq, Integer, Ne, Or, Piecewise, Symbol, symbols

BUILDING, TERRAIN = 0, 2
CHESSBOARD = Schedule(colours=2, gpu=Threads(block=(32, 8, 1)))  # rows of a colour are short

consistency = Module(
    "consistency", about="The least change of a wind that makes it conserve mass.", citation="Sasaki 1958"
)

icell, openings = fields("icell, open: uint8[3D]")
phi, u, v, w, right = fields("phi, u, v, w, right: real[3D]")  # phi is lambda, m^2/s; right 1/s
thickness, below = profiles("thickness, below: real[z]")  # m; 1 / distance from the centre below, 1/m
dx, dy, c_x, c_y, omega = parameters("dx, dy, c_x, c_y, omega")
x, y, z = block_coordinates()
n_x, n_y, _ = block_extents()


def solid(flag: Symbol) -> Or:
    return Or(Eq(flag, BUILDING), Eq(flag, TERRAIN))


# No wind through the faces of solid cells. Below the lowest cells lies the ground.
own, west, south, lower = symbols("own west south lower")
flags = {(0, 0, 0): own, (-1, 0, 0): west, (0, -1, 0): south, (0, 0, -1): lower}
named = [Assignment(symbol, icell[offset]) for offset, symbol in flags.items()]
shut = {
    u: Or(solid(own), solid(west)),
    v: Or(solid(own), solid(south)),
    w: Or(solid(own), solid(lower), Eq(z, 0)),
}
consistency.add(
    "close",
    [
        *named,
        *(Assignment(wind.here, Piecewise((0, where), (wind.here, True))) for wind, where in shut.items()),
    ],
    about="No wind through the faces of solid cells.",
)

# Bits of a cell's open faces; solid cells have none, and so no equation.
statements = [Assignment(own, icell.here)]
bits = []
for number, (axis, offset) in enumerate(relaxation.FACES):
    neighbour, bit = symbols(f"cell_{axis} bit_{axis}")
    statements.append(Assignment(neighbour, icell[offset]))
    closed = Or(solid(neighbour), Eq(z, 0)) if axis == "b" else solid(neighbour)
    statements.append(Assignment(bit, Piecewise((0, closed), (1 << number, True))))
    bits.append(bit)
statements.append(Assignment(openings.here, Piecewise((0, solid(own)), (sum(bits), True))))
consistency.add("find_open_faces", statements, about="Open faces of each inner cell.")

divergence = Symbol("divergence")
outflow = (u[1, 0, 0] - u.here) / dx + (v[0, 1, 0] - v.here) / dy + (w[0, 0, 1] - w.here) / thickness.here
consistency.add(
    "source",
    [
        Assignment(divergence, outflow),
        Assignment(right.here, Piecewise((-2 * divergence, Ne(openings.here, 0)), (0, True))),
    ],
    about="The right-hand side: -2 div u.",
)
consistency.add(
    "largest_divergence",
    [
        Assignment(divergence, outflow),
        Reduce("max", "largest", Piecewise((abs(divergence), Ne(openings.here, 0)), (0, True))),
    ],
    about="The largest divergence of the wind itself, 1/s.",
)

# Volume flow into the box, m^3/s: through the outermost faces that are open.
inward = [
    Piecewise((value, And(edge, room)), (0, True))
    for value, edge, room in (
        (u.here * dy * thickness.here, Eq(x, 0), y < n_y - 1),
        (-u.here * dy * thickness.here, Eq(x, n_x - 1), y < n_y - 1),
        (v.here * dx * thickness.here, Eq(y, 0), x < n_x - 1),
        (-v.here * dx * thickness.here, Eq(y, n_y - 1), x < n_x - 1),
    )
]
consistency.add(
    "inflow",
    [Reduce("sum", "entering", sum((abs(flow) + flow for flow in inward), Integer(0)) / 2)],
    about="Volume flow into the box through its sides, m^3/s.",
)

# Fluxes through the faces of a cell, per area of its floor: so the matrix is symmetric where levels differ.
# The residual is twice the divergence, times the thickness.
faces = Symbol("faces")
named_weights = [Assignment(faces, openings.here)]
residual = -thickness.here * right.here
weights = (*(c * thickness.here for c in (c_x, c_x, c_y, c_y)), below[1], below[0])
for number, ((axis, offset), given) in enumerate(zip(relaxation.FACES, weights, strict=True)):
    weight = Symbol(f"c_{axis}")
    named_weights.append(Assignment(weight, Piecewise((given, has_bit(faces, number)), (0, True))))
    residual += weight * (phi[offset] - phi.here)
equation = relaxation.Equation(phi, residual, tuple(named_weights), Ne(faces, 0))
remaining = 1 / (2 * thickness.here)  # times the residual: the divergence that the corrected wind will have
consistency.add(
    "relax", equation.sor(omega), schedule=CHESSBOARD, about="One sweep of successive over-relaxation."
)
consistency.add(
    "remaining",
    equation.norm("largest", scale=remaining),
    about="The largest divergence that the corrected wind will have, 1/s.",
)
consistency.add_solver(equation, residual_scale=remaining)

corrections = [*named]
for wind, offset, inverse_distance in (
    (u, (-1, 0, 0), 1 / dx),
    (v, (0, -1, 0), 1 / dy),
    (w, (0, 0, -1), below.here),
):
    change = (phi.here - phi[offset]) * inverse_distance / 2
    corrections.append(Assignment(wind.here, Piecewise((0, shut[wind]), (wind.here + change, True))))
consistency.add("correct", corrections, about="The corrected wind, on the faces of the inner cells.")
