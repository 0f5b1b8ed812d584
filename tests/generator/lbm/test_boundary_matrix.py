# SPDX-License-Identifier: Apache-2.0
"""Every boundary with every streaming pattern, over dense faces and over lists: what comes in is, to
rounding, what the pull pattern has over a dense face, whose formulas the tests of each boundary check.

                  faces   lists of Pull, Push, AA   lists of EsoTwist, EsoPull                cells of a box
on links          sweep   sweep                     sweep; `cell_w` ...: numbers of other cells  sweep
along the normal  sweep   sweep                     sweep                                     refused
free slip         sweep   in the neighbour table    sweep, by `cell_n` ...                    refused

Free slip is refused over a list whose links lead back to the own cell at walls, since what its sweep reads of
the cell beside is the very element that the sweep of that cell sets. A body in a box has no normal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pytest
from evaluate import InBox, Listed, Periodic, evaluate
from heddle import lbm
from heddle.errors import KernelError
from heddle.model.assignment import Reduce
from heddle.model.field import Field
from test_streaming import Geometry, arrived_from, place, run_layer

Array: TypeAlias = Any
PATTERNS = (lbm.Pull, lbm.Push, lbm.AA, lbm.EsoTwist, lbm.EsoPull)
OWN_CELL = (lbm.Pull, lbm.Push, lbm.AA)
"""Patterns whose links lead back to the own cell at walls, so that slip lies in the table."""
SIDES = {"e": (0, 1), "s": (1, -1)}  # axis and sign of the outward normal
ACROSS, ALONG = 5, 4  # cells of the channel from wall to wall, and of its period
D2Q5, D2Q9 = lbm.Lattice("D2Q5"), lbm.Lattice("D2Q9")
ARM = tuple(Field(f"arm_{axis}", "real", 2).here for axis in "xy")


@dataclass(frozen=True)
class Boundary:
    """A boundary: `make(over)` gives the condition for a "face" or a "list"; and what its sweep is given.

    depth: how many cells inwards have to be there. distance: of the wall. periodic: it is no wall. sums:
    names of force and torque. velocity: of the wall at a place, for fields per link.
    """

    make: Callable[[str], lbm.BoundaryCondition]
    arguments: dict[str, float] = field(default_factory=dict)
    lattice: lbm.Lattice = D2Q9
    depth: int = 1
    distance: float = 0.5
    periodic: bool = False
    sums: tuple[str, ...] = ()
    velocity: Callable[[Any, Any], tuple[Any, Any]] | None = None

    @property
    def collide(self) -> lbm.Collision:
        if self.lattice is D2Q5:
            return lbm.AdvectionDiffusion(D2Q5, "omega", u=("v_x", "v_y"))
        return lbm.BGK(D2Q9)


def _bouzidi(order: str, distance: float, sums: tuple[str, ...] = ()) -> Boundary:
    def make(over: str) -> lbm.BoundaryCondition:
        return lbm.Bouzidi(distance if over == "face" else "distance", ("wall_x", "wall_y"), order=order)

    moving = {"wall_x": 0.03, "wall_y": -0.02}
    depth = 2 if order == "quadratic" else 1
    return Boundary(make, moving, depth=depth, distance=distance, sums=sums)


def shear(x: Any, y: Any) -> tuple[Any, Any]:
    """The velocity of a wall, which differs from link to link."""
    return 0.03 + 0.01 * y, 0.005 * x * y - 0.02


def _per_link(over: str) -> Callable[[Any, Any], tuple[Any, Any]] | lbm.PerLink:
    """Fields where a sweep has entries; there is one formula for all that a face is compared with."""
    return shear if over == "face" else lbm.PerLink("wall")


BOUNDARIES = {
    "no-slip": Boundary(lambda over: lbm.NoSlip(D2Q9)),
    "velocity": Boundary(
        lambda over: lbm.VelocityBounceBack(("wall_x", "wall_y")), {"wall_x": 0.03, "wall_y": -0.02}
    ),
    "velocity of the place": Boundary(lambda over: lbm.VelocityBounceBack(shear)),
    "velocity per link": Boundary(lambda over: lbm.VelocityBounceBack(_per_link(over)), velocity=shear),
    "free slip": Boundary(lambda over: lbm.FreeSlip()),
    "pressure, velocity given": Boundary(
        lambda over: lbm.PressureAntiBounceBack("rho_out", ("wall_x", "wall_y")),
        {"rho_out": 1.02, "wall_x": 0.03, "wall_y": -0.02},
    ),
    "pressure, own velocity": Boundary(lambda over: lbm.PressureAntiBounceBack("rho_out"), {"rho_out": 1.02}),
    "outflow": Boundary(lambda over: lbm.Outflow()),
    "convective outflow": Boundary(lambda over: lbm.ConvectiveOutflow("speed"), {"speed": 0.1}),
    "Bouzidi, linear, near": _bouzidi("linear", 0.3),
    "Bouzidi, linear, far": _bouzidi("linear", 0.8),
    "Bouzidi, quadratic, near": _bouzidi("quadratic", 0.3),
    "Bouzidi, quadratic, far": _bouzidi("quadratic", 0.8),
    "Bouzidi, velocity of the place": Boundary(
        lambda over: lbm.Bouzidi(0.8 if over == "face" else "distance", shear, order="quadratic"),
        depth=2,
        distance=0.8,
    ),
    "Bouzidi, velocity per link": Boundary(
        lambda over: lbm.Bouzidi(0.3 if over == "face" else "distance", _per_link(over)),
        distance=0.3,
        velocity=shear,
    ),
    "scalar, value (Dirichlet)": Boundary(lambda over: lbm.ScalarValue("T"), {"T": 1.1}, D2Q5),
    "scalar, flux (Neumann)": Boundary(lambda over: lbm.ScalarFlux("j"), {"j": 0.01}, D2Q5),
    "pressure jump": Boundary(lambda over: lbm.PressureJump("jump"), {"jump": 0.02}, periodic=True),
    "force and torque": Boundary(
        lambda over: lbm.VelocityBounceBack(("wall_x", "wall_y")),
        {"wall_x": 0.03, "wall_y": -0.02},
        sums=("drag", "couple"),
    ),
    "force and torque, interpolated": _bouzidi("quadratic", 0.3, ("drag", "couple")),
}
"""All that there are."""
ALONG_NORMAL = ("free slip", "outflow", "convective outflow", "pressure jump")
"""Those that look along the normal, which a body has not."""


class Channel(ABC):
    """A channel between the boundary at one side and a wall at rest at the other one, periodic along them."""

    def __init__(self, name: str, pattern: type[lbm.StreamingPattern], side: str, over: str) -> None:
        self.name, self.boundary, self.lattice = name, BOUNDARIES[name], BOUNDARIES[name].lattice
        self.axis, self.sign = SIDES[side]
        self.stream = pattern(self.lattice, ghost_layers=2)
        self.kernels = self.stream(self.boundary.collide)
        force, torque = self.boundary.sums or (None, None)
        where = self.where(over, side)
        arm = ARM if torque and over == "face" else None
        self.swept = not (over == "list" and name == "free slip" and pattern in OWN_CELL)
        condition = self.boundary.make(over)
        self.sweep = (
            self.stream.boundary(condition, force=force, torque=torque, arm=arm, **where).steps
            if self.swept
            else {}
        )
        where = self.where(over, {"e": "w", "s": "n"}[side])
        self.wall = self.stream.boundary(lbm.NoSlip(self.lattice), **where).steps
        self.time = 0
        self.sums: dict[str, float] = {}

    @staticmethod
    def where(over: str, side: str) -> dict[str, Any]:
        """What boundary() takes to run there."""
        return {"cells": True} if over == "cells" else {"face" if over == "face" else "normal": side}

    @property
    def box(self) -> tuple[int, ...]:
        return (ACROSS, ALONG) if self.axis == 0 else (ALONG, ACROSS)

    @property
    def layers(self) -> tuple[int, int]:
        """Of the boundary, and of the wall at rest."""
        return (ACROSS - 1, 0) if self.sign > 0 else (0, ACROSS - 1)

    def incoming(self, q: int, sign: int) -> bool:
        return self.lattice.velocities[q][self.axis] * sign < 0

    def start(self) -> Array:
        """What arrives in the first step."""
        w = np.array([float(self.lattice.weight(q)) for q in range(self.lattice.size)])
        return w[:, None, None] * np.random.default_rng(1).uniform(-0.1, 0.1, (self.lattice.size, *self.box))

    def velocity(self) -> Array:
        return np.random.default_rng(2).uniform(-0.1, 0.1, (2, *self.box))

    def centres(self) -> Array:
        return np.indices(self.box) + 0.5

    def wall_data(self, centres: Array) -> dict[str, Array]:
        """Fields of entries at these centres: their places, and the wall's velocity along each link."""
        data = {f"centre_{axis}": centre[None] for axis, centre in zip("xy", centres, strict=True)}
        if self.boundary.velocity is None:
            return data
        for name, c in zip(self.lattice.names, self.lattice.velocities, strict=True):
            ends = [x + self.boundary.distance * a for x, a in zip(centres, c, strict=True)]
            u = self.boundary.velocity(*ends)
            data[f"wall_{name}"] = (c[0] * u[0] + c[1] * u[1])[None]
        return data

    def arms(self) -> Array:
        return np.stack(np.meshgrid(*[np.arange(n) - 1.5 for n in self.box], indexing="ij"))

    def step(self) -> Array:
        """Collide, stream and sweep; what arrives in the next step."""
        step = self.stream.steps[self.time % len(self.stream.steps)]
        self.collide(self.kernels.steps[step])
        after = f"after_{step}" if step else ""
        if self.swept:
            self.sums = self.run(self.sweep[after], self.layers[0], self.boundary.arguments)
        if not self.boundary.periodic:
            self.run(self.wall[after], self.layers[1], {})
        self.time += 1
        return self.arrived(self.stream.next_step(step))

    @abstractmethod
    def collide(self, statements: Any) -> None: ...

    @abstractmethod
    def run(self, statements: Any, layer: int, arguments: dict[str, float]) -> dict[str, float]: ...

    @abstractmethod
    def arrived(self, step: str) -> Array: ...

    def flow(self) -> dict[str, float]:
        """The parameters of the collision."""
        return {"omega": 1.3} | ({"v_x": 0.02, "v_y": 0.01} if self.lattice is D2Q5 else {})


