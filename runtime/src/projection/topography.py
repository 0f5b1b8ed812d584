# SPDX-License-Identifier: Apache-2.0
"""Projection around solid cells: closed faces, and conjugate gradients preconditioned by the box without
them.

The numbers of a step (alpha, beta) are quotients of sums that kernels before left in memory, read as profiles
with one value: each kernel divides them itself, so that no step waits for the host. A sum is that of a field
times the height of its cells, in which div grad is symmetric.
"""

import sympy
from heddle import Assignment, Module, Reduce, Schedule, Threads, fields, profiles
from heddle.solvers import staggered

openings = fields("open: uint8[3D]", ghost_layers=0)
grid = staggered.Grid(openings=openings)
p = grid.cells
right, q, r, pi, pre = fields("right, q, r, pi, pre: real[3D]")
p_q, r_z_before, r_z = profiles("p_q, r_z_before, r_z: real[z]", ghost_layers=0)
height = profiles("height: real[z]", ghost_layers=0)
fluid = sympy.Ne(openings.here, 0)
named, laplacian = grid.laplacian(p)
LEVELS_OF_A_THREAD = Schedule(gpu=Threads(coarsening=4))
"""On a device addresses cost more than arithmetic: four cells share them."""
product, residual, share = sympy.symbols("product residual share")


def quotient(above: sympy.Expr, below: sympy.Expr) -> sympy.Expr:
    """0 where there is nothing to divide by: all is solved."""
    return sympy.Piecewise((above / below, sympy.Ne(below, 0)), (0, True))


alpha = quotient(r_z.gather(0), p_q.gather(0))
beta = quotient(r_z.gather(0), r_z_before.gather(0))

projection_topography = Module(
    "projection_topography",
    precisions=("f64", "f32"),
    about="Pressure projection around solid cells: conjugate gradients, preconditioned by the box's solver.",
    citation="Hestenes and Stiefel 1952",
)
projection_topography.add("close", grid.close(), schedule=LEVELS_OF_A_THREAD)
projection_topography.add(
    "divergence", grid.divergence_into(right, scale="scale"), schedule=LEVELS_OF_A_THREAD
)
projection_topography.add("norms", grid.divergence_norms("largest", "total"), schedule=LEVELS_OF_A_THREAD)
projection_topography.add("correct", grid.open_correction("step"), schedule=LEVELS_OF_A_THREAD)
projection_topography.add(
    "start",
    [
        *named,
        Assignment(residual, sympy.Piecewise((right.here - laplacian, fluid), (0, True))),
        Assignment(r.here, residual),
        Reduce("sum", "total", height.here * residual),
    ],
    schedule=LEVELS_OF_A_THREAD,
)
projection_topography.add(
    "deflate",
    [
        Assignment(residual, sympy.Piecewise((r.here - sympy.Symbol("mean"), fluid), (0, True))),
        Assignment(r.here, residual),
        Assignment(pre.here, residual),
        Reduce("sum", "r_r", height.here * residual**2),
    ],
    schedule=LEVELS_OF_A_THREAD,
)
projection_topography.add(
    "apply",
    [
        *named,
        Assignment(product, laplacian),
        Assignment(q.here, product),
        Reduce("sum", "p_q_now", height.here * p.here * product),
    ],
    schedule=LEVELS_OF_A_THREAD,
)
projection_topography.add(
    "advance",
    [
        Assignment(residual, r.here - alpha * q.here),
        Assignment(r.here, residual),
        Assignment(pre.here, residual),
        Reduce("sum", "r_r", height.here * residual**2),
    ],
    schedule=LEVELS_OF_A_THREAD,
)
projection_topography.add(
    "weigh", [Reduce("sum", "r_z_now", height.here * r.here * pre.here)], schedule=LEVELS_OF_A_THREAD
)
projection_topography.add(
    "turn",
    [
        Assignment(product, p.here),
        Assignment(pi.here, pi.here + quotient(r_z_before.gather(0), p_q.gather(0)) * product),
        Assignment(p.here, pre.here + beta * product),
    ],
    schedule=LEVELS_OF_A_THREAD,
)
projection_topography.add(
    "finish", [Assignment(pi.here, pi.here + alpha * p.here)], schedule=LEVELS_OF_A_THREAD
)
