# SPDX-License-Identifier: Apache-2.0
"""The kernels of a streaming pattern: steps, starts, moments and boundary sweeps, all derived from where it
reads and writes each population (heddle.lbm.streaming.access_pattern).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.boundary.condition import BoundaryCondition
from heddle.lbm.boundary.wall_force import WallForce
from heddle.lbm.collision.operator import Collided, Collision, CollisionOperator
from heddle.lbm.collision.strain_rate import store_strain_rate
from heddle.lbm.equilibrium import require_momentum
from heddle.lbm.force import Force, force_vector
from heddle.lbm.initial import initial_populations
from heddle.lbm.lattice import Lattice, require_lattice
from heddle.lbm.moments.macroscopic import macroscopic, vector_field
from heddle.lbm.neighbour_access import (
    STENCIL_NEIGHBOURS,
    IndexedNeighbours,
    NeighbourAccess,
    Walls,
    require_walls,
)
from heddle.lbm.scalar import AdvectionDiffusion, scalar_equilibrium, scalar_state, scalar_velocity
from heddle.lbm.streaming.access_pattern import AccessPattern
from heddle.lbm.streaming.boundary_sweep import ends_of_face, sweep_statements
from heddle.lbm.velocity_fields import q_criterion, vorticity
from heddle.model.assignment import AssignmentCollection, Statement
from heddle.model.equations import Equations, Scalar, add, multiply, quantity
from heddle.model.field import Access, Field
from heddle.model.flag import require_flag
from heddle.model.require import require_object
from heddle.model.streaming_kernels import HalfOfAStep, Layer, StreamingKernels, Where


class StreamingPattern(AccessPattern, HalfOfAStep):
    """Base of the streaming patterns. A pattern checks itself when it is constructed.

    lattice: the velocity set. field: name of the populations. field_next: the second field of a two-array
    pattern. zero_centred: the field holds f - w (the default), in every kernel of this pattern. ghost_layers:
    of the fields; 2 for boundaries that access two cells inwards (Bouzidi, quadratic). half_scale: a power of
    two; in f16 storage, fields hold the populations multiplied by it. The default is 2^15 for zero-centred
    populations, which must then be smaller than 2: populations down to 2e-9 keep all 11 bits. halfway_mask:
    of EsoTwist and EsoPull, see there; for other patterns, walls are always half-way.

    Raises KernelError if the first argument is not a lattice, if two cells would access one element, and if a
    population would not arrive where it is read.
    """

    does = "streams"

    has_halfway_mask = False
    """Whether half-way walls are marked in a field of their own, `halfway_mask`."""

    def __init__(
        self,
        lattice: Lattice,
        field: str = "f",
        field_next: str = "f_next",
        *,
        halfway_mask: str | None = None,
        zero_centred: bool = True,
        ghost_layers: int = 1,
        half_scale: int | None = None,
    ) -> None:
        require_lattice(lattice)
        require_flag(zero_centred, "zero_centred")
        if halfway_mask is not None and not self.has_halfway_mask:
            raise KernelError(
                calling_place(),
                f"{type(self).__name__} does not support halfway_mask: its walls always lie half-way "
                "between cells.",
                "leave it out; only EsoTwist and EsoPull support it",
            )
        self.halfway_mask = halfway_mask
        scale = (2**15 if zero_centred else 1) if half_scale is None else half_scale
        if scale < 1 or scale & (scale - 1):
            raise KernelError(
                calling_place(), f"{scale} is not a power of two.", "use half_scale=2**15, or 1"
            )
        self.lattice = lattice
        self.zero_centred = zero_centred
        self.source = Field(
            field,
            "real",
            lattice.dimension,
            lattice.size,
            ghost_layers,
            component_names=lattice.names,
            half_scale=scale,
        )
        if not self.in_place and field == field_next:
            raise KernelError(
                calling_place(),
                f"{type(self).__name__} needs two arrays, but '{field}' is given for both.",
                "use two names, or AA, EsoTwist or EsoPull, which work in place",
            )
        self.target = self.source if self.in_place else dataclasses.replace(self.source, name=field_next)
        self.check()

    def __call__(self, collide: Collision) -> StreamingKernels:
        """The kernels that stream and collide, one per step: load, collide, store."""
        require_object(collide, Collision, "a collision", "stream(lbm.BGK(lattice))")
        self._require_lattice(collide)
        populations = (self.source.name, self.target.name)
        kernels = self._each(lambda step: self._step(collide, step))
        listed = collide.over_list(self.indexed_neighbours())
        if listed is not collide:
            kernels = self._over_list(kernels, lambda step: self._step(listed, step))
        return dataclasses.replace(kernels, role="step", populations=populations)

    def _require_lattice(self, collide: Collision) -> None:
        if collide.lattice != self.lattice:
            raise KernelError(
                calling_place(),
                f"the collision uses {collide.lattice.name}, but the streaming pattern uses "
                f"{self.lattice.name}.",
                "use the same lattice for both",
            )

    def _each(self, make: Callable[[str], list[Statement]]) -> StreamingKernels:
        return StreamingKernels({step: AssignmentCollection(make(step)) for step in self.steps}, self.links)

    def _over_list(
        self, kernels: StreamingKernels, make: Callable[[str], list[Statement]]
    ) -> StreamingKernels:
        """With other statements over a list; with none if a pattern has no links."""
        steps = kernels.steps if self.links else ()
        return dataclasses.replace(
            kernels, over_list={step: AssignmentCollection(make(step)) for step in steps}
        )

    def indexed_neighbours(self, walls: Walls = "at_rest") -> IndexedNeighbours:
        """How kernels over a list access neighbouring cells: through links, or by given indices if links
        lead to cells behind walls."""
        require_walls(walls)
        slots = {
            link.offset: link.slot
            for link in self.links
            if sum(map(abs, link.offset)) == 1 and not link.stores_solid
        }
        return IndexedNeighbours(self.source, slots, walls)

    def _step(self, collide: Collision, step: str) -> list[Statement]:
        equations = Equations(collide.arguments)
        arrived = self._load(equations, step, collide.letter)
        collided = collide(arrived, self.zero_centred)
        equations.statements += collided.statements
        self._store(equations, collided, step)
        return equations.statements

    def _store(self, equations: Equations, collided: Collided, step: str) -> None:
        equations.section("Store")
        for q, name in enumerate(self.lattice.names):
            equations.store(self.access(self.write(q, step), self.target), collided.post[name])

    def _load(self, equations: Equations, step: str, letter: str = "f") -> dict[str, sympy.Expr]:
        equations.section("Load the populations that arrive")
        return {
            name: equations.let(f"{letter}_{name}", self.access(self.read(q, step)))
            for q, name in enumerate(self.lattice.names)
        }

    def moments(
        self,
        rho: str | None = "rho",
        u: str | None = "u",
        *,
        pressure: str | None = None,
        force: Force | None = None,
        compressible: bool = True,
    ) -> StreamingKernels:
        """Kernels that write density, velocity and pressure of the state that `step` would collide.

        In place they are two: `moments_even` before an even step (at the start, too), `moments_odd` after it.
        rho, u, pressure: names of the fields (u has one component per axis); None leaves one out. The
        pressure is that beside the density 1, c_s^2 (rho - 1), which keeps the digits of a weak flow. In an
        f16 module take it in place of rho: halves near 1 are 1e-3 apart, and initialise(1 + 3 * p) goes on
        from it, p the access to the field. force, compressible: as in the collision. Raises KernelError for
        more than rho on a lattice that carries no momentum.
        """
        require_flag(compressible, "compressible")
        if u is not None or pressure is not None:
            require_momentum(self.lattice, "the velocity or the pressure of a flow")
        return self._each(lambda step: self._moments(step, (rho, u, pressure), force, compressible))

    def _moments(
        self,
        step: str,
        names: tuple[str | None, str | None, str | None],
        force: Force | None,
        compressible: bool,
    ) -> list[Statement]:
        rho, u, pressure = names
        lattice, body_force = self.lattice, force_vector(self.lattice, force)
        equations = Equations(body_force, [name for name in names if name is not None])
        arrived = self._load(equations, step)
        equations.section("Moments: rho = sum f_q, rho u = sum c_q f_q" + (" + F / 2" if force else ""))
        state = macroscopic(
            equations,
            lattice,
            arrived,
            zero_centred=self.zero_centred,
            force=body_force,
            compressible=compressible,
        )
        equations.section("Store")
        if rho is not None:
            density = state.rho
            if not compressible and self.zero_centred:
                density = sympy.Add(1, state.deviation, evaluate=False)
            elif not compressible:
                density = state.deviation
            equations.store(Field(rho, "real", lattice.dimension).here, density)
        if u is not None:
            velocity = vector_field(u, lattice.dimension)
            for a, component in enumerate(state.velocity):
                equations.store(velocity.component(a), component)
        if pressure is not None:
            excess = state.deviation if self.zero_centred else add(state.deviation, -1)
            equations.store(Field(pressure, "real", lattice.dimension).here, multiply(lattice.cs2, excess))
        return equations.statements

    def strain_rate(self, collide: CollisionOperator, name: str = "strain") -> StreamingKernels:
        """Kernels that write the strain rate S_ab = (d_a u_b + d_b u_a) / 2 of the state that `step` would
        collide, per time step: components xx, yy, (zz,) xy, (xz, yz). collide: the collision of the steps,
        whose rates and force tell strain from stress; so its arguments are arguments here. After an
        initialise() without `omega` there is no stress at first: where omega is near 2 it takes hundreds of
        steps to appear. Raises KernelError for what is no operator of a flow, and for one on another
        lattice."""
        what, hint = "the operator of a collision", "stream.strain_rate(lbm.TRT(lattice))"
        require_object(collide, CollisionOperator, what, hint)
        self._require_lattice(collide)
        kernels = self._each(lambda step: self._strain_rate(step, name, collide))
        listed = collide.over_list(self.indexed_neighbours())
        if not isinstance(listed, CollisionOperator) or listed is collide:
            return kernels
        return self._over_list(kernels, lambda step: self._strain_rate(step, name, listed))

    def _strain_rate(self, step: str, name: str, collide: CollisionOperator) -> list[Statement]:
        equations = Equations(collide.arguments, [name])
        arrived = self._load(equations, step)
        store_strain_rate(equations, collide, arrived, name, zero_centred=self.zero_centred)
        return equations.statements

    def vorticity(
        self, u: str = "u", name: str = "vorticity", *, walls: Walls = "at_rest"
    ) -> StreamingKernels:
        """A kernel that writes the curl of a velocity field, as lbm.vorticity does, in a dense box or over a
        list. walls: what stands in for u where a link of the list ends: "at_rest", the wall half a cell away,
        "slip", a mirror there, or "one_sided", nothing; see heddle.lbm.neighbour_access. A list does not tell
        its faces that slip from walls at rest, so say it here. Over lists of EsoTwist and EsoPull it takes
        the numbers of the cells beside, fields `cell_e` and so on, from heddle::neighbour_indices, and so do
        all kernels there that look at a velocity beside. These are differences of second order: for the
        enstrophy of a flow that is hardly resolved take strain_rate, whose mean 2 S_ab S_ab is the same in a
        closed or periodic box. Raises KernelError for other walls."""
        return self._of_velocity(vorticity, u, name, walls)

    def q_criterion(self, u: str = "u", name: str = "q", *, walls: Walls = "at_rest") -> StreamingKernels:
        """A kernel that writes the Q-criterion of a velocity field, as lbm.q_criterion does, in a dense box
        or over a list. walls: as for vorticity."""
        return self._of_velocity(q_criterion, u, name, walls)

    def _of_velocity(
        self, make: Callable[..., AssignmentCollection], u: str, name: str, walls: Walls
    ) -> StreamingKernels:
        dimension, neighbours = self.lattice.dimension, self.indexed_neighbours(walls)
        dense = StreamingKernels({"": make(dimension, u, name)}, self.links)
        return self._over_list(dense, lambda _: list(make(dimension, u, name, neighbours=neighbours)))

    def scalar_moments(self, name: str = "T", *, source: Scalar = 0) -> StreamingKernels:
        """Kernels that write a scalar, T = sum g_q + source / 2, of the state that `step` would collide."""
        return self._each(lambda step: self._scalar_moments(step, name, quantity(source)))

    def _scalar_moments(self, step: str, name: str, source: sympy.Expr) -> list[Statement]:
        equations = Equations([source], [name])
        arrived = self._load(equations, step, AdvectionDiffusion.letter)
        equations.section("Scalar: T = sum g_q" + (" + source / 2" if source != 0 else ""))
        state = scalar_state(equations, self.lattice, arrived, source, zero_centred=self.zero_centred)
        equations.section("Store")
        equations.store(Field(name, "real", self.lattice.dimension).here, state.value)
        return equations.statements

    def initialise_scalar(
        self, value: Scalar | Access = "T", u: str | Sequence[Scalar | Access] | None = None
    ) -> StreamingKernels:
        """A kernel that sets the populations of a scalar to its equilibrium, where the first step reads them.

        value: the name of a field, or an expression. u: as in AdvectionDiffusion.
        """
        d = self.lattice.dimension
        scalar = Field(value, "real", d).here if isinstance(value, str) else quantity(value)
        velocity = scalar_velocity(self.lattice, u)
        names = [name for name in (value, u) if isinstance(name, str)]
        equations = Equations([scalar, *velocity], names)
        values = scalar_equilibrium(equations, self.lattice, scalar, velocity, zero_centred=self.zero_centred)
        equations.section("Store")
        for q, name in enumerate(self.lattice.names):
            equations.store(self.access(self.read(q, self.steps[0])), values[name])
        return StreamingKernels({"": AssignmentCollection(equations.statements)}, self.links)

    def initialise(
        self,
        rho: Scalar | Access = "rho",
        u: str | Sequence[Scalar | Access] = "u",
        *,
        omega: Scalar | None = None,
        omega_bulk: Scalar | None = None,
        force: Force | None = None,
        compressible: bool = True,
        walls: Walls = "at_rest",
    ) -> StreamingKernels:
        """A kernel that sets the populations so that the first step reads the state (rho, u) in each cell.

        rho, u: names of fields that hold the state, or expressions; in f16 rather that of a pressure than the
        name of a density, see moments(). omega: with it the stress that belongs to
        the velocity gradients is added (central differences of the field u, so its ghost layer must be
        current); without it the flow starts without stress, which takes some 1 / (2 - omega) steps to appear.
        omega_bulk: the rate of the trace of that stress where the collision has one of its own, 1
        if not given there (MRT, CentralMoment, Cumulant); it counts where u has a divergence. force,
        compressible: as in the collision. walls: over a list, what stands in for u where a link ends, as for
        vorticity. The populations lie where the first step reads them, for some patterns in neighbour cells.
        Raises KernelError for a rate outside (0, 2), for omega where u is no field, and for omega_bulk
        without omega.
        """

        def statements(neighbours: NeighbourAccess) -> list[Statement]:
            equations, values = initial_populations(
                self.lattice,
                rho,
                u,
                omega=omega,
                omega_bulk=omega_bulk,
                force=force,
                zero_centred=self.zero_centred,
                compressible=compressible,
                neighbours=neighbours,
            )
            equations.section("Store")
            for q, name in enumerate(self.lattice.names):
                equations.store(self.access(self.read(q, self.steps[0])), values[name])
            return equations.statements

        kernels = StreamingKernels({"": AssignmentCollection(statements(STENCIL_NEIGHBOURS))}, self.links)
        neighbours = self.indexed_neighbours(walls)
        return kernels if omega is None else self._over_list(kernels, lambda _: statements(neighbours))

    def boundary(
        self,
        condition: BoundaryCondition,
        *,
        face: str | Sequence[str] | None = None,
        normal: str | Sequence[str] | None = None,
        cells: bool = False,
        mask: str = "mask",
        force: str | None = None,
        torque: str | None = None,
        arm: Sequence[Scalar] | None = None,
    ) -> StreamingKernels:
        """Boundary sweeps to run between steps: after_even and after_odd, or one for two-array patterns.

        They set what the next step reads for every direction that comes in from outside. Without `face`, over
        a listed sparse space: bit q of the field `mask` (uint32, one per entry) marks direction q as coming
        in, and walls are own-cell as in the neighbour table. With `face` ("w", "e", "s", "n", "b" or "t": the
        side on which the outside lies), over the dense layer of cells at that side: the incoming directions
        are known. Several sides that meet, ("w", "n"), are the edge or corner where faces slip (FreeSlip).
        Where that layer is cut into blocks or periodic, sweep it after the exchange that follows the step,
        for EsoTwist and EsoPull from one ghost cell before its lower ends on: what comes in may lie in the
        next cell, which another block owns. normal: over a list, the side on which the outside of all its
        cells lies; conditions that look along the normal need it, and bits of directions that do not come
        from there are ignored. Several sides that meet, as for `face`: over the list of the cells in an edge
        or corner where faces slip.

        cells: over some cells of a dense box, with the space heddle.Cells, for a body in it: the entries say
        where the cells beside the body lie, bits of `mask` which directions come out of it, and conditions on
        links (bounce-back, anti-bounce-back, Bouzidi, scalars) take their values as over a list. The step
        computes the cells of the body, too; what these send is what the sweep sets, so it never reaches the
        fluid, whatever it is. The sweep runs after those of faces. Where a body meets what is periodic or cut
        into blocks, sweep after the exchange that follows the step; entries in ghost layers are allowed, if
        what the condition looks at lies in one, too, and for EsoTwist and EsoPull needed beside the block
        (heddle::geometry::body_links). Walls within the step (Dense(walls=...)) send populations back in the
        current cell. Bounce-back, which takes what is on the link, allows a body there; conditions that take
        other populations (Bouzidi, and PressureAntiBounceBack with the cell's velocity) allow no entry in the
        layer at such a side, and body_links refuses it.

        force: a name; the sweep then also gives the sums force_x, force_y, ... of the momentum that the fluid
        leaves at walls at rest (momentum exchange, Ladd 1994). Of zero-centred populations that is the force
        beside a uniform pressure 1/3. torque: the same for the sums of arm x force, torque_z in a plane. arm:
        from the point that the torque is about to the centre of the cell, one entry per axis; over a list by
        default the fields arm_x, arm_y, ... with one value per entry. Raises KernelError for more than one of
        face, normal and cells, and for an arm that does not fit.
        """
        require_object(
            condition, BoundaryCondition, "a boundary condition", "stream.boundary(lbm.FreeSlip(), face=...)"
        )
        if (face is not None) + (normal is not None) + cells > 1:
            raise KernelError(
                calling_place(),
                "a boundary sweep runs over a dense face, over a list, or over cells of a dense box; "
                "more than one of these is given.",
                "use face=... for a dense face, normal=... for a list, cells=True for a body in a box",
            )
        sums = WallForce(force, torque, arm)

        def steps(walls: Sequence[str]) -> dict[str, AssignmentCollection]:
            return {
                f"after_{step}" if step else "": AssignmentCollection(
                    sweep_statements(
                        self,
                        condition,
                        step,
                        mask=mask if face is None else None,
                        sides=_sides(face if face is not None else normal),
                        sums=sums,
                        in_box=cells,
                        walls=walls,
                    )
                )
                for step in self.steps
            }

        where: Where = "cells" if cells else "list" if face is None else "face"
        ends = ends_of_face(self.lattice, _sides(face)) if condition.at_edges and face is not None else ()
        links = () if cells else self.links
        layer = None
        if face is not None:
            layer = Layer(_sides(face), not any(link.stores_solid for link in self.links))
        kernels = StreamingKernels(steps(()), links, where=where, layer=layer, ends=ends)
        if face is None:
            return kernels
        return dataclasses.replace(
            kernels, between_walls=lambda walls: dataclasses.replace(kernels, steps=steps(walls))
        )


def _sides(side: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if side is None else (side,) if isinstance(side, str) else tuple(side)
