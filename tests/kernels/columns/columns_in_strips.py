# SPDX-License-Identifier: Apache-2.0
"""The same columns side by side, in vector lanes."""

from falling_water import fall
from heddle import Module, Schedule, Strips

columns_in_strips = Module("columns_in_strips", precisions=("f64", "f32"), about="Columns of a strip.")
columns_in_strips.add("step", fall, schedule=Schedule(cpu=Strips(8)))
