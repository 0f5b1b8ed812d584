# SPDX-License-Identifier: Apache-2.0
"""rows_past_caches: rows of large arrays run a copy of the loop, which stores past the caches."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from heddle import Assignment, If, Rows, Schedule, fields, parameters
from heddle.emit.cost import cost
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.device_calls import is_call, with_parts
from heddle.ir.hash_consing import Node
from heddle.ir.loop_versions import without_versions
from heddle.ir.schedule import precision
from heddle.ir.visit import statements, transform
from heddle.module import KernelModel
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Proof, equivalent
from models import model
from running import agree

u, v, w = fields("u, v, w: real[3D]")
STEP = [
    Assignment(v.here, 2 * u[1, 0, 0] - u[0, 0, -1]),
    Assignment(w.here, parameters("scale") * u.here),
]
ALWAYS, LARGE = (Schedule(cpu=Rows(nontemporal_from=mebibytes)) for mebibytes in (0, 32))


def lowered(made: KernelModel, target: str = "cpu", reals: str = "f64") -> ir.Kernel:
    known = precision(reals)
    return lower(made.typed(known), Request(known, made.schedule, TARGETS[target])).lowered


def copies(kernel: ir.Kernel) -> list[ir.If]:
    return [s for s in statements(kernel.body) if isinstance(s, ir.If)]


@pytest.mark.parametrize("schedule", [ALWAYS, LARGE])
@pytest.mark.parametrize("reals", ["f64", "f32", "f32/f64"])
def test_both_loops_give_the_same_bits(schedule: Schedule, reals: str) -> None:
    """In the interpreter either loop runs, as the number of MiB says; a proof looks at both."""
    reference, cpu, cuda = (
        lowered(model(STEP, schedule), target, reals) for target in ("reference", "cpu", "cuda")
    )
    for other in (cpu, cuda):
        found = equivalent(reference, other)
        assert isinstance(found, Proof), found
        assert found.tier == "structural"
    assert (len(copies(reference)), len(copies(cpu)), len(copies(cuda))) == (0, 2, 0)
    assert copies(without_versions(cpu)) == []
    agree(model(STEP, schedule), reals, "cpu", 5)


def test_halves_stay_as_they_are() -> None:
    assert copies(lowered(model(STEP, LARGE), reals="f16")) == []


def shorter_count(node: Node) -> Node:
    """Of a strip all cells but the last."""
    if is_call(node, "stream_run"):
        return with_parts(node, count=ir.Op("sub", (node.args[-1], ir.Const(1, ir.I64)), ir.I64))
    return node


def other_row(node: Node) -> Node:
    """v's strip goes where w's goes."""
    if is_call(node, "stream_run"):
        return with_parts(node, row=ir.Symbol("w_row", node.args[0].type))
    return node


def other_factor(node: Node) -> Node:
    """Another value in one of the loops."""
    if isinstance(node, ir.Loop) and isinstance(node.begin, ir.Symbol):
        return dataclasses.replace(node, body=tuple(transform(s, doubled) for s in node.body))
    return node


def doubled(node: Node) -> Node:
    return ir.Const(4.0, node.type) if isinstance(node, ir.Const) and node.value == 2 else node


@pytest.mark.parametrize("wrong", [shorter_count, other_row, other_factor])
def test_a_wrong_copy_is_not_taken_for_one(wrong: Any) -> None:
    kernel = lowered(model(STEP, ALWAYS))
    changed = dataclasses.replace(kernel, body=tuple(transform(s, wrong) for s in kernel.body))
    assert changed != kernel
    assert without_versions(changed).body == changed.body


def test_a_row_that_is_read_is_not_stored_past_the_caches() -> None:
    """A strip stores behind its last cell, so a loop that reads the array has to keep its order."""
    kernel = lowered(model(STEP, ALWAYS))
    first = kernel.body[0]
    assert isinstance(first, ir.Let)
    reading = ir.Let(
        ir.Symbol("seen", ir.F64), ir.Load(ir.Symbol("v", ir.Pointer(ir.F64)), ir.Const(0, ir.I64))
    )
    changed = dataclasses.replace(kernel, body=(reading, *kernel.body))
    assert len(copies(without_versions(kernel))) == 0
    assert len(copies(without_versions(changed))) == 2


def test_the_cost_is_that_of_the_plain_loop() -> None:
    spent = []
    for schedule in (LARGE, Schedule(cpu=Rows())):
        made = model(STEP, schedule)
        stages = lower(made.typed(precision("f64")), Request(precision("f64"), schedule, TARGETS["cpu"]))
        spent.append(cost(stages.kernel, stages.lowered, 1))
    assert spent[0] == spent[1]


@pytest.mark.parametrize(
    "statement",
    [Assignment(u.here, 2 * u.here), If(u.here > 0, [Assignment(v.here, 1)])],
    ids=["in place", "under a condition"],
)
def test_what_is_not_stored_in_every_cell_is_refused(statement: Any) -> None:
    with pytest.raises(KernelError, match="no loop over whole rows that stores"):
        lowered(model([statement], LARGE))
