# SPDX-License-Identifier: Apache-2.0
"""Planes: values of columns that two sweeps share, and a plane that each cell reads."""

from falling_water import fall, mu, water
from heddle import Assignment, Module

columns = Module("columns", precisions=("f64", "f32"), about="Values of columns, and sweeps that share them.")
columns.add("fall", fall)
columns.add("scale", [Assignment(water.here, water.here * mu.here)])
