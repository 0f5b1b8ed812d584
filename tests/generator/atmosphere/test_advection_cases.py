# SPDX-License-Identifier: Apache-2.0
"""What advection must keep (constants, mass, signs, bounds), and cases with known answers."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import pytest
import scatter
from air import G, LIMITERS, Air, interior_profile, rotating, step
from calls import Array, Kernels, interior, wrap
from compiled import Library
from heddle import Module
from heddle.atmosphere import advection

FULL = os.environ.get("HEDDLE_TESTS") == "full"


def simple() -> Module:
    """One tracer without a map factor, periodic, both limiters and none."""
    module = Module("simple", precisions=("f64", "f32"))
    sharp = advection.Advection(limiter="positive-definite")
    bounded = advection.Advection(limiter="monotone")
    module.add("stage", sharp.stage())
    module.add("keep", sharp.scale())
    module.add("limited", sharp.limited_stage())
    module.add("bounds", bounded.scale())
    module.add("bounded", bounded.limited_stage())
    return module


MODULE = simple()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return Library(tmp_path_factory.mktemp("advection"), [(MODULE, ("cpu",))], plain=True).compile()


@pytest.fixture(scope="module")
def kernels(library: Any) -> Kernels:
    return Kernels(library, MODULE, "f64", "cpu")


def test_a_constant_stays_in_a_flow_without_divergence(kernels: Kernels) -> None:
    air = rotating((12, 10, 6), np.float64)
    for limiter in LIMITERS:
        a = {key: values.copy() for key, values in air.arrays.items()}
        interior(a["q_old"])[:] = 1.25
        wrap(a["q_old"])
        for _ in range(5):
            step(kernels, a, air.scalars, limiter)
        assert np.max(np.abs(interior(a["q_old"]) - 1.25)) < 1e-14, limiter


def test_what_the_limiters_keep(kernels: Kernels) -> None:
    """A block of tracer in a circulation: its mass to rounding, its sign, its bounds; the plain scheme has
    neither."""
    air = rotating((16, 12, 8), np.float64)
    weight = 1 / interior_profile(air.arrays["rdnw"])[:, None, None]
    ends = {}
    for limiter in LIMITERS:
        a = {key: values.copy() for key, values in air.arrays.items()}
        interior(a["q_old"])[:] = 0
        interior(a["q_old"])[2:6, 3:9, 4:12] = 1
        wrap(a["q_old"])
        before = np.sum(weight * interior(a["q_old"]))
        for _ in range(40):
            step(kernels, a, air.scalars, limiter)
        q = interior(a["q_old"])
        assert abs(np.sum(weight * q) / before - 1) < 1e-14, limiter
        ends[limiter] = np.min(q), np.max(q)
    assert ends["none"][0] < -1e-3
    assert ends["positive-definite"][0] >= -1e-17
    assert ends["monotone"][0] >= -1e-17
    assert ends["monotone"][1] <= 1 + 1e-14


def test_a_block_that_goes_round(kernels: Kernels) -> None:
    """90 cells, Courant number 0.45, once round (HEDDLE_TESTS=full: 2000 steps, ten times): the top hat."""
    air = Air((90, 1, 1), np.float64, 0, periodic=True)
    a = air.arrays
    for name in ("om", "rv"):
        a[name][:] = 0
    a["mu"][:] = a["mu_old"][:] = 1
    a["c1"][:], a["c2"][:], a["ru"][:] = 1, 0, 1
    a["order_z"][G : G + 2] = 0
    scalars = {"rdx": 1.0, "rdy": 1.0, "dt": 0.45}
    start = np.where((np.arange(90) >= 30) & (np.arange(90) < 60), 1.0, 0.0)
    for limiter in LIMITERS:
        own = {key: values.copy() for key, values in a.items()}
        interior(own["q_old"])[0, 0] = start
        wrap(own["q_old"])
        for _ in range(2000 if FULL else 200):
            step(kernels, own, scalars, limiter)
        q = interior(own["q_old"])[0, 0]
        assert abs(np.sum(q) - 30) < 1e-11
        assert np.mean(np.abs(q - start)) < 0.06
        low, high = np.min(q), np.max(q)
        if limiter == "none":
            assert low < -1e-3
            assert high > 1.001
        else:
            assert low >= -1e-17
        if limiter == "monotone":
            assert high <= 1 + 1e-13
