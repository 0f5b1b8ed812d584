# SPDX-License-Identifier: Apache-2.0
"""Threads(level_by_level=True): what threads share and what they keep, proved equal to cells one by one."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from heddle import Assignment, KernelError, Module, Schedule, Threads, fields, parameters, profiles
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.device_calls import is_call
from heddle.ir.schedule import precision
from heddle.ir.stages import Request
from heddle.ir.visit import statements, transform
from heddle.pipeline import lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from sympy import Piecewise, Symbol

u, v, w = fields("u, v, w: real[3D]", ghost_layers=4)
many, next_ = fields("many, next_: real(3)[3D]", ghost_layers=3)
flux_x, flux_y, flux_z, share = fields("flux_x, flux_y, flux_z, share: real[3D]", intermediate=True)
each = fields("each: real(3)[3D]", intermediate=True)
rho = profiles("rho: real[z]", ghost_layers=2)
mass = fields("mass: real[xy]", ghost_layers=2)
dt = parameters("dt")
west, total = Symbol("west"), Symbol("total")
MODELS: dict[str, list[Any]] = {
    # a flux through each face, computed once
    "fluxes": [
        Assignment(flux_x.here, dt * (u.here - u[-1, 0, 0]) * w.here),
        Assignment(flux_y.here, dt * (u.here - u[0, -1, 0]) * w.here),
        Assignment(flux_z.here, rho.here * (u.here - u[0, 0, -1]) * w.here),
        Assignment(
            v.here,
            flux_x[1, 0, 0] - flux_x.here + flux_y[0, 1, 0] - flux_y.here + flux_z[0, 0, 1] - flux_z.here,
        ),
    ],
    # two stages: what the second shares depends on what the first does, in columns around it
    "stages": [
        Assignment(flux_x.here, mass.here * (u.here - u[-1, 0, 0]) * dt),
        Assignment(share.here, rho.here / (1 + flux_x[1, 0, 0] ** 2 + flux_x.here**2)),
        Assignment(v.here, Piecewise((share[-1, -1, 1], w.here > 0), (share[-1, 1, -1], True)) * flux_x.here),
    ],
    # a value of three levels, further apart than one step
    "far": [
        Assignment(share.here, dt * u.here * w.here + rho.here * u.here),
        Assignment(v.here, share[0, 0, 2] + share[1, 0, -1] + share[0, -1, 0]),
    ],
    "components": [
        *(Assignment(each.component(n), dt * many.component(n) * (1 + many[0, 0, 1, n])) for n in range(3)),
        *(Assignment(next_.component(n), each[1, 0, 0, n] - each[0, 0, 0, n]) for n in range(3)),
    ],
    "nothing to share": [Assignment(v.here, u[1, 0, 0] + rho.here)],
}
BLOCK = (16, 8, 1)


def schedule(block: tuple[int, int, int] = BLOCK) -> Schedule:
    return Schedule(gpu=Threads(block=block, unit_stride=True, same_strides=True, level_by_level=True))


def lowered(name: str, target: str, block: tuple[int, int, int] = BLOCK) -> ir.Kernel:
    known, made = precision("f64"), Module("levels", precisions=("f64",))
    made.add("step", MODELS[name], schedule=schedule(block))
    model = made.kernels["step"]
    return lower(model.typed(known), Request(known, schedule(block), TARGETS[target])).lowered


@pytest.mark.parametrize("name", MODELS)
def test_it_does_what_the_cpu_does(name: str) -> None:
    found = equivalent(lowered(name, "cpu"), lowered(name, "cuda"))
    assert isinstance(found, Proof), found
    assert found.tier == "structural"


def test_what_is_shared_is_computed_once() -> None:
    body = lowered("fluxes", "cuda").body
    planes = [s.symbol.name for s in statements(body) if isinstance(s, ir.Local)]
    kept = [s.symbol.name for s in statements(body) if isinstance(s, ir.Var)]
    assert planes == ["flux_x_value_shared", "flux_y_value_shared"]
    assert "flux_z_value_before_1" in kept
    named = [s.symbol.name for s in statements(body) if isinstance(s, ir.Let)]
    assert [name for name in named if name.startswith("flux")] == [
        "flux_x_value", "flux_y_value", "flux_z_value",
    ]  # fmt: skip
    assert sum(is_call(s, "barrier") for s in statements(body)) == 1


def changed(kernel: ir.Kernel, what: str) -> ir.Kernel:
    """The kernel with a fault of threads that share memory."""

    def wrong(node: Any) -> Any:
        match what, node:
            case "another column", ir.Load(ir.Symbol(name), ir.Op("sub", (place, ir.Const(17)))) if (
                name.endswith("_shared")
            ):
                return dataclasses.replace(node, index=ir.Op("sub", (place, ir.Const(16, ir.I64)), ir.I64))
            case "the other branch", ir.Select(condition, yes, no):
                return ir.Select(condition, no, yes)
            case "too few threads", ir.Let(ir.Symbol("cell_x"), ir.Op("sub", (place, _))):
                return dataclasses.replace(node, value=place)
            case "too few columns", ir.Op("mul", (ir.Const(int(cells)), ir.Op("div") as block)):
                return dataclasses.replace(node, args=(ir.Const(cells + 1, ir.I64), block))
            case "one slot", ir.Op("bitand", (step, ir.Const(1))):
                return dataclasses.replace(node, args=(step, ir.Const(0, ir.I64)))
            case "this step", ir.Let(ir.Symbol(name), value) if name.startswith("slot_2_before_1"):
                (inner, plane) = value.args
                return dataclasses.replace(
                    node, value=dataclasses.replace(value, args=(
                        dataclasses.replace(inner, args=(inner.args[0].args[0], inner.args[1])), plane
                    ))
                )  # fmt: skip
            case "an older value", ir.Assign(symbol, ir.Symbol(name)) if not name.endswith("before_1"):
                return dataclasses.replace(node, value=symbol)
            case "the nearest cell", ir.Call("max", (place, ir.Const(-1))):
                return dataclasses.replace(node, args=(place, ir.Const(0, ir.I64)))
            case "a step too few", ir.Loop(kind="levels", end=ir.Op("add", (n, ir.Const(int(more))))):
                return dataclasses.replace(node, end=ir.Op("add", (n, ir.Const(more - 1, ir.I64)), ir.I64))
            case "every thread", ir.Let(ir.Symbol("own"), ir.Op("and", (some, _))):
                return dataclasses.replace(node, value=some)
            case "no barrier", ir.Loop(kind="levels", body=(*inside, _)):
                return dataclasses.replace(node, body=tuple(inside))
        return node

    body = tuple(transform(statement, wrong) for statement in kernel.body)
    assert body != kernel.body
    return dataclasses.replace(kernel, body=body)


FAULTS = {
    "the other branch": "",
    "another column": "for another cell",
    "too few threads": "has too few threads|no thread of the block|the thread has a cell",
    "too few columns": "do not cover all cells",
    "one slot": "in the step in which it is written",
    "this step": "in the step in which it is written",
    "an older value": "a step is needed before the first|changes too early|has no value",
    "the nearest cell": "for another cell",
    "a step too few": "do not meet each level once",
    "every thread": "that the thread has a cell",
}


@pytest.mark.parametrize("what", FAULTS)
def test_faults_are_found(what: str) -> None:
    cpu, cuda = lowered("stages", "cpu"), changed(lowered("stages", "cuda"), what)
    if FAULTS[what]:
        with pytest.raises(KernelError, match=FAULTS[what]):
            equivalent(cpu, cuda)
    else:
        assert isinstance(equivalent(cpu, cuda), Counterexample)
