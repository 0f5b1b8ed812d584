# SPDX-License-Identifier: Apache-2.0
"""A moist anelastic large-eddy simulation: how velocity, temperature and water change in a stage of a step.

    d(rho u)/dx + d(rho v)/dy + d(rho w)/dz = 0
    du_i/dt = -1/rho d(rho u_j u_i)/dx_j - d(p/rho)/dx_i + delta_i3 b + f (v - v_g, u_g - u, 0)
              - w_ls du_i/dz + 1/rho d(rho tau_ij)/dx_j - sponge (u_i - u_i0)
    dphi/dt = -1/rho d(rho u_j phi)/dx_j - w_ls dphi/dz + source + 1/rho d(rho K_h dphi/dx_j)/dx_j
              - sponge (phi - phi_0),    phi = theta_l, q

where tau_ij = K (du_i/dx_j + du_j/dx_i) and K_h = K / Pr. Condensation changes neither the liquid water
potential temperature theta_l = theta - Lv / (cp Pi) q_c nor the total water q = q_v + q_c.
heddle::SlabProjection adds the pressure. A step dt has three stages,

    phi_next = phi_old + blend (phi - phi_old) + share dt F(phi)

where a kernel chooses dt, a number in memory. share and blend, and which state is old, are those of L. J.
Wicker and W. C. Skamarock, Mon. Wea. Rev. 130, 2088 (2002): 1/3, 1/2, 1 from the state before the step,
without blend; or of J. H. Williamson, J. Comput. Phys. 35, 48 (1980): see stepper.cpp.

Stored are th = theta_l - 300 K, u - u_frame and v - v_frame (the Coriolis force then takes v_geostrophic -
v_frame): small numbers keep their digits in single precision. SI units. Rain, and the sea below it: rain.py.
"""

from dataclasses import replace

from heddle import If, Module, Reduce, Rows, Schedule, Strips, Threads, fields, parameters, profiles, tables
from heddle.atmosphere.large_eddies import anelastic, saturation, subgrid, surface
from heddle.atmosphere.large_eddies.air import Air
from heddle.atmosphere.large_eddies.grid import Grid, onto_face, shift
from heddle.model.equations import Equations
from sympy import Abs, Integer, Max, Min, Piecewise

air = Air()
OFFSET = Integer(300)
DRAG_ENTRIES = 4096

# Velocity on faces; theta_l - 300 K, total water and rain in cells: now, before the step, after the stage
grid = Grid()
velocity = u, v, w = grid.faces
th, q, r = (grid.scalar(name) for name in ("th", "q", "r"))
u_old, v_old, w_old, th_old, q_old = fields("u_old, v_old, w_old, th_old, q_old: real[3D]")
u_next, v_next, w_next, th_next, q_next = fields("u_next, v_next, w_next, th_next, q_next: real[3D]")
# Viscosity, cloud water, buoyancy; in the lowest cells u_*^2 / |U|, du/dz and dv/dz
K, cloud, b, drag, rise_u, rise_v = fields("K, cloud, b, drag, rise_u, rise_v: real[3D]")
# Air at rest: pressure, Exner function, virtual potential temperature, lift = g / tv0. Mixing length, squared
pressure, exner, tv0, lift, length2 = profiles("pressure, exner, tv0, lift, length2: real[z]")
# Subsidence (that of u and v is 0 in some cases), geostrophic wind, what the sponge restores, its rates (1/s)
w_ls, w_ls_wind, u_geostrophic, v_geostrophic = profiles(
    "w_ls, w_ls_wind, u_geostrophic, v_geostrophic: real[z]"
)
u0, v0, th0, q0, heating, moistening = profiles("u0, v0, th0, q0, heating, moistening: real[z]")
sponge, face_sponge = profiles("sponge, face_sponge: real[z]")
# u_*/|U| over the stability of the lowest cell; dt and what limits it, one number each
drag_table = tables(f"drag_table: real[{DRAG_ENTRIES}]")
length, advection_rate, diffusion_rate = tables("length, advection_rate, diffusion_rate: real[1]")
length_next, rest, allowed = fields("length_next, rest, allowed: real[3D]", ghost_layers=0)
# background: K_0. per_prandtl: 1/Pr. *_flux: upward at the ground. *_slope: gradient at the lid
longest, share, blend = parameters("longest, share, blend")
coriolis, u_frame, v_frame = parameters("coriolis, u_frame, v_frame")
background, per_prandtl = parameters("background, per_prandtl")
theta_flux, water_flux, theta_slope, water_slope = parameters(
    "theta_flux, water_flux, theta_slope, water_slope"
)
virtual_flux, u_star, first_height, per_warm, per_cold = parameters(
    "virtual_flux, u_star, first_height, per_warm, per_cold"
)
NAMES = (*grid.names, *"th q r K cloud b drag rise_u rise_v tv0 lift sponge exner".split())

