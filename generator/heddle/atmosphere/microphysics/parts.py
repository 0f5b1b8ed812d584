# SPDX-License-Identifier: Apache-2.0
"""A step in three kernels: what cells compute alone has a thread per cell of a GPU, not one per column."""

from __future__ import annotations

from dataclasses import dataclass

from heddle.model.assignment import AssignmentCollection
from heddle.model.field import Field


@dataclass(frozen=True)
class Parts:
    """One after the other they have the bits of the step of a scheme. speeds: of what falls, per cell, in the
    scratch fields; falls: per column; changes: per cell."""

    speeds: AssignmentCollection
    falls: AssignmentCollection
    changes: AssignmentCollection


def plane(given: Field | str, dtype: str = "real") -> Field:
    """A field with a value per column: the one given, or one of this name and type."""
    return given if isinstance(given, Field) else Field(given, dtype, rank=2, ghost_layers=0, plane=True)
