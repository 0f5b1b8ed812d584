# SPDX-License-Identifier: Apache-2.0
"""What is done alike with several rows of a strip is one call, and does what the single calls do."""

from __future__ import annotations

from typing import Any

import pytest
from heddle import Assignment, CacheLines, Module, Schedule, fields, lbm
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.device_calls import is_call, parts_of, with_parts
from heddle.ir.schedule import precision
from heddle.ir.stages import Request
from heddle.ir.visit import rebuild, statements
from heddle.pipeline import lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent

D2Q9 = lbm.Lattice("D2Q9")
PULL = lbm.Pull(D2Q9)(lbm.BGK(D2Q9, "omega"))
STREAMED = Schedule(cpu=CacheLines(2, nontemporal=True))


def lowered(step: Any, target: str = "cpu") -> ir.Kernel:
    module = Module("m", precisions=("f64",))
    module.add("step", step, schedule=STREAMED)
    known = precision("f64")
    return lower(module.kernels["step"].typed(known), Request(known, STREAMED, TARGETS[target])).lowered


def calls(kernel: ir.Kernel, name: str) -> list[dict[str, Any]]:
    return [parts_of(s) for s in statements(kernel.body) if is_call(s, name)]


def test_the_populations_of_a_step() -> None:
    """One call stores all lines, and one per distance along x prefetches. Rows to store to have no names."""
    kernel = lowered(PULL)
    (stored,) = calls(kernel, "stream_lines")
    assert [line.name for line in stored["lines"]] == [f"f_next_{name}" for name in D2Q9.names]
    assert not calls(kernel, "stream_run")
    assert sorted(len(call["rows"]) for call in calls(kernel, "prefetch_rows")) == [3, 3, 3]
    named = {s.symbol.name for s in statements(kernel.body) if isinstance(s, ir.Let)}
    assert {"f_here", "f_ne_row", "f_next_here"} <= named
    assert not {name for name in named if name.startswith("f_next_") and name.endswith("_row")}


def test_the_same_as_the_reference() -> None:
    proof = equivalent(lowered(PULL, "reference"), lowered(PULL))
    assert isinstance(proof, Proof), proof
    assert proof.tier == "structural"


def exchanged(parts: dict[str, Any]) -> dict[str, Any]:
    first, second, *rest = parts["lines"]
    return {"lines": (second, first, *rest)}


@pytest.mark.parametrize("change", [
    exchanged,
    lambda parts: {"apart": integer(0)},
    lambda parts: {"lines": parts["lines"][:-1]},
    lambda parts: {"count": integer(1)},
])  # fmt: skip
def test_wrong_calls_are_seen(change: Any) -> None:
    def visit(node: Any) -> Any:
        if is_call(node, "stream_lines"):
            return with_parts(node, **change(parts_of(node)))
        return rebuild(node, visit)

    verdict = equivalent(lowered(PULL, "reference"), visit(lowered(PULL)))
    assert isinstance(verdict, Counterexample), verdict


def test_other_rows_keep_their_names() -> None:
    """Rows of two fields, and of components that do not follow each other."""
    u, a, b = fields("u, a, b: real[2D]")
    w = fields("w: real(6)[2D]")
    for targets in ((a.here, b.here), tuple(w[0, 0, k] for k in (0, 1, 2, 5))):
        kernel = lowered([Assignment(target, 2 * u.here) for target in targets])
        assert not calls(kernel, "stream_lines")
        assert len({call["row"] for call in calls(kernel, "stream_run")}) == len(targets)
