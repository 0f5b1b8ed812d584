# SPDX-License-Identifier: Apache-2.0
"""A moist anelastic large-eddy simulation: how velocity, temperature and water change in a stage of a step.

    d(rho u)/dx + d(rho v)/dy + d(rho w)/dz = 0
    du_i/dt = advection - dp/dx_i + buoyancy + Coriolis + subsidence + subgrid stress + sponge
    dphi/dt = advection + subsidence + sources + subgrid flux + sponge,    phi = theta_l, q

Condensation changes neither the liquid water potential temperature theta_l = theta - Lv / (cp Pi) q_c nor the
total water q = q_v + q_c. heddle::SlabProjection adds the pressure. A step dt has the three stages of L. J.
Wicker and W. C. Skamarock, Mon. Wea. Rev. 130, 2088 (2002):

    phi_next = phi_old + step F(phi),    step = dt / 3, dt / 2, dt

Stored are th = theta_l - 300 K and u - u_frame: small numbers keep their digits in single precision.
"""

from heddle import If, Module, Reduce, fields, parameters, profiles, tables
from heddle.atmosphere.large_eddies import anelastic, saturation, surface
from heddle.atmosphere.large_eddies.air import Air
from heddle.atmosphere.large_eddies.grid import Grid, moved, onto_face, shift
from heddle.model.equations import Equations
from sympy import Abs, Integer, Max, Min, Piecewise, sqrt

air = Air()
OFFSET = Integer(300)
PER_PRANDTL = 3
DRAG_ENTRIES = 4096

grid = Grid()
velocity = u, v, w = grid.faces
th, q = grid.scalar("th"), grid.scalar("q")
u_old, v_old, w_old, th_old, q_old = fields("u_old, v_old, w_old, th_old, q_old: real[3D]")
u_next, v_next, w_next, th_next, q_next = fields("u_next, v_next, w_next, th_next, q_next: real[3D]")
K, cloud, b, drag, slope = fields("K, cloud, b, drag, slope: real[3D]")
pressure, exner, tv0, lift, length2 = profiles("pressure, exner, tv0, lift, length2: real[z]")
w_ls, w_ls_wind, u_geostrophic, v_geostrophic = profiles(
    "w_ls, w_ls_wind, u_geostrophic, v_geostrophic: real[z]"
)
u0, v0, th0, q0, heating, moistening = profiles("u0, v0, th0, q0, heating, moistening: real[z]")
sponge, face_sponge = profiles("sponge, face_sponge: real[z]")
drag_table = tables(f"drag_table: real[{DRAG_ENTRIES}]")
step, coriolis, u_frame = parameters("step, coriolis, u_frame")
theta_flux, water_flux, theta_slope, water_slope = parameters(
    "theta_flux, water_flux, theta_slope, water_slope"
)
virtual_flux, u_star, first_height, per_warm, per_cold = parameters(
    "virtual_flux, u_star, first_height, per_warm, per_cold"
)
NAMES = (*grid.names, "th", "q", "K", "cloud", "b", "drag", "slope", "tv0", "lift", "sponge", "exner")

clouds = Module(
    "clouds", precisions=("f64", "f32"), about="A moist anelastic large-eddy simulation on a staggered grid."
)


def moist(cell):
    """Temperature and water of the cell, and its potential temperature."""
    wet = saturation.adjust(cell, OFFSET + th.here, q.here, pressure.here, exner.here, air)
    return wet, cell.let("theta", wet.T / exner.here)


# --- Buoyancy b = g (tv - tv0) / tv0, tv = theta (1 + (Rv/Rd - 1) q - Rv/Rd q_c) ----------------------------
cell = Equations(fields=NAMES)
wet, theta = moist(cell)
tv = cell.let("tv", theta * (1 + air.lightness * q.here - (1 + air.lightness) * wet.q_c))
cell.store(b.here, lift.here * (tv - tv0.here))
clouds.add("buoyancy", cell.statements)

# --- Ground: drag = u_*^2 / |U| and slope = u_* phi_m / (kappa z |U|) in the lowest cells
# u_* is given, or that of a rough surface (heddle.atmosphere.large_eddies.surface). phi_m: A. J. Dyer,
# Boundary-Layer Meteorol. 7, 363 (1974).
cell = Equations(fields=NAMES)
_, _, speed = surface.wind(cell, u, v, (u_frame, 0))
rough = surface.ratio(cell, drag_table, speed, virtual_flux, first_height, lift.here, per_warm, per_cold, air)
ratio = cell.let("drag_ratio", Piecewise((u_star / speed, u_star > 0), (rough, True)))
friction3 = Max((ratio * speed) ** 3, 1e-9, evaluate=False)
zeta = cell.let("zeta", -air.karman * first_height * lift.here * virtual_flux / friction3)
rise = cell.let("rise", sqrt(sqrt(1 + 16 * Max(-zeta, 0, evaluate=False))))
phi_m = cell.let("phi_m", Piecewise((1 / rise, zeta < 0), (1 + 5 * Min(zeta, 20, evaluate=False), True)))
cell.store(drag.here, ratio * ratio * speed)
cell.store(slope.here, ratio * phi_m / (air.karman * first_height))
clouds.add("ground", [If(grid.level("order_z") <= 0, cell.statements)])


