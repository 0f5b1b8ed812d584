# SPDX-License-Identifier: Apache-2.0
"""Levels of a field: boundary values, and what segments of columns on different ranks tell each other."""

from heddle import Assignment, Module, fields, parameters, profiles

below, level, plane, right = fields("below, level, plane, right: real[2D]", ghost_layers=0)
levels, others = fields("levels, others: real[3D]", ghost_layers=0)
side = fields("side: real[2D]", ghost_layers=0)  # a plane of y and z, or of x and z
density = profiles("density: real[y]", ghost_layers=0)
factor, value = parameters("factor, value")

poisson_planes = Module(
    "poisson_planes",
    precisions=("f64", "f32"),
    about="Planes of a Poisson problem: boundary values, couplings of levels on different ranks.",
)
poisson_planes.add("lift_side", [Assignment(side.here, side.here - value * density.here)])
poisson_planes.add("lift_level", [Assignment(level.here, level.here - value)])
poisson_planes.add("couple", [Assignment(level.here, level.here - factor * plane.here)])
poisson_planes.add("top_row", [Assignment(right.here, factor * below.here - level.here)])
poisson_planes.add("copy", [Assignment(levels.here, others.here)])
