# SPDX-License-Identifier: Apache-2.0
"""Boundaries of moments in memory: what their sweep stores is what the step on populations has, with the same
conditions set between steps."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pytest
from evaluate import InBox, Periodic
from heddle import Cells, Module, lbm
from heddle.errors import KernelError
from heddle.model.field import Field
from test_interpolated import sums
from test_moment_storage import index_pairs, rebuilt

Array: TypeAlias = Any
D2Q9, D3Q19, D3Q27 = (lbm.Lattice(name) for name in ("D2Q9", "D3Q19", "D3Q27"))
KINDS = ("fluid", "inlet", "outlet", "body", "wall", "lid")
"""What a cell is; beside one cell several kinds meet."""


@dataclass(frozen=True)
class Flow:
    """What is computed. order: of interpolation. force: on the fluid. options: of the operator."""

    lattice: lbm.Lattice
    operator: type[lbm.Regularised] = lbm.Regularised
    order: str = "linear"
    force: tuple[str | int, ...] | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def collide(self) -> lbm.Regularised:
        return self.operator(self.lattice, force=self.force, **self.options)

    @property
    def arguments(self) -> dict[str, float]:
        return {"omega": 1.3, "omega_bulk": 0.9, "g": 2e-3, "rho_out": 1.01, "lid_x": 0.04}


class Walls:
    """Cells of random kinds in a periodic box, and the links from fluid to the others."""

    def __init__(self, flow: Flow, seed: int = 3) -> None:
        self.flow, self.lattice = flow, flow.lattice
        d = self.lattice.dimension
        self.random = np.random.default_rng(seed)
        self.shape = (11, 9) if d == 2 else (6, 5, 5)
        shares = (0.7, 0.06, 0.06, 0.12, 0.03, 0.03)
        self.kinds = self.random.choice(len(KINDS), self.shape, p=shares)
        self.fluid = self.kinds == 0
        self.behind = np.stack([np.roll(self.kinds, c, range(d)) for c in self.lattice.velocities])
        places = np.argwhere(self.fluid & (self.behind > 0).any(0)).T
        self.places = places
        self.links = self.behind[(slice(None), *places)]  # kind behind each direction, of each entry
        entries = places.shape[1]
        self.distance = self.random.uniform(0.05, 1, (self.lattice.size, entries))
        self.speed = self.random.uniform(-0.04, 0.04, (d, entries))
        self.arm = self.random.uniform(-4, 4, (d, entries))
        # where the second cell inwards is no fluid, the link is interpolated between two
        self.linear = [
            np.roll(self.kinds, tuple(-2 * x for x in c), range(d))[tuple(places)] > 0
            for c in self.lattice.velocities
        ]

    def bits(self, *kinds: str) -> Array:
        """Of the directions that come from cells of some kinds, an entry."""
        wanted = np.isin(self.links, [KINDS.index(kind) for kind in kinds])
        return sum(1 << q for q in range(1, self.lattice.size)) & self._packed(wanted)

    def bits_of_box(self, *kinds: str) -> Array:
        """The same of all cells."""
        return self._packed(np.isin(self.behind, [KINDS.index(kind) for kind in kinds]))[None]

    def data(self, **masks: Array) -> dict[str, Array]:
        """Fields with a value an entry."""
        found = {name: mask[None] for name, mask in masks.items()}
        for q, name in enumerate(self.lattice.names):
            found[f"distance_{name}"] = self.distance[q][None]
        for a, axis in enumerate("xyz"[: self.lattice.dimension]):
            found[f"speed_{axis}"], found[f"arm_{axis}"] = self.speed[a][None], self.arm[a][None]
        found["linear"] = self._packed(np.array(self.linear))[None]
        return found

    def conditions(self) -> dict[str, lbm.BoundaryCondition]:
        speed = [Field(f"speed_{axis}", "real", 0).here for axis in self.lattice.axes]
        return {
            "inlet": lbm.VelocityBounceBack(speed),
            "outlet": lbm.PressureAntiBounceBack("rho_out", force=self.flow.force),
            "body": lbm.Bouzidi(velocity=speed, order=self.flow.order),
        }

    @property
    def lid(self) -> tuple[str | int, ...]:
        return ("lid_x", 0, 0)[: self.lattice.dimension]

    @staticmethod
    def _packed(flags: Array) -> Array:
        return sum(flag.astype(np.uint32) << q for q, flag in enumerate(flags))


class InMoments:
    """The flow with moments in memory; what is solid holds no numbers."""

    def __init__(self, walls: Walls) -> None:
        self.walls, self.lattice, d = walls, walls.lattice, walls.lattice.dimension
        storage = lbm.MomentStorage(
            self.lattice, walls="walls", lid="lid", velocity=walls.lid, ghost_layers=2
        )
        collide = walls.flow.collide
        self.step = storage(collide).steps[""]
        self.sweep = storage.boundary(
            collide, walls.conditions(), force="push", torque="couple", of=["body", "inlet"]
        ).steps[""]
        stored = 1 + d + d * (d + 1) // 2
        self.moments = walls.random.uniform(-0.02, 0.02, (stored, *walls.shape))
        self.moments[:, ~walls.fluid] = np.nan
        self.parts = {f.name: f.components for f in storage.fields}
        # the first that is marked holds, so that more may be marked after it
        self.data = walls.data(
            mask_inlet=walls.bits("inlet"),
            mask_outlet=walls.bits("outlet", "inlet"),
            mask_body=walls.bits("body", "outlet"),
        )

    def advance(self) -> dict[str, float]:
        """A step; returns the sums."""
        ends = list(itertools.accumulate(self.parts.values(), initial=0))
        fields = {
            name: self.moments[first:last].copy()
            for name, first, last in zip(self.parts, ends, ends[1:], strict=False)
        }
        fields |= {name + "_next": np.zeros_like(values) for name, values in fields.items()}
        fields |= {"walls": self.walls.bits_of_box(*KINDS[1:]), "lid": self.walls.bits_of_box("lid")}
        with np.errstate(invalid="ignore"):
            Periodic(**fields).run(self.step, **self.walls.flow.arguments)
            cells = InBox(fields, self.walls.places, self.data)
            values = cells.run(self.sweep, **self.walls.flow.arguments)
        self.moments = np.concatenate([fields[name + "_next"] for name in self.parts])
        return sums(values, self.sweep)


class InPopulations:
    """The same with two arrays of populations; conditions are set between steps."""

    def __init__(self, walls: Walls, moments: Array) -> None:
        self.walls, self.lattice = walls, walls.lattice
        recursive = walls.flow.operator is lbm.RecursiveRegularised
        self.stream = lbm.Pull(self.lattice, ghost_layers=2)
        self.step = self.stream(walls.flow.collide).steps[""]
        cells = [rebuilt(self.lattice, list(cell), recursive) for cell in moments.reshape(len(moments), -1).T]
        f = np.array(cells).T.reshape(self.lattice.size, *walls.shape)
        self.fields = {"f": f, "f_next": f.copy()}
        found = walls.conditions()
        every = ("inlet", "outlet", "body", "wall", "lid")
        # a body sees walls of all kinds at the other end of a link; what comes off those is set after it
        self.sweeps = [
            (found["body"], every),
            (found["inlet"], ("inlet",)),
            (found["outlet"], ("outlet",)),
            (lbm.NoSlip(self.lattice), ("wall",)),
            (lbm.VelocityBounceBack(walls.lid), ("lid",)),
        ]

    def advance(self) -> dict[str, float]:
        walls, arguments = self.walls, self.walls.flow.arguments
        for condition, kinds in self.sweeps:
            sweep = self.stream.boundary(condition, cells=True).steps[""]
            InBox(self.fields, walls.places, walls.data(mask=walls.bits(*kinds))).run(sweep, **arguments)
        found = self.exchanged()
        Periodic(**self.fields).run(self.step, **arguments)
        self.fields = {"f": self.fields["f_next"], "f_next": self.fields["f"]}
        return found

    def exchanged(self) -> dict[str, float]:
        """Momentum that is left at body and inlet: what a link takes there and what comes back."""
        walls, f, d = self.walls, self.fields["f"], self.lattice.dimension
        force = np.zeros((3, walls.places.shape[1]))
        for q, c in enumerate(self.lattice.velocities):
            source = tuple((p - x) % n for p, x, n in zip(walls.places, c, walls.shape, strict=True))
            both = f[(self.lattice.opposite(q), *walls.places)] + f[(q, *source)]
            both = np.where(np.isin(walls.links[q], (1, 3)), both, 0)
            force[:d] -= np.array(c)[:, None] * both
        arm = np.concatenate([walls.arm, np.zeros((3 - d, walls.places.shape[1]))])
        turn = np.cross(arm.T, force.T).sum(0)
        names = "xyz"[:d]
        return {f"push_{axis}": force[a].sum() for a, axis in enumerate(names)} | {
            f"couple_{axis}": turn["xyz".index(axis)] for axis in ("z" if d == 2 else names)
        }

    def moments(self) -> Array:
        f, d = self.fields["f"], self.lattice.dimension
        c = np.array(self.lattice.velocities)
        density = f.sum(0)
        momentum = np.tensordot(c.T, f, 1)
        stress = [
            np.tensordot(c[:, a] * c[:, b], f, 1) - (density / 3 if a == b else 0) for a, b in index_pairs(d)
        ]
        return np.stack([density, *momentum, *stress])


FLOWS = {
    "D2Q9": Flow(D2Q9),
    "D2Q9, force and bulk rate": Flow(D2Q9, force=("g", 1e-3), options={"omega_bulk": "omega_bulk"}),
    "D2Q9, recursive": Flow(D2Q9, lbm.RecursiveRegularised),
    "D2Q9, quadratic": Flow(D2Q9, order="quadratic"),
    "D2Q9, Smagorinsky": Flow(D2Q9, options={"eddy_viscosity": lbm.Smagorinsky()}),
    "D3Q19": Flow(D3Q19, force=("g", 0, 0), options={"omega_bulk": 1}),
    "D3Q19, recursive, quadratic": Flow(D3Q19, lbm.RecursiveRegularised, "quadratic"),
    "D3Q27, recursive": Flow(D3Q27, lbm.RecursiveRegularised),
}


@pytest.mark.parametrize("name", FLOWS)
def test_a_sweep_equals_conditions_between_steps(name: str) -> None:
    """Inlet, outlet, an interpolated body that moves, walls at rest and a lid in random order, so that they
    meet in one cell; three steps, each sum; nothing of what is solid arrives."""
    walls = Walls(FLOWS[name])
    moments = InMoments(walls)
    populations = InPopulations(walls, np.where(np.isnan(moments.moments), 0, moments.moments))
    for _ in range(3):
        found, expected = moments.advance(), populations.advance()
        assert found == pytest.approx(expected, abs=1e-14)
        after = populations.moments()[:, walls.fluid]
        assert moments.moments[:, walls.fluid] == pytest.approx(after, abs=3e-16)
        assert np.abs(after).max() < 0.5


ALONG_A_NORMAL = {
    "outflow": lbm.Outflow(),
    "convective": lbm.ConvectiveOutflow(0.3),
    "slip": lbm.FreeSlip(),
    "jump": lbm.PressureJump(0.02),
}


def coming_in(kind: str, lattice: lbm.Lattice, f: Array, q: int, saved: Array, u: Array) -> Array:
    """f_q in the cells of the last fluid column, as the formula of the condition has it; f: after the
    collision. saved: f_q(x, t), which is set to f_q(x, t + 1)."""
    normal, *along = lattice.velocities[q]

    def back(values: Array) -> Array:
        """Of each cell of a column the one that lies the part of c_q along the face behind it."""
        return np.roll(values, along, range(len(along)))

    if kind == "slip":
        return back(f[lattice.velocities.index((-normal, *along))][-2])
    if kind == "jump":
        v = np.array([back(component[0]) for component in u])
        cu, uu = np.tensordot(lattice.velocities[q], v, 1), (v * v).sum(0)
        weight = float(lattice.class_weights[lattice.order(q)])
        return back(f[q][0]) + weight * 0.02 * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * uu)
    inside = back(f[q][-2])  # x - n - c_q lies in the column itself
    if kind == "convective":
        saved[...] = (saved + 0.3 * inside) / 1.3
        return saved
    return inside


@pytest.mark.parametrize("lattice", [D2Q9, D3Q19], ids=["D2Q9", "D3Q19"])
@pytest.mark.parametrize("kind", ALONG_A_NORMAL)
def test_conditions_along_a_normal(kind: str, lattice: lbm.Lattice) -> None:
    """A wall in the west, and in the east the condition, behind which nothing is; where the pressure jumps,
    the period goes on there. Against the formula, set between steps of populations."""
    d, collide = lattice.dimension, lbm.Regularised(lattice, omega_bulk=1.1)
    shape, arguments = (7, 5, 4)[:d], {"omega": 1.3}
    last = shape[0] - (1 if kind == "jump" else 2)
    random = np.random.default_rng(5)
    moments = random.uniform(-0.02, 0.02, (1 + d + d * (d + 1) // 2, *shape))
    moments[:, last + 1 :] = np.nan
    u = random.uniform(-0.05, 0.05, (d, *shape))
    f = np.array([rebuilt(lattice, list(cell), False) for cell in moments.reshape(len(moments), -1).T])
    f = f.T.reshape(lattice.size, *shape)

    columns = [
        np.stack(np.meshgrid([x], *map(range, shape[1:]), indexing="ij")).reshape(d, -1) for x in (0, last)
    ]
    entries = columns[0].shape[1]
    from_west, from_east = (
        [q for q, c in enumerate(lattice.velocities) if sign * c[0] > 0] for sign in (1, -1)
    )
    bits = [sum(1 << q for q in directions) for directions in (from_west, from_east)]
    data = {
        "mask_wall": np.repeat(np.array([bits[0], 0], np.uint32), entries)[None],
        "mask_side": np.repeat(np.array([0, bits[1]], np.uint32), entries)[None],
    }
    data |= {f"outflow_{name}": random.uniform(-0.01, 0.01, (1, 2 * entries)) for name in lattice.names}
    saved = [data[f"outflow_{name}"][0, entries:].reshape(shape[1:]).copy() for name in lattice.names]

    storage = lbm.MomentStorage(lattice)
    conditions = {"wall": lbm.NoSlip(lattice), "side": ALONG_A_NORMAL[kind]}
    step, pull = storage(collide).steps[""], lbm.Pull(lattice)(collide).steps[""]
    sweep = storage.boundary(collide, conditions, sides={"side": "e"}).steps[""]
    parts = {field.name: field.components for field in storage.fields}
    ends = list(itertools.accumulate(parts.values(), initial=0))
    for _ in range(3):
        fields = {name: moments[a:b].copy() for name, a, b in zip(parts, ends, ends[1:], strict=False)}
        fields |= {name + "_next": np.zeros_like(values) for name, values in fields.items()} | {"u": u}
        arriving = {q: (last, coming_in(kind, lattice, f, q, saved[q], u)) for q in from_east}
        arriving |= {q: (0, f[lattice.opposite(q)][0].copy()) for q in from_west}
        for q, (x, value) in arriving.items():  # to where the step reads it
            normal, *along = lattice.velocities[q]
            f[q][(x - normal) % shape[0]] = np.roll(value, [-a for a in along], range(d - 1))
        with np.errstate(invalid="ignore"):
            Periodic(**fields).run(step, **arguments)
            InBox(fields, np.concatenate(columns, 1), data).run(sweep, **arguments)
            populations = {"f": f, "f_next": np.zeros_like(f)}
            Periodic(**populations).run(pull, **arguments)
        moments, f = np.concatenate([fields[name + "_next"] for name in parts]), populations["f_next"]
        fluid = slice(0, last + 1)
        momentum = np.tensordot(np.array(lattice.velocities).T, f, 1)
        assert moments[0][fluid] == pytest.approx(f.sum(0)[fluid], abs=1e-15)
        assert moments[1 : 1 + d][:, fluid] == pytest.approx(momentum[:, fluid], abs=1e-15)


def test_sums_are_of_all_boundaries_unless_said() -> None:
    """A single one has no other form."""
    storage, collide = lbm.MomentStorage(D2Q9), lbm.Regularised(D2Q9)
    conditions = {"inlet": lbm.VelocityBounceBack((0.1, 0)), "body": lbm.Bouzidi()}
    every = storage.boundary(collide, conditions, force="f").steps[""].statements
    said = storage.boundary(collide, conditions, force="f", of=["inlet", "body"]).steps[""].statements
    one = storage.boundary(collide, conditions, force="f", of="body").steps[""].statements
    assert every == said != one


def test_kernels_lower() -> None:
    """In halves, too; two layers are read where the interpolation asks for them."""
    for name, kind in itertools.product(("D2Q9", "D3Q15"), ("real", "half")):
        lattice, module = lbm.Lattice(name), Module("m", precisions=("f32",))
        storage = lbm.MomentStorage(lattice, stress_type=kind, walls="walls")
        conditions = {"body": lbm.Bouzidi(), "outlet": lbm.PressureAntiBounceBack("rho_out")}
        sweep = storage.boundary(lbm.Regularised(lattice), conditions, torque="couple")
        module.add("sides", sweep, Cells("sides"))
        open_sides = {"outlet": lbm.ConvectiveOutflow(0.1), "top": lbm.FreeSlip(), "edge": lbm.FreeSlip()}
        faces = {"outlet": "e", "top": "n", "edge": ("s", "w"), "period": ["w"]}
        faced = storage.boundary(
            lbm.Regularised(lattice), open_sides | {"period": lbm.PressureJump("jump")}, sides=faces
        )
        module.add("faced", faced, Cells("faced"))
        for kernel, target in itertools.product(("sides", "faced"), ("reference", "cpu", "cuda")):
            module.stages(kernel, "f32", target)
    module = Module("m", precisions=("f64",))
    curved = {"body": lbm.Bouzidi(order="quadratic")}
    module.add("body", lbm.MomentStorage(D2Q9).boundary(lbm.Regularised(D2Q9), curved), Cells("body"))
    with pytest.raises(KernelError, match=r"2 cells away, but 'flow' has only 1 ghost layer"):
        module.stages("body", "f64", "cpu")


def test_what_is_no_boundary_of_moments_is_refused() -> None:
    storage, collide, body = lbm.MomentStorage(D2Q9), lbm.Regularised(D2Q9), {"body": lbm.Bouzidi()}
    boundary: Any = storage.boundary
    for wrong in (
        lambda: boundary(lbm.NoSlip(D2Q9), face="w"),
        lambda: boundary(lbm.NoSlip(D2Q9)),
        lambda: boundary(collide, body, cells=True),
    ):
        with pytest.raises(KernelError, match="its boundary kernels repeat the step for listed cells"):
            wrong()
    for wrong in (lambda: boundary(collide), lambda: boundary(collide, lbm.Bouzidi())):
        with pytest.raises(KernelError, match="must be given by name") as refused:
            wrong()
        assert 'storage.boundary(collide, {"body": lbm.Bouzidi()})' in str(refused.value)
    with pytest.raises(KernelError, match="Bouzidi is a class, but a boundary condition is expected"):
        boundary(collide, {"body": lbm.Bouzidi})
    with pytest.raises(KernelError, match="'a body' is not a valid name for a boundary"):
        boundary(collide, {"a body": lbm.Bouzidi()})
    with pytest.raises(KernelError, match="ScalarValue is a condition for scalars"):
        boundary(collide, {"hot": lbm.ScalarValue(1)})
    for condition in (lbm.Outflow(), lbm.ConvectiveOutflow(0.1), lbm.FreeSlip(), lbm.PressureJump(0.1)):
        with pytest.raises(KernelError, match="needs the normal of the boundary, which listed cells do not"):
            boundary(collide, {"out": condition})
    with pytest.raises(KernelError, match="'outlet' is not the name of a boundary"):
        boundary(collide, body, sides={"outlet": "e"})
    with pytest.raises(KernelError, match="'up' is not a side"):
        boundary(collide, {"out": lbm.Outflow()}, sides={"out": "up"})
    with pytest.raises(KernelError, match="Outflow supports one side at a time"):
        boundary(collide, {"out": lbm.Outflow()}, sides={"out": ("n", "e")})
    with pytest.raises(KernelError, match="'inlet' is not the name of a boundary"):
        boundary(collide, body, force="drag", of="inlet")
    for said in ({"of": "body"}, {"force": "drag", "of": ()}):
        with pytest.raises(KernelError, match="boundaries whose force and torque are summed"):
            boundary(collide, body, **said)
    with pytest.raises(KernelError, match="BGK leaves more in the populations"):
        boundary(lbm.BGK(D2Q9), body)
    with pytest.raises(KernelError, match="a velocity on D2Q9 has 2 components, not 3"):
        boundary(collide, {"lid": lbm.VelocityBounceBack((0, 0, 1))})
    with pytest.raises(KernelError, match="an arm on D2Q9 has 2 components, not 3"):
        boundary(collide, body, torque="couple", arm=(0, 0, 1))
    with pytest.raises(KernelError, match="its space is not Cells"):
        Module("m").add("body", boundary(collide, body))
