# SPDX-License-Identifier: Apache-2.0
"""Everything that can be emitted can be read back and proved: random expressions, scans, reductions, gathers,
lists, halves, every schedule."""

from __future__ import annotations

from pathlib import Path

import pytest
import sympy
from heddle import (
    Assignment,
    CacheLines,
    Cells,
    CompressedList,
    Dense,
    Interleaved,
    Module,
    Reduce,
    Rows,
    Schedule,
    Sparse,
    Strips,
    Threads,
    fields,
    lbm,
    parameters,
)
from heddle.build import files, write
from heddle.roundtrip.report import proved
from models import (
    FULL,
    coloured_reduction,
    column,
    column_values,
    columns_under_conditions,
    levels_of_columns,
    levels_without_a_loop,
    newton,
    random_model,
    reduction,
    relaxation,
    split_relaxation,
    substeps,
)

pytestmark = pytest.mark.slow
ALL, HOST = ("reference", "cpu", "cuda"), ("reference", "cpu")


def problems(module: Module, targets: tuple[str, ...], out: Path) -> list[str]:
    """What is not proved of a module's files."""
    module.model = Path("model.py")
    write(files(module, targets), out)
    verdicts = list(proved(module, targets, out))
    assert len(verdicts) == len(module.kernels) * len(targets) * len(module.precisions)
    return [f"{v.kernel} {v.target} {v.precision}: {v.problem}" for v in verdicts if v.problem]


@pytest.mark.parametrize("cpu", [Rows(unit_stride=True), Strips(16, unit_stride=True, unchecked_entry=True)])
def test_unit_strides(cpu: Rows | Strips, tmp_path: Path) -> None:
    """There is one instance of the loops, and the entries ask for unit strides."""
    module = Module("unit", precisions=("f64", "f32", "f16"))
    module.add("plain", random_model(1), schedule=Schedule(cpu=cpu))
    assert problems(module, ALL, tmp_path) == []
    file = tmp_path / "unit" / "plain.cpp"
    assert "<false>" not in file.read_text()
    file.write_text(file.read_text().replace("check_arrays(arrays, true)", "check_arrays(arrays, false)"))
    assert any(verdict.problem for verdict in proved(module, ["cpu"], tmp_path))


def test_rows_that_lie_several_strides_before(tmp_path: Path) -> None:
    """A distance of -2 strides is printed as p - 2 * s."""
    u, v = fields("u, v: real[3D]", ghost_layers=3)
    value = u[0, -2, 0] + u[-1, 0, -3] + u[0, -1, -1] - u[0, 2, 0]
    module = Module("rows", precisions=("f64",))
    module.add("shift", [Assignment(v.here, value)])
    assert problems(module, ALL, tmp_path) == []
    file = tmp_path / "rows" / "shift.cpp"
    assert " - 2 * u_sy" in file.read_text()
    file.write_text(file.read_text().replace(" - 2 * u_sy", " - 3 * u_sy"))
    assert any(verdict.problem for verdict in proved(module, ["cpu"], tmp_path))


@pytest.mark.parametrize("seed", range(12 if FULL else 6))
def test_random_models(seed: int, tmp_path: Path) -> None:
    module = Module("random", precisions=("f64", "f32", "f16"))
    module.add("plain", random_model(seed))
    module.add(
        "fused",
        random_model(seed),
        schedule=Schedule(fma=True, cpu=Rows(simd=False), gpu=Threads(block=(64, 2, 1))),
    )
    module.add("serial", random_model(seed), schedule=Schedule(cpu=Rows(parallel=False)))
    assert problems(module, ALL, tmp_path) == []


def test_what_a_list_takes_is_a_name_as_others_elsewhere(tmp_path: Path) -> None:
    cells, box_count = fields("cells, box_count: real[2D]")
    first, last, last_colour, cell_count = parameters("first, last, last_colour, cell_count")
    module = Module("ramp", precisions=("f64",))
    module.add("fill", [Assignment(cells.here, first + last * cells.here + last_colour * cell_count)])
    module.add("copy", [Assignment(cells.here, last * box_count.here), Reduce("sum", "longest", last)])
    assert problems(module, ALL, tmp_path) == []


