# SPDX-License-Identifier: Apache-2.0
"""Moments instead of populations in memory: ten numbers per cell in three dimensions, whatever the
lattice.

The regularised collision computes all populations from density, momentum and stress, so it is enough to store
these three after the collision. A step rebuilds the arriving populations from the moments of the cells from
which they come. Two arrays: 80 bytes per update in f32, where D3Q27 populations need 216. Source: Vardhan et
al. 2019 (moment representation). f is linear in the stored moments; the third moments of the recursive form
are computed from them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NoReturn

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.boundary.condition import BoundaryCondition
from heddle.lbm.boundary.wall_force import WallForce
from heddle.lbm.collision.operator import Collision, CollisionOperator
from heddle.lbm.collision.population_operators import Derivation, RecursiveRegularised, Regularised
from heddle.lbm.equilibrium import outer, require_momentum
from heddle.lbm.force import Force, force_vector
from heddle.lbm.initial import given_velocity, stress_of_gradients, stress_rates
from heddle.lbm.lattice import Lattice
from heddle.lbm.moment_storage.boundary import (
    boundaries_of_sums,
    incoming_at_boundaries,
    mask_of,
    require_boundaries,
    sides_of,
)
from heddle.lbm.moment_storage.populations import HalfwayWalls, MomentPopulations
from heddle.lbm.moments.macroscopic import Tensor, indices, labelled, vector_field
from heddle.lbm.neighbour_access import STENCIL_NEIGHBOURS
from heddle.model.assignment import Assignment, AssignmentCollection
from heddle.model.equations import Equations, Scalar, add, divide, is_zero, multiply, quantity
from heddle.model.field import Access, Field
from heddle.model.require import require_object, vector
from heddle.model.streaming_kernels import StreamingKernels

HALF_SCALE = 2**14


class MomentStorage:
    """A streaming pattern for the Regularised and RecursiveRegularised operators: pull, with moments in
    memory.

    lattice: the velocity set. flow, stress, shear: names of the fields: flow has rho - 1 and the d of rho u;
    stress has t_xx, t_yy, t_xy in two dimensions and t_xx, t_yy, t_zz, t_xy in three; shear has t_xz, t_yz.
    After the collision they give the populations f_q = w_q [rho + 3 c.(rho u) + 9/2 (c_a c_b - delta_ab / 3)
    t_ab], of which those odd in c carry all of rho u (AntisymmetricParts). A kernel writes to fields with
    `_next` appended. stress_type: "half" stores stress and shear in 16 bits whatever the precision of the
    rest is (28 bytes per cell beside f32); "real": as the rest. In 16 bits memory holds 2^14 times the
    values, which must be smaller than 4. heddle/device/moment_tile.hpp takes the same fields, several times
    as fast, with walls at sides of the box; not for RecursiveRegularised.

    walls: name of a uint32 field, or None: bit q of a cell says that direction q comes from a wall half-way
    to the cell at -c_q, whose moments are then not used (half-way bounce-back: f_q is what the cell itself
    sent there). lid and velocity: the same for those of these walls that move, and how they move: f_q gains
    6 w c_q.u as in VelocityBounceBack. Raises KernelError for one without the other. All other boundaries
    (inlets, outlets, interpolated walls, forces on bodies) are sweeps over the cells beside them: boundary().
    ghost_layers: of the fields; 2 for boundaries that look two cells inwards (Bouzidi, quadratic).
    """

    def __init__(
        self,
        lattice: Lattice,
        flow: str = "flow",
        stress: str = "stress",
        shear: str = "shear",
        *,
        stress_type: str = "real",
        ghost_layers: int = 1,
        walls: str | None = None,
        lid: str | None = None,
        velocity: Sequence[Scalar] | None = None,
    ) -> None:
        require_momentum(lattice, type(self).__name__)
        if (lid is None) != (velocity is None) or (lid is not None and walls is None):
            raise KernelError(
                calling_place(),
                "moving walls need two mask fields and a velocity.",
                'walls="walls", lid="lid", velocity=("u_x", ...)',
            )
        self.velocity = () if velocity is None else vector(velocity, "the velocity of a lid")
        if velocity is not None and len(self.velocity) != lattice.dimension:
            raise KernelError(
                calling_place(),
                f"a velocity on {lattice.name} has {lattice.dimension} components, not {len(self.velocity)}.",
                "give one entry per axis",
            )
        if stress_type not in ("real", "half"):
            raise KernelError(
                calling_place(),
                f"'{stress_type}' is not a storage type of the stress.",
                'use stress_type="real" or "half"',
            )
        self.lattice = lattice
        d = lattice.dimension
        tensor = tuple("xyz"[a] + "xyz"[b] for a, b in indices(lattice))
        parts = [(flow, "real", ("rho", *"xyz"[:d])), (stress, stress_type, tensor[:4])]
        if tensor[4:]:
            parts.append((shear, stress_type, tensor[4:]))
        self.fields = tuple(
            Field(name, kind, d, len(names), ghost_layers, component_names=names, half_scale=HALF_SCALE)
            for name, kind, names in parts
        )
        self.walls = None if walls is None else Field(walls, "uint32", d, ghost_layers=0)
        self.lid = None if lid is None else Field(lid, "uint32", d, ghost_layers=0)

    def _next(self, field: Field) -> Field:
        return replace(field, name=field.name + "_next")

    def __call__(self, collide: Regularised) -> StreamingKernels:
        """The kernel that rebuilds what arrives, collides it and stores the moments. Raises KernelError for
        an operator whose populations do not follow from them."""
        self._require_operator(collide)
        given, taken = (*collide.arguments, *self.velocity), self._names()
        equations = Equations(given, taken)
        populations = self._populations(equations, collide)
        arrived = {self.lattice.names[q]: value for q, value in populations.all_incoming().items()}
        walls = self._walls(populations)
        if walls is not None:
            for q in itertools.chain(*self.lattice.pairs):
                name = self.lattice.names[q]
                cases = [*walls.cases(q), (arrived[name], True)]
                arrived[name] = equations.let(f"in_{name}", sympy.Piecewise(*cases))
        return self._collided(equations, collide, arrived, Equations(given, taken))

    def _collided(
        self,
        equations: Equations,
        collide: Regularised,
        arrived: Mapping[str, sympy.Expr],
        collision: Equations,
    ) -> StreamingKernels:
        """Collides what arrives and stores the moments. collision: for its statements."""
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

    def _require_operator(self, collide: object) -> None:
        """Raises KernelError for an operator whose populations do not follow from what is stored."""
        require_object(collide, Collision, "a collision", "storage(lbm.Regularised(lattice))")
        if not isinstance(collide, Regularised):
            raise KernelError(
                calling_place(),
                f"{type(collide).__name__} leaves more in the populations than density, momentum and "
                "stress, which moment storage cannot hold.",
                "use lbm.Regularised, or another streaming pattern",
            )
        if collide.lattice != self.lattice:
            raise KernelError(
                calling_place(),
                f"the collision uses {collide.lattice.name}, but the streaming pattern uses "
                f"{self.lattice.name}.",
                "use the same lattice for both",
            )
        if not collide.compressible:
            raise KernelError(
                calling_place(),
                "moment storage needs a compressible collision.",
                "leave out compressible=False",
            )
        if isinstance(collide, RecursiveRegularised) and not all(map(is_zero, collide.force)):
            raise KernelError(
                calling_place(),
                "third moments are computed from velocity and stress, but a force changes both afterwards.",
                "use lbm.Regularised for a flow with a force, or another streaming pattern",
            )

    def _populations(self, equations: Equations, collide: Regularised) -> MomentPopulations:
        recursive = isinstance(collide, RecursiveRegularised)
        return MomentPopulations(equations, self.lattice, lambda at: self._components(at=at), recursive)

    def _walls(self, populations: MomentPopulations) -> HalfwayWalls | None:
        """What comes off half-way walls; None without them."""
        if self.walls is None:
            return None
        lid = None if self.lid is None else self.lid.here
        return HalfwayWalls(populations, self.walls.here, lid, self.velocity)

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
            "moment storage keeps the post-collision stress, 1 - omega times that of the strain rate. At "
            "omega = 1 it is zero, so the strain rate cannot be recovered.",
            "use finite differences of the velocity, lbm.vorticity and lbm.q_criterion, or another "
            "streaming pattern",
        )

    def boundary(
        self,
        collide: Regularised,
        conditions: Mapping[str, BoundaryCondition] | None = None,
        *,
        sides: Mapping[str, str | Sequence[str]] | None = None,
        force: str | None = None,
        torque: str | None = None,
        arm: Sequence[Scalar] | None = None,
        of: Sequence[str] | None = None,
        **elsewhere: object,
    ) -> StreamingKernels:
        """A sweep over cells beside boundaries, with the space heddle.Cells, which does the step again there.

        It runs after the step, before what that has stored is taken, and reads and writes the same fields:
        where a direction comes in over a boundary a population is what the condition gives, else what the
        step has. collide: as of the step. conditions: by names of the user's choice. Bit q of the field
        `mask_<name>` [entries] (uint32) says that direction q comes in over that boundary; of several the
        first one holds, and all before `walls`. So a cell in a corner, beside two boundaries, is one entry. A
        step computes what lies behind a boundary, too; none of it reaches the fluid. Values an entry as over
        a list: `distance_e` and so on, fields as velocity. Bouzidi(order="quadratic") takes a storage with
        ghost_layers=2, and the field `linear`. Velocities that a condition takes of the current cell are
        those that the last step left.

        sides: for conditions along a normal (Outflow, ConvectiveOutflow, FreeSlip, PressureJump) on which
        side of these cells the outside lies, {"outlet": "e"}, or which sides meet in an edge that slips,
        {"edge": ("n", "t")}. Such a boundary has only directions that come in through that side; where it
        meets a wall, a direction that comes from behind both is the wall's. What Outflow and FreeSlip look
        at is in the cells beside along the face, which have to be fluid.

        force: a name; the sweep then also gives the sums force_x, force_y, ... of the momentum that the
        fluid leaves at walls at rest, beside a uniform pressure 1/3. torque: the same for the sums of arm x
        force, torque_z in a plane. arm: see StreamingPattern.boundary; by default the fields arm_x, ... of:
        the boundaries that these sums are of, best the first ones; all by default. Raises KernelError for
        conditions along a normal without a side and those that set no populations of a flow, for names that
        are none, and for what sweeps of populations take, face=... and the like.
        """
        if elsewhere or isinstance(collide, BoundaryCondition):
            raise KernelError(
                calling_place(),
                "moment storage keeps no populations that could be set between steps; its boundary "
                "kernels repeat the step for listed cells.",
                'use storage.boundary(collide, {"body": lbm.Bouzidi()}), with space=heddle.Cells(name)',
            )
        self._require_operator(collide)
        boundaries, sums = require_boundaries(conditions), WallForce(force, torque, arm)
        chosen, along = boundaries_of_sums(boundaries, sums, of), sides_of(boundaries, sides)
        asked = itertools.chain.from_iterable(condition.arguments() for condition in boundaries.values())
        given = (*collide.arguments, *self.velocity, *asked, *sums.arguments())
        taken = [*self._names(), *(mask_of(name).name for name in boundaries)]
        equations = Equations(given, taken)
        populations = self._populations(equations, collide)
        arrived = incoming_at_boundaries(populations, boundaries, along, self._walls, sums, chosen)
        weights = {str(weight) for weight in populations.weights.values()}
        named = {str(s.target) for s in equations.statements if isinstance(s, Assignment)}
        collision = Equations(fields=equations.taken | named - weights)
        return replace(self._collided(equations, collide, arrived, collision), where="cells")

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

            stress = stress_of_gradients(equations, lattice, u, STENCIL_NEIGHBOURS, rates, scale)
            tensor = {ab: add(value, *stress[ab]) for ab, value in tensor.items()}
        equations.section("Store")
        values = [add(whole, -1), *pushed, *(tensor[ab] for ab in indices(lattice))]
        for target, value in zip(self._components(), values, strict=True):
            equations.store(target, value)
        return StreamingKernels({"": AssignmentCollection(equations.statements)}, ())
