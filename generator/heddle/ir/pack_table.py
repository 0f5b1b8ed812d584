# SPDX-License-Identifier: Apache-2.0
"""The table of boxes that a pack kernel runs over: a row of numbers for each box."""

from __future__ import annotations

from heddle.ir.layout import ENTRIES
from heddle.ir.nodes import I32, I64, Field, Symbol

COLUMNS = ("field", "component", "x_begin", "y_begin", "z_begin", "x_count", "y_count", "z_count", "first")
TABLE = Field("boxes", I32, 1, 0, 0, ENTRIES)
COUNT, LONGEST = Symbol("box_count", I64), Symbol("longest", I64)
"""The number of boxes, and the number of cells of the largest."""
