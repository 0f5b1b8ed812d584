# SPDX-License-Identifier: Apache-2.0
"""Moments instead of populations in memory: ten numbers a cell in three dimensions, whatever the lattice.

The regularised collision makes all populations of density, momentum and stress. So it is enough to store
these three as they are after the collision; a step rebuilds the populations that arrive from the moments of
the cells they come from. Two arrays: 80 bytes an update in f32, where D3Q27 populations take 216.
Source: Vardhan et al. 2019 (moment representation). f is linear in what is stored; the third moments of the
recursive form follow from it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

import sympy

from heddle.errors import KernelError, calling_place
from heddle.symbolic.assignment import Assignment, AssignmentCollection
from heddle.symbolic.beside import BY_OFFSET
from heddle.symbolic.bits import has_bit
from heddle.symbolic.boundary import BoundaryCondition
from heddle.symbolic.collision import Derivation, RecursiveRegularised, Regularised
from heddle.symbolic.equations import Equations, Scalar, add, divide, multiply, quantity, signed
from heddle.symbolic.equilibrium import name_weights, outer, require_momentum
from heddle.symbolic.field import Access, Field
from heddle.symbolic.force import Force, force_vector, is_zero
from heddle.symbolic.initial import given_velocity, stress_of_gradients, stress_rates
from heddle.symbolic.lattice import Lattice
from heddle.symbolic.moments import Tensor, indices, labelled, vector_field
from heddle.symbolic.odd_halves import OddHalves
from heddle.symbolic.operator import Collision, CollisionOperator
from heddle.symbolic.require import require_object, vector
from heddle.symbolic.streaming import StreamingKernels
from heddle.symbolic.third_moments import ThirdMoments

HALF_SCALE = 2**14


class MomentStorage:
    """A streaming pattern for the Regularised and RecursiveRegularised operators: pull, with moments in
    memory.

    lattice: the velocity set. flow, stress, shear: names of the fields: flow has rho - 1 and the d of rho u;
    stress has t_xx, t_yy, t_xy in two dimensions and t_xx, t_yy, t_zz, t_xy in three; shear has t_xz, t_yz.
    After the collision they give the populations f_q = w_q [rho + 3 c.(rho u) + 9/2 (c_a c_b - delta_ab / 3)
    t_ab], of which those odd in c carry all of rho u (OddHalves). A kernel writes to fields with `_next`
    appended. stress_type: "half" stores stress and shear in 16 bits whatever the precision of the rest is (28
    bytes a cell beside f32); "real": as the rest. In 16 bits memory holds 2^14 times the values, which must
    be smaller than 4. heddle/device/moment_tile.hpp takes the same fields, several times as fast, with walls
    at sides of the box; not for RecursiveRegularised.

    walls: name of a uint32 field, or None: bit q of a cell says that direction q comes from a wall half-way
    to the cell at -c_q, whose moments are then not used (half-way bounce-back: f_q is what the cell itself
    sent there). lid and velocity: the same for those of these walls that move, and how they move: f_q gains
    6 w c_q.u as in VelocityBounceBack. Raises KernelError for one without the other.
    """

    def __init__(
        self,
        lattice: Lattice,
        flow: str = "flow",
        stress: str = "stress",
        shear: str = "shear",
        *,
        stress_type: str = "real",
        walls: str | None = None,
        lid: str | None = None,
        velocity: Sequence[Scalar] | None = None,
    ) -> None:
        require_momentum(lattice, type(self).__name__)
        if (lid is None) != (velocity is None) or (lid is not None and walls is None):
            raise KernelError(
                calling_place(),
                "walls that move are given by two fields of bits and a velocity.",
                'walls="walls", lid="lid", velocity=("u_x", ...)',
            )
        self.velocity = () if velocity is None else vector(velocity, "the velocity of a lid")
        if velocity is not None and len(self.velocity) != lattice.dimension:
            raise KernelError(
                calling_place(),
                f"a velocity on {lattice.name} has {lattice.dimension} components, not {len(self.velocity)}.",
                "give one entry an axis",
            )
        if stress_type not in ("real", "half"):
            raise KernelError(
                calling_place(), f"a stress is not stored as '{stress_type}'.", 'stress_type="real" or "half"'
            )
        self.lattice = lattice
        d = lattice.dimension
        tensor = tuple("xyz"[a] + "xyz"[b] for a, b in indices(lattice))
        parts = [(flow, "real", ("rho", *"xyz"[:d])), (stress, stress_type, tensor[:4])]
        if tensor[4:]:
            parts.append((shear, stress_type, tensor[4:]))
        self.fields = tuple(
            Field(name, kind, d, len(names), component_names=names, half_scale=HALF_SCALE)
            for name, kind, names in parts
        )
        self.walls = None if walls is None else Field(walls, "uint32", d, ghost_layers=0)
        self.lid = None if lid is None else Field(lid, "uint32", d, ghost_layers=0)

    def _next(self, field: Field) -> Field:
        return dataclasses.replace(field, name=field.name + "_next")

    def __call__(self, collide: Regularised) -> StreamingKernels:
        """The kernel that rebuilds what arrives, collides it and stores the moments. Raises KernelError for
        an operator whose populations do not follow from them."""
        require_object(collide, Collision, "a collision", "storage(lbm.Regularised(lattice))")
        if not isinstance(collide, Regularised):
            raise KernelError(
                calling_place(),
                f"{type(collide).__name__} leaves more in the populations than density, momentum and stress.",
                "lbm.Regularised, or another streaming pattern",
            )
        if collide.lattice != self.lattice:
            raise KernelError(
                calling_place(),
                f"the collision is for {collide.lattice.name}, the pattern for {self.lattice.name}.",
                "use one lattice for both",
            )
        if not collide.compressible:
            raise KernelError(
                calling_place(),
                "moments are stored of a compressible collision.",
                "leave out compressible=False",
            )
        recursive = isinstance(collide, RecursiveRegularised)
        if recursive and not all(map(is_zero, collide.force)):
            raise KernelError(
                calling_place(),
                "third moments follow from velocity and stress, which a force changes after they are formed.",
                "lbm.Regularised for a flow with a force, or another streaming pattern",
            )
        given, taken = (*collide.given, *self.velocity), self._names()
        equations = Equations(given, taken)
        equations.section("Constants: lattice weights; 3 w, and the part of j that these directions carry")
        weights = name_weights(equations, self.lattice)
        odd_halves = OddHalves(equations, self.lattice)
        equations.section(
            "Populations that arrive: w [delta_rho + 3 c.j + 9/2 (c_a c_b - delta_ab / 3) t_ab] at -c"
        )
        arrived = {
            name: self._population(equations, weights, odd_halves, q, recursive)
            for q, name in enumerate(self.lattice.names)
        }
        if self.walls is not None:
            arrived = self._off_walls(equations, weights, odd_halves, arrived, recursive)
        collision = Equations(given, taken)
        work = Derivation(collide, collision, arrived, True)
        relaxed = collide.relaxed_moments(work)
        known = {statement for statement in equations.statements if isinstance(statement, Assignment)}
        equations.statements += [statement for statement in collision.statements if statement not in known]
        equations.section("Store")
        values = [relaxed.deviation, *relaxed.momentum, *(relaxed.tensor[ab] for ab in indices(self.lattice))]
        for target, value in zip(self._components(next_=True), values, strict=True):
            equations.store(target, value)
        return StreamingKernels({"": AssignmentCollection(equations.statements)}, ())

    def _names(self) -> list[str]:
        """Of all fields that a step takes."""
        fields = [*self.fields, *map(self._next, self.fields), self.walls, self.lid]
        return [field.name for field in fields if field is not None]

    def _components(self, *, next_: bool = False, at: tuple[int, ...] | None = None) -> list[Access]:
        """The stored numbers of a cell, in order."""
        place = at or (0,) * self.lattice.dimension
        fields = [self._next(field) if next_ else field for field in self.fields]
        return [field[(*place, c)] for field in fields for c in range(field.components)]

    def _population(
        self,
        equations: Equations,
        weights: Mapping[int, sympy.Expr],
        odd_halves: OddHalves,
        q: int,
        recursive: bool,
    ) -> sympy.Expr:
        """Name the population that arrives along direction q: in the order of `equilibrium.halves`, but with
        odd halves that keep the momentum."""
        lattice, c = self.lattice, self.lattice.velocities[q]
        name, d, weight = lattice.names[q], lattice.dimension, weights[lattice.order(q)]
        density, *rest = self._components(at=tuple(-component for component in c))
        deviation = equations.let(f"delta_rho_{name}", density)
        vector, tensor = rest[:d], dict(zip(indices(lattice), rest[d:], strict=True))
        axes = [a for a in range(d) if c[a]]
        diagonal = {
            a: equations.let(f"{labelled('e', a, a)}_{name}", multiply(Fraction(9, 2), tensor[a, a]))
            for a in range(d)
        }
        trace = equations.let(f"trace_{name}", add(*(tensor[a, a] for a in range(d))))
        isotropic = equations.let(f"isotropic_{name}", add(deviation, multiply(Fraction(-3, 2), trace)))
        if not axes:
            return equations.let(f"f_{name}", multiply(weight, isotropic))
        mixed = [
            signed(c[a] * c[b], equations.let(f"{labelled('e', a, b)}_{name}", multiply(9, tensor[a, b])))
            for i, a in enumerate(axes)
            for b in axes[i + 1 :]
        ]
        bracket = add(isotropic, *(diagonal[a] for a in axes[:2]))
        if len(axes) > 1:
            bracket = equations.let(f"{labelled('even', *axes[:2])}_{name}", bracket)
        if len(axes) == 3:
            bracket = equations.let(f"even_xyz_{name}", add(bracket, diagonal[2]))
        even = equations.let(f"even_{name}", multiply(weight, add(bracket, *mixed)))
        third = None
        if recursive:
            third = ThirdMoments(equations, lattice, name, deviation, tuple(vector), tensor)
        ahead = c if q < lattice.opposite(q) else lattice.velocities[lattice.opposite(q)]
        positive = ahead == c
        along = [
            (
                ahead[a],
                equations.let(
                    f"{labelled('j', a)}_{name}",
                    add(vector[a], *(third.beside(axes, a) if third else ())),
                ),
            )
            for a in axes
        ]
        if third and len(axes) == 3:
            along.append((ahead[0] * ahead[1] * ahead[2], third.triple()))
        odd = equations.let(f"odd_{name}", odd_halves.of(lattice.order(q), along))
        return equations.let(f"f_{name}", add(even, odd if positive else multiply(-1, odd)))

    def _off_walls(
        self,
        equations: Equations,
        weights: Mapping[int, sympy.Expr],
        odd_halves: OddHalves,
        arrived: dict[str, sympy.Expr],
        recursive: bool,
    ) -> dict[str, sympy.Expr]:
        """Of each direction what the cell at -c_q or, where a wall lies there, the cell itself has sent."""
        lattice, d = self.lattice, self.lattice.dimension
        assert self.walls is not None
        equations.section("Where a wall lies there: what the cell itself has sent, + 6 w c.u off a lid")
        walls = equations.let("wall_bits", self.walls.here)
        lid = None if self.lid is None else equations.let("lid_bits", self.lid.here)
        deviation, *rest = self._components()
        tensor = {
            (a, b): equations.let(labelled("own_e", a, b), multiply(Fraction(9, 2) if a == b else 9, t))
            for (a, b), t in zip(indices(lattice), rest[d:], strict=True)
        }
        stored = dict(zip(indices(lattice), rest[d:], strict=True))
        trace = equations.let("own_trace", add(*(stored[a, a] for a in range(d))))
        isotropic = equations.let("own_isotropic", add(deviation, multiply(Fraction(-3, 2), trace)))
        momentum = [equations.let(labelled("own_j", a), j) for a, j in enumerate(rest[:d])]
        third = None
        if recursive:
            third = ThirdMoments(equations, lattice, "own", deviation, tuple(rest[:d]), stored)
        found = dict(arrived)
        for q, p in lattice.pairs:
            name, c, weight = lattice.names[q], lattice.velocities[q], weights[lattice.order(q)]
            axes = [a for a in range(d) if c[a]]
            mixed = [signed(c[a] * c[b], tensor[a, b]) for i, a in enumerate(axes) for b in axes[i + 1 :]]
            bracket = add(isotropic, *(tensor[a, a] for a in axes), *mixed)
            even = equations.let(f"own_even_{name}", multiply(weight, bracket))
            terms = [
                (
                    c[a],
                    equations.let(
                        f"{labelled('own_j', a)}_{name}",
                        add(momentum[a], *(third.beside(axes, a) if third else ())),
                    ),
                )
                for a in axes
            ]
            if third and len(axes) == 3:
                terms.append((c[0] * c[1] * c[2], third.triple()))
            odd = equations.let(f"own_odd_{name}", odd_halves.of(lattice.order(q), terms))
            along = add(*(signed(c[a], u) for a, u in enumerate(self.velocity)))
            push = sympy.Integer(0)
            if lid is not None:
                push = equations.let(f"push_{name}", multiply(6, weight, along))
            for incoming, sign in ((q, 1), (p, -1)):
                back = equations.let(f"back_{lattice.names[incoming]}", add(even, multiply(-sign, odd)))
                cases = [(back, has_bit(walls, incoming)), (arrived[lattice.names[incoming]], True)]
                if lid is not None:
                    cases.insert(0, (add(back, multiply(sign, push)), has_bit(lid, incoming)))
                found[lattice.names[incoming]] = equations.let(
                    f"in_{lattice.names[incoming]}", sympy.Piecewise(*cases)
                )
        return found

    def moments(
        self,
        rho: str | None = "rho",
        u: str | None = "u",
        *,
        pressure: str | None = None,
        force: Force | None = None,
    ) -> StreamingKernels:
        """A kernel that writes density, velocity and pressure of the state that the last step collided.

        rho, u, pressure, force: as in StreamingPattern.moments, f16 too. What is stored is the state after
        the collision, when all of the force has acted: rho u is j - F / 2."""
        d = self.lattice.dimension
        given = force_vector(self.lattice, force)
        equations = Equations(given, [name for name in (rho, u, pressure) if name is not None])
        equations.section("State" + (": rho u = j - F / 2" if force else ""))
        deviation, *rest = self._components()
        whole = equations.let("density", add(1, deviation)) if rho or u else deviation
        equations.section("Store")
        if rho is not None:
            equations.store(Field(rho, "real", d).here, whole)
        if u is not None:
            velocity = vector_field(u, d)
            inverse = equations.let("inv_rho", divide(1, whole))
            for a in range(d):
                before = add(rest[a], multiply(Fraction(-1, 2), given[a]))
                equations.store(velocity.component(a), multiply(before, inverse))
        if pressure is not None:
            equations.store(Field(pressure, "real", d).here, multiply(self.lattice.cs2, deviation))
        return StreamingKernels({"": AssignmentCollection(equations.statements)}, ())

    def strain_rate(self, collide: CollisionOperator, name: str = "strain") -> NoReturn:
        """Not of what is stored. Raises KernelError."""
        raise KernelError(
            calling_place(),
            "moments in memory have the stress after the collision, 1 - omega times that of the strain rate: "
            "nothing is left of it at omega = 1.",
            "differences of the velocity, lbm.vorticity and lbm.q_criterion, or another streaming pattern",
        )

    def boundary(self, condition: BoundaryCondition, **where: Any) -> NoReturn:
        """Not between steps: there are no populations to set. Raises KernelError."""
        raise KernelError(
            calling_place(),
            f"{type(condition).__name__} would set populations, and moments in memory have none.",
            'half-way walls and lids within the step, MomentStorage(lattice, walls="walls"), or another '
            "streaming pattern",
        )

    def initialise(
        self,
        rho: Scalar | Access = "rho",
        u: str | Sequence[Scalar | Access] = "u",
        *,
        omega: Scalar | None = None,
        omega_bulk: Scalar | None = None,
        force: Force | None = None,
    ) -> StreamingKernels:
        """A kernel that sets the moments to those of a density and velocity after a collision.

        rho, u: names of fields that hold the state, or expressions. omega, omega_bulk: as for
        StreamingPattern.initialise; what is left of the stress of the velocity gradients after a collision is
        1 - omega times it. force: as in the collision; then j = rho u + F / 2 and t = rho u u + (u F + F u) /
        2 beside that stress. Raises KernelError as StreamingPattern.initialise."""
        lattice, d = self.lattice, self.lattice.dimension
        density = Field(rho, "real", d).here if isinstance(rho, str) else quantity(rho)
        given, rates = given_velocity(lattice, u), stress_rates(u, omega, omega_bulk)
        body_force = force_vector(lattice, force)
        names = [*(name for name in (rho, u) if isinstance(name, str)), *self._names()]
        equations = Equations([density, *given, *body_force, *rates], names)
        equations.section("State" + (", with half of the force in it" if force else ""))
        whole = equations.let("density", density)
        velocity = tuple(equations.let(labelled("u", a), component) for a, component in enumerate(given))
        momentum = tuple(
            equations.let(labelled("j", a), multiply(whole, component))
            for a, component in enumerate(velocity)
        )
        flow = outer(equations, lattice, momentum, velocity, "flow")
        half = tuple(
            equations.let(labelled("half_force", a), multiply(Fraction(1, 2), component))
            for a, component in enumerate(body_force)
        )
        pushed = tuple(map(add, momentum, half))
        tensor: Tensor = {
            (a, b): add(flow[a, b], multiply(velocity[a], half[b]), multiply(half[a], velocity[b]))
            for a, b in indices(lattice)
        }
        if rates and isinstance(u, str):
            equations.section("Stress after the collision: (omega - 1) rho / (3 omega) (d_a u_b + d_b u_a)")

            def scale(rate: sympy.Expr) -> sympy.Expr:
                return multiply(Fraction(-1, 3), whole, add(divide(1, rate), -1))

            stress = stress_of_gradients(equations, lattice, u, BY_OFFSET, rates, scale)
            tensor = {ab: add(value, *stress[ab]) for ab, value in tensor.items()}
        equations.section("Store")
        values = [add(whole, -1), *pushed, *(tensor[ab] for ab in indices(lattice))]
        for target, value in zip(self._components(), values, strict=True):
            equations.store(target, value)
        return StreamingKernels({"": AssignmentCollection(equations.statements)}, ())
