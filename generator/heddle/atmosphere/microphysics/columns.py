# SPDX-License-Identifier: Apache-2.0
"""What all schemes have: fields, given by name or as fields that a model has already, and a time step."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

from heddle.atmosphere.quirks import check_quirks
from heddle.errors import KernelError, calling_place
from heddle.model.field import Field, Parameter, declare


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """The entries of a scheme that are no words are its fields. dt: name of the argument with the time step
    (s). quirks: one of QUIRKS.

    Raises KernelError for what is no field of that kind, for one field in two places, for a dt that is no
    name, and for other quirks.
    """

    planes: ClassVar[tuple[str, ...]] = ()
    """Entries with one value per column. All others have one per cell."""
    words: ClassVar[tuple[str, ...]] = ("dt", "quirks", "gamma")
    """Entries that are no fields."""
    dt: str = "dt"
    quirks: str = "none"

    def __post_init__(self) -> None:
        check_quirks(self.quirks)
        if not isinstance(self.dt, str):
            raise KernelError(
                calling_place(),
                f"dt={self.dt!r} is not a name.",
                'pass the name of the argument with the time step, such as "dt"',
            )
        entries: dict[str, str] = {}
        for entry, field in self._fields().items():
            other = entries.setdefault(field.name, entry)
            if other != entry:
                raise KernelError(
                    calling_place(),
                    f"'{field.name}' is both {other} and {entry}.",
                    "pass two fields, or two names",
                )

    def arguments(self) -> tuple[dict[str, Field], Parameter]:
        """The fields by their entries, and the time step, declared in this order."""
        found, dt = self._fields(), Parameter(self.dt)
        declare((*found.values(), dt))
        return found, dt

    def _fields(self) -> dict[str, Field]:
        names = [entry.name for entry in dataclasses.fields(self) if entry.name not in self.words]
        return {name: _field(name, getattr(self, name), name in self.planes) for name in names}


def _field(entry: str, given: Field | str, plane: bool) -> Field:
    """A field with a value per column (plane) or per cell. Raises KernelError for anything else."""
    kind = "xy" if plane else "3D"
    if isinstance(given, str):
        return Field(given, rank=2 if plane else 3, ghost_layers=0, plane=plane)
    if not isinstance(given, Field):
        raise KernelError(
            calling_place(),
            f"{entry}={given!r} is neither a field nor a name.",
            f"pass a field declared as [{kind}], or its name",
        )
    if plane and not given.plane:
        raise KernelError(
            calling_place(),
            f"'{given.name}' has no value per column.",
            "declare it as [xy], or pass its name",
        )
    if not plane and (given.rank != 3 or given.components or given.split):
        raise KernelError(
            calling_place(),
            f"'{given.name}' has no value per cell of a column.",
            "declare it as [3D], or pass its name",
        )
    return given
