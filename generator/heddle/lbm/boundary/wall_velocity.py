# SPDX-License-Identifier: Apache-2.0
"""The velocity of a wall where each link meets it.

A bounced population gains 6 w_q c_q.u with the velocity u of the wall at the end of its link. The links of
one cell meet the wall at places half a cell apart and more. One velocity per cell is therefore an error of
first order wherever the velocity varies along the wall, as in an inlet with a profile. The motion of a rigid
body is the exception: with u = v + w x r, c.u is the same all along a link.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.boundary.cell import BoundaryCell
from heddle.lbm.lattice import Lattice
from heddle.lbm.moments.macroscopic import Vector, labelled
from heddle.model.equations import Equations, Scalar, add, multiply, negate, quantity, signed
from heddle.model.field import Access, Field
from heddle.model.require import vector

_AXES = "xyz"


@dataclass(frozen=True)
class PerLink:
    """A wall velocity in fields with one value per entry and link, over a list or over cells of a box.

    name: the prefix of the fields, as that of `distance` is: `u_e` is c_e.u, the component along link e of
    the wall's velocity where that link meets the wall, and so on for each direction. What links hold that
    meet no wall does not matter. heddle::link_velocities computes the values from a function of the place.
    Raises KernelError for what is no name.
    """

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise KernelError(
                calling_place(),
                f"{self.name!r} cannot be the prefix of fields.",
                "use a name, such as PerLink('u')",
            )


WallVelocity: TypeAlias = Sequence[Scalar] | PerLink | Callable[..., Sequence[Scalar]]


class MovingWall:
    """c_q.u at the place where each link meets the wall, of a velocity that is given as a vector, per link,
    or as a function of the place. Raises KernelError for what is none of these."""

    def __init__(self, velocity: WallVelocity) -> None:
        self.velocity: Vector | PerLink | Callable[..., Sequence[Scalar]]
        self.given: Vector = ()
        self.places: tuple[sympy.Dummy, ...] = ()
        if isinstance(velocity, PerLink):
            self.velocity = velocity
        elif callable(velocity):
            self.velocity = velocity
            self.places = tuple(sympy.Dummy(axis, real=True) for axis in _AXES[: _coordinates_of(velocity)])
            self.given = _components(velocity, self.places)
        else:
            self.velocity = self.given = vector(velocity, "the velocity of a wall")

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        return self.given

    def along(
        self, cell: BoundaryCell, equations: Equations, distances: Mapping[int, sympy.Expr] | None
    ) -> dict[int, sympy.Expr]:
        """c_q.u for each incoming direction q. distances: of the walls, by incoming direction; None: half of
        each link. Raises KernelError for a velocity that does not fit to the lattice or to the space."""
        lattice = cell.lattice
        if isinstance(self.velocity, PerLink):
            return _per_link(self.velocity, cell, equations)
        if callable(self.velocity):
            _require_components(lattice, len(self.given))
            return self._at_places(cell, equations, distances)
        velocity = named_velocity(lattice, equations, self.velocity)
        return {q: dot(lattice, q, velocity) for q in cell.outgoing}

    def _at_places(
        self, cell: BoundaryCell, equations: Equations, distances: Mapping[int, sympy.Expr] | None
    ) -> dict[int, sympy.Expr]:
        assert callable(self.velocity)
        lattice = cell.lattice
        used = {symbol for component in self.given for symbol in component.free_symbols}
        centres = {a: _centre(cell, a) for a, place in enumerate(self.places) if place in used}
        equations.keep(centres.values())
        equations.section("The wall's velocity where each link meets it, at the distance d along c_p")
        found: dict[int, sympy.Expr] = {}
        for q in cell.outgoing:
            to, name = lattice.velocities[lattice.opposite(q)], lattice.names[q]
            place: list[sympy.Expr] = [sympy.Integer(0)] * lattice.dimension
            for a, centre in centres.items():
                if distances is None:
                    end, d = ("below", "here", "above")[to[a] + 1], sympy.Rational(1, 2)
                else:
                    end, d = name if to[a] else "here", distances[q]
                place[a] = equations.once(f"{_AXES[a]}_{end}", add(centre, multiply(to[a], d)))
            along = dot(lattice, q, _components(self.velocity, place))
            found[q] = equations.let(f"along_{name}", along)
        return found


def _per_link(velocity: PerLink, cell: BoundaryCell, equations: Equations) -> dict[int, sympy.Expr]:
    """-c_p.u, from the field of the direction p that leads to the wall."""
    if not cell.listed:
        raise KernelError(
            calling_place(),
            "fields per link belong to the entries of a list, but this sweep runs over a dense face.",
            "give the velocity as a function of the place, velocity=lambda x, y: (..., 0), or as a vector",
        )
    lattice = cell.lattice
    names = {q: f"{velocity.name}_{lattice.names[lattice.opposite(q)]}" for q in cell.outgoing}
    values = {q: Field(name, "real", 0, ghost_layers=0).here for q, name in names.items()}
    equations.keep(values.values())
    return {q: negate(value) for q, value in values.items()}


def _centre(cell: BoundaryCell, axis: int) -> Access:
    """Where the cell's centre lies: a field of the entries of a list, a profile along a dense face."""
    name = f"centre_{_AXES[axis]}"
    if cell.listed:
        return Field(name, "real", 0, ghost_layers=0).here
    return Field(name, "real", 1, profile=axis).here


def dot(lattice: Lattice, q: int, velocity: Vector) -> sympy.Expr:
    """c_q.u."""
    return add(*(signed(c, u) for c, u in zip(lattice.velocities[q], velocity, strict=True)))


def named_velocity(lattice: Lattice, equations: Equations, velocity: Vector) -> Vector:
    """The components of a velocity at a boundary, named. Raises KernelError for too few or too many."""
    _require_components(lattice, len(velocity))
    return tuple(equations.let(labelled("wall_u", a), component) for a, component in enumerate(velocity))


def _require_components(lattice: Lattice, count: int) -> None:
    if count != lattice.dimension:
        raise KernelError(
            calling_place(),
            f"a velocity on {lattice.name} has {lattice.dimension} components, not {count}.",
            "give one entry per axis",
        )


def _coordinates_of(velocity: Callable[..., Sequence[Scalar]]) -> int:
    """How many coordinates a function takes."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(velocity).parameters.values()
    count = len(parameters)
    if not 1 < count < 4 or any(p.kind not in kinds or p.default is not p.empty for p in parameters):
        raise KernelError(
            calling_place(),
            "a wall velocity that is a function takes the coordinates of a place, one per axis.",
            "write lambda x, y: (..., ...) in a plane, lambda x, y, z: (..., ..., ...) in space",
        )
    return count


def _components(
    velocity: Callable[..., Sequence[Scalar]], place: Sequence[sympy.Expr]
) -> tuple[sympy.Expr, ...]:
    """The velocity at a place. Raises KernelError where it has not as many components as the place."""
    components = vector(velocity(*place), "the velocity of a wall")
    if len(components) != len(place):
        raise KernelError(
            calling_place(),
            f"a wall velocity of {len(place)} coordinates has {len(place)} components, not "
            f"{len(components)}.",
            "give one entry per axis",
        )
    return tuple(map(quantity, components))
