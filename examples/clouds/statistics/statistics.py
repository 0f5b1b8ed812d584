# SPDX-License-Identifier: Apache-2.0
"""Statistics of the large-eddy simulation of model.py: sums over rows along x, for means of levels.

All arithmetic is in double precision, whatever the fields are. Fluxes are those through the lower faces of
cells, upward; u and v lie at the centres of cells in means and variances, and where the scheme has them in
fluxes. The order of sums is the order of the enumerations in statistics.cpp.
"""

from dataclasses import replace

from heddle import Module, Rows, Scan, Schedule, Threads, fields, parameters, profiles
from heddle.atmosphere.large_eddies import anelastic, level_means, subgrid
from heddle.atmosphere.large_eddies.air import Air, number
from heddle.atmosphere.large_eddies.grid import Grid
from heddle.model.assignment import Assignment
from heddle.model.equations import Equations
from sympy import And, Integer, Max, Piecewise, Symbol

air = Air()
OFFSET = Integer(300)

grid = Grid()
u, v, w = grid.faces
th, q = grid.scalar("th"), grid.scalar("q")
cloud, r, K, heating, drag = fields("cloud, r, K, heating, drag: real[3D]", ghost_layers=3)
theta_flux, water_flux = fields("theta_flux, water_flux: real[3D]", ghost_layers=3)
fallen = fields("fallen: double[3D]", ghost_layers=3)
densest, fastest = fields("densest, fastest: real[xy]")
exner, length2 = profiles("exner, length2: real[z]")
mean_u, mean_v, mean_th, mean_q, mean_tv, mean_w = profiles(
    "mean_u, mean_v, mean_th, mean_q, mean_tv, mean_w: double[z]"
)
u_frame, v_frame, background, per_prandtl = parameters("u_frame, v_frame, background, per_prandtl")
cloud_above = parameters("cloud_above")
NAMES = (*grid.names, "th", "q", "cloud", "r", "K", "heating", "drag", "exner", "length2")

statistics = Module(
    "clouds_statistics",
    precisions=("f64", "f32/f64"),
    about="Sums of rows for the statistics of a moist large-eddy simulation.",
)


def warmth(cell, by=0):
    """theta - 300 K and tv - 300 K of the cell so many levels above."""
    at = (0, 0, by)
    where = "_below" if by else ""
    condensed = number(air.warming) / exner[by] * cloud[at]
    theta = cell.let(f"theta{where}", th[at] + condensed)
    vapour = number(air.lightness) * q[at] - (1 + number(air.lightness)) * cloud[at] - r[at]
    lighter = cell.let(f"lighter{where}", vapour)
    return theta, cell.let(f"tv{where}", theta + (OFFSET + theta) * lighter)


def at_centre(cell):
    """The wind in the middle of the cell."""
    winds = (u.here + u[1, 0, 0]) / 2, (v.here + v[0, 1, 0]) / 2, (w.here + w[0, 0, 1]) / 2
    return [cell.let(f"{name}_centre", wind) for name, wind in zip("uvw", winds, strict=True)]


def within(belongs, values):
    """The share of cells, and of values in them."""
    return [Piecewise((value, belongs), (0, True)) for value in (1, *values)]


def means(order):
    """Means, clouds, fluxes that the scheme of this order advects, and those of eddies."""
    cell = Equations(fields=NAMES)
    theta, tv = warmth(cell)
    _, tv_below = warmth(cell, -1)
    *wind, rise = at_centre(cell)
    clouds = within(cloud.here > cloud_above, (th.here, q.here, cloud.here, rise))
    eddies = subgrid.energy(cell, K.here - background, length2.here)
    eddies = Piecewise((eddies, length2.here > 0), (0, True))
    moved = anelastic.Advection(cell, grid, order=order)
    advected = [moved.vertical_flux(th), moved.vertical_flux(q)]
    mass_flux = grid.level("rho_face") * w.here / 2
    averaged = [
        grid.open(mass_flux * (cloud.here + cloud[0, 0, -1])),
        grid.open(mass_flux * (tv + tv_below)),
    ]
    advected += [*averaged, moved.vertical_momentum_flux(0), moved.vertical_momentum_flux(1)]
    spread = subgrid.Diffusion(cell, grid, K, per_prandtl)
    mixed = [spread.vertical_flux(phi) for phi in (th, q, cloud)]
    K_h = per_prandtl * (K.here + K[0, 0, -1]) / 2
    mixed.append(grid.open(-K_h * grid.level("per_distance") * (tv - tv_below)))
    mixed += [spread.vertical_momentum_flux(0), spread.vertical_momentum_flux(1)]
    profile = [*wind, th.here, q.here, cloud.here, r.here, theta, tv, heating.here, w.here, eddies]
    sums = [*profile, *clouds, *advected, *mixed]
    return [*cell.statements, *level_means.row_sums(level_means.rows("rows", len(sums)), sums)]


# Deviations from the means: variances, and cores, which are clouds with air that is lighter than the mean
def deviations():
    cell = Equations(fields=NAMES)
    _, tv = warmth(cell)
    *wind, rise = at_centre(cell)
    pairs = [*zip((*wind, th.here, q.here), (mean_u, mean_v, mean_th, mean_q), strict=True)]
    squares = [cell.let(f"from_mean_{n}", value - mean.here) ** 2 for n, (value, mean) in enumerate(pairs)]
    up = cell.let("up", w.here - mean_w.here)
    core = And(cloud.here > cloud_above, tv > mean_tv.here)
    sums = [*squares, up**2, up**3, *within(core, (th.here, q.here, cloud.here, rise))]
    return [*cell.statements, *level_means.row_sums(level_means.rows("rows", len(sums)), sums)]


# The lowest level alone: stress, fluxes from the sea, rain
def lowest():
    winds = (u.here + u[1, 0, 0]) / 2 + u_frame, (v.here + v[0, 1, 0]) / 2 + v_frame
    stress = [-drag.here * wind for wind in winds]
    sums = [*stress, theta_flux.here, water_flux.here, fallen.here]
    return level_means.row_sums(level_means.rows("rows", len(sums)), sums)


# A block of threads of a GPU goes along a row.
rows = Schedule(fma=True, cpu=Rows(unit_stride=True), gpu=Threads(block=(128, 1, 1), row_pieces=True))
for name, order in (("means", 5), ("means_centred", 2)):
    statistics.add(name, means(order), schedule=rows)
statistics.add("deviations", deviations(), schedule=rows)
statistics.add("lowest", lowest(), schedule=replace(rows, cpu=Rows()))  # may have other strides

# Columns: where there is any cloud, and the largest w
dense, fast = Symbol("dense"), Symbol("fast")
column = Scan(2, {dense: 0, fast: 0}, [], {dense: Max(dense, cloud.here), fast: Max(fast, w.here)})
statistics.add("columns", [column, Assignment(densest.here, dense), Assignment(fastest.here, fast)])
statistics.add_halo("means_halo", ["means", "means_centred"])
statistics.add_halo("deviations_halo", ["deviations"])
