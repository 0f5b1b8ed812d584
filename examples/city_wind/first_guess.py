# SPDX-License-Identifier: Apache-2.0
"""The wind around buildings before it conserves mass: profiles of sensors, solids, and Roeckle's zones.

Staggered faces: u of cell (x, y, z) lies on its west face, v on its south face, w on its bottom face; the
zones take w at the cell's centre, as QES-Winds does. Every zone is a pointwise kernel in gather form: a face
asks whether it lies in the zone of one building (or of one of its walls), and what blows there. The program
runs it over the box that the zone can reach, building after building, the tallest last.

Roeckle 1990; Kaplan and Dinar 1996 (canyons at an angle); Bagal et al. 2004 (upwind); Pol et al. 2006
(rooftop); Hayati et al. 2019 (sidewall); Koch et al. 1983 (Barnes' analysis of several sensors).
"""

from heddle import Assignment, If, Module, Scan, block_coordinates, fields, parameters
from sympy import (
    Abs,
    And,
    Eq,
    Expr,
    Integer,
    Max,
    Min,
    Ne,
    Or,
    Piecewise,
    Rational,
    Symbol,
    cos,
    exp,
    log,
    pi,
    sin,
    sqrt,
    symbols,
)

BUILDING, AIR, TERRAIN, UPWIND, CAVITY, WAKE, CANYON, SIDEWALL, ROOFTOP = 0, 1, 2, 3, 4, 5, 6, 9, 10
"""Flags of cells, as QES-Winds numbers them."""

first_guess = Module(
    "first_guess",
    about="Wind around buildings before it conserves mass: profiles, solids, Roeckle's zones.",
    citation="Roeckle 1990; Kaplan and Dinar 1996; Bagal et al. 2004; Pol et al. 2006; Hayati et al. 2019",
)

# Faces and cells. Fields of heights and columns hold each value once (heddle::FieldOptions::same_along).
u, v, w, u_free, v_free = fields("u, v, w, u_free, v_free: real[3D]")
icell = fields("icell: uint8[3D]")
height = fields("height: real[3D]")  # of the cell's centre, m
ground, roof, total = fields("ground, roof, total: real[3D]")  # m, m, sum of weights
owner = fields("owner: int32[3D]")  # number of the building in the column, 0 without one

x, y, _ = block_coordinates()
x_first, y_first = parameters("x_first, y_first: int64")  # first cell of the box that the kernel runs over
dx, dy = parameters("dx, dy")
centre_x, centre_y, west_x, south_y = symbols("centre_x centre_y west_x south_y")
CENTRE = [
    Assignment(centre_x, (x + x_first + Rational(1, 2)) * dx),
    Assignment(centre_y, (y + y_first + Rational(1, 2)) * dy),
]
FACES = [Assignment(west_x, (x + x_first) * dx), Assignment(south_y, (y + y_first) * dy)]
PLACES = {"u": (west_x, centre_y), "v": (centre_x, south_y), "w": (centre_x, centre_y)}

# --- The undisturbed wind -------------------------------------------------------------------------------

sensor_x, sensor_y, per_area, share = parameters("sensor_x, sensor_y, per_area, share")
scale_u, scale_v, shape = parameters("scale_u, scale_v, shape")
profile = parameters("profile: int32")  # 0: logarithmic, `shape` is z_0; 1: power law, `shape` its exponent
weight = exp(-Min(((centre_x - sensor_x) ** 2 + (centre_y - sensor_y) ** 2) * per_area, 60))  # float holds it

weights = fields("total: real[2D]")
first_guess.add(
    "calm", [Assignment(u_free.here, 0), Assignment(v_free.here, 0)], about="Before the first profile."
)
before = parameters("before: int32")  # sensors whose weights are in the sum
first_guess.add(
    "add_weight",
    [*CENTRE, Assignment(weights.here, Piecewise((weights.here, before > 0), (0, True)) + weight)],
    about="Add the weight of a sensor to the sum of the weights, which the first one starts.",
)

above, form, part = symbols("above form part")
first_guess.add(
    "add_profile",
    [
        *CENTRE,
        Assignment(above, height.here - ground.here),
        Assignment(
            form,
            Piecewise((0, above <= 0), (log((above + shape) / shape), Eq(profile, 0)), (above**shape, True)),
        ),
        Assignment(part, share * weight / total.here * form),
        Assignment(u_free.here, u_free.here + part * scale_u),
        Assignment(v_free.here, v_free.here + part * scale_v),
    ],
    about="Add the profile of a sensor over the ground, by its weight.",
)

