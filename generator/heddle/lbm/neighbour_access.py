# SPDX-License-Identifier: Apache-2.0
"""Differences of a stored velocity: how a kernel accesses neighbouring cells.

In a dense box, a neighbour is at an offset, and there are ghost cells behind walls. A list has no cell behind
a wall; its place is taken by the wall itself, at which a link bounces back half-way, half a cell from the
centre.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.lattice import direction_name
from heddle.model.equations import Equations, add, multiply, negate
from heddle.model.field import Access, Field, IsWallLink

Offset: TypeAlias = tuple[int, ...]
Walls: TypeAlias = Literal["at_rest", "slip", "one_sided"]
Difference: TypeAlias = Callable[[Field, int, int], sympy.Expr]
"""Of a field, along an axis, of a component: twice the central difference."""


class NeighbourAccess(ABC):
    """How a kernel accesses neighbouring cells."""

    @abstractmethod
    def difference(self, equations: Equations) -> Difference:
        """Twice the differences at the current cell, after the statements that all of them share."""


class StencilNeighbours(NeighbourAccess):
    """In a dense box, u(x + 1) - u(x - 1). The ghost layer must be up to date."""

    def difference(self, equations: Equations) -> Difference:
        del equations
        return _difference


STENCIL_NEIGHBOURS = StencilNeighbours()


@dataclass(frozen=True)
class IndexedNeighbours(NeighbourAccess):
    """Over a list, through the links of a streaming pattern; a link that ends at a wall gives no value.

    populations: the field to which the links belong. slots: of the links along the axes, by their offsets;
    empty for a list that stores cells behind walls, whose rows lead in one direction only. The indices of
    neighbouring cells are then fields over the list, `cell_e`, `cell_w` and so on, which
    heddle::neighbour_indices computes. walls: the treatment of walls. "at_rest": the velocity 0 of the wall,
    half a cell away. A parabola through it, the cell's own value and the value on the other side has the
    slope u(x) + u(x + 1) / 3 for a wall below: of second order, and exact in plane Poiseuille flow (weights
    for points at -1/2, 0 and 1: Fornberg, Math. Comp. 51 (1988) 699). "slip": a mirror half a cell away, as
    at free-slip faces (`slips` of heddle::IndexList): behind it lie the velocity of the own cell along the
    wall, and the negative one across it. Of second order there; with the walls at rest of "at_rest" the
    gradient at a face that slips is wrong by u / h, which grows as cells get smaller. "one_sided": u(x + 1) -
    u(x), of first order, which is independent of what lies there: for lists with inlets, outlets, walls that
    move, and walls of both kinds. In a gap of one cell all are 0, as symmetry requires.
    """

    populations: Field
    slots: Mapping[Offset, int]
    walls: Walls = "at_rest"

    def difference(self, equations: Equations) -> Difference:
        rank = self.populations.rank
        pairs = [self._weights(equations, axis) for axis in range(rank)]
        plain = (sympy.Integer(1), sympy.Integer(1))

        def twice(field: Field, axis: int, component: int) -> sympy.Expr:
            ahead, behind = _ways(rank, axis)
            value = field.component(component)
            along = self.walls == "slip" and component != axis
            before, after = plain if along else pairs[axis]
            return add(
                multiply(before, value.via_link(ahead, self._number(ahead))),
                negate(multiply(after, value.via_link(behind, self._number(behind)))),
            )

        return twice

    def _weights(self, equations: Equations, axis: int) -> tuple[sympy.Expr, sympy.Expr]:
        """Name the weights of u ahead and behind: 1 and 1, or where one of the two is the current cell's."""
        ahead, behind = (self._ends(way) for way in _ways(self.populations.rank, axis))
        own, other = {"at_rest": (-2, sympy.Rational(2, 3)), "slip": (-1, 1), "one_sided": (2, 2)}[self.walls]
        name = "xyz"[axis]
        return tuple(
            equations.let(
                f"{what}_{name}",
                sympy.Piecewise((other, there), (own, here), (1, True), evaluate=False),
            )
            for what, here, there in (("ahead", ahead, behind), ("behind", behind, ahead))
        )

    def _number(self, way: Offset) -> Access | None:
        """Where the number of the cell beside is given; None where a link leads there."""
        if self.slots:
            return None
        return Field(f"cell_{direction_name(way)}", "uint32", self.populations.rank, ghost_layers=0).here

    def _ends(self, way: Offset) -> IsWallLink:
        """Whether there is a wall instead of a cell."""
        number = self._number(way)
        if number is None:
            return IsWallLink(self.populations[(*way, self.slots[way])])
        return IsWallLink(number.via_link(way, number))


def require_walls(walls: str) -> None:
    """Raises KernelError for what no wall is."""
    if walls not in get_args(Walls):
        raise KernelError(
            calling_place(),
            f"'{walls}' is not a treatment of cells behind walls.",
            "use at_rest, slip or one_sided",
        )


def _ways(rank: int, axis: int) -> tuple[Offset, Offset]:
    ahead = tuple(int(a == axis) for a in range(rank))
    return ahead, tuple(-offset for offset in ahead)


def _difference(field: Field, axis: int, component: int) -> sympy.Expr:
    ahead, behind = _ways(field.rank, axis)
    return add(field[(*ahead, component)], negate(field[(*behind, component)]))