# --- Subgrid stress 2 K S_ij and flux K / Pr dphi/dx_i of J. Smagorinsky, Mon. Wea. Rev. 91, 99 (1963) ------
def open_face(at):
    """Whether the face below a cell lies between two cells."""
    return grid.level("order_z", at) > 0


def per(axis, at):
    """1 / distance of the centres on both sides of a cell's lower face."""
    return grid.per(axis) if axis < 2 else grid.level("per_distance", at[2])


def twice_strain(a, c, at, ground=None):
    """du_a/dx_c + du_c/dx_a on the edge of two lower faces of a cell. At the lid nothing slips; ground: what
    stands there for du_a/dz in the lowest cell."""
    steep = per(c, at) * (velocity[a][at] - velocity[a][moved(at, c)])
    if c == 2:
        steep = Piecewise((steep, open_face(at[2])), (0, True))
        if ground is not None:
            steep = Piecewise((steep, open_face(0)), (ground, True))
    return steep + per(a, at) * (velocity[c][at] - velocity[c][moved(at, a)])


def edge_viscosity(a, c, at):
    """The mean of the four cells around an edge."""
    return (K[at] + K[moved(at, a)] + K[moved(at, c)] + K[moved(moved(at, a), c)]) / 4


def squared_strain(cell):
    """2 S_ij S_ij in the middle of a cell: means of the squares on its edges."""
    along = [
        (grid.per(n) if n < 2 else grid.level("per_height")) * (velocity[n][shift(n)] - velocity[n].here)
        for n in range(3)
    ]
    total = 2 * (along[0] ** 2 + along[1] ** 2 + along[2] ** 2)
    for a, c in ((0, 1), (0, 2), (1, 2)):
        for n, at in enumerate(((0, 0, 0), shift(a), shift(c), moved(shift(a), c, 1))):
            full = velocity[a][moved(at, c, -at[c])] + (u_frame if a == 0 else 0)
            ground = slope.here * full if c == 2 else None
            edge = cell.let(f"strain_{'xyz'[a]}{'xyz'[c]}_{n}", twice_strain(a, c, at, ground))
            total = total + edge**2 / 4
    return cell.let("strain2", total)


def gradient(cell, phi):
    """dphi/dz over two levels; at ground and lid over one."""
    above = cell.let(f"above_{phi.name}", Piecewise((phi[0, 0, 1], open_face(1)), (phi.here, True)))
    below = cell.let(f"below_{phi.name}", Piecewise((phi[0, 0, -1], open_face(0)), (phi.here, True)))
    return cell.let(f"gradient_{phi.name}", grid.level("per_span") * (above - below))


def stability(cell, wet, theta):
    """N^2 = g / tv0 (A dtheta_l/dz + B dq/dz), with other A and B in clouds (J. W. Deardorff, J. Geophys.
    Res. 81, 4131, 1976)."""
    heat = air.latent / air.heat
    warm = cell.let("warm", air.latent / (air.gas_vapour * wet.T))
    wet_a = (1 - q.here + wet.q_s / air.molecular_ratio * (1 + warm)) / (1 + heat * warm * wet.q_s / wet.T)
    in_cloud = cell.let("wet_a", wet_a)
    a = cell.let("a", Piecewise((in_cloud, wet.q_c > 0), (1 + air.lightness * q.here, True)))
    wet_b = in_cloud * heat / exner.here - theta
    b_here = cell.let("slope_q", Piecewise((wet_b, wet.q_c > 0), (air.lightness * theta, True)))
    return cell.let("n2", lift.here * (a * gradient(cell, th) + b_here * gradient(cell, q)))


def stress_divergence(cell, a):
    """d(rho tau_ab)/dx_b / rho of u_a. At the ground the stress is drag times the wind."""
    terms = []
    for c in range(3):
        fluxes = []
        for upper in (0, 1):
            at = shift(c, upper)
            if a == c:
                at = moved(at, a)
                width = grid.per(a) if a < 2 else grid.level("per_height", at[2])
                flux = 2 * K[at] * width * (velocity[a][moved(at, a, 1)] - velocity[a][at])
                flux = flux * grid.level("rho", at[2]) if a == 2 else flux
            else:
                flux = edge_viscosity(a, c, at) * twice_strain(a, c, at)
                if c == 2:
                    wind = velocity[a].here + (u_frame if a == 0 else 0)
                    rough = (drag.here + drag[shift(a, -1)]) / 2 * wind if upper == 0 else 0
                    inner = cell.let(f"inner_{'xyz'[a]}_{upper}", flux)
                    flux = grid.level("rho_face", upper) * Piecewise((inner, open_face(upper)), (rough, True))
            fluxes.append(cell.let(f"tau_{'xyz'[a]}{'xyz'[c]}_{upper}", flux))
        weight = grid.per(c) if c < 2 else grid.level("per_mass" if a < 2 else "per_face_mass")
        terms.append(weight * (fluxes[1] - fluxes[0]))
    total = cell.let(f"mixing_{'xyz'[a]}", sum(terms))
    return total if a < 2 else cell.let("mixing_w", grid.open(total))