clouds = Module(
    "clouds", precisions=("f64", "f32"), about="A moist anelastic large-eddy simulation on a staggered grid."
)


def moist(cell, heat=th.here, water=q.here):
    """Temperature and water of the cell, its potential temperature, its total water."""
    wet = saturation.adjust(cell, OFFSET + heat, water, pressure.here, exner.here, air, loop=True)
    return wet, cell.let("theta", wet.T / exner.here), water


# --- Buoyancy b = g (tv - tv0) / tv0, tv = theta (1 + (Rv/Rd - 1) q - Rv/Rd q_c) ----------------------------
def buoyancy(cell, wet, theta, water, rain=None):
    if rain is None:
        lightness = 1 + air.lightness * water - (1 + air.lightness) * wet.q_c
    else:  # tv = theta (1 + (Rv/Rd - 1) q - Rv/Rd q_c - r), rounded as in rain.py
        loading = cell.let("loading", (1 + air.lightness) * wet.q_c + rain)
        lightness = cell.let("vapour", 1 + air.lightness * water) - loading
    tv = cell.let("tv", theta * lightness)
    cell.store(b.here, lift.here * (tv - tv0.here))


# --- Ground: drag = u_*^2 / |U|, du/dz and dv/dz in the lowest cells; u_* is given, or of a rough surface
cell = Equations(fields=NAMES)
*winds, speed = surface.wind(cell, u, v, (u_frame, v_frame))
rough = surface.ratio(cell, drag_table, speed, virtual_flux, first_height, lift.here, per_warm, per_cold, air)
ratio = cell.let("drag_ratio", Piecewise((u_star / speed, u_star > 0), (rough, True)))
friction = cell.let("friction", ratio * speed)
rises = surface.similarity_gradient(cell, winds, speed, friction, virtual_flux, first_height, lift.here, air)
cell.store(drag.here, ratio * friction)
for rise, value in zip((rise_u, rise_v), rises, strict=True):
    cell.store(rise.here, value)
# A thread asks eight levels whether they are the lowest one.
lowest = Schedule(gpu=Threads(coarsening=8))
clouds.add("ground", [If(grid.level("order_z") <= 0, cell.statements)], schedule=lowest)


# --- Viscosity K = K_0 + l^2 sqrt(S^2 - N^2 / Pr), cloud water, buoyancy, and what limits the time step -----
def eddies(rains):
    """rains: rain makes air heavier."""
    cell = Equations(fields=NAMES)
    wet, theta, water = moist(cell)
    strain2 = subgrid.strain(cell, grid, (rise_u.here, rise_v.here))
    slopes = subgrid.gradient(cell, grid, th), subgrid.gradient(cell, grid, q)
    condensed = wet.q_c, wet.T, wet.q_s, exner.here
    n2 = subgrid.stability(cell, slopes, theta, water, lift.here, condensed, air, loop=True)
    turbulent = subgrid.viscosity(cell, length2.here, strain2, n2, per_prandtl)
    viscosity = cell.let("viscosity", background + turbulent)
    cell.store(K.here, viscosity)
    cell.store(cloud.here, wet.q_c)
    buoyancy(cell, wet, theta, water, r.here if rains else None)
    per_h = grid.level("per_height")
    courant = Abs(u.here) * grid.per(0) + Abs(v.here) * grid.per(1) + Abs(w.here) * per_h
    spread = per_prandtl * viscosity * (grid.per(0) ** 2 + grid.per(1) ** 2 + per_h**2)
    return [*cell.statements, Reduce("max", "advection", courant), Reduce("max", "diffusion", spread)]


# What only clouds need is in loops, which strips without clouds pass over on a CPU, and warps on a GPU.
# Blocks of several levels: what reads three levels up and down is read anew by blocks of one level.
levels = Threads(block=(32, 1, 4), unit_stride=True, same_strides=True, levels_first=True)
cloudy = Schedule(fma=True, cpu=Strips(32, unit_stride=True), gpu=levels)
cell = Equations(fields=NAMES)
buoyancy(cell, *moist(cell))
clouds.add("buoyancy", cell.statements, schedule=cloudy)
clouds.add("eddies", eddies(rains=False), schedule=cloudy)
clouds.add("eddies_in_rain", eddies(rains=True), schedule=cloudy)

# --- Length of the next step: numbers in memory, of which the end cuts the last two -------------------------
cell = Equations(fields=("rest", "allowed"))
courant, spread = cell.let("courant", advection_rate.gather(0)), cell.let("spread", diffusion_rate.gather(0))
by_flow = Min(1 / Max(courant, 1e-12), 0.4 / Max(spread, 1e-12))
most = cell.let("most", Min(longest, 1.05 * allowed.here, by_flow))
left = cell.let("left", rest.here)
taken = cell.let("taken", Piecewise((left, left <= most), (left / 2, left < 2 * most), (most, True)))
cell.store(length_next.here, taken)
cell.store(allowed.here, most)
cell.store(rest.here, left - taken)
clouds.add("next_step", cell.statements)


