# SPDX-License-Identifier: Apache-2.0
"""Physics of the columns of a weather model: a front lifts moist air in a domain that is nested in a coarser
one. Clouds form and rain; vapour and clouds radiate.

The mass coordinate is that of WRF: om < 0 is upward, rdnw = 1 / (eta above - eta below) < 0. The tracers are
components of one field: potential temperature (K); vapour, cloud and rain (kg/kg).
"""

from heddle import (
    Assignment,
    If,
    Module,
    Rows,
    Scan,
    Schedule,
    Threads,
    block_coordinates,
    block_extents,
    fields,
    parameters,
    profiles,
    tables,
)
from heddle.atmosphere import advection, constants, longwave, microphysics, nesting
from sympy import And, Expr, Piecewise, Rational, cos, symbols, tanh

RATIO = 3  # of the coarser domain's cells and steps to these
TRACERS = 4  # that a call moves together
THETA, VAPOUR, CLOUD, RAIN = range(TRACERS)
same_bits = Schedule(math="reproducible")
column_physics = Module(
    "column_physics", precisions=("f32",), about="A front with clouds and rain over a nested domain."
)
q, q_next = fields(f"q, q_next: real({TRACERS})[3D]", ghost_layers=3)

# --- Time, as numbers in memory: they change from step to step, so that steps can be recorded as a graph ----
# At the end of a step: how far the front has moved east, and the time since the coarser domain's last step.
# steps: that were taken, and of them those since the last step of the coarser domain. begins: whether such a
# step begins with this one; until: the time at which it ends.
steps, since_coarse = fields("steps, since_coarse: int32[3D]", ghost_layers=0)
moved_next, since_next = fields("moved_next, since_next: real[3D]", ghost_layers=0)
begins_next = fields("begins_next: int32[3D]", ghost_layers=0)
until_next = fields("until_next: real[3D]", ghost_layers=0)
dt, speed = parameters("dt, speed")
column_physics.add(
    "clock",
    [
        Assignment(moved_next.here, speed * dt * steps.here),
        Assignment(since_next.here, dt * (since_coarse.here + 1)),
        Assignment(begins_next.here, Piecewise((1, since_coarse.here < 1), (0, True))),
        Assignment(until_next.here, dt * (steps.here - since_coarse.here + RATIO)),
        Assignment(steps.here, steps.here + 1),
        Assignment(
            since_coarse.here, Piecewise((since_coarse.here + 1, since_coarse.here < RATIO - 1), (0, True))
        ),
    ],
)

# --- The wind: u and v of each level, and ascent at a front -------------------------------------------------
# psi = strength(y) ascent(eta) tanh((x - x_front(y) - moved) / width) adds d psi / d eta to the flux along x
# and -d psi / d x to that along eta. Its differences cancel in each cell: no mass gathers.
ru, rv, om, w, rho = fields("ru, rv, om, w, rho: real[3D]")
mu = fields("mu: real[xy]")
speed_x, speed_y, rdnw, ascent = profiles("speed_x, speed_y, rdnw, ascent: real[z]")
x_face, x_front, strength = profiles("x_face: real[x]; x_front, strength: real[y]")
moved, since = tables("moved, since: real[1]")
width, rdx = parameters("width, rdx")
turn_w, turn_e, below, above = symbols("turn_w turn_e below above")


def turn(face):
    """How far the front is passed at the lower (0) or upper (1) face of a cell along x: -1 to 1."""
    return tanh((x_face[face] - x_front.here - moved.gather(0)) / width)


column_physics.add(
    "wind",
    [
        Assignment(turn_w, turn(0)),
        Assignment(turn_e, turn(1)),
        Assignment(below, -rdx * strength.here * ascent[0] * (turn_e - turn_w)),
        Assignment(above, -rdx * strength.here * ascent[1] * (turn_e - turn_w)),
        Assignment(
            ru.here,
            mu.here * speed_x.here + strength.here * rdnw.here * (ascent[1] - ascent[0]) * turn_w,
        ),
        Assignment(rv.here, mu.here * speed_y.here),
        Assignment(om.here, below),
        Assignment(w.here, -(below + above) / (2 * constants.GRAVITY * rho.here)),
    ],
    schedule=same_bits,
)

