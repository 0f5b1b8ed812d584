# SPDX-License-Identifier: Apache-2.0
"""Streaming patterns simulated through their read and write functions, dense and listed, with walls."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import pytest
from evaluate import Listed, Periodic
from heddle import lbm
from heddle.errors import KernelError
from heddle.model.assignment import Assignment, Section, stores
from heddle.model.field import Access
from heddle.model.streaming_kernels import STORES_SOLID
from test_collision import collide as apply
from test_collision import stress, weights

Array: TypeAlias = Any
BOXES = {"D2Q9": (5, 4), "D3Q15": (4, 3, 5), "D3Q19": (4, 3, 5), "D3Q27": (3, 4, 3)}
IN_PLACE = (lbm.AA, lbm.EsoTwist, lbm.EsoPull)


def random_populations(lattice: lbm.Lattice, box: tuple[int, ...]) -> Array:
    """Arrived populations f[q, x...] minus weights."""
    w = np.array([float(lattice.weight(q)) for q in range(lattice.size)])
    noise = np.random.default_rng(1).uniform(-0.1, 0.1, (lattice.size, *box))
    return w.reshape(-1, *([1] * len(box))) * noise


def place(stream: lbm.StreamingPattern, arrived: Array, step: str) -> Array:
    """The array in which `step` reads the given arrived populations."""
    stored = np.full_like(arrived, np.nan)
    for q in range(stream.lattice.size):
        slot, offset = stream.read(q, step)
        stored[slot] = np.roll(arrived[q], offset, tuple(range(len(offset))))
    return stored


def arrived_from(stream: lbm.StreamingPattern, stored: Array, step: str) -> Array:
    """What `step` would read."""
    box = Periodic(f=stored)
    return np.stack([box.load(stream.access(stream.read(q, step))) for q in range(stream.lattice.size)])


def dense_run(
    stream: lbm.StreamingPattern, kernels: lbm.StreamingKernels, arrived: Array, steps: int
) -> Array:
    """Run and return the populations that arrive in the following step."""
    box = Periodic(f=place(stream, arrived, stream.steps[0]))
    names = list(stream.steps)
    for t in range(steps):
        if not stream.in_place:
            box.fields["f_next"] = np.full_like(arrived, np.nan)
        box.run(kernels.steps[names[t % len(names)]], omega=1.3)
        if not stream.in_place:
            box.fields["f"] = box.fields.pop("f_next")
    return arrived_from(stream, box.fields["f"], names[steps % len(names)])


@pytest.mark.parametrize("lattice_name", BOXES)
@pytest.mark.parametrize("pattern", [lbm.Push, *IN_PLACE])
def test_every_pattern_equals_pull_bit_for_bit(
    pattern: type[lbm.StreamingPattern], lattice_name: str
) -> None:
    lattice = lbm.Lattice(lattice_name)
    start = random_populations(lattice, BOXES[lattice_name])
    collide = lbm.TRT(lattice)
    for steps in (1, 4):
        pull, other = lbm.Pull(lattice), pattern(lattice)
        expected = dense_run(pull, pull(collide), start, steps)
        assert np.array_equal(dense_run(other, other(collide), start, steps), expected)
        assert not np.array_equal(expected, start)


def test_pull_streams_along_the_velocity() -> None:
    """Without collision (omega = 0 is BGK that keeps everything) a pulse moves by c_q."""
    lattice = lbm.Lattice("D2Q9")
    stream = lbm.Pull(lattice)
    start = np.zeros((9, 5, 4))
    start[:, 2, 1] = np.arange(1.0, 10.0)
    box = Periodic(f=place(stream, start, ""), f_next=np.zeros((9, 5, 4)))
    collide = lbm.BGK(lattice, "omega")
    box.run(stream(collide).steps[""], omega=0.0)
    moved = arrived_from(stream, box.fields["f_next"], "")
    for q, c in enumerate(lattice.velocities):
        assert moved[q, (2 + c[0]) % 5, (1 + c[1]) % 4] == pytest.approx(q + 1.0)


@pytest.mark.parametrize("pattern", [lbm.Pull, lbm.Push, *IN_PLACE])
def test_sections_and_stores(pattern: type[lbm.StreamingPattern]) -> None:
    lattice = lbm.Lattice("D3Q19")
    kernels = pattern(lattice, "pdf", "pdf_next")(lbm.BGK(lattice))
    for statements in kernels.steps.values():
        heads = [s.text.split(":")[0].split()[0] for s in statements if isinstance(s, Section)]
        assert heads == ["Load", "Constants", "Moments", "Collide", "Store"]
        written = [s.target for s in statements if isinstance(s, Assignment) and isinstance(s.target, Access)]
        assert len(written) == len(set(written)) == 19
        assert {w.field.name for w in written} == {"pdf" if pattern in IN_PLACE else "pdf_next"}


class Swapped(lbm.AA):
    """AA that forgets to reverse the directions in the odd step."""

    def write(self, q: int, step: str) -> tuple[int, tuple[int, ...]]:
        return (q, (0,) * self.lattice.dimension) if step == "even" else super().write(q, step)


class Racy(lbm.StreamingPattern):
    """One array, pull: a cell reads what its neighbour writes."""

    in_place = True

    def read(self, q: int, step: str) -> tuple[int, tuple[int, ...]]:
        return q, tuple(-c for c in self.lattice.velocities[q])

    def write(self, q: int, step: str) -> tuple[int, tuple[int, ...]]:
        return q, (0,) * self.lattice.dimension


class Doubled(lbm.Pull):
    """Writes two populations to one component."""

    def write(self, q: int, step: str) -> tuple[int, tuple[int, ...]]:
        return super().write(max(q, 1), step)


class Unlinked(lbm.AA):
    """Says nothing of neighbour tables."""

    links = ()


def test_patterns_that_do_not_stream_are_refused() -> None:
    lattice = lbm.Lattice("D2Q9")
    with pytest.raises(KernelError, match="the even step of Swapped writes population e to component 1"):
        Swapped(lattice)
    with pytest.raises(KernelError, match=r"Racy writes component 1 at \[0, 0\], which another cell reads"):
        Racy(lattice)
    with pytest.raises(KernelError, match="Doubled writes component 0 0 times per cell"):
        Doubled(lattice)
    with pytest.raises(KernelError, match="the collision uses D2Q9, but the streaming pattern uses D3Q19"):
        lbm.AA(lbm.Lattice("D3Q19"))(lbm.BGK(lattice))


def test_links_of_the_neighbour_table() -> None:
    lattice = lbm.Lattice("D3Q19")
    minus = [tuple(-c for c in v) for v in lattice.velocities]
    for q in range(1, 19):
        opposite = lattice.opposite(q)
        assert lbm.AA(lattice).links[q - 1] == lbm.Link(opposite, minus[q], q)
        assert lbm.Pull(lattice).links[q - 1] == lbm.Link(q, minus[q], opposite)
        assert lbm.Push(lattice).links[q - 1] == lbm.Link(q, lattice.velocities[q], opposite)
    axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert lbm.EsoTwist(lattice).links == tuple(lbm.Link(0, axis, STORES_SOLID) for axis in axes)
    firsts = lattice.velocities[1::2]
    assert lbm.EsoPull(lattice).links == tuple(lbm.Link(0, velocity, STORES_SOLID) for velocity in firsts)


class Geometry:
    """A random periodic box of solid and fluid cells and its lists."""

    def __init__(self, lattice: lbm.Lattice, box: tuple[int, ...], solid: float = 0.25) -> None:
        self.lattice, self.box = lattice, box
        self.fluid = np.random.default_rng(7).uniform(size=box) > solid
        self.cells = [tuple(int(i) for i in cell) for cell in np.argwhere(self.fluid)]
        self.number = {cell: n for n, cell in enumerate(self.cells)}

    def neighbour(self, cell: tuple[int, ...], offset: tuple[int, ...]) -> tuple[int, ...]:
        return tuple((a + b) % n for a, b, n in zip(cell, offset, self.box, strict=True))

    def held(self, stream: lbm.StreamingPattern) -> tuple[Array, dict[tuple[int, tuple[int, ...]], Array]]:
        """All cells of the box, the listed ones first, for patterns that hold cells behind walls; and where
        each component of the cells that a pattern touches lies."""
        solid = [tuple(int(i) for i in cell) for cell in np.argwhere(~self.fluid)]
        number = self.number | {cell: len(self.cells) + n for n, cell in enumerate(solid)}
        offsets = {stream.read(q, step)[1] for q in range(self.lattice.size) for step in stream.steps}
        rows = {
            (slot, offset): np.array(
                [slot * len(number) + number[self.neighbour(cell, offset)] for cell in self.cells]
            )
            for slot in range(self.lattice.size)
            for offset in offsets
            if any(offset)
        }
        return np.zeros((self.lattice.size, len(number))), rows

    def table(self, links: tuple[lbm.Link, ...]) -> dict[tuple[int, tuple[int, ...]], Array]:
        n = len(self.cells)
        rows = {}
        for link in links:
            row = []
            for own, cell in enumerate(self.cells):
                other = self.number.get(self.neighbour(cell, link.offset))
                row.append(link.wall_slot * n + own if other is None else link.slot * n + other)
            rows[link.slot, link.offset] = np.array(row)
        return rows

    def beside(self, n: int, offset: tuple[int, ...], depth: int = 1) -> int:
        """As heddle::neighbour_indices: the number of the cell at an offset, the own one where that, or with
        a depth of 2 the next one on the same way, is not listed."""
        way = [tuple(k * d for d in offset) for k in range(1, depth + 1)]
        found = [self.number.get(self.neighbour(self.cells[n], step), -1) for step in way]
        return n if -1 in found else found[0]

    def numbers(self, entries: Array, depth: int = 1) -> dict[str, Array]:
        """The fields `cell_e` and so on of a sweep over some cells of a list that holds cells."""
        return {
            f"cell_{name}": np.array([self.beside(int(n), c, depth) for n in entries])[None]
            for name, c in zip(self.lattice.names, self.lattice.velocities, strict=True)
        }

    def listed(self, stream: lbm.StreamingPattern, arrived: Array) -> Listed:
        """The list of a pattern, of whichever kind, in which the first step reads the arrived populations."""
        if not any(link.stores_solid for link in stream.links):
            table = self.table(stream.links)
            return Listed({"f": listed_start(stream, table, arrived)}, table)
        stored, table = self.held(stream)
        listed = Listed({"f": stored}, table, np.arange(len(self.cells)))
        for q in range(self.lattice.size):
            listed.store(stream.access(stream.read(q, stream.steps[0])), arrived[q], None)
        return listed

    def masks(self) -> Array:
        """Bit q is set where population q comes in from a solid cell."""
        bits = np.zeros(len(self.cells), np.uint32)
        for own, cell in enumerate(self.cells):
            for q in range(1, self.lattice.size):
                source = self.neighbour(cell, tuple(-c for c in self.lattice.velocities[q]))
                bits[own] |= np.uint32((source not in self.number) << q)
        return bits


def reference(
    geometry: Geometry, collide: lbm.CollisionOperator, arrived: Array, steps: int, wall: Any = None
) -> Iterator[Array]:
    """Half-way bounce-back by definition, on arrived populations of the listed cells.

    wall(q, post, cell, step): the incoming population q, given the post-collision ones; default is
    post[opposite].
    """
    lattice = geometry.lattice
    for step in range(steps):
        post = apply(collide, arrived, omega=1.3)
        arrived = np.empty_like(post)
        for q, c in enumerate(lattice.velocities):
            for n, cell in enumerate(geometry.cells):
                source = geometry.number.get(geometry.neighbour(cell, tuple(-a for a in c)))
                if source is not None:
                    arrived[q, n] = post[q, source]
                elif wall is None:
                    arrived[q, n] = post[lattice.opposite(q), n]
                else:
                    arrived[q, n] = wall(q, post[:, n], n, step)
        yield arrived


def listed_start(stream: lbm.StreamingPattern, table: Any, arrived: Array) -> Array:
    """The flat field in which the first step reads the arrived populations."""
    stored = np.full_like(arrived, np.nan)
    listed = Listed({"f": stored}, table)
    for q in range(stream.lattice.size):
        listed.store(stream.access(stream.read(q, stream.steps[0])), arrived[q], None)
    assert not np.isnan(stored).any()
    return stored


def listed_run(
    stream: lbm.StreamingPattern,
    collide: lbm.CollisionOperator,
    geometry: Geometry,
    arrived: Array,
    steps: int,
    boundary: lbm.StreamingKernels | None = None,
    **arguments: float,
) -> Iterator[Array]:
    """Run over the list with the folded table; yield what the next step reads after each step."""
    lattice, kernels, table = stream.lattice, stream(collide), geometry.table(stream.links)
    listed = Listed({"f": listed_start(stream, table, arrived)}, table)
    walls = np.flatnonzero(geometry.masks())
    data = {"mask": geometry.masks()[None, walls]}
    listed.fields["u"] = np.full((lattice.dimension, arrived.shape[1]), np.nan)
    for t in range(steps):
        step = stream.steps[t % len(stream.steps)]
        if not stream.in_place:
            listed.fields["f_next"] = np.full_like(arrived, np.nan)
        listed.run(kernels.steps[step], omega=1.3)
        if not stream.in_place:
            listed.fields["f"] = listed.fields.pop("f_next")
        if boundary is not None:
            sweep = boundary.steps[f"after_{step}" if step else ""]
            Listed(listed.fields, table, walls, data).run(sweep, **arguments)
        following = stream.next_step(step)
        yield np.stack(
            [listed.load(stream.access(stream.read(q, following))) for q in range(stream.lattice.size)]
        )


@pytest.mark.parametrize("lattice_name", ["D2Q9", "D3Q19", "D3Q27"])
@pytest.mark.parametrize("pattern", [lbm.Pull, lbm.Push, lbm.AA])
def test_walls_in_the_table_are_halfway_bounce_back(
    pattern: type[lbm.StreamingPattern], lattice_name: str
) -> None:
    lattice = lbm.Lattice(lattice_name)
    geometry, collide = Geometry(lattice, BOXES[lattice_name]), lbm.BGK(lattice)
    arrived = random_populations(lattice, (len(geometry.cells),))
    runs = listed_run(pattern(lattice), collide, geometry, arrived, 4)
    for found, expected in zip(runs, reference(geometry, collide, arrived, 4), strict=True):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("pattern", IN_PLACE)
def test_skipping_solid_cells_is_full_way_bounce_back(pattern: type[lbm.StreamingPattern]) -> None:
    """What leaves into a solid cell, which no step touches, comes back reversed two steps later."""
    lattice, box = lbm.Lattice("D2Q9"), BOXES["D2Q9"]
    geometry, stream = Geometry(lattice, box), pattern(lattice)
    collide = lbm.BGK(lattice)
    fluid = geometry.fluid
    arrived = random_populations(lattice, box)
    # full-way by definition: collide fluid cells, reverse in solid cells, pull
    expected = arrived.copy()
    stored = place(stream, arrived, "even")
    for t in range(4):
        step = stream.steps[t % 2]
        values = Periodic(f=stored)
        full = Periodic(f=stored.copy())
        full.run(stream(collide).steps[step], omega=1.3)
        for q in range(lattice.size):  # keep what solid cells own
            slot, offset = stream.write(q, step)
            owner = np.roll(fluid, offset, (0, 1))
            values.fields["f"][slot] = np.where(owner, full.fields["f"][slot], stored[slot])
        post = apply(collide, expected, omega=1.3)
        reverse = expected[[lattice.opposite(q) for q in range(lattice.size)]]
        post = np.where(fluid, post, reverse)
        expected = np.stack([np.roll(post[q], c, (0, 1)) for q, c in enumerate(lattice.velocities)])
        found = arrived_from(stream, stored, stream.steps[(t + 1) % 2])
        assert np.array_equal(found[:, fluid], expected[:, fluid])


def test_a_moving_wall_by_its_formula() -> None:
    """VelocityBounceBack on pull and AA equals half-way bounce-back with 6 w c.u by definition."""
    lattice = lbm.Lattice("D3Q19")
    geometry, collide = Geometry(lattice, BOXES["D3Q19"]), lbm.BGK(lattice)
    arrived = random_populations(lattice, (len(geometry.cells),))
    u = np.array([0.03, -0.02, 0.01])

    def wall(q: int, post: Array, cell: int, step: int) -> float:
        del cell, step
        return float(
            post[lattice.opposite(q)] + 6 * float(lattice.weight(q)) * (np.array(lattice.velocities[q]) @ u)
        )

    for pattern in (lbm.Pull, lbm.AA):
        stream = pattern(lattice)
        sweep = stream.boundary(lbm.VelocityBounceBack(("a", "b", "c_z")))
        runs = listed_run(stream, collide, geometry, arrived, 4, sweep, a=u[0], b=u[1], c_z=u[2])
        for found, expected in zip(runs, reference(geometry, collide, arrived, 4, wall), strict=True):
            assert found == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("given", [True, False])
def test_a_pressure_boundary_by_its_formula(given: bool) -> None:
    lattice = lbm.Lattice("D3Q19")
    geometry, collide = Geometry(lattice, BOXES["D3Q19"]), lbm.BGK(lattice)
    arrived = random_populations(lattice, (len(geometry.cells),))
    u_given, rho = np.array([0.03, -0.02, 0.01]), 1.02
    c = np.array(lattice.velocities, dtype=float)
    velocity: dict[int, Array] = {}
    lag = 1

    def wall(q: int, post: Array, cell: int, step: int) -> float:
        if given:
            velocity[cell] = u_given
        elif step % lag == 0:
            velocity[cell] = (c.T @ post) / (1 + post.sum())
        u = velocity[cell]
        even = rho - 1 + rho * (4.5 * (c[q] @ u) ** 2 - 1.5 * u @ u)
        return float(2 * float(lattice.weight(q)) * even - post[lattice.opposite(q)])

    condition = lbm.PressureAntiBounceBack("rho_out", ("a", "b", "c_z") if given else None, saved="u")
    arguments = {"rho_out": rho} | (dict(zip(("a", "b", "c_z"), u_given, strict=True)) if given else {})
    for pattern in (lbm.Pull, lbm.AA):
        stream = pattern(lattice)
        # after AA's odd step the velocity is that of the step before
        lag = 2 if pattern is lbm.AA else 1
        runs = listed_run(stream, collide, geometry, arrived, 4, stream.boundary(condition), **arguments)
        for found, expected in zip(runs, reference(geometry, collide, arrived, 4, wall), strict=True):
            assert found == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("lattice_name", ["D2Q9", "D3Q19", "D3Q27"])
@pytest.mark.parametrize("swept", [False, True])
@pytest.mark.parametrize("pattern", [lbm.EsoTwist, lbm.EsoPull])
def test_halfway_walls_of_lists_that_store_solid_nodes(
    pattern: type[lbm.EsoTwist], swept: bool, lattice_name: str
) -> None:
    """By a mask in the kernel, and by a boundary sweep: what pull and AA have in their tables."""
    lattice = lbm.Lattice(lattice_name)
    geometry, collide = Geometry(lattice, BOXES[lattice_name]), lbm.BGK(lattice)
    arrived = random_populations(lattice, (len(geometry.cells),))
    stream = pattern(lattice, halfway_mask=None if swept else "walls")
    kernels, sweeps = stream(collide), stream.boundary(lbm.NoSlip(lattice))
    stored, table = geometry.held(stream)
    masks = geometry.masks()
    entries = np.arange(len(geometry.cells))
    listed = Listed({"f": stored, "walls": masks[None, :]}, table, entries)
    for q in range(lattice.size):
        listed.store(stream.access(stream.read(q, "even")), arrived[q], None)
    at_walls = np.flatnonzero(masks)
    for t, expected in enumerate(reference(geometry, collide, arrived, 4)):
        step = stream.steps[t % 2]
        listed.run(kernels.steps[step], omega=1.3)
        if swept:
            data = {"mask": masks[None, at_walls]}
            Listed(listed.fields, table, at_walls, data).run(sweeps.steps[f"after_{step}"])
        reads = [stream.read(q, stream.next_step(step)) for q in range(lattice.size)]
        assert np.array_equal(np.stack([listed.load(stream.access(place)) for place in reads]), expected)


def test_full_way_walls_give_the_same_steady_flow() -> None:
    """Poiseuille's parabola between solid rows: half-way and full-way walls stand at the same place."""
    lattice, height, gravity = lbm.Lattice("D2Q9"), 6, 1e-6
    geometry = Geometry(lattice, (1, height + 1), solid=0)
    geometry.fluid[:, 0] = False
    geometry.cells = [cell for cell in geometry.cells if cell[1] > 0]
    geometry.number = {cell: n for n, cell in enumerate(geometry.cells)}
    stream = lbm.EsoTwist(lattice)
    kernels = stream(lbm.TRT(lattice, "omega", magic=Fraction(3, 16), force=("g", 0)))
    stored, table = geometry.held(stream)
    listed = Listed({"f": stored, "u": np.zeros((2, height))}, table, np.arange(height))
    for t in range(4000):
        listed.run(kernels.steps[stream.steps[t % 2]], omega=1.0, g=gravity)
    listed.fields["u"] = np.zeros((2, stored.shape[1]))
    velocity = stream.moments(None, "u", force=("g", 0))
    listed.run(velocity.steps["even"], g=gravity)
    y = np.arange(height) + 0.5
    exact = gravity / (2 / 6) * y * (height - y)  # g / (2 nu) y (H - y), nu = (1 / omega - 1 / 2) / 3
    assert listed.fields["u"][0, :height] == pytest.approx(exact, rel=1e-6)