def flux_divergence(cell, phi, ground, lid):
    """d(rho K_h dphi/dx_i)/dx_i / rho; ground: the flux there; lid: the gradient there."""
    total = 0
    for c in range(3):
        fluxes = []
        for upper in (0, 1):
            at = shift(c, upper)
            flux = PER_PRANDTL * (K[at] + K[moved(at, c)]) / 2 * per(c, at) * (phi[at] - phi[moved(at, c)])
            if c == 2:
                inner = cell.let(f"inner_{phi.name}_{upper}", flux)
                outer = PER_PRANDTL * K.here * lid if upper else -ground
                flux = grid.level("rho_face", upper) * Piecewise((inner, open_face(upper)), (outer, True))
            fluxes.append(cell.let(f"mixed_{phi.name}_{'xyz'[c]}{upper}", flux))
        weight = grid.per(c) if c < 2 else grid.level("per_mass")
        total = total + weight * (fluxes[1] - fluxes[0])
    return cell.let(f"mixing_{phi.name}", total)


# --- Viscosity K = l^2 sqrt(S^2 - N^2 / Pr), cloud water, and what limits the time step ---------------------
cell = Equations(fields=NAMES)
wet, theta = moist(cell)
room = cell.let("room", squared_strain(cell) - PER_PRANDTL * stability(cell, wet, theta))
viscosity = cell.let("viscosity", length2.here * sqrt(Max(room, 0, evaluate=False)))
cell.store(K.here, viscosity)
cell.store(cloud.here, wet.q_c)
per_h = grid.level("per_height")
courant = Abs(u.here) * grid.per(0) + Abs(v.here) * grid.per(1) + Abs(w.here) * per_h
spread = PER_PRANDTL * viscosity * (grid.per(0) ** 2 + grid.per(1) ** 2 + per_h**2)
clouds.add(
    "eddies", [*cell.statements, Reduce("max", "advection", courant), Reduce("max", "diffusion", spread)]
)


# --- Momentum and scalars: phi_next = phi_old + step F(phi) -------------------------------------------------
def subsidence(w_large, phi):
    """-w dphi/dz of air that sinks: the difference to the cell above."""
    return -w_large.here * grid.level("per_distance", 1) * (phi[0, 0, 1] - phi.here)


def momentum(order):
    """u, v and w of a stage."""
    cell = Equations(fields=NAMES)
    advection = anelastic.Advection(cell, grid, order=order).momentum()
    cell.section("Subgrid stress")
    mixing = [stress_divergence(cell, axis) for axis in range(3)]
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
    rows = zip("uvw", (u_old, v_old, w_old), (u_next, v_next, w_next), advection, mixing, forces, strict=True)
    for name, old, following, advected, mixed, force in rows:
        rate = cell.let(f"rate_{name}", advected + mixed + cell.let(f"force_{name}", force))
        cell.store(following.here, old.here + step * rate)
    return cell.statements


def scalars(order):
    """theta_l and total water of a stage."""
    cell = Equations(fields=NAMES)
    advection = anelastic.Advection(cell, grid, order=order)
    rows = (
        (th, th_old, th_next, th0, heating, theta_flux, theta_slope),
        (q, q_old, q_next, q0, moistening, water_flux, water_slope),
    )
    for phi, old, following, at_rest, source, ground, lid in rows:
        advected = advection.scalar(phi)
        mixed = flux_divergence(cell, phi, ground, lid)
        force = subsidence(w_ls, phi) + source.here - sponge.here * (phi.here - at_rest.here)
        rate = cell.let(f"rate_{phi.name}", advected + mixed + cell.let(f"force_{phi.name}", force))
        cell.store(following.here, old.here + step * rate)
    return cell.statements


for suffix, order in (("", 5), ("_centred", 2)):
    clouds.add(f"momentum{suffix}", momentum(order))
    clouds.add(f"scalars{suffix}", scalars(order))
clouds.add_halo("eddies_halo", ["eddies"])
clouds.add_halo("momentum_halo", ["momentum", "momentum_centred"])
clouds.add_halo("scalars_halo", ["scalars", "scalars_centred"])
