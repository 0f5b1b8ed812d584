# SPDX-License-Identifier: Apache-2.0
"""usual_rows: rows in which a profile has its usual value run a copy of the loop without the choices."""

from __future__ import annotations

import dataclasses

import pytest
from heddle import Assignment, Rows, Schedule, fields, profiles
from heddle.emit.cost import cost
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.hash_consing import Node
from heddle.ir.interpret import Array, run
from heddle.ir.loop_versions import without_versions
from heddle.ir.schedule import precision
from heddle.ir.visit import distinct, statements, transform
from heddle.module import KernelModel
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Proof, equivalent
from models import model
from running import agree
from sympy import Max, Piecewise, Symbol

u, v = fields("u, v: real[3D]", ghost_layers=1)
order = profiles("order: real[z]", ghost_layers=1)
HIGH, LOW = Symbol("high"), Symbol("low")
STEP = [
    Assignment(HIGH, 3 * u[1, 0, 0] - u[-1, 0, 0]),
    Assignment(LOW, u[1, 0, 0] + u.here),
    Assignment(
        v.here,
        Piecewise((HIGH, Max(order.here, order[-1]) >= 5), (LOW, order.here >= 3), (0, True))
        + Piecewise((u[0, 0, 1], order[1] > 0), (0, True)),
    ),
]
USUAL = Schedule(cpu=Rows(usual=("order", 5)))


def entry(schedule: Schedule = USUAL) -> KernelModel:
    return model(STEP, schedule)


def lowered(made: KernelModel, target: str = "cpu", reals: str = "f64") -> ir.Kernel:
    known = precision(reals)
    return lower(made.typed(known), Request(known, made.schedule, TARGETS[target])).lowered


def copies(kernel: ir.Kernel) -> list[ir.If]:
    return [s for s in statements(kernel.body) if isinstance(s, ir.If)]


@pytest.mark.parametrize("reals", ["f64", "f32", "f32/f64"])
def test_targets_give_the_same_bits(reals: str) -> None:
    reference, cpu, cuda = (lowered(entry(), target, reals) for target in ("reference", "cpu", "cuda"))
    for other in (cpu, cuda):
        found = equivalent(reference, other)
        assert isinstance(found, Proof), found
        assert found.tier == "structural"
    assert (len(copies(reference)), len(copies(cpu)), len(copies(cuda))) == (0, 2, 0)
    assert copies(without_versions(cpu)) == []
    agree(entry(), reals, "cpu", 5)


def test_the_copy_has_no_choice_and_computes_nothing_for_it() -> None:
    usual, whole = copies(lowered(entry()))
    chosen = [sum(isinstance(node, ir.Select) for node in distinct(one.body)) for one in (usual, whole)]
    assert chosen == [0, 3]
    names = [{s.symbol.name for s in statements(one.body) if isinstance(s, ir.Let)} for one in (usual, whole)]
    assert "low" in names[1] - names[0]


@pytest.mark.parametrize(("levels", "expected"), [((5.0, 5.0, 5.0), 9.0), ((3.0, 3.0, 5.0), 8.0)])
def test_rows_with_and_without_the_value(levels: tuple[float, ...], expected: float) -> None:
    """One cell: 3 * 3 - 2 + 2 by the usual statements, 3 + 3 + 2 by the others."""
    values = [1.0] * 27
    values[12], values[13], values[14], values[22] = 2.0, 3.0, 3.0, 2.0
    arrays = {
        "u": Array(values, 13, (1, 1, 1), (1, 3, 9)),
        "v": Array([0.0] * 27, 13, (1, 1, 1), (1, 3, 9)),
        "order": Array(list(levels), 1, (1,), (1,)),
    }
    run(lowered(entry()), arrays, {})
    assert arrays["v"].values[13] == expected


def test_a_wrong_copy_is_not_taken_for_one() -> None:
    kernel = lowered(entry())

    def other_value(node: Node) -> Node:
        match node:
            case ir.Op("eq", (ir.Symbol() as symbol, ir.Const(value, scalar)), result):
                return ir.Op("eq", (symbol, ir.Const(value - 3, scalar)), result)
        return node

    wrong = dataclasses.replace(kernel, body=tuple(transform(s, other_value) for s in kernel.body))
    assert without_versions(wrong).body == wrong.body
    found = equivalent(lowered(entry(), "reference"), wrong)
    assert not isinstance(found, Proof) or found.tier == "numeric"  # few random rows have the value


def test_the_cost_is_that_of_the_whole() -> None:
    spent = []
    for made in (entry(), entry(Schedule())):
        stages = lower(made.typed(precision("f64")), Request(precision("f64"), made.schedule, TARGETS["cpu"]))
        spent.append(cost(stages.kernel, stages.lowered, 1))
    assert spent[0] == spent[1]
