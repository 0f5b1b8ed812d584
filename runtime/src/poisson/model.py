# SPDX-License-Identifier: Apache-2.0
"""The columns of a Poisson problem with transformed horizontal directions: a tridiagonal system a mode."""

from heddle import Module, Schedule, Strips, fields, profiles
from heddle.solvers.tridiagonal import eliminate, eliminate_periodic

reach, ratio, p = fields("reach, ratio, p: real[3D]", ghost_layers=0)
density, excess = profiles("density, excess: real[z]", ghost_layers=0)
lambda_x = profiles("lambda_x: real[x]", ghost_layers=0)
lambda_y = profiles("lambda_y: real[y]", ghost_layers=0)
lower, upper = profiles("lower, upper: real[z]", ghost_layers=0)

rows = {
    "lower": lower.here,
    "upper": upper.here,
    "excess": density.here * (lambda_x.here + lambda_y.here) + excess.here,
}
# Up to 320 columns side by side: long rows of memory, and what is carried stays in the first cache. The
# solver brings its own threads, and cuts rows so that columns and scratch stay in the second cache.
columns = Schedule(cpu=Strips(320, parallel=False))

poisson_columns = Module(
    "poisson_columns", precisions=("f64", "f32"), about="Columns of a Poisson problem, without a subtraction."
)
poisson_columns.add("walls", eliminate(p, ratio, **rows), schedule=columns)
poisson_columns.add("periodic", eliminate_periodic(p, ratio, reach, **rows), schedule=columns)
