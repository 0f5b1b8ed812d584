# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions: the values of populations that enter the fluid from outside.

A boundary sweep runs between two steps. A condition gets the post-collision populations of a boundary cell
and returns f_q for each incoming direction q, given f*_p, the population that left in the opposite direction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy

from heddle.lbm.boundary.cell import BoundaryCell
from heddle.lbm.boundary.wall_force import WallForce
from heddle.lbm.boundary.wall_velocity import MovingWall, WallVelocity, dot, named_velocity
from heddle.lbm.equilibrium import name_weights, require_momentum
from heddle.lbm.force import Force, ForceModel, force_vector
from heddle.lbm.lattice import Lattice, require_lattice
from heddle.lbm.moments.macroscopic import Vector, labelled, macroscopic, vector_field
from heddle.model.assignment import Assignment, If, Statement
from heddle.model.equations import Equations, Scalar, add, multiply, quantity
from heddle.model.flag import require_flag
from heddle.model.require import vector


class BoundaryCondition(ABC):
    """Base of the boundary conditions.

    title: the formula, for the emitted code. reads_neighbours: whether a sweep reads populations of other
    cells; this is safe, because a sweep stores only elements behind walls, which no other cell reads.
    periodic: whether f_q arrives through the face from cells on the other side, instead of from a wall.
    at_edges: whether the condition accesses cells along the face, and so has a separate form for populations
    that enter through several sides at once.
    """

    title = ""
    reads_neighbours = False
    periodic = False
    at_edges = False

    @abstractmethod
    def arguments(self) -> Sequence[sympy.Expr]:
        """The user's expressions."""

    @abstractmethod
    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """Statements that serve all directions, and what the directions need of them."""

    @abstractmethod
    def incoming(
        self, cell: BoundaryCell, state: BoundaryState, q: int, outgoing_value: sympy.Expr
    ) -> sympy.Expr:
        """f_q, given `outgoing_value`, the post-collision population of the opposite direction."""


@dataclass(frozen=True)
class BoundaryState:
    """The values that a condition has prepared.

    terms: what each incoming direction adds to f*_p, or subtracts f*_p from. post: names of post-collision
    populations that are already loaded, by direction.
    """

    terms: Mapping[int, sympy.Expr]
    post: Mapping[int, sympy.Expr] | None = None


def boundary_statements(condition: BoundaryCondition, cell: BoundaryCell, sums: WallForce) -> list[Statement]:
    """The statements of one boundary sweep. sums: of the exchanged momentum."""
    equations = Equations([*condition.arguments(), *sums.arguments()])
    state = condition.prepare(cell, equations)
    equations.section(f"Incoming populations: {condition.title}")
    loaded = state.post or {}
    exchanged: dict[int, sympy.Expr] = {}
    abroad = any(any(place.offsets) for place in cell.incoming.values())
    behind = condition.reads_neighbours or cell.stores_solid or (cell.listed and (abroad or not cell.linked))
    behind = behind or (state.post is not None and (abroad or not cell.own_post))
    for q in cell.outgoing:
        outgoing_value = loaded.get(cell.lattice.opposite(q), cell.outgoing[q])
        if sums:
            outgoing_value = equations.let(f"out_{cell.lattice.names[q]}", outgoing_value)
        value = condition.incoming(cell, state, q, outgoing_value)
        stays = value == outgoing_value and cell.outgoing[q] == cell.incoming[q]
        if q in cell.at_other_wall and value not in (outgoing_value, cell.incoming[q]):
            value = sympy.Piecewise((outgoing_value, cell.at_other_wall[q]), (value, True))
        if sums:
            value = equations.let(f"in_{cell.lattice.names[q]}", value)
            exchanged[q] = add(outgoing_value, value)
        if stays or value == cell.incoming[q]:
            continue
        store = Assignment(cell.incoming[q], value)
        equations.statements.append(
            store if cell.mask is None and not behind else If(cell.is_incoming(q), [store], wall=behind)
        )
    if sums:
        is_incoming = {q: cell.is_incoming(q) for q in exchanged}
        is_incoming |= {q: sympy.Not(corner) for q, corner in cell.at_other_wall.items() if q in exchanged}
        sums.add_sums(equations, cell.lattice, exchanged, is_incoming, listed=cell.listed)
    return equations.statements