class FaceChannel(Channel):
    """In a dense box, with NaN in all that lies behind its faces."""

    over = "face"

    def __init__(self, name: str, pattern: type[lbm.StreamingPattern], side: str) -> None:
        super().__init__(name, pattern, side, self.over)
        self.ghosts = 0 if self.boundary.periodic else 1
        start = self.stream.steps[0]
        self.fields = Periodic(
            f=place(self.stream, self.padded(self.start()), start),
            u=self.padded(self.velocity()),
            outflow=self.padded(np.zeros((self.lattice.size, *self.box))),
        )
        for a, arm in enumerate(self.arms()):
            self.fields.fields[f"arm_{'xy'[a]}"] = self.padded(arm[None])
        for a, centre in enumerate(self.centres()):
            self.fields.fields[f"centre_{'xy'[a]}"] = self.padded(centre[None])

    def padded(self, values: Array) -> Array:
        widths = [(0, 0)] * 3
        widths[self.axis + 1] = (self.ghosts, self.ghosts)
        return np.pad(values, widths, constant_values=np.nan)

    def collide(self, statements: Any) -> None:
        fields = self.fields.fields
        if not self.stream.in_place:
            fields["f_next"] = np.full_like(fields["f"], np.nan)
        self.fields.run(statements, **self.flow())
        if not self.stream.in_place:
            fields["f"] = fields.pop("f_next")

    def run(self, statements: Any, layer: int, arguments: dict[str, float]) -> dict[str, float]:
        at = layer + self.ghosts
        before = Periodic(**{name: values.copy() for name, values in self.fields.fields.items()})
        values = before.run(statements, **arguments)
        run_layer(self.fields, statements, self.axis, at, **arguments)
        return {
            s.name: float(np.take(evaluate(s.value, before.load, values), at, self.axis).sum())
            for s in statements
            if isinstance(s, Reduce)
        }

    def arrived(self, step: str) -> Array:
        inside = slice(self.ghosts, self.ghosts + ACROSS)
        found = arrived_from(self.stream, self.fields.fields["f"], step)
        return found[:, inside] if self.axis == 0 else found[:, :, inside]


