# SPDX-License-Identifier: Apache-2.0
"""A chosen place of one element, and the chosen one of two elements."""

from __future__ import annotations

import dataclasses

import pytest
from heddle import Dense, Module, lbm
from heddle.equivalence import Proof, equivalent
from heddle.ir import nodes as ir
from heddle.ir.visit import transform, walk

D2Q9 = lbm.Lattice("D2Q9")
PATTERNS = {"pull": lbm.Pull, "push": lbm.Push}


def both(pattern: str) -> tuple[ir.Kernel, ir.Kernel]:
    """A step with walls within, for rows and for threads."""
    module = Module("walled", precisions=("f64",), about="Walls within the step.")
    module.add("step", PATTERNS[pattern](D2Q9)(lbm.BGK(D2Q9)), Dense(walls=("w", "e", "n")))
    (kernel,) = module.kernels
    chosen = module.precisions[0]
    return module.stages(kernel, chosen, "cpu").lowered, module.stages(kernel, chosen, "cuda").lowered


@pytest.mark.parametrize("pattern", PATTERNS)
def test_threads_choose_the_places_of_rows(pattern: str) -> None:
    rows, threads = both(pattern)
    result = equivalent(rows, threads)
    assert isinstance(result, Proof), result
    assert result.tier == "structural", result


def test_the_other_place_is_another_element() -> None:
    rows, threads = both("pull")
    places = [n.index for n in _loads(threads) if isinstance(n.index, ir.Select)]
    wrong = places[-1]
    swapped = dataclasses.replace(wrong, yes=wrong.no, no=wrong.yes)
    other = transform(threads, lambda node: swapped if node == wrong else node)
    assert not isinstance(equivalent(rows, other), Proof)


def _loads(kernel: ir.Kernel) -> list[ir.Load]:
    return [node for node in walk(kernel.body) if isinstance(node, ir.Load)]