# --- Solids -----------------------------------------------------------------------------------------------

x_1, y_1, x_2, y_2 = parameters("x_1, y_1, x_2, y_2")
inside = fields("inside: int32[2D]")
crosses = Or(And(y_1 > centre_y, y_2 <= centre_y), And(y_1 <= centre_y, y_2 > centre_y))
at = Symbol("at")
first_guess.add(
    "cross_edge",
    [
        *CENTRE,
        If(
            crosses,
            [
                Assignment(at, x_1 + (centre_y - y_1) / (y_2 - y_1) * (x_2 - x_1)),
                If(centre_x < at, [Assignment(inside.here, 1 - inside.here)]),
            ],
        ),
    ],
    about="Cells west of an edge change between inside and outside of the polygon.",
)

number = parameters("number: int32")
top = parameters("top")
owners, roofs = fields("owner: int32[2D]; roof: real[2D]")
first_guess.add(
    "claim",
    [
        If(
            Ne(inside.here, 0),
            [
                Assignment(owners.here, number),
                Assignment(roofs.here, top),
                Assignment(inside.here, 0),
            ],
        )
    ],
    about="The columns inside the polygon belong to a building.",
)

first_guess.add(
    "start",
    [
        Assignment(
            icell.here,
            Piecewise(
                (BUILDING, And(Ne(owner.here, 0), height.here <= roof.here)),
                (TERRAIN, height.here < ground.here),
                (AIR, True),
            ),
        ),
        Assignment(u.here, u_free.here),
        Assignment(v.here, v_free.here),
        Assignment(w.here, 0),
    ],
    about="Flag the cells, and start from the undisturbed wind.",
)

# --- Zones ------------------------------------------------------------------------------------------------

# A frame on the ground: `along` from an origin in the direction of an axis, `across` to the left of it.
origin_x, origin_y, axis_x, axis_y = parameters("origin_x, origin_y, axis_x, axis_y")
speed_u, speed_v, speed = parameters("speed_u, speed_v, speed")  # undisturbed, over the roof
floor, tall = parameters("floor, tall")  # height of the building's foot, and of the roof above it

flag, level = symbols("flag level")
HEAD = [*CENTRE, *FACES, Assignment(flag, icell.here), Assignment(level, height.here - floor)]
air = And(Ne(flag, BUILDING), Ne(flag, TERRAIN))


def placed(name: str) -> tuple[Symbol, Symbol, list[Assignment]]:
    """`along` and `across` of u, v or w, and the statements that name them."""
    along, across = symbols(f"along_{name} across_{name}")
    east, north = PLACES[name][0] - origin_x, PLACES[name][1] - origin_y
    return (
        along,
        across,
        [
            Assignment(along, east * axis_x + north * axis_y),
            Assignment(across, north * axis_x - east * axis_y),
        ],
    )


def upwind() -> list[Assignment | If]:
    """Before a wall that the wind meets squarely: a displacement zone (slow) and a vortex at its foot.

    Frame: origin in the middle of the wall, axis into the building. length: L_F of the zone.
    """
    length, width = parameters("length, width")
    statements: list[Assignment | If] = list(HEAD)
    for name in PLACES:
        along, across, lets = placed(name)
        reach, turn = symbols(f"reach_{name} turn_{name}")
        shape_squared = Max(0, 1 - (2 * across / width) ** 2) * Max(0, 1 - (level / (tall * 3 / 5)) ** 2)
        zone = And(
            air,
            level > 0,
            level < tall * 3 / 5,
            Abs(across) <= width / 2,
            along >= reach,
            along <= Min(dx, dy) / 10,
        )
        vortex = along >= Rational(2, 5) * reach
        statements += [*lets, Assignment(reach, -length * sqrt(shape_squared))]
        phase = pi * Abs(along) / (Rational(2, 5) * length)
        if name == "w":
            lift = -speed * (cos(phase) / 10 - Rational(1, 20))
            body = [
                Assignment(turn, Piecewise((lift, vortex), (w.here, True))),
                Assignment(w.here, turn),
                Assignment(icell.here, UPWIND),
            ]
        else:
            target, roof_speed = (u, speed_u) if name == "u" else (v, speed_v)
            back = (Rational(1, 20) - Rational(3, 5) * cos(2 * pi * level / tall)) * Rational(3, 5)
            body = [
                Assignment(turn, back * sin(phase)),
                Assignment(
                    target.here,
                    Piecewise((roof_speed * turn, vortex), (Rational(2, 5) * target.here, True)),
                ),
            ]
        statements.append(If(zone, body))
    return statements


