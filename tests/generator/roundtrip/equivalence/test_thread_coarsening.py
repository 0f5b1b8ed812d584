# SPDX-License-Identifier: Apache-2.0
"""CUDA threads with several cells, along the outermost axis or of interleaved blocks, and rows whose cells
follow each other: proved equal to a cell at a time, and a wrong cell is found."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from heddle import Assignment, If, Interleaved, Scan, Schedule, Threads, fields
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.build import add, integer, operate
from heddle.ir.hash_consing import Node
from heddle.ir.schedule import precision
from heddle.ir.space import Dense
from heddle.ir.visit import transform
from heddle.module import KernelModel
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from models import lattice_boltzmann, model, random_model, reduction, split_relaxation

UNIT = "the cells of a row follow each other in memory, in all fields"


def lowered(entry: KernelModel, target: str, schedule: Schedule) -> ir.Kernel:
    known = precision("f64")
    entry = dataclasses.replace(entry, schedule=schedule)
    return lower(entry.typed(known), Request(known, schedule, TARGETS[target])).lowered


def proved(entry: KernelModel, schedule: Schedule) -> Proof:
    found = equivalent(lowered(entry, "cpu", schedule), lowered(entry, "cuda", schedule))
    assert isinstance(found, Proof), found
    assert found.tier == "structural", found
    return found


def changed(kernel: ir.Kernel, change: Callable[[Node], Node]) -> ir.Kernel:
    body = tuple(transform(statement, change) for statement in kernel.body)
    assert body != kernel.body
    return dataclasses.replace(kernel, body=body)


def growing() -> KernelModel:
    """In place and under a condition: a cell must not grow twice."""
    u = fields("u: real[2D]")
    return model([If(u.here > 0, [Assignment(u.here, 2 * u.here)])])


@pytest.mark.parametrize("cells", [2, 3, 4])
@pytest.mark.parametrize("seed", range(12))
def test_random_models(seed: int, cells: int) -> None:
    entry = model(random_model(seed))
    if entry.space != Dense(1) and not any(isinstance(s, Scan) for s in entry.statements):
        proved(entry, Schedule(gpu=Threads(coarsening=cells, unit_stride=bool(seed % 2))))


@pytest.mark.parametrize("entry", [growing(), model(reduction(2)), model(reduction(3))])
def test_conditions_and_reductions(entry: KernelModel) -> None:
    proved(entry, Schedule(gpu=Threads(coarsening=4)))


def test_colours_with_unit_rows() -> None:
    schedule = Schedule(colours=2, gpu=Threads(coarsening=3, unit_stride=True))
    assert UNIT in proved(model(split_relaxation(3), schedule), schedule).assumptions


@pytest.mark.parametrize("unit", [True, False])
def test_a_wrong_plane_is_found(unit: bool) -> None:
    """The second cell of a thread one plane too far, or the first cell once more."""
    schedule = Schedule(colours=2, gpu=Threads(coarsening=2, unit_stride=unit))
    entry = model(split_relaxation(3), schedule)
    cpu, cuda = lowered(entry, "cpu", schedule), lowered(entry, "cuda", schedule)

    def twice(node: Node) -> Node:
        return dataclasses.replace(node, yes=add(node.yes, node.yes)) if is_step(node) else node  # type: ignore[attr-defined]

    def none(node: Node) -> Node:
        return integer(0) if is_step(node) else node

    def is_step(node: Node) -> bool:
        return isinstance(node, ir.Select) and node.type == ir.I64

    for wrong in (twice, none):
        assert isinstance(equivalent(cpu, changed(cuda, wrong)), Counterexample)


def test_a_cell_beyond_the_last_is_found() -> None:
    """A thread at the end of the axis that has no second cell must not take one."""
    entry, schedule = growing(), Schedule(gpu=Threads(coarsening=2))
    cpu, cuda = lowered(entry, "cpu", schedule), lowered(entry, "cuda", schedule)

    def unguarded(node: Node) -> Node:
        beyond = isinstance(node, ir.Op) and node.name == "lt" and node.args[0].type == ir.I64
        return ir.Const(True, ir.BOOL) if beyond else node

    assert isinstance(equivalent(cpu, changed(cuda, unguarded)), Counterexample)


def test_a_wrong_neighbour_in_unit_rows_is_found() -> None:
    u, v = fields("u, v: real[2D]")
    schedule = Schedule(gpu=Threads(unit_stride=True))
    right, left = (model([Assignment(v.here, u[step, 0])]) for step in (1, -1))
    assert UNIT in proved(right, schedule).assumptions
    found = equivalent(lowered(right, "cpu", schedule), lowered(left, "cuda", schedule))
    assert isinstance(found, Counterexample)
    assert found.values


ASSUME_LANES = Schedule(gpu=Interleaved(4))
HALVES = Schedule(gpu=Interleaved(4, threads_per_vector=2))


@pytest.mark.parametrize("schedule", [ASSUME_LANES, HALVES])
@pytest.mark.parametrize(("pattern", "step"), [("AA", "even"), ("AA", "odd"), ("Pull", "")])
def test_lanes_are_blocks(pattern: str, step: str, schedule: Schedule) -> None:
    entry = in_lanes(lattice_boltzmann(pattern, step), 4)
    known = "a kernel without lanes runs on each of 4 interleaved blocks"
    assert known in proved(entry, schedule).assumptions
    cuda = lowered(entry, "cuda", schedule)
    same = equivalent(cuda, cuda)
    assert isinstance(same, Proof)
    assert same.tier == "structural"


def test_the_wrong_part_of_a_vector_is_found() -> None:
    """Both threads of a vector take its first half, or the row ends after half of its vectors."""
    entry = in_lanes(lattice_boltzmann("AA", "odd"), 4)
    cpu, cuda = lowered(entry, "cpu", HALVES), lowered(entry, "cuda", HALVES)

    def first_half(node: Node) -> Node:
        part = ir.Symbol("x_part", ir.I64)
        own = operate("mul", operate("div", part, integer(2)), integer(4))
        return own if node == operate("mul", part, integer(2)) else node

    def half_a_row(node: Node) -> Node:
        row = operate("mul", ir.Symbol("n_x", ir.I64), integer(2))
        return (
            operate("mul", operate("div", ir.Symbol("n_x", ir.I64), integer(2)), integer(2))
            if node == row
            else node
        )

    for wrong in (first_half, half_a_row):
        with pytest.raises(KernelError, match="are not proved equal"):
            equivalent(cpu, changed(cuda, wrong))


def in_lanes(entry: KernelModel, lanes: int) -> KernelModel:
    return model(entry.statements, Schedule(gpu=Interleaved(lanes)))


def test_lanes_that_are_not_proved_are_refused() -> None:
    """Never a counterexample: random fields are single blocks."""
    u, v = fields("u, v: real[2D]")
    right, left = ([Assignment(v.here, 2 * u[step, 0])] for step in (1, -1))
    cuda = lowered(model(right, ASSUME_LANES), "cuda", ASSUME_LANES)
    assert equivalent(lowered(model(right, ASSUME_LANES), "cpu", ASSUME_LANES), cuda)
    two = Schedule(gpu=Interleaved(2))
    for other in (
        lowered(model(left, ASSUME_LANES), "cpu", ASSUME_LANES),
        lowered(model(left, ASSUME_LANES), "cuda", ASSUME_LANES),
        lowered(model(right, two), "cuda", two),
    ):
        with pytest.raises(KernelError, match="interleaved blocks at a time and are not proved equal"):
            equivalent(other, cuda)
