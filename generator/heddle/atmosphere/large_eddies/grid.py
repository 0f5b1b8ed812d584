# SPDX-License-Identifier: Apache-2.0
"""An Arakawa C grid with levels of any height, for air whose density varies with height only.

`u[0, 0, 0]` is the velocity through the face at the lower end of the cell along x, `v` along y, `w` along z,
upwards; scalars lie in the middle of cells. Along x and y the grid is periodic, or another kernel fills its
ghost cells. At the ground and at the lid w is 0, in memory too: also on the upper face of the last cell,
which is the first ghost level. Other ghost levels are read where a stencil is wider than the column, and
their contents do not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import sympy

from heddle.atmosphere.advection import face_orders
from heddle.errors import KernelError, calling_place
from heddle.model.equations import Equations, add, multiply, quantity
from heddle.model.field import Access, Field, declare

PROFILES = (
    "rho", "rho_face", "per_height", "per_distance", "per_span", "mass", "per_mass", "per_face_mass",
    "order_z",
)  # fmt: skip
"""What kernels take per level, real[z]. Entry k belongs to cell k or to the face below it.

rho: density of a cell, kg m-3. rho_face: on its lower face. per_height: 1/h, m-1, h: height of a cell.
per_distance: 1/d, m-1, d = (h[k] + h[k-1])/2: between the middles of the cells at a face. per_span: m-1,
one over the distance between the middles of the cells above and below; at the ground and the lid, of the only
one and its own. mass: rho h, kg
m-2. per_mass: 1/(rho h). per_face_mass: 1/(rho_face d). order_z: of the value on a face, `face_orders`: 0 at
the ground and at the lid. rho_face and order_z have an entry for the lid, in the first ghost level.
"""
NUMBERS = ("per_x", "per_y")
"""Arguments of kernels: 1/dx and 1/dy, m-1."""


@dataclass(frozen=True)
class Grid:
    """velocity: names of the fields on faces. ghost_layers: of all fields; advection of order 5 needs 3
    of them, all else 1."""

    velocity: tuple[str, str, str] = ("u", "v", "w")
    ghost_layers: int = 3

    def __post_init__(self) -> None:
        declare([*self.faces, *(self.profile(name) for name in PROFILES)])

    @property
    def names(self) -> tuple[str, ...]:
        """Of all fields, profiles and numbers, for `Equations(fields=...)`."""
        return (*self.velocity, *PROFILES, *NUMBERS)

    @property
    def faces(self) -> tuple[Field, Field, Field]:
        """The velocities."""
        u, v, w = (self.scalar(name) for name in self.velocity)
        return u, v, w

    def scalar(self, name: str) -> Field:
        """A field with as many ghost layers."""
        return Field(name, ghost_layers=self.ghost_layers)

    def profile(self, name: str) -> Field:
        """A profile along z."""
        return Field(name, rank=1, profile=2, ghost_layers=self.ghost_layers)

    def level(self, name: str, by: int = 0) -> Access:
        """The value of a profile so many levels above the current cell."""
        return self.profile(name)[by]

    def per(self, axis: int) -> sympy.Expr:
        """1/dx or 1/dy."""
        return quantity(NUMBERS[axis])

    def open(self, value: sympy.Expr, by: int = 0) -> sympy.Expr:
        """The value, but 0 where the lower face of the cell so many levels above is the ground or the lid."""
        return sympy.Piecewise((value, self.level("order_z", by) > 0), (0, True))


def shift(axis: int, by: int = 1) -> tuple[int, int, int]:
    """Offsets of the cell so many cells further along an axis."""
    x, y, z = (by if other == axis else 0 for other in range(3))
    return x, y, z


def moved(at: Sequence[int], axis: int, by: int = -1) -> tuple[int, int, int]:
    """Offsets, so many cells further along an axis."""
    x, y, z = (n + by * (other == axis) for other, n in enumerate(at))
    return x, y, z


def onto_face(cell: Equations, grid: Grid, above: sympy.Expr, below: sympy.Expr, name: str) -> sympy.Expr:
    """Emit the mean, on the lower face of a cell, of a value in the cell and of that in the cell below; 0 at
    the ground. For the buoyancy that acts on w: with the mean of scalars as their value on faces, the work of
    the one is what the other takes from potential energy."""
    mean = cell.let(f"mean_{name}", multiply(sympy.Rational(1, 2), add(above, below)))
    return cell.let(name, grid.open(mean))


def levels(
    heights: Sequence[float], rho: Sequence[float], rho_face: Sequence[float], order: int = 5
) -> dict[str, list[float]]:
    """All profiles, from the heights of cells (m), their densities and those on faces (kg m-3), from the
    ground to the lid: of each n + 1 entries for n cells; where the last one belongs to no cell it is 0.

    order: of advection along z. Raises KernelError for heights or densities that are not positive, and for
    numbers of entries that do not fit.
    """
    n = len(heights)
    for name, values, size in (("heights", heights, n), ("rho", rho, n), ("rho_face", rho_face, n + 1)):
        if not values or len(values) != size or not min(values) > 0:
            raise KernelError(
                calling_place(),
                f"{name} has {len(values)} entries, of which the smallest is {min(values, default=None)}.",
                f"give {size or 'some'} positive ones: as many as cells, and for rho_face one more",
            )
    apart = [heights[0], *((a + b) / 2 for a, b in pairwise(heights)), heights[-1]]
    mass = [h * r for h, r in zip(heights, rho, strict=True)]
    return {
        "rho": [*rho, 0.0],
        "rho_face": list(rho_face),
        "per_height": [*(1 / h for h in heights), 0.0],
        "per_distance": [1 / d for d in apart],
        "per_span": [*(1 / (a + b) for a, b in pairwise([0.0, *apart[1:-1], 0.0])), 0.0],
        "mass": [*mass, 0.0],
        "per_mass": [*(1 / m for m in mass), 0.0],
        "per_face_mass": [1 / (d * r) for d, r in zip(apart, rho_face, strict=True)],
        "order_z": [float(one) for one in face_orders(n, order)],
    }
