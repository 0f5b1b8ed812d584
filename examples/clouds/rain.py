# SPDX-License-Identifier: Apache-2.0
"""Rain in the large-eddy simulation of model.py, and a sea below it.

    dr/dt = advection + subgrid flux + D - E + (1/rho) d(rho v_r r)/dz
    dq/dt = ... - D + E,    dtheta_l/dt = ... + Lv / (cp Pi) (D - E)

r: rain (kg/kg), which the total water q does not contain; D: conversion of cloud water, E: evaporation, v_r:
fall speed. In the first two stages of a step r changes as th and q do. In the last one water cannot become
negative: what does not come with the air is added first, with rates of the old values, and advection is
limited. Then rain falls, and D and E act over the whole step, whose length is a number in memory.
"""

from dataclasses import replace

from heddle import If, Module, Rows, Schedule, Strips, Threads, fields, parameters, profiles, tables
from heddle.atmosphere.large_eddies import anelastic, rain, saturation, subgrid, surface
from heddle.atmosphere.large_eddies.air import Air
from heddle.atmosphere.large_eddies.grid import Grid
from heddle.model.assignment import Assignment
from heddle.model.equations import Equations
from sympy import Integer, Or, Piecewise

air = Air()
OFFSET = Integer(300)

grid = Grid()
u, v, w = grid.faces
s, mid, keep, speed = (grid.scalar(name) for name in ("s", "mid", "keep", "speed"))
th, q, r = (grid.scalar(name) for name in ("th", "q", "r"))
q_mid, r_mid, q_keep, r_keep = (grid.scalar(name) for name in ("q_mid", "r_mid", "q_keep", "r_keep"))
s_old, s_next, r_next, th_next, q_next = fields("s_old, s_next, r_next, th_next, q_next: real[3D]")
th_old, q_old, r_old = fields("th_old, q_old, r_old: real[3D]")
K, b, drag, rise_u, rise_v = fields("K, b, drag, rise_u, rise_v: real[3D]")
theta_flux, water_flux = fields("theta_flux, water_flux: real[3D]")
fallen = fields("fallen: double[3D]")
pressure, exner, tv0, lift = profiles("pressure, exner, tv0, lift: real[z]")
w_ls, at_rest, source, sponge = profiles("w_ls, at_rest, source, sponge: real[z]")
th0, q0, heating, moistening = profiles("th0, q0, heating, moistening: real[z]")
length = tables("length: real[1]")
share, u_frame, v_frame, per_prandtl = parameters("share, u_frame, v_frame, per_prandtl")
ground_flux, lid_slope, first_height = parameters("ground_flux, lid_slope, first_height")
th_flux, q_flux, th_slope, q_slope = parameters("th_flux, q_flux, th_slope, q_slope")
drag_ratio, heat_exchange, water_exchange = parameters("drag_ratio, heat_exchange, water_exchange")
sea_theta, sea_water = parameters("sea_theta, sea_water")
rho_ground, threshold, droplets, collisions, drying = parameters(
    "rho_ground, threshold, droplets, collisions, drying"
)
same_bits = Schedule(fma=True, math="reproducible")
alike = replace(same_bits, gpu=Threads(block=(32, 4, 1), unit_stride=True, same_strides=True))
cloudy = replace(alike, cpu=Strips(32, unit_stride=True))  # see model.py
pairs = Threads(
    block=(32, 1, 2),
    minimum_blocks=4,
    unit_stride=True,
    same_strides=True,
    row_cells=2,
    levels_first=True,
)
lowest = replace(same_bits, gpu=Threads(coarsening=8, unit_stride=True, same_strides=True))
stencil = replace(same_bits, cpu=Rows(unit_stride=True), gpu=pairs)
few_registers = replace(stencil, gpu=replace(pairs, minimum_blocks=8))
OWN = "s, s_old, s_next, mid, keep, speed, th, q, r, r_next, th_next, q_next, K, b, drag, rise_u, rise_v, "
OWN += "th_old, q_old, r_old, q_mid, r_mid, q_keep, r_keep"
NAMES = (
    *grid.names,
    *OWN.split(", "),
    "theta_flux",
    "water_flux",
    "fallen",
    "pressure",
    "exner",
    "tv0",
    "lift",
)

module = Module("rain", precisions=("f64", "f32"), about="Rain and a sea, for a moist large-eddy simulation.")


# --- Buoyancy of air with rain: tv = theta (1 + (Rv/Rd - 1) q - Rv/Rd q_c - r) ------------------------------
def buoyancy(cell, heat, water, drops):
    wet = saturation.adjust(cell, OFFSET + heat, water, pressure.here, exner.here, air, loop=True)
    theta = cell.let("theta", wet.T / exner.here)
    loading = cell.let("loading", (1 + air.lightness) * wet.q_c + drops)
    tv = cell.let("tv", theta * (cell.let("vapour", 1 + air.lightness * water) - loading))
    cell.store(b.here, lift.here * (tv - tv0.here))


cell = Equations(fields=NAMES)
buoyancy(cell, th.here, q.here, r.here)
module.add("buoyancy_with_rain", cell.statements, schedule=cloudy)

