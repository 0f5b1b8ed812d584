# SPDX-License-Identifier: Apache-2.0
"""Threads(same_strides=True): one number of a cell for all fields, in 32 bits, proved equal to pointers."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
from heddle import Assignment, If, Module, Reduce, Scan, Schedule, Threads, fields, parameters, profiles
from heddle.build import files, write
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.schedule import precision
from heddle.ir.stages import Request
from heddle.ir.visit import transform
from heddle.pipeline import lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from heddle.roundtrip.report import proved
from sympy import Symbol

ASSUMED = "all fields have the same strides, and 31 bits number their elements"
ALIKE = Schedule(gpu=Threads(block=(32, 4, 1), unit_stride=True, same_strides=True))
u, v = fields("u, v: real[3D]", ghost_layers=2)
many = fields("many: real(3)[3D]")
plane = fields("plane: real[xy]")
rho = profiles("rho: real[z]")
dt = parameters("dt")
c = Symbol("c")
half = Symbol("half")
STEP = [Assignment(v.here, rho.here * (u[-1, 2, 0] - u[0, -1, 1]) + dt * u[0, -2, 0])]
MODELS: dict[str, list[Any]] = {
    "stencil": STEP,
    "condition": [If(u.here > 0, STEP)],
    "a number of the host": [Assignment(half, dt / 2), Assignment(v.here, half * u[0, 1, 0] + half)],
    "components": [Assignment(v.here, many[0, -1, 0, 2] + many.component(0))],
    "plane": [Assignment(v.here, u[0, 1, 0] * plane[-1, 1])],
    "column": [Scan(2, {c: 0}, [Assignment(v.here, u[0, 1, 0] + c)], {c: c + u.here})],
    "reduction": [*STEP, Reduce("max", "most", u[0, 0, -1])],
}


def module(statements: list[Any], schedule: Schedule = ALIKE) -> Module:
    made = Module("alike", precisions=("f64", "f32"))
    made.add("step", statements, schedule=schedule)
    return made


def lowered(statements: list[Any], target: str, schedule: Schedule = ALIKE) -> ir.Kernel:
    known, model = precision("f64"), module(statements, schedule).kernels["step"]
    return lower(model.typed(known), Request(known, schedule, TARGETS[target])).lowered


def test_one_number_serves_all_fields() -> None:
    texts = files(module(STEP), ["cuda"])
    kernel, entry = texts["alike/step.cuh"], texts["alike/step.cu"]
    assert "const int cell = x + y * stride_y + z * stride_z;" in kernel
    assert "u[cell - 1 + 2 * stride_y]" in kernel
    assert "u[cell - 2 * stride_y]" in kernel
    assert "v[cell] =" in kernel
    assert "std::int64_t" not in kernel
    assert "v_stride[" not in entry
    assert "heddle::check_same_strides(arrays, true)" in entry


@pytest.mark.parametrize("cells", [1, 2])
@pytest.mark.parametrize("name", MODELS)
def test_it_does_what_the_cpu_does(name: str, cells: int) -> None:
    if cells > 1 and name == "column":
        return
    schedule = dataclasses.replace(ALIKE, gpu=dataclasses.replace(ALIKE.gpu, coarsening=cells))
    kernels = [lowered(MODELS[name], target, schedule) for target in ("cpu", "cuda")]
    found = equivalent(*kernels)
    assert isinstance(found, Proof), found
    assert found.tier == "structural"
    assert ASSUMED in found.assumptions


def test_another_element_is_found() -> None:
    cpu, cuda = (lowered(STEP, target) for target in ("cpu", "cuda"))

    def wrong(node: Any) -> Any:
        if isinstance(node, ir.Op) and node.name == "sub" and isinstance(node.args[1], ir.Op):
            return dataclasses.replace(node, name="add")
        return node

    body = tuple(transform(statement, wrong) for statement in cuda.body)
    assert body != cuda.body
    found = equivalent(cpu, dataclasses.replace(cuda, body=body))
    assert isinstance(found, Counterexample)
    assert found.values


@pytest.mark.parametrize("name", ["stencil", "a number of the host", "plane", "column", "reduction"])
def test_the_text_is_the_kernel(name: str, tmp_path: Path) -> None:
    made = module(MODELS[name])
    write(files(made, ["cuda"]), tmp_path)
    assert [verdict.problem for verdict in proved(made, ["cuda"], tmp_path)] == ["", ""]
    path = tmp_path / "alike" / "step.cuh"
    text = re.sub(r"u\[cell( . )", r"u[1 + cell\1", path.read_text(), count=1)
    assert text != path.read_text()
    path.write_text(text)
    assert any(verdict.problem for verdict in proved(made, ["cuda"], tmp_path))