def test_boundaries_that_a_pattern_cannot_have_are_refused() -> None:
    lattice = lbm.Lattice("D2Q9")
    with pytest.raises(
        KernelError, match="Unlinked does not keep the populations at walls in the cell itself"
    ):
        Unlinked(lattice).boundary(lbm.NoSlip(lattice))
    with pytest.raises(KernelError, match="'ne' is not a side"):
        lbm.AA(lattice).boundary(lbm.NoSlip(lattice), face="ne")
    with pytest.raises(KernelError, match="a velocity on D2Q9 has 2 components, not 3"):
        lbm.AA(lattice).boundary(lbm.VelocityBounceBack((0, 0, 0)))


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [lbm.Pull, lbm.AA, lbm.EsoTwist, lbm.EsoPull])
def test_couette_between_dense_faces_is_exact(pattern: type[lbm.StreamingPattern]) -> None:
    """Walls at both y faces of a box, the upper one moving: the linear profile to round-off, any Lambda."""
    lattice, height, speed = lbm.Lattice("D2Q9"), 6, 0.05
    stream = pattern(lattice)
    kernels = stream(lbm.TRT(lattice, "omega"))
    lower = stream.boundary(lbm.NoSlip(lattice), face="s")
    upper = stream.boundary(lbm.VelocityBounceBack(("u_wall", 0)), face="n")
    box = Periodic(f=np.zeros((9, 3, height + 2)), f_next=np.zeros((9, 3, height + 2)))
    for _ in range(600):
        for step in stream.steps:
            box.run(kernels.steps[step], omega=1.0)
            if not stream.in_place:
                box.fields["f"], box.fields["f_next"] = box.fields["f_next"], box.fields["f"]
            for sweep, row in ((lower, 1), (upper, height)):
                _run_row(box, sweep.steps[f"after_{step}" if step else ""], row, u_wall=speed)
    box.fields |= {"rho": np.zeros((1, 3, height + 2)), "u": np.zeros((2, 3, height + 2))}
    box.run(stream.moments().steps[stream.steps[0]])
    exact = speed * (np.arange(height) + 0.5) / height
    assert box.fields["u"][0, 1, 1:-1] == pytest.approx(exact, abs=2e-12)
    assert box.fields["rho"][0, 1, 1:-1] == pytest.approx(1.0, abs=2e-12)


