# SPDX-License-Identifier: Apache-2.0
"""Advection of scalars, with the quirks of WRF, against loops over faces: the same bits on every target, for
any tiles, and in the mirror."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scatter
from air import TILES, Air, G, mirrored
from calls import Kernels, interior, wrap
from compiled import Library
from heddle import Module
from heddle.atmosphere import advection

TARGETS = ("reference", "cpu", "cuda")


def turning() -> Module:
    """Two tracers, a map factor, a source, periodic, positive-definite."""
    flow = advection.Flow(map_factor="m")
    scheme = advection.Advection(limiter="positive-definite", tracers=2, flow=flow, quirks="wrf")
    module = Module("turning", precisions=("f64",))
    module.add("stage", scheme.stage(source="source"))
    module.add("keep", scheme.scale())
    module.add("limited", scheme.limited_stage(source="source"))
    module.add("excess", scheme.excess())
    module.add("keep_store", scheme.scale(store="excess"))
    module.add("keep_stored", scheme.scale(excess="excess"))
    module.add("limited_stored", scheme.limited_stage(source="source", excess="excess"))
    return module


def nested() -> Module:
    """One tracer in a nest, monotone, as tendencies."""
    flow = advection.Flow(map_factor="m")
    scheme = advection.Advection(limiter="monotone", flow=flow, boundaries="specified", quirks="wrf")
    module = Module("nested", precisions=("f64",))
    module.add("plain", scheme.tendency())
    module.add("keep", scheme.scale())
    module.add("limited", scheme.limited_tendency())
    module.add("excess", scheme.excess())
    module.add("keep_stored", scheme.scale(excess="excess"))
    module.add("limited_stored", scheme.limited_tendency(excess="excess"))
    return module


MODULES = {module.name: module for module in (turning(), nested())}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    few = [
        (MODULES["turning"], TARGETS),
        (MODULES["nested"], TARGETS[1:]),
    ]
    return Library(tmp_path_factory.mktemp("advection"), few, plain=True).compile()


@pytest.mark.parametrize("name", ["turning", "nested"])
def test_is_the_scatter_form_on_every_target(library: Any, name: str) -> None:
    components, limiter = (2, "positive-definite") if name == "turning" else (0, "monotone")
    air = Air((11, 9, 6), np.float64, components, periodic=name == "turning")
    found = {
        target: air.run(
            Kernels(library, MODULES[name], "f64", target),
            "stage" if components else "plain",
        )
        for target in (TARGETS if components else TARGETS[1:])
    }
    for target in found:
        for what, values in found["cpu"].items():
            assert np.array_equal(values, found[target][what], equal_nan=True), f"{target} {what}"
    case = air.case()
    inner = {k: interior(v).astype(np.float64) for k, v in air.arrays.items() if v.ndim >= 3}
    for what, chosen in (("plain", None), ("limited", limiter)):
        if components:
            expected = np.array(
                [
                    scatter.stage(
                        inner["q"][n],
                        inner["q_old"][n],
                        case,
                        chosen,
                        inner["source"][n],
                    )
                    for n in range(components)
                ]
            )
        else:
            expected = inner["tendency"] + scatter.tendency(inner["q"], inner["q_old"], case, chosen)
        error = np.max(np.abs(found["cpu"][what] - expected)) / np.max(np.abs(expected))
        assert error < 2e-15, what
    keeps = [found["cpu"][k] for k in (("keep",) if components else ("keep_out", "keep_in"))]
    assert all(np.any(keep < 1) and np.any(keep == 1) for keep in keeps), "the limiter has nothing to do"


@pytest.mark.parametrize("name", ["turning", "nested"])
def test_stored_fluxes_give_the_bits_of_those_that_are_computed_again(library: Any, name: str) -> None:
    """The three kernels in place of two, on each target."""
    air = Air((11, 9, 6), np.float64, 2 if name == "turning" else 0, periodic=name == "turning")
    plain = "stage" if name == "turning" else "plain"
    expected = air.run(Kernels(library, MODULES[name], "f64", "cpu"), plain)
    for target in TARGETS if name == "turning" else TARGETS[1:]:
        found = air.run(Kernels(library, MODULES[name], "f64", target), plain, stored="_stored")
        for what, values in expected.items():
            assert np.array_equal(values, found[what], equal_nan=True), f"{target} {what}"


def test_the_limiter_stores_what_the_first_of_three_kernels_stores(library: Any) -> None:
    air = Air((11, 9, 6), np.float64, 2, periodic=True)
    for target in TARGETS:
        kernels, found = Kernels(library, MODULES["turning"], "f64", target), []
        for names in (("excess", "keep"), ("keep_store",)):
            a = {name: values.copy() for name, values in air.arrays.items()}
            for name in names:
                kernels(name, a, air.scalars)
            found.append((interior(a["excess"]), interior(a["keep"])))
        assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True)), target
        assert np.all(np.isfinite(found[1][0]))


def test_boxes_side_by_side_have_the_bits_of_calls_of_their_own(library: Any) -> None:
    """Three nests along y in one launch. What a call of one of them must not use is not a number there."""
    rows = (9, 6, 7)
    air = Air((11, sum(rows), 6), np.float64, 0, periodic=False)
    air.arrays["order_y"][G : G + sum(rows) + 1] = advection.face_orders(rows, 5)
    kernels = Kernels(library, MODULES["nested"], "f64", "cuda")
    together = air.run(kernels, "plain")
    whole, first = air.arrays, 0
    for n in rows:
        own = slice(G + first, G + first + n)
        air.arrays = {name: values.copy() for name, values in whole.items()}
        for name, values in air.arrays.items():
            if values.ndim > 1:  # the flux through the northern face lies in the next row
                last = own.stop + (1 if name == "rv" else 0)
                values[..., : own.start, :] = values[..., last:, :] = np.nan
        air.arrays["order_y"][:] = np.nan
        air.arrays["order_y"][own.start : own.stop + 1] = advection.face_orders(n, 5)
        found = air.run(kernels, "plain", (slice(0, 11), slice(first, first + n), slice(0, 6)))
        inner = slice(first, first + n)
        for what in ("plain", "keep_out", "keep_in", "limited"):
            assert np.array_equal(found[what][..., inner, :], together[what][..., inner, :]), what
        first += n


def test_tiles_have_the_same_bits(library: Any) -> None:
    for name in ("turning", "nested"):
        air = Air(
            (11, 9, 6),
            np.float64,
            2 if name == "turning" else 0,
            periodic=name == "turning",
        )
        kernels = Kernels(library, MODULES[name], "f64", "cpu")
        plain = "stage" if name == "turning" else "plain"
        whole = air.run(kernels, plain)
        limited = {"q_next": "limited"} if name == "turning" else {"tendency": "limited"}
        a = {key: values.copy() for key, values in air.arrays.items()}
        for key in ("keep", "keep_out", "keep_in"):
            interior(a[key])[:] = whole[key]
            wrap(a[key])
        for x, y, z in TILES:
            kernels("limited", a, air.scalars, (x, y, z))
        for key, what in limited.items():
            assert np.array_equal(interior(a[key]), whole[what])


def test_a_mirrored_flow_has_the_mirrored_bits(library: Any) -> None:
    for name, target in (("turning", "cpu"), ("nested", "cuda")):
        periodic = name == "turning"
        air = Air((11, 9, 6), np.float64, 2 if periodic else 0, periodic)
        kernels = Kernels(library, MODULES[name], "f64", target)
        plain = "stage" if periodic else "plain"
        found = air.run(kernels, plain)
        air.arrays = mirrored(air.arrays)
        if not periodic:  # the profile along x has one face more than cells
            faces = air.arrays["order_x"][G : G + 12]
            assert np.array_equal(faces, faces[::-1])
        for what, values in air.run(kernels, plain).items():
            assert np.array_equal(values[..., ::-1], found[what], equal_nan=True), what
