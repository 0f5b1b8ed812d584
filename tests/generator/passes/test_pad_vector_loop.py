# SPDX-License-Identifier: Apache-2.0
"""Strips that move through small arrays: loops over all lanes, and what the last strip of a row stores."""

from __future__ import annotations

from typing import Any

import pytest
import running
from heddle import Assignment, CacheLines, Module, Schedule, Strips, While, fields, lbm
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.build import add, integer
from heddle.ir.device_calls import device_call, is_call, parts_of
from heddle.ir.schedule import precision
from heddle.ir.visit import rebuild, statements
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from sympy import Max, Symbol

D2Q9 = lbm.Lattice("D2Q9")


def kernel(pattern: Any, chosen: str, schedule: Schedule, target: str = "cpu") -> ir.Kernel:
    module = Module("m", precisions=(chosen,))
    module.add("step", pattern(D2Q9)(lbm.BGK(D2Q9, "omega")), schedule=schedule)
    entry = next(iter(module.kernels.values()))
    known = precision(chosen)
    return lower(entry.typed(known), Request(known, schedule, TARGETS[target])).lowered


def lanes(lowered: ir.Kernel) -> ir.Loop:
    (loop,) = (s for s in statements(lowered.body) if isinstance(s, ir.Loop) and s.kind == "simd")
    return loop


HALVES = lbm.AA, "f16", Schedule(cpu=Strips(16))
STREAMED = {
    "f64": (lbm.Pull, "f64", Schedule(cpu=CacheLines(2, nontemporal=True))),
    "f32": (lbm.Pull, "f32", Schedule(cpu=CacheLines(2, nontemporal=True))),
}


@pytest.mark.parametrize("case", [HALVES, *STREAMED.values()], ids=["halves", *STREAMED])
def test_all_lanes_of_arrays(case: tuple[Any, str, Schedule]) -> None:
    """The loop has as many lanes as the arrays, touches nothing else, and stores what the reference does."""
    lowered = kernel(*case)
    loop = lanes(lowered)
    (length,) = {s.length for s in statements(lowered.body) if isinstance(s, ir.Local)}
    assert loop.end == add(loop.begin, integer(length))
    proof = equivalent(kernel(*case, target="reference"), lowered)
    assert isinstance(proof, Proof), proof
    assert proof.tier == "structural"


@pytest.mark.parametrize(
    "case",
    [
        (lbm.Pull, "f64", Schedule(cpu=Strips(16, nontemporal=True))),  # two vectors
        (lbm.AA, "f64", Schedule(cpu=CacheLines(2))),  # works on the rows
    ],
)
def test_loops_on_rows_stop_at_the_end(case: tuple[Any, str, Schedule]) -> None:
    assert isinstance(lanes(kernel(*case)).end, ir.Symbol)


@pytest.mark.parametrize(("chosen", "strip"), [("f64", 8), ("f16", 16)])
def test_a_field_of_another_size_stays_in_its_row(chosen: str, strip: int) -> None:
    """Then no lane may be beyond the row."""
    u, u_next = fields("u, u_next: real[1D]")
    mask = fields("mask: uint8[1D]")
    schedule = Schedule(cpu=Strips(strip, nontemporal=chosen == "f64"))
    module = Module("m", precisions=(chosen,))
    module.add("step", [Assignment(u_next.here, u.here * mask.here)], schedule=schedule)
    known = precision(chosen)
    lowered = lower(module.kernels["step"].typed(known), Request(known, schedule, TARGETS["cpu"])).lowered
    assert isinstance(lanes(lowered).end, ir.Symbol)


def changed(lowered: ir.Kernel, change: Any) -> ir.Kernel:
    def visit(node: Any) -> Any:
        return change(rebuild(node, visit))

    return rebuild(lowered, visit)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", ["store_halves", "load_halves"])
def test_lanes_beyond_the_row_are_seen(name: str) -> None:
    """Neither a store of all lanes nor one of lanes that were not loaded is what the reference does."""

    def wrong(node: Any) -> Any:
        if not is_call(node, name):
            return node
        parts = parts_of(node)
        count = integer(parts["length"] - (name == "load_halves"))
        return device_call(name, **parts | {"count": count})

    lowered = kernel(*HALVES)
    reference = kernel(*HALVES, target="reference")
    verdict = equivalent(reference, changed(lowered, wrong))
    assert isinstance(verdict, Counterexample), verdict


@pytest.mark.parametrize(("size", "whole"), [(8, True), (16, True), (64, False)])
def test_rounds_of_short_strips_take_all_lanes(size: int, whole: bool) -> None:
    """Long ones stop at the end of the row."""
    u, v = fields("u, v: real[1D]")
    root, of = Symbol("root"), Symbol("of")
    newton = While(root * root > of, {root: Max(of, 1)}, [], {root: (root + of / root) / 2}, 50)
    module = Module("m", precisions=("f64",))
    module.add(
        "step",
        [Assignment(of, u.here), newton, Assignment(v.here, root)],
        schedule=Schedule(cpu=Strips(size)),
    )
    lowered = module.stages("step", "f64", "cpu").lowered
    (rounds,) = (s for s in statements(lowered.body) if isinstance(s, ir.While))
    (loop,) = (s for s in statements(rounds.body) if isinstance(s, ir.Loop) and s.kind == "simd")
    assert (loop.end == integer(size)) == whole
    running.agree(module.kernels["step"], "f64", "cpu", seed=1, extent=(11,))
