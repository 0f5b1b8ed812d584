# SPDX-License-Identifier: Apache-2.0
"""Advection of scalars against loops over faces, and what it must keep: constants, mass, signs, bounds,
mirror images, the same bits on every target and for any tiles."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import pytest
import scatter
from calls import Array, Kernels, interior, wrap
from compiled import Library
from heddle import Module
from heddle.atmosphere import advection

G = 3
FULL = os.environ.get("HEDDLE_TESTS") == "full"
TARGETS = ("reference", "cpu", "cuda")


def turning() -> Module:
    """Two tracers, a map factor, a source, periodic, positive-definite."""
    flow = advection.Flow(map_factor="m")
    scheme = advection.Advection(limiter="positive-definite", tracers=2, flow=flow)
    module = Module("turning", precisions=("f64",))
    module.add("stage", scheme.stage(source="source"))
    module.add("keep", scheme.scale())
    module.add("limited", scheme.limited_stage(source="source"))
    return module


def nested() -> Module:
    """One tracer in a nest, monotone, as tendencies."""
    flow = advection.Flow(map_factor="m")
    scheme = advection.Advection(limiter="monotone", flow=flow, boundaries="specified")
    module = Module("nested")
    module.add("plain", scheme.tendency())
    module.add("keep", scheme.scale())
    module.add("limited", scheme.limited_tendency())
    return module


def simple() -> Module:
    """One tracer without a map factor, periodic, both limiters and none."""
    module = Module("simple", precisions=("f64",))
    sharp = advection.Advection(limiter="positive-definite")
    bounded = advection.Advection(limiter="monotone")
    module.add("stage", sharp.stage())
    module.add("keep", sharp.scale())
    module.add("limited", sharp.limited_stage())
    module.add("bounds", bounded.scale())
    module.add("bounded", bounded.limited_stage())
    return module


MODULES = {module.name: module for module in (turning(), nested(), simple())}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    few = [
        (MODULES["turning"], TARGETS),
        (MODULES["nested"], TARGETS),
        (MODULES["simple"], ("cpu",)),
    ]
    return Library(tmp_path_factory.mktemp("advection"), few, plain=True).compile()


class Air:
    """Random fields of a domain with ghost cells, in one precision, and the same as a case of `scatter`."""

    def __init__(self, n: tuple[int, int, int], dtype: Any, components: int, periodic: bool) -> None:
        self.n, (nx, ny, nz) = n, n
        r = np.random.default_rng(7)
        tall, flat = (nz + 2 * G, ny + 2 * G, nx + 2 * G), (ny + 2 * G, nx + 2 * G)
        many = (components, *tall) if components else tall
        nan = dict.fromkeys(("ru", "rv", "om"), tall) | dict.fromkeys(("mu", "mu_old", "m"), flat)
        nan |= dict.fromkeys(("q", "q_old", "q_next", "keep", "source", "keep_out", "keep_in"), many)
        a: dict[str, Array] = {name: np.full(shape, np.nan) for name, shape in nan.items()}
        levels = np.cumsum(r.uniform(0.5, 1.5, nz))
        for name, values in {
            "c1": r.uniform(0.2, 1, nz), "c2": r.uniform(0, 2e4, nz),
            "rdnw": -levels[-1] / np.diff([0, *levels]),
            "fnm": r.uniform(0.3, 0.7, nz), "fnp": r.uniform(0.3, 0.7, nz),
        }.items():  # fmt: skip
            a[name] = np.full(nz + 2 * G, np.nan)
            a[name][G:-G] = values
        for name, cells in (("order_x", nx), ("order_y", ny), ("order_z", nz)):
            a[name] = np.full(cells + 2 * G, np.nan)
            a[name][G : cells + G + 1] = advection.face_orders(cells, 3 if name[-1] == "z" else 5)
        interior(a["mu"])[:] = r.uniform(8e4, 9e4, (ny, nx))
        interior(a["mu_old"])[:] = r.uniform(8e4, 9e4, (ny, nx))
        interior(a["m"])[:] = r.uniform(0.9, 1.1, (ny, nx))
        for name, size in (("ru", 1e6), ("rv", 1e6), ("om", 2e3)):
            interior(a[name])[:] = r.uniform(-size, size, (nz, ny, nx))
        for name in ("q", "q_old"):
            interior(a[name])[:] = np.maximum(0, r.uniform(-1, 1, interior(a[name]).shape))
        interior(a["source"])[:] = r.uniform(-1, 1, interior(a["source"]).shape)
        a["tendency"] = a["source"].copy()
        a["ru"][G:-G, G:-G, nx + G] = r.uniform(-1e6, 1e6, (nz, ny))
        a["rv"][G:-G, ny + G, G:-G] = r.uniform(-1e6, 1e6, (nz, nx))
        if periodic:
            for name in ("ru", "rv", "mu", "mu_old", "m", "q", "q_old"):
                wrap(a[name])
        self.periodic = periodic
        self.arrays = {name: values.astype(dtype) for name, values in a.items()}
        self.scalars = {"dt": 20.0, "rdx": 1e-3, "rdy": 1.25e-3}

    def case(self) -> scatter.Case:
        (nx, ny, nz), a = (
            self.n,
            {k: v.astype(np.float64) for k, v in self.arrays.items()},
        )
        tall, flat = slice(G, G + nz), (slice(G, G + ny), slice(G, G + nx))
        om = np.zeros((nz + 1, ny, nx))
        om[:nz] = interior(a["om"])
        return scatter.Case(
            a["ru"][tall, G : G + ny, G : G + nx + 1], a["rv"][tall, G : G + ny + 1, G : G + nx], om,
            a["mu"][flat], a["mu_old"][flat], a["m"][flat],
            *(a[name][tall] for name in ("c1", "c2", "rdnw", "fnm", "fnp")),
            self.scalars["rdx"], self.scalars["rdy"], self.scalars["dt"], self.periodic,
        )  # fmt: skip

    def run(self, kernels: Kernels, plain: str, tile: Any = None) -> dict[str, Array]:
        """A plain and a limited stage on copies of the fields. Returns the interiors of what was computed."""
        found = {}
        a = {name: values.copy() for name, values in self.arrays.items()}
        kernels(plain, a, self.scalars, tile)
        result = "q_next" if plain == "stage" else "tendency"
        found["plain"] = interior(a[result]).copy()
        a[result] = self.arrays[result].copy()
        kernels("keep", a, self.scalars, tile)
        for name in ("keep", "keep_out", "keep_in"):
            found[name] = interior(a[name]).copy()
            if self.periodic:
                wrap(a[name])
        kernels("limited", a, self.scalars, tile)
        return found | {"limited": interior(a[result])}


@pytest.mark.parametrize(("name", "precision"), [("turning", "f64"), ("nested", "f64"), ("nested", "f32")])
def test_is_the_scatter_form_on_every_target(library: Any, name: str, precision: str) -> None:
    components, limiter = (2, "positive-definite") if name == "turning" else (0, "monotone")
    dtype = np.float64 if precision == "f64" else np.float32
    air = Air((11, 9, 6), dtype, components, periodic=name == "turning")
    found = {
        target: air.run(
            Kernels(library, MODULES[name], precision, target),
            "stage" if components else "plain",
        )
        for target in TARGETS
    }
    for target in TARGETS[1:]:
        for what, values in found["reference"].items():
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
        assert error < (2e-15 if precision == "f64" else 2e-6), what
    keeps = [found["cpu"][k] for k in (("keep",) if components else ("keep_out", "keep_in"))]
    assert all(np.any(keep < 1) and np.any(keep == 1) for keep in keeps), "the limiter has nothing to do"


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


TILES = [
    (slice(i, j), slice(k, m), slice(0, 6))
    for i, j in ((0, 4), (4, 5), (5, 11))
    for k, m in ((0, 3), (3, 8), (8, 9))
]


def mirrored(a: dict[str, Array]) -> dict[str, Array]:
    """x -> -x: the flux through the lower face of a cell becomes that through the upper face of its image."""
    image = {key: np.ascontiguousarray(v[..., ::-1]) if v.ndim > 1 else v.copy() for key, v in a.items()}
    ru = np.full(a["ru"].shape, np.nan, a["ru"].dtype)
    ru[..., 1:] = -a["ru"][..., :0:-1]
    image["ru"] = ru
    return image


def test_a_mirrored_flow_has_the_mirrored_bits(library: Any) -> None:
    for name, target, precision in (
        ("turning", "cpu", "f64"),
        ("nested", "cuda", "f32"),
    ):
        dtype = np.float32 if precision == "f32" else np.float64
        periodic = name == "turning"
        air = Air((11, 9, 6), dtype, 2 if periodic else 0, periodic)
        kernels = Kernels(library, MODULES[name], precision, target)
        plain = "stage" if periodic else "plain"
        found = air.run(kernels, plain)
        air.arrays = mirrored(air.arrays)
        if not periodic:  # the profile along x has one face more than cells
            faces = air.arrays["order_x"][G : G + 12]
            assert np.array_equal(faces, faces[::-1])
        for what, values in air.run(kernels, plain).items():
            assert np.array_equal(values[..., ::-1], found[what], equal_nan=True), what


def rotating(n: tuple[int, int, int], dtype: Any) -> Air:
    """A closed circulation without divergence, discretely: edges of cells carry a vector potential. Courant
    numbers stay below 1/2, where fluxes of first order are upwind fluxes."""
    air = Air(n, dtype, 0, periodic=True)
    a, (nx, ny, nz) = air.arrays, n
    x, y = np.arange(nx) / nx * 2 * math.pi, np.arange(ny) / ny * 2 * math.pi
    level = np.cos(math.pi * (np.arange(nz) + 0.5) / nz)
    level -= np.sum(level / interior_profile(a["rdnw"])) / np.sum(1 / interior_profile(a["rdnw"]))
    psi = np.sin(x)[None, :] * np.sin(y)[:, None] * 4e6
    swirl = np.roll(psi, -1, 0) - psi, -(np.roll(psi, -1, 1) - psi)
    drift = 1.2e6 * np.sin(x), 1e6 * np.sin(2 * y)
    rdx, rdy = air.scalars["rdx"], air.scalars["rdy"]
    for k in range(nz):
        a["ru"][k + G, G:-G, G:-G] = swirl[0] / rdx * 1e-3 + level[k] * drift[0][None, :]
        a["rv"][k + G, G:-G, G:-G] = swirl[1] / rdy * 1e-3 + level[k] * drift[1][:, None]
    wrap(a["ru"])
    wrap(a["rv"])
    out = (
        rdx * np.diff(a["ru"], axis=2)[:, G:-G, G : -G + 1]
        + rdy * np.diff(a["rv"], axis=1)[:, G : -G + 1, G:-G]
    )
    om = np.cumsum(-out[G:-G] / interior_profile(a["rdnw"])[:, None, None], axis=0)
    assert np.max(np.abs(om[-1])) < 1e-4 * np.max(np.abs(om)), "air leaves through the lid"
    a["om"][:] = np.nan
    a["om"][G + 1 : G + nz + 1, G:-G, G:-G] = om
    a["om"][G, G:-G, G:-G] = 0
    a["c1"][:], a["c2"][:], a["fnp"][:] = 1, 0, 1 - a["fnm"]
    a["mu"][:] = a["mu_old"][:] = 9e4
    air.scalars["dt"] = 8.0
    return air


def interior_profile(values: Array) -> Array:
    return values[G:-G]


def step(kernels: Kernels, a: dict[str, Array], scalars: dict[str, float], limiter: str) -> None:
    """A Runge-Kutta step of q_old, limited in its last stage."""
    dt = scalars["dt"]
    a["q"][:] = a["q_old"]
    for part in (3, 2):
        kernels("stage", a, scalars | {"dt": dt / part})
        a["q"], a["q_next"] = a["q_next"], a["q"]
        wrap(a["q"])
    if limiter == "none":
        kernels("stage", a, scalars)
    else:
        kernels("keep" if limiter == "positive-definite" else "bounds", a, scalars)
        for name in ("keep", "keep_out", "keep_in"):
            wrap(a[name])
        kernels("limited" if limiter == "positive-definite" else "bounded", a, scalars)
    a["q_old"], a["q_next"] = a["q_next"], a["q_old"]
    wrap(a["q_old"])


LIMITERS = ("none", "positive-definite", "monotone")


def test_a_constant_stays_in_a_flow_without_divergence(library: Any) -> None:
    air = rotating((12, 10, 6), np.float64)
    kernels = Kernels(library, MODULES["simple"], "f64", "cpu")
    for limiter in LIMITERS:
        a = {key: values.copy() for key, values in air.arrays.items()}
        interior(a["q_old"])[:] = 1.25
        wrap(a["q_old"])
        for _ in range(5):
            step(kernels, a, air.scalars, limiter)
        assert np.max(np.abs(interior(a["q_old"]) - 1.25)) < 1e-14, limiter


def test_what_the_limiters_keep(library: Any) -> None:
    """A block of tracer in a circulation: its mass to rounding, its sign, its bounds; the plain scheme has
    neither."""
    air = rotating((16, 12, 8), np.float64)
    kernels = Kernels(library, MODULES["simple"], "f64", "cpu")
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


def test_a_block_that_goes_round(library: Any) -> None:
    """90 cells, Courant number 0.45, twice round (HEDDLE_TESTS=full: 2000 steps, ten times): the top hat."""
    air = Air((90, 1, 1), np.float64, 0, periodic=True)
    a = air.arrays
    for name in ("om", "rv"):
        a[name][:] = 0
    a["mu"][:] = a["mu_old"][:] = 1
    a["c1"][:], a["c2"][:], a["ru"][:] = 1, 0, 1
    a["order_z"][G : G + 2] = 0
    scalars = {"rdx": 1.0, "rdy": 1.0, "dt": 0.45}
    start = np.where((np.arange(90) >= 30) & (np.arange(90) < 60), 1.0, 0.0)
    kernels = Kernels(library, MODULES["simple"], "f64", "cpu")
    for limiter in LIMITERS:
        own = {key: values.copy() for key, values in a.items()}
        interior(own["q_old"])[0, 0] = start
        wrap(own["q_old"])
        for _ in range(2000 if FULL else 400):
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