@pytest.mark.parametrize(("rank", "axis"), [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)])
def test_columns(rank: int, axis: int, tmp_path: Path) -> None:
    module = Module("columns", precisions=("f64", "f32"))
    module.add("thomas", column(rank, axis))
    assert problems(module, ALL if rank > 1 else HOST, tmp_path) == []


def test_values_of_columns(tmp_path: Path) -> None:
    module = Module("columns", precisions=("f64", "f32"))
    module.add("rows", column_values())
    module.add("strips", column_values(), schedule=Schedule(cpu=Strips(64), gpu=Threads(block=(32, 2, 1))))
    assert problems(module, ALL, tmp_path) == []


def test_rounds_and_levels(tmp_path: Path) -> None:
    module = Module("rounds", precisions=("f64", "f32"))
    module.add("newton", newton(), schedule=Schedule(gpu=Threads(block=(32, 2, 1))))
    module.add("substeps", substeps())
    module.add("levels", levels_of_columns())
    module.add("lanes", levels_without_a_loop(), schedule=Schedule(cpu=Strips(16)))
    for body in (newton, substeps, levels_of_columns, columns_under_conditions):
        statements = body()[:-1] if body is newton else body()  # a reduction is left out
        module.add(f"masks_{body.__name__}", statements, schedule=Schedule(cpu=Strips(16)))
    assert problems(module, ALL, tmp_path) == []


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_reductions(rank: int, tmp_path: Path) -> None:
    module = Module("reductions", precisions=("f64", "f16"))
    module.add("norms", reduction(rank))
    module.add("serial", reduction(rank), schedule=Schedule(cpu=Rows(simd=False, parallel=False)))
    assert problems(module, ALL, tmp_path) == []


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_colours(rank: int, tmp_path: Path) -> None:
    p, right = fields(f"p, right: real[{rank}D]")
    own = [tuple(int(axis == other) for other in range(rank)) for axis in range(rank)]
    neighbours = sum(p[offset] + p[tuple(-d for d in offset)] for offset in own)
    new = sympy.Symbol("new")
    sweep = [
        Assignment(new, (neighbours - right.here) / (2 * rank)),
        Assignment(p.here, new),
        Reduce("max", "largest", sympy.Abs(new)),
        Reduce("sum", "total", right.here),
    ]
    module = Module("colours", precisions=("f64", "f32"))
    module.add("sweep", sweep[:2], schedule=Schedule(colours=2))
    module.add("check", sweep, schedule=Schedule(colours=2))
    assert problems(module, ALL, tmp_path) == []


def test_colours_and_fields_split_by_colour(tmp_path: Path) -> None:
    module = Module("coloured", precisions=("f64", "f16"))
    for name, statements, colours in (
        ("faces", relaxation(3, "faces"), 2),
        ("edges", relaxation(3, "edges"), 4),
        ("corners", relaxation(2, "corners"), 4),
        ("measured", coloured_reduction(), 2),
        ("split", split_relaxation(2), 2),
        ("mixed", split_relaxation(3, True), 2),
    ):
        module.add(name, statements, schedule=Schedule(colours=colours))
    assert problems(module, ALL, tmp_path) == []


@pytest.mark.parametrize("pattern", ["Pull", "Push", "AA", "EsoTwist", "EsoPull"])
def test_streaming_patterns(pattern: str, tmp_path: Path) -> None:
    lattice = lbm.Lattice("D2Q9")
    stream = getattr(lbm, pattern)(lattice)
    module = Module("patterns", precisions=("f64", "f16"))
    module.add("step", stream(lbm.BGK(lattice, "omega")))
    module.add(
        "strip_mined",
        stream(lbm.BGK(lattice, "omega")),
        schedule=Schedule(cpu=Strips(16, prefetch=64), gpu=Threads(rematerialise=True)),
    )
    assert problems(module, ALL, tmp_path) == []


