# SPDX-License-Identifier: Apache-2.0
"""What advection must keep (constants, mass, signs, bounds), and cases with known answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scatter
from air import LIMITERS, TILES, Air, G, interior_profile, mirrored, rotating, step
from calls import Array, Kernels, interior, wrap
from compiled import Library
from heddle import Module
from heddle.atmosphere import advection
from models import FULL


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


@pytest.fixture(scope="module", params=["f64", "f32"])
def kernels(library: Any, request: Any) -> Kernels:
    return Kernels(library, MODULE, request.param, "cpu")


def rounding(kernels: Kernels) -> float:
    """Some roundings of numbers of size 1: 1e-14 in f64, 5e-6 in f32."""
    return 45 * float(np.finfo(kernels.type).eps)


def test_a_constant_stays_in_a_flow_without_divergence(kernels: Kernels) -> None:
    air = rotating((12, 10, 6), kernels.type)
    for limiter in LIMITERS:
        a = {key: values.copy() for key, values in air.arrays.items()}
        interior(a["q_old"])[:] = 1.25
        wrap(a["q_old"])
        for _ in range(5):
            step(kernels, a, air.scalars, limiter)
        assert np.max(np.abs(interior(a["q_old"]) - 1.25)) < rounding(kernels), limiter


def test_a_monotone_constant_stays_at_courant_numbers_above_one_half(kernels: Kernels) -> None:
    """The flux of first order is the upwind flux; the clamped one of WRF leaves a rest to the limiter."""
    air = rotating((12, 10, 6), kernels.type)
    a, rdx = air.arrays, air.scalars["rdx"]
    fastest = np.max(np.abs(a["ru"][G:-G, G:-G, G : -G + 1])) * rdx / 9e4
    scalars = air.scalars | {"dt": 0.7 / fastest}
    interior(a["q_old"])[:] = 1.25
    wrap(a["q_old"])
    for _ in range(3):
        step(kernels, a, scalars, "monotone")
    assert np.max(np.abs(interior(a["q_old"]) - 1.25)) < rounding(kernels)


@pytest.mark.parametrize(("precision", "bound"), [("f64", 2e-15), ("f32", 2e-6)])
def test_is_the_scatter_form_with_upwind_fluxes(library: Any, precision: str, bound: float) -> None:
    """Random flows, in which Courant numbers exceed 1/2."""
    air = Air((11, 9, 6), np.float64 if precision == "f64" else np.float32, 0, periodic=True)
    air.arrays["m"][:] = 1
    found = air.run(Kernels(library, MODULE, precision, "cpu"), "stage")
    q, q_old = (interior(air.arrays[name]).astype(np.float64) for name in ("q", "q_old"))
    for what, limiter in (("plain", None), ("limited", "positive-definite")):
        expected = scatter.stage(q, q_old, air.case(clamped=False), limiter, np.zeros(q.shape))
        assert np.max(np.abs(found[what] - expected)) < bound * np.max(np.abs(expected)), what
    clamped = scatter.stage(q, q_old, air.case(), "positive-definite", np.zeros(q.shape))
    assert np.max(np.abs(clamped - expected)) > 0.01, "no Courant number exceeds 1/2"


def test_tiles_and_mirrors_have_the_same_bits(kernels: Kernels) -> None:
    air = Air((11, 9, 6), kernels.type, 0, periodic=True)
    whole = air.run(kernels, "stage")
    a = {name: values.copy() for name, values in air.arrays.items()}
    interior(a["keep"])[:] = whole["keep"]
    wrap(a["keep"])
    for tile in TILES:
        kernels("limited", a, air.scalars, tile)
    assert np.array_equal(interior(a["q_next"]), whole["limited"])
    air.arrays = mirrored(air.arrays)
    image = air.run(kernels, "stage")
    for what in ("plain", "keep", "limited"):
        assert np.array_equal(image[what][..., ::-1], whole[what]), what


def test_what_the_limiters_keep(kernels: Kernels) -> None:
    """A block of tracer in a circulation: its mass to rounding, its sign, its bounds; the plain scheme has
    neither."""
    air = rotating((16, 12, 8), kernels.type)
    weight = 1 / interior_profile(air.arrays["rdnw"])[:, None, None]
    ends = {}
    for limiter in LIMITERS:
        a = {key: values.copy() for key, values in air.arrays.items()}
        interior(a["q_old"])[:] = 0
        interior(a["q_old"])[2:6, 3:9, 4:12] = 1
        wrap(a["q_old"])
        before = np.sum(weight * interior(a["q_old"]), dtype=np.float64)
        for _ in range(40):
            step(kernels, a, air.scalars, limiter)
        q = interior(a["q_old"])
        assert abs(np.sum(weight * q, dtype=np.float64) / before - 1) < rounding(kernels), limiter
        ends[limiter] = np.min(q), np.max(q)
    assert ends["none"][0] < -1e-3
    below = -1e-3 * rounding(kernels)
    assert ends["positive-definite"][0] >= below
    assert ends["monotone"][0] >= below
    assert ends["monotone"][1] <= 1 + rounding(kernels)


def test_mass_in_single_precision(library: Any) -> None:
    """40 steps, each of which rounds each cell a few times at random: to half a unit of the last place, 6e-8,
    over the square roots of 40 steps and of 1536 cells, this is of size 1e-8 of the sum."""
    air = rotating((16, 12, 8), np.float32)
    kernels = Kernels(library, MODULE, "f32", "cpu")
    weight = 1 / interior_profile(air.arrays["rdnw"]).astype(np.float64)[:, None, None]
    start = 1 + 0.5 * np.random.default_rng(3).uniform(-1, 1, (8, 12, 16))
    for limiter in LIMITERS:
        a = {key: values.copy() for key, values in air.arrays.items()}
        interior(a["q_old"])[:] = start
        wrap(a["q_old"])
        before = np.sum(weight * interior(a["q_old"]))
        for _ in range(40):
            step(kernels, a, air.scalars, limiter)
        assert abs(np.sum(weight * interior(a["q_old"])) / before - 1) < 3e-8, limiter


def flat(n: int, psi: Array, scale: float, dtype: Any) -> dict[str, Array]:
    """Arrays of n x n cells of one level with the flow of a stream function at their corners: no divergence.
    scale: of the fluxes."""
    a = Air((n, n, 1), dtype, 0, periodic=True).arrays
    a["mu"][:] = a["mu_old"][:] = a["c1"][:] = 1
    a["om"][:], a["c2"][:], a["order_z"][:] = 0, 0, 0
    interior(a["ru"])[0] = scale * (psi[1:, :-1] - psi[:-1, :-1])
    interior(a["rv"])[0] = -scale * (psi[:-1, 1:] - psi[:-1, :-1])
    for name in ("ru", "rv"):
        wrap(a[name])
    return a


def rotated(start: Array, way: float) -> Array:
    """A field after one revolution on a circle of `way` cells, if the order 5 acts on each of its waves as in
    an even flow that turns: over a cell of the way, a wave of phase t per cell is damped by (2 sin(t/2))^6 /
    60 and delayed by t - (45 sin t - 9 sin 2t + sin 3t) / 30 (the symbol of the scheme along an axis)."""
    n = len(start)
    k = 2 * math.pi * np.fft.fftfreq(n)
    total = np.zeros((n, n), complex)
    angles = np.arange(32) * math.pi / 16
    for angle in angles:
        c, s = math.cos(angle), math.sin(angle)
        along = k[None, :] * c - k[:, None] * s, k[None, :] * s + k[:, None] * c
        for u, t in zip((c, s), along, strict=True):
            delay = t - (45 * np.sin(t) - 9 * np.sin(2 * t) + np.sin(3 * t)) / 30
            total += (abs(u) * (2 * np.sin(t / 2)) ** 6 / 60 - 1j * u * delay) / len(angles)
    return np.real(np.fft.ifft2(np.fft.fft2(start) * np.exp(-way * total)))


def cone(right: Array, up: Array) -> Array:
    """Of height 1 and radius 5 around (0, 0)."""
    return np.maximum(0, 1 - np.hypot(right, up) / 5)


def slotted_cylinder(right: Array, up: Array) -> Array:
    """Of height 1 and radius 7, with a slot of four cells from one side to beyond the middle (S. T. Zalesak,
    J. Comput. Phys. 31, 335, 1979)."""
    slot = (np.abs(right) < 2) & (up < 3)
    return np.where((np.hypot(right, up) < 7) & ~slot, 1.0, 0.0)


@pytest.mark.parametrize("shape", [cone, slotted_cylinder])
def test_a_shape_that_goes_round(kernels: Kernels, shape: Callable[[Array, Array], Array]) -> None:
    """Solid-body rotation, one revolution in 160 steps: the error is that of the waves which the scheme damps
    and delays; a limiter keeps its bounds and costs little more."""
    n, steps = 32, 160
    corner = np.arange(n + 1) - n / 2
    psi = 0.5 * (corner[None, :] ** 2 + corner[:, None] ** 2) * 2 * math.pi / steps
    centre = np.arange(n) + 0.5 - n / 2
    start = shape(centre[None, :] - n / 4, centre[:, None])
    size = np.linalg.norm(start)
    derived = np.linalg.norm(rotated(start, 2 * math.pi * n / 4) - start) / size
    a = flat(n, psi, -1, kernels.type)
    for limiter in LIMITERS:
        own = {key: values.copy() for key, values in a.items()}
        interior(own["q_old"])[0] = start
        wrap(own["q_old"])
        for s in range(steps):
            step(kernels, own, {"rdx": 1.0, "rdy": 1.0, "dt": 1.0}, limiter)
            if s == steps // 2:
                assert np.linalg.norm(interior(own["q_old"])[0] - start) > size, "it has left its place"
        q = interior(own["q_old"])[0]
        error = np.linalg.norm(q - start) / size
        assert abs(error / derived - 1) < (0.05 if limiter == "none" else 0.2), limiter
        assert abs(np.sum(q, dtype=np.float64) / np.sum(start) - 1) < 100 * rounding(kernels)
        least = -0.01 * rounding(kernels)
        assert (np.min(q) < -1e-3) if limiter == "none" else (np.min(q) >= least)
        assert np.max(q) <= (1 + 10 * rounding(kernels) if limiter == "monotone" else 1.25)


def carried(start: Callable[[Array, Array], Array], n: int, time: float) -> Array:
    """A field of n x n cells of the unit square that the vortices of `test_deformation_by_vortices` have
    carried: values where the air of each cell came from, by the classical method of order four."""
    x, y = np.meshgrid((np.arange(n) + 0.5) / n, (np.arange(n) + 0.5) / n)
    at = np.stack([x, y])

    def speed(p: Array) -> Array:  # against the flow
        k = 4 * math.pi
        return np.stack([np.sin(k * p[0]) * np.sin(k * p[1]), np.cos(k * p[0]) * np.cos(k * p[1])])

    dt = time / 100
    for _ in range(100):
        a = speed(at)
        b = speed(at + dt / 2 * a)
        c = speed(at + dt / 2 * b)
        at = at + dt / 6 * (a + 2 * b + 2 * c + speed(at + dt * c))
    return start(at[0], at[1])


def test_deformation_by_vortices(kernels: Kernels) -> None:
    """A cone in a field of vortices, psi = sin(4 pi x) cos(4 pi y) / (4 pi), which draws it into spirals
    (P. K. Smolarkiewicz, Mon. Weather Rev. 110, 1968, 1982), against where the air came from, before these
    are thinner than cells. Twice the cells divide the error by 2.5 at least, not by eight: a cone has
    edges."""
    time = 0.2

    def start(x: Array, y: Array) -> Array:
        return np.maximum(0, 1 - np.hypot(x - 0.5, y - 0.5) / 0.15)

    errors = {}
    for n in (32, 64):
        corner = 4 * math.pi * np.arange(n + 1) / n
        psi = np.sin(corner[None, :]) * np.cos(corner[:, None]) / (4 * math.pi)
        steps = n // 2
        air = flat(n, psi, n, kernels.type)
        first = start(*np.meshgrid((np.arange(n) + 0.5) / n, (np.arange(n) + 0.5) / n))
        expected = carried(start, n, time)
        for limiter in LIMITERS:
            a = {key: values.copy() for key, values in air.items()}
            interior(a["q_old"])[0] = first
            wrap(a["q_old"])
            for _ in range(steps):
                step(kernels, a, {"rdx": float(n), "rdy": float(n), "dt": time / steps}, limiter)
            q = interior(a["q_old"])[0]
            errors[limiter, n] = np.linalg.norm(q - expected) / np.linalg.norm(expected)
            assert abs(np.sum(q, dtype=np.float64) / np.sum(first) - 1) < 100 * rounding(kernels)
            least = -0.01 * rounding(kernels)
            assert (np.min(q) < -1e-4) if limiter == "none" else (np.min(q) >= least)
            if limiter == "monotone":
                assert np.max(q) <= np.max(first) * (1 + rounding(kernels))
    for limiter in LIMITERS:
        assert errors[limiter, 64] < 0.08, limiter
        assert errors[limiter, 64] < errors[limiter, 32] / 2.5, limiter


def test_a_flow_that_reverses(kernels: Kernels) -> None:
    """Deformation by a vortex that turns back at T/2 (R. D. Nair and P. H. Lauritzen, J. Comput. Phys. 229,
    8868, 2010; on the plane R. J. LeVeque, SIAM J. Numer. Anal. 33, 627, 1996): at T all is where it was.
    Twice the cells and steps divide the error by 8 at least: the order in space is 5, that in time 3."""
    errors = {}
    for n in (24, 48):
        x, corner = (np.arange(n) + 0.5) / n, np.arange(n + 1) / n
        psi = np.sin(math.pi * corner[None, :]) ** 2 * np.sin(math.pi * corner[:, None]) ** 2 / math.pi
        bell = np.exp(-(((x[None, :] - 0.5) / 0.15) ** 2) - ((x[:, None] - 0.7) / 0.15) ** 2)
        steps = 2 * n
        air = flat(n, psi, n, kernels.type)
        for limiter in ("none", "monotone"):
            a = {key: values.copy() for key, values in air.items()}
            interior(a["q_old"])[0] = bell
            wrap(a["q_old"])
            for s in range(steps):
                turn = math.cos(math.pi * (s + 0.5) / steps)
                for name in ("ru", "rv"):
                    a[name][:] = air[name] * turn
                step(kernels, a, {"rdx": float(n), "rdy": float(n), "dt": 1 / steps}, limiter)
                if s == steps // 2:
                    assert np.linalg.norm(interior(a["q_old"])[0] - bell) > 0.5 * np.linalg.norm(bell)
            q = interior(a["q_old"])[0]
            errors[limiter, n] = np.linalg.norm(q - bell) / np.linalg.norm(bell)
            assert abs(np.sum(q, dtype=np.float64) / np.sum(bell) - 1) < 100 * rounding(kernels)
            if limiter == "monotone":
                assert np.min(bell) - 0.01 * rounding(kernels) <= np.min(q)
                assert np.max(q) <= np.max(bell) * (1 + rounding(kernels))
    assert errors["none", 48] < errors["none", 24] / 8
    assert errors["monotone", 48] < errors["monotone", 24]


def test_a_block_that_goes_round(kernels: Kernels) -> None:
    """90 cells, Courant number 0.45, once round (HEDDLE_TESTS=full: 2000 steps, ten times): the top hat."""
    air = Air((90, 1, 1), kernels.type, 0, periodic=True)
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
        assert abs(np.sum(q, dtype=np.float64) - 30) < 1000 * rounding(kernels)
        assert np.mean(np.abs(q - start)) < 0.06
        low, high = np.min(q), np.max(q)
        if limiter == "none":
            assert low < -1e-3
            assert high > 1.001
        else:
            assert low >= -1e-3 * rounding(kernels)
        if limiter == "monotone":
            assert high <= 1 + 10 * rounding(kernels)
