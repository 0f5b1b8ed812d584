# SPDX-License-Identifier: Apache-2.0
"""inline_lane_loads: formulas of a loop over lanes name its arrays, where all loads come before a store."""

from __future__ import annotations

from typing import Any

import pytest
from heddle import Assignment, CacheLines, Module, Schedule, Section, Strips, fields, lbm
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.device_calls import is_call
from heddle.ir.schedule import precision
from heddle.ir.stages import Request
from heddle.ir.visit import statements, walk
from heddle.pipeline import lower
from heddle.roundtrip.compare import Proof, equivalent
from sympy import Symbol

D2Q9 = lbm.Lattice("D2Q9")
STREAMED = Schedule(cpu=CacheLines(1, nontemporal=True))
u, u_next = fields("u, u_next: real[1D]")
left, right, slope = (Symbol(name) for name in ("left", "right", "slope"))
LOADS = [Section("Load"), Assignment(left, u[-1]), Assignment(right, u[1]), Section("Compute")]


def lowered(step: Any, schedule: Schedule, chosen: str = "f64", target: str = "cpu") -> ir.Kernel:
    module = Module("m", precisions=(chosen,))
    module.add("step", step, schedule=schedule)
    first, known = next(iter(module.kernels.values())), precision(chosen)
    return lower(first.typed(known), Request(known, schedule, TARGETS[target])).lowered


def lines(kernel: ir.Kernel) -> list[str]:
    """The names of the lines that a kernel loads."""
    return [s.result.name for s in statements(kernel.body) if is_call(s, "line") and s.result is not None]


def lane_loop(kernel: ir.Kernel) -> ir.Loop:
    (loop,) = (s for s in statements(kernel.body) if isinstance(s, ir.Loop) and s.kind == "simd")
    return loop


def loads(kernel: ir.Kernel) -> list[str]:
    """The names that a loop gives what it loads."""
    lets = (s for s in lane_loop(kernel).body if isinstance(s, ir.Let))
    return [let.symbol.name for let in lets if isinstance(let.value, ir.Load)]


def test_lines_have_the_names_of_what_they_hold() -> None:
    """The difference is named, so that nothing that is loaded is used after the store."""
    kernel = lowered(
        [*LOADS, Assignment(slope, right - left), Assignment(u_next.here, slope * slope)], STREAMED
    )
    assert lines(kernel) == ["left", "right"]
    assert not loads(kernel)
    loop = lane_loop(kernel)
    assert [s.text for s in loop.body if isinstance(s, ir.Comment)] == ["Compute"], "no heading of nothing"
    read = [n for n in walk(loop.body) if isinstance(n, ir.Load) and n.pointer.name in ("left", "right")]
    assert {load.index for load in read} == {loop.counter}
    (stored,) = (s.target for s in loop.body if isinstance(s, ir.Store))
    assert isinstance(stored, ir.Load)
    assert stored.pointer.name == "u_next_run", "u_next is the field"


def test_what_is_used_after_a_store_keeps_its_name() -> None:
    v = fields("v: real[1D]")
    stores = [Assignment(u_next.here, right - left), Assignment(v.here, right + left)]
    kernel = lowered([*LOADS, *stores], STREAMED)
    assert lines(kernel) == ["u_behind_line", "u_ahead_line"]
    assert loads(kernel) == ["left", "right"]


def test_arrays_that_are_stored_to_keep_their_loads() -> None:
    step = [Assignment(left, u.here), Assignment(slope, left * left), Assignment(u.here, slope * left)]
    assert loads(lowered(step, Schedule(cpu=Strips(16)), "f16")) == ["left"]


@pytest.mark.parametrize("chosen", ["f64", "f32", "f16"])
def test_the_same_as_the_reference(chosen: str) -> None:
    step = lbm.Pull(D2Q9)(lbm.Cumulant(D2Q9, "omega"))
    schedule = Schedule(cpu=Strips(16)) if chosen == "f16" else STREAMED
    kernel = lowered(step, schedule, chosen)
    assert not loads(kernel)
    proof = equivalent(lowered(step, schedule, chosen, "reference"), kernel)
    assert isinstance(proof, Proof), proof
    assert proof.tier == "structural"
