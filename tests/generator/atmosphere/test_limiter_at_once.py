# SPDX-License-Identifier: Apache-2.0
"""A limited stage in one kernel, with intermediate shares, whose threads go up level by level: the bits of
three kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from calls import Array, Kernels, interior, wrap
from compiled import Library
from heddle import Module, Schedule, Threads
from heddle.atmosphere import advection
from heddle.build import files, write
from heddle.emit.targets import TARGETS
from heddle.ir.schedule import precision
from heddle.ir.stages import Request
from heddle.pipeline import lower
from heddle.roundtrip.compare import Proof, equivalent
from heddle.roundtrip.report import proved

G, TRACERS = 4, 2
SCHEME = advection.Advection(limiter="positive-definite", tracers=TRACERS)
NEST = advection.Advection(limiter="positive-definite", tracers=TRACERS, boundaries="specified")
LEVELS = Schedule(gpu=Threads(block=(16, 8, 1), unit_stride=True, same_strides=True, level_by_level=True))


def limiter() -> Module:
    module = Module("limiter", precisions=("f64",))
    module.add("at_once", SCHEME.limited_at_once(), schedule=LEVELS)
    module.add("nest_at_once", NEST.limited_at_once(), schedule=LEVELS)
    return module


def three() -> Module:
    module = Module("three", precisions=("f64",))
    for prefix, scheme in (("", SCHEME), ("nest_", NEST)):
        module.add(f"{prefix}excess", scheme.excess())
        module.add(f"{prefix}scale", scheme.scale(excess="excess"))
        module.add(f"{prefix}limited", scheme.limited_stage(excess="excess"))
    return module


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    parts = [(limiter(), ("cuda",)), (three(), ("cpu",))]
    return Library(tmp_path_factory.mktemp("limiter"), parts, plain=True).compile()


def air(n: tuple[int, int, int], nest: bool) -> dict[str, Array]:
    """Periodic along x and y. Above the lid and below the ground lie numbers that no result depends on. nest:
    with boundaries, beyond which all is NaN."""
    r = np.random.default_rng(3)
    nx, ny, nz = n
    tall, flat = (nz + 2 * G, ny + 2 * G, nx + 2 * G), (ny + 2 * G, nx + 2 * G)
    a: dict[str, Array] = {}
    for name, size in (("ru", 1e6), ("rv", 1e6), ("om", 2e3)):
        a[name] = r.uniform(-size, size, tall)
    for name in ("mu", "mu_old"):
        a[name] = r.uniform(8e4, 9e4, flat)
    for name in ("q", "q_old", "keep", "q_next"):
        a[name] = np.maximum(0, r.uniform(-1, 1, (TRACERS, *tall)))
    a["excess"] = np.zeros((3 * TRACERS, *tall))
    for name in ("ru", "rv", "mu", "mu_old", "q", "q_old", "om"):
        wrap(a[name], G)
        if nest:
            outside = np.full_like(a[name], np.nan)
            interior(outside, G)[:] = interior(a[name], G)
            a[name] = outside
    for name, low, high in (("c1", 0.2, 1), ("c2", 0, 2e4), ("fnm", 0.3, 0.7), ("fnp", 0.3, 0.7)):
        a[name] = r.uniform(low, high, nz + 2 * G)
    a["rdnw"] = -nz * r.uniform(0.5, 1.5, nz + 2 * G)
    for axis, cells, most in (("x", nx, 5), ("y", ny, 5), ("z", nz, 3)):
        order = a[f"order_{axis}"] = np.zeros(cells + 2 * G)
        order[G : cells + G + 1] = advection.face_orders(cells, most)
    return a


@pytest.mark.parametrize("nest", [False, True])
@pytest.mark.parametrize("n", [(1, 1, 1), (11, 9, 6), (13, 5, 2), (27, 11, 7)])
def test_the_bits_of_three_kernels(library: Any, n: tuple[int, int, int], nest: bool) -> None:
    """Blocks of 16 x 8 threads have 13 x 5 columns: in one block, in exactly one, and in several."""
    start, scalars = air(n, nest), {"dt": 20.0, "rdx": 1e-3, "rdy": 1.25e-3}
    expected = {name: values.copy() for name, values in start.items()}
    kernels, prefix = Kernels(library, three(), "f64", "cpu", G), "nest_" if nest else ""
    for name, exchanged in (("excess", "excess"), ("scale", "keep"), ("limited", "q_next")):
        kernels(prefix + name, expected, scalars)
        if not nest:
            wrap(expected[exchanged], G)
    keep = interior(expected["keep"], G)
    assert not np.any(np.isnan(interior(expected["q_next"], G)))
    assert n == (1, 1, 1) or (np.any(keep < 1) and np.any(keep == 1)), "the limiter has nothing to do"
    found = {name: values.copy() for name, values in start.items()}
    Kernels(library, limiter(), "f64", "cuda", G)(f"{prefix}at_once", found, scalars)
    assert np.array_equal(interior(found["q_next"], G), interior(expected["q_next"], G))
    outside = found["q_next"] != start["q_next"]
    interior(outside, G)[:] = False
    assert not np.any(outside)


def test_it_is_proved(tmp_path: Any) -> None:
    """The kernel of threads against that of loops, and the text against the kernel."""
    known = precision("f64")
    for kernel in limiter().kernels.values():
        request = {target: Request(known, LEVELS, TARGETS[target]) for target in ("cpu", "cuda")}
        typed = kernel.typed(known)
        found = equivalent(lower(typed, request["cpu"]).lowered, lower(typed, request["cuda"]).lowered)
        assert isinstance(found, Proof), found
        assert found.tier == "structural"
    write(files(limiter(), ["cuda"]), tmp_path)
    assert [verdict.problem for verdict in proved(limiter(), ["cuda"], tmp_path)] == ["", ""]
