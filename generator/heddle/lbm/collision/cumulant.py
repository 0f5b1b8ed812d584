# SPDX-License-Identifier: Apache-2.0
"""Collision in cumulant space on D2Q9 and D3Q27 (Geier, Schoenherr, Pasquali and Krafczyk 2015; Geier,
Pasquali and Schoenherr 2017).

A cumulant is rho times that of f / rho. To third order cumulants are central moments; above, they are what
remains of a central moment when products of lower cumulants are taken off. With C_p = 0 above some order the
way back is that of a Gaussian: k_xxyy = (k_xx k_yy + 2 k_xy^2) / rho and so on.

In terms of cov = C / rho and, on the diagonal, cov_xx = 1/3 + pi_xx / rho the constants of zero-centred
storage drop out: k_xxyy - 1/9 = (k_yy - 1/3) / 3 + pi_xx cov_yy + 2 k_xy cov_xy.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Unpack

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.collision.central_moments import CentralMoments, require_central_moments
from heddle.lbm.collision.moment_operator import MomentOperator
from heddle.lbm.collision.operator import Options
from heddle.lbm.lattice import Lattice, require_lattice
from heddle.lbm.moments.macroscopic import Tensor, entry, indices, labelled
from heddle.lbm.moments.moment_space import Moments, MomentState, Powers, by_order, letters, powers_of
from heddle.model.equations import Equations, Scalar, add, divide, multiply, negate, quantity


class Cumulant(MomentOperator):
    """Cumulants above second order are set to 0, all rates one (Geier et al. 2015).

    omega: rate of the shear stress. omega_bulk: that of its trace. galilean: take off the cubic defect of the
    velocity that c^3 = c leaves in the stress. The force turns the first central moment from -F/2 to F/2.
    Raises KernelError for lattices other than D2Q9 and D3Q27: cumulants need the moments of all axes.
    """

    def __init__(
        self,
        lattice: Lattice,
        omega: Scalar = "omega",
        *,
        omega_bulk: Scalar = 1,
        galilean: bool = True,
        **options: Unpack[Options],
    ) -> None:
        require_tensor_lattice(lattice, type(self).__name__)
        require_central_moments(lattice, type(self).__name__, options.get("compressible", True))
        super().__init__(lattice, omega, omega_bulk=omega_bulk, **options)
        self.galilean = galilean

    def relax(self, equations: Equations, state: MomentState) -> Moments:
        moving = CentralMoments(self, equations, state)
        relaxed = moving.relaxed(self.omega_bulk, galilean=self.galilean)
        cumulants = self.higher_cumulants(moving)
        equations.section("Central moments of the relaxed cumulants; cov = C / rho")
        Gaussian(equations, self.lattice, moving, relaxed, cumulants).complete()
        return moving.to_raw(relaxed)

    def higher_cumulants(self, moving: CentralMoments) -> Moments:
        """The cumulants above second order after the collision that are not 0."""
        del moving
        return {}


def require_tensor_lattice(lattice: Lattice, what: str) -> None:
    """Raises KernelError unless each axis has three velocities, independently of the others."""
    require_lattice(lattice)
    if lattice.size != 3**lattice.dimension:
        raise KernelError(
            calling_place(),
            f"{what} needs all {3**lattice.dimension} velocities in {lattice.dimension} dimensions; "
            f"{lattice.name} has {lattice.size}.",
            "use D2Q9 or D3Q27, or the CentralMoment operator on D3Q19",
        )


class Gaussian:
    """Central moments above second order from cumulants: products of lower ones, and the cumulant itself.

    relaxed: central moments after the collision, to second order; `complete` adds the others.
    """

    def __init__(
        self,
        equations: Equations,
        lattice: Lattice,
        moving: CentralMoments,
        relaxed: Moments,
        cumulants: Moments,
    ) -> None:
        self.equations, self.lattice, self.state = equations, lattice, moving.state
        self.relaxed, self.cumulants, self.pi = relaxed, cumulants, moving.stress.pi
        self.excess = {
            a: equations.let(labelled("cov_excess", a, a), multiply(self.pi[a, a], self.state.inv_rho))
            for a in range(lattice.dimension)
        }
        self.cov: Tensor = {}
        self.twice: Tensor = {}
        for a, b in indices(lattice):
            if a == b:
                value = add(sympy.Rational(1, 3), self.excess[a])
            else:
                value = multiply(self.pi[a, b], self.state.inv_rho)
                double = multiply(2, self.pi[a, b])
                several = (
                    lattice.dimension == 3 and a == 0
                )  # k_aabb reads it, and one of k_xxyz, k_xyyz, k_xyzz
                self.twice[a, b] = equations.let(labelled("twice", a, b), double) if several else double
            self.cov[a, b] = equations.let(labelled("cov", a, b), value)

    def complete(self) -> None:
        """Add the moments of order 3 to 2 d."""
        for powers in by_order(self.lattice.dimension):
            if sum(powers) > 2:
                terms = [self._of_lower(powers), self._cumulant(powers)]
                self.relaxed[powers] = self.equations.let(f"k_{letters(powers)}_post", add(*terms))

    def _cumulant(self, powers: Powers) -> sympy.Expr:
        return self.cumulants.get(powers, sympy.Integer(0))

    def _of_lower(self, powers: Powers) -> sympy.Expr:
        double = [a for a, power in enumerate(powers) if power == 2]
        single = [a for a, power in enumerate(powers) if power == 1]
        match len(double), len(single):
            case 2, 0:
                return self._xxyy(*double)
            case 1, 2:
                return self._xxyz(double[0], *single)
            case 2, 1:
                return self._xyyzz(single[0], *double)
            case 3, 0:
                return self._xxyyzz()
        return sympy.Integer(0)

    def _xxyy(self, a: int, b: int) -> sympy.Expr:
        """k_bb / 3 + pi_aa cov_bb + 2 k_ab cov_ab."""
        third = multiply(Fraction(1, 3), self.relaxed[powers_of(self.lattice, b, b)])
        mixed = multiply(self.twice[a, b], self.cov[a, b])
        return add(third, multiply(self.pi[a, a], self.cov[b, b]), mixed)

    def _xxyz(self, a: int, b: int, c: int) -> sympy.Expr:
        """cov_aa k_bc + 2 k_ab cov_ac."""
        return add(
            multiply(self.cov[a, a], entry(self.pi, b, c)),
            multiply(entry(self.twice, a, b), entry(self.cov, a, c)),
        )

    def _xyyzz(self, a: int, b: int, c: int) -> sympy.Expr:
        """cov_cc C_abb + cov_bb C_acc + 4 cov_bc C_abc + 2 (cov_ac C_bbc + cov_ab C_bcc)."""
        cov = self.cov
        products = add(
            multiply(entry(cov, a, c), self._third(b, b, c)), multiply(entry(cov, a, b), self._third(b, c, c))
        )
        return add(
            multiply(cov[c, c], self._third(a, b, b)),
            multiply(cov[b, b], self._third(a, c, c)),
            multiply(4, entry(cov, b, c), self._third(a, b, c)),
            multiply(2, products),
        )

    def _third(self, *axes: int) -> sympy.Expr:
        return self._cumulant(powers_of(self.lattice, *axes))

    def _xxyyzz(self) -> sympy.Expr:
        """cov_xx k_yyzz + 2 cov_xy k_xyzz + 2 cov_xz k_xyyz, and what those lack of the products of third and
        fourth cumulants."""
        cov, inv_rho = self.cov, self.state.inv_rho
        ninth = multiply(self.state.whole**2, self.excess[0])
        mixed = add(multiply(cov[0, 1], self.relaxed[1, 1, 2]), multiply(cov[0, 2], self.relaxed[1, 2, 1]))
        terms = [multiply(cov[0, 0], self.relaxed[0, 2, 2]), ninth, multiply(2, mixed)]
        if self.cumulants:
            c = self._cumulant
            terms += [multiply(cov[2, 2], c((2, 2, 0))), multiply(cov[1, 1], c((2, 0, 2)))]
            terms.append(multiply(4, cov[1, 2], c((2, 1, 1))))
            half = add(multiply(cov[0, 2], c((1, 2, 1))), multiply(cov[0, 1], c((1, 1, 2))))
            pairs = add(
                *(
                    multiply(self._third(a, b, b), self._third(a, c, c))
                    for a, b, c in ((0, 1, 2), (1, 0, 2), (2, 0, 1))
                )
            )
            xyz = self._third(0, 1, 2)
            terms.append(multiply(2, add(half, multiply(inv_rho, add(pairs, multiply(2, xyz, xyz))))))
        return add(*terms)


class ParametrisedCumulant(Cumulant):
    """Rates of the third order and values of the fourth that make diffusion of momentum fourth-order accurate
    (Geier, Pasquali and Schoenherr 2017), on D3Q27.

    The rates follow from omega and omega_bulk. Where one of them leaves (0, 2) or a fourth-order coefficient
    exceeds 10 - near omega = omega_bulk, and for viscosities between 1/42 and 1/15 at omega_bulk = 1 - the
    all-one rates are used instead. limiter: lambda of omega_n + (1 - omega_n) |C| / (rho lambda + |C|), which
    damps under-resolved third cumulants (larger is less); None for none.
    """

    def __init__(
        self,
        lattice: Lattice,
        omega: Scalar = "omega",
        *,
        omega_bulk: Scalar = 1,
        limiter: Scalar | None = Fraction(1, 100),
        **options: Unpack[Options],
    ) -> None:
        require_lattice(lattice)
        if lattice.size != 27:
            raise KernelError(
                calling_place(),
                f"the parametrised cumulant operator is defined for D3Q27, not for {lattice.name}.",
                "use D3Q27, or the Cumulant operator on D2Q9",
            )
        super().__init__(lattice, omega, omega_bulk=omega_bulk, **options)
        self.limiter = None if limiter is None else quantity(limiter)

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        return (*super().arguments, *(() if self.limiter is None else (self.limiter,)))

    def higher_cumulants(self, moving: CentralMoments) -> Moments:
        equations, lattice, omega = moving.equations, self.lattice, moving.work.omega
        equations.section("Third cumulants relax in sums and differences, fourth follow the strain rate")
        rates = parameters(equations, omega, self.omega_bulk)
        bound = None
        if self.limiter is not None:
            bound = equations.let("bound", multiply(self.limiter, moving.state.rho))
        found: Moments = {}
        for a, b, c in ((0, 1, 2), (1, 0, 2), (2, 0, 1)):
            first, second = powers_of(lattice, a, b, b), powers_of(lattice, a, c, c)
            one, two = moving.moments[first], moving.moments[second]
            axis = "xyz"[a]
            total = _limited(equations, f"sum_{axis}", add(one, two), rates.third_sum, bound)
            difference = _limited(
                equations, f"difference_{axis}", add(one, negate(two)), rates.third_difference, bound
            )
            half = Fraction(1, 2)
            found[first] = equations.let(f"c_{letters(first)}", multiply(half, add(total, difference)))
            found[second] = equations.let(
                f"c_{letters(second)}", multiply(half, add(total, negate(difference)))
            )
        found[1, 1, 1] = _limited(equations, "xyz", moving.moments[1, 1, 1], rates.third_mixed, bound)
        for a, b in combinations(range(3), 2):
            slopes = add(moving.stress.slopes[a], moving.stress.slopes[b])
            key = powers_of(lattice, a, a, b, b)
            found[key] = equations.let(f"c_{letters(key)}", multiply(rates.fourth_diagonal, slopes))
            other = 3 - a - b
            key = powers_of(lattice, other, other, a, b)
            found[key] = equations.let(f"c_{letters(key)}", multiply(rates.fourth_mixed, moving.second[a, b]))
        return found


def _limited(
    equations: Equations, name: str, value: sympy.Expr, keep: sympy.Expr, bound: sympy.Expr | None
) -> sympy.Expr:
    """keep C, or keep C bound / (bound + |C|)."""
    value = equations.let(f"third_{name}", value)
    relaxed = multiply(keep, value)
    if bound is not None:
        relaxed = divide(multiply(keep, value, bound), add(bound, sympy.Abs(value)))
    return equations.let(f"third_{name}_post", relaxed)


@dataclass(frozen=True)
class Parameters:
    """What is kept of the third cumulants (1 - rate), and the coefficients of the fourth."""

    third_sum: sympy.Expr
    third_difference: sympy.Expr
    third_mixed: sympy.Expr
    fourth_diagonal: sympy.Expr
    fourth_mixed: sympy.Expr


def parameters(equations: Equations, omega: sympy.Expr, bulk: sympy.Expr) -> Parameters:
    """Name the parameters for rates omega and bulk; 0, the all-one rates, where they are not usable."""
    w, b = omega, bulk
    rates = (
        8 * (w - 2) * (b * (3 * w - 1) - 5 * w) / (8 * (5 - 2 * w) * w + b * (8 + w * (9 * w - 26))),
        8 * (w - 2) * (w + b * (3 * w - 7)) / (b * (56 - 42 * w + 9 * w**2) - 8 * w),
        24
        * (w - 2)
        * (4 * w**2 + w * b * (18 - 13 * w) + b**2 * (2 + w * (6 * w - 11)))
        / (
            16 * w**2 * (w - 6)
            - 2 * w * b * (216 + 5 * w * (9 * w - 46))
            + b**2 * (w * (3 * w - 10) * (15 * w - 28) - 48)
        ),
    )
    below = (w - b) * (b * (2 + 3 * w) - 8 * w)
    fourth = (
        (4 * w**2 + 2 * w * b * (w - 6) + b**2 * (w * (10 - 3 * w) - 4)) / below,
        (4 * w * b * (9 * w - 16) - 4 * w**2 - 2 * b**2 * (2 + 9 * w * (w - 2))) / (3 * below),
    )
    if omega.is_number and bulk.is_number:
        return _known_parameters(float(omega), [*map(_number, rates)], [*map(_number, fourth)])
    named = [
        equations.let(name, rate) for name, rate in zip(("omega_3", "omega_4", "omega_5"), rates, strict=True)
    ]
    large = [equations.let(name, value) for name, value in zip(("a_4", "b_4"), fourth, strict=True)]
    inside = [sympy.And(sympy.Gt(rate, 0), sympy.Lt(rate, 2)) for rate in named]
    usable = sympy.And(*inside, *(sympy.Le(sympy.Abs(value), 10) for value in large))
    in_range = equations.let("in_range", sympy.Piecewise((1, usable), (0, True)))

    def chosen(name: str, value: sympy.Expr) -> sympy.Expr:
        return equations.let(name, sympy.Piecewise((value, sympy.Gt(in_range, 0)), (0, True)))

    stress_time = add(divide(1, omega), sympy.Rational(-1, 2))
    half_keep = add(1, multiply(Fraction(-1, 2), omega))
    kept = [chosen(f"one_minus_omega_{n}", add(1, negate(rate))) for n, rate in enumerate(named, 3)]
    return Parameters(
        kept[0],
        kept[1],
        kept[2],
        chosen("fourth_diagonal", multiply(Fraction(-2, 9), stress_time, large[0])),
        chosen("fourth_mixed", multiply(half_keep, large[1])),
    )


def _number(value: sympy.Expr) -> float:
    """The value, or infinity at a pole."""
    return float(value) if value.is_finite else float("inf")


def _known_parameters(omega: float, rates: list[float], fourth: list[float]) -> Parameters:
    if not all(0 < rate < 2 for rate in rates) or any(abs(value) > 10 for value in fourth):
        return Parameters(*[sympy.Integer(0)] * 5)
    values = [
        *(1 - rate for rate in rates),
        -2 / 9 * (1 / omega - 0.5) * fourth[0],
        (1 - omega / 2) * fourth[1],
    ]
    return Parameters(*map(sympy.Float, values))
