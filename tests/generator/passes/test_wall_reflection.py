# SPDX-License-Identifier: Apache-2.0
"""Walls within a dense kernel: they are what boundary sweeps set, at every level, where `walls` says so."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Collection

import pytest
from heddle import Cells, Dense, Interleaved, KernelError, Schedule, lbm
from heddle.build import dense_kernels
from heddle.halo.walls import check_walls
from heddle.ir import nodes as ir
from heddle.ir.device_calls import is_call, parts_of
from heddle.ir.interpret import Array, run
from heddle.ir.visit import walk
from heddle.ir.walls import SIDES, bit
from heddle.module import Module
from running import changed, levels

D2Q9 = lbm.Lattice("D2Q9")
EXTENT = (4, 3)
SHAPE = tuple(n + 2 for n in EXTENT)
FACES = SIDES[:4]
ALL = sum(bit(side) for side in FACES)


def populations(seed: int) -> Array:
    """Values in all cells and ghost cells."""
    generator = random.Random(seed)
    count = SHAPE[0] * SHAPE[1] * 9
    values = [generator.randrange(-64, 64) / 4096 for _ in range(count)]
    return Array(values, 1 + SHAPE[0], (*EXTENT, 9), (1, SHAPE[0], SHAPE[0] * SHAPE[1]))


def reflected() -> Array:
    """The same in all cells and in both directions of each pair: what walls have reflected, too."""
    count = SHAPE[0] * SHAPE[1]
    values = [(q + 1) // 2 / 128 for q in range(9) for _ in range(count)]
    return Array(values, 1 + SHAPE[0], (*EXTENT, 9), (1, SHAPE[0], count))


def layer(whole: Array, face: str) -> Array:
    """The cells at a side."""
    axis, upper = divmod(SIDES.index(face), 2)
    origin = whole.origin + (EXTENT[axis] - 1) * whole.stride[axis] * upper
    extent = [1 if a == axis else n for a, n in enumerate(EXTENT)]
    return Array(whole.values, origin, (*extent, 9), whole.stride)


def interior(f: Array, without: Collection[tuple[int, int]] = ()) -> list[float]:
    places = [place for place in itertools.product(*map(range, EXTENT)) if place not in without]
    cells = [(*place, q) for q in range(9) for place in places]
    return [f.values[f.origin + sum(c * s for c, s in zip(cell, f.stride, strict=True))] for cell in cells]


def typed(module: Module, kernel: str) -> ir.Kernel:
    return module.typed(kernel, "f64")


def entries_of(body: set[tuple[int, int]]) -> dict[str, Array]:
    """The cells beside a body, and the directions that come out of it."""
    masks = {
        cell: sum(1 << q for q, c in enumerate(D2Q9.velocities) if (cell[0] - c[0], cell[1] - c[1]) in body)
        for cell in itertools.product(*map(range, EXTENT))
        if cell not in body
    }
    columns = zip(*((*cell, mask) for cell, mask in masks.items() if mask), strict=True)
    names = ("cell_x", "cell_y", "mask")
    return {
        name: Array(list(values), 0, (len(values),), (1,))
        for name, values in zip(names, columns, strict=True)
    }


@pytest.mark.parametrize("body", [set(), {(0, 1), (1, 1), (3, 2)}], ids=["empty", "bodies that touch them"])
def test_they_are_what_sweeps_set(body: set[tuple[int, int]]) -> None:
    """Four steps in a closed box, which may have bodies in it that bounce back: with a sweep for each of its
    sides, and without any."""
    stream, collide = lbm.AA(D2Q9), lbm.BGK(D2Q9)
    module = Module("module", precisions=("f64",))
    module.add("open", stream(collide))
    module.add("walled", stream(collide), Dense(walls=FACES))
    for face in FACES:
        module.add(f"wall_{face}", stream.boundary(lbm.NoSlip(D2Q9), face=face))
    module.add("body", stream.boundary(lbm.NoSlip(D2Q9), cells=True), Cells("body"))
    entries = entries_of(body) if body else {}
    swept, walled = populations(3), populations(3)
    for step in ("even", "odd", "even", "odd"):
        run(typed(module, f"open_{step}"), {"f": swept}, {"omega": 1.5})
        for face in FACES:
            run(typed(module, f"wall_{face}_after_{step}"), {"f": layer(swept, face)})
        run(typed(module, f"walled_{step}"), {"f": walled}, {"omega": 1.5, "walls": ALL})
        for f in (swept, walled) if body else ():
            run(typed(module, f"body_after_{step}"), {"f": f} | entries)
    assert interior(walled, body) == interior(swept, body)


CONDITIONS: dict[str, Callable[[], lbm.BoundaryCondition]] = {
    "lid": lambda: lbm.VelocityBounceBack(("u", "v")),
    "pressure": lambda: lbm.PressureAntiBounceBack("rho", ("u", "v")),
}


@pytest.mark.parametrize("walls", ["wens", "wes", "ws"])
@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("pattern", [lbm.AA, lbm.Pull, lbm.Push])
def test_they_have_the_links_through_corners(
    pattern: type[lbm.StreamingPattern], name: str, walls: str
) -> None:
    """A lid, or another boundary at the north: the same as a sweep there, and sweeps of walls at rest after
    it, which set the links through both sides again."""
    stream, collide = pattern(D2Q9), lbm.BGK(D2Q9)
    module = Module("module", precisions=("f64",))
    for space, sides in (("open", ""), ("walled", walls)):
        module.add(f"{space}_step", stream(collide), Dense(walls=sides))
        module.add(
            f"{space}_n",
            stream.boundary(CONDITIONS[name](), face="n"),
            Dense(walls=sides),
        )
        for face in "wes":
            module.add(
                f"{space}_{face}",
                stream.boundary(lbm.NoSlip(D2Q9), face=face),
                Dense(walls=sides),
            )
        module.add(f"{space}_seen", stream.moments(), Dense(walls=sides))
    given = {"u": 0.125, "v": 0.0625} | ({"rho": 1.5} if name == "pressure" else {})
    found = []
    for space, sides in (("open", ""), ("walled", walls)):
        present = sum(bit(side) for side in sides)
        fields = {f.name: reflected() for f in (stream.source, stream.target)}
        own = stream.target.name
        for step in stream.steps * (4 // len(stream.steps)):
            suffix, after = (f"_{step}", f"_after_{step}") if step else ("", "")
            run(
                typed(module, f"{space}_step{suffix}"),
                fields,
                {"omega": 1.5, "walls": present},
            )
            for face in (face for face in "nwes" if face == "n" or face not in sides):
                across = bit("w") + bit("e") if face in "we" else bit("s") + bit("n")
                numbers = {"walls": present & ~across | present & bit(face)}
                numbers |= given if face == "n" else {}
                run(
                    typed(module, f"{space}_{face}{after}"),
                    {"f": layer(fields[own], face)},
                    numbers,
                )
            if not stream.in_place:
                fields = {"f": fields["f_next"], "f_next": fields["f"]}
        seen = f"{space}_seen_{stream.steps[0]}" if stream.in_place else f"{space}_seen"
        cells = [0.0] * (SHAPE[0] * SHAPE[1])
        rho = Array(cells.copy(), 1 + SHAPE[0], EXTENT, (1, SHAPE[0]))
        u = Array(cells * 2, 1 + SHAPE[0], (*EXTENT, 2), (1, SHAPE[0], len(cells)))
        run(
            typed(module, seen),
            {"f": fields["f"], "rho": rho, "u": u},
            {"walls": present},
        )
        found.append((rho.values, u.values))
    assert found[0] == found[1]


def test_a_force_has_no_share_of_links_through_corners() -> None:
    stream, u = lbm.AA(D2Q9), (0.125, 0.0625)
    module = Module("module", precisions=("f64",))
    module.add("step", stream(lbm.BGK(D2Q9)), Dense(walls="wens"))
    lid = stream.boundary(lbm.VelocityBounceBack(("u", "v")), face="n", force="drag")
    module.add("lid", lid, Dense(walls="wens"))
    f = populations(3)
    post = populations(3)  # after an even step f*_p is component q of the cell
    numbers = {"u": u[0], "v": u[1], "walls": bit("w") + bit("e") + bit("n")}
    found = run(typed(module, "lid_after_even"), {"f": layer(f, "n")}, numbers).outputs
    expected = [0.0, 0.0]
    for x, (q, c) in itertools.product(range(EXTENT[0]), enumerate(D2Q9.velocities)):
        if c[1] != -1 or (c[0] == 1 and x == 0) or (c[0] == -1 and x == EXTENT[0] - 1):
            continue
        sent = post.values[post.origin + x + (EXTENT[1] - 1) * SHAPE[0] + q * post.stride[2]]
        both = 2 * sent + 6 * float(D2Q9.weight(q)) * (c[0] * u[0] + c[1] * u[1])
        expected = [total - a * both for total, a in zip(expected, c, strict=True)]
    assert [found["drag_x"], found["drag_y"]] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("pattern", [lbm.AA, lbm.Pull, lbm.Push])
@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("walls", [0, ALL, bit("w") + bit("n")])
def test_every_level_has_them(pattern: type[lbm.StreamingPattern], target: str, walls: int) -> None:
    module = Module("module", precisions=("f64",))
    module.add("step", pattern(D2Q9)(lbm.BGK(D2Q9)), Dense(walls=FACES))
    for entry in module.kernels.values():
        found = []
        for _, kernel in changed(levels(entry, "f64", target)):
            arrays = {field.name: populations(7) for field in kernel.fields}
            assert run(kernel, arrays, {"omega": 1.5, "walls": walls}).status == 0
            found.append({name: array.values for name, array in arrays.items()})
        assert all(values == found[0] for values in found)


def test_those_that_the_grid_does_not_have_are_open() -> None:
    module = Module("module", precisions=("f64",))
    module.add("open", lbm.Pull(D2Q9)(lbm.BGK(D2Q9)))
    module.add("walled", lbm.Pull(D2Q9)(lbm.BGK(D2Q9)), Dense(walls=("w", "e")))
    results = {}
    for name, walls in (("open", 0), ("walled", 0), ("west", bit("w"))):
        arrays = {"f": populations(3), "f_next": populations(4)}
        run(typed(module, "open" if name == "open" else "walled"), arrays, {"omega": 1.5, "walls": walls})
        results[name] = interior(arrays["f_next"])
    assert results["walled"] == results["open"]
    assert results["west"] != results["open"]


def test_a_step_in_the_own_cell_takes_no_walls() -> None:
    module = Module("module", precisions=("f64",))
    module.add("step", lbm.AA(D2Q9)(lbm.BGK(D2Q9)), Dense(walls=FACES))
    assert [typed(module, f"step_{step}").space.walls for step in ("even", "odd")] == [(), FACES]  # type: ignore[union-attr]


@pytest.mark.parametrize("threads", [1, 2])
def test_vectors_choose_addresses(threads: int) -> None:
    """The lanes of a vector share the walls at their sides, so that one choice of an address serves all."""
    module = Module("module", precisions=("f32",))
    module.add(
        "step",
        lbm.AA(D2Q9)(lbm.BGK(D2Q9)),
        Dense(walls=FACES),
        Schedule(gpu=Interleaved(4, threads_per_vector=threads)),
    )
    lowered = module.stages("step_odd", "f32", "cuda").lowered
    loads = [node for node in walk(lowered.body) if is_call(node, "load_vector")]
    assert sum(isinstance(parts_of(load)["first"].index, ir.Select) for load in loads) == 8
    assert not any(isinstance(node, ir.If) for node in walk(lowered.body))


@pytest.mark.parametrize("threads", [1, 2])
def test_stores_with_rematerialised_addresses_keep_nothing_of_the_loads(threads: int) -> None:
    """No name is in the address of a load and of a store; each block gets what it gets alone."""
    module = Module("module", precisions=("f64",))
    schedule = Schedule(gpu=Interleaved(2, threads_per_vector=threads, rematerialise=True))
    module.add("step", lbm.AA(D2Q9)(lbm.BGK(D2Q9)), Dense(walls=FACES), schedule)
    lowered = module.stages("step_odd", "f64", "cuda").lowered
    loads = [parts_of(node)["first"] for node in walk(lowered.body) if is_call(node, "load_vector")]
    stores = [parts_of(node)["first"] for node in walk(lowered.body) if is_call(node, "store_vector")]
    loaded, stored = (
        {node.name for node in walk(ends) if isinstance(node, ir.Symbol)} for ends in (loads, stores)
    )
    assert {name.replace("f_cell", "f") + "_out" for name in loaded} == stored
    blocks = [populations(3), populations(4)]
    values = [value for cell in zip(*(block.values for block in blocks), strict=True) for value in cell]
    one = blocks[0]
    together = Array(values, 2 * one.origin, one.extent, tuple(2 * stride for stride in one.stride))
    run(lowered, {"f": together}, {"omega": 1.5, "walls": ALL})
    for lane, block in enumerate(blocks):
        run(typed(module, "step_odd"), {"f": block}, {"omega": 1.5, "walls": ALL})
        assert together.values[lane::2] == block.values


def test_what_stands_beside_has_the_walls_of_some_step() -> None:
    """Or looks across no side where they differ: AA's moments before an even step stay in their cell."""
    module, stream = Module("module", precisions=("f64",)), lbm.AA(D2Q9)
    module.add("step", stream(lbm.BGK(D2Q9)), Dense(walls=("w", "e")))
    module.add("floor", stream.boundary(lbm.NoSlip(D2Q9), face="s"), Dense(walls=("w", "e")))
    module.add("start", stream.initialise(1, (0, 0)))
    check_walls(dense_kernels(module))
    module.add("lid", stream.boundary(lbm.NoSlip(D2Q9), face="n"))
    with pytest.raises(KernelError, match="'lid_after_even' accesses cells across the sides w, e"):
        check_walls(dense_kernels(module))
    module.add("open", stream(lbm.BGK(D2Q9)))
    check_walls(dense_kernels(module))
