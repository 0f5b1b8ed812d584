# SPDX-License-Identifier: Apache-2.0
"""The parts of the WSM schemes alone, in the interpreter: fall, slope, saturation, the Gamma function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scalar_wsm3
from columns_of import far, interpreted
from heddle import Assignment, Module, Scan, block_coordinates, fields
from heddle.atmosphere.microphysics.functions import only_if
from heddle.atmosphere.microphysics.saturation import saturation
from heddle.atmosphere.microphysics.sedimentation import Species
from heddle.atmosphere.microphysics.slope import speed
from heddle.atmosphere.microphysics.wsm_constants import WsmConstants, gamma_function
from heddle.errors import KernelError
from heddle.model.equations import Equations
from scalar_fall import fall
from sympy import Symbol, symbols

q, v, rho, dz, T, p = fields("q, v, rho, dz, T, p: real[3D]")
ground = fields("ground: real[xy]")


both = pytest.mark.parametrize("precision", ["f64", "f32"])
ROUNDING = {"f64": 2.2e-16, "f32": 1.2e-7}


def falling(wrf: bool) -> Module:
    """A kernel in which one species falls with given speeds."""
    z, top, z_k, below = symbols("height z_above z_k below_here", real=True)
    delta = Symbol("delta", real=True)
    species = Species("q", q, v, rho, dz, z, delta, wrf)
    down, up = Equations(), Equations()
    down.store(z_k, only_if(block_coordinates()[2] > 0, top - dz.here))
    down.store(v.here, species.arrive(down, z_k))
    carried = {top: (z, z_k)} | species.carried()
    arrived, fallen, begin = species.ground()
    upper = up.let("z_upper", below + dz.here)
    update = species.remap(up, upper) | {below: upper}
    module = Module("fall", precisions=("f64", "f32"))
    module.add("fall", [
        Scan(2, {z: 0}, [], {z: z + dz.here}),
        species.top_arrives(),
        Scan(2, {s: first for s, (first, _) in carried.items()}, down.statements,
             {s: then for s, (_, then) in carried.items()}, reverse=True),
        *arrived,
        Scan(2, begin | {below: 0}, up.statements, update),
        Assignment(ground.here, fallen),
    ])  # fmt: skip
    return module


def columns(seed: int, count: int = 12, levels: int = 13) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    shape = (levels, count)
    filled = generator.random(shape) < 0.8
    return {
        "q": generator.random(shape) * filled,
        "v": generator.uniform(0, 8, shape) * filled,
        "rho": np.ones(shape),
        "dz": generator.uniform(60, 200, shape),
    }


@pytest.mark.parametrize("delta", [5.0, 40.0, 300.0, 5000.0])
@pytest.mark.parametrize("wrf", [False, True], ids=["mended", "wrf"])
def test_plain_python(wrf: bool, delta: float) -> None:
    given = columns(1)
    found = interpreted(falling(wrf), given, {"delta": delta})
    for i in range(given["q"].shape[1]):
        density, fallen = fall(*(list(given[name][:, i]) for name in ("q", "v", "dz")), delta, None, wrf)
        assert np.max(np.abs(found["q"][:, i] - density)) < 1e-12
        assert found["ground"][i] == pytest.approx(fallen, rel=1e-12, abs=1e-12)


@both
@pytest.mark.parametrize("delta", [5.0, 40.0, 300.0, 5000.0])
def test_mass_is_conserved(delta: float, precision: str) -> None:
    given = columns(2)
    found = interpreted(falling(False), given, {"delta": delta}, precision)
    found = {name: values.astype(np.float64) for name, values in found.items()}
    before, after = (np.sum(a["q"] * given["dz"], axis=0) for a in (given, found))
    assert np.max(np.abs(after + found["ground"] - before) / before) < 5 * ROUNDING[precision]
    assert np.min(found["q"]) >= 0
    assert np.max(found["ground"]) > 0


@both
def test_what_does_not_fall_stays(precision: str) -> None:
    given = columns(3)
    given["v"] *= 0
    found = interpreted(falling(False), given, {"delta": 100.0}, precision)
    assert far(found["q"], given["q"]) < 500 * ROUNDING[precision]
    assert not np.any(found["ground"])


@both
def test_uniform_speed_shifts_a_line(precision: str) -> None:
    """A density linear in height that falls by 2.3 cells keeps its form."""
    levels = 20
    given = {"dz": np.full((levels, 1), 100.0), "rho": np.ones((levels, 1)), "v": np.full((levels, 1), 2.3)}
    given["q"] = 1 + 0.1 * np.arange(levels)[:, None]
    found = interpreted(falling(False), given, {"delta": 100.0}, precision)
    assert np.max(np.abs(found["q"][1:15, 0] - (given["q"][1:15, 0] + 0.23))) < 500 * ROUNDING[precision]


def kernel(value: Any) -> Module:
    cell = Equations()
    cell.store(p.here, value(cell))
    module = Module("cell")
    module.add("cell", cell.statements)
    return module


@both
def test_slope_of_four_branches(precision: str) -> None:
    """Rain and snow, with and without a limit of the slope, and no water at all: speeds as in plain Python;
    at the limit they jump as the formulas say."""
    c, numbers = WsmConstants("exact"), scalar_wsm3.Numbers(False)
    f = (1.28 / rho.here) ** 0.5
    module = kernel(lambda cell: speed(cell, q.here, rho.here, f, T.here, c))
    amounts = [-1e-5, 0.0, 1e-12, 1e-9, np.nextafter(1e-9, 1), 1e-6, 1e-3, 1e-2]
    temperatures = [220.0, 262.0, np.nextafter(273.15, 0), 273.15, 300.0]
    kind, close = (np.float64, 1e-13) if precision == "f64" else (np.float32, 1e-5)
    lowest, cold = np.nextafter(kind(1e-9), kind(1)), np.nextafter(kind(273.15), kind(0))
    given = {
        "q": np.array([[*amounts[:4], lowest, *amounts[5:]]] * 5).T,
        "T": np.array([[*temperatures[:2], cold, *temperatures[3:]]] * 8),
        "rho": np.full((8, 5), 0.7),
    }
    found = interpreted(module, given, {}, precision)["p"]
    for k, i in np.ndindex(8, 5):
        wanted = scalar_wsm3.slope(amounts[k], 0.7, temperatures[i], numbers)[3]
        assert found[k, i] == pytest.approx(wanted, rel=close, abs=0), (k, i)
    assert not np.any(found[:2])
    assert np.all(found[2:] > 0)
    assert np.all(found[2] == found[3])
    jump = found[4] / found[3]
    limits = [(1e5 / (np.pi * 100 * 2e6 * n / 0.7e-9) ** 0.25) ** 0.41 for n in (588.3, 3.81, 1.0)]
    assert jump[:3] == pytest.approx(limits, rel=1e-3)
    whole = (8e4 / (np.pi * 8e9 / 0.7e-9) ** 0.25) ** 0.8
    assert jump[3] == pytest.approx(whole, rel=1e-9 if precision == "f64" else 1e-5)


@both
def test_saturation_over_water_and_ice(precision: str) -> None:
    """Against published values of e: 611.66 Pa at the triple point; Murphy and Koop (2005) over ice at
    233.15 K (12.84 Pa) and over water at 293.15 K (2339 Pa), which constant capacities meet within 3 %."""
    given = {"T": np.array([[273.16, 233.15, 293.15, 233.15]]).T, "rho": np.full((4, 1), 5e4)}
    for ice, wanted in ((True, [611.66, 12.84, 2339, 12.84]), (False, [611.66, 18.9, 2339, 18.9])):
        module = kernel(lambda cell, ice=ice: saturation(cell, T.here, rho.here, ice))
        e = np.array(wanted)
        expected = 0.622 * e / (5e4 - e)
        assert interpreted(module, given, {}, precision)["p"][:, 0] == pytest.approx(expected, rel=0.03)


def test_the_gamma_function() -> None:
    assert gamma_function(4.8, "exact") == pytest.approx(17.8378621, rel=1e-8)
    for x, low in ((4.8, 1.15e-3), (2.705, 3.66e-4)):
        ratio = gamma_function(x, "product") / gamma_function(x, "exact")
        assert ratio == pytest.approx(1 - low, abs=1e-5)
    c = WsmConstants("product")
    assert (c.pvtr, c.pvts) == (pytest.approx(2500.07, rel=1e-6), pytest.approx(20.052, rel=1e-4))
    assert c.pacrr == pytest.approx(2.4813e10, rel=1e-4)
    assert c.precr2 == pytest.approx(8.2585e8, rel=1e-4)
    assert c.precs2 == pytest.approx(1.86819e7, rel=1e-5)
    assert c.qc0 == pytest.approx(5.0265e-4, rel=1e-4)
    assert c.qck1 == pytest.approx(6.7739, rel=1e-5)
    assert c.roqimax == pytest.approx(8.125e-5, rel=1e-12)
    with pytest.raises(KernelError, match="gamma='lanczos' is unknown"):
        WsmConstants("lanczos")
