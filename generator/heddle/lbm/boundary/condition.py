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

from heddle.errors import KernelError, calling_place
from heddle.lbm.boundary.wall_force import WallForce
from heddle.lbm.equilibrium import name_weights, require_momentum
from heddle.lbm.force import Force, ForceModel, force_vector
from heddle.lbm.lattice import Lattice, direction_name, require_lattice
from heddle.lbm.moments.macroscopic import Vector, labelled, macroscopic, vector_field
from heddle.model.assignment import Assignment, If, Statement
from heddle.model.bits import has_bit
from heddle.model.equations import Equations, Scalar, add, multiply, quantity, signed
from heddle.model.field import Access, Field
from heddle.model.require import require_flag, vector


@dataclass(frozen=True)
class BoundaryCell:
    """What a condition sees of a boundary cell.

    own_post: all f*_q lie in the current cell; always_own: after every step. outgoing: incoming q -> where f*
    of the opposite direction lies. incoming: incoming q -> where the next step reads f_q. mask: over a list,
    the bits of the incoming directions; None on a face, where all in `outgoing` come in. linked: neighbours
    are found through the table of a list, not at offsets of a dense box. held: the list holds cells behind
    walls. side: the outward normal, in an edge or corner the sum of several, None for a list that leads out
    on any side. written, read: where f*_q lies, and where the next step reads f_q, links of a list included.
    """

    lattice: Lattice
    zero_centred: bool
    own_post: bool
    always_own: bool
    outgoing: Mapping[int, Access]
    incoming: Mapping[int, Access]
    mask: Access | None
    linked: bool
    stores_solid: bool
    side: tuple[int, ...] | None
    written: Sequence[Access]
    read: Sequence[Access]

    @property
    def here(self) -> tuple[int, ...]:
        """The offset of the current cell."""
        return (0,) * self.lattice.dimension

    @property
    def listed(self) -> bool:
        """Whether it is a cell of a list, of listed ones or of those of a box, not of a dense face."""
        return self.mask is not None

    def is_incoming(self, q: int) -> sympy.Basic:
        """Whether direction q comes from outside."""
        return sympy.true if self.mask is None else has_bit(self.mask, q)

    def at_neighbour(self, access: Access, offset: tuple[int, ...]) -> Access:
        """The same of the cell at an offset; of the own one where a list has none there. In a list that holds
        cells behind walls no links lead to all neighbours, and their numbers are given, `cell_w` and so
        on."""
        if self.stores_solid:
            number = Field(f"cell_{direction_name(offset)}", "uint32", 0, ghost_layers=0).here
            return access.via_link(offset, number)
        if self.linked:
            return access.via_link(offset)
        moved = tuple(a + b for a, b in zip(access.offsets, offset, strict=True))
        return Access(access.field, moved, access.component)

    def written_at(self, q: int, offset: tuple[int, ...]) -> Access:
        """Where f*_q of the cell at an offset lies."""
        return self.at_neighbour(self.written[q], offset)

    def read_at(self, q: int, offset: tuple[int, ...]) -> Access:
        """Where the next step of the cell at an offset reads f_q."""
        return self.at_neighbour(self.read[q], offset)

    def normal(self, what: str) -> tuple[int, ...]:
        """The outward normal. Raises KernelError for a list of cells that was not given one."""
        if self.side is None and self.listed and not self.linked:
            raise KernelError(
                calling_place(),
                f"{what} needs the normal of the boundary, which is unknown for cells around a body.",
                "use face=... at a side of the box; around a body use a condition on links: NoSlip, "
                "VelocityBounceBack, Bouzidi, PressureAntiBounceBack, ScalarValue, ScalarFlux",
            )
        if self.side is None:
            raise KernelError(
                calling_place(),
                f"{what} needs the normal of the boundary, which a list of cells does not define.",
                "give the outward side: stream.boundary(condition, normal=...) over a list, face=... "
                "over a dense face",
            )
        return self.side


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
        is_incoming = {q: cell.is_incoming(q) for q in exchanged} if cell.listed else {}
        sums.add_sums(equations, cell.lattice, exchanged, is_incoming)
    return equations.statements


class VelocityBounceBack(BoundaryCondition):
    """f_q = f*_p + 6 w_q rho_0 c_q.u, half-way bounce-back at a wall or inlet with velocity u.

    velocity: one entry per axis. Names are kernel arguments; an access to a field [entries] gives one value
    per entry. The momentum term uses the reference density 1, which conserves mass (Ladd 1994). Raises
    KernelError for a moving wall on a lattice that carries no momentum.
    """

    title = "f_q = f*_p + 6 w_q c_q.u, p opposite to q"

    def __init__(self, velocity: Sequence[Scalar]) -> None:
        self.velocity = vector(velocity, "the velocity of a wall")

    def arguments(self) -> Sequence[sympy.Expr]:
        """The wall's velocity."""
        return self.velocity

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """6 w c_q.u for each direction."""
        velocity = _wall_velocity(cell.lattice, equations, self.velocity)
        if any(component != 0 for component in velocity):
            require_momentum(cell.lattice, "a wall that moves")
        along = {q: _along(cell.lattice, q, velocity) for q in cell.outgoing}
        moving = any(value != 0 for value in along.values())
        weights = _name_weights(cell, equations) if moving else {}
        return BoundaryState(
            {
                q: multiply(6, weights[cell.lattice.order(q)], value)
                for q, value in along.items()
                if value != 0
            }
        )

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
            velocity = _wall_velocity(cell.lattice, equations, self.velocity)
        else:
            velocity, post = self._own_velocity(cell, equations)
        equations.section("Even part of the equilibrium: 2 w_q rho [1 + 9/2 (c_q.u)^2 - 3/2 u^2]")
        carried = rho if self.compressible else sympy.Integer(1)
        kinetic = multiply(Fraction(3, 2), carried, add(*(multiply(u, u) for u in velocity)))
        base = equations.let("base", add(deviation, multiply(-1, kinetic)))
        terms: dict[int, sympy.Expr] = {}
        for q, opposite in cell.lattice.pairs:
            if q in cell.outgoing or opposite in cell.outgoing:
                along = equations.let(f"u_{cell.lattice.names[q]}", _along(cell.lattice, q, velocity))
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


def _along(lattice: Lattice, q: int, velocity: Vector) -> sympy.Expr:
    return add(*(signed(c, u) for c, u in zip(lattice.velocities[q], velocity, strict=True)))


def _wall_velocity(lattice: Lattice, equations: Equations, velocity: Vector) -> Vector:
    if len(velocity) != lattice.dimension:
        raise KernelError(
            calling_place(),
            f"a velocity on {lattice.name} has {lattice.dimension} components, not {len(velocity)}.",
            "give one entry per axis",
        )
    return tuple(equations.let(labelled("wall_u", a), component) for a, component in enumerate(velocity))


def _name_weights(cell: BoundaryCell, equations: Equations) -> dict[int, sympy.Expr]:
    equations.section("Constants: lattice weights")
    return name_weights(equations, cell.lattice, rest=False)
