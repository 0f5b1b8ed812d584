# SPDX-License-Identifier: Apache-2.0
"""Every pass keeps the meaning: the interpreter gives the same bits before and after it, in any order of the
cells."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from typing import Any

import pytest
import sympy
from heddle import (
    Assignment,
    AssignmentCollection,
    CompressedList,
    If,
    KernelError,
    Reduce,
    Rows,
    Scan,
    Schedule,
    Sparse,
    Strips,
    Threads,
    block_coordinates,
    block_extents,
    fields,
    lbm,
    profiles,
)
from heddle.ir.colouring import colour_of
from heddle.ir.interpret import OUTSIDE, Array, run
from heddle.ir.reduction import combined
from heddle.ir.schedule import CpuSchedule, precision
from heddle.ir.space import Dense
from heddle.ir.text import lines, text
from heddle.model.field import Access
from heddle.module import Module
from models import (
    FULL,
    boundaries_of_moments,
    boundary_in_a_box,
    boundary_over_a_list,
    coloured_reduction,
    column,
    column_reduction,
    column_values,
    lattice_boltzmann,
    listed_reduction,
    model,
    random_model,
    reduction,
    relaxation,
    split_relaxation,
)
from running import EXTENT, agree, bits, changed, levels, listed_memory, memory, outcome, scalars

PRECISIONS = ("f64", "f32", "f16", "f32/f64")
SCHEDULES: dict[str, tuple[str, Schedule]] = {
    "reference": ("reference", Schedule()),
    "cpu": ("cpu", Schedule()),
    "serial": ("cpu", Schedule(cpu=Rows(simd=False, parallel=False))),
    "tiles": ("cpu", Schedule(cpu=Strips(32, prefetch=32))),
    "chunks": ("cpu", Schedule(cpu=Strips(4))),
    "prefetch": ("cpu", Schedule(cpu=Strips(3, prefetch=16))),
    "nontemporal": ("cpu", Schedule(cpu=Strips(4, nontemporal=True))),
    "cuda": ("cuda", Schedule(gpu=Threads(block=(32, 2, 1)))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("seed", range(12 if FULL else 6))
def test_random_models(seed: int, name: str) -> None:
    target, schedule = SCHEDULES[name]
    agree(model(random_model(seed), schedule), PRECISIONS[seed % 4], target, seed)


def in_rows(cpu: CpuSchedule) -> CpuSchedule:
    return cpu if isinstance(cpu, Rows) else Rows()


@pytest.mark.slow
@pytest.mark.parametrize("cells", [2, 3, 4])
@pytest.mark.parametrize("seed", range(12 if FULL else 6))
def test_random_models_with_several_cells_a_thread(seed: int, cells: int) -> None:
    entry = model(random_model(seed), Schedule(gpu=Threads(block=(32, 2, 1), coarsening=cells)))
    if entry.space == Dense(1) or any(isinstance(s, Scan) for s in entry.statements):
        with pytest.raises(KernelError, match=f"coarsening={cells} does not work"):
            levels(entry, "f64", "cuda")
    else:
        agree(entry, PRECISIONS[seed % 4], "cuda", seed)


@pytest.mark.slow
@pytest.mark.parametrize("cells", [2, 4, 8])
def test_reductions_and_colours_with_several_cells_a_thread(cells: int) -> None:
    schedule = Schedule(gpu=Threads(block=(32, 2, 1), coarsening=cells))
    coloured = dataclasses.replace(schedule, colours=2)
    agree(model(reduction(), schedule), "f64", "cuda", 3)
    with pytest.raises(KernelError, match="fields that are not split"):
        levels(model(coloured_reduction(), coloured), "f32", "cuda")
    for rank, mixed in itertools.product((2, 3), (False, True)):
        agree(model(split_relaxation(rank, mixed), coloured), "f64", "cuda", rank, (8, 5, 3))


def test_a_cell_that_a_thread_repeats_is_changed_once() -> None:
    u = fields("u: real[2D]")
    grows = If(u.here > 0, [Assignment(u.here, 2 * u.here)])
    agree(model([grows], Schedule(gpu=Threads(block=(32, 2, 1), coarsening=4))), "f64", "cuda", 1)


def test_loads_of_all_cells_of_a_thread_come_before_the_first_store() -> None:
    entry = model(
        split_relaxation(3),
        Schedule(colours=2, gpu=Threads(block=(32, 2, 1), coarsening=3, unit_stride=True)),
    )
    text = list(lines(levels(entry, "f32", "cuda")[-1][1].body))
    stores = [n for n, line in enumerate(text) if line.strip().startswith("store p")]
    assert len(stores) == 3
    assert not any("_cell" in line.split("=", 1)[-1] for line in text[stores[0] : stores[-1] + 1])
    assert not any("_sx" in line for line in text)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("seed", range(100, 108))
def test_fused_operations_where_nothing_rounds(seed: int, target: str) -> None:
    agree(model(random_model(seed, exact=True), Schedule(fma=True)), PRECISIONS[seed % 4], target, seed)


@pytest.mark.parametrize(
    ("rank", "axis", "name"),
    [(*shape, name) for shape in ((3, 2), (3, 0), (2, 1)) for name in ("reference", "cpu", "cuda")]
    + [(1, 0, "reference"), (1, 0, "cpu")]
    + [
        (*shape, name)
        for shape in ((3, 2), (3, 1), (3, 0), (2, 1))
        for name in ("chunks", "prefetch", "tiles")
    ],
)
def test_columns(rank: int, axis: int, name: str) -> None:
    target, schedule = SCHEDULES[name]
    agree(model(column(rank, axis), schedule), "f64", target, 7)


@pytest.mark.parametrize("name", SCHEDULES)
def test_values_of_columns(name: str) -> None:
    """What a column computes beside its sweeps, and planes that it reads and writes."""
    target, schedule = SCHEDULES[name]
    agree(model(column_values(), schedule), PRECISIONS[len(name) % 4], target, 5)


@pytest.mark.parametrize("name", ["reference", "cpu", "chunks", "tiles", "cuda"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_planes_in_cells(axis: int | None, name: str) -> None:
    """Read in each cell, and by columns that lie in the plane."""
    target, schedule = SCHEDULES[name]
    u, mu = fields("u: real[3D]; mu: real(2)[xy]")
    value = u.here * mu[1, -1, 1] + mu[0, 0, 0]
    carried = sympy.Symbol("carried")
    body = [Assignment(u.here, value)]
    if axis is not None:
        body = [Scan(axis, {carried: 0}, [Assignment(u.here, value - carried)], {carried: mu[-1, 0, 1]})]
    agree(model(body, schedule), "f64", target, 4)


def test_a_plane_is_a_field_of_a_kernel_of_two_dimensions() -> None:
    rain, mu = fields("rain, mu: real[xy]")
    agree(model([Assignment(rain.here, mu[1, 0] - mu[0, -1])]), "f64", "cpu", 2)


@pytest.mark.parametrize("name", ["reference", "chunks", "cuda"])
def test_a_column_holds_what_a_loop_computes(name: str) -> None:
    """The sum of each column, and how often its values pass a threshold of their own column."""
    u, total, most, threshold = fields("u: real[3D]; total, most, threshold: real[xy]", ghost_layers=0)
    s, n, limit = sympy.symbols("s n limit")
    statements = [
        Assignment(limit, 2 * threshold.here),
        Scan(2, {s: 0, n: 0}, [], {s: s + u.here, n: sympy.Piecewise((n + 1, u.here > limit), (n, True))}),
        Assignment(total.here, s),
        If(n > 0, [Assignment(most.here, n)]),
    ]
    target, schedule = SCHEDULES[name]
    lowered = levels(model(statements, schedule), "f64", target)[-1][1]
    extent, rng = (6, 3, 5), random.Random(1)
    values = [float(rng.randrange(9)) for _ in range(math.prod(extent))]
    limits = [float(rng.randrange(4)) for _ in range(18)]
    flat = (6, 3)
    arrays = {
        "u": Array(values, 0, extent, (1, 6, 18)),
        "threshold": Array(limits, 0, flat, (1, 6)),
        "total": Array([-1.0] * 18, 0, flat, (1, 6)),
        "most": Array([-1.0] * 18, 0, flat, (1, 6)),
    }
    run(lowered, arrays)
    for place in range(18):
        own = values[place::18]
        above = sum(value > 2 * limits[place] for value in own)
        assert arrays["total"].values[place] == sum(own)
        assert arrays["most"].values[place] == (above or -1.0)


@pytest.mark.parametrize("name", ["reference", "cpu", "serial", "tiles", "cuda"])
@pytest.mark.parametrize("axis", [None, 0, 2])
def test_profiles(axis: int | None, name: str) -> None:
    """Values along each axis, in cells and in columns."""
    target, schedule = SCHEDULES[name]
    u, v = fields("u, v: real[3D]")
    along_x, along_y, along_z = profiles(
        "along_x: real[x]; along_y: real[y]; along_z: float[z]", ghost_layers=2
    )
    value = (
        u[1, 0, 0] * along_x.here
        + along_x[-1] * along_y[2]
        + along_z[1] * along_y.gather(block_coordinates()[1])
    )
    body = [Assignment(v.here, value - along_z[-2])]
    if axis is not None:
        carried = sympy.Symbol("carried")
        body = [
            Scan(
                axis, {carried: 1}, [Assignment(v.here, value + carried)], {carried: along_x[1] + along_z[0]}
            )
        ]
    elif name != "tiles":
        body.append(Reduce("max", "most", value))
    agree(model(body, schedule), "f32/f64" if axis else "f64", target, 3)


def test_columns_of_a_strip_go_side_by_side() -> None:
    """The loop over lanes is inside the scan, and what is carried has a place for each lane."""
    lowered = text(levels(model(column(3, 2), Schedule(cpu=Strips(4))), "f64", "cpu")[-1][1])
    lines = [line.strip() for line in lowered.splitlines()]
    first = next(i for i, line in enumerate(lines) if line.startswith("loop serial z"))
    assert {"local c_lanes: f64*[4] scratch", "local d_lanes: f64*[4] scratch"} <= set(lines[:first]), lines[
        :first
    ]
    assert any(line.startswith("loop simd x") for line in lines[first : first + 9])
    assert not any(line.startswith("var c") for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reference", "cpu", "serial", "cuda"])
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_fields_split_by_colour(rank: int, mixed: bool, name: str) -> None:
    target, schedule = SCHEDULES[name]
    entry = model(split_relaxation(rank, mixed), dataclasses.replace(schedule, colours=2))
    agree(entry, PRECISIONS[rank], target, rank, (8, 5, 3))


@pytest.mark.parametrize("name", ["reference", "cpu", "cuda"])
def test_a_split_field_holds_what_a_plain_one_does(name: str) -> None:
    """The same relaxation with both layouts gives the same numbers, cell by cell."""
    results = []
    extent = (6, 5, 4)
    for split in (False, True):
        p, right = fields("p, right: real[3D]", split=split)
        change = (sum(p[o] for o in FACES3) - right.here) / 6 - p.here
        entry = model([Assignment(p.here, p.here + change / 2)], Schedule(colours=2))
        kernel = levels(entry, "f64", SCHEDULES[name][0])[-1][1]
        layout = Array([0.0] * 960, 300, (*extent,), (1, 8, 56))
        if split:
            layout = Array([0.0] * 960, 300, (extent[0] // 2, *extent[1:], 2), (1, 5, 35, 210))
        arrays = {"p": layout, "right": dataclasses.replace(layout, values=[0.0] * 960)}
        places = {}
        for x, y, z in itertools.product(range(6), range(5), range(4)):
            where = (x // 2, y, z, (x + y + z) % 2) if split else (x, y, z)
            at = layout.origin + sum(c * s for c, s in zip(where, layout.stride, strict=True))
            places[x, y, z] = at
            arrays["p"].values[at] = math.sin(x + 7 * y + 31 * z)
            arrays["right"].values[at] = math.cos(x + 5 * y + 3 * z)
        run(kernel, arrays, {"first_colour": 0, "last_colour": 2})
        results.append([arrays["p"].values[at] for at in places.values()])
    assert results[0] == results[1]


FACES3 = [o for o in itertools.product((-1, 0, 1), repeat=3) if sum(map(abs, o)) == 1]

REDUCING = ["reference", "cpu", "serial", "tiles", "cuda"]


@pytest.mark.parametrize("name", REDUCING)
def test_reductions(name: str) -> None:
    target, schedule = SCHEDULES[name]
    agree(model(reduction(), schedule), "f64", target, 3)
    agree(model(column_reduction(), schedule), "f32", target, 4)
    agree(
        model(coloured_reduction(), dataclasses.replace(schedule, cpu=in_rows(schedule.cpu), colours=2)),
        "f32",
        target,
        5,
    )
    for listed in (False, True):
        agree(model(listed_reduction(), schedule, Sparse("fluid", listed)), "f64", target, 6)


@pytest.mark.slow
@pytest.mark.parametrize("name", REDUCING)
@pytest.mark.parametrize("cells", [0, 1, 31, 32, 33, 63, 64, 65, 1025])
def test_reductions_of_rows_of_any_length(cells: int, name: str) -> None:
    """Around tiles of 32 cells, and of 64 with two colours."""
    target, schedule = SCHEDULES[name]
    for entry in (
        model(reduction(), schedule),
        model(coloured_reduction(), dataclasses.replace(schedule, cpu=in_rows(schedule.cpu), colours=2)),
    ):
        stages = levels(entry, "f64", target)
        typed, generator = stages[0][1], random.Random(cells)
        extent = (cells, 2, 1)[: typed.space.rank]  # type: ignore[union-attr]
        arrays, values = memory(typed, extent, generator), scalars(typed, generator)
        assert outcome(stages[-1][1], arrays, values) == outcome(typed, arrays, values)


def test_a_sum_is_that_of_halves() -> None:
    """The definition, spelled out: (v0 + v16), ... and 33 values are two tiles."""
    numbers = [10.0 ** (7 * i % 17) / 3 * (1 if i % 3 else -1) for i in range(33)]
    tile = numbers[:32]
    while len(tile) > 1:
        tile = [tile[i] + tile[i + len(tile) // 2] for i in range(len(tile) // 2)]
    assert combined("sum", numbers, float) == tile[0] + numbers[32]
    assert combined("sum", numbers, float) != sum(numbers)


def test_minimum_and_maximum_keep_nan() -> None:
    p = fields("p: real[1D]")
    statements = [Reduce("max", "most", p.here), Reduce("min", "least", p.here)]
    typed = model(statements).typed(precision("f64"))
    for contents, most, least in (
        ([math.nan, 1.0, -2.0, math.nan], math.nan, math.nan),
        ([1.0, -2.0, math.nan], math.nan, math.nan),
        ([1.0, -2.0, math.inf, -math.inf], math.inf, -math.inf),
        ([], -math.inf, math.inf),
    ):
        result = run(typed, {"p": Array(contents, 0, (len(contents),), (1,))})
        assert str(result.outputs) == str({"most": most, "least": least})


COLOURED = [
    (1, "faces", 2), (2, "faces", 2), (3, "faces", 2), (3, "edges", 4), (2, "corners", 4), (3, "corners", 8),
    (3, "faces", 4), (2, "1,2", 2), (1, "1", 2),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reference", "cpu", "serial", "cuda"])
@pytest.mark.parametrize(("rank", "footprint", "colours"), COLOURED)
def test_colours(rank: int, footprint: str, colours: int, name: str) -> None:
    target, schedule = SCHEDULES[name]
    coloured = dataclasses.replace(schedule, colours=colours)
    agree(model(relaxation(rank, footprint), coloured), PRECISIONS[rank], target, rank)


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
def test_colours_one_at_a_time(target: str) -> None:
    """A range of colours touches their cells only, and all ranges together are the whole sweep."""
    stages = levels(model(relaxation(3, "edges"), Schedule(colours=4)), "f64", target)
    typed, lowered = stages[0][1], stages[-1][1]
    generator = random.Random(5)
    arrays, values = memory(typed, EXTENT, generator), scalars(typed, generator)
    whole = outcome(lowered, arrays, values)
    parts = {name: Array(list(a.values), a.origin, a.extent, a.stride) for name, a in arrays.items()}
    for first, last in ((0, 1), (1, 3), (3, 4)):
        before = list(parts["p"].values)
        run(lowered, parts, values | {"first_colour": first, "last_colour": last})
        array = parts["p"]
        changed = {
            colour_of(3, 4, cell)
            for cell in itertools.product(*map(range, EXTENT))
            for at in [array.origin + sum(c * s for c, s in zip(cell, array.stride, strict=True))]
            if before[at] != array.values[at]
        }
        assert changed == set(range(first, last))
    assert [bits(value) for value in parts["p"].values] == whole["p"]


def scan_under_condition() -> list[Any]:
    u, v = fields("u, v: real[2D]")
    c = sympy.Symbol("c")
    return [If(sympy.Symbol("alpha") < 10, [Scan(1, {c: 0}, [Assignment(u.here, c)], {c: c + v.here})])]


def condition_under_scan() -> list[Any]:
    u, v = fields("u, v: real[2D]")
    c = sympy.Symbol("c")
    return [Scan(1, {c: 1}, [If(v.here > 0, [Assignment(u.here, c)])], {c: c + v.here})]


def updates_that_exchange() -> list[Any]:
    u, v = fields("u, v: real[2D]")
    c, d, e = sympy.symbols("c d e")
    body = [Assignment(u.here, c - d + 3 * e)]
    return [Scan(1, {c: 1, d: 2, e: 0}, body, {c: d + v.here, d: c, e: c + d})]


def moving_read() -> list[Any]:
    u, v = fields("u, v: real[2D]")
    x, y = block_coordinates(2)
    n_x, _ = block_extents(2)
    back = sympy.Max(sympy.floor(x - u[0, 0] * 0.5), 0)
    return [Assignment(v.here, u.gather(sympy.Min(back, n_x - 1), y) - u.gather(x, y))]


def read_outside() -> list[Any]:
    u, v = fields("u, v: real[2D]")
    x, y = block_coordinates(2)
    return [Assignment(v.here, u.gather(x + 3, y))]


@pytest.mark.parametrize("name", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize(
    "make", [scan_under_condition, condition_under_scan, updates_that_exchange, moving_read]
)
def test_unusual_shapes(make: Any, name: str) -> None:
    target, schedule = SCHEDULES[name]
    agree(model(make(), schedule), "f64", target, 11)


def test_a_read_outside_is_noted_before_and_after() -> None:
    agree(model(read_outside()), "f64", "reference", 11)


LATTICE_SCHEDULES = [
    ("reference", Schedule()),
    ("cpu", Schedule()),
    ("cpu", Schedule(cpu=Strips(16))),
    ("cpu", Schedule(cpu=Strips(5, prefetch=32))),
    ("cpu", Schedule(cpu=Strips(16, nontemporal=True))),
    ("cpu", Schedule(cpu=Strips(8, prefetch=32, nontemporal=True))),
    ("cuda", Schedule()),
    ("cuda", Schedule(gpu=Threads(rematerialise=True))),
    ("cuda", Schedule(gpu=CompressedList())),
]


def parts(schedule: Schedule) -> set[type]:
    return {type(schedule.cpu), type(schedule.gpu)}


LATTICE_CASES = [
    (case, sparse, target, schedule)
    for case in ("Pull ", "Push ", "AA even", "AA odd", "EsoTwist even", "EsoPull odd")
    for sparse in (False, True)
    for target, schedule in LATTICE_SCHEDULES
    if not (sparse and case.startswith("Eso") and {Strips, CompressedList} & parts(schedule))
    and not (getattr(schedule.cpu, "nontemporal", False) and "P" not in case[:1])
    and (sparse or CompressedList not in parts(schedule))
]


@pytest.mark.slow
@pytest.mark.parametrize(("case", "sparse", "target", "schedule"), LATTICE_CASES)
def test_lattice_boltzmann(case: str, sparse: bool, target: str, schedule: Schedule) -> None:
    pattern, step = case.split(" ")
    entry = lattice_boltzmann(pattern, step, Sparse("fluid") if sparse else None, schedule)
    agree(entry, "f32", target, 5)


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("case", ["Pull ", "Push ", "AA even", "AA odd"])
def test_boundaries_follow_links_of_links(case: str, target: str) -> None:
    """Every level reads the same cells behind the own one, walls and all."""
    pattern, step = case.split(" ")
    for condition, how in (
        (lbm.Bouzidi(order="quadratic"), {"torque": "couple"}),
        (lbm.ConvectiveOutflow("U"), {"normal": "e"}),
        (lbm.PressureJump("jump"), {"normal": "w"}),
    ):
        typed, *stages = changed(levels(boundary_over_a_list(condition, pattern, step, **how), "f32", target))
        generator = random.Random(5)
        arrays, arguments = listed_memory(typed[1], (6, 7), generator)
        arguments = dict.fromkeys(arguments, 0.5)
        masks = arrays["mask"].values
        masks[:] = [generator.getrandbits(9) for _ in masks]
        expected = outcome(typed[1], arrays, arguments)
        assert expected["f"] != [bits(value) for value in arrays["f"].values]
        for name, kernel in stages:
            assert outcome(kernel, arrays, arguments) == expected, name


@pytest.mark.slow
@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("case", ["Pull ", "Push ", "AA even", "AA odd", "EsoTwist even", "EsoPull odd"])
def test_cells_of_a_box_have_their_places(case: str, target: str) -> None:
    """Every level finds the same cells, in ghost layers too."""
    place = tuple(0.1 * x for x in block_coordinates(2))
    for condition in (lbm.Bouzidi(velocity=place, order="quadratic"), lbm.PressureAntiBounceBack()):
        typed, *stages = changed(levels(boundary_in_a_box(condition, *case.split(" ")), "f32", target))
        arrays, arguments = listed_memory(typed[1], (6, 7), random.Random(5))
        expected = outcome(typed[1], arrays, arguments)
        assert expected["f"] != [bits(value) for value in arrays["f"].values]
        assert expected["status"] == 0
        for name, kernel in stages:
            assert outcome(kernel, arrays, arguments) == expected, name
    if target == "reference":
        arrays["cell_y"].values[0] = -4  # no ghost cell any more
        assert outcome(stages[-1][1], arrays, arguments)["status"] == OUTSIDE


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
def test_boundaries_of_moments(target: str) -> None:
    """Every level stores the same moments, and has the same sums."""
    typed, *stages = changed(levels(boundaries_of_moments(), "f32", target))
    arrays, arguments = listed_memory(typed[1], (6, 7), random.Random(5))
    for axis, cells in (("cell_x", 6), ("cell_y", 7)):  # neighbours are read: none in the outermost layers
        arrays[axis].values[:] = [place % cells for place in arrays[axis].values]
    expected = outcome(typed[1], arrays, arguments)
    for field in ("flow_next", "stress_next"):
        assert expected[field] != [bits(value) for value in arrays[field].values]
    assert expected["status"] == 0
    for name, kernel in stages:
        assert outcome(kernel, arrays, arguments) == expected, name


@pytest.mark.parametrize("cpu", [Rows(), Strips(4)], ids=["rows", "strips"])
def test_stores_under_a_condition_reach_neighbours(cpu: CpuSchedule) -> None:
    lattice = lbm.Lattice("D2Q9")
    statements = list(lbm.AA(lattice)(lbm.BGK(lattice, "omega")).steps["odd"])
    stores = [s for s in statements if isinstance(s, Assignment) and isinstance(s.target, Access)]
    rest = [s for s in statements if s not in stores]
    module = Module("module")
    guarded = [*rest, *stores[:4], If(sympy.Symbol("f_c") > 0, stores[4:])]
    module.add(
        "kernel",
        lbm.StreamingKernels({"": AssignmentCollection(guarded)}, lbm.AA(lattice).links),
        space=Sparse("fluid"),
        schedule=Schedule(cpu=cpu),
    )
    agree(module.kernels["kernel"], "f64", "cpu", 2)


@pytest.mark.parametrize("cpu", [Rows(), Strips(4)], ids=["rows", "strips"])
def test_two_fields_through_the_same_links(cpu: CpuSchedule) -> None:
    links = lbm.Pull(lbm.Lattice("D2Q9")).links
    f, g, h = fields("f, g, h: real(9)[2D]")
    statements = [
        Assignment(h[0, 0, link.slot], f[(*link.offset, link.slot)] - 2 * g[(*link.offset, link.slot)])
        for link in links
    ]
    module = Module("module")
    module.add(
        "kernel",
        lbm.StreamingKernels({"": AssignmentCollection(statements)}, links),
        space=Sparse("fluid"),
        schedule=Schedule(cpu=cpu),
    )
    agree(module.kernels["kernel"], "f64", "cpu", 2)
