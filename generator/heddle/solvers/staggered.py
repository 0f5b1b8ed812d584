# SPDX-License-Identifier: Apache-2.0
"""A staggered grid (Arakawa C; Harlow and Welch 1965): scalars in the middle of cells, velocities on faces.

`u[0, 0, 0]` is the velocity through the face at the lower end of the cell along x, `v` along y, `w` along z;
the upper face belongs to the next cell. Spacings along x and y are constant, cells along z may have any
height, and the flow may have a density profile (anelastic):

    div(k)  = rho[k] ((u_e - u_w) / dx + (v_n - v_s) / dy)
              + (rho_face[k + 1] w_t - rho_face[k] w_b) / height[k]
    grad(k) = (p - p_w) / dx, (p - p_s) / dy, (p - p_b) / distance[k]

so that div grad is the operator of heddle::PoissonSolver. With constant density the flow is Boussinesq's.
These are the equations of PALM's `pres`, whose w is numbered one level lower.

grid = staggered.Grid(("u", "v", "w"), pressure="p")   # per_x, per_y and profiles along z are arguments
module.add("divergence", grid.divergence_into(right, scale="scale"))
module.add("correct", grid.correction("step"))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sympy

from heddle.errors import KernelError, Place, calling_place
from heddle.model.assignment import Assignment, AssignmentCollection, Reduce, Statement
from heddle.model.bits import has_bit
from heddle.model.equations import Scalar, quantity
from heddle.model.field import Access, Field, Parameter, block_coordinates, declare

_LOWER_BIT = (1, 3, 5)
"""Bits of the faces at the lower ends of a cell, see heddle.solvers.relaxation.FACES."""


def _shift(axis: int, by: int = 1) -> tuple[int, ...]:
    return tuple(by if other == axis else 0 for other in range(3))


@dataclass(frozen=True)
class Grid:
    """Velocity and pressure of a flow, and the weights of their differences.

    velocity: names of the fields on faces. pressure: of the field of cells. dtype: of velocity, weights and
    profiles. pressure_dtype: of the pressure. openings: a field with one bit per face
    (heddle.solvers.relaxation.FACES), 0 in solid cells; no flow passes closed faces.

    A grid declares the pressure and the velocities: among the fields of kernels they come in this order.
    """

    velocity: tuple[str, str, str] = ("u", "v", "w")
    pressure: str = "p"
    dtype: str = "real"
    pressure_dtype: str = "real"
    openings: Field | None = None

    def __post_init__(self) -> None:
        declare([self.cells, *self.faces])

    # What kernels take

    @property
    def faces(self) -> tuple[Field, Field, Field]:
        """The velocities."""
        u, v, w = (Field(name, self.dtype) for name in self.velocity)
        return u, v, w

    @property
    def cells(self) -> Field:
        """The pressure."""
        return Field(self.pressure, self.pressure_dtype)

    def _profile(self, name: str) -> Field:
        return Field(name, self.dtype, rank=1, profile=2)

    def _number(self, name: Scalar) -> sympy.Expr:
        """A number of the velocity's type, from its name."""
        if isinstance(name, str) and self.dtype != "real":
            return Parameter(name, self.dtype)
        return quantity(name)

    # Differences

    def divergence(self) -> sympy.Expr:
        """The divergence of the current cell, weighted by density."""
        u, v, w = self.faces
        rho, rho_face, per_height = map(self._profile, ("rho", "rho_face", "per_height"))
        across = self._number("per_x") * (u[1, 0, 0] - u.here) + self._number("per_y") * (v[0, 1, 0] - v.here)
        along = rho_face[1] * w[0, 0, 1] - rho_face[0] * w.here
        return rho.here * across + per_height.here * along

    def weights(self) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
        """The inverse distances of cells across the cell's lower faces."""
        return self._number("per_x"), self._number("per_y"), self._profile("per_distance").here

    def laplacian(self, p: Field) -> tuple[list[Statement], sympy.Expr]:
        """div grad p through open faces: the values it names, and the sum."""
        if self.openings is None:
            raise KernelError(
                calling_place(),
                "faces cannot be closed: the grid has no openings.",
                "construct it with Grid(openings=field of bits)",
            )
        bits = sympy.Symbol("faces")
        rho, rho_face, per_height, per_distance = map(
            self._profile, ("rho", "rho_face", "per_height", "per_distance")
        )
        per_x, per_y = self._number("per_x"), self._number("per_y")
        named: list[Statement] = [Assignment(bits, self.openings.here)]
        total: sympy.Expr = sympy.Integer(0)
        levels = (
            rho_face[1] * per_height.here * per_distance[1],
            rho_face[0] * per_height.here * per_distance[0],
        )
        coefficients = [rho.here * per_x**2] * 2 + [rho.here * per_y**2] * 2 + list(levels)
        for number, (name, coefficient) in enumerate(zip("ewnstb", coefficients, strict=True)):
            # Both are named, so that whole vectors are read and the condition chooses among values.
            difference, flux = sympy.symbols(f"difference_{name} flux_{name}")
            neighbour = p[_shift(number // 2, 1 - 2 * (number % 2))]
            named.append(Assignment(difference, coefficient * (neighbour - p.here)))
            named.append(Assignment(flux, sympy.Piecewise((difference, has_bit(bits, number)), (0, True))))
            total = total + flux
        return named, total

    # Kernels

    def divergence_into(self, right: Field, scale: Scalar, largest: str = "") -> AssignmentCollection:
        """Store `scale` times the divergence, 0 in solid cells: the right-hand side of the pressure.

        largest: name of an output that receives the largest absolute divergence, or "".
        """
        place, divergence = calling_place(), sympy.Symbol("divergence")
        statements = [
            Assignment(divergence, self._inside(self.divergence()), place),
            Assignment(right.here, self._number(scale) * divergence, place),
        ]
        if largest:
            statements.append(Reduce("max", largest, sympy.Abs(divergence), place))  # type: ignore[arg-type]
        return AssignmentCollection(statements)

    def divergence_norms(self, largest: str, total: str) -> AssignmentCollection:
        """The largest and the sum of the absolute divergences."""
        place, divergence = calling_place(), sympy.Symbol("divergence")
        return AssignmentCollection(
            [
                Assignment(divergence, self._inside(self.divergence()), place),
                Reduce("max", largest, sympy.Abs(divergence), place),
                Reduce("sum", total, sympy.Abs(divergence), place),
            ]
        )

    def correction(self, step: Scalar = "step") -> AssignmentCollection:
        """Subtract `step` times the gradient of the pressure from the velocities on all faces between cells.
        The argument `first_z` is 1 where the lowest faces bound the domain, 0 where a level of pressure lies
        below."""
        place = calling_place()
        firsts = (sympy.Integer(1), sympy.Integer(1), Parameter("first_z", "int64"))
        between = [coordinate >= first for coordinate, first in zip(block_coordinates(), firsts, strict=True)]
        return self._corrected(between, step, place)

    def open_correction(self, step: Scalar = "step") -> AssignmentCollection:
        """The same on open faces; neighbours beyond the domain are read from ghost cells."""
        place, bits = calling_place(), sympy.Symbol("faces")
        opened = [has_bit(bits, number) for number in _LOWER_BIT]
        return self._named_faces(bits, place) + self._corrected(opened, step, place)

    def close(self) -> AssignmentCollection:
        """Set the velocities on closed faces to 0."""
        place, bits = calling_place(), sympy.Symbol("faces")
        return self._named_faces(bits, place) + [
            Assignment(face.here, sympy.Piecewise((face.here, has_bit(bits, number)), (0, True)), place)
            for face, number in zip(self.faces, _LOWER_BIT, strict=True)
        ]

    def _corrected(
        self, conditions: Sequence[sympy.Basic], step: Scalar, place: Place
    ) -> AssignmentCollection:
        named: list[Statement] = []
        stores: list[Statement] = []
        rows = zip(self.faces, self.weights(), conditions, strict=True)
        for axis, (face, weight, condition) in enumerate(rows):
            gradient, change = sympy.symbols(f"gradient_{'xyz'[axis]} change_{'xyz'[axis]}")
            difference = self.cells.here - self.cells[_shift(axis, -1)]
            named.append(Assignment(gradient, weight * difference, place))
            named.append(Assignment(change, sympy.Piecewise((gradient, condition), (0, True)), place))
            stores.append(Assignment(face.here, face.here - self._number(step) * change, place))
        return AssignmentCollection([*named, *stores])

    def _named_faces(self, bits: sympy.Symbol, place: Place) -> AssignmentCollection:
        if self.openings is None:
            raise KernelError(
                place,
                "faces cannot be closed: the grid has no openings.",
                "construct it with Grid(openings=field of bits)",
            )
        return AssignmentCollection([Assignment(bits, self.openings.here, place)])

    def _inside(self, value: sympy.Expr) -> sympy.Expr:
        """0 in solid cells."""
        if self.openings is None:
            return value
        return sympy.Piecewise((value, sympy.Ne(self.openings.here, 0)), (0, True))

    def momentum(self, viscosity: Scalar, force: Iterable[Scalar]) -> tuple[sympy.Expr, ...]:
        """Right-hand side of the momentum equations without pressure, on a uniform grid with constant
        density: -div (u u) + viscosity div grad u + force, by central differences of second order (Harlow and
        Welch 1965), which conserve momentum and, but for time, energy."""
        per = [self._number(name) for name in ("per_x", "per_y", "per_z")]
        return tuple(
            sum((self._transport(a, b, per[b], self._number(viscosity)) for b in range(3)), self._number(f))
            for a, f in enumerate(force)
        )

    def _transport(self, a: int, b: int, per: sympy.Expr, viscosity: sympy.Expr) -> sympy.Expr:
        """Advection and diffusion of component a along axis b."""
        own, other = self.faces[a], self.faces[b]
        second = own[_shift(b)] - 2 * own.here + own[_shift(b, -1)]
        diffusion = viscosity * per**2 * second
        if a == b:
            upper, lower = own.here + own[_shift(a)], own[_shift(a, -1)] + own.here
            return diffusion - per * (upper**2 - lower**2) / 4

        def edge(by: int) -> sympy.Expr:
            """Four times the product of both velocities on the edge between the faces."""
            low, near = _shift(b, by - 1), _shift(b, by)
            aside = tuple(n - (axis == a) for axis, n in enumerate(near))
            return (own[near] + own[low]) * (other[near] + other[aside])

        return diffusion - per * (edge(1) - edge(0)) / 4


# --- Planes: fields of two dimensions on the sides of a box -------------------------------------------------


def face_copy(inner: Access, ghost: Access, factor: Scalar, value: Scalar) -> AssignmentCollection:
    """ghost = factor * inner + value: periodic (1, 0), mirrored (1, 0), or with a given mean on the face
    between them (-1, 2 times the mean)."""
    return AssignmentCollection([Assignment(ghost, quantity(factor) * inner + quantity(value))])


def face_correction(
    velocity: Access, upper: Access, lower: Access, factor: sympy.Expr
) -> AssignmentCollection:
    """What `Grid.correction` leaves out on a periodic side: velocity -= factor * (upper - lower)."""
    return AssignmentCollection([Assignment(velocity, velocity - factor * (upper - lower))])


def face_open(velocity: Access, inner: Access, factor: sympy.Expr) -> AssignmentCollection:
    """The same on a side with p = 0, where the cell beyond the face holds -p: velocity -= factor * inner."""
    return AssignmentCollection([Assignment(velocity, velocity - factor * inner)])
