# SPDX-License-Identifier: Apache-2.0
"""The least change of a wind that makes it conserve mass (Sasaki 1958): u = u0 + grad(lambda) / 2.

div grad lambda = -2 div u0 in the air, no flux through solid faces, lambda = 0 in the outermost cells. Cells
may be longer than wide and differ in thickness. The equation of a cell is solved by relaxation in place.
"""

from heddle import (
    Assignment,
    Module,
    Reduce,
    Schedule,
    coordinates,
    extents,
    fields,
    has_bit,
    parameters,
    relaxation,
)
from sympy import And, Eq, Integer, Ne, Or, Piecewise, Rational, Symbol, symbols

BUILDING, TERRAIN = 0, 2
CHESSBOARD = Schedule(colours=2, block=(32, 8, 1))  # rows of a colour are short

consistency = Module(
    "consistency", about="The least change of a wind that makes it conserve mass.", citation="Sasaki 1958"
)

u, v, w, phi, right = fields("u, v, w, phi, right: real[3D]")  # phi is lambda, m^2/s; right 1/s
icell, openings = fields("icell, open: uint8[3D]")
# m, 1/m^2 to the cell below, 1/m^2 to the cell above; the same for all y (heddle::FieldOptions::same_along)
thickness, lower_weight, upper_weight = fields("thickness, lower, upper: real[3D]")
dx, dy, omega, c_x, c_y = parameters("dx, dy, omega, c_x, c_y")
x, y, z = coordinates()
n_x, n_y, n_z = extents()

FACES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def solid(flag: Symbol) -> Or:
    return Or(Eq(flag, BUILDING), Eq(flag, TERRAIN))


# Bits of a cell's open faces, and no wind through closed ones. The last cell of an axis is none: it holds the
# last face. The outermost cells have no equation, nor have solids; below the lowest cells lies the ground.
own, west, south, below = symbols("own west south below")
flags = {(0, 0, 0): own, (-1, 0, 0): west, (0, -1, 0): south, (0, 0, -1): below}
statements = [Assignment(symbol, icell[offset]) for offset, symbol in flags.items()]
bits = []
for number, offset in enumerate(FACES):
    shut = solid(flags[offset]) if offset in flags else None
    if shut is None:
        name = Symbol(("east", "north", "above")[number // 2])
        statements.append(Assignment(name, icell[offset]))
        shut = solid(name)
    if offset == (0, 0, -1):
        shut = Or(shut, Eq(z, 0))
    bit = Symbol(f"bit_{number}")
    statements.append(Assignment(bit, Piecewise((0, shut), (1 << number, True))))
    bits.append(bit)
unknown = And(x > 0, x < n_x - 2, y > 0, y < n_y - 2, z < n_z - 2, Ne(own, BUILDING), Ne(own, TERRAIN))
statements.append(Assignment(openings.here, Piecewise((sum(bits), unknown), (0, True))))
for field, neighbour in ((u, west), (v, south), (w, below)):
    closed = Or(solid(own), solid(neighbour))
    if field is w:
        closed = Or(closed, Eq(z, 0))
    statements.append(Assignment(field.here, Piecewise((0, closed), (field.here, True))))
consistency.add("close", statements, about="Open faces of each cell, and no wind through the others.")

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
        (u.here * dy * thickness.here, Eq(x, 0), And(y < n_y - 1, z < n_z - 1)),
        (-u.here * dy * thickness.here, Eq(x, n_x - 1), And(y < n_y - 1, z < n_z - 1)),
        (v.here * dx * thickness.here, Eq(y, 0), And(x < n_x - 1, z < n_z - 1)),
        (-v.here * dx * thickness.here, Eq(y, n_y - 1), And(x < n_x - 1, z < n_z - 1)),
    )
]
consistency.add(
    "inflow",
    [Reduce("sum", "entering", sum((abs(flow) + flow for flow in inward), Integer(0)) / 2)],
    about="Volume flow into the box through its sides, m^3/s.",
)

# Weights of the faces: 1 / dx^2, 1 / dy^2, and those of the two heights, which differ where the levels do.
faces = Symbol("faces")
named = [Assignment(faces, openings.here)]
residual = -right.here
for number, ((axis, offset), given) in enumerate(
    zip(relaxation.FACES, (c_x, c_x, c_y, c_y, upper_weight.here, lower_weight.here), strict=True)
):
    weight = Symbol(f"c_{axis}")
    named.append(Assignment(weight, Piecewise((given, has_bit(faces, number)), (0, True))))
    residual += weight * (phi[offset] - phi.here)
equation = relaxation.Equation(phi, residual, tuple(named), Ne(faces, 0))
consistency.add(
    "relax", equation.sor(omega), schedule=CHESSBOARD, about="One sweep of successive over-relaxation."
)
consistency.add(
    "remaining",
    equation.norm("largest", scale=Rational(1, 2)),
    about="The largest divergence that the corrected wind will have, 1/s: half the residual.",
)

# Of the faces between two cells that are not solid; half of both thicknesses lies between their centres.
corrections = [Assignment(symbol, icell[offset]) for offset, symbol in flags.items()]
for field, neighbour, offset, distance in (
    (u, west, (-1, 0, 0), dx),
    (v, south, (0, -1, 0), dy),
    (w, below, (0, 0, -1), (thickness.here + thickness[0, 0, -1]) / 2),
):
    shut = Or(solid(own), solid(neighbour))
    if field is w:
        shut = Or(shut, Eq(z, 0))
    change = (phi.here - phi[offset]) / (2 * distance)
    corrections.append(Assignment(field.here, Piecewise((0, shut), (field.here + change, True))))
consistency.add("correct", corrections, about="The corrected wind.")
