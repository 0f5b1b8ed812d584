# SPDX-License-Identifier: Apache-2.0
"""Collision in moment space: multiple relaxation times of raw and of central moments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

import sympy

from heddle.errors import KernelError, calling_place
from heddle.symbolic.equations import Equations, Scalar, add, multiply, negate
from heddle.symbolic.force import is_zero
from heddle.symbolic.lattice import Lattice
from heddle.symbolic.moment_space import (
    Moments,
    MomentState,
    Powers,
    central_moments,
    letters,
    moment_state,
    monomials,
    populations,
    powers_of,
    raw_from_central,
)
from heddle.symbolic.moments import Tensor, indices, labelled
from heddle.symbolic.operator import CollisionOperator, Options, relaxation_rate
from heddle.symbolic.projection import projected, projection
from heddle.symbolic.viscosity import LocalFlow

BASES = ("weighted", "raw")
Part = Callable[[Powers], sympy.Expr]
"""A contribution to each moment: of the equilibrium, or of the force."""


@dataclass(frozen=True)
class Work:
    """A derivation in progress: the cell's moments and the rate of the shear stress in use."""

    equations: Equations
    lattice: Lattice
    state: MomentState
    omega: sympy.Expr


@dataclass(frozen=True)
class RelaxedStress:
    """pi: the second moment of f* - f_eq. slopes: 3 rho d_a u_a of each axis, from the moments before."""

    pi: Tensor
    slopes: Sequence[sympy.Expr]


