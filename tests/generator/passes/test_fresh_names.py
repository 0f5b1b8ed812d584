# SPDX-License-Identifier: Apache-2.0
"""A model may use the names that passes like to invent: what is computed does not change, and the emitted
text says it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from heddle import Assignment, Module, Reduce, Scan, Schedule, Sparse, fields, lbm
from heddle.build import files, write
from heddle.lift.front_end import available
from heddle.module import KernelModel
from heddle.prove.report import proved
from heddle.symbolic.assignment import Statement
from running import agree
from sympy import Symbol

PIECES = ("x_begin", "x_end", "x_begin_", "x_tiles", "n_chunk", "n_begin", "n_end")
REDUCTIONS = ("total_cell", "total_run", "total_work", "largest_cell", "largest_run")
LINES = ("u_row", "u_row_s", "v_row", "u_cell", "v_cell", "u_sx", "v_sy", "v_out", "u_column")
DEVICE = ("threadIdx", "blockIdx", "blockDim", "gridDim", "stream", "lane", "status", "unit_stride", "arrays")
SCANS = ("above_next", "below_next", "colour", "i", "n", "place", "box")
LOCALS = (*PIECES, *REDUCTIONS, *LINES, *DEVICE, *SCANS)
REFUSED = (*DEVICE[:4], "stream", "status", "unit_stride", "total_work")
ARGUMENTS = tuple(name for name in LOCALS if name not in REFUSED)
SCHEDULES = {
    "reference": Schedule(),
    "cpu": Schedule(chunk=32, prefetch=32),
    "cuda": Schedule(block=(32, 2, 1)),
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


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_names_of_the_model_stand_for_one_thing(kind: str, name: str) -> None:
    for target in SCHEDULES:
        agree(entry(MODELS[kind](name), target, kind == "carried"), "f64", target, 1)


@pytest.mark.skipif(not available(), reason="neither heddle-lift nor clang++ is here")
@pytest.mark.parametrize("kind", MODELS)
def test_the_text_says_the_same(kind: str, tmp_path: Path) -> None:
    module = Module("names", precisions=("f64",))
    for made, name in CASES:
        if made == kind:
            schedule = Schedule(chunk=32) if kind != "carried" else Schedule()
            module.add(f"with_{name}", MODELS[kind](name), schedule=schedule)
    targets = ("reference", "cpu", "cuda")
    write(files(module, targets), tmp_path)
    found = [f"{v.kernel} {v.target}: {v.problem}" for v in proved(module, targets, tmp_path) if v.problem]
    assert found == []


@pytest.mark.parametrize("name", ["n_chunk", "n_begin", "n_end"])
def test_a_list_in_chunks(name: str) -> None:
    lattice = lbm.Lattice("D2Q9")
    module = Module("names")
    module.add("kernel", lbm.Pull(lattice)(lbm.BGK(lattice, name)), Sparse("fluid"), Schedule(chunk=16))
    kernel = module.kernels["kernel"]
    assert isinstance(kernel, KernelModel)
    agree(kernel, "f64", "cpu", 3)
