# SPDX-License-Identifier: Apache-2.0
"""Generation is fast: D3Q19 BGK from model to text in half a second beyond imports."""

from __future__ import annotations

import time

from heddle import Module, lbm
from heddle.build import Timings, files

LIMIT = 0.5
RUNS = 5


def generate() -> tuple[float, Timings]:
    """Seconds of processor and of children (the formatter) are not separated: wall clock."""
    begin = time.perf_counter()
    lattice = lbm.Lattice("D3Q19")
    module = Module("channel", precisions=("f64",))
    module.add("step", lbm.Pull(lattice)(lbm.BGK(lattice, "omega")))
    timings = Timings()
    assert "channel/step.cpp" in files(module, ["cpu"], timings)
    return time.perf_counter() - begin, timings


def test_lattice_boltzmann_in_half_a_second() -> None:
    """The best of several runs: a machine that others load shows its speed now and then."""
    from sympy.core.cache import clear_cache

    best = float("inf")
    for _ in range(RUNS):
        clear_cache()
        best = min(best, generate()[0])
        if best < LIMIT:
            break
        time.sleep(0.5)
    assert best < LIMIT


def test_timings_tell_where_the_time_went() -> None:
    seconds, timings = generate()
    assert set(timings.seconds) == {"freeze, types, dependences", "schedule, lower", "print, format"}
    assert 0 < sum(timings.seconds.values()) <= seconds