def wake() -> list[Assignment | If]:
    """Behind a lee wall: the near-wake cavity, an ellipsoid of reversed flow, and the far wake behind that.

    Frame: that of the wind, origin at the building's centre. The wall is the line along = wall + slope
    (across - begin) for begin <= across < end; the cavity is `near` long there, plus growth (across -
    begin), and `width` is the building's.
    """
    begin, end, wall, slope = parameters("begin, end, wall, slope")
    near, growth, width = parameters("near, growth, width")
    statements: list[Assignment | If] = list(HEAD)
    for name in PLACES:
        along, across, lets = placed(name)
        behind, reach = symbols(f"behind_{name} reach_{name}")
        ellipse = Max(0, 1 - (2 * across / width) ** 2) * Max(0, 1 - (level / tall) ** 2)
        cavity = behind <= reach
        zone = And(air, level > 0, across >= begin, across < end, behind > 0, behind <= 3 * reach)
        statements += [
            *lets,
            Assignment(behind, along - wall - slope * (across - begin)),
            Assignment(reach, (near + growth * (across - begin)) * sqrt(ellipse)),
        ]
        if name == "w":
            flagged = Piecewise((CAVITY, cavity), (WAKE, True))
            body = [Assignment(w.here, 0), Assignment(icell.here, flagged)]
        else:
            target, roof_speed = (u, speed_u) if name == "u" else (v, speed_v)
            side = sqrt(Max(0, 1 - Abs(2 * across / width)))
            reverse = (1 - behind / (Rational(11, 10) * reach)) ** 2 * side
            deficit = (reach / (behind + reach / 10)) ** Rational(3, 2)
            body = [
                Assignment(
                    target.here,
                    Piecewise((-roof_speed * reverse, cavity), (target.here * (1 - deficit), True)),
                )
            ]
        statements.append(If(zone, body))
    return statements


def canyon() -> list[Assignment | If]:
    """Between a lee wall and the wall of another building inside its cavity: a vortex across the canyon.

    Frame: that of the wind. Both walls are lines as in the wake; (normal_x, normal_y) points from the second
    wall back into the canyon. Along the canyon blows what blew there undisturbed.
    """
    begin, end, wall, slope = parameters("begin, end, wall, slope")
    near, growth, width = parameters("near, growth, width")
    front, front_slope, front_begin = parameters("front, front_slope, front_begin")
    normal_x, normal_y, front_tall = parameters("normal_x, normal_y, front_tall")
    across_canyon = Abs(speed_u * normal_x + speed_v * normal_y)
    statements: list[Assignment | If] = list(HEAD)
    for name in PLACES:
        along, across, lets = placed(name)
        behind, gap, reach, turn = symbols(f"behind_{name} gap_{name} reach_{name} turn_{name}")
        ellipse = Max(0, 1 - (2 * across / width) ** 2) * Max(0, 1 - (level / tall) ** 2)
        zone = And(
            air,
            level > 0,
            level < front_tall,
            across >= begin,
            across < end,
            behind > 0,
            behind < gap,
            gap <= reach,
        )
        statements += [
            *lets,
            Assignment(behind, along - wall - slope * (across - begin)),
            Assignment(
                gap,
                front + front_slope * (across - front_begin) - wall - slope * (across - begin),
            ),
            Assignment(reach, (near + growth * (across - begin)) * sqrt(ellipse)),
        ]
        there, back = 2 * behind / gap, 2 * (gap - behind) / gap
        if name == "w":
            body = [
                Assignment(turn, -Abs(across_canyon / 2 * (1 - there)) * (1 - back)),
                Assignment(w.here, turn),
                Assignment(icell.here, CANYON),
            ]
        else:
            target, normal = (u, normal_x) if name == "u" else (v, normal_y)
            free = u_free.here if name == "u" else v_free.here
            through = u_free.here * normal_x + v_free.here * normal_y
            body = [
                Assignment(turn, across_canyon * there * back),
                Assignment(target.here, free - through * normal + turn * normal),
            ]
        statements.append(If(zone, body))
    return statements


