# SPDX-License-Identifier: Apache-2.0
"""A chosen place of one element, and the chosen one of two elements."""

from __future__ import annotations

import dataclasses

import pytest
from heddle import Dense, Interleaved, Module, Schedule, Threads, lbm
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.hash_consing import Node
from heddle.ir.visit import transform, walk
from heddle.roundtrip.compare import Proof, equivalent

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


def in_place(target: str, lanes: int = 1, renew: bool = False) -> ir.Kernel:
    """The odd step of AA, which stores where walls and cells beside them lie."""
    module = Module("walled", precisions=("f64",))
    step = lbm.AA(D2Q9)(lbm.BGK(D2Q9))
    gpu = Interleaved(lanes, rematerialise=renew) if lanes > 1 else Threads(rematerialise=renew)
    module.add("step", step, Dense(walls=("w", "e", "n")), Schedule(gpu=gpu))
    return module.stages("step_odd", "f64", target).lowered


@pytest.mark.parametrize(("lanes", "renew"), [(1, False), (1, True), (2, False), (2, True)])
def test_iterations_in_place_leave_each_other_alone(lanes: int, renew: bool) -> None:
    """Also where nothing says so: in the serial loops of the reference."""
    reference, rows, threads = (in_place(target, lanes, renew) for target in ("reference", "cpu", "cuda"))
    for result in (equivalent(reference, rows), equivalent(rows, threads)):
        assert isinstance(result, Proof), result
        assert result.tier == "structural", result


def test_iterations_beside_a_wall_within_the_box_do_not() -> None:
    """A wall after the first cell: what it stores there, cells behind the wall store, too."""

    def within(node: Node) -> Node:
        if isinstance(node, ir.Op) and node.name == "eq" and node.args[0] == ir.Symbol("x", ir.I64):
            return dataclasses.replace(node, args=(node.args[0], integer(1)))
        return node

    moved = [transform(in_place(target), within) for target in ("reference", "cpu")]
    assert moved[0] != in_place("reference")
    result = equivalent(*moved)
    assert isinstance(result, Proof), result
    assert result.tier == "numeric", result


def _loads(kernel: ir.Kernel) -> list[ir.Load]:
    return [node for node in walk(kernel.body) if isinstance(node, ir.Load)]