# --- Sea: fluxes of momentum, heat and water by bulk coefficients, F = C |U| (s_sea - s) --------------------
cell = Equations(fields=NAMES)
*winds, wind = surface.wind(cell, u, v, (u_frame, v_frame))
heat = cell.let("heat", surface.bulk(wind, heat_exchange, sea_theta, OFFSET + th.here))
water = cell.let("water", surface.bulk(wind, water_exchange, sea_water, q.here))
virtual = surface.virtual_flux(cell, heat, water, OFFSET + th.here, q.here, air)
friction = cell.let("friction", drag_ratio * wind)
rises = surface.similarity_gradient(cell, winds, wind, friction, virtual, first_height, lift.here, air)
for field, value in (
    (drag, drag_ratio * friction),
    (theta_flux, heat),
    (water_flux, water),
    (rise_u, rises[0]),
    (rise_v, rises[1]),
):
    cell.store(field.here, value)
module.add("sea", [If(grid.level("order_z") <= 0, cell.statements)], schedule=lowest)


def ground_into_cell(cell):
    """What multiplies a flux at the ground. Products of two: all kernels round them in one order."""
    step = cell.once("step", share * length.gather(0))
    return cell.once(
        "into_cell", step * cell.once("per_depth", grid.level("rho_face") * grid.level("per_mass"))
    )


cell = Equations(fields=NAMES)
into_cell = ground_into_cell(cell)
cell.store(th_next.here, th_next.here + into_cell * theta_flux.here)
cell.store(q_next.here, q_next.here + into_cell * water_flux.here)
module.add("sea_air", [If(grid.level("order_z") <= 0, cell.statements)], schedule=lowest)


# --- A scalar s, which is th, q or r ------------------------------------------------------------------------
def subsided(phi, rest, gain):
    """What comes from outside: sinking air, sources and the sponge."""
    sinking = -w_ls.here * grid.level("per_distance", 1) * (phi[0, 0, 1] - phi.here)
    return sinking + gain.here - sponge.here * (phi.here - rest.here)


def without_advection(cell, phi):
    """ds/dt by eddies, sinking air, sources and the sponge."""
    mixed = subgrid.Diffusion(cell, grid, K, per_prandtl).scalar(phi, ground_flux, lid_slope)
    return mixed + cell.let("force", subsided(phi, at_rest, source))


def stage(order):
    """s of a stage."""
    cell = Equations(fields=NAMES)
    advected = anelastic.Advection(cell, grid, order=order).scalar(s)
    rate = cell.let("rate", advected + without_advection(cell, s))
    cell.store(s_next.here, s_old.here + share * length.gather(0) * rate)
    return cell.statements


def allowance(order):
    """How much of its fluxes beyond first order each cell may give away."""
    cell = Equations(fields=NAMES)
    step = cell.let("step", length.gather(0))
    cell.store(keep.here, anelastic.Advection(cell, grid, order=order).share(s, mid, step))
    return cell.statements


def limited(order):
    """s after the last stage, where it is not negative."""
    cell = Equations(fields=NAMES)
    rate = anelastic.Advection(cell, grid, order=order).limited_scalar(s, mid, keep)
    cell.store(s_next.here, mid.here + length.gather(0) * rate)
    return cell.statements


for suffix, order in (("", 5), ("_centred", 2)):
    module.add(f"scalar{suffix}", stage(order), schedule=stencil)
    module.add(f"allowance{suffix}", allowance(order), schedule=stencil)
    module.add(f"limited{suffix}", limited(order), schedule=stencil)
cell = Equations(fields=NAMES)
cell.store(mid.here, s.here + length.gather(0) * without_advection(cell, s))
streams = Rows(nontemporal_from=32, unit_stride=True)
module.add("sources", cell.statements, schedule=replace(stencil, cpu=streams))


# --- The same of th, q and r at once, on a GPU, where they share what is read -------------------------------
def with_sea(cell, name, value, flux):
    """A value, in the lowest cells with what the sea gives."""
    into_cell = ground_into_cell(cell)
    value = cell.let(f"dry_{name}", value)
    return cell.let(
        f"new_{name}", Piecewise((value + into_cell * flux.here, grid.level("order_z") <= 0), (value, True))
    )


def stage_with_rain(order):
    """th, q and r of a stage, and the buoyancy that they give."""
    cell = Equations(fields=NAMES)
    advection = anelastic.Advection(cell, grid, order=order)
    diffusion = subgrid.Diffusion(cell, grid, K, per_prandtl)
    step = cell.let("step", share * length.gather(0))
    found = []
    for phi, old, rest, gain, ground, lid, sea in (
        (th, th_old, th0, heating, th_flux, th_slope, theta_flux),
        (q, q_old, q0, moistening, q_flux, q_slope, water_flux),
    ):
        advected, mixed = advection.scalar(phi), diffusion.scalar(phi, ground, lid)
        force = cell.let(f"force_{phi.name}", subsided(phi, rest, gain))
        rate = cell.let(f"rate_{phi.name}", advected + mixed + force)
        found.append(with_sea(cell, phi.name, old.here + step * rate, sea))
    rate = cell.let("rate_r", advection.scalar(r) + diffusion.scalar(r, 0, 0))
    found.append(cell.let("new_r", r_old.here + share * length.gather(0) * rate))
    for target, value in zip((th_next, q_next, r_next), found, strict=True):
        cell.store(target.here, value)
    buoyancy(cell, *found)
    return cell.statements


