# SPDX-License-Identifier: Apache-2.0
"""What follows from a stored velocity: vorticity and the Q-criterion, by central differences.

Ordinary stencils: the ghost layer of the velocity has to be current. Over a list of cells they follow the
links of a streaming pattern: StreamingPattern.vorticity and q_criterion. The strain rate needs no
differences: StreamingPattern.strain_rate takes it from the populations.
"""

from __future__ import annotations

from fractions import Fraction

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.moments.macroscopic import labelled, vector_field
from heddle.lbm.neighbour_access import STENCIL_NEIGHBOURS, NeighbourAccess
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations, add, multiply, negate
from heddle.model.field import Field

HALF = Fraction(1, 2)


def vorticity(
    dimension: int, u: str = "u", name: str = "vorticity", *, neighbours: NeighbourAccess = STENCIL_NEIGHBOURS
) -> AssignmentCollection:
    """curl u, per time step: the scalar d_x u_y - d_y u_x in the plane, a vector in space. neighbours: how a
    cell sees its neighbours."""
    equations, slope = _gradient(dimension, u, neighbours)
    equations.section("Vorticity: curl u")
    if dimension == 2:
        target = [Field(name, "real", 2).here]
        parts = [add(slope[1][0], negate(slope[0][1]))]
    else:
        target = [vector_field(name, 3).component(a) for a in range(3)]
        turns = [((a + 1) % 3, (a + 2) % 3) for a in range(3)]
        parts = [add(slope[c][b], negate(slope[b][c])) for b, c in turns]
    return _stored(equations, target, parts)


def q_criterion(
    dimension: int, u: str = "u", name: str = "q", *, neighbours: NeighbourAccess = STENCIL_NEIGHBOURS
) -> AssignmentCollection:
    """Q = (W_ab W_ab - S_ab S_ab) / 2, above 0 where rotation W outweighs strain S (Hunt et al. 1988).

    Equal to -d_b u_a d_a u_b / 2, which is how it is written. neighbours: how a cell sees its neighbours.
    """
    equations, slope = _gradient(dimension, u, neighbours)
    equations.section("Q = -d_b u_a d_a u_b / 2")
    diagonal = [multiply(slope[a][a], slope[a][a]) for a in range(dimension)]
    mixed = [multiply(slope[a][b], slope[b][a]) for a in range(dimension) for b in range(a + 1, dimension)]
    value = negate(add(multiply(HALF, add(*diagonal)), *mixed))
    return _stored(equations, [Field(name, "real", dimension).here], [value])


def _gradient(
    dimension: int, u: str, neighbours: NeighbourAccess
) -> tuple[Equations, list[list[sympy.Expr]]]:
    """slope[a][b] = d_b u_a, named."""
    if dimension not in (2, 3):
        raise KernelError(
            calling_place(), f"a velocity in {dimension} dimensions has no curl.", "use 2 or 3 dimensions"
        )
    equations = Equations(fields=[u])
    equations.section("Velocity gradient: central differences")
    field = vector_field(u, dimension)
    twice = neighbours.difference(equations)

    def difference(a: int, b: int) -> sympy.Expr:
        half = multiply(HALF, twice(field, b, a))
        return equations.let(f"{labelled('d', b)}_{labelled('u', a)}", half)

    return equations, [[difference(a, b) for b in range(dimension)] for a in range(dimension)]


def _stored(
    equations: Equations, targets: list[sympy.Symbol], values: list[sympy.Expr]
) -> AssignmentCollection:
    equations.section("Store")
    for target, value in zip(targets, values, strict=True):
        equations.store(target, value)
    return AssignmentCollection(equations.statements)
