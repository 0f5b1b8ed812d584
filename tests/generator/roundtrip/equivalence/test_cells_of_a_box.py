# SPDX-License-Identifier: Apache-2.0
"""Some cells of a dense box: targets agree, and a cell taken for another one is found."""

from __future__ import annotations

import dataclasses

import pytest
from heddle import lbm
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.hash_consing import Node
from heddle.ir.schedule import Schedule, precision
from heddle.ir.visit import transform
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from heddle.roundtrip.equivalence.alias_analysis import ASSUME_BEHIND_WALLS, ASSUME_NO_REPEATS
from models import boundaries_of_moments, boundary_in_a_box

MOMENTS = ("moments", "")
CASES = [("Pull", ""), ("AA", "odd"), ("EsoTwist", "even"), MOMENTS]


def lowered(case: tuple[str, str], target: str) -> ir.Kernel:
    known = precision("f64")
    if case == MOMENTS:
        model = boundaries_of_moments()
    else:
        model = boundary_in_a_box(lbm.PressureAntiBounceBack("rho", ("u", 0)), *case)
    kernel = model.typed(known)
    return lower(kernel, Request(known, Schedule(), TARGETS[target])).lowered


@pytest.mark.parametrize("case", CASES)
def test_targets_agree(case: tuple[str, str]) -> None:
    for target in ("reference", "cuda"):
        found = equivalent(lowered(case, "cpu"), lowered(case, target))
        assert isinstance(found, Proof), found
        assert found.tier == "structural", found
    assert {ASSUME_NO_REPEATS, ASSUME_BEHIND_WALLS} <= {*found.assumptions}


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_place_is_found(case: tuple[str, str]) -> None:
    """Along y the place along x is taken."""

    def other(node: Node) -> Node:
        if isinstance(node, ir.Load) and node.pointer.name == "cell_y":
            return ir.Load(dataclasses.replace(node.pointer, name="cell_x"), node.index)
        return node

    kernel = lowered(case, "cuda")
    body = tuple(transform(statement, other) for statement in kernel.body)
    assert body != kernel.body
    found = equivalent(lowered(case, "cpu"), dataclasses.replace(kernel, body=body))
    assert isinstance(found, Counterexample)
