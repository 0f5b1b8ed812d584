# SPDX-License-Identifier: Apache-2.0
from heddle import Assignment, Module, Reduce, Schedule, fields, parameters
from sympy import Abs

p, source = fields("p, source: real[2D]")
omega = parameters("omega")

around = p[1, 0] + p[-1, 0] + p[0, 1] + p[0, -1]
residual = source.here - (around - 4 * p.here)

poisson = Module(
    "poisson", about="Laplacian of p = source, by successive over-relaxation.", precisions=("f64",)
)
poisson.add("sweep", [Assignment(p.here, p.here - omega / 4 * residual)], schedule=Schedule(colours=2))
poisson.add("check", [Reduce("max", "largest", Abs(residual)), Reduce("sum", "total", p.here)])
