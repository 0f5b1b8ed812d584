# SPDX-License-Identifier: Apache-2.0
"""What all schemes have: fields, given by name or as fields that a model has already, and a time step."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import sympy

from heddle.atmosphere.quirks import check_quirks
from heddle.errors import KernelError, calling_place
from heddle.model.field import Access, Field, Parameter, declare


@dataclass(frozen=True)
class Component:
    """One component of a field, where a scheme has a field of its own: `Kessler(qv=tracers.component(1))`."""

    field: Field
    number: int

    @property
    def name(self) -> str:
        """Of the field and the component, for messages."""
        return f"{self.field.name}.component({self.number})"

    @property
    def here(self) -> Access:
        """The value in the current cell."""
        return self.field.component(self.number)

    def at_level(self, level: sympy.Expr | int) -> sympy.Expr:
        """The value at a level of the current column."""
        return self.field.at_level(level, component=self.number)


Quantity = Field | Component
"""What a scheme reads and writes per cell or per column."""


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """The entries of a scheme that are no words are its fields, or components of them. dt: name of the
    argument with the time step (s). quirks: "none", or the name of the original.

    Raises KernelError for what is no field of that kind, for one field in two places, for a dt that is no
    name, and for other quirks.
    """

    planes: ClassVar[tuple[str, ...]] = ()
    """Entries with one value per column. All others have one per cell."""
    words: ClassVar[tuple[str, ...]] = ("dt", "quirks", "gamma")
    """Entries that are no fields."""
    original: ClassVar[str] = "wrf"
    """The model that the scheme is from."""
    dt: str = "dt"
    quirks: str = "none"

    def __post_init__(self) -> None:
        check_quirks(self.quirks, self.original)
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

    def arguments(self) -> tuple[dict[str, Quantity], Parameter]:
        """The fields by their entries, and the time step, declared in this order."""
        found, dt = self._fields(), Parameter(self.dt)
        whole = dict.fromkeys(one.field if isinstance(one, Component) else one for one in found.values())
        declare((*whole, dt))
        return found, dt

    def _fields(self) -> dict[str, Quantity]:
        names = [entry.name for entry in dataclasses.fields(self) if entry.name not in self.words]
        return {name: _field(name, getattr(self, name), name in self.planes) for name in names}


def _field(entry: str, given: Field | Access | str, plane: bool) -> Quantity:
    """A field with a value per column (plane) or per cell. Raises KernelError for anything else."""
    if isinstance(given, Access) and not plane and given.field.components and given.field.rank == 3:
        if any(given.offsets):
            raise KernelError(
                calling_place(),
                f"{entry}={given} is the component of another cell.",
                f"pass {given.field.name}.component({given.component})",
            )
        return Component(given.field, given.component)
    kind = "xy" if plane else "3D"
    if isinstance(given, str):
        return Field(given, rank=2 if plane else 3, ghost_layers=0, plane=plane)
    if not isinstance(given, Field):
        raise KernelError(
            calling_place(),
            f"{entry}={given!r} is neither a field nor a name.",
            f"pass a field declared as [{kind}], or its name" + ("" if plane else "; or field.component(n)"),
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
