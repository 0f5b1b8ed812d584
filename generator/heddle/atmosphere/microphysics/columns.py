# SPDX-License-Identifier: Apache-2.0
"""The fields of a scheme: given by name, or as fields that a model has already."""

from __future__ import annotations

from heddle.errors import KernelError, calling_place
from heddle.model.field import Field


def cells(given: Field | str) -> Field:
    """A field with a value per cell. Raises KernelError for a field of another kind."""
    if isinstance(given, str):
        return Field(given, ghost_layers=0)
    if given.rank != 3 or given.components or given.split:
        raise KernelError(
            calling_place(),
            f"'{given.name}' has no value per cell of a column.",
            "declare it as [3D], or pass its name",
        )
    return given


def plane(given: Field | str) -> Field:
    """A field with a value per column. Raises KernelError for a field of another kind."""
    if isinstance(given, str):
        return Field(given, rank=2, ghost_layers=0, plane=True)
    if not given.plane:
        raise KernelError(
            calling_place(),
            f"'{given.name}' has no value per column.",
            "declare it as [xy], or pass its name",
        )
    return given
