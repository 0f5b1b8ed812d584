# SPDX-License-Identifier: Apache-2.0
"""Incompressible flow on a staggered grid: `from heddle import staggered`.

grid = staggered.Grid(("u", "v", "w"), pressure="p")   # per_x, per_y and profiles along z are arguments
module.add("divergence", grid.divergence_into(right, scale="scale"))
module.add("correct", grid.correction("step"))
"""

from heddle.symbolic.staggered import Grid, face_copy, face_correction, face_open

__all__ = ["Grid", "face_copy", "face_correction", "face_open"]