# --- Advection: order 5 along x and y, 3 along z; three stages, the last one positive definite --------------
scheme = advection.Advection(limiter="positive-definite", tracers=TRACERS, boundaries="specified")
column_physics.add("stage", scheme.stage())
# Fluxes beyond first order, once per face: much arithmetic per store, for which whole rows are the fastest.
column_physics.add("excess", scheme.excess(), schedule=Schedule(Rows()))
column_physics.add("scale", scheme.scale(excess="excess"))
column_physics.add("limited_stage", scheme.limited_stage(excess="excess"))
# The same in one kernel, for a GPU: a block of threads goes up through the levels, and computes once what its
# cells share. Two blocks of 32 x 12 threads fit on a multiprocessor (76 registers), not two of 32 x 16.
column_physics.add(
    "limited_at_once",
    scheme.limited_at_once(),
    schedule=Schedule(
        gpu=Threads(block=(32, 12, 1), unit_stride=True, same_strides=True, level_by_level=True)
    ),
)
for kernel in ("stage", "excess", "scale", "limited_stage", "limited_at_once"):
    column_physics.add_halo(f"{kernel}_halo", [kernel])

# --- Clouds and rain ----------------------------------------------------------------------------------------
air, vapour, cloud, rain = (q.component(n) for n in range(TRACERS))
kessler = microphysics.Kessler(th=air, qv=vapour, qc=cloud, qr=rain)
wsm3 = microphysics.WSM3(th=air, q=vapour, qci=cloud, qrs=rain)
frozen = fields(f"frozen: real({TRACERS})[3D]", ghost_layers=3)  # of wsm5: the first two of the next tracers
ice, snow = frozen.component(0), frozen.component(1)
wsm5 = microphysics.WSM5(th=air, q=vapour, qc=cloud, qr=rain, qi=ice, qs=snow)


def counted(*water: Expr) -> list[Scan | Assignment]:
    """Before a scheme, which begins by setting water below 0 to 0: how often it does, since the start."""
    clipped, negative = fields("clipped: real[xy]"), symbols("negative")
    here = sum(Piecewise((1, one < 0), (0, True)) for one in water)
    return [
        Scan(2, {negative: 0}, [], {negative: negative + here}),
        Assignment(clipped.here, clipped.here + negative),
    ]


column_physics.add("kessler", [*counted(cloud, rain), *kessler.step()], schedule=same_bits)
column_physics.add("wsm3", [*counted(cloud, rain), *wsm3.step()], schedule=same_bits)
column_physics.add("wsm5", [*counted(cloud, rain, ice, snow), *wsm5.step()], schedule=same_bits)
# The same in three kernels, for a GPU: only what falls goes through columns, the rest has a thread per cell.
for name, scheme_of_clouds, waters in (
    ("wsm3", wsm3, (cloud, rain)),
    ("wsm5", wsm5, (cloud, rain, ice, snow)),
):
    counts, parts = counted(*waters), scheme_of_clouds.parts()
    column_physics.add(f"{name}_speeds", parts.speeds, schedule=same_bits)
    column_physics.add(f"{name}_falls", [*counts, *parts.falls], schedule=same_bits)
    column_physics.add(f"{name}_changes", parts.changes, schedule=same_bits)

# --- The air of the coarser domain, of which this one is a part: tracers in cells of any size ---------------
# The levels of a sounding, with patches of moist and dry air near the ground that the wind carries. Passive
# tracers are waves between 0 and 1, longer and longer. Nothing is computed unless a coarser step begins.
coarse = fields(f"coarse: real({TRACERS})[3D]", ghost_layers=0)
outer_theta, outer_vapour, patches = profiles("outer_theta, outer_vapour, patches: real[z]")
begins, until = tables("begins: int32[1]"), tables("until: real[1]")
first_x, first_y = parameters("first_x, first_y: int64")  # of the cells here, in the domain
cell, wave_x, wave_y, drift_x, drift_y = parameters("cell, wave_x, wave_y, drift_x, drift_y")  # m, m-1, m/s
x, y, z = block_coordinates()
phase_x, phase_y = symbols("phase_x phase_y")
phases = [
    Assignment(phase, wave * (cell * (first + at + Rational(1, 2)) - drift * until.gather(0)))
    for phase, wave, first, at, drift in (
        (phase_x, wave_x, first_x, x, drift_x),
        (phase_y, wave_y, first_y, y, drift_y),
    )
]
outer = {
    THETA: outer_theta.here,
    VAPOUR: outer_vapour.here + patches.here * cos(phase_x) * cos(phase_y),
    CLOUD: 0,
    RAIN: 0,
}
column_physics.add(
    "outer_air",
    [
        If(
            begins.gather(0) > 0,
            [*phases, *(Assignment(coarse.component(n), outer[n]) for n in range(TRACERS))],
        )
    ],
    schedule=same_bits,
)
first_tracer, passive = parameters("first_tracer, passive: int64")  # of these, from 0; how many there are
waves: list[Assignment] = []
for n in range(TRACERS):
    number, length = symbols(f"number_{n}", integer=True), symbols(f"length_{n}")
    waves += [
        Assignment(number, first_tracer + n),
        Assignment(length, number + 1),
        Assignment(
            coarse.component(n),
            Piecewise(
                (
                    (1 + cos(phase_x / length) * cos(phase_y / length)) / 2,
                    And(number >= 0, number < passive),
                ),
                (0, True),
            ),
        ),
    ]
