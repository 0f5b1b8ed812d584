# SPDX-License-Identifier: Apache-2.0
"""Open faces by their formulas, with every pattern; a channel driven by a jump of pressure."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from evaluate import Listed, Periodic
from heddle import Module, Sparse, lbm
from heddle.errors import KernelError
from test_streaming import (
    BOXES,
    Geometry,
    arrived_from,
    place,
    random_populations,
    run_layer,
)

Array: TypeAlias = Any
PATTERNS = (lbm.Pull, lbm.Push, lbm.AA, lbm.EsoTwist, lbm.EsoPull)
FACES = {"w": (0, 1, -1), "e": (0, 5, 1), "s": (1, 1, -1), "n": (1, 5, 1)}  # axis, layer, normal


@pytest.mark.parametrize("convective", [False, True])
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_outflow_by_its_formula(pattern: type[lbm.StreamingPattern], face: str, convective: bool) -> None:
    lattice, speed = lbm.Lattice("D2Q9"), 0.1
    axis, layer, normal = FACES[face]
    stream = pattern(lattice)
    condition = lbm.ConvectiveOutflow("U") if convective else lbm.Outflow()
    kernels, sweep = stream(lbm.BGK(lattice)), stream.boundary(condition, face=face)
    arrived = random_populations(lattice, (7, 7))
    box = Periodic(
        f=place(stream, arrived, stream.steps[0]), f_next=np.zeros_like(arrived), outflow=np.zeros((9, 7, 7))
    )
    before = np.zeros_like(arrived)
    for step in stream.steps * 2:
        box.run(kernels.steps[step], omega=1.3)
        if not stream.in_place:
            box.fields["f"], box.fields["f_next"] = box.fields["f_next"], box.fields["f"]
        arguments = {"U": speed} if convective else {}
        following = stream.next_step(step)
        free = arrived_from(stream, box.fields["f"], following)
        run_layer(box, sweep.steps[f"after_{step}" if step else ""], axis, layer, **arguments)
        found = arrived_from(stream, box.fields["f"], following)
        inside = np.roll(free, normal, axis + 1)
        at = (slice(None),) * axis + (layer,)
        for q, c in enumerate(lattice.velocities):
            expected = free[q][at]
            if c[axis] * normal < 0:
                expected = inside[q][at]
                if convective:
                    expected = (before[q][at] + speed * expected) / (1 + speed)
                    before[q][at] = expected
            assert found[q][at] == pytest.approx(expected, abs=1e-16)


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pressure_jump_by_its_formula(pattern: type[lbm.StreamingPattern], face: str) -> None:
    """What comes through the face gains f_eq(rho + jump, u) - f_eq(rho, u), u of the cell it comes from."""
    lattice, jump = lbm.Lattice("D2Q9"), 0.02
    axis, layer, normal = FACES[face]
    stream = pattern(lattice)
    sweeps = stream.boundary(lbm.PressureJump("jump", u="v"), face=face)
    u = np.random.default_rng(9).uniform(-0.1, 0.1, (2, 7, 7))
    for step in stream.steps:
        following = stream.next_step(step)
        arrived = random_populations(lattice, (7, 7))
        box = Periodic(f=place(stream, arrived, following), v=u)
        run_layer(box, sweeps.steps[f"after_{step}" if step else ""], axis, layer, jump=jump)
        found = arrived_from(stream, box.fields["f"], following)
        at = (slice(None),) * axis + (layer,)
        for q, c in enumerate(lattice.velocities):
            source = np.roll(u, c, (1, 2))
            cu = np.tensordot(np.array(c, float), source, 1)
            gain = jump * float(lattice.weight(q)) * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * (source**2).sum(0))
            expected = arrived[q] + gain * (c[axis] * normal < 0)
            assert found[q][at] == pytest.approx(expected[at], abs=1e-16)


def test_a_channel_driven_by_pressure() -> None:
    """u = 4 u_m y (H - y) / H^2 with jump / (3 L) in the place of the force, to its error of 4 nu / H^2."""
    lattice, length, height, nu, top = lbm.Lattice("D2Q9"), 3, 3, 0.1, 1e-4
    jump = 3 * length * 8 * nu * top / height**2
    stream = lbm.Pull(lattice)
    step, wall = stream(lbm.TRT(lattice, compressible=False)).steps[""], lbm.NoSlip(lattice)
    moments = stream.moments(compressible=False).steps[""]
    sweeps: list[tuple[Any, int, int, dict[str, float]]] = [
        (stream.boundary(lbm.PressureJump("jump"), face="w"), 0, 0, {"jump": jump}),
        (stream.boundary(lbm.PressureJump("jump"), face="e"), 0, length - 1, {"jump": -jump}),
        (stream.boundary(wall, face="s"), 1, 1, {}),  # after the jump: what a wall sends back has none
        (stream.boundary(wall, face="n"), 1, height, {}),
    ]
    shape = (length, height + 2)
    box = Periodic(f=np.zeros((9, *shape)), f_next=np.zeros((9, *shape)), rho=np.zeros((1, *shape)))
    box.fields["u"] = np.zeros((2, *shape))
    for _ in range(120):
        box.run(step, omega=1 / (3 * nu + 0.5))
        box.fields["f"], box.fields["f_next"] = box.fields["f_next"], box.fields["f"]
        for sweep, axis, layer, arguments in sweeps:
            run_layer(box, sweep.steps[""], axis, layer, **arguments)
        box.run(moments)
    y = np.arange(height) + 0.5
    exact = 4 * top * y * (height - y) / height**2
    for x in range(length):
        assert box.fields["u"][0, x, 1:-1] == pytest.approx(exact, abs=0.06 * top)
    drop = box.fields["rho"][0, 0, 2] - box.fields["rho"][0, -1, 2]
    assert drop == pytest.approx(jump * (length - 1) / length, rel=0.06)


@pytest.mark.parametrize("compressible", [True, False])
@pytest.mark.parametrize("given", [True, False])
def test_a_stream_between_pressures_is_uniform(given: bool, compressible: bool) -> None:
    """Far from the density 1, and with the velocity given or of the cell: nothing but rounding happens."""
    lattice, stream, u = lbm.Lattice("D2Q9"), lbm.AA(lbm.Lattice("D2Q9")), (0.1, -0.05)
    step = stream(lbm.TRT(lattice, compressible=compressible))
    held = lbm.PressureAntiBounceBack(1.1, u if given else None, compressible=compressible)
    faces = [(stream.boundary(held, face=face), layer) for face, layer in (("w", 0), ("e", 4))]
    box = Periodic(f=np.zeros((9, 5, 3)))
    box.run(stream.initialise(1.1, u, compressible=compressible).steps[""])
    start = box.fields["f"].copy()
    for parity in stream.steps:
        box.run(step.steps[parity], omega=1.3)
        for face, layer in faces:
            run_layer(box, face.steps[f"after_{parity}"], 0, layer)
    assert np.abs(box.fields["f"] - start).max() < 1e-16


def test_an_incompressible_jump_carries_on_the_velocity() -> None:
    """What flows out through the face comes in again: u, which does not hang on the density, that is. A gain
    of u times the jump, 4 per cent, would show."""
    lattice, length, height = lbm.Lattice("D2Q9"), 4, 3
    stream = lbm.Pull(lattice)
    step = stream(lbm.TRT(lattice, compressible=False)).steps[""]
    moments = stream.moments(None, "u", compressible=False).steps[""]
    jump, wall = lbm.PressureJump("jump", compressible=False), lbm.NoSlip(lattice)
    sweeps: list[tuple[Any, int, int, dict[str, float]]] = [
        (stream.boundary(jump, face="w"), 0, 0, {"jump": 0.04}),
        (stream.boundary(jump, face="e"), 0, length - 1, {"jump": -0.04}),
        (stream.boundary(wall, face="s"), 1, 1, {}),
        (stream.boundary(wall, face="n"), 1, height, {}),
    ]
    shape = (length, height + 2)
    box = Periodic(f=np.zeros((9, *shape)), f_next=np.zeros((9, *shape)), u=np.zeros((2, *shape)))
    for _ in range(400):
        box.run(step, omega=1.2)
        box.fields["f"], box.fields["f_next"] = box.fields["f_next"], box.fields["f"]
        for sweep, axis, layer, arguments in sweeps:
            run_layer(box, sweep.steps[""], axis, layer, **arguments)
        box.run(moments)
    flux = box.fields["u"][0, :, 1:-1].sum(1)
    assert flux[0] > 0.01
    assert flux == pytest.approx(flux.mean(), rel=1e-9)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_kernels_have_no_races(pattern: type[lbm.StreamingPattern]) -> None:
    stream = pattern(lbm.Lattice("D3Q19"))
    module = Module("m", precisions=("f64",))
    for name, condition in (
        ("open", lbm.Outflow()),
        ("away", lbm.ConvectiveOutflow(0.1)),
        ("jump", lbm.PressureJump("d")),
    ):
        module.add(name, stream.boundary(condition, face="e"))
        sweep = stream.boundary(condition, normal="e")
        module.add(f"{name}_list", sweep, space=Sparse("outlet", listed=True))
    for kernel in module.kernels:
        module.stages(kernel, "f64", "cpu")


class OpenList:
    """Two outlets in a random box: the cells before the solid layer x = 5, in whose list other cells lie
    beside walls and beside no cell inside."""

    def __init__(self, name: str) -> None:
        self.lattice = lbm.Lattice(name)
        box = (7, 6) if name == "D2Q9" else (7, 4, 5)
        self.geometry = Geometry(self.lattice, box)
        self.geometry.fluid[5:] = False
        self.geometry.fluid[4] |= np.random.default_rng(3).uniform(size=box[1:]) < 0.7
        self.geometry.cells = [tuple(map(int, cell)) for cell in np.argwhere(self.geometry.fluid)]
        self.geometry.number = {cell: n for n, cell in enumerate(self.geometry.cells)}
        self.entries = np.array([n for n, cell in enumerate(self.geometry.cells) if cell[0] == 4])
        self.masks = np.array(
            [sum(1 << q for q, c in enumerate(self.lattice.velocities) if c[0] == -1) for _ in self.entries],
            np.uint32,
        )
        self.masks[::3] &= ~np.uint32(1 << 2)  # not all of them come in

    def inside(self, n: int) -> int | None:
        return self.geometry.number.get(
            self.geometry.neighbour(self.geometry.cells[n], (-1, *[0] * (self.lattice.dimension - 1)))
        )


@pytest.mark.parametrize("convective", [False, True])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q15", "D3Q19"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_outflow_over_a_list_by_its_formula(
    pattern: type[lbm.StreamingPattern], name: str, convective: bool
) -> None:
    """What comes in is what arrives one cell further inside, there at a wall too; without such a cell the
    link is a wall."""
    case, speed = OpenList(name), 0.1
    geometry, lattice = case.geometry, case.lattice
    stream = pattern(lattice)
    condition = lbm.ConvectiveOutflow("U") if convective else lbm.Outflow()
    kernels, sweep = stream(lbm.BGK(lattice)), stream.boundary(condition, normal="e")
    arrived = random_populations(lattice, (len(geometry.cells),))
    listed = geometry.listed(stream, arrived)
    data = {"mask": case.masks[None]} | geometry.numbers(case.entries)
    data |= {f"outflow_{name}": np.zeros((1, len(case.entries))) for name in lattice.names}
    before = np.zeros((lattice.size, len(case.entries)))
    alone = sum(case.inside(n) is None for n in case.entries)
    assert 0 < alone < len(case.entries)
    for step in stream.steps * 2:
        if not stream.in_place:
            listed.fields["f_next"] = np.full_like(arrived, np.nan)
        listed.run(kernels.steps[step], omega=1.3)
        if not stream.in_place:
            listed.fields["f"] = listed.fields.pop("f_next")
        following = stream.next_step(step)

        def arrivals(following: str = following) -> Array:
            return np.stack(
                [listed.load(stream.access(stream.read(q, following))) for q in range(lattice.size)]
            )

        expected = arrivals()
        free = expected.copy()
        for q, c in enumerate(lattice.velocities):
            for i, n in enumerate(case.entries):
                if c[0] != -1:
                    continue
                inside = case.inside(int(n))
                value = free[q, n if inside is None else inside]
                if convective:
                    value = before[q, i] = (before[q, i] + speed * value) / (1 + speed)
                if case.masks[i] >> q & 1:
                    expected[q, n] = value
        statements = sweep.steps[f"after_{step}" if step else ""]
        Listed(listed.fields, listed.table, case.entries, data).run(
            statements, **({"U": speed} if convective else {})
        )
        assert arrivals() == pytest.approx(expected, abs=1e-16)


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pressure_jump_over_a_list_by_its_formula(pattern: type[lbm.StreamingPattern], name: str) -> None:
    lattice, jump = lbm.Lattice(name), 0.02
    geometry = Geometry(lattice, BOXES[name])
    stream = pattern(lattice)
    last = BOXES[name][0] - 1
    entries = np.array([n for n, cell in enumerate(geometry.cells) if cell[0] == last])
    mask = np.zeros(len(entries), np.uint32)
    u = np.random.default_rng(9).uniform(-0.1, 0.1, (lattice.dimension, len(geometry.cells)))
    arrived = random_populations(lattice, (len(geometry.cells),))
    expected = arrived.copy()
    for q, c in enumerate(lattice.velocities):
        for i, n in enumerate(entries):
            source = geometry.number.get(geometry.neighbour(geometry.cells[n], tuple(-a for a in c)))
            if c[0] != -1 or source is None:
                continue
            mask[i] |= np.uint32(1 << q)
            cu, uu = float(np.dot(c, u[:, source])), float(u[:, source] @ u[:, source])
            expected[q, n] += jump * float(lattice.weight(q)) * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * uu)
    assert mask.any()
    sweeps = stream.boundary(lbm.PressureJump("jump"), normal="e")
    for step in stream.steps:
        following = stream.next_step(step)
        listed = geometry.listed(stream, arrived)
        listed.fields["u"] = u
        for q in range(lattice.size):
            listed.store(stream.access(stream.read(q, following)), arrived[q], None)
        data = {"mask": mask[None]} | geometry.numbers(entries)
        sweep = Listed(listed.fields, listed.table, entries, data)
        sweep.run(sweeps.steps[f"after_{step}" if step else ""], jump=jump)
        for q in range(lattice.size):
            found = listed.load(stream.access(stream.read(q, following)))
            assert found == pytest.approx(expected[q], abs=1e-16)


@pytest.mark.parametrize("condition", [lbm.Outflow(), lbm.ConvectiveOutflow(0.1), lbm.PressureJump(0.1)])
def test_a_list_has_no_normal(condition: lbm.BoundaryCondition) -> None:
    with pytest.raises(
        KernelError, match="needs the normal of the boundary, which a list of cells does not define"
    ):
        lbm.AA(lbm.Lattice("D2Q9")).boundary(condition)
