# SPDX-License-Identifier: Apache-2.0
"""Generation is fast: from model to text in half a second for D3Q19 BGK, in one for D3Q27 cumulants.

Seconds of processors, the formatter's with them: on an idle machine no less than those of the clock, and
the same beside other tests."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest
from heddle import Module, lbm
from heddle.build import Timings, files

RUNS = 5
Make = Callable[[lbm.Lattice], lbm.CollisionOperator]


def generate(name: str = "D3Q19", operator: Make = lbm.BGK) -> tuple[float, Timings]:
    """Seconds of the clock, and where they went."""
    begin = time.perf_counter()
    lattice = lbm.Lattice(name)
    module = Module("channel", precisions=("f64",))
    module.add("step", lbm.Pull(lattice)(operator(lattice)))
    timings = Timings()
    assert "channel/step.cpp" in files(module, ["cpu"], timings)
    return time.perf_counter() - begin, timings


def processors() -> float:
    """Seconds that this process and its children have computed."""
    return sum(os.times()[:4])


@pytest.mark.parametrize(
    ("name", "operator", "limit"),
    [("D3Q19", lbm.BGK, 0.5), ("D3Q27", lbm.Cumulant, 1.0)],
)
def test_from_model_to_text(name: str, operator: Make, limit: float) -> None:
    """The best of several runs: a machine that others load shows its speed now and then."""
    from sympy.core.cache import clear_cache

    best = float("inf")
    for _ in range(RUNS):
        clear_cache()
        begin = processors()
        generate(name, operator)
        best = min(best, processors() - begin)
        if best < limit:
            break
        time.sleep(0.5)
    assert best < limit


def test_timings_tell_where_the_time_went() -> None:
    seconds, timings = generate()
    assert set(timings.seconds) == {"from_sympy, types, dependences", "schedule, lower", "print, format"}
    assert 0 < sum(timings.seconds.values()) <= seconds
