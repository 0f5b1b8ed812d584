# SPDX-License-Identifier: Apache-2.0
"""Planes of a field: ghost cells and outermost faces on the sides of a box, mean flow through levels."""

from heddle import Assignment, Module, Reduce, fields, parameters
from heddle.solvers import staggered

lower, upper, velocity = fields("lower, upper, velocity: real[2D]", ghost_layers=0)
inner, ghost = fields("inner, ghost: real[2D]", ghost_layers=0)
factor, value = parameters("factor, value")

projection_planes = Module(
    "projection_planes",
    precisions=("f64", "f32"),
    about="Sides of a box: planes of fields of three dimensions.",
)
projection_planes.add("fill", staggered.face_copy(inner.here, ghost.here, factor, value))
projection_planes.add(
    "face_correct", staggered.face_correction(velocity.here, upper.here, lower.here, factor)
)
projection_planes.add("face_open", staggered.face_open(velocity.here, upper.here, factor))
projection_planes.add("level_sum", [Reduce("sum", "total", velocity.here)])
projection_planes.add("level_add", [Assignment(velocity.here, velocity.here + value)])
