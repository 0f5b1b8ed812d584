# SPDX-License-Identifier: Apache-2.0
"""Subsidence that acts on the means of levels, for the large-eddy simulation of model.py:

    dphi/dt = ... - w_ls d<phi>/dz,    phi = u, v, theta_l, q

where < > is the mean of a level. The mean of a difference is the difference of the means, so a level needs
nothing of the one above it but ghost cells. All arithmetic is in double precision.
"""

from heddle import Assignment, Module, Schedule, Threads, fields, parameters, tables
from heddle.atmosphere.large_eddies import level_means
from heddle.atmosphere.large_eddies.grid import shift

PHI = ("u", "v", "th", "q")
now = fields("u, v, th, q: real[3D]")
sinking = Module(
    "clouds_sinking",
    precisions=("f64", "f32/f64"),
    about="Subsidence on the means of levels, for a moist large-eddy simulation.",
)

# --- Sums over rows of phi(k + 1) - phi(k) ------------------------------------------------------------------
rows = level_means.rows("rows", len(PHI))
rises = level_means.row_sums(rows, [phi[shift(2)] - phi.here for phi in now])
sinking.add("rises", rises, schedule=Schedule(gpu=Threads(block=(128, 1, 1), row_pieces=True)))
sinking.add_halo("rises_halo", ["rises"])

# --- Rates of levels: weight -w_ls / (distance of centres * cells of a level), times the sum of the rows ----
# A column here is a level, and its cells are rows: the caller gives views with axes that are exchanged.
weights = fields("weight_u, weight_v, weight_th, weight_q: double[xy]")
rates = fields("rate_u, rate_v, rate_th, rate_q: double[xy]")
lines = level_means.rows("lines", len(PHI))
total, sums = level_means.over_rows(lines)
results = [
    Assignment(rate.here, weight.here * value)
    for rate, weight, value in zip(rates, weights, sums, strict=True)
]
sinking.add("levels", [total, *results])

# --- What they add in a stage -------------------------------------------------------------------------------
following = fields("u_next, v_next, th_next, q_next: real[3D]")
of_level = fields("level_u, level_v, level_th, level_q: double[3D]")  # the same in all cells of a level
length = tables("length: real[1]")
share = parameters("share")
sinking.add(
    "sink",
    [
        Assignment(phi.here, phi.here + share * length.gather(0) * rate.here)
        for phi, rate in zip(following, of_level, strict=True)
    ],
)
