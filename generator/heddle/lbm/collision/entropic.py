# SPDX-License-Identifier: Apache-2.0
"""The entropic operator of Karlin, Boesch and Chikatamarla, Phys. Rev. E 90 (2014) 031302 (KBC)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

import sympy

from heddle.lbm.collision.central_moments import require_central_moments
from heddle.lbm.collision.cumulant import require_tensor_lattice
from heddle.lbm.collision.operator import CellStress, CollisionOperator, Options
from heddle.lbm.collision.viscosity import LocalFlow
from heddle.lbm.force import force_vector
from heddle.lbm.lattice import Lattice, direction_name
from heddle.lbm.moments.macroscopic import Tensor, indices, labelled
from heddle.lbm.moments.moment_space import (
    Moments,
    MomentState,
    by_order,
    moment_state,
    populations,
    powers_of,
    raw_from_central,
)
from heddle.model.equations import Equations, Scalar, add, divide, is_zero, multiply, negate

_SMALLEST = sympy.Float("1e-30")
"""Below this <h|h> there is nothing to relax and gamma is 2."""


class KBC(CollisionOperator):
    """f* = f - beta (2 s + gamma h): the shear part s of f - f_eq relaxes with omega = 2 beta, the rest h
    with the rate that maximises the entropy.

    gamma = 1 / beta - (2 - 1 / beta) <s|h> / <h|h> with <a|b> = sum a_q b_q / f_eq_q and the full product
    equilibrium. trace: count the trace of the stress to the shear part, which ties the bulk viscosity to
    omega. A force acts by exact difference (Kupershtokh et al. 2009) of the same equilibrium, which leaves
    the entropy alone: f* += f_eq(u + F / rho) - f_eq(u), u = j / rho. Serves D2Q9 and D3Q27. Raises
    KernelError for other lattices.
    """

    def __init__(
        self, lattice: Lattice, omega: Scalar = "omega", *, trace: bool = False, **options: Unpack[Options]
    ) -> None:
        require_tensor_lattice(lattice, "KBC")
        require_central_moments(lattice, "KBC", options.get("compressible", True))
        super().__init__(lattice, omega, **options)
        self.trace = trace

    def derive(
        self, equations: Equations, populations: Mapping[str, sympy.Expr], zero_centred: bool
    ) -> Mapping[str, sympy.Expr]:
        """Equilibrium, shear and other part of each direction, then gamma."""
        parts = self._parts(equations, populations, zero_centred)
        push = self._push(equations, parts.state, parts.equilibrium)
        equations.section("Collide: f* = f - beta (2 s + gamma h)")
        return {
            name: add(
                f,
                multiply(-1, parts.omega, parts.shear[name]),
                multiply(-1, parts.strength, parts.other[name]),
                push.get(name, 0),
            )
            for name, f in populations.items()
        }

    def stress(
        self, equations: Equations, populations: Mapping[str, sympy.Expr], zero_centred: bool
    ) -> CellStress:
        """That about j / rho, which no force has part in; its trace, unless it is of the shear part, relaxes
        with beta gamma."""
        parts = self._parts(equations, populations, zero_centred)
        bulk = None if self.trace else parts.strength
        return CellStress(parts.second, parts.omega, bulk, parts.state.inv_rho)

    def _parts(
        self, equations: Equations, populations: Mapping[str, sympy.Expr], zero_centred: bool
    ) -> _Parts:
        lattice = self.lattice
        unforced = force_vector(lattice, None)
        state = moment_state(
            equations, lattice, populations, zero_centred=zero_centred, force=unforced, compressible=True
        )
        omega = self._rate(equations, state)
        beta = equations.let("beta", multiply(Fraction(1, 2), omega))
        equations.section("Shear part: s has the traceless second moments of f - f_eq, and no others")
        second = _stress(equations, lattice, state, "pi")
        shear = self._shear(equations, second)
        equations.section("Equilibrium: central moments rho (1, 0, 1/3) an axis")
        equilibrium = _equilibrium(equations, lattice, state, "eq")
        equations.section("Other part: h = f - f_eq - s")
        other: dict[str, sympy.Expr] = {}
        for name, velocity in zip(lattice.names, lattice.velocities, strict=True):
            less = add(negate(equilibrium[velocity]), negate(shear[name]))
            other[name] = equations.let(f"h_{name}", add(populations[name], less))
        inverse = _inverse_equilibrium(equations, lattice, state)
        equations.section("gamma = 1 / beta - (2 - 1 / beta) <s|h> / <h|h>")
        scaled = {
            name: equations.let(f"scaled_{name}", multiply(h, inverse[name])) for name, h in other.items()
        }
        mixed = equations.let("s_h", add(*(multiply(shear[name], scaled[name]) for name in lattice.names)))
        square = equations.let("h_h", add(*(multiply(other[name], scaled[name]) for name in lattice.names)))
        over_beta = equations.let("over_beta", divide(1, beta))
        ratio = multiply(add(2, negate(over_beta)), divide(mixed, square))
        gamma = sympy.Piecewise((add(over_beta, negate(ratio)), sympy.Gt(square, _SMALLEST)), (2, True))
        strength = equations.let("strength", multiply(beta, equations.let("gamma", gamma)))
        return _Parts(state, equilibrium, second, omega, shear, other, strength)

    def _push(self, equations: Equations, state: MomentState, equilibrium: Moments) -> dict[str, sympy.Expr]:
        """What the force adds to each direction; nothing without one."""
        if all(map(is_zero, self.force)):
            return {}
        lattice = self.lattice
        equations.section("Force: f_eq(u + F / rho) - f_eq(u)")
        pushed = dataclasses.replace(
            state,
            momentum=tuple(
                equations.let(labelled("pushed_j", a), add(j, F))
                for a, (j, F) in enumerate(zip(state.momentum, self.force, strict=True))
            ),
            velocity=tuple(
                equations.let(labelled("pushed_u", a), add(u, multiply(F, state.inv_rho)))
                for a, (u, F) in enumerate(zip(state.velocity, self.force, strict=True))
            ),
        )
        after = _equilibrium(equations, lattice, pushed, "pushed")
        return {
            name: equations.let(f"push_{name}", add(after[velocity], negate(equilibrium[velocity])))
            for name, velocity in zip(lattice.names, lattice.velocities, strict=True)
        }

    def _rate(self, equations: Equations, state: MomentState) -> sympy.Expr:
        if self.viscosity_model is None:
            return self.omega
        flow = LocalFlow(
            equations,
            self.lattice,
            self.omega,
            state.inv_rho,
            lambda: _stress(equations, self.lattice, state),
        )
        return self.viscosity_model.rate(flow)

    def _shear(self, equations: Equations, second: Tensor) -> dict[str, sympy.Expr]:
        """The populations whose only moments are the (traceless) stress: half of it along axes, a quarter
        along edges."""
        lattice, d = self.lattice, self.lattice.dimension
        mean = multiply(Fraction(1, d), add(*(second[a, a] for a in range(d))))
        mean = sympy.Integer(0) if self.trace else equations.let("mean", mean)
        along = [
            equations.let(labelled("s", a, a), multiply(Fraction(1, 2), add(second[a, a], negate(mean))))
            for a in range(d)
        ]
        rest = multiply(-2, add(*along)) if self.trace else sympy.Integer(0)
        across = {
            (a, b): equations.let(labelled("s", a, b), multiply(Fraction(1, 4), value))
            for (a, b), value in second.items()
            if a != b
        }
        result: dict[str, sympy.Expr] = {}
        for name, c in zip(lattice.names, lattice.velocities, strict=True):
            match [a for a in range(d) if c[a]]:
                case []:
                    result[name] = rest
                case [a]:
                    result[name] = along[a]
                case [a, b]:
                    result[name] = multiply(c[a] * c[b], across[a, b])
                case _:
                    result[name] = sympy.Integer(0)
        return result


@dataclass(frozen=True)
class _Parts:
    """The state of a cell, the second moments of f - f_eq, and s and h with their rates omega and beta
    gamma."""

    state: MomentState
    equilibrium: Moments
    second: Tensor
    omega: sympy.Expr
    shear: Mapping[str, sympy.Expr]
    other: Mapping[str, sympy.Expr]
    strength: sympy.Expr


def _stress(equations: Equations, lattice: Lattice, state: MomentState, name: str = "stress") -> Tensor:
    """Name the second moments of f - f_eq."""
    third = equations.let(f"{name}_third", multiply(lattice.cs2, state.deviation))
    return {
        (a, b): equations.let(
            labelled(name, a, b),
            add(
                state.moments[powers_of(lattice, a, b)],
                negate(third) if a == b else 0,
                multiply(-1, state.momentum[a], state.velocity[b]),
            ),
        )
        for a, b in indices(lattice)
    }


def _equilibrium(equations: Equations, lattice: Lattice, state: MomentState, what: str) -> Moments:
    """f_eq of each velocity, less the weight if populations are zero-centred. what: part of the names."""
    squares = [state.deviation]
    for number in range(1, lattice.dimension + 1):
        name = f"{what}_{'xxyyzz'[: 2 * number]}"
        squares.append(equations.let(name, multiply(lattice.cs2**number, state.deviation)))
    none = sympy.Integer(0)
    central = {
        powers: none if any(p % 2 for p in powers) else squares[sum(powers) // 2]
        for powers in by_order(lattice.dimension)
    }
    velocity, whole = state.velocity, state.whole
    raw = raw_from_central(
        equations, central, velocity, state.rho, state.momentum, whole, f"_{what}", equal=True
    )
    return populations(equations, lattice, raw, f"_{what}")


def _inverse_equilibrium(equations: Equations, lattice: Lattice, state: MomentState) -> dict[str, sympy.Expr]:
    """rho / f_eq of each direction: over the axes, one over 2/3 - u^2 or (1/3 + u^2 +- u) / 2."""
    equations.section("rho / f_eq, a product over the axes")
    factors: list[dict[int, sympy.Expr]] = []
    for a, u in enumerate(state.velocity):
        axis = "xyz"[a]
        square = equations.let(f"square_{axis}", multiply(u, u))
        base = equations.let(f"base_{axis}", add(sympy.Rational(1, 3), square))
        rest = divide(1, add(sympy.Rational(2, 3), negate(square)))
        factors.append(
            {
                0: equations.let(f"over_{axis}_rest", rest),
                1: equations.let(f"over_{axis}_plus", divide(2, add(base, u))),
                -1: equations.let(f"over_{axis}_minus", divide(2, add(base, negate(u)))),
            }
        )
    result: dict[str, sympy.Expr] = {}
    planes: dict[tuple[int, ...], sympy.Expr] = {}
    for name, c in zip(lattice.names, lattice.velocities, strict=True):
        if c[:2] not in planes:
            label = "over_" + direction_name((*c[:2], *(0,) * (lattice.dimension - 2)))
            planes[c[:2]] = equations.let(label, multiply(factors[0][c[0]], factors[1][c[1]]))
        value = planes[c[:2]]
        result[name] = value if len(c) == 2 else multiply(value, factors[2][c[2]])
    return result
