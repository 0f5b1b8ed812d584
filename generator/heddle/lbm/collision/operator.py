# SPDX-License-Identifier: Apache-2.0
"""The base of the collision operators: from the populations that arrive in a cell to those that leave it.

Each operator is a function of a mapping from direction names to populations. It is independent of streaming
and storage, except for whether the populations are zero-centred (f - w, which keeps the rounding errors of
weak flows small). The kinematic viscosity is c_s^2 (1/omega - 1/2) in lattice units.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict, Unpack

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.collision.viscosity import LocalFlow, ViscosityModel
from heddle.lbm.equilibrium import require_momentum
from heddle.lbm.force import Force, ForceModel, force_vector
from heddle.lbm.lattice import Lattice
from heddle.lbm.moments.macroscopic import Tensor, indices, labelled, macroscopic, second_moments
from heddle.lbm.neighbour_access import IndexedNeighbours
from heddle.model.assignment import Statement
from heddle.model.equations import Equations, Scalar, add, multiply, quantity
from heddle.model.flag import require_flag
from heddle.model.require import require_object
from heddle.model.streaming_kernels import HalfOfAStep


@dataclass(frozen=True)
class Collided:
    """The statements of a collision and what the post-collision population of each direction is called."""

    statements: tuple[Statement, ...]
    post: Mapping[str, sympy.Expr]


@dataclass(frozen=True)
class CellStress:
    """The stress of a cell before the collision.

    tensor: the second moment of f - f_eq with its share of the force. omega, omega_bulk: the rates with which
    the collision relaxes its deviator and its trace, None for one rate. inv_rho: 1 / rho.
    """

    tensor: Tensor
    omega: sympy.Expr
    omega_bulk: sympy.Expr | None
    inv_rho: sympy.Expr


class Options(TypedDict, total=False):
    """The options that every operator takes in addition to its lattice and rates; see CollisionOperator."""

    force: Force | None
    eddy_viscosity: ViscosityModel | None
    rheology: ViscosityModel | None
    compressible: bool


class Collision(HalfOfAStep, ABC):
    """Base of everything that computes post-collision populations from arrived ones, on the lattice
    `lattice`.

    letter: of the populations, in formulas and in emitted code.
    """

    does = "collides"
    lattice: Lattice
    letter = "f"

    @property
    @abstractmethod
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""

    def __call__(self, populations: Mapping[str, sympy.Expr], zero_centred: bool = True) -> Collided:
        """The statements from arrived to post-collision populations."""
        equations = Equations(self.arguments)
        relaxed = self.derive(equations, populations, zero_centred)
        post = {name: equations.let(f"post_{name}", relaxed[name]) for name in self.lattice.names}
        return Collided(tuple(equations.statements), post)

    @abstractmethod
    def derive(
        self, equations: Equations, populations: Mapping[str, sympy.Expr], zero_centred: bool
    ) -> Mapping[str, sympy.Expr]:
        """The post-collision value of each direction, after the statements that it needs."""

    def over_list(self, neighbours: IndexedNeighbours) -> Collision:
        """The same collision in a kernel over a list, where it has to look at neighbours in another way."""
        del neighbours
        return self


class CollisionOperator(Collision):
    """Base of the collision operators of a flow.

    omega: relaxation rate of the shear stress, 0 < omega < 2: a name, a number or an expression. force: a
    force density, one entry per axis (names of arguments, numbers, fields, or expressions of the position),
    or a ForceModel with one, or None. A ForceModel (He, ExactDifference) is for BGK and TRT: it gives each
    direction a source with the prefactors of their one or two rates, whereas other operators relax moments
    and give each moment its share of the force. eddy_viscosity: a subgrid model that adds to the viscosity of
    omega, or None. rheology: a viscosity law that replaces omega, or None. compressible: False for the
    incompressible equilibrium of He and Luo (1997), whose steady flows are exactly divergence-free.
    CentralMoment, Cumulant, ParametrisedCumulant and KBC have no such form: its populations are a sum of
    density and momentum, not a product in a frame that moves with j / rho.

    Raises KernelError for a lattice that carries no momentum, for a rate that is known to be unstable, and
    for an unknown option.
    """

    takes_force_models = False
    omega_bulk: sympy.Expr | None = None
    """The rate of the trace of the stress; None: that of the rest, the local one where there is a model."""

    def __init__(self, lattice: Lattice, omega: Scalar = "omega", **options: Unpack[Options]) -> None:
        require_momentum(lattice, type(self).__name__)
        for name in sorted(set(options) - set(Options.__annotations__)):
            raise KernelError(
                calling_place(),
                f"{type(self).__name__} has no option '{name}'.",
                "the common options are " + ", ".join(Options.__annotations__),
            )
        self.lattice = lattice
        self.omega = relaxation_rate(omega)
        force = options.get("force")
        self.force = force_vector(lattice, force)
        self.force_model = force if isinstance(force, ForceModel) else None
        if self.force_model is not None and not self.takes_force_models:
            raise KernelError(
                calling_place(),
                f"{type(self).__name__} has its own forcing scheme and does not support "
                f"{type(force).__name__}.",
                "pass the vector only, force=(...); He and ExactDifference are for BGK and TRT",
            )
        self.viscosity_model = viscosity_model(
            self.omega, options.get("eddy_viscosity"), options.get("rheology")
        )
        self.compressible = options.get("compressible", True)
        require_flag(self.compressible, "compressible")

    @property
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""
        local = () if self.viscosity_model is None else self.viscosity_model.arguments
        return (self.omega, *self.force, *local)

    def over_list(self, neighbours: IndexedNeighbours) -> Collision:
        """With the model of the viscosity over a list."""
        model = self.viscosity_model
        listed = None if model is None else model.over_list(neighbours)
        if listed is model:
            return self
        other = copy.copy(self)
        other.viscosity_model = listed
        return other

    def stress(
        self, equations: Equations, populations: Mapping[str, sympy.Expr], zero_centred: bool
    ) -> CellStress:
        """The stress of arrived populations, after the statements that it needs."""
        lattice, model = self.lattice, self.viscosity_model
        equations.section("Moments: rho, j = rho u, p_ab = sum c_a c_b f_q")
        in_velocity = self.force_model is None or self.force_model.in_velocity
        state = macroscopic(
            equations,
            lattice,
            populations,
            zero_centred=zero_centred,
            force=self.force if in_velocity else force_vector(lattice, None),
            compressible=self.compressible,
            share_planes=True,
        )
        moments = second_moments(equations, lattice, state)
        pressure_excess = equations.let("pressure_excess", multiply(Fraction(1, 3), state.deviation))
        u, half = state.velocity, state.half_force

        def entry(a: int, b: int) -> sympy.Expr:
            isotropic = multiply(-1, pressure_excess) if a == b else sympy.Integer(0)
            flow = multiply(-1, state.momentum[a], u[b])
            return add(moments[a, b], isotropic, flow, multiply(u[a], half[b]), multiply(half[a], u[b]))

        tensor = {(a, b): entry(a, b) for a, b in indices(lattice)}
        omega = self.omega
        if model is not None and model.needs_stress:
            tensor = {ab: equations.let(labelled("stress", *ab), value) for ab, value in tensor.items()}
        if model is not None:
            omega = model.rate(LocalFlow(equations, lattice, omega, state.inv_rho, lambda: tensor))
        return CellStress(tensor, omega, self.omega_bulk, state.inv_rho)


def relaxation_rate(rate: Scalar) -> sympy.Expr:
    """A relaxation rate as given. Raises KernelError for a number outside (0, 2)."""
    value = quantity(rate)
    if value.is_number and not 0 < float(value) < 2:
        raise KernelError(
            calling_place(),
            f"the relaxation rate {value} is outside the stable range.",
            "choose 0 < omega < 2; a viscosity nu needs omega = 1 / (3 nu + 1/2)",
        )
    return value


def viscosity_model(
    omega: sympy.Expr, eddy: ViscosityModel | None, law: ViscosityModel | None
) -> ViscosityModel | None:
    """The viscosity model that is used with a rate. Raises KernelError if both kinds are given, if a model
    is given as the other kind, and if a rate is given with a viscosity law."""
    for model, kind, hint in (
        (eddy, "a subgrid model", "eddy_viscosity=lbm.Smagorinsky()"),
        (law, "a law of the viscosity", 'rheology=lbm.PowerLaw(consistency="K", exponent="m")'),
    ):
        if model is not None:
            require_object(model, ViscosityModel, kind, hint)
    wrong = (eddy is not None and eddy.replaces_omega) or (law is not None and not law.replaces_omega)
    if wrong or (eddy is not None and law is not None):
        raise KernelError(
            calling_place(),
            "an eddy_viscosity must be a subgrid model and a rheology a viscosity law, and only one of "
            "them can be given.",
            "use eddy_viscosity=lbm.Smagorinsky() or rheology=lbm.PowerLaw(...)",
        )
    if law is not None and omega != quantity("omega"):
        raise KernelError(
            calling_place(),
            f"omega = {omega} cannot be combined with a rheology, which determines the whole viscosity.",
            "leave out omega",
        )
    return eddy or law