@pytest.mark.parametrize("renew", [False, True])
def test_lanes_between_walls(renew: bool, tmp_path: Path) -> None:
    lattice = lbm.Lattice("D2Q9")
    module = Module("lanes", precisions=("f64", "f16"))
    schedule = Schedule(gpu=Interleaved(4, threads_per_vector=2, rematerialise=renew))
    module.add("step", lbm.AA(lattice)(lbm.BGK(lattice, "omega")), Dense(walls=("w", "n")), schedule)
    assert problems(module, ALL, tmp_path) == []


@pytest.mark.parametrize("pattern", ["EsoTwist", "EsoPull"])
def test_lists_that_hold_cells_behind_walls(pattern: str, tmp_path: Path) -> None:
    lattice = lbm.Lattice("D2Q9")
    stream = getattr(lbm, pattern)(lattice, halfway_mask="walls")
    module = Module("held", precisions=("f64", "f16"))
    module.add("step", stream(lbm.BGK(lattice, "omega")), space=Sparse("fluid"))
    module.add(
        "opaque",
        stream(lbm.BGK(lattice, "omega")),
        Sparse("fluid"),
        Schedule(gpu=Threads(rematerialise=True)),
    )
    module.add("wall", stream.boundary(lbm.VelocityBounceBack(("u", "v"))), Sparse("wall", listed=True))
    assert problems(module, ALL, tmp_path) == []


@pytest.mark.parametrize("pattern", ["AA", "EsoTwist"] if FULL else ["EsoTwist"])
def test_wall_velocities_of_links(pattern: str, tmp_path: Path) -> None:
    lattice = lbm.Lattice("D2Q9")
    stream = getattr(lbm, pattern)(lattice, ghost_layers=2)
    rate, height = parameters("rate, height: real")

    def turning(x: sympy.Expr, y: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
        return -rate * y, rate * x

    module = Module("walls", precisions=("f64", "f16"))
    inflow = lbm.VelocityBounceBack(lambda x, y: (4 * y * (height - y) / height**2, 0))
    module.add("inflow", stream.boundary(inflow, face="w"))
    for name, condition in (
        ("links", lbm.VelocityBounceBack(lbm.PerLink("u"))),
        ("place", lbm.Bouzidi(velocity=turning, order="quadratic")),
        ("curved", lbm.Bouzidi(velocity=lbm.PerLink("u"))),
    ):
        module.add(f"{name}_of_a_list", stream.boundary(condition), Sparse("wall", listed=True))
        body = stream.boundary(condition, cells=True, force="drag", torque="couple")
        module.add(f"{name}_of_a_body", body, Cells("body"))
    assert problems(module, ALL, tmp_path) == []


@pytest.mark.parametrize("pattern", ["Pull", "AA"])
def test_lists_of_cells(pattern: str, tmp_path: Path) -> None:
    lattice = lbm.Lattice("D3Q19")
    stream = getattr(lbm, pattern)(lattice)
    collide = lbm.TRT(lattice, "omega", force=("g_x", "g_y", 0))
    module = Module("lists", precisions=("f64", "f32"))
    module.add("step", stream(collide), space=Sparse("fluid"))
    module.add(
        "strip_mined",
        stream(collide),
        space=Sparse("fluid"),
        schedule=Schedule(cpu=Strips(16), gpu=Threads(rematerialise=True)),
    )
    module.add("ahead", stream(collide), space=Sparse("fluid"), schedule=Schedule(cpu=CacheLines(4)))
    module.add("compressed", stream(collide), space=Sparse("fluid"), schedule=Schedule(gpu=CompressedList()))
    module.add(
        "wall", stream.boundary(lbm.VelocityBounceBack(("u", "v", 0))), space=Sparse("wall", listed=True)
    )
    assert problems(module, ALL, tmp_path) == []


def test_exchanges_of_lists(tmp_path: Path) -> None:
    """Short unsigned numbers, which C++ compares as longer ones; values that are rounded in messages."""
    d = lbm.Lattice("D2Q9")
    module = Module("lists", precisions=("f64", "f32", "f16"))
    for name, narrow in (("whole", None), ("half", "f16")):
        module.add(name, lbm.Pull(d)(lbm.BGK(d)), space=Sparse("fluid"))
        module.add_halo(f"{name}_halo", kernels=[name], message_precision=narrow)
    assert problems(module, ALL, tmp_path) == []
