# SPDX-License-Identifier: Apache-2.0
"""Free slip on dense faces, with every pattern."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pytest
from evaluate import Listed, Periodic, run
from heddle import Module, Sparse, lbm
from heddle.errors import KernelError
from test_streaming import Geometry, _run_row, arrived_from, place

Array: TypeAlias = Any

PATTERNS = (lbm.Pull, lbm.Push, lbm.AA, lbm.EsoTwist, lbm.EsoPull)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
def test_half_a_channel_is_exact(name: str, pattern: type[lbm.StreamingPattern]) -> None:
    """u = u_m [1 - (1 - y / H)^2], F = 2 nu u_m / H^2: no-slip below, free slip above, magic = 3/16."""
    lattice, height, nu, top = lbm.Lattice(name), 3, 0.5, 0.02
    force = 2 * nu * top / height**2
    stream = pattern(lattice)
    push = ("g_x", 0, 0)[: lattice.dimension]
    kernels = stream(lbm.TRT(lattice, force=push))
    sweeps = (
        (stream.boundary(lbm.NoSlip(lattice), face="s"), 1),
        (stream.boundary(lbm.FreeSlip(), face="n"), height),
    )
    shape = (3, height + 2, 3)[: lattice.dimension]
    box = Periodic(f=np.zeros((lattice.size, *shape)), f_next=np.zeros((lattice.size, *shape)))
    for _ in range(300 // len(stream.steps)):
        for step in stream.steps:
            box.run(kernels.steps[step], omega=1 / (3 * nu + 0.5), g_x=force)
            if not stream.in_place:
                box.fields["f"], box.fields["f_next"] = box.fields["f_next"], box.fields["f"]
            for sweep, row in sweeps:
                _run_row(box, sweep.steps[f"after_{step}" if step else ""], row)
    box.fields |= {"rho": np.zeros((1, *shape)), "u": np.zeros((lattice.dimension, *shape))}
    box.run(stream.moments(force=push).steps[stream.steps[0]], g_x=force)
    y = np.arange(height) + 0.5
    u = box.fields["u"].reshape(lattice.dimension, 3, height + 2, -1)
    assert u[0, 1, 1:-1, 0] == pytest.approx(top * (1 - (1 - y / height) ** 2), abs=1e-12)
    assert u[1, 1, 1:-1, 0] == pytest.approx(0, abs=1e-14)


class WalledBox:
    """A box of cells with sweeps at all faces, in the order given, and NaN in the ghost layer of the start:
    a value that a sweep takes from there and that stays would spread.

    conditions: of groups of sides, "w" or "nt". inside: what arrives in the cells in the first step.
    """

    def __init__(
        self,
        stream: lbm.StreamingPattern,
        conditions: Sequence[tuple[str, lbm.BoundaryCondition]],
        inside: Array,
    ) -> None:
        self.stream, d = stream, stream.lattice.dimension
        self.cells = (slice(None), *(slice(1, -1),) * d)
        self.kernels = stream(lbm.TRT(stream.lattice))
        self.sweeps = [
            (sides, stream.boundary(condition, face=tuple(sides)).steps) for sides, condition in conditions
        ]
        around = np.pad(inside, [(0, 0)] + [(1, 1)] * d, constant_values=np.nan)
        self.box = Periodic(f=place(stream, around, stream.steps[0]))

    def step(self, name: str) -> None:
        """One step and the sweeps after it."""
        if not self.stream.in_place:
            self.box.fields["f_next"] = np.full_like(self.box.fields["f"], np.nan)
        self.box.run(self.kernels.steps[name], omega=1.3)
        if not self.stream.in_place:
            self.box.fields["f"] = self.box.fields.pop("f_next")
        for sides, steps in self.sweeps:
            here = np.zeros(self.box.fields["f"].shape[1:], bool)
            at = [slice(1, -1)] * here.ndim
            for side in sides:
                at["ewnstb".index(side) // 2] = slice(1, 2) if side in "wsb" else slice(-2, -1)
            here[tuple(at)] = True

            def store(access: Any, value: Array, where: Array | None, here: Array = here) -> None:
                self.box.store(access, value, here if where is None else here & where)

            run(steps[f"after_{name}" if name else ""], self.box.load, store)

    def arrived(self, following: str) -> Array:
        """What arrives in the cells in the next step."""
        return arrived_from(self.stream, self.box.fields["f"], following)[self.cells]


class ListedBox:
    """The same over a list of the cells, of a pattern that holds the cells behind walls."""

    def __init__(
        self,
        stream: lbm.StreamingPattern,
        conditions: Sequence[tuple[str, lbm.BoundaryCondition]],
        inside: Array,
    ) -> None:
        self.stream, self.shape = stream, inside.shape
        self.kernels = stream(lbm.TRT(stream.lattice))
        self.geometry = _walled(stream.lattice, inside.shape[1:])
        self.listed = self.geometry.listed(stream, inside.reshape(len(inside), -1))
        self.sweeps = [
            (stream.boundary(condition, normal=tuple(sides)).steps, *self._entries(sides))
            for sides, condition in conditions
        ]

    def _entries(self, sides: str) -> tuple[Array, dict[str, Array]]:
        """The cells at all of the sides; what comes in, through whichever, and the numbers beside them."""
        size, cells = self.shape[1:], self.geometry.cells
        at = {"ewnstb".index(side) // 2: side for side in sides}
        entries = np.array(
            [
                n
                for n, cell in enumerate(cells)
                if all(cell[a] == (0 if side in "wsb" else size[a] - 1) for a, side in at.items())
            ]
        )
        return entries, {"mask": self.geometry.masks()[None, entries], **self.geometry.numbers(entries)}

    def step(self, name: str) -> None:
        """One step and the sweeps after it."""
        self.listed.run(self.kernels.steps[name], omega=1.3)
        for steps, entries, data in self.sweeps:
            Listed(self.listed.fields, self.listed.table, entries, data).run(steps[f"after_{name}"])

    def arrived(self, following: str) -> Array:
        """What arrives in the cells in the next step."""
        reads = [self.stream.access(self.stream.read(q, following)) for q in range(self.shape[0])]
        return np.stack([self.listed.load(access) for access in reads]).reshape(self.shape)


def _walled(lattice: lbm.Lattice, size: Sequence[int]) -> Geometry:
    """A box of cells behind walls: a solid layer is those at both ends, since the geometry is periodic."""
    geometry = Geometry(lattice, tuple(n + 1 for n in size), solid=0)
    geometry.fluid[:] = False
    geometry.fluid[tuple(slice(0, n) for n in size)] = True
    geometry.cells = [tuple(map(int, cell)) for cell in np.argwhere(geometry.fluid)]
    geometry.number = {cell: n for n, cell in enumerate(geometry.cells)}
    return geometry


def mirrored(lattice: lbm.Lattice, f: Array, axis: int) -> Array:
    """The mirror image of populations [q, x...] across the middle of an axis."""
    back = [
        lattice.velocities.index(tuple(-a if b == axis else a for b, a in enumerate(c)))
        for c in lattice.velocities
    ]
    return np.flip(f[back], axis + 1)


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [*((pattern, WalledBox) for pattern in PATTERNS), (lbm.EsoTwist, ListedBox), (lbm.EsoPull, ListedBox)],
)
@pytest.mark.parametrize(("name", "halved"), [("D2Q9", "en"), ("D3Q19", "es"), ("D3Q27", "ent")])
def test_the_part_of_a_box_that_slips_at_its_planes_of_symmetry(
    name: str, halved: str, pattern: type[lbm.StreamingPattern], kind: type[WalledBox | ListedBox]
) -> None:
    """It has the flow of the whole box, whose start is its own mirror image: faces that slip, then the edges
    and the corner where these meet, then the walls at rest."""
    lattice = lbm.Lattice(name)
    size = (4, 3, 3)[: lattice.dimension]
    part = 0.01 * np.random.default_rng(2).uniform(-1, 1, (lattice.size, *size))
    whole = part
    for side in halved:
        axis, image = "ewnstb".index(side) // 2, mirrored(lattice, whole, "ewnstb".index(side) // 2)
        whole = np.concatenate((whole, image) if side in "ent" else (image, whole), axis + 1)
    walls = "ewnstb"[: 2 * lattice.dimension]
    slip, rest = lbm.FreeSlip(), lbm.NoSlip(lattice)
    meeting = ["".join(sides) for count in range(1, len(halved) + 1) for sides in combinations(halved, count)]
    stream = pattern(lattice)
    quarter = kind(
        stream,
        [(sides, slip) for sides in meeting] + [(side, rest) for side in walls if side not in halved],
        part,
    )
    all_of_it = WalledBox(stream, [(side, rest) for side in walls], whole)
    ours = tuple(
        slice(n, None) if side in halved and side in "wsb" else slice(0, n)
        for n, side in zip(size, ("e", "s", "t"), strict=False)
    )
    for t in range(6):
        for box in (quarter, all_of_it):
            box.step(stream.steps[t % len(stream.steps)])
        following = stream.steps[(t + 1) % len(stream.steps)]
        expected = all_of_it.arrived(following)[(slice(None), *ours)]
        assert np.abs(quarter.arrived(following) - expected).max() < 1e-16


@pytest.mark.parametrize("pattern", PATTERNS)
def test_slip_comes_before_the_walls_next_to_it(pattern: type[lbm.StreamingPattern]) -> None:
    """In the other order what the ghost layer holds stays in the corners."""
    lattice = lbm.Lattice("D3Q19")
    start = 0.01 * np.random.default_rng(2).uniform(-1, 1, (19, 4, 3, 3))
    sweeps: list[tuple[str, lbm.BoundaryCondition]] = [(side, lbm.NoSlip(lattice)) for side in "ewstb"]
    for order, clean in (([("n", lbm.FreeSlip()), *sweeps], True), ([*sweeps, ("n", lbm.FreeSlip())], False)):
        box = WalledBox(pattern(lattice), order, start)
        steps = box.stream.steps
        for t in range(4):
            box.step(steps[t % len(steps)])
        assert np.isfinite(box.arrived(steps[0])).all() == clean


def test_sides_that_do_not_meet() -> None:
    stream = lbm.AA(lbm.Lattice("D2Q9"))
    for sides in (("n", "n"), ("n", "w", "e"), ()):
        with pytest.raises(KernelError, match=f"the sides {', '.join(sides)} do not meet"):
            stream.boundary(lbm.FreeSlip(), face=sides)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_kernels_have_no_races(pattern: type[lbm.StreamingPattern]) -> None:
    stream = pattern(lbm.Lattice("D3Q27"))
    module = Module("m", precisions=("f64",))
    for sides in ("e", "s", "t", "es", "st", "est"):
        module.add(f"slip_{sides}", stream.boundary(lbm.FreeSlip(), face=tuple(sides)))
        if stream.links[0].stores_solid:
            over_list = stream.boundary(lbm.FreeSlip(), normal=tuple(sides))
            module.add(f"listed_{sides}", over_list, Sparse("slips", listed=True))
    for kernel in module.kernels:
        module.stages(kernel, "f64", "cpu")


def test_over_a_list_it_lies_in_the_table() -> None:
    with pytest.raises(KernelError, match="over a list, free slip belongs to the neighbour table"):
        lbm.AA(lbm.Lattice("D2Q9")).boundary(lbm.FreeSlip())
