# SPDX-License-Identifier: Apache-2.0
"""Interpolated walls over lists and faces, and the force on a wall by momentum exchange."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from evaluate import InBox, Listed, Periodic, evaluate
from heddle import Cells, Module, Sparse, lbm
from heddle.build import files
from heddle.errors import KernelError
from heddle.model.assignment import Reduce
from test_collision import collide as apply
from test_streaming import (
    Geometry,
    _run_row,
    arrived_from,
    place,
    random_populations,
    run_layer,
)

Array: TypeAlias = Any
PATTERNS = (lbm.Pull, lbm.Push, lbm.AA, lbm.EsoTwist, lbm.EsoPull)
VELOCITY = np.array([0.03, -0.02, 0.01])


def by_definition(
    geometry: Geometry,
    collide: lbm.CollisionOperator,
    arrived: Array,
    distances: Array,
    u: Array,
    order: str,
) -> tuple[Array, Array, float]:
    """One step: collide, stream, the published formulas at each wall link; and the force and the torque
    about the origin (in a plane; in space its z component) by the momentum exchanged."""
    lattice = geometry.lattice
    post = apply(collide, arrived, omega=1.3)
    result, force, torque = np.empty_like(post), np.zeros(lattice.dimension), 0.0
    for q, c in enumerate(lattice.velocities):
        p, w = lattice.opposite(q), float(lattice.weight(q))
        for n, cell in enumerate(geometry.cells):
            source = geometry.number.get(geometry.neighbour(cell, tuple(-a for a in c)))
            if source is not None:
                result[q, n] = post[q, source]
                continue
            d, push = distances[p, n], 6 * w * float(np.dot(c, u))
            behind = geometry.number.get(geometry.neighbour(cell, c))
            further = geometry.number.get(geometry.neighbour(cell, tuple(2 * a for a in c)))
            if behind is None:
                result[q, n] = post[p, n] + push
            elif order == "linear" or further is None:
                if d < 0.5:
                    result[q, n] = 2 * d * post[p, n] + (1 - 2 * d) * post[p, behind] + push
                else:
                    result[q, n] = (post[p, n] + (2 * d - 1) * post[q, n] + push) / (2 * d)
            elif d < 0.5:
                result[q, n] = d * (1 + 2 * d) * post[p, n] + (1 - 4 * d**2) * post[p, behind] + push
                result[q, n] -= d * (1 - 2 * d) * post[p, further]
            else:
                result[q, n] = (post[p, n] + push) / (d * (2 * d + 1)) + (2 * d - 1) / d * post[q, n]
                result[q, n] -= (2 * d - 1) / (2 * d + 1) * post[q, behind]
            share = -np.array(c) * (post[p, n] + result[q, n])
            force += share
            torque += cell[0] * share[1] - cell[1] * share[0]
    return result, force, torque


def sums(values: dict[str, Any], statements: Any) -> dict[str, float]:
    """The reductions of a sweep."""
    found = [s for s in statements if isinstance(s, Reduce)]
    assert all(s.operation == "sum" for s in found)
    return {s.name: float(np.sum(evaluate(s.value, _none, values))) for s in found}


def _none(access: object) -> Array:
    raise AssertionError(f"a sum reads {access}")


@pytest.mark.parametrize("order", ["linear", "quadratic"])
@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_bouzidi_over_a_list(
    pattern: type[lbm.StreamingPattern], name: str, moving: bool, order: str
) -> None:
    lattice = lbm.Lattice(name)
    box = (7, 6) if name == "D2Q9" else (5, 6, 4)  # gaps of one, of two and of more cells
    geometry, collide = Geometry(lattice, box), lbm.BGK(lattice)
    arrived = random_populations(lattice, (len(geometry.cells),))
    distances = np.random.default_rng(8).uniform(0.05, 1, arrived.shape)
    stream = pattern(lattice)
    walls = np.flatnonzero(geometry.masks())
    u = VELOCITY[: lattice.dimension] * moving
    velocity = ("v_x", "v_y", "v_z")[: lattice.dimension]
    condition = lbm.Bouzidi(velocity=velocity if moving else None, order=order)
    sweeps = stream.boundary(condition, force="drag", torque="couple")
    centres = np.array(geometry.cells, dtype=float).T
    data = {"mask": geometry.masks()[None, walls]} | geometry.numbers(walls, depth=2)
    data |= {f"distance_{n}": distances[q][None, walls] for q, n in enumerate(lattice.names)}
    data |= {f"arm_{axis}": centres[a][None, walls] for a, axis in enumerate(lattice.axes)}
    listed = geometry.listed(stream, arrived)
    for t in range(4):
        step = stream.steps[t % len(stream.steps)]
        if not stream.in_place:
            listed.fields["f_next"] = np.full_like(arrived, np.nan)
        listed.run(stream(collide).steps[step], omega=1.3)
        if not stream.in_place:
            listed.fields["f"] = listed.fields.pop("f_next")
        statements = sweeps.steps[f"after_{step}" if step else ""]
        arguments = dict(zip(velocity, u, strict=True)) if moving else {}
        values = Listed(listed.fields, listed.table, walls, data).run(statements, **arguments)
        arrived, force, torque = by_definition(geometry, collide, arrived, distances, u, order)
        following = stream.next_step(step)
        found = [listed.load(stream.access(stream.read(q, following))) for q in range(lattice.size)]
        assert np.stack(found) == pytest.approx(arrived, abs=1e-15)
        drag = sums(values, statements)
        assert [drag[f"drag_{axis}"] for axis in lattice.axes] == pytest.approx(force, abs=1e-13)
        assert drag["couple_z"] == pytest.approx(torque, abs=1e-13)
        assert len(drag) == lattice.dimension + (1 if lattice.dimension == 2 else 3)


@pytest.mark.parametrize("order", ["linear", "quadratic"])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_bouzidi_over_cells_of_a_dense_box(
    pattern: type[lbm.StreamingPattern], name: str, order: str
) -> None:
    """The same bodies in a box of which every cell is computed: NaN in those of the bodies stays there."""
    lattice = lbm.Lattice(name)
    geometry = Geometry(lattice, (7, 6) if name == "D2Q9" else (5, 6, 4))
    collide, stream = lbm.BGK(lattice), pattern(lattice, ghost_layers=2)
    arrived = random_populations(lattice, (len(geometry.cells),))
    distances = np.random.default_rng(8).uniform(0.05, 1, arrived.shape)
    walls = np.flatnonzero(geometry.masks())
    u, velocity = VELOCITY[: lattice.dimension], ("v_x", "v_y", "v_z")[: lattice.dimension]
    condition = lbm.Bouzidi(velocity=velocity, order=order)
    sweeps = stream.boundary(condition, cells=True, force="drag", torque="couple")
    at = tuple(np.array(geometry.cells).T)
    linear = np.zeros(len(geometry.cells), np.uint32)  # where the cell two inwards belongs to a body
    for n, cell in enumerate(geometry.cells):
        for q, c in enumerate(lattice.velocities):
            further = geometry.neighbour(cell, tuple(2 * a for a in c))
            linear[n] |= np.uint32((further not in geometry.number) << q)
    data = {"mask": geometry.masks()[None, walls], "linear": linear[None, walls]}
    data |= {f"distance_{n}": distances[q][None, walls] for q, n in enumerate(lattice.names)}
    places = np.array(at)[:, walls]
    data |= {f"arm_{axis}": places[None, a].astype(float) for a, axis in enumerate(lattice.axes)}
    whole = np.full((lattice.size, *geometry.box), np.nan)
    whole[(..., *at)] = arrived
    box = Periodic(f=place(stream, whole, stream.steps[0]))
    for t in range(4):
        step = stream.steps[t % len(stream.steps)]
        if not stream.in_place:
            box.fields["f_next"] = np.full_like(whole, np.nan)
        box.run(stream(collide).steps[step], omega=1.3)
        if not stream.in_place:
            box.fields["f"] = box.fields.pop("f_next")
        statements = sweeps.steps[f"after_{step}" if step else ""]
        values = InBox(box.fields, places, data).run(statements, **dict(zip(velocity, u, strict=True)))
        arrived, force, torque = by_definition(geometry, collide, arrived, distances, u, order)
        found = arrived_from(stream, box.fields["f"], stream.next_step(step))
        assert found[(..., *at)] == pytest.approx(arrived, abs=1e-15)
        drag = sums(values, statements)
        assert [drag[f"drag_{axis}"] for axis in lattice.axes] == pytest.approx(force, abs=1e-13)
        assert drag["couple_z"] == pytest.approx(torque, abs=1e-13)
    assert np.isnan(found[:, ~geometry.fluid]).any()


@pytest.mark.parametrize("order", ["linear", "quadratic"])
@pytest.mark.parametrize("d", [0.3, 0.8])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_bouzidi_on_a_face_by_its_formula(pattern: type[lbm.StreamingPattern], d: float, order: str) -> None:
    lattice, u = lbm.Lattice("D2Q9"), VELOCITY[:2]
    stream = pattern(lattice, ghost_layers=2)
    collide = lbm.BGK(lattice)
    kernels = stream(collide)
    sweeps = stream.boundary(lbm.Bouzidi("d", ("v_x", "v_y"), order=order), face="w")
    arrived = random_populations(lattice, (6, 5))
    box = Periodic(f=place(stream, arrived, stream.steps[0]), f_next=np.zeros_like(arrived))
    for step in stream.steps:
        post = apply(collide, arrived, omega=1.3)
        box.run(kernels.steps[step], omega=1.3)
        if not stream.in_place:
            box.fields["f"], box.fields["f_next"] = box.fields["f_next"], box.fields["f"]
        statements = sweeps.steps[f"after_{step}" if step else ""]
        run_layer(box, statements, 0, 1, d=d, v_x=u[0], v_y=u[1])
        arrived = arrived_from(stream, box.fields["f"], stream.next_step(step))
        for q, c in enumerate(lattice.velocities):
            if c[0] != 1:
                continue
            p, push = lattice.opposite(q), 6 * float(lattice.weight(q)) * float(np.dot(c, u))
            to, back = (
                [np.roll(post[i], (-n * c[0], -n * c[1]), (0, 1))[1] for n in range(3)] for i in (p, q)
            )
            if order == "linear":
                near = 2 * d * to[0] + (1 - 2 * d) * to[1] + push
                far = (to[0] + (2 * d - 1) * back[0] + push) / (2 * d)
            else:
                near = d * (1 + 2 * d) * to[0] + (1 - 4 * d**2) * to[1] - d * (1 - 2 * d) * to[2] + push
                far = (to[0] + push) / (d * (2 * d + 1)) + (2 * d - 1) / d * back[0]
                far = far - (2 * d - 1) / (2 * d + 1) * back[1]
            assert arrived[q, 1] == pytest.approx(near if d < 0.5 else far, abs=1e-15)


@pytest.mark.parametrize("distance", [0.2, 0.8])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_channel_between_faces(pattern: type[lbm.StreamingPattern], distance: float) -> None:
    """Couette flow is linear, which the interpolation keeps exactly wherever the lower wall stands; and the
    force on it is the stress times its area, from the same sweep."""
    lattice, height, speed, nu = lbm.Lattice("D2Q9"), 3, 0.02, 0.5
    stream = pattern(lattice)
    kernels = stream(lbm.TRT(lattice))
    lower = stream.boundary(lbm.Bouzidi(distance="d"), face="s", force="drag")
    upper = stream.boundary(lbm.VelocityBounceBack(("u_wall", 0)), face="n")
    shape = (9, 3, height + 2)
    box = Periodic(
        f=np.zeros(shape), f_next=np.zeros(shape), rho=np.zeros((1, *shape[1:])), u=np.zeros((2, *shape[1:]))
    )
    drag: dict[str, float] = {}
    for _ in range(100 // len(stream.steps)):
        for step in stream.steps:
            box.run(kernels.steps[step], omega=1 / (3 * nu + 0.5))
            if not stream.in_place:
                box.fields["f"], box.fields["f_next"] = box.fields["f_next"], box.fields["f"]
            suffix = f"after_{step}" if step else ""
            row = Periodic(**{name: array.copy() for name, array in box.fields.items()})
            values = row.run(lower.steps[suffix], d=distance)
            of_row = {k: v[:, 1] if np.ndim(v) == 2 else v for k, v in values.items()}
            drag = sums(of_row, lower.steps[suffix])
            _run_row(box, lower.steps[suffix], 1, d=distance)
            _run_row(box, upper.steps[suffix], height, u_wall=speed)
    box.run(stream.moments().steps[stream.steps[0]])
    y = np.arange(height) + distance  # the wall is so far below the first cell
    width = height - 0.5 + distance
    assert box.fields["u"][0, 1, 1:-1] == pytest.approx(speed * y / width, abs=1e-12)
    assert drag["drag_x"] == pytest.approx(3 * nu * speed / width, abs=1e-12)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_kernels_lower(pattern: type[lbm.StreamingPattern]) -> None:
    stream = pattern(lbm.Lattice("D3Q19"))
    module = Module("m", precisions=("f64",))
    module.add("wall_s", stream.boundary(lbm.Bouzidi(0.3), face="s", force="drag"))
    two = pattern(lbm.Lattice("D3Q19"), ghost_layers=2)
    module.add("wall_e", two.boundary(lbm.Bouzidi("d", order="quadratic"), face="e"))
    module.add("walls", stream.boundary(lbm.Bouzidi()), space=Sparse("fluid", listed=True))
    quadratic = stream.boundary(lbm.Bouzidi(order="quadratic"), torque="couple")
    module.add("curved", quadratic, space=Sparse("fluid", listed=True))
    body = two.boundary(lbm.Bouzidi(order="quadratic"), cells=True, torque="couple")
    module.add("body", body, space=Cells("body"))
    for kernel in module.kernels:
        for target in ("cpu", "cuda"):
            module.stages(kernel, "f64", target)
    assert not any("if (true)" in text for text in files(module, ["cpu"]).values())


def test_what_does_not_interpolate_is_refused() -> None:
    stream = lbm.AA(lbm.Lattice("D2Q9"))
    with pytest.raises(KernelError, match="'cubic' is not an interpolation"):
        lbm.Bouzidi(order="cubic")
    module = Module("m", precisions=("f64",))
    module.add("wall", stream.boundary(lbm.Bouzidi("d", order="quadratic"), face="s"))
    with pytest.raises(KernelError, match=r"2 cells away, but 'f' has only 1 ghost layer"):
        module.stages("wall_after_even", "f64", "cpu")
