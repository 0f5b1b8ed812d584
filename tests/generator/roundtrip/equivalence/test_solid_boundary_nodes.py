# SPDX-License-Identifier: Apache-2.0
"""Lists that hold cells behind walls: targets agree, and a wrong pointer or a wrong component is found."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from heddle import Schedule, Sparse
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.build import add, integer
from heddle.ir.hash_consing import Node
from heddle.ir.schedule import precision
from heddle.ir.visit import transform
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from models import lattice_boltzmann

CASES = [("EsoTwist", "even"), ("EsoTwist", "odd"), ("EsoPull", "odd")]


def lowered(case: tuple[str, str], target: str) -> ir.Kernel:
    known = precision("f64")
    entry = lattice_boltzmann(*case, Sparse("fluid"), Schedule())
    return lower(entry.typed(known), Request(known, Schedule(), TARGETS[target])).lowered


def changed(kernel: ir.Kernel, change: Callable[[Node], Node]) -> ir.Kernel:
    body = tuple(transform(statement, change) for statement in kernel.body)
    assert body != kernel.body
    return dataclasses.replace(kernel, body=body)


@pytest.mark.parametrize("case", CASES)
def test_targets_agree(case: tuple[str, str]) -> None:
    for target in ("reference", "cuda"):
        found = equivalent(lowered(case, "cpu"), lowered(case, target))
        assert isinstance(found, Proof), found
        assert found.tier == "structural", found


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_pointer_is_found(case: tuple[str, str]) -> None:
    """The second row of the table is read where the first belongs."""

    def other_row(node: Node) -> Node:
        if (
            isinstance(node, ir.Load)
            and node.pointer.name == "neighbour"
            and node.index == ir.Symbol("n", ir.I64)
        ):
            return ir.Load(node.pointer, add(ir.Symbol("neighbour_stride", ir.I64), node.index))
        return node

    assert isinstance(
        equivalent(lowered(case, "cpu"), changed(lowered(case, "cuda"), other_row)), Counterexample
    )


def test_a_wrong_component_is_found() -> None:
    def other_component(node: Node) -> Node:
        if isinstance(node, ir.Op) and node.name == "mul" and node.args[0] == integer(4):
            return ir.Op("mul", (integer(3), node.args[1]), node.type)
        return node

    kernel = lowered(("EsoTwist", "odd"), "cuda")
    assert isinstance(equivalent(kernel, changed(kernel, other_component)), Counterexample)
