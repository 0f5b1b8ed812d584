# SPDX-License-Identifier: Apache-2.0
"""Threads(row_cells=n): a thread takes several cells of a row, proved equal to cells one by one."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
from heddle import Assignment, Module, Schedule, Threads, While, fields, parameters, profiles
from heddle.build import files, fortran_files, write
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.device_calls import is_call, parts_of
from heddle.ir.interpret import run
from heddle.ir.schedule import precision
from heddle.ir.stages import Request
from heddle.ir.visit import transform, walk
from heddle.model.equations import local
from heddle.pipeline import lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from heddle.roundtrip.equivalence.random_inputs import random_inputs
from heddle.roundtrip.report import proved
from sympy import Piecewise, Symbol

u, v, w = fields("u, v, w: real[3D]", ghost_layers=3)
many = fields("many: real(3)[3D]", ghost_layers=1)
rho, along = profiles("rho: real[z]; along: real[x]")
dt = parameters("dt")
west, east = Symbol("west"), Symbol("east")
root, left, better = local("root"), local("left"), local("better")
MODELS: dict[str, list[Any]] = {
    "flux": [
        Assignment(west, dt * (u.here - u[-1, 0, 0])),
        Assignment(east, dt * (u[1, 0, 0] - u.here)),
        Assignment(v.here, east - west),
    ],
    "far": [Assignment(v.here, rho.here * (u[-3, 2, 0] + u[2, 0, -1]) + u[3, -1, 1] * w[0, 1, 2])],
    "choice": [Assignment(v.here, Piecewise((u[1, 0, 0], w.here > 0), (u[-1, 0, 0], True)))],
    "place": [Assignment(v.here, along[1] * u.here)],
    "components": [
        Assignment(v.here, many[0, -1, 0, 2] + many.component(0)),
        Assignment(w.here, dt * u.here),
    ],
    "rounds": [
        Assignment(west, u.here + u[-1, 0, 0]),
        While(
            left > 0,
            {root: west, left: Piecewise((3, u.here > w.here), (0, True))},
            [Assignment(better, (root + west / root) / 2)],
            {root: better, left: left - 1},
            at_most=3,
        ),
        Assignment(east, u[1, 0, 0] + u.here),
        Assignment(v.here, root + east),
    ],
}


def schedule(cells: int) -> Schedule:
    promises = {"unit_stride": True, "same_strides": True, "levels_first": cells == 2}
    return Schedule(gpu=Threads(block=(32, 1, 4), row_cells=cells, **promises))


def module(name: str, cells: int) -> Module:
    made = Module("pairs", precisions=("f64", "f32"))
    made.add("step", MODELS[name], schedule=schedule(cells))
    return made


def lowered(name: str, target: str, cells: int = 2) -> ir.Kernel:
    known, model = precision("f64"), module(name, cells).kernels["step"]
    return lower(model.typed(known), Request(known, schedule(cells), TARGETS[target])).lowered


@pytest.mark.parametrize("cells", [2, 4])
@pytest.mark.parametrize("name", MODELS)
def test_it_does_what_the_cpu_does(name: str, cells: int) -> None:
    found = equivalent(lowered(name, "cpu", cells), lowered(name, "cuda", cells))
    assert isinstance(found, Proof), found
    assert found.tier == "structural"
    assert f"rows have a whole number of vectors of {cells} cells" in found.assumptions


def test_the_flux_between_two_cells_is_computed_once() -> None:
    body = lowered("flux", "cuda").body
    names = [node.symbol.name for node in walk(body) if isinstance(node, ir.Let)]
    assert sorted(name for name in names if name.startswith(("west", "east"))) == ["east_1", "west", "west_1"]


@pytest.mark.parametrize(("cells", "loaded"), [(2, ["u", "w"]), (4, ["w"])])
def test_no_thread_reads_what_its_cells_do_not_span(cells: int, loaded: list[str]) -> None:
    """u[-3, 2, 0]: the pair of cells -4 and -3 begins before the first ghost cell, so its elements are read
    alone, as is u[3, -1, 1]; of u[2, 0, -1] two cells read the pair of 2 and 3, and four cells no four."""
    body = lowered("far", "cuda", cells).body
    assert [parts_of(n)["first"].pointer.name for n in walk(body) if is_call(n, "load_vector")] == loaded


@pytest.mark.parametrize("cells", [2, 4])
@pytest.mark.parametrize("name", MODELS)
def test_the_same_numbers(name: str, cells: int) -> None:
    kernels = [lowered(name, target, cells) for target in ("cpu", "cuda")]
    for sample in random_inputs(kernels[0], kernels[1]):
        left, right = sample.copied(), sample.copied()
        for kernel, arrays in zip(kernels, (left, right), strict=True):
            run(kernel, arrays, sample.scalars)
        assert all(left[array].values == right[array].values for array in left)


@pytest.mark.parametrize("what", ["load", "store"])
def test_another_element_is_found(what: str) -> None:
    cpu, cuda = lowered("far", "cpu"), lowered("far", "cuda")

    def wrong(node: Any) -> Any:
        if isinstance(node, ir.Load) and node.pointer.name.endswith("_cells"):
            stored = node.pointer.name == "v_cells"
            if stored == (what == "store"):
                return dataclasses.replace(node, index=ir.Const(0, ir.I64))
        return node

    body = tuple(transform(statement, wrong) for statement in cuda.body)
    assert body != cuda.body
    assert isinstance(equivalent(cpu, dataclasses.replace(cuda, body=body)), Counterexample)


@pytest.mark.parametrize("name", MODELS)
def test_the_text_is_the_kernel(name: str, tmp_path: Path) -> None:
    made = module(name, 2)
    write(files(made, ["cuda"]), tmp_path)
    assert [verdict.problem for verdict in proved(made, ["cuda"], tmp_path)] == ["", ""]
    path = tmp_path / "pairs" / "step.cuh"
    text = re.sub(r"&(\w+)\[cell", r"&\1[2 + cell", path.read_text(), count=1)
    assert text != path.read_text()
    path.write_text(text)
    assert any(verdict.problem for verdict in proved(made, ["cuda"], tmp_path))


def test_the_entry_asks_for_whole_vectors() -> None:
    texts = files(module("far", 2), ["cuda", "hip"])
    assert "heddle::check_row_cells(arrays, 2)" in texts["pairs/step.cu"]
    assert "(n_x + 1) / 2" in texts["pairs/step.cu"]
    assert any("load_vector<2>" in text for name, text in texts.items() if "hip" in name)


@pytest.mark.parametrize(
    ("cells", "targets", "lists"), [(2, ["cpu", "cuda"], True), (1, ["cuda"], False), (2, ["cpu"], False)]
)
def test_headers_list_the_status_of_rows_where_an_entry_returns_it(
    cells: int, targets: list[str], lists: bool
) -> None:
    one = module("far", cells)
    assert ("//   -8  a thread takes several cells" in files(one, targets)["pairs/pairs.h"]) is lists
    fortran = fortran_files(one, targets, "openacc")["pairs/pairs_f.f90"]
    assert ("pairs_uneven_rows = -8" in fortran) is lists
