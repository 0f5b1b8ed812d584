# SPDX-License-Identifier: Apache-2.0
"""The flow that carries tracers: mass fluxes on faces, masses of cells, metric terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from heddle.model.equations import add, multiply, quantity
from heddle.model.field import Access, Field

SIDES = (("w", "e"), ("s", "n"), ("b", "t"))
"""Names of the faces of a cell: the lower and the upper one along x, y, z."""


@dataclass(frozen=True)
class Flow:
    """Names of what a flow is made of; the fields are `real`, the numbers arguments of kernels.

    fluxes: coupled mass fluxes through the lower faces of a cell: mu u / m_y in Pa m s-1, mu v / m_x, and
    mu deta/dt in Pa s-1, negative upwards. mass_old, mass: dry-air mass of the columns (planes, Pa) at the
    beginning of the step and at the end of the stage. c1, c2: profiles of the mass coordinate, 1 and 0 for a
    sigma coordinate. rdnw: inverse thickness of levels in eta, negative. fnm, fnp: weights of a level and of
    the one below it for the value on the face between them. map_factor: a plane, or "" for 1. rdx, rdy:
    inverse spacings (m-1). step: the time step of the stage (s). orders: one profile per axis with the
    order of the face value at the lower end of each cell; along x and y only for "specified" boundaries.
    ghost_layers: of fluxes, planes and profiles.
    """

    fluxes: tuple[str, str, str] = ("ru", "rv", "om")
    mass_old: str = "mu_old"
    mass: str = "mu"
    c1: str = "c1"
    c2: str = "c2"
    rdnw: str = "rdnw"
    fnm: str = "fnm"
    fnp: str = "fnp"
    map_factor: str = ""
    rdx: str = "rdx"
    rdy: str = "rdy"
    step: str = "dt"
    orders: tuple[str, str, str] = ("order_x", "order_y", "order_z")
    ghost_layers: int = 1

    @property
    def quantities(self) -> list[Field]:
        """All fields, in the order in which kernels take them."""
        planes = [self.mass_old, self.mass, *([self.map_factor] if self.map_factor else [])]
        levels = [self.c1, self.c2, self.rdnw, self.fnm, self.fnp]
        return [
            *(self.stored(name) for name in self.fluxes),
            *(self.plane(name) for name in planes),
            *(self.profile(name, 2) for name in levels),
            *(self.profile(name, axis) for axis, name in enumerate(self.orders)),
        ]

    @property
    def names(self) -> list[str]:
        """Of all fields and numbers."""
        return [*(one.name for one in self.quantities), self.rdx, self.rdy, self.step]

    def stored(self, name: str) -> Field:
        """A field of the flow, with a value for each cell,"""
        return Field(name, ghost_layers=self.ghost_layers)

    def plane(self, name: str) -> Field:
        """one with a value for each column,"""
        return Field(name, rank=2, plane=True, ghost_layers=self.ghost_layers)

    def profile(self, name: str, axis: int) -> Field:
        """and one with a value for each position along an axis."""
        return Field(name, rank=1, profile=axis, ghost_layers=self.ghost_layers)

    def number(self, name: str) -> sympy.Expr:
        """A number that kernels take."""
        return quantity(name)

    def level(self, name: str, by: int = 0) -> Access:
        """The value of a profile so many levels above the current cell."""
        return self.profile(name, 2)[by]

    def mass_of(self, name: str, x: int = 0, y: int = 0, z: int = 0) -> sympy.Expr:
        """M = c1 mu + c2 of a cell beside the current one."""
        return add(multiply(self.level(self.c1, z), self.plane(name)[x, y]), self.level(self.c2, z))

    def map_at(self, x: int = 0, y: int = 0) -> sympy.Expr:
        """The map factor of a column beside the current one."""
        return self.plane(self.map_factor)[x, y] if self.map_factor else sympy.Integer(1)

    def face(self, axis: int, upper: bool) -> Face:
        """A face of the current cell."""
        return Face(SIDES[axis][upper], axis, int(upper))

    def flux(self, face: Face) -> Access:
        """The mass flux through a face of the current cell."""
        return self.stored(self.fluxes[face.axis])[face.offsets(0)]

    def order(self, face: Face) -> Access:
        """The order that the value on a face of the current cell has."""
        return self.profile(self.orders[face.axis], face.axis)[face.shift]


@dataclass(frozen=True)
class Face:
    """A face of the current cell. name: w, e, s, n, b or t. shift: 1 for the upper one of its axis."""

    name: str
    axis: int
    shift: int

    def offsets(self, cell: int) -> tuple[int, int, int]:
        """Of the cell behind the face (0), of the one before it (-1), and so on along the axis."""
        x, y, z = (self.shift + cell if axis == self.axis else 0 for axis in range(3))
        return x, y, z

    def value(self, field: Field, cell: int, component: int) -> Access:
        """The value of a field in that cell."""
        at: Sequence[int] = self.offsets(cell)
        return field[(*at, component)] if field.components else field[tuple(at)]
