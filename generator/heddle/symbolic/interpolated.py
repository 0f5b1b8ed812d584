# SPDX-License-Identifier: Apache-2.0
"""Walls that lie anywhere on the link: bounce-back with interpolation."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.symbolic.bits import has_bit
from heddle.symbolic.boundary import BoundaryCell, BoundaryCondition, BoundaryState, VelocityBounceBack
from heddle.symbolic.equations import Equations, Scalar, add, divide, multiply, negate, quantity
from heddle.symbolic.field import Field, Walled


class Bouzidi(BoundaryCondition):
    """Interpolated bounce-back (Bouzidi, Firdaouss and Lallemand 2001), of second order.

    With d the distance to the wall in units of |c_q| and p the direction that leads to it: for d < 1/2 f_q =
    2 d f*_p(x) + (1 - 2 d) f*_p(x - c_p), else f_q = f*_p(x) / (2 d) + (1 - 1 / (2 d)) f*_q(x). The first
    f*_p(x - c_p) is what arrives in the cell, so both forms need nothing but its own links and serve every
    pattern. distance: over a list the prefix of fields with one value an entry, `distance_e` for the wall met
    in direction e and so on; on a face a name or number for all links. velocity: of the wall, or None. A link
    whose other end is a wall too bounces half-way. Some cells of a dense box (boundary(..., cells=True)) are
    a list, too.

    order: "linear", or "quadratic", whose interpolation has an error of one order more (the flow keeps the
    second order of the lattice, and the magic parameter counts as well): for d < 1/2 f_q = d (1 + 2 d)
    f*_p(x) + (1 - 4 d^2) f*_p(x - c_p) - d (1 - 2 d) f*_p(x - 2 c_p), else f*_p / (d (2 d + 1)) + (2 d - 1)
    / d f*_q(x) - (2 d - 1) / (2 d + 1) f*_q(x - c_p). It looks two cells inwards: over a dense face it takes
    a pattern with ghost_layers=2. Over a list it follows two links, and where the second ends at a wall, as
    in a gap of two cells, the link takes the linear form, which needs one cell behind the own one. EsoTwist
    and EsoPull take the numbers of the cells behind the own one, `cell_w` and so on, from
    heddle::cells_beside(..., 2). Over cells of a dense box it looks two cells inwards as over a face, and the
    field `linear` [entries] (uint32) marks with bit q the links that take the linear form, as
    heddle::geometry::body_links finds them. Raises KernelError for another order, and for a number that is
    no distance on a link.
    """

    title = "f_q = 2 d f*_p + (1 - 2 d) f*_p(x - c_p) or [f*_p + (2 d - 1) f*_q] / (2 d), p opposite to q"
    reads_neighbours = True

    def __init__(
        self,
        distance: Scalar = "distance",
        velocity: Sequence[Scalar] | None = None,
        *,
        order: str = "linear",
    ) -> None:
        if order not in ("linear", "quadratic"):
            raise KernelError(
                calling_place(), f"'{order}' is not an interpolation.", "one of linear, quadratic"
            )
        given = None if isinstance(distance, str) else quantity(distance)
        if given is not None and given.is_number and not 0 <= given <= 1:
            raise KernelError(
                calling_place(),
                f"a wall at {given} of a link does not lie on it.",
                "a distance from 0 to 1, in lengths of the link",
            )
        self.distance, self.order = distance, order
        self.wall = None if velocity is None else VelocityBounceBack(velocity)

    def given(self) -> Sequence[sympy.Expr]:
        """The wall's velocity."""
        return () if self.wall is None else self.wall.given()

    def prepare(self, cell: BoundaryCell, equations: Equations) -> BoundaryState:
        """All incoming values, before any of them is stored."""
        moving = {} if self.wall is None else self.wall.prepare(cell, equations).terms
        equations.section("Interpolation between the populations on both sides of the cell")
        terms: dict[int, sympy.Expr] = {}
        for q in cell.leaving:
            name, leaving = cell.lattice.names[q], cell.lattice.opposite(q)
            d = equations.let(f"d_{name}", self._distance(cell, leaving))
            left = equations.let(f"left_of_{name}", cell.leaving[q])
            arriving = equations.let(f"behind_{name}", cell.arrival(leaving, cell.here))
            stayed = equations.let(f"own_{name}", cell.beside(q, cell.here))
            push = moving.get(q, sympy.Integer(0))
            cases: list[tuple[sympy.Expr, sympy.Basic | bool]] = []
            if cell.mask is not None:
                cases.append((add(left, push), has_bit(cell.mask, leaving)))
            nearer = sympy.Lt(d, sympy.Rational(1, 2))
            if self.order == "linear":
                near, far = _linear(equations, name, d, left, arriving, stayed, push)
            else:
                inwards = cell.lattice.velocities[q]
                further, inner = cell.arrival(leaving, inwards), cell.beside(q, inwards)
                if cell.listed:  # in a gap of two cells both elements are what the other wall's cell sets
                    two_cells = _linear(equations, name, d, left, arriving, stayed, push)
                    linear = sympy.Piecewise((two_cells[0], nearer), (two_cells[1], True))
                    ends: sympy.Basic = Walled(further if cell.held or any(further.offsets) else inner)
                    if not cell.linked:
                        ends = has_bit(Field("linear", "uint32", 0, ghost_layers=0).here, q)
                    cases.append((equations.let(f"linear_{name}", linear), ends))
                near, far = _quadratic(d, (left, arriving, further), (stayed, inner), push)
            cases += [(near, nearer), (far, True)]
            terms[q] = equations.let(f"wall_{name}", sympy.Piecewise(*cases))
        return BoundaryState(terms)

    def _distance(self, cell: BoundaryCell, leaving: int) -> sympy.Expr:
        if cell.mask is None:
            return quantity(self.distance)
        return Field(f"{self.distance}_{cell.lattice.names[leaving]}", "real", 0, ghost_layers=0).here

    def incoming(self, cell: BoundaryCell, state: BoundaryState, q: int, left: sympy.Expr) -> sympy.Expr:
        """The interpolated value."""
        return state.terms[q]


def _linear(
    equations: Equations,
    name: str,
    d: sympy.Expr,
    left: sympy.Expr,
    arriving: sympy.Expr,
    stayed: sympy.Expr,
    push: sympy.Expr,
) -> tuple[sympy.Expr, sympy.Expr]:
    """The value for d < 1/2 and the other one."""
    twice = equations.let(f"twice_{name}", multiply(2, d))
    near = add(multiply(twice, left), multiply(add(1, negate(twice)), arriving), push)
    return near, divide(add(left, multiply(add(twice, -1), stayed), push), twice)


def _quadratic(
    d: sympy.Expr,
    left: tuple[sympy.Expr, sympy.Expr, sympy.Expr],
    stayed: tuple[sympy.Expr, sympy.Expr],
    push: sympy.Expr,
) -> tuple[sympy.Expr, sympy.Expr]:
    """left: f*_p at x, x - c_p, x - 2 c_p. stayed: f*_q at x, x - c_p."""
    more, less = add(1, multiply(2, d)), add(1, multiply(-2, d))
    near = add(
        multiply(d, more, left[0]), multiply(more, less, left[1]), multiply(-1, d, less, left[2]), push
    )
    far = add(
        divide(add(left[0], push), multiply(d, more)),
        multiply(-1, divide(multiply(less, stayed[0]), d)),
        divide(multiply(less, stayed[1]), more),
    )
    return near, far
