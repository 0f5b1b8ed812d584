# SPDX-License-Identifier: Apache-2.0
"""Copies for a usual value: proved to be the whole with that value put in, and a wrong copy is found."""

from __future__ import annotations

import dataclasses

import pytest
from heddle import Assignment, Reduce, Rows, Schedule, Threads, fields, has_bit
from heddle.emit.cost import cost
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.hash_consing import Node
from heddle.ir.loop_versions import without_versions
from heddle.ir.schedule import precision
from heddle.ir.visit import statements, transform
from heddle.module import KernelModel
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Proof, equivalent
from heddle.solvers import relaxation
from models import model
from running import agree
from sympy import Abs, Piecewise


def around_walls(schedule: Schedule, split: bool = True, differential_test: bool = True) -> KernelModel:
    phi, right = fields("phi, right: real[3D]", split=split)
    open_faces = fields("open: uint8[3D]", split=split)
    equation = relaxation.poisson(phi, right, openings=open_faces)
    return model(list(equation.sor(largest_change="largest" if differential_test else "")), schedule)


def masked(schedule: Schedule, rank: int = 2) -> KernelModel:
    """Without colours, out of place, with a sum over cells that are no walls."""
    u, v = fields(f"u, v: real[{rank}D]")
    flag = fields(f"flag: int32[{rank}D]")
    step = (1,) + (0,) * (rank - 1)
    value = Piecewise((u[step] / 3, has_bit(flag.here, 1)), (u.here, True))
    return model([Assignment(v.here, value), Reduce("sum", "total", Abs(value))], schedule)


def lowered(entry: KernelModel, target: str) -> ir.Kernel:
    known = precision("f64")
    return lower(entry.typed(known), Request(known, entry.schedule, TARGETS[target])).lowered


CELLS = [
    Schedule(colours=2, gpu=Threads(coarsening=n, unit_stride=True), specialise=("open", 63))
    for n in (1, 2, 3)
]
CASES = [
    *(around_walls(schedule) for schedule in CELLS),
    around_walls(CELLS[2], differential_test=False),
    around_walls(dataclasses.replace(CELLS[2], fma=True)),
    *(masked(Schedule(specialise=("flag", 3)), rank) for rank in (1, 2, 3)),
    masked(Schedule(gpu=Threads(coarsening=2), specialise=("flag", 0))),
    masked(Schedule(cpu=Rows(simd=False, parallel=False), specialise=("flag", 3))),
]


@pytest.mark.parametrize("entry", CASES)
def test_targets_give_the_same_bits(entry: KernelModel) -> None:
    reference, cpu, cuda = (lowered(entry, target) for target in ("reference", "cpu", "cuda"))
    for one, other in ((reference, cpu), (cpu, cuda)):
        found = equivalent(one, other)
        assert isinstance(found, Proof), found
        assert found.tier == "structural", found
    assert without_versions(reference) is reference
    for kernel in (cpu, cuda):
        copies = [s for s in statements(kernel.body) if isinstance(s, ir.If)]
        assert len(copies) == 2, kernel.name
        assert len([s for s in statements(without_versions(kernel).body) if isinstance(s, ir.If)]) == 0


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize(
    "entry",
    [around_walls(Schedule(colours=2, gpu=Threads(coarsening=2), specialise=("open", 3))), *CASES[5:8]],
)
def test_the_pass_keeps_every_value(entry: KernelModel, target: str) -> None:
    """By running the kernel before and after it; single cells have the value now and then."""
    agree(entry, "f64", target, 5)


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("entry", [CASES[0], CASES[2], CASES[6]])
def test_a_wrong_copy_is_not_taken_for_one(entry: KernelModel, target: str) -> None:
    """A condition for another value, and a copy that computes something else."""
    right = lowered(entry, "reference")
    kernel = lowered(entry, target)

    def other_value(node: Node) -> Node:
        match node:
            case ir.Call("all_equal", (*row, ir.Const(value, scalar))):
                return ir.Call("all_equal", (*row, ir.Const(value - 2, scalar)), ir.BOOL)
            case ir.Op("eq", (ir.Symbol() as symbol, ir.Const(value, scalar)), result) if scalar == ir.I32:
                return ir.Op("eq", (symbol, ir.Const(value - 2, scalar)), result)
        return node

    def other_sum(node: Node) -> Node:
        whole = isinstance(node, ir.If) and isinstance(node.condition, ir.Op) and node.condition.name == "not"
        if not isinstance(node, ir.If) or whole:
            return node
        return transform(node, lambda n: ir.Op("sub", n.args, n.type) if _adds(n) else n)  # type: ignore[no-any-return]

    for change in (other_value, other_sum):
        wrong = dataclasses.replace(kernel, body=tuple(transform(s, change) for s in kernel.body))
        assert wrong.body != kernel.body
        assert without_versions(wrong).body == wrong.body
        if target == "cpu":
            with pytest.raises(KernelError, match="all_equal is not an expression"):
                equivalent(right, wrong)
        else:  # few random cells have the value, so runs may agree
            found = equivalent(right, wrong)
            assert not isinstance(found, Proof) or found.tier == "numeric"


def _adds(node: Node) -> bool:
    return isinstance(node, ir.Op) and node.name in ("add", "mul") and node.type == ir.F64


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_the_cost_is_that_of_the_whole(target: str) -> None:
    known = precision("f64")
    spent = []
    for schedule in (CELLS[2], dataclasses.replace(CELLS[2], specialise=None)):
        entry = around_walls(schedule)
        stages = lower(entry.typed(known), Request(known, schedule, TARGETS[target]))
        spent.append(cost(stages.kernel, stages.lowered, 3 if target == "cuda" else 1))
    assert spent[0] == spent[1]