class VelocityBounceBack(BoundaryCondition):
    """f_q = f*_p + 6 w_q rho_0 c_q.u, half-way bounce-back at a wall or inlet with velocity u.

    velocity: one entry per axis, the same for all links of a cell. Names are kernel arguments; an access to a
    field [entries] gives one value per entry. Where the velocity varies along the wall (an inlet with a
    profile), give it per link instead, else it is of first order only: as a function of the place where the
    link meets the wall, lambda x, y: (u_x, u_y) in a plane, or as PerLink(name), fields with one value per
    entry and link. x, y are the place in the unit of the fields `centre_x`, `centre_y`, the centres of the
    cells, in which a cell is 1 wide: over a list and over cells of a box one value per entry, over a dense
    face profiles, heddle::Profile. A sweep takes those that the function uses. The motion of a rigid body
    gives the same c.u all along a link, so for that the velocity at the cell's centre serves.

    The momentum term uses the reference density 1, which conserves mass (Ladd 1994). Raises KernelError for a
    moving wall on a lattice that carries no momentum, and for fields per link over a dense face.
    """

    title = "f_q = f*_p + 6 w_q c_q.u, p opposite to q"

    def __init__(self, velocity: WallVelocity) -> None:
        self.wall = MovingWall(velocity)
        self.velocity = self.wall.velocity

    def arguments(self) -> Sequence[sympy.Expr]:
        """The wall's velocity."""
        return self.wall.arguments

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """6 w c_q.u for each direction."""
        return BoundaryState(self.gains(cell, equations))

    @property
    def same_for_all_links(self) -> bool:
        """Whether the links of a cell have one velocity."""
        return isinstance(self.velocity, tuple)

    @property
    def at_places(self) -> bool:
        """Whether the velocity is a function of the place."""
        return callable(self.velocity)

    def gains(
        self,
        cell: BoundaryCell,
        equations: Equations,
        distances: Mapping[int, sympy.Expr] | None = None,
    ) -> dict[int, sympy.Expr]:
        """6 w c_q.u for each incoming direction to which the wall's velocity adds something. distances: of
        the walls, by incoming direction; None: half of each link."""
        along = self.wall.along(cell, equations, distances)
        moving = {q: value for q, value in along.items() if value != 0}
        if any(component != 0 for component in self.wall.given) or moving:
            require_momentum(cell.lattice, "a wall that moves")
        weights = _name_weights(cell, equations) if moving else {}
        return {q: multiply(6, weights[cell.lattice.order(q)], value) for q, value in moving.items()}

    def incoming(
        self, cell: BoundaryCell, state: BoundaryState, q: int, outgoing_value: sympy.Expr
    ) -> sympy.Expr:
        """f*_p + 6 w c_q.u."""
        return add(outgoing_value, state.terms[q]) if q in state.terms else outgoing_value


class NoSlip(VelocityBounceBack):
    """f_q = f*_p, half-way bounce-back at a wall at rest. A sparse list needs no such sweep: its neighbour
    table implements it."""

    def __init__(self, lattice: Lattice) -> None:
        require_lattice(lattice)
        super().__init__((0,) * lattice.dimension)