class MomentOperator(CollisionOperator):
    """Base of the operators that relax moments and go back to populations.

    omega: rate of the shear stress. omega_bulk: rate of its trace; the bulk viscosity is 2/9 (1/omega_bulk -
    1/2) in three dimensions, 1/3 (1/omega_bulk - 1/2) in two. Other arguments: see CollisionOperator.
    """

    def __init__(
        self,
        lattice: Lattice,
        omega: Scalar = "omega",
        *,
        omega_bulk: Scalar = 1,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(lattice, omega, **options)
        monomials(lattice)
        self.omega_bulk = relaxation_rate(omega_bulk)

    @property
    def given(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        return (*super().given, self.omega_bulk)

    def derive(
        self, equations: Equations, populations: Mapping[str, sympy.Expr], zero_centred: bool
    ) -> Mapping[str, sympy.Expr]:
        """Raw moments, the collision between them, and the populations again."""
        force = tuple(
            equations.let(labelled("force", a), component) for a, component in enumerate(self.force)
        )
        state = moment_state(
            equations,
            self.lattice,
            populations,
            zero_centred=zero_centred,
            force=force,
            compressible=self.compressible,
        )
        relaxed = self.relax(equations, state)
        return self._populations(equations, relaxed)

    def _populations(self, equations: Equations, relaxed: Moments) -> dict[str, sympy.Expr]:
        equations.section(
            "Populations, axis by axis: f_+ = (m_2 + m_1) / 2, f_- = (m_2 - m_1) / 2, f_0 = m_0 - m_2"
        )
        found = populations(equations, self.lattice, relaxed)
        names = zip(self.lattice.names, self.lattice.velocities, strict=True)
        return {name: found[velocity] for name, velocity in names}

    @abstractmethod
    def relax(self, equations: Equations, state: MomentState) -> Moments:
        """All raw moments after the collision."""

    def work(self, equations: Equations, state: MomentState, stress: Callable[[], Tensor]) -> Work:
        """With the local relaxation rate if there is a model of the viscosity."""
        omega = self.omega
        if self.viscosity_model is not None:
            flow = LocalFlow(equations, self.lattice, omega, state.inv_rho, stress)
            omega = self.viscosity_model.rate(flow)
        return Work(equations, self.lattice, state, omega)


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
                f"{lattice.name} has moments of order 3 to {highest}; {len(given)} rates do not fit them.",
                "higher=1, or one rate an order",
            )
        if basis not in BASES:
            raise KernelError(calling_place(), f"'{basis}' is not a basis.", "one of " + ", ".join(BASES))
        self.higher = {order: relaxation_rate(rate) for order, rate in enumerate(given, 3)}
        self.basis = basis

    @property
    def given(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        return (*super().given, *self.higher.values())

    def relax_higher(
        self, work: Work, prefix: str, moments: Moments, relaxed: Moments, equilibrium: Part, force: Part
    ) -> None:
        """Add the moments above second order to `relaxed`, in ascending order."""
        let = work.equations.let
        keep = {n: let(f"keep_{n}", add(1, negate(rate))) for n, rate in self.higher.items()}
        half = {
            n: let(f"half_keep_{n}", add(1, multiply(Fraction(-1, 2), r))) for n, r in self.higher.items()
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


def relax_stress(
    work: Work, omega_bulk: sympy.Expr, second: Tensor, third: sympy.Expr, source: Tensor, *, galilean: bool
) -> RelaxedStress:
    """Name the second moment of f* - f_eq, `pi_xx_post`.

    second: the moment of f less the flow, so that its equilibrium is `third` = delta_rho / 3 on the diagonal.
    source: that of the force, u F + F u; it gets its prefactors here. The deviator relaxes with omega, the
    trace with omega_bulk. galilean: take off the defect 3 rho u_x^2 d_x u_x that c_x^3 = c_x leaves, with the
    strain rate from the moments themselves (Geier et al. 2015).
    """
    equations, omega, d = work.equations, work.omega, work.lattice.dimension
    keep = equations.let("keep", add(1, negate(omega)))
    keep_bulk = equations.let("keep_bulk", add(1, negate(omega_bulk)))
    half = equations.let("half_keep", add(1, multiply(Fraction(-1, 2), omega)))
    mean = equations.let("mean", multiply(Fraction(1, d), add(*(second[a, a] for a in range(d)))))
    excess = equations.let("excess", add(mean, negate(third)))
    common = [multiply(keep_bulk, excess)]
    if any(not is_zero(source[a, a]) for a in range(d)):
        mean_source = multiply(Fraction(1, d), add(*(source[a, a] for a in range(d))))
        bulk_less_shear = multiply(Fraction(1, 2), add(omega, negate(omega_bulk)))
        common.append(multiply(equations.let("source_rate", bulk_less_shear), mean_source))
    relaxed: Tensor = {}
    deviators = [equations.let(labelled("deviator", a, a), add(second[a, a], negate(mean))) for a in range(d)]
    slopes = _slopes(work, omega_bulk, deviators, excess)
    defects: list[sympy.Expr] = [sympy.Integer(0)] * d
    if galilean:
        defects = [
            equations.let(labelled("defect", a), multiply(u, u, slopes[a]))
            for a, u in enumerate(work.state.velocity)
        ]
        rate = equations.let("defect_rate", multiply(Fraction(1, 2 * d), add(omega_bulk, negate(omega))))
        common.append(multiply(rate, add(*defects)))
    shared = equations.let("pi_mean_post", add(*common))
    for a, b in indices(work.lattice):
        value = deviators[a] if a == b else second[a, b]
        extra = add(source[a, b], negate(defects[a])) if a == b else source[a, b]
        terms = [multiply(keep, value), multiply(half, extra), shared if a == b else sympy.Integer(0)]
        relaxed[a, b] = equations.let(labelled("pi", a, b) + "_post", add(*terms))
    return RelaxedStress(relaxed, slopes)


def _slopes(
    work: Work, omega_bulk: sympy.Expr, deviators: Sequence[sympy.Expr], excess: sympy.Expr
) -> list[sympy.Expr]:
    """Name 3 rho d_a u_a = -9/2 (omega deviator_aa + omega_bulk excess), the strain rate of each axis."""
    equations = work.equations
    shear = equations.let("shear_slope", multiply(Fraction(-9, 2), work.omega))
    bulk = equations.let("bulk_slope", multiply(Fraction(-9, 2), omega_bulk))
    common = equations.let("slope_mean", multiply(bulk, excess))
    return [
        equations.let(labelled("slope", a, a), add(multiply(shear, deviator), common))
        for a, deviator in enumerate(deviators)
    ]


class MRT(RatesByOrder):
    """Multiple relaxation times of raw moments (d'Humieres et al. 2002): f* = f - M^-1 S M (f - f_eq).

    The shear stress relaxes with omega, its trace with omega_bulk, moments of order 3 and above with the
    rates `higher`, towards the second-order equilibrium. basis "weighted": modes that are orthogonal with the
    lattice weights, whose equilibrium above second order is 0; with all rates 1 this is the regularised
    operator. basis "raw": monomials. All rates equal to omega: BGK. Serves D2Q9, D3Q15, D3Q19, D3Q27.
    """

    def relax(self, equations: Equations, state: MomentState) -> Moments:
        lattice, u, m = self.lattice, state.velocity, state.moments
        third = equations.let("third", multiply(lattice.cs2, state.deviation))
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
                    add(second[a, b], negate(third) if a == b else 0, multiply(Fraction(1, 2), source[a, b])),
                )
                for a, b in indices(lattice)
            }

        work = self.work(equations, state, stress)
        equations.section(
            "Collide: m* = m - S (m - m_eq), the stress with omega, ghost moments with their rates"
        )
        pi = relax_stress(work, self.omega_bulk, second, third, source, galilean=False).pi
        relaxed: Moments = {powers_of(lattice): state.deviation}
        for a in range(lattice.dimension):
            relaxed[powers_of(lattice, a)] = equations.let(
                labelled("m", a) + "_post", add(state.momentum[a], half[a])
            )
        for a, b in indices(lattice):
            isotropic = third if a == b else sympy.Integer(0)
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
        require_moving_frame(lattice, type(self).__name__, options.get("compressible", True))
        super().__init__(lattice, omega, omega_bulk=omega_bulk, higher=higher, basis=basis, **options)
        self.galilean = galilean

    def relax(self, equations: Equations, state: MomentState) -> Moments:
        lattice = self.lattice
        moving = MovingFrame(self, equations, state)
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


class MovingFrame:
    """Central moments of a cell, their second-order part relaxed, and the way back to raw ones."""

    def __init__(self, operator: MomentOperator, equations: Equations, state: MomentState) -> None:
        self.equations, self.state, self.lattice = equations, state, operator.lattice
        lattice = operator.lattice
        equations.section("Central moments: k_1 = m_1 - u m_0, k_2 = m_2 - u (m_1 + k_1) along each axis")
        first = tuple(map(negate, state.half_force))
        self.moments = central_moments(
            equations, state.moments, state.velocity, state.rho, first, state.whole
        )
        self.third = third = equations.let("third", multiply(lattice.cs2, state.deviation))
        self.second = {(a, b): self.moments[powers_of(lattice, a, b)] for a, b in indices(lattice)}

        def stress() -> Tensor:
            return {
                (a, b): equations.let(labelled("stress", a, b), add(value, negate(third) if a == b else 0))
                for (a, b), value in self.second.items()
            }

        self.work = operator.work(equations, state, stress)

    def relaxed(self, omega_bulk: sympy.Expr, *, galilean: bool) -> Moments:
        """The moments up to second order after the collision; those of first order are F / 2."""
        lattice, equations = self.lattice, self.equations
        equations.section("Collide: the stress relaxes with omega, its trace with omega_bulk")
        nothing: Tensor = dict.fromkeys(self.second, sympy.Integer(0))
        self.stress = relax_stress(self.work, omega_bulk, self.second, self.third, nothing, galilean=galilean)
        relaxed: Moments = {powers_of(lattice): self.state.deviation}
        relaxed |= {powers_of(lattice, a): half for a, half in enumerate(self.state.half_force)}
        for (a, b), value in self.stress.pi.items():
            name = labelled("k", a, b) + "_post"
            relaxed[powers_of(lattice, a, b)] = equations.let(
                name, add(self.third, value) if a == b else value
            )
        return relaxed

    def to_raw(self, relaxed: Moments) -> Moments:
        """Raw moments of the central ones."""
        equations, state = self.equations, self.state
        equations.section("Raw moments: m_1 = k_1 + u m_0, m_2 = k_2 + u (k_1 + m_1) along each axis")
        first = tuple(
            equations.let(labelled("m", a) + "_post", add(j, half))
            for a, (j, half) in enumerate(zip(state.momentum, state.half_force, strict=True))
        )
        return raw_from_central(equations, relaxed, state.velocity, state.rho, first, state.whole)


def require_moving_frame(lattice: Lattice, what: str, compressible: bool) -> None:
    """Raises KernelError for a lattice whose moments are no products of those of its axes."""
    known = monomials(lattice)
    if any(lowest != p or lattice.moment(p) != _product_moment(lattice, p) for p, lowest in known.items()):
        raise KernelError(
            calling_place(),
            f"{what} needs moments that are products over the axes; those of {lattice.name} are not.",
            "use D2Q9, D3Q19 or D3Q27, or the MRT operator",
        )
    if not compressible:
        raise KernelError(
            calling_place(),
            f"{what} moves with the velocity j / rho; it has no incompressible form.",
            "leave out compressible=False, or use MRT, BGK, TRT or Regularised",
        )


def _product_moment(lattice: Lattice, powers: Powers) -> Fraction:
    return Fraction(0) if any(p % 2 for p in powers) else lattice.cs2 ** (sum(powers) // 2)
