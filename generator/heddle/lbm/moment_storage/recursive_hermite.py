# SPDX-License-Identifier: Apache-2.0
"""The third moments of the recursive regularisation, of moments in memory."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.lbm.equilibrium import third_order_factor
from heddle.lbm.lattice import Lattice
from heddle.lbm.moments.macroscopic import Tensor, Vector, entry, labelled
from heddle.model.equations import Equations, add, divide, multiply


class RecursiveHermite:
    """The third moments that RecursiveRegularised gives the populations of a cell, of what is stored of it.

    They take the stress after its relaxation, Pi_ab = t_ab - rho u_a u_b: t_aab = u_b t_aa + 2 u_a Pi_ab and
    t_xyz = u_x t_yz + u_y Pi_xz + u_z Pi_xy. cell: the end of names, which come as they are asked for.
    """

    def __init__(
        self,
        equations: Equations,
        lattice: Lattice,
        cell: str,
        deviation: sympy.Expr,
        momentum: Vector,
        tensor: Tensor,
    ) -> None:
        self.equations, self.lattice, self.cell = equations, lattice, cell
        self.momentum, self.tensor = momentum, tensor
        self.inverse = equations.let(f"inv_rho_{cell}", divide(1, add(1, deviation)))
        self.named: dict[str, sympy.Expr] = {}

    def transverse(self, axes: Sequence[int], b: int) -> list[sympy.Expr]:
        """What directions along `axes` have beside j_b in the slope along b: 3 t_aab times factors."""
        factors = {
            a: third_order_factor(self.lattice, a in axes, len(axes))
            for a in range(self.lattice.dimension)
            if a != b
        }
        return [multiply(factor, self._three(a, b)) for a, factor in factors.items() if factor]

    def triple(self) -> sympy.Expr:
        """9 t_xyz."""
        t_xyz = add(
            multiply(self._velocity(0), self.tensor[1, 2]),
            multiply(self._velocity(1), self._stress(0, 2)),
            multiply(self._velocity(2), self._stress(0, 1)),
        )
        return self._let("h_xyz", multiply(9, t_xyz))

    def _let(self, name: str, value: sympy.Expr) -> sympy.Expr:
        if name not in self.named:
            self.named[name] = self.equations.let(f"{name}_{self.cell}", value)
        return self.named[name]

    def _velocity(self, a: int) -> sympy.Expr:
        return self._let(labelled("u", a), multiply(self.momentum[a], self.inverse))

    def _stress(self, a: int, b: int) -> sympy.Expr:
        a, b = min(a, b), max(a, b)
        flow = multiply(self.momentum[a], self._velocity(b))
        return self._let(labelled("pi", a, b), add(self.tensor[a, b], multiply(-1, flow)))

    def _three(self, a: int, b: int) -> sympy.Expr:
        twice = self._let(labelled("two_u", a), multiply(2, self._velocity(a)))
        third = add(
            multiply(self._velocity(b), entry(self.tensor, a, a)), multiply(twice, self._stress(a, b))
        )
        return self._let(labelled("h", a, a, b), multiply(3, third))
