# SPDX-License-Identifier: Apache-2.0
"""The model of examples/python/fit_diffusivity.py, and one with sums, for tests with frameworks."""

from __future__ import annotations

from typing import Any

import numpy as np
from heddle import Assignment, Module, Reduce, fields, lbm, parameters, profiles
from sympy import Piecewise

CELLS, STEPS = (7, 9), 5


def diffusion() -> Module:
    """A step whose coefficient is to be found, a step in place, and a sum without adjoint; a sweep over a
    face, a profile, and a condition for each cell."""
    u, u_next, kappa = fields("u, u_next, kappa: real[2D]")
    alpha = parameters("alpha")
    sides = (1, 0), (-1, 0), (0, 1), (0, -1)
    flow = sum((kappa.here + kappa[to]) / 2 * (u[to] - u.here) for to in sides)
    module = Module("fitting", precisions=("f64", "f32"))
    step = [Assignment(u_next.here, u.here + alpha * flow), Reduce("sum", "energy", u.here**2 / 2)]
    module.add("step", step)
    module.add("grow", [Assignment(u.here, u.here + alpha * u.here**2)])
    module.add("total", [Reduce("sum", "total", u.here)])
    weight = profiles("weight: real[y]")
    module.add("layered", [Assignment(u_next.here, u[1, 0] * weight[0] + weight[1])])
    fluid = fields("fluid: bool[2D]")
    module.add("masked", [Assignment(u_next.here, Piecewise((u.here, fluid.here), (0, True)))])
    moving = lbm.VelocityBounceBack(("u_lid", 0))
    module.add("lid", lbm.Pull(lbm.Lattice("D2Q9")).boundary(moving, face="n"))
    module.add_adjoint("step", of=("u", "kappa", "alpha"))
    module.add_adjoint("grow")
    return module


def numbers() -> tuple[Any, Any]:
    """A start, and rates."""
    random = np.random.default_rng(1)
    return random.random(CELLS), 0.05 + 0.1 * random.random(CELLS)
