# SPDX-License-Identifier: Apache-2.0
"""Relaxation of one linear equation a cell, residual = 0: Jacobi, Gauss-Seidel, SOR, SSOR from the residual.

All of them change the own value by `omega * residual / diagonal`, with diagonal = -d residual / d own value.
Jacobi writes to a second field, the others in place, colour by colour (Schedule(colours=2) for neighbours
across faces). Gauss-Seidel is SOR with omega = 1; SSOR is the sweep of SOR with the colours upwards, then
downwards (heddle::SymmetricSweep).

p, f, open = ...                                        # open: one byte per cell, one bit per face
equation = relaxation.poisson(p, f, openings=open)                     # or Equation(p, residual)
module.add("sor", equation.sor(), schedule=Schedule(colours=2))        # omega, c_x, c_y, c_z are arguments
module.add("check", equation.sor(largest_change="change"), schedule=Schedule(colours=2))
module.add("residual", equation.norm("residual"))
module.add_solver(equation)  # multigrid and conjugate gradients: heddle/solvers/conjugate_gradient.hpp
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import sympy

from heddle.errors import KernelError, Place, calling_place
from heddle.model.assignment import Assignment, AssignmentCollection, Reduce, Statement
from heddle.model.bits import has_bit
from heddle.model.equations import Scalar, quantity
from heddle.model.field import Access, Field

FACES = (
    ("e", (1, 0, 0)),
    ("w", (-1, 0, 0)),
    ("n", (0, 1, 0)),
    ("s", (0, -1, 0)),
    ("t", (0, 0, 1)),
    ("b", (0, 0, -1)),
)
"""Faces of a cell, by the number of their bit in a mask and of their component in a field of coefficients."""


@dataclass(frozen=True)
class Equation:
    """One equation per cell.

    unknown: the field that is solved for. residual: linear in `unknown.here`, zero at the solution. named:
    the values that it uses. active: cells where it is false have no equation and keep their value.
    """

    unknown: Field
    residual: sympy.Expr
    named: tuple[Statement, ...] = ()
    active: sympy.Basic = sympy.true
    place: Place = field(default_factory=calling_place, compare=False)

    def __post_init__(self) -> None:
        diagonal = self.diagonal
        name = f"{self.unknown.name}.here"
        if diagonal == 0:
            raise KernelError(
                self.place, f"the residual does not depend on {name}.", "write it with its diagonal term"
            )
        if diagonal.has(self.unknown.here):
            raise KernelError(
                self.place, f"the residual is not linear in {name}.", "linearise it around a second field"
            )

    @property
    def diagonal(self) -> sympy.Expr:
        """Minus the coefficient of the own value in the residual."""
        return -sympy.diff(self.residual, self.unknown.here)

    def jacobi(self, into: Field, omega: Scalar = 1, largest_change: str = "") -> AssignmentCollection:
        """One sweep from `unknown` to `into`; damped by omega < 1."""
        return self._sweep(into.here, omega, largest_change)

    def gauss_seidel(self, largest_change: str = "") -> AssignmentCollection:
        """One sweep in place, for a coloured schedule."""
        return self._sweep(self.unknown.here, 1, largest_change)

    def sor(self, omega: Scalar = "omega", largest_change: str = "") -> AssignmentCollection:
        """One sweep of successive over-relaxation in place, for a coloured schedule.

        largest_change: name of an output that receives the largest change of a value, or "".
        """
        return self._sweep(self.unknown.here, omega, largest_change)

    def defect_into(self, into: Field, largest: str = "") -> AssignmentCollection:
        """Store minus the residual, 0 where there is no equation: the right-hand side for a correction.

        largest: name of an output that receives its largest absolute value, or "".
        """
        residual, defect = sympy.symbols("residual defect")
        value = sympy.Piecewise((-residual, self.active), (0, True))
        statements = [
            *self.named,
            Assignment(residual, self.residual, self.place),
            Assignment(defect, value, self.place),
            Assignment(into.here, defect, self.place),
        ]
        if largest:
            statements.append(Reduce("max", largest, sympy.Abs(defect), self.place))
        return AssignmentCollection(statements)

    def norm(self, name: str, operation: str = "max", scale: Scalar = 1) -> AssignmentCollection:
        """The largest residual ("max"), or the sum of its squares ("sum"), times `scale`."""
        residual = sympy.Symbol("residual")
        value = quantity(scale) * (sympy.Abs(residual) if operation == "max" else residual**2)
        own = sympy.Piecewise((value, self.active), (0, True))
        named = [*self.named, Assignment(residual, self.residual, self.place)]
        return AssignmentCollection([*named, Reduce(operation, name, own, self.place)])

    def _sweep(self, target: Access, omega: Scalar, largest_change: str) -> AssignmentCollection:
        residual, rate, change = sympy.symbols("residual rate change")
        value = rate * residual
        statements = [
            *self.named,
            Assignment(residual, self.residual, self.place),  # outside the condition: whole vectors are read
            Assignment(rate, quantity(omega) / self.diagonal, self.place),
            Assignment(change, sympy.Piecewise((value, self.active), (0, True)), self.place),
            Assignment(target, self.unknown.here + change, self.place),
        ]
        if largest_change:
            statements.append(Reduce("max", largest_change, sympy.Abs(change), self.place))
        return AssignmentCollection(statements)


def poisson(
    unknown: Field,
    right: Field | None = None,
    weights: Sequence[Scalar] = ("c_x", "c_y", "c_z"),
    openings: Field | None = None,
    coefficients: Field | None = None,
) -> Equation:
    """sum over faces of c (neighbour - own value) = right, the seven-point form of div grad.

    weights: c of the faces across each axis, 1 / h^2 (strings name kernel arguments). openings: a field with
    one byte per cell, in which a bit is set if the face is open (bits of FACES). Closed faces are walls
    without a flux; a cell without open faces has no equation. coefficients: instead of both, a field with c
    of each face (cut cells, grids with varying steps); a cell whose coefficients are all 0 has no equation.
    """
    place = calling_place()
    rank = unknown.rank
    faces = FACES[: 2 * rank]
    if openings is not None and coefficients is not None:
        raise KernelError(
            place,
            "a face cannot have both an opening and a coefficient.",
            "leave out openings, and set the coefficients of closed faces to 0",
        )
    if openings is not None and (openings.dtype not in ("uint8", "int32", "uint32") or openings.components):
        raise KernelError(place, f"'{openings.name}' is not a field of bits.", 'declare it as "uint8"')
    if coefficients is not None and coefficients.components != len(faces):
        raise KernelError(
            place,
            f"'{coefficients.name}' has {coefficients.components} components for {len(faces)} faces.",
            f"declare it as real({len(faces)}), one component per face",
        )
    bits = sympy.Symbol("faces")
    named: list[Statement] = [Assignment(bits, openings.here, place)] if openings is not None else []
    terms: list[sympy.Expr] = []
    total: list[sympy.Expr] = []
    for number, (name, offset) in enumerate(faces):
        face: sympy.Expr = quantity(weights[number // 2]) if coefficients is None else sympy.Integer(0)
        if coefficients is not None:
            face = coefficients.component(number)
        elif openings is not None:
            value = sympy.Piecewise((face, has_bit(bits, number)), (0, True))
            face = sympy.Symbol(f"c_{name}")
            named.append(Assignment(face, value, place))
        total.append(face)
        terms.append(face * (unknown[offset[:rank]] - unknown.here))
    residual = sum(terms, sympy.Integer(0)) - (right.here if right is not None else 0)
    active: sympy.Basic = sympy.true
    if openings is not None:
        active = sympy.Ne(bits, 0)
    elif coefficients is not None:
        active = sympy.Ne(sum(total, sympy.Integer(0)), 0)
    return Equation(unknown, residual, tuple(named), active, place)
