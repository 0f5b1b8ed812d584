# SPDX-License-Identifier: Apache-2.0
"""Multiple relaxation times: a rate for each order of moments, raw ones (MRT) or central ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Unpack

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.collision.central_moments import CentralMoments, require_central_moments
from heddle.lbm.collision.moment_operator import MomentOperator, Work, relax_stress
from heddle.lbm.collision.operator import Options, relaxation_rate
from heddle.lbm.lattice import Lattice
from heddle.lbm.moments.macroscopic import Tensor, indices, labelled
from heddle.lbm.moments.moment_space import (
    Moments,
    MomentState,
    Powers,
    letters,
    monomials,
    powers_of,
)
from heddle.lbm.moments.projection import projected, projection
from heddle.model.equations import Equations, Scalar, add, multiply, negate

BASES = ("weighted", "raw")
Part = Callable[[Powers], sympy.Expr]
"""A contribution to each moment: of the equilibrium, or of the force."""


class RatesByOrder(MomentOperator):
    """Base of MRT and CentralMoment: a rate for each order of moments above the second.

    higher: the rates of order 3, 4, ... (to 4 on D2Q9 and D3Q19, to 6 on D3Q27), or one for all. basis:
    "weighted" for moments that are orthogonal with the lattice weights, "raw" for plain monomials.
    """

    def __init__(
        self,
        lattice: Lattice,
        omega: Scalar = "omega",
        *,
        omega_bulk: Scalar = 1,
        higher: Scalar | Sequence[Scalar] = 1,
        basis: str = "weighted",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(lattice, omega, omega_bulk=omega_bulk, **options)
        highest = max(sum(powers) for powers in monomials(lattice).values())
        given = [higher] * (highest - 2) if isinstance(higher, Scalar) else list(higher)
        if len(given) != highest - 2:
            raise KernelError(
                calling_place(),
                f"{lattice.name} has moments of orders 3 to {highest}, but {len(given)} rates are given.",
                "use higher=1, or give one rate per order",
            )
        if basis not in BASES:
            raise KernelError(
                calling_place(), f"'{basis}' is not a moment basis.", "one of " + ", ".join(BASES)
            )
        self.higher = {order: relaxation_rate(rate) for order, rate in enumerate(given, 3)}
        self.basis = basis

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        return (*super().arguments, *self.higher.values())

    def relax_higher(
        self, work: Work, prefix: str, moments: Moments, relaxed: Moments, equilibrium: Part, force: Part
    ) -> None:
        """Add the moments above second order to `relaxed`, in ascending order."""
        let = work.equations.let
        keep = {n: let(f"one_minus_omega_{n}", add(1, negate(rate))) for n, rate in self.higher.items()}
        half = {
            n: let(f"one_minus_half_omega_{n}", add(1, multiply(Fraction(-1, 2), r)))
            for n, r in self.higher.items()
        }
        for powers, lowest in monomials(work.lattice).items():
            order = sum(powers)
            if powers != lowest or order <= 2:
                relaxed[powers] = relaxed[lowest]
                continue
            name = f"{prefix}_{letters(powers)}_post"
            if self.basis == "weighted":
                value = self._towards_projection(work, powers, keep[order], moments, relaxed)
            else:
                value = add(
                    multiply(keep[order], moments[powers]),
                    multiply(self.higher[order], equilibrium(powers)),
                    multiply(half[order], force(powers)),
                )
            relaxed[powers] = let(name, value)

    def _towards_projection(
        self, work: Work, powers: Powers, keep: sympy.Expr, moments: Moments, relaxed: Moments
    ) -> sympy.Expr:
        """The projection on the relaxed lower moments, and what is kept of the orthogonal part."""
        lower, label = projection(work.lattice, powers), letters(powers)
        value = projected(work.equations, lower, relaxed, f"{label}_post")
        if keep == 0:
            return value
        before = projected(work.equations, lower, moments, label)
        ghost = work.equations.let(f"ghost_{label}", add(moments[powers], negate(before)))
        return add(value, multiply(keep, ghost))


class MRT(RatesByOrder):
    """Multiple relaxation times of raw moments (d'Humieres et al. 2002): f* = f - M^-1 S M (f - f_eq).

    The shear stress relaxes with omega, its trace with omega_bulk, moments of order 3 and above with the
    rates `higher`, towards the second-order equilibrium. basis "weighted": modes that are orthogonal with the
    lattice weights, whose equilibrium above second order is 0; with all rates 1 this is the regularised
    operator, with its limit of speed. basis "raw": monomials. All rates equal to omega: BGK. Serves D2Q9,
    D3Q15, D3Q19, D3Q27.
    """

    def relax(self, equations: Equations, state: MomentState) -> Moments:
        lattice, u, m = self.lattice, state.velocity, state.moments
        pressure_excess = equations.let("pressure_excess", multiply(lattice.cs2, state.deviation))
        flow = {
            (a, b): equations.let(labelled("flow", a, b), multiply(state.momentum[a], u[b]))
            for a, b in indices(lattice)
        }
        second = {
            (a, b): equations.let(labelled("n", a, b), add(m[powers_of(lattice, a, b)], negate(flow[a, b])))
            for a, b in indices(lattice)
        }
        half = state.half_force
        source = {
            (a, b): equations.let(
                labelled("source", a, b),
                multiply(4, u[a], half[a])
                if a == b
                else multiply(2, add(multiply(u[a], half[b]), multiply(half[a], u[b]))),
            )
            for a, b in indices(lattice)
        }

        def stress() -> Tensor:
            return {
                (a, b): equations.let(
                    labelled("stress", a, b),
                    add(
                        second[a, b],
                        negate(pressure_excess) if a == b else 0,
                        multiply(Fraction(1, 2), source[a, b]),
                    ),
                )
                for a, b in indices(lattice)
            }

        work = self.work(equations, state, stress)
        equations.section(
            "Collide: m* = m - S (m - m_eq), the stress with omega, ghost moments with their rates"
        )
        pi = relax_stress(work, self.omega_bulk, second, pressure_excess, source, galilean=False).pi
        relaxed: Moments = {powers_of(lattice): state.deviation}
        for a in range(lattice.dimension):
            relaxed[powers_of(lattice, a)] = equations.let(
                labelled("m", a) + "_post", add(state.momentum[a], half[a])
            )
        for a, b in indices(lattice):
            isotropic = pressure_excess if a == b else sympy.Integer(0)
            relaxed[powers_of(lattice, a, b)] = equations.let(
                labelled("m", a, b) + "_post", add(isotropic, flow[a, b], pi[a, b])
            )
        equilibrium, force = _second_order_parts(lattice, state, flow, source)
        self.relax_higher(work, "m", m, relaxed, equilibrium, force)
        return relaxed


def _second_order_parts(
    lattice: Lattice, state: MomentState, flow: Tensor, source: Tensor
) -> tuple[Part, Part]:
    """The raw moments of w [d + 3 c.j + 9/2 (c_a c_b - delta_ab / 3) t_ab]: equilibrium and Guo's source."""
    d = lattice.dimension

    def moment(powers: Powers, zeroth: sympy.Expr, first: Sequence[sympy.Expr], tensor: Tensor) -> sympy.Expr:
        def weight(*axes: int) -> Fraction:
            return lattice.moment(tuple(powers[a] + axes.count(a) for a in range(d)))

        terms = [multiply(weight(), zeroth)]
        terms += [multiply(3 * weight(a), first[a]) for a in range(d)]
        for (a, b), value in tensor.items():
            isotropic = weight() / 3 if a == b else 0
            terms.append(multiply(Fraction(9, 2 if a == b else 1) * (weight(a, b) - isotropic), value))
        return add(*terms)

    whole_force = tuple(multiply(2, component) for component in state.half_force)
    none = sympy.Integer(0)
    return (
        lambda powers: moment(powers, state.deviation, state.momentum, flow),
        lambda powers: moment(powers, none, whole_force, source),
    )


class CentralMoment(RatesByOrder):
    """Relaxation of moments about the local velocity (Geier et al. 2006; De Rosis 2017), Maxwellian
    equilibrium rho (1, 0, 1/3) an axis.

    basis "weighted": Hermite central moments: with rates 1 the fourth moments follow the stress after the
    collision, which keeps the viscosity isotropic; basis "raw": plain central moments, whose fixed fourth
    moments cost up to 24 per cent of a small viscosity along diagonals in three dimensions. galilean: the
    correction of the cumulant operator. The force enters as the moments that it has in the moving frame, F
    and F / 3. Raises KernelError for D3Q15, which has no such moments.
    """

    def __init__(
        self,
        lattice: Lattice,
        omega: Scalar = "omega",
        *,
        omega_bulk: Scalar = 1,
        higher: Scalar | Sequence[Scalar] = 1,
        basis: str = "weighted",
        galilean: bool = False,
        **options: Unpack[Options],
    ) -> None:
        require_central_moments(lattice, type(self).__name__, options.get("compressible", True))
        super().__init__(lattice, omega, omega_bulk=omega_bulk, higher=higher, basis=basis, **options)
        self.galilean = galilean

    def relax(self, equations: Equations, state: MomentState) -> Moments:
        lattice = self.lattice
        moving = CentralMoments(self, equations, state)
        relaxed = moving.relaxed(self.omega_bulk, galilean=self.galilean)
        none = sympy.Integer(0)

        def equilibrium(powers: Powers) -> sympy.Expr:
            even = all(power % 2 == 0 for power in powers)
            return multiply(lattice.moment(powers), state.deviation) if even else none

        def force(powers: Powers) -> sympy.Expr:
            odd = [a for a, power in enumerate(powers) if power % 2]
            share = Fraction(2, 3 ** (sum(powers) // 2))
            return multiply(share, state.half_force[odd[0]]) if len(odd) == 1 else none

        self.relax_higher(moving.work, "k", moving.moments, relaxed, equilibrium, force)
        return moving.to_raw(relaxed)
