# SPDX-License-Identifier: Apache-2.0
"""Collision operators in even and odd halves of opposite pairs: BGK, TRT and the regularised ones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Unpack

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.collision.operator import CollisionOperator, Options, relaxation_rate
from heddle.lbm.collision.viscosity import LocalFlow, ViscosityModel
from heddle.lbm.equilibrium import (
    Third,
    halves,
    has_corners,
    has_third_order,
    name_weights,
    outer,
)
from heddle.lbm.force import ForcedCell
from heddle.lbm.lattice import Lattice, require_lattice
from heddle.lbm.moments.macroscopic import (
    Tensor,
    Vector,
    entry,
    indices,
    labelled,
    macroscopic,
    second_moments,
)
from heddle.model.equations import Equations, Scalar, add, divide, is_zero, multiply, positive


class PairOperator(CollisionOperator):
    """Base of the operators in even and odd halves of opposite pairs: moments, then a local relaxation rate
    where there is one, then `relax`. title: the formula, for the emitted code."""

    title = ""
    needs_stress = False

    def derive(
        self, equations: Equations, populations: Mapping[str, sympy.Expr], zero_centred: bool
    ) -> Mapping[str, sympy.Expr]:
        work = Derivation(self, equations, populations, zero_centred)
        relaxed = self.relax(work)
        if self.force_model is None:
            return relaxed
        cell = ForcedCell(
            equations, self.lattice, work.weights, work.state, work.pushing, work.omega, work.odd_rate
        )
        source = self.force_model.source(cell)
        return {name: add(value, source[name]) for name, value in relaxed.items()}

    @abstractmethod
    def relax(self, work: Derivation) -> Mapping[str, sympy.Expr]:
        """The post-collision value of each direction, after the statements that it needs."""


class Derivation:
    """One derivation in progress: the statements so far, moments, weights and the relaxation rates in use.

    force: what the operator itself has to apply, by Guo's scheme; pushing: the whole force, for a ForceModel.
    """

    def __init__(
        self,
        operator: PairOperator,
        equations: Equations,
        populations: Mapping[str, sympy.Expr],
        zero_centred: bool,
    ) -> None:
        self.lattice = operator.lattice
        self.populations = populations
        self.equations = equations
        equations.section("Constants: lattice weights")
        self.weights = name_weights(equations, self.lattice)
        self.force: Vector = tuple(
            equations.let(labelled("force", a), component) for a, component in enumerate(operator.force)
        )
        self.pushing, model = self.force, operator.force_model
        if model is not None and not model.in_velocity:
            self.force = (sympy.Integer(0),) * self.lattice.dimension
        density = "delta_rho = sum f_q" if zero_centred else "rho = sum f_q"
        half = "" if all(map(is_zero, self.force)) else " + F / 2"
        equations.section(f"Moments: {density}, j = rho u = sum c_q f_q{half}")
        stress = operator.needs_stress or (
            operator.viscosity_model is not None and operator.viscosity_model.needs_stress
        )
        self.state = macroscopic(
            equations,
            self.lattice,
            populations,
            zero_centred=zero_centred,
            force=self.force,
            compressible=operator.compressible,
            share_planes=stress,
        )
        if model is not None:
            self.force = (sympy.Integer(0),) * self.lattice.dimension
        self.pressure_excess: sympy.Expr = sympy.Integer(0)
        self.moments: Tensor = {}
        if stress:
            self.moments = second_moments(equations, self.lattice, self.state)
            self.pressure_excess = equations.let(
                "pressure_excess", multiply(Fraction(1, 3), self.state.deviation)
            )
        self.omega = operator.omega
        if operator.viscosity_model is not None:
            self.omega = self._local_rate(operator.viscosity_model)
        self.odd_rate = self.omega
        deviation = "delta_rho" if zero_centred else "rho"
        equations.section(operator.title.replace("{d}", deviation))

    def stress(self, a: int, b: int, flow: sympy.Expr) -> sympy.Expr:
        """The second moment of f - f_eq: p_ab - delta_ab / 3 times the density, less flow = rho u_a u_b."""
        isotropic = multiply(-1, self.pressure_excess) if a == b else sympy.Integer(0)
        return add(self.moments[a, b], isotropic, multiply(-1, flow))

    def guo(self, rate: sympy.Expr, suffix: str = "") -> Vector:
        """(1 - rate / 2) F, named; zeros where there is no force."""
        if all(map(is_zero, self.force)):
            return self.force
        strength = self.equations.let("guo" + suffix, add(sympy.Integer(1), multiply(Fraction(-1, 2), rate)))
        return tuple(
            self.equations.let(labelled("guo" + suffix, a), multiply(strength, component))
            for a, component in enumerate(self.force)
        )

    def forced_flow(self, vector: Vector, guo: Vector) -> Tensor:
        """Name t_ab = u_a (vector_b + guo_b), symmetric because vector = rate rho u + guo."""
        u = self.state.velocity
        return {
            (a, b): self.equations.let(
                labelled("t", a, b),
                multiply(u[a], add(vector[a], guo[a]))
                if a == b
                else add(multiply(u[a], vector[b]), multiply(guo[a], u[b])),
            )
            for a, b in indices(self.lattice)
        }

    def _local_rate(self, model: ViscosityModel) -> sympy.Expr:
        state = self.state

        def stress() -> Tensor:
            found: Tensor = {}
            for a, b in indices(self.lattice):
                flow = multiply(state.momentum[a], state.velocity[b])
                u, half = state.velocity, state.half_force
                forced = (
                    multiply(2, u[a], half[a])
                    if a == b
                    else add(multiply(u[a], half[b]), multiply(half[a], u[b]))
                )
                found[a, b] = self.equations.let(
                    labelled("stress", a, b), add(self.stress(a, b, flow), forced)
                )
            return found

        return model.rate(LocalFlow(self.equations, self.lattice, self.omega, state.inv_rho, stress))


class BGK(PairOperator):
    """Single relaxation time (Bhatnagar, Gross and Krook 1954), second-order equilibrium."""

    takes_force_models = True
    title = "Collide: f* = f + omega (f_eq - f), f_eq = w [{d} + rho (3 c.u + 9/2 (c.u)^2 - 3/2 u^2)]"

    def relax(self, work: Derivation) -> Mapping[str, sympy.Expr]:
        equations, state, f = work.equations, work.state, work.populations
        keep = equations.let("one_minus_omega", add(1, multiply(-1, work.omega)))
        guo = work.guo(work.omega)
        flow = tuple(
            equations.let(labelled("flow", a), add(multiply(work.omega, j), guo[a]))
            for a, j in enumerate(state.momentum)
        )
        deviation = multiply(work.omega, state.deviation)
        parts = halves(equations, self.lattice, work.weights, deviation, flow, work.forced_flow(flow, guo))
        return {
            name: add(multiply(keep, f[name]), value)
            for name, value in parts.populations(self.lattice).items()
        }


class TRT(PairOperator):
    """Two relaxation times (Ginzburg et al. 2008): omega for the even half, omega_minus for the odd half.

    magic: (1/omega - 1/2) (1/omega_minus - 1/2). 3/16 places half-way walls exactly in the middle of the
    link, 1/6 and 1/12 remove leading errors of diffusion and advection, and 1/4 makes stability independent
    of omega in linear theory. At small viscosity none of them is stable: a double shear layer on 128^2 cells
    at U = 0.04 and U L / nu = 1e4 blows up with 1/4, 3/16 and 0.01, and runs with 1e-4, as it does with BGK.
    Raises KernelError for a number that is not positive.
    """

    takes_force_models = True
    title = "Collide: f* = f - omega (f+ - f_eq+) - omega_minus (f- - f_eq-), even and odd half of each pair"

    def __init__(
        self,
        lattice: Lattice,
        omega: Scalar = "omega",
        *,
        magic: Scalar = Fraction(3, 16),
        **options: Unpack[Options],
    ) -> None:
        super().__init__(lattice, omega, **options)
        self.magic = positive(magic, "magic")

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        return (*super().arguments, self.magic)

    def relax(self, work: Derivation) -> Mapping[str, sympy.Expr]:
        equations, state, f = work.equations, work.state, work.populations
        half = sympy.Rational(1, 2)
        even_time = add(divide(1, work.omega), -half)
        odd_rate = equations.let("omega_minus", divide(1, add(half, divide(self.magic, even_time))))
        keep = equations.let("one_minus_omega", add(1, multiply(-1, work.omega)))
        work.odd_rate = odd_rate
        half_plus = equations.let("half_omega", multiply(half, work.omega))
        half_minus = equations.let("half_omega_minus", multiply(half, odd_rate))
        guo_plus, guo_minus = work.guo(work.omega, "_plus"), work.guo(odd_rate, "_minus")
        plus, minus = (
            tuple(
                equations.let(labelled(name, a), add(multiply(rate, j), guo[a]))
                for a, j in enumerate(state.momentum)
            )
            for name, rate, guo in (("plus", work.omega, guo_plus), ("minus", odd_rate, guo_minus))
        )
        deviation = multiply(work.omega, state.deviation)
        tensor = work.forced_flow(plus, guo_plus)
        parts = halves(equations, self.lattice, work.weights, deviation, minus, tensor)
        post = {"c": add(multiply(keep, f["c"]), parts.rest)}
        for q, opposite in self.lattice.pairs:
            name, other = self.lattice.names[q], self.lattice.names[opposite]
            total, difference = state.pairs.total[name], state.pairs.difference[name]
            sym = equations.let(f"sym_{name}", add(parts.even[name], multiply(-1, half_plus, total)))
            anti = equations.let(f"anti_{name}", add(parts.odd[name], multiply(-1, half_minus, difference)))
            post[name] = add(f[name], sym, anti)
            post[other] = add(f[other], sym, multiply(-1, anti))
        return post


@dataclass(frozen=True)
class RelaxedMoments:
    """What `halves` makes populations of; see there."""

    deviation: sympy.Expr
    momentum: Vector
    tensor: Tensor
    third: Third | None


class Regularised(PairOperator):
    """Populations rebuilt from density, momentum and stress (Latt and Chopard 2006).

    omega_bulk: rate of the trace of the stress, as in MRT, which is the same operator if its higher rates are
    1; None: omega. 1 damps sound: without it, a lid-driven cavity at a Reynolds number of 16 per cell never
    becomes steady. For slow flows: in a stream of U = 0.2 (Mach 0.35) with nu = 0.005 a shear wave grows
    instead of decaying; RecursiveRegularised holds it.
    """

    title = "Collide: f* = f_eq + (1 - omega) 9/2 w (c_a c_b - delta_ab / 3) Pi_ab, Pi the stress of f - f_eq"
    needs_stress = True

    def __init__(
        self,
        lattice: Lattice,
        omega: Scalar = "omega",
        *,
        omega_bulk: Scalar | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(lattice, omega, **options)
        self.omega_bulk = None if omega_bulk is None else relaxation_rate(omega_bulk)

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        return super().arguments if self.omega_bulk is None else (*super().arguments, self.omega_bulk)

    def relax(self, work: Derivation) -> Mapping[str, sympy.Expr]:
        relaxed = self.relaxed_moments(work)
        parts = halves(
            work.equations,
            self.lattice,
            work.weights,
            relaxed.deviation,
            relaxed.momentum,
            relaxed.tensor,
            relaxed.third,
        )
        return parts.populations(self.lattice)

    def relaxed_moments(self, work: Derivation) -> RelaxedMoments:
        """The moments after the collision, from which all populations follow."""
        equations, state = work.equations, work.state
        keep = equations.let("one_minus_omega", add(1, multiply(-1, work.omega)))
        guo = work.guo(work.omega)
        flow = outer(equations, self.lattice, state.momentum, state.velocity, "flow")
        stress = {(a, b): work.stress(a, b, flow[a, b]) for a, b in indices(self.lattice)}
        faster, pushed = self._bulk(work, stress)
        pi = {
            (a, b): equations.let(
                labelled("pi", a, b), add(multiply(keep, s), faster if a == b else sympy.Integer(0))
            )
            for (a, b), s in stress.items()
        }
        tensor: Tensor = {}
        for a, b in indices(self.lattice):
            u = state.velocity
            forced = (
                add(multiply(2, u[a], guo[a]), pushed)
                if a == b
                else add(multiply(u[a], guo[b]), multiply(guo[a], u[b]))
            )
            tensor[a, b] = equations.let(labelled("t", a, b), add(flow[a, b], pi[a, b], forced))
        momentum = tuple(
            equations.let(labelled("post_j", a), add(j, state.half_force[a]))
            for a, j in enumerate(state.momentum)
        )
        third = self.third_moments(work, flow, pi)
        return RelaxedMoments(state.deviation, momentum, tensor, third)

    def _bulk(self, work: Derivation, stress: Tensor) -> tuple[sympy.Expr, sympy.Expr]:
        """What a rate of its own changes in each diagonal entry of the stress, and in that of Guo's source:
        (omega - omega_bulk) / d times the trace, and times u.F."""
        equations, d, nothing = work.equations, self.lattice.dimension, sympy.Integer(0)
        if self.omega_bulk is None:
            return nothing, nothing
        model = self.viscosity_model
        # the model has named what it sees, which has a share of the force
        name = "unforced" if model is not None and model.needs_stress else "stress"
        named = {a: equations.let(labelled(name, a, a), stress[a, a]) for a in range(d)}
        stress.update({(a, a): value for a, value in named.items()})
        apart = multiply(Fraction(1, d), add(work.omega, multiply(-1, self.omega_bulk)))
        gap = equations.let("bulk_gap", apart)
        faster = equations.let("bulk", multiply(gap, add(*named.values())))
        power = add(*(multiply(u, f) for u, f in zip(work.state.velocity, work.force, strict=True)))
        return faster, nothing if is_zero(power) else equations.let("bulk_force", multiply(gap, power))

    def third_moments(self, work: Derivation, flow: Tensor, pi: Tensor) -> Third | None:
        """The third moments to give the populations; none here."""
        del work, flow, pi
        return None


class RecursiveRegularised(Regularised):
    """Third-order recursive regularisation, RR3 (Malaspinas 2015; Coreixas et al. 2017).

    The third moments follow from the stress: a_aab = rho u_a^2 u_b + u_b Pi_aa + 2 u_a Pi_ab. D3Q19 uses the
    sums and differences of H_xxy and H_zzy, which are orthogonal there. Raises KernelError for D3Q15, and for
    weights of your own that leave them so on D3Q27.
    """

    title = "Collide: third-order f_eq + (1 - omega) f_1, third moments u_b (rho u_a^2 + Pi_aa) + 2 u_a Pi_ab"

    def __init__(
        self,
        lattice: Lattice,
        omega: Scalar = "omega",
        *,
        omega_bulk: Scalar | None = None,
        **options: Unpack[Options],
    ) -> None:
        require_lattice(lattice)
        if not has_third_order(lattice):
            raise KernelError(
                calling_place(),
                f"{lattice.name} has too few velocities for orthogonal third-order moments.",
                "use D2Q9, D3Q19 or D3Q27, or the Regularised operator",
            )
        super().__init__(lattice, omega, omega_bulk=omega_bulk, **options)

    def third_moments(self, work: Derivation, flow: Tensor, pi: Tensor) -> Third | None:
        """rho u_a^2 u_b + u_b Pi_aa + 2 u_a Pi_ab, and the like for xyz on lattices with corners."""
        u, d = work.state.velocity, self.lattice.dimension
        twice = [work.equations.let(labelled("two_u", a), multiply(2, u[a])) for a in range(d)]
        whole = {a: work.equations.let(labelled("n", a, a), add(flow[a, a], pi[a, a])) for a in range(d)}
        third: dict[tuple[int, int, int], sympy.Expr] = {
            (a, a, b): add(multiply(u[b], whole[a]), multiply(twice[a], entry(pi, a, b)))
            for a in range(d)
            for b in range(d)
            if a != b
        }
        if has_corners(self.lattice):
            third[0, 1, 2] = add(
                multiply(u[0], add(flow[1, 2], pi[1, 2])), multiply(u[1], pi[0, 2]), multiply(u[2], pi[0, 1])
            )
        return third
