# SPDX-License-Identifier: Apache-2.0
"""Walls at any position on a link: interpolated bounce-back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.boundary.cell import BoundaryCell
from heddle.lbm.boundary.condition import BoundaryCondition, BoundaryState, VelocityBounceBack
from heddle.lbm.boundary.wall_velocity import WallVelocity
from heddle.model.bits import has_bit
from heddle.model.equations import Equations, Scalar, add, divide, multiply, negate, quantity
from heddle.model.field import Field, IsWallLink

_FORMULA = {
    "linear": "Walls at d < 1/2: 2 d f*_p + (1 - 2 d) f*_p(x - c_p), else [f*_p - (1 - 2 d) f*_q] / (2 d)",
    "quadratic": "Walls at d < 1/2: alpha f*_p + beta f*_p(x - c_p) - third, else [f*_p - beta f*_q + third]"
    " / alpha,\nalpha = d (1 + 2 d), beta = 1 - 4 d^2, third = d (1 - 2 d) f*_p(x - 2 c_p), else of "
    "f*_q(x - c_p)",
}
_IN_A_GAP = ";\nin a gap of two cells alpha = 2 d, beta = 1 - 2 d, third = 0"


class Bouzidi(BoundaryCondition):
    """Interpolated bounce-back (Bouzidi, Firdaouss and Lallemand 2001), of second order.

    With d the distance to the wall in units of |c_q| and p the direction that leads to it: for d < 1/2 f_q =
    2 d f*_p(x) + (1 - 2 d) f*_p(x - c_p), else f_q = f*_p(x) / (2 d) + (1 - 1 / (2 d)) f*_q(x). The first
    f*_p(x - c_p) is the population that arrives in the cell, so both forms need only the cell's own links and
    work with every pattern. A link whose other end is a wall, too, uses half-way bounce-back.

    distance: over a list the prefix of fields with one value per entry, `distance_e` for the wall in
    direction e and so on; on a face one name or number for all links. velocity: of the wall, as for
    VelocityBounceBack, or None; the place of a function is the end of the distance. One velocity per cell,
    where it varies along the wall, makes the interpolation one of first order. Selected cells of a dense box
    (boundary(..., cells=True)) are a list, too.

    order: "linear", or "quadratic", whose interpolation error is one order higher (the flow keeps the second
    order of the lattice, and the magic parameter matters as well): for d < 1/2 f_q = d (1 + 2 d) f*_p(x) + (1
    - 4 d^2) f*_p(x - c_p) - d (1 - 2 d) f*_p(x - 2 c_p), else f*_p / (d (2 d + 1)) + (2 d - 1) / d f*_q(x) -
    (2 d - 1) / (2 d + 1) f*_q(x - c_p). It accesses two cells inwards: over a dense face it needs a pattern
    with ghost_layers=2. Over a list it follows two links; if the second one ends at a wall, as in a gap of
    two cells, the link uses the linear form, which needs one cell. EsoTwist and EsoPull take the indices of
    these cells, `cell_w` and so on, from heddle::neighbour_indices(..., 2). Over cells of a dense box it
    accesses two cells inwards as over a face, and bit q of the field `linear` [entries] (uint32) marks links
    that use the linear form; heddle::geometry::body_links computes it.

    Raises KernelError for another order, and for a number that is not a distance on a link.
    """

    title = "as interpolated, p opposite to q"
    reads_neighbours = True

    def __init__(
        self,
        distance: Scalar = "distance",
        velocity: WallVelocity | None = None,
        *,
        order: str = "linear",
    ) -> None:
        if order not in ("linear", "quadratic"):
            raise KernelError(
                calling_place(), f"'{order}' is not an interpolation order.", "use linear or quadratic"
            )
        given = None if isinstance(distance, str) else quantity(distance)
        if given is not None and given.is_number and not 0 <= given <= 1:
            raise KernelError(
                calling_place(),
                f"a wall distance of {given} is not on the link.",
                "use a distance from 0 to 1, in units of the link's length",
            )
        self.distance, self.order = distance, order
        self.wall = None if velocity is None else VelocityBounceBack(velocity)

    def arguments(self) -> Sequence[sympy.Expr]:
        """The wall's velocity."""
        return () if self.wall is None else self.wall.arguments()

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """All incoming values, before any of them is stored."""
        distances = {q: self._distance(cell, cell.lattice.opposite(q)) for q in cell.outgoing}
        equations.keep(distances.values())
        if not cell.listed:  # an argument that gives it comes before those of the velocity
            equations.once("twice", multiply(2, equations.once("d", quantity(self.distance))))
        if self.wall is not None and self.wall.at_places:
            distances = {q: equations.once("d" + self._suffix(cell, q), d) for q, d in distances.items()}
        gains = self._gains(cell, equations, distances)
        in_gaps = self.order == "quadratic" and cell.listed
        equations.section(_FORMULA[self.order] + (_IN_A_GAP if in_gaps else ""))
        terms: dict[int, sympy.Expr] = {}
        post: dict[int, sympy.Expr] = {}
        for q in cell.outgoing:
            name, opposite = cell.lattice.names[q], cell.lattice.opposite(q)
            link = _Link(
                name=name,
                d=equations.once("d" + self._suffix(cell, q), distances[q]),
                outgoing_value=equations.let(f"out_{name}", cell.outgoing[q]),
                behind=equations.let(f"behind_{name}", cell.read_at(opposite, cell.here)),
                own=equations.let(f"own_{name}", cell.written_at(q, cell.here)),
                gain=gains[q],
            )
            post[opposite] = link.outgoing_value
            near, far = self._both(cell, equations, link, q)
            cases = [(near, link.nearer), (far, True)]
            if cell.mask is not None:
                cases.insert(0, (add(link.outgoing_value, link.gain), cell.is_incoming(opposite)))
            terms[q] = equations.let(f"wall_{name}", sympy.Piecewise(*cases))
        return BoundaryState(terms, post)

    def _gains(
        self, cell: BoundaryCell, equations: Equations, distances: Mapping[int, sympy.Expr]
    ) -> dict[int, sympy.Expr]:
        """Name what a wall that moves adds to each incoming population, 6 w c.u."""
        gains = dict.fromkeys(cell.outgoing, sympy.Integer(0))
        if self.wall is None:
            return gains
        moving = self.wall.gains(cell, equations, distances)
        equations.section("A wall that moves adds 6 w_q c_q.u")
        for q, gain in moving.items():
            opposite = cell.lattice.opposite(q)
            known = self.wall.same_for_all_links and opposite in gains and opposite < q
            gains[q] = equations.let(
                f"gain_{cell.lattice.names[q]}", negate(gains[opposite]) if known else gain
            )
        return gains

    def _both(
        self, cell: BoundaryCell, equations: Equations, link: _Link, q: int
    ) -> tuple[sympy.Expr, sympy.Expr]:
        """The value for d < 1/2 and the other one."""
        name = self._suffix(cell, q)
        twice = equations.once(f"twice{name}", multiply(2, link.d))
        less = equations.once(f"less{name}", add(1, negate(twice)))
        alpha, beta, third = twice, less, sympy.Integer(0)
        if self.order == "quadratic":
            inwards = cell.lattice.velocities[q]
            further = cell.read_at(cell.lattice.opposite(q), inwards)
            inner = cell.written_at(q, inwards)
            gap: sympy.Basic = sympy.false
            if cell.listed:  # in a gap of two cells both elements are what the other wall's cell sets
                gap = IsWallLink(further if cell.stores_solid or any(further.offsets) else inner)
                if not cell.linked:
                    gap = has_bit(Field("linear", "uint32", 0, ghost_layers=0).here, q)
                gap = equations.let(f"gap{name}", gap)
            alpha = sympy.Piecewise((twice, gap), (multiply(link.d, add(1, twice)), True))
            beta = sympy.Piecewise((less, gap), (add(1, multiply(-1, twice, twice)), True))
            alpha, beta = equations.once(f"alpha{name}", alpha), equations.once(f"beta{name}", beta)
            beyond = sympy.Piecewise((0, gap), (further, link.nearer), (inner, True))
            third = equations.let(f"third_{link.name}", multiply(link.d, less, beyond))
        near = add(
            multiply(alpha, link.outgoing_value), multiply(beta, link.behind), negate(third), link.gain
        )
        return near, divide(add(link.outgoing_value, link.gain, multiply(-1, beta, link.own), third), alpha)

    @staticmethod
    def _suffix(cell: BoundaryCell, q: int) -> str:
        """Of the names of what follows from the distance, which on a face is that of all links."""
        return f"_{cell.lattice.names[q]}" if cell.listed else ""

    def _distance(self, cell: BoundaryCell, opposite: int) -> sympy.Expr:
        if cell.mask is None:
            return quantity(self.distance)
        return Field(f"{self.distance}_{cell.lattice.names[opposite]}", "real", 0, ghost_layers=0).here

    def incoming(
        self, cell: BoundaryCell, state: BoundaryState, q: int, outgoing_value: sympy.Expr
    ) -> sympy.Expr:
        """The interpolated value."""
        return state.terms[q]


@dataclass(frozen=True)
class _Link:
    """A link through a wall: the name of the direction q that comes in, the distance d of the wall, f*_p of
    the current cell (outgoing_value) and of that at -c_p (behind), f*_q of the current cell, and what the
    wall adds."""

    name: str
    d: sympy.Expr
    outgoing_value: sympy.Expr
    behind: sympy.Expr
    own: sympy.Expr
    gain: sympy.Expr

    @property
    def nearer(self) -> sympy.Basic:
        """Whether the wall is in the nearer half."""
        return sympy.Lt(self.d, sympy.Rational(1, 2))