def sidewall() -> list[Assignment | If]:
    """Along a wall that the wind runs along: separated flow turns back next to it, and is slow beside that.

    Frame: origin at the upwind end of the wall, axis downwind along it; side is 1 where the air is to the
    left. length: of the zone, R_c; depth: v_d; roughness: of the wall.
    """
    length, depth, side, reach, roughness = parameters("length, depth, side, reach, roughness")
    statements: list[Assignment | If] = list(HEAD)
    for name in PLACES:
        along, across, lets = placed(name)
        off, bubble, layer = symbols(f"off_{name} bubble_{name} layer_{name}")
        statements += [
            *lets,
            Assignment(off, side * across),
            Assignment(bubble, depth * sqrt(Max(0, 1 - ((length / 2 - along) / (length / 2)) ** 2))),
            Assignment(layer, depth / sqrt(length / 2) * sqrt(Max(0, along))),
        ]
        zone = And(
            air,
            level > 0,
            level < tall,
            along >= 0,
            along <= reach,
            off > 0,
            Or(off <= bubble, off <= layer),
        )
        if name == "w":
            body = [Assignment(icell.here, SIDEWALL)]
        else:
            target, free = (u, u_free.here) if name == "u" else (v, v_free.here)
            slow = log((off + roughness) / roughness) / log((layer + roughness) / roughness)
            body = [
                Assignment(
                    target.here, free * Piecewise((-(bubble - off) / depth, off <= bubble), (slow, True))
                )
            ]
        statements.append(If(zone, body))
    return statements


def rooftop() -> Scan:
    """Over a roof: below the edge of the separation, the logarithmic profile that ends in the wind there.

    Frame: that of the wind, origin at the corner of front edge and right side. thickness: the height of the
    separation is thickness sqrt(distance from those two). roughness: of the roof. One sweep a column, from
    above: the first level inside is the one whose wind the profile takes up.
    """
    thickness, roughness = parameters("thickness, roughness")
    carried: dict[Symbol, Expr] = {}
    updates: dict[Symbol, Expr] = {}
    body: list[Assignment | If] = [
        *HEAD[:-1],
        Assignment(level, height.here - floor - tall),
    ]
    for name in ("u", "v"):
        target = u if name == "u" else v
        along, across, lets = placed(name)
        edge, own, upper, wind = symbols(f"edge_{name} own_{name} upper_{name} wind_{name}")
        separated = symbols(f"separated_{name}")
        carried |= {upper: Integer(0), wind: Integer(0)}
        inside_it = And(level > 0, level <= edge)
        body += [
            *lets,
            Assignment(edge, thickness * sqrt(Max(0, Min(along, across)))),
            Assignment(own, target.here),
            Assignment(separated, And(air, Eq(owner.here, number), inside_it)),
            If(
                And(separated, upper > roughness),
                [
                    Assignment(
                        target.here,
                        wind * Max(0, log(level / roughness)) / log(upper / roughness),
                    ),
                ],
            ),
        ]
        begins = And(separated, Eq(upper, 0))
        updates |= {
            upper: Piecewise((level, begins), (upper, True)),
            wind: Piecewise((own, begins), (wind, True)),
        }
    along, across, lets = placed("w")
    edge = thickness * sqrt(Max(0, Min(along, across)))
    marked = And(air, Eq(owner.here, number), level > 0, level <= edge)
    body += [*lets, If(marked, [Assignment(icell.here, ROOFTOP)])]
    return Scan(2, carried, body, updates, reverse=True)


first_guess.add("upwind", upwind(), about="Upwind displacement zone and vortex before one wall.")
first_guess.add("wake", wake(), about="Near-wake cavity and far wake of one lee wall.")
first_guess.add("canyon", canyon(), about="Street canyon between two walls.")
first_guess.add("sidewall", sidewall(), about="Separated flow along one side wall.")
first_guess.add("rooftop", [rooftop()], about="Separated flow over one roof.")
