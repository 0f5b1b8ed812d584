# SPDX-License-Identifier: Apache-2.0
"""Forces of BGK and TRT that add a source to each direction after the collision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy

from heddle.lbm.force import ForcedCell, ForceModel
from heddle.lbm.moments.macroscopic import Vector
from heddle.model.equations import add, multiply, signed


@dataclass(frozen=True)
class He(ForceModel):
    """He, Shan and Doolen, Phys. Rev. E 57 (1998) R13: S_q = f_eq_q 3 (c_q - u).F / rho.

    The even half gets the prefactor 1 - omega / 2, the odd one that of its own rate.
    """

    def source(self, cell: ForcedCell) -> Mapping[str, sympy.Expr]:
        equations, u = cell.equations, cell.state.velocity
        equations.section(
            "Force: S = w [1 + 3 c.u + 9/2 (c.u)^2 - 3/2 u^2] 3 (c - u).F, before 1 - omega / 2"
        )
        even, odd = (
            equations.let(f"{name}_force", add(3, multiply(Fraction(-3, 2), rate)))
            for name, rate in (("even", cell.even_rate), ("odd", cell.odd_rate))
        )
        power = equations.let("power_of_force", _dot(u, cell.force))
        rest = equations.let("kinetic", add(1, multiply(Fraction(-3, 2), _dot(u, u))))
        result = {"c": multiply(-1, even, cell.weights[0], rest, power)}
        for q, opposite in cell.lattice.pairs:
            name, weight = cell.lattice.names[q], cell.weights[cell.lattice.order(q)]
            cu = equations.let(f"cu_{name}", _along(cell, q, u))
            push = equations.let(f"cf_{name}", _along(cell, q, cell.force))
            share = equations.let(f"share_{name}", add(rest, multiply(Fraction(9, 2), cu, cu)))
            both = multiply(weight, even, add(multiply(3, cu, push), multiply(-1, share, power)))
            side = multiply(weight, odd, add(multiply(share, push), multiply(-3, cu, power)))
            both, side = equations.let(f"force_even_{name}", both), equations.let(f"force_odd_{name}", side)
            result[name] = add(both, side)
            result[cell.lattice.names[opposite]] = add(both, multiply(-1, side))
        return result


@dataclass(frozen=True)
class ExactDifference(ForceModel):
    """Kupershtokh et al., Comput. Math. Appl. 58 (2009) 965: f* += f_eq(u + F / rho) - f_eq(u), u = j / rho.

    No prefactor and no half force in the equilibrium; exact for a uniform acceleration.
    """

    in_velocity = False

    def source(self, cell: ForcedCell) -> Mapping[str, sympy.Expr]:
        equations, u, inv_rho = cell.equations, cell.state.velocity, cell.state.inv_rho
        equations.section("Force: f_eq(u + F / rho) - f_eq(u), u = j / rho")
        twice = multiply(2, _dot(u, cell.force))
        gain = equations.let("energy_gain", add(twice, multiply(inv_rho, _dot(cell.force, cell.force))))
        isotropic = equations.let("energy_part", multiply(Fraction(-3, 2), gain))
        result = {"c": multiply(cell.weights[0], isotropic)}
        for q, opposite in cell.lattice.pairs:
            name, weight = cell.lattice.names[q], cell.weights[cell.lattice.order(q)]
            cu = equations.let(f"cu_{name}", _along(cell, q, u))
            push = equations.let(f"cf_{name}", _along(cell, q, cell.force))
            square = multiply(push, add(multiply(2, cu), multiply(inv_rho, push)))
            both = multiply(weight, add(isotropic, multiply(Fraction(9, 2), square)))
            side = multiply(3, weight, push)
            both, side = equations.let(f"force_even_{name}", both), equations.let(f"force_odd_{name}", side)
            result[name] = add(both, side)
            result[cell.lattice.names[opposite]] = add(both, multiply(-1, side))
        return result


def _dot(a: Vector, b: Vector) -> sympy.Expr:
    return add(*(multiply(x, y) for x, y in zip(a, b, strict=True)))


def _along(cell: ForcedCell, q: int, vector: Vector) -> sympy.Expr:
    return add(*(signed(c, v) for c, v in zip(cell.lattice.velocities[q], vector, strict=True)))