column_physics.add("outer_tracers", [If(begins.gather(0) > 0, [*phases, *waves])], schedule=same_bits)

# --- Nest: values at the lateral boundaries, and the end of a step ------------------------------------------
# q_next = q + dt heating, and in the zone q_next += share (value + since tendency - q_next), where share is
# 1 at the boundary and falls inwards (H. C. Davies, Q. J. R. Meteorol. Soc. 102, 405, 1976).
nest = nesting.Nest(RATIO, relative=True)
zones = nest.boundary("coarse", "q", "value", "tendency", fields=TRACERS)
column_physics.add("boundary", [If(begins.gather(0) > 0, zones)])

heating = fields("heating: real[3D]")
share = fields("share: real[xy]")
along, depth = fields("along, depth: int32[xy]")
value, tendency = fields("value, tendency: real[3D]", other_grid=True)
n_z = block_extents()[2]


def settle(heated: int | None) -> list[Assignment]:
    """The end of a step: which tracer is heated, if any."""
    statements = []
    for n in range(TRACERS):
        at = (along.here, depth.here, z + n * n_z)
        moved_on, outside = symbols(f"q_{n} outside_{n}")
        led = value.gather(*at) + since.gather(0) * tendency.gather(*at)
        statements += [
            Assignment(moved_on, q.component(n) + (dt * heating.here if n == heated else 0)),
            Assignment(outside, Piecewise((led, share.here > 0), (moved_on, True))),
            Assignment(q_next.component(n), moved_on + share.here * (outside - moved_on)),
        ]
    return statements


column_physics.add("settle", settle(THETA))
column_physics.add("settle_tracers", settle(None))

# --- Longwave radiation -------------------------------------------------------------------------------------
# What a layer has of its own, and temperatures of faces: means of the layers on both sides.
exner = fields("pii: real[3D]")
moisture, temperature, face_temperature, cover, cloud_depth = fields(
    "moisture, temperature, face_temperature, cover, cloud_depth: real[3D]"
)
mass = profiles("mass: real[z]")  # of a layer, kg m-2
T, T_below, condensed = symbols("T T_below condensed")


def layers(water: Expr) -> list[Scan | Assignment]:
    """What radiation takes of the air. water: of clouds, kg/kg."""
    return [
        Scan(
            2,
            {T_below: q.at_level(0, THETA) * exner.at_level(0)},
            [
                Assignment(T, air * exner.here),
                Assignment(condensed, water),
                Assignment(moisture.here, vapour),
                Assignment(temperature.here, T),
                Assignment(face_temperature.here, (T_below + T) / 2),
                Assignment(cover.here, Piecewise((1, condensed > Rational(1, 10**6)), (0, True))),
                Assignment(cloud_depth.here, longwave.LIQUID_ABSORPTION * condensed * mass.here),
            ],
            {T_below: T},
        ),
        Assignment(face_temperature.at_level(n_z), T_below),
    ]


column_physics.add("layers", layers(cloud))
column_physics.add("layers_with_ice", layers(cloud + ice))  # ice radiates as cloud water

# All columns in one launch, with half a warp for the sixteen g-points of each. Four warps a block: with one,
# they would take all of the 32 blocks that a multiprocessor holds, and leave none to the steps beside them.
column_physics.add(
    "fluxes",
    longwave.fluxes("grey", clear=False),
    schedule=Schedule(math="reproducible", gpu=Threads(block=(16, 8, 1))),
)

# What the fluxes heat: cp dT/dt = g (net below - net above) / (p below - p above), as potential temperature.
up, down = fields("up, down: real[3D]")
net = up.here - down.here, up[0, 0, 1] - down[0, 0, 1]
column_physics.add(
    "warming",
    [Assignment(heating.here, (net[0] - net[1]) / (constants.HEAT_DRY * mass.here * exner.here))],
)