def _run_row(box: Periodic, statements: Any, row: int, **arguments: float) -> None:
    """A sweep over the cells of one row only."""
    run_layer(box, statements, 1, row, **arguments)


def run_layer(box: Periodic, statements: Any, axis: int, layer: int, **arguments: float) -> None:
    """A sweep over the cells of one layer across an axis only."""
    after = Periodic(**{name: array.copy() for name, array in box.fields.items()})
    after.run(statements, **arguments)
    for target in stores(statements):
        array, found = box.fields[target.field.name], after.fields[target.field.name]
        position = (layer + target.offsets[axis]) % array.shape[axis + 1]
        where = (target.component, *(slice(None),) * axis, position)
        array[where] = found[where]


@pytest.mark.parametrize("pattern", [lbm.Pull, lbm.Push, *IN_PLACE])
@pytest.mark.parametrize(("zero_centred", "omega_bulk"), [(True, None), (True, 0.8), (False, 0.8)])
def test_initial_state_and_moments_agree(
    pattern: type[lbm.StreamingPattern], zero_centred: bool, omega_bulk: float | None
) -> None:
    lattice, box = lbm.Lattice("D3Q19"), BOXES["D3Q19"]
    stream = pattern(lattice, zero_centred=zero_centred)
    force = ("g_x", 0, "g_z")
    generator = np.random.default_rng(3)
    rho, u = 1 + 0.01 * generator.uniform(-1, 1, (1, *box)), 0.05 * generator.uniform(-1, 1, (3, *box))
    fields = Periodic(f=np.full((19, *box), np.nan), rho=rho.copy(), u=u.copy())
    arguments = {"g_x": 1e-3, "g_z": -2e-3}
    start = stream.initialise(omega="omega", omega_bulk=omega_bulk, force=force)
    fields.run(start.steps[""], omega=1.4, **arguments)
    fields.fields["rho"][:], fields.fields["u"][:] = np.nan, np.nan
    fields.run(stream.moments(force=force).steps[stream.steps[0]], **arguments)
    assert fields.fields["rho"] == pytest.approx(rho, abs=1e-14)
    assert fields.fields["u"] == pytest.approx(u, abs=1e-14)
    # the stress: S = -(3 omega / 2 rho) [sum cc (f - f_eq) + (uF + Fu)/2] is the central difference of u, its
    # trace with omega_bulk
    f = arrived_from(stream, fields.fields["f"], stream.steps[0]).reshape(19, -1)
    f = f + (weights(lattice)[:, None] if zero_centred else 0)
    F = np.array([1e-3, 0, -2e-3])
    uf = u.reshape(3, 1, -1) * F[None, :, None]
    pi = stress(lattice, f, F) + (uf + uf.swapaxes(0, 1)) / 2
    for a, b in product(range(3), repeat=2):
        slope = [(np.roll(u[j], -1, i) - np.roll(u[j], 1, i)) / 2 for i, j in ((a, b), (b, a))]
        strain = (slope[0] + slope[1]).reshape(-1) / 2
        relaxing = 1.4 * pi[a, b] + (a == b) * ((omega_bulk or 1.4) - 1.4) * np.trace(pi) / 3
        assert -3 / 2 * relaxing / rho.reshape(-1) == pytest.approx(strain, abs=1e-13)


def test_gradients_need_a_field() -> None:
    lattice = lbm.Lattice("D2Q9")
    with pytest.raises(KernelError, match="needs the velocity as a field"):
        lbm.AA(lattice).initialise(1, (0, 0), omega="omega")
    with pytest.raises(KernelError, match="needs the velocity as a field"):
        lbm.MomentStorage(lattice).initialise(1, (0, 0), omega="omega")


def test_the_rates_of_a_start() -> None:
    for pattern in (lbm.AA(lbm.Lattice("D2Q9")), lbm.MomentStorage(lbm.Lattice("D2Q9"))):
        with pytest.raises(KernelError, match="omega_bulk is given without omega"):
            pattern.initialise(omega_bulk=1)
        with pytest.raises(KernelError, match="the relaxation rate 2 is outside the stable range"):
            pattern.initialise(omega="omega", omega_bulk=2)