class PressureAntiBounceBack(BoundaryCondition):
    """f_q = -f*_p + 2 w_q rho [1 + 9/2 (c_q.u)^2 - 3/2 u^2], anti-bounce-back at a given density.

    rho: the density at the boundary, p = rho / 3 (Ginzburg et al. 2008). velocity: one entry per axis, or
    None for the velocity of the boundary cell, computed from its post-collision populations. force: as in the
    collision, for that velocity. compressible: as in the collision; if False, the terms of u use the density
    1. saved: the name of a velocity field. Steps that leave these populations in the neighbours (AA, odd)
    then do not gather them, but use the cell's entry of this field: the velocity of the step before, which
    the after_even sweep stores. For patterns in which no step leaves them in the cell itself, moments()
    writes it.

    The side is free of shear: of the even populations only density and velocity come in, not the viscous
    stress. So a parabola that leaves a channel between walls at rest bends: with 32 cells across, the last
    column has a velocity along the side of up to 0.21, 0.15 and 0.03 times the mean one at Re = 1, 10 and 100
    (mean velocity times width over viscosity; more with finer cells where Re is small), and a quarter of the
    width upstream 0.02, 0.015 and 0.001.

    Raises KernelError for a lattice that carries no momentum; for the value of a scalar use ScalarValue.
    """

    title = "f_q = -f*_p + 2 w_q rho [1 + 9/2 (c_q.u)^2 - 3/2 u^2], p opposite to q"

    def __init__(
        self,
        rho: Scalar = 1,
        velocity: Sequence[Scalar] | None = None,
        *,
        force: Force | None = None,
        compressible: bool = True,
        saved: str | None = None,
    ) -> None:
        self.rho = quantity(rho)
        require_flag(compressible, "compressible")
        self.compressible = compressible
        self.velocity = None if velocity is None else vector(velocity, "the velocity at a boundary")
        self.force = force
        self.saved = saved

    def arguments(self) -> Sequence[sympy.Expr]:
        """Density, velocity and force."""
        vector = self.force.vector if isinstance(self.force, ForceModel) else self.force or ()
        return [self.rho, *(self.velocity or ()), *map(quantity, vector)]

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """Weights, velocity, and the deviation rho - 1 of zero-centred populations."""
        require_momentum(cell.lattice, "PressureAntiBounceBack")
        weights = _name_weights(cell, equations)
        rho = equations.let("rho_boundary", self.rho)
        deviation = equations.let("delta_boundary", add(rho, -1)) if cell.zero_centred else rho
        post: dict[int, sympy.Expr] | None = None
        if self.velocity is not None:
            velocity = named_velocity(cell.lattice, equations, self.velocity)
        else:
            velocity, post = self._own_velocity(cell, equations)
        equations.section("Even part of the equilibrium: 2 w_q rho [1 + 9/2 (c_q.u)^2 - 3/2 u^2]")
        carried = rho if self.compressible else sympy.Integer(1)
        kinetic = multiply(Fraction(3, 2), carried, add(*(multiply(u, u) for u in velocity)))
        base = equations.let("base", add(deviation, multiply(-1, kinetic)))
        terms: dict[int, sympy.Expr] = {}
        for q, opposite in cell.lattice.pairs:
            if q in cell.outgoing or opposite in cell.outgoing:
                along = equations.let(f"u_{cell.lattice.names[q]}", dot(cell.lattice, q, velocity))
                even = add(base, multiply(Fraction(9, 2), carried, along, along))
                terms[q] = terms[opposite] = equations.let(
                    f"even_{cell.lattice.names[q]}", multiply(2, weights[cell.lattice.order(q)], even)
                )
        return BoundaryState(terms, post)

    def _own_velocity(
        self, cell: BoundaryCell, equations: Equations
    ) -> tuple[Vector, dict[int, sympy.Expr] | None]:
        d = cell.lattice.dimension
        saved = None if self.saved is None else vector_field(self.saved, d)
        if saved is not None and not cell.own_post:
            return tuple(equations.let(labelled("u", a), saved.component(a)) for a in range(d)), None
        half = " - F / 2" if self.force else ""
        equations.section(f"Moments after collision: rho = sum f*_q, rho u = sum c_q f*_q{half}")
        names = cell.lattice.names
        post = {q: equations.let(f"post_{names[q]}", access) for q, access in enumerate(cell.written)}
        force = tuple(multiply(-1, component) for component in force_vector(cell.lattice, self.force))
        state = macroscopic(
            equations,
            cell.lattice,
            {names[q]: value for q, value in post.items()},
            zero_centred=cell.zero_centred,
            force=force,
            compressible=self.compressible,
        )
        if saved is not None and not cell.always_own:
            for a, component in enumerate(state.velocity):
                equations.store(saved.component(a), component)
        return state.velocity, post

    def incoming(
        self, cell: BoundaryCell, state: BoundaryState, q: int, outgoing_value: sympy.Expr
    ) -> sympy.Expr:
        """2 w rho [1 + 9/2 (c_q.u)^2 - 3/2 u^2] - f*_p."""
        return add(state.terms[q], multiply(-1, outgoing_value))


def _name_weights(cell: BoundaryCell, equations: Equations) -> dict[int, sympy.Expr]:
    equations.section("Constants: lattice weights")
    return name_weights(equations, cell.lattice, rest=False)
