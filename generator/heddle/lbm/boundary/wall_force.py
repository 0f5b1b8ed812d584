# SPDX-License-Identifier: Apache-2.0
"""Force and torque on a body by momentum exchange, summed in the sweep that sets its boundary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.lattice import Lattice
from heddle.model.assignment import Reduce
from heddle.model.equations import Equations, Scalar, add, multiply, negate
from heddle.model.field import Field
from heddle.model.require import vector


@dataclass(frozen=True)
class WallForce:
    """The sums that a sweep computes: the force, and the torque about a point (in two dimensions only
    torque_z).

    force, torque: their names, or None. arm: the vector from that point to the centre of the boundary cell,
    one entry per axis; None for fields of a list, `arm_x` and so on. The length of the link does not change
    the torque, because the momentum exchanged on a link points along it.
    """

    force: str | None = None
    torque: str | None = None
    arm: Sequence[Scalar] | None = None

    def __bool__(self) -> bool:
        return self.force is not None or self.torque is not None

    def arguments(self) -> Sequence[sympy.Expr]:
        """The user's expressions."""
        return [] if self.arm is None else list(vector(self.arm, "an arm"))

    def add_sums(
        self,
        equations: Equations,
        lattice: Lattice,
        exchanged: Mapping[int, sympy.Expr],
        is_incoming: Mapping[int, sympy.Basic],
        *,
        listed: bool,
    ) -> None:
        """F = sum of c_p e_q, T = sum of r x c_p e_q. exchanged: e_q = f*_p + f_q. is_incoming: where q does.
        listed: over a list or cells of a box, not over a face. Raises KernelError for an arm that does not
        fit."""
        equations.section("Force on the wall: sum of c_p (f*_p + f_q), p opposite to q")
        force = []
        for a, axis in enumerate(lattice.axes):
            terms = []
            for q, both in exchanged.items():
                share = multiply(-lattice.velocities[q][a], both)
                if share != 0:
                    always = is_incoming[q] == sympy.true
                    terms.append(share if always else sympy.Piecewise((share, is_incoming[q]), (0, True)))
            force.append(equations.let(f"exchange_{axis}", add(*terms)))
            if self.force is not None:
                equations.statements.append(Reduce("sum", f"{self.force}_{axis}", force[-1]))
        if self.torque is not None:
            arm = self._arm(equations, lattice, listed)
            for axis, turn in _cross(lattice, arm, force):
                total = equations.let(f"turn_{axis}", turn)
                equations.statements.append(Reduce("sum", f"{self.torque}_{axis}", total))

    def _arm(self, equations: Equations, lattice: Lattice, listed: bool) -> list[sympy.Expr]:
        if self.arm is not None and len(self.arm) != lattice.dimension:
            raise KernelError(
                calling_place(),
                f"an arm on {lattice.name} has {lattice.dimension} components, not {len(self.arm)}.",
                "give one entry per axis",
            )
        if self.arm is None and not listed:
            raise KernelError(
                calling_place(),
                "the torque on a face needs the distance of its cells from the reference point.",
                "pass arm=(x - c_x, ...) with x, ... = block_coordinates(), or fields of the face",
            )
        equations.section("Torque: arm x force")
        given = self.arguments() or [
            Field(f"arm_{axis}", "real", 0, ghost_layers=0).here for axis in lattice.axes
        ]
        return [equations.let(f"from_{axis}", r) for axis, r in zip(lattice.axes, given, strict=True)]


def _cross(
    lattice: Lattice, arm: Sequence[sympy.Expr], force: Sequence[sympy.Expr]
) -> list[tuple[str, sympy.Expr]]:
    """The components of arm x force that a lattice has, with their axes."""

    def component(b: int, c: int) -> sympy.Expr:
        return add(multiply(arm[b], force[c]), negate(multiply(arm[c], force[b])))

    if lattice.dimension == 2:
        return [("z", component(0, 1))]
    return [(axis, component((a + 1) % 3, (a + 2) % 3)) for a, axis in enumerate(lattice.axes)]
