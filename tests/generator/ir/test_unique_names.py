# SPDX-License-Identifier: Apache-2.0
"""A model may use the names that passes like to invent: what is computed does not change, and the emitted
text says it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from heddle import Assignment, Cells, Module, Reduce, Scan, Schedule, Sparse, Strips, Threads, fields, lbm
from heddle.build import files, write
from heddle.ir.schedule import precision
from heddle.model.assignment import Statement
from heddle.model.equations import Scalar
from heddle.module import KernelModel
from heddle.roundtrip.report import proved
from models import FULL, sample
from running import agree
from sympy import Symbol

PIECES = ("x_begin", "x_end", "x_begin_", "x_tiles", "n_strip", "n_begin", "n_end")
REDUCTIONS = ("total_cell", "total_run", "total_work", "largest_cell", "largest_run")
LINES = ("u_row", "u_row_s", "v_row", "u_cell", "v_cell", "u_sx", "v_sy", "v_out", "u_column")
DEVICE = ("threadIdx", "blockIdx", "blockDim", "gridDim", "stream", "lane", "status", "unit_stride", "arrays")
SCANS = ("above_next", "below_next", "colour", "i", "n", "place", "box")
LOCALS = (*PIECES, *REDUCTIONS, *LINES, *DEVICE, *SCANS)
REFUSED = (*DEVICE[:4], "stream", "status", "unit_stride", "arrays", "total_work")
ARGUMENTS = tuple(name for name in LOCALS if name not in REFUSED)
SCHEDULES = {
    "reference": Schedule(),
    "cpu": Schedule(cpu=Strips(32, prefetch=32)),
    "cuda": Schedule(gpu=Threads(block=(32, 2, 1))),
}
u, v = fields("u, v: real[2D]", ghost_layers=1)


def local(name: str) -> list[Statement]:
    """A value under the name, used beside a second one."""
    value = Symbol(name)
    return [
        Assignment(value, u[1, 0] + u[0, -1]),
        Assignment(v.here, value * value),
        Reduce("sum", "total", value + u.here),
        Reduce("max", "largest", value),
    ]


def argument(name: str) -> list[Statement]:
    """A parameter under the name."""
    value = Symbol(name)
    return [
        Assignment(v.here, value * u[1, 0] + u[0, -1]),
        Reduce("sum", "total", value * u.here),
        Reduce("max", "largest", value - u.here),
    ]


def carried(name: str) -> list[Statement]:
    """A value under the name in a scan whose updates need each other's old values."""
    above, below, value = Symbol("above"), Symbol("below"), Symbol(name)
    body = [Assignment(value, u.here + above), Assignment(v.here, value - below)]
    scan = Scan(1, {above: 0, below: 1}, body, {above: below + value, below: above - value / 4})
    return [scan]


MODELS = {"local": local, "argument": argument, "carried": carried}
CASES = (
    [("local", n) for n in LOCALS] + [("argument", n) for n in ARGUMENTS] + [("carried", n) for n in LOCALS]
)


def entry(statements: Sequence[Statement], target: str, scan: bool) -> KernelModel:
    module = Module("names")
    schedule = Schedule() if scan and target == "cpu" else SCHEDULES[target]
    module.add("kernel", statements, schedule=schedule)
    kernel = module.kernels["kernel"]
    assert isinstance(kernel, KernelModel)
    return kernel


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), CASES)
def test_names_of_the_model_stand_for_one_thing(kind: str, name: str) -> None:
    for target in SCHEDULES:
        agree(entry(MODELS[kind](name), target, kind == "carried"), "f64", target, 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
def test_the_text_says_the_same(kind: str, tmp_path: Path) -> None:
    module = Module("names", precisions=("f64",))
    names = [name for made, name in CASES if made == kind]
    for number, name in enumerate(sample(names, 3)):
        schedule = Schedule(cpu=Strips(32)) if kind != "carried" else Schedule()
        module.add(f"with_name_{number}", MODELS[kind](name), schedule=schedule)
    targets = ("reference", "cpu", "cuda") if FULL else ("cpu", "cuda")
    write(files(module, targets), tmp_path)
    found = [f"{v.kernel} {v.target}: {v.problem}" for v in proved(module, targets, tmp_path) if v.problem]
    assert found == []


LATTICE = lbm.Lattice("D2Q9")
OVER_LISTS = {
    "step": (lambda given: lbm.Pull(LATTICE)(lbm.BGK(LATTICE, given)), Sparse("fluid")),
    "sums over listed cells": (
        lambda given: lbm.AA(LATTICE).boundary(
            lbm.VelocityBounceBack((given, 0)), force="drag", torque="couple", arm=("n", "cell")
        ),
        Sparse("walls", listed=True),
    ),
    "over cells of a box": (
        lambda given: lbm.Pull(LATTICE, ghost_layers=3).boundary(
            lbm.Bouzidi("d", (given, 0), order="quadratic"), cells=True
        ),
        Cells("body"),
    ),
}


def over_list(kind: str, given: Scalar) -> Module:
    make, space = OVER_LISTS[kind]
    module = Module("names", precisions=("f64",))
    module.add("kernel", make(given), space, Schedule(cpu=Strips(16)) if kind == "step" else None)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("name", ["n_strip", "n_begin", "n_end", "n", "i", "cell"])
@pytest.mark.parametrize("kind", OVER_LISTS)
def test_over_a_list(kind: str, name: str) -> None:
    module = over_list(kind, name)
    for kernel in module.kernels.values():
        assert isinstance(kernel, KernelModel)
        assert name in {symbol.name for symbol in kernel.typed(precision("f64")).parameters}
        for target in SCHEDULES:
            agree(kernel, "f64", target, 3)


@pytest.mark.parametrize("kind", OVER_LISTS)
def test_the_text_over_a_list_says_the_same(kind: str, tmp_path: Path) -> None:
    module, targets = (
        over_list(kind, Symbol("n") + Symbol("i") * Symbol("cell") - Symbol("entry")),
        ("cpu", "cuda"),
    )
    write(files(module, targets), tmp_path)
    found = [f"{v.kernel} {v.target}: {v.problem}" for v in proved(module, targets, tmp_path) if v.problem]
    assert found == []


def test_names_of_cells_have_no_two_underscores_in_a_row() -> None:
    """Which C++ keeps for itself."""
    texts = files(
        over_list("sums over listed cells", Symbol("n") + Symbol("i") * Symbol("entry")), ("cpu", "cuda")
    )
    names = {name for text in texts.values() for name in re.findall(r"\b[A-Za-z_]\w*", text)}
    assert {"own_cell", "own_entry_begin"} <= names
    assert [name for name in sorted(names) if "__" in name and not name.startswith("__")] == []