class CellsChannel(FaceChannel):
    """In the same box, with the boundary and the wall as bodies behind some of its cells."""

    over = "cells"

    def run(self, statements: Any, layer: int, arguments: dict[str, float]) -> dict[str, float]:
        along = np.arange(ALONG)
        across = np.full(ALONG, layer + self.ghosts)
        places = np.array([across, along] if self.axis == 0 else [along, across])
        sign = self.sign if layer == self.layers[0] else -self.sign
        bits = sum(1 << q for q in range(1, self.lattice.size) if self.incoming(q, sign))
        data: dict[str, Array] = {"mask": np.full((1, ALONG), bits, np.uint32)}
        data["linear"] = np.zeros((1, ALONG), np.uint32)
        for direction in self.lattice.names:
            data[f"distance_{direction}"] = np.full((1, ALONG), self.boundary.distance)
        for axis, arm in zip("xy", self.arms(), strict=True):
            data[f"arm_{axis}"] = np.take(arm, layer, self.axis)[None]
        data |= self.wall_data(np.take(self.centres(), layer, self.axis + 1))
        sweep = InBox(self.fields.fields, places, data)
        values = sweep.run(statements, **arguments)
        return {
            s.name: float(evaluate(s.value, sweep.load, values).sum())
            for s in statements
            if isinstance(s, Reduce)
        }