def last_rates(order):
    """th after the last stage; q and r after what does not come with the air. th, q and r: where the stage
    has its rates, th_old and so on: the state before the step."""
    cell = Equations(fields=NAMES)
    diffusion = subgrid.Diffusion(cell, grid, K, per_prandtl)
    advected = anelastic.Advection(cell, grid, order=order).scalar(th)
    mixed = diffusion.scalar(th, th_flux, th_slope)
    force = cell.let("force_th", subsided(th, th0, heating))
    rate = cell.let("rate_th", advected + mixed + force)
    cell.store(th_next.here, with_sea(cell, "th", th_old.here + share * length.gather(0) * rate, theta_flux))
    mixed = diffusion.scalar(q_old, q_flux, q_slope)
    force = cell.let("force_q", subsided(q_old, q0, moistening))
    rate = cell.let("rate_q", mixed + force)
    cell.store(q_mid.here, with_sea(cell, "q", q_old.here + length.gather(0) * rate, water_flux))
    cell.store(r_mid.here, r_old.here + length.gather(0) * diffusion.scalar(r_old, 0, 0))
    return cell.statements


def both_allowances(order):
    """`allowance` of q and r."""
    cell = Equations(fields=NAMES)
    step = cell.let("step", length.gather(0))
    advection = anelastic.Advection(cell, grid, order=order)
    for phi, start, left in ((q, q_mid, q_keep), (r, r_mid, r_keep)):
        cell.store(left.here, advection.share(phi, start, step))
    return cell.statements


for suffix, order in (("", 5), ("_centred", 2)):
    strips = Strips(16, unit_stride=True)
    by_precision = {"f64": replace(stencil, cpu=strips), "f32": replace(few_registers, cpu=strips)}
    module.add(f"stage_with_rain{suffix}", stage_with_rain(order), schedule=by_precision)
    module.add(f"last_rates{suffix}", last_rates(order), schedule=few_registers)
    module.add(f"both_allowances{suffix}", both_allowances(order), schedule=stencil)


# --- Rain falls ---------------------------------------------------------------------------------------------
cell = Equations(fields=NAMES)
cell.store(speed.here, rain.fall_speed(cell, r.here, grid.level("rho"), rho_ground))
module.add("fall_speed", cell.statements, schedule=alike)

cell = Equations(fields=NAMES)
after, passed = rain.fall(cell, grid, r, speed, cell.let("step", length.gather(0)))
cell.store(r_next.here, after)
onto_ground = If(grid.level("order_z") <= 0, [Assignment(fallen.here, fallen.here + passed)])
falling = Threads(block=(32, 1, 4), unit_stride=True, levels_first=True)  # fallen: double, so other strides
module.add("fall", [*cell.statements, onto_ground], schedule=replace(same_bits, gpu=falling))


# --- Cloud water becomes rain, and rain evaporates ----------------------------------------------------------
def conversion(name):
    """th, q and r after a step: by Kessler, or by Seifert and Beheng. Cells with neither cloud nor rain pass
    it over."""
    cell = Equations(fields=NAMES)
    theta_l, rho, p, Pi = OFFSET + th.here, grid.level("rho"), pressure.here, exner.here
    step = cell.let("step", length.gather(0))
    wet = saturation.adjust(cell, theta_l, q.here, p, Pi, air, loop=True)
    inside = Equations(fields=cell.taken)
    if name == "kessler":
        D = inside.let("conversion", rain.kessler_conversion(wet.q_c, r.here, threshold))
    else:
        D = rain.seifert_beheng_conversion(inside, wet.q_c, r.here, rho, droplets, collisions)
    found = rain.exchange(inside, th.here, q.here, r.here, wet, D, step, rho, p, Pi, air, drying)
    values = {
        "th_after": (th.here, found.theta_l),
        "q_after": (q.here, found.q),
        "r_after": (r.here, found.r),
    }
    after = cell.only_where(Or(wet.q_c > 0, r.here > 0), values, inside, "water_left")
    for field, value in zip((th, q, r_next), after, strict=True):
        cell.store(field.here, value)
    return cell.statements


for name in ("kessler", "seifert_beheng"):
    module.add(name, conversion(name), schedule=cloudy)
for name in ("stage_with_rain", "last_rates", "both_allowances"):
    module.add_halo(f"{name}_halo", [name, f"{name}_centred"])
module.add_halo("scalar_halo", ["scalar", "scalar_centred"])
module.add_halo("sources_halo", ["sources"])
module.add_halo("allowance_halo", ["allowance", "allowance_centred"])
module.add_halo("limited_halo", ["limited", "limited_centred"])
module.add_halo("fall_halo", ["fall"])
