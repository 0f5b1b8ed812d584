# SPDX-License-Identifier: Apache-2.0
"""Velocity gradients over lists of cells: as in a dense box where no wall is near, exact at walls in a
channel."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from evaluate import Listed, Periodic
from heddle import CompressedList, Module, Schedule, Sparse, Strips, lbm
from heddle.emit.signature import uses_links
from running import agree
from test_streaming import Geometry
from test_viscosity import gradient, vreman, wale

Array: TypeAlias = Any
D2Q9, D3Q19 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19")
PATTERNS = (lbm.Pull, lbm.Push, lbm.AA)
HOLDING = (lbm.EsoTwist, lbm.EsoPull)  # lists that hold cells behind walls: numbers of cells are given


def listed(stream: lbm.StreamingPattern, geometry: Geometry, u: Array) -> Listed:
    """The list with a velocity [a, cell], and memory for what kernels write."""
    d, n = stream.lattice.dimension, len(geometry.cells)
    f = 1e-2 * np.random.default_rng(3).uniform(-1, 1, (stream.lattice.size, n))
    fields = {"f": f, "f_next": np.zeros_like(f), "u": u}
    fields |= {"vorticity": np.full((2 * d - 3, n), np.nan), "q": np.full((1, n), np.nan)}
    if not isinstance(stream, HOLDING):
        return Listed(fields, geometry.table(stream.links))
    held, table = geometry.held(stream)
    held[:] = 1e-2 * np.random.default_rng(3).uniform(-1, 1, held.shape)
    entries = np.arange(n)
    return Listed(fields | {"f": held} | geometry.numbers(entries), table, entries)


def over(kernels: lbm.StreamingKernels, step: str = "") -> Any:
    assert kernels.over_list is not None
    return kernels.over_list[step]


def channel(height: int, axis: int = 1) -> Geometry:
    """A periodic list, but for a solid layer across an axis of the plane."""
    geometry = Geometry(D2Q9, (3, height + 1) if axis == 1 else (height + 1, 3), solid=0)
    geometry.cells = [cell for cell in geometry.cells if cell[axis] < height]
    geometry.number = {cell: n for n, cell in enumerate(geometry.cells)}
    geometry.fluid[(slice(None),) * axis + (height,)] = False
    return geometry


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("pattern", PATTERNS + HOLDING)
def test_a_channel_is_exact_up_to_its_walls(pattern: type[lbm.StreamingPattern], axis: int) -> None:
    """u = y (H - y) with walls half a cell beyond the outermost centres: the slope is H - 2 y everywhere."""
    height = 5
    geometry, stream = channel(height, axis), pattern(D2Q9)
    y = np.array([cell[axis] for cell in geometry.cells]) + 0.5
    along = y * (height - y) / 100
    slope = (height - 2 * y) / 100
    space = listed(stream, geometry, np.array([along, 0 * y] if axis == 1 else [0 * y, along]))
    space.run(over(stream.vorticity()))
    space.run(over(stream.q_criterion()))
    assert space.fields["vorticity"][0] == pytest.approx(-slope if axis == 1 else slope, abs=1e-16)
    assert space.fields["q"][0] == pytest.approx(0, abs=1e-18)
    space.run(over(stream.vorticity(walls="one_sided")))
    first = np.where(y < 1, 1, -1) * (height - 2) / 100  # u(3/2) - u(1/2), and the like above
    one_sided = np.where((y < 1) | (y > height - 1), first, slope)
    assert np.abs(one_sided - slope).max() > 5e-3
    assert space.fields["vorticity"][0] == pytest.approx(-one_sided if axis == 1 else one_sided, abs=1e-16)


@pytest.mark.parametrize("pattern", PATTERNS + HOLDING)
def test_free_slip_is_of_second_order(pattern: type[lbm.StreamingPattern]) -> None:
    """The vortex u = sin x cos y, v = -cos x sin y between four faces that slip: its curl 2 sin x sin y, and
    the stress of a start, -2 cos x cos y / (3 omega) along x. A wall at rest there is wrong by more than 1 /
    cells, however many there are."""
    stream, errors = pattern(D2Q9), []
    for n in (8, 16):
        geometry = Geometry(D2Q9, (n + 1, n + 1), solid=0)
        geometry.cells = [cell for cell in geometry.cells if max(cell) < n]
        geometry.number = {cell: i for i, cell in enumerate(geometry.cells)}
        geometry.fluid[n], geometry.fluid[:, n] = False, False
        x, y = (np.array(geometry.cells).T + 0.5) * np.pi / n
        u = np.array([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)]) / 1000
        space = listed(stream, geometry, u)
        found = {}
        for walls in ("slip", "at_rest"):
            space.run(over(stream.vorticity(walls=walls)))
            curl = space.fields["vorticity"][0] * 1000 * n / np.pi
            found[walls] = np.abs(curl - 2 * np.sin(x) * np.sin(y)).max()
        assert found["at_rest"] > 0.5 * n / np.pi
        space.run(over(stream.initialise(1, "u", omega=1.25, walls="slip")))
        arrived = [space.load(stream.access(stream.read(q, stream.steps[0]))) for q in range(9)]
        c = np.array(D2Q9.velocities)
        stress = np.einsum("q,qn->n", c[:, 0] ** 2 - c[:, 1] ** 2, np.array(arrived)) - u[0] ** 2 + u[1] ** 2
        exact = -4 * np.cos(x) * np.cos(y) / (3 * 1.25)
        errors.append((found["slip"], np.abs(stress * 1000 * n / np.pi - exact).max()))
    assert all(fine < 0.27 * coarse for coarse, fine in zip(*errors, strict=True))
    assert max(errors[1]) < 0.02


@pytest.mark.parametrize("walls", ["at_rest", "slip", "one_sided"])
def test_a_gap_of_one_cell_has_no_slope(walls: Any) -> None:
    stream = lbm.AA(D2Q9)
    space = listed(stream, channel(1), np.array([[0.1, 0.1, 0.1], [0, 0, 0]]))
    space.run(over(stream.vorticity(walls=walls)))
    assert np.array_equal(space.fields["vorticity"], np.zeros((1, 3)))


@pytest.mark.parametrize("model", [lbm.Vreman, lbm.WALE])
def test_no_eddy_viscosity_at_the_walls_of_a_channel(model: type[lbm.Vreman]) -> None:
    """As in any shear: what a wrong slope across the wall alone would not give."""
    geometry, stream = channel(4), lbm.Pull(D2Q9)
    y = np.array([cell[1] for cell in geometry.cells]) + 0.5
    space = listed(stream, geometry, np.array([y * (4 - y) / 100, 0 * y]))
    named = space.run(over(stream(lbm.BGK(D2Q9, eddy_viscosity=model()))), omega=1.5)
    assert np.array_equal(named["eddy_viscosity"], np.zeros(y.size))


@pytest.mark.parametrize("pattern", PATTERNS + HOLDING)
@pytest.mark.parametrize("lattice", [D2Q9, D3Q19], ids=["2D", "3D"])
def test_away_from_walls_it_is_the_dense_value(
    lattice: lbm.Lattice, pattern: type[lbm.StreamingPattern]
) -> None:
    """Eddy viscosity, vorticity, Q and initial populations, with every pattern and step; and at walls the
    gradient with the ghost value -2 u + u(inside) / 3 that a wall at rest stands for."""
    d, stream = lattice.dimension, pattern(lattice)
    geometry = Geometry(lattice, (7, 6, 5)[:d], solid=0.15)
    u = np.where(geometry.fluid, np.random.default_rng(4).uniform(-0.1, 0.1, (d, *geometry.box)), 0)
    slopes = np.empty((d, d, *geometry.box))
    for b in range(d):
        ahead, behind = (np.roll(geometry.fluid, -way, b) for way in (1, -1))
        up, down = (np.roll(u, -way, b + 1) for way in (1, -1))
        ghost = -2 * u + np.where(behind, down, u * 6) / 3  # a gap: as large as the own value
        up = np.where(ahead, up, ghost)
        ghost = -2 * u + np.where(ahead, np.roll(u, -1, b + 1), u * 6) / 3
        slopes[:, b] = (up - np.where(behind, down, ghost)) / 2
    inner = np.all([np.roll(geometry.fluid, way, b) for b in range(d) for way in (1, -1)], axis=0)
    assert np.array_equal(slopes[..., inner], gradient(u)[..., inner])
    assert inner[geometry.fluid].any()
    assert not inner[geometry.fluid].all()
    at = tuple(np.array(geometry.cells).T)
    g = slopes[(..., *at)]
    space = listed(stream, geometry, np.ascontiguousarray(u[(..., *at)]))
    for model, formula in ((lbm.Vreman(0.3), vreman), (lbm.WALE(0.3), wale)):
        collide = lbm.BGK(lattice, eddy_viscosity=model)
        kernels = stream(collide)
        for step in stream.steps:
            fields = {name: array.copy() for name, array in space.fields.items()}
            named = Listed(fields, space.table, space.entries).run(over(kernels, step), omega=1.5)
            assert named["eddy_viscosity"] == pytest.approx(formula(g, 0.3), rel=1e-11)
            strain = dict(fields, strain=np.zeros((d * (d + 1) // 2, g.shape[-1])))
            kernel = over(stream.strain_rate(collide), step)
            named = Listed(strain, space.table, space.entries).run(kernel, omega=1.5)
            assert named["eddy_viscosity"] == pytest.approx(formula(g, 0.3), rel=1e-11)
    space.run(over(stream.vorticity()))
    space.run(over(stream.q_criterion()))
    turns = [(0, 1)] if d == 2 else [(1, 2), (2, 0), (0, 1)]
    curl = np.array([g[b, a] - g[a, b] for a, b in turns])
    assert space.fields["vorticity"] == pytest.approx(curl, abs=1e-15)
    assert space.fields["q"][0] == pytest.approx(-np.einsum("abn,ban->n", g, g) / 2, abs=1e-15)
    space.run(over(stream.initialise(1, "u", omega=1.25)))
    arrived = [space.load(stream.access(stream.read(q, stream.steps[0]))) for q in range(lattice.size)]
    c = np.array(lattice.velocities)
    stress = np.einsum("qa,qb,qn->abn", c, c, np.array(arrived))
    mine = np.einsum("an,bn->abn", space.fields["u"], space.fields["u"])
    assert stress - mine == pytest.approx(-(g + g.swapaxes(0, 1)) / (3 * 1.25), abs=1e-15)


def test_the_pressure_of_a_start_needs_no_neighbours() -> None:
    """ConsistentInitialisation takes the velocity of the own cell: the same statements dense and over a
    list."""
    kernels = lbm.AA(D2Q9)(lbm.ConsistentInitialisation(D2Q9))
    assert kernels.over_list is None
    module = Module("m", precisions=("f64",))
    module.add("start", kernels, space=Sparse("fluid"))
    agree(module.kernels["start_odd"], "f64", "cpu", 2)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize(
    ("schedule", "target"),
    [(Schedule(), "reference"), (Schedule(cpu=Strips(4)), "cpu"), (Schedule(gpu=CompressedList()), "cuda")],
    ids=["plain", "chunks", "compressed"],
)
def test_every_pass_keeps_the_bits(
    pattern: type[lbm.StreamingPattern], schedule: Schedule, target: str
) -> None:
    """Links that are read for the number of a cell, beside those that lead to populations."""
    stream = pattern(D2Q9)
    module = Module("m", precisions=("f64",))
    step = stream(lbm.BGK(D2Q9, eddy_viscosity=lbm.Vreman(u="v")))
    module.add("step", step, space=Sparse("fluid"), schedule=schedule)
    module.add("curl", stream.vorticity(), space=Sparse("fluid"), schedule=schedule)
    for kernel in module.kernels.values():
        agree(kernel, "f64", target, 3)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", HOLDING)
@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
def test_every_pass_keeps_the_bits_with_numbers(pattern: type[lbm.StreamingPattern], target: str) -> None:
    """Numbers of the cells beside, a value a cell; the curl alone needs no table."""
    stream = pattern(D2Q9)
    module = Module("m", precisions=("f64",))
    step = stream(lbm.BGK(D2Q9, eddy_viscosity=lbm.Vreman(u="v")))
    module.add("step", step, space=Sparse("fluid"))
    module.add("curl", stream.vorticity(), space=Sparse("fluid"))
    for kernel in module.kernels.values():
        agree(kernel, "f64", target, 3)
    assert not uses_links(module.typed("curl", "f64"))


def test_a_dense_kernel_stays_as_it_was() -> None:
    """The same kernels in a box: with offsets, and the same values."""
    stream, random = lbm.Pull(D2Q9), np.random.default_rng(6)
    u = random.uniform(-0.1, 0.1, (2, 4, 5))
    found = []
    for kernel in (lbm.vorticity(2), stream.vorticity().steps[""]):
        box = Periodic(u=u, vorticity=np.full((1, 4, 5), np.nan))
        box.run(kernel)
        found.append(box.fields["vorticity"])
    assert np.array_equal(*found)