# --- Momentum and scalars: phi_next = phi_old + blend (phi - phi_old) + step F(phi) -------------------------
def begin(cell, phi, old):
    """Where the stage begins: in the old state, or between it and the present one."""
    return cell.let(f"begin_{phi.name}", old.here + blend * (phi.here - old.here))


def subsidence(w_large, phi):
    """-w dphi/dz of air that sinks: the difference to the cell above."""
    return -w_large.here * grid.level("per_distance", 1) * (phi[0, 0, 1] - phi.here)


def ground_stress():
    """Upward fluxes of u and v at the ground: minus the drag at their faces times the wind."""
    winds = u.here + u_frame, v.here + v_frame
    return [-(drag.here + drag[shift(n, -1)]) / 2 * wind for n, wind in enumerate(winds)]


def momentum(order):
    """u, v and w of a stage."""
    cell = Equations(fields=NAMES)
    step = cell.let("step", share * length.gather(0))
    advection = anelastic.Advection(cell, grid, order=order).momentum()
    mixing = subgrid.Diffusion(cell, grid, K, per_prandtl).momentum(ground_stress())
    cell.section("Coriolis force, buoyancy, sinking air, sponge")
    v_at_u = (v.here + v[0, 1, 0] + v[-1, 0, 0] + v[-1, 1, 0]) / 4
    u_at_v = (u.here + u[1, 0, 0] + u[0, -1, 0] + u[1, -1, 0]) / 4 + u_frame
    forces = (
        coriolis * (v_at_u - v_geostrophic.here)
        + subsidence(w_ls_wind, u)
        - sponge.here * (u.here - u0.here),
        coriolis * (u_geostrophic.here - u_at_v)
        + subsidence(w_ls_wind, v)
        - sponge.here * (v.here - v0.here),
        onto_face(cell, grid, b.here, b[0, 0, -1], "lift_w") - face_sponge.here * w.here,
    )
    rows = zip(
        velocity, (u_old, v_old, w_old), (u_next, v_next, w_next), advection, mixing, forces, strict=True
    )
    for phi, old, following, advected, mixed, force in rows:
        rate = cell.let(f"rate_{phi.name}", advected + mixed + cell.let(f"force_{phi.name}", force))
        cell.store(following.here, begin(cell, phi, old) + step * rate)
    return cell.statements


def scalars(order, lifts=False):
    """theta_l and total water of a stage. lifts: and the buoyancy that they give."""
    cell = Equations(fields=NAMES)
    step = cell.let("step", share * length.gather(0))
    advection = anelastic.Advection(cell, grid, order=order)
    diffusion = subgrid.Diffusion(cell, grid, K, per_prandtl)
    rows = (
        (th, th_old, th_next, th0, heating, theta_flux, theta_slope),
        (q, q_old, q_next, q0, moistening, water_flux, water_slope),
    )
    found = []
    for phi, old, following, at_rest, source, ground, lid in rows:
        advected = advection.scalar(phi)
        mixed = diffusion.scalar(phi, ground, lid)
        force = subsidence(w_ls, phi) + source.here - sponge.here * (phi.here - at_rest.here)
        rate = cell.let(f"rate_{phi.name}", advected + mixed + cell.let(f"force_{phi.name}", force))
        found.append(cell.let(f"new_{phi.name}", begin(cell, phi, old) + step * rate))
        cell.store(following.here, found[-1])
    if lifts:
        buoyancy(cell, *moist(cell, *found))
    return cell.statements


# Two cells of a row share the flux between them on a GPU; scalars of two cells take too many registers in
# double precision. Told how many blocks have to find room, a compiler takes the registers that this leaves. A
# CPU has a copy of each loop for the rows far from ground and lid.
pair = replace(levels, block=(32, 1, 2), row_cells=2)
one_cell = replace(pair, row_cells=1, minimum_blocks=8)
for suffix, order in (("", 5), ("_centred", 2)):
    rows = Schedule(fma=True, cpu=Rows(usual=("order_z", order), unit_stride=True), gpu=pair)
    clouds.add(f"momentum{suffix}", momentum(order), schedule=rows)
    for name, lifts, one in (("scalars", False, rows), ("scalars_and_buoyancy", True, cloudy)):
        by_precision = {"f64": replace(one, gpu=one_cell), "f32": replace(one, gpu=pair)}
        clouds.add(name + suffix, scalars(order, lifts), schedule=by_precision)
clouds.add_halo("eddies_halo", ["eddies", "eddies_in_rain"])
clouds.add_halo("momentum_halo", ["momentum", "momentum_centred"])
clouds.add_halo("scalars_halo", [name for name in clouds.kernels if name.startswith("scalars")])
