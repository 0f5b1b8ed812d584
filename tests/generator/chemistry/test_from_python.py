# SPDX-License-Identifier: Apache-2.0
"""The kernel of a mechanism called from Python once per time step, as a host model does."""

from __future__ import annotations

from pathlib import Path

import heddle
import numpy as np
import pytest
import sympy
from heddle import Module, Schedule, Strips, chemistry

CELLS = 11


def test_time_steps_of_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A -> B -> C in cells of their own, rates by the host, against the closed form; one cell without air."""
    monkeypatch.setenv("HEDDLE_CACHE", str(tmp_path))
    chain = chemistry.Mechanism("chain")
    chain.species("A", "B", "C")
    chain.reaction("A -> B", rate=sympy.Symbol("k1"))
    chain.reaction("B -> C", rate=sympy.Symbol("k2"))
    module = Module("chain", precisions=("f64",))
    solver = chemistry.Rosenbrock(chain, "Rodas4", dimensions=1)
    schedule = Schedule(cpu=Strips(8), math="reproducible")
    module.add("integrate", solver.integrate(), schedule=schedule)
    each = chemistry.Rosenbrock(chain, "Rodas4", dimensions=1, tolerance_per_species=True)
    module.add("each", each.integrate(), schedule=schedule)
    kernels = heddle.load(module)

    k1, k2 = np.linspace(1e-3, 5e-3, CELLS), np.full(CELLS, 1e-2)
    y = np.zeros((3, CELLS))
    y[0] = 1.0
    step = np.zeros(CELLS)
    outcome, steps = np.zeros(CELLS, np.int32), np.zeros(CELLS, np.int64)
    temperature = np.full(CELLS, 280.0)
    temperature[4] = 0.0
    assert chain.inputs == ("k1", "k2")
    for _ in range(5):
        before = {"concentration": y.copy(), "step": step.copy()}
        others = {
            "temperature": temperature, "pressure": np.full(CELLS, 9e4), "rate_input": np.stack([k1, k2]),
            "outcome": outcome, "steps": steps, "interval": 60.0, "relative_tolerance": 1e-8,
        }  # fmt: skip
        kernels.integrate(concentration=y, step=step, absolute_tolerance=1e-14, **others)
        kernels.each(absolute_tolerance=np.full(3, 1e-14), **before, **others)
        assert np.array_equal(before["concentration"], y)  # three equal tolerances: one for all
    t = 300.0
    a = np.exp(-k1 * t)
    b = k1 / (k2 - k1) * (np.exp(-k1 * t) - np.exp(-k2 * t))
    sound = np.arange(CELLS) != 4
    assert y[:, sound] == pytest.approx(np.stack([a, b, 1 - a - b])[:, sound], rel=1e-6)
    assert outcome.tolist() == [0 if cell else 3 for cell in sound]
    assert y[:, 4].tolist() == [1, 0, 0]
    assert np.all(step[sound] > 0)
    assert step[4] == 0
    with pytest.raises(heddle.KernelError):
        kernels.integrate(concentration=y[:2])
    for wrong in (np.full(2, 1e-14), np.full((3, 1), 1e-14), np.full(6, 1e-14)[::2]):
        with pytest.raises(heddle.KernelError, match="absolute_tolerance"):
            kernels.each(absolute_tolerance=wrong, **before, **others)
    with pytest.raises(heddle.KernelError, match="is a table of 3 values"):
        kernels.each(absolute_tolerance=np.full(4, 1e-14), **before, **others)
    for wrong in (-1e-14, np.nan):
        kernels.each(absolute_tolerance=np.array([1e-14, wrong, 1e-14]), **before, **others)
        assert set(outcome.tolist()) == {3}