class ListChannel(Channel):
    """Over a list of its cells."""

    def __init__(self, name: str, pattern: type[lbm.StreamingPattern], side: str) -> None:
        super().__init__(name, pattern, side, "list")
        self.geometry = self._geometry()
        self.listed = self.geometry.listed(self.stream, self.start().reshape(self.lattice.size, -1))
        self.listed.fields["u"] = self.velocity().reshape(2, -1)
        if not self.swept:
            self._slip()
        self.entries = {layer: self._entries(layer) for layer in self.layers}
        self.data = {layer: self._data(layer) for layer in self.layers}

    def _geometry(self) -> Geometry:
        """The cells of the channel; a solid layer is both walls, since the box is periodic."""
        box = list(self.box)
        box[self.axis] += not self.boundary.periodic
        geometry = Geometry(self.lattice, tuple(box), solid=0)
        geometry.fluid = np.indices(box)[self.axis] < ACROSS
        geometry.cells = [tuple(map(int, cell)) for cell in np.argwhere(geometry.fluid)]
        geometry.number = {cell: n for n, cell in enumerate(geometry.cells)}
        return geometry

    def _entries(self, layer: int) -> Array:
        return np.array([n for n, cell in enumerate(self.geometry.cells) if cell[self.axis] == layer])

    def _data(self, layer: int) -> dict[str, Array]:
        """Values an entry."""
        entries, sign = self.entries[layer], self.sign if layer == self.layers[0] else -self.sign
        bits = sum(1 << q for q in range(1, self.lattice.size) if self.incoming(q, sign))
        data = {"mask": np.full((1, len(entries)), bits, np.uint32)}
        for direction in self.lattice.names:
            data[f"distance_{direction}"] = np.full((1, len(entries)), self.boundary.distance)
            data[f"outflow_{direction}"] = np.zeros((1, len(entries)))
        for axis, arm in zip("xy", self.arms(), strict=True):
            data[f"arm_{axis}"] = arm.reshape(1, -1)[:, entries]
        data |= self.wall_data(self.centres().reshape(2, -1)[:, entries])
        return data | self.geometry.numbers(entries, self.boundary.depth)

    def _slip(self) -> None:
        """As heddle::IndexList with `slips`: links through the side lead to the mirrored component of the
        cell beside."""
        before = np.stack([self._arriving(q) for q in range(self.lattice.size)])
        for (slot, offset), row in self.listed.table.items():
            c = list(self.lattice.velocities[slot])
            c[self.axis] *= -1
            mirrored = self.lattice.velocities.index(tuple(c))
            along = tuple(0 if a == self.axis else d for a, d in enumerate(offset))
            for n, cell in enumerate(self.geometry.cells):
                if cell[self.axis] == self.layers[0] and offset[self.axis] == self.sign:
                    beside = self.geometry.number[self.geometry.neighbour(cell, along)]
                    row[n] = mirrored * len(self.geometry.cells) + beside
        for q, arrived in enumerate(before):
            self.listed.store(self.stream.access(self.stream.read(q, self.stream.steps[0])), arrived, None)

    def _arriving(self, q: int) -> Array:
        """What the first step reads."""
        return self.listed.load(self.stream.access(self.stream.read(q, self.stream.steps[0])))

    def collide(self, statements: Any) -> None:
        fields = self.listed.fields
        if not self.stream.in_place:
            fields["f_next"] = np.full_like(fields["f"], np.nan)
        self.listed.run(statements, **self.flow())
        if not self.stream.in_place:
            fields["f"] = fields.pop("f_next")

    def run(self, statements: Any, layer: int, arguments: dict[str, float]) -> dict[str, float]:
        sweep = Listed(self.listed.fields, self.listed.table, self.entries[layer], self.data[layer])
        values = sweep.run(statements, **arguments)
        return {
            s.name: float(evaluate(s.value, sweep.load, values).sum())
            for s in statements
            if isinstance(s, Reduce)
        }

    def arrived(self, step: str) -> Array:
        reads = [self.stream.access(self.stream.read(q, step)) for q in range(self.lattice.size)]
        return np.stack([self.listed.load(access) for access in reads]).reshape(-1, *self.box)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("pattern", "over"),
    [(pattern, over) for pattern in PATTERNS for over in ("face", "list", "cells")][1:],  # 0: the reference
)
@pytest.mark.parametrize("name", BOUNDARIES)
def test_equals_pull_over_a_dense_face(
    name: str, pattern: type[lbm.StreamingPattern], over: str, side: str
) -> None:
    if over == "cells" and name in ALONG_NORMAL:
        with pytest.raises(KernelError, match="needs the normal of the boundary"):
            CellsChannel(name, pattern, side)
        return
    expected = FaceChannel(name, lbm.Pull, side)
    made: Any = {"face": FaceChannel, "list": ListChannel, "cells": CellsChannel}[over]
    found = made(name, pattern, side)
    for _ in range(4):
        arrived = expected.step()
        assert not np.isnan(arrived).any()
        assert found.step() == pytest.approx(arrived, abs=1e-16)
        assert found.sums == pytest.approx(expected.sums, abs=1e-15)
    assert len(expected.sums) == (3 if BOUNDARIES[name].sums else 0)


@pytest.mark.parametrize("pattern", OWN_CELL)
def test_slip_over_own_cell_lists_is_no_sweep(pattern: type[lbm.StreamingPattern]) -> None:
    with pytest.raises(
        KernelError, match="over a list, free slip belongs to the neighbour table: in a sweep"
    ):
        pattern(D2Q9).boundary(lbm.FreeSlip(), normal="e")
