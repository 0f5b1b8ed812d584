# SPDX-License-Identifier: Apache-2.0
"""WSM3 against plain Python, budgets of water and heat, and the bits of all targets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from columns_of import Columns, Compiled, far, interpreted
from heddle import Module, Schedule
from heddle.atmosphere import microphysics
from scalar_wsm3 import wsm3
from soundings import saturation, sounding, spread

FIELDS = ("th", "q", "qci", "qrs")
COMPILED = ("cpu", "cuda")
STEP = Module("wsm3", precisions=("f64", "f32"))
STEP.add("step", microphysics.WSM3().step(), schedule=Schedule(math="reproducible"))
WRF = Module("wsm3_wrf")
WRF.add("step_wrf", microphysics.WSM3(quirks="wrf").step())


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    return Compiled(tmp_path_factory.mktemp("wsm3"), [(STEP, COMPILED), (WRF, ("cpu",))])


def cloudy(warmth: float, columns: int = 40, levels: int = 25, seed: int = 1) -> Columns:
    air = sounding(seed, columns, levels, warmth)
    generator = np.random.default_rng(seed)
    shape = (levels, columns)
    air["q"] = saturation(air["T"], air["p"]) * generator.uniform(0.1, 1.2, shape)
    air["qci"], air["qrs"] = spread(generator, shape, 2e-3), spread(generator, shape, 5e-3)
    air["qci"][levels // 2, 0] = air["qrs"][levels // 3, 0] = -1e-6  # of advection: it counts as none
    air["rain"], air["snow"] = generator.uniform(0, 5, (2, columns))
    return {k: v for k, v in air.items() if k not in ("T", "height")}


def expected(air: Columns, dt: float, wrf: bool) -> tuple[Columns, Any, Any]:
    """By plain Python: the columns after a step, rain and snow."""
    result = {name: value.copy() for name, value in air.items()}
    fallen = []
    for i in range(air["th"].shape[1]):
        column = {name: list(value[:, i]) for name, value in result.items() if value.ndim == 2}
        fallen.append(wsm3(column, dt, wrf))
        for name in FIELDS:
            result[name][:, i] = column[name]
    rain, snow = np.array(fallen).T
    return result, rain, snow


@pytest.mark.compiles
@pytest.mark.parametrize(("warmth", "dt"), [(300.0, 60.0), (276.0, 60.0), (262.0, 100.0), (285.0, 400.0)])
@pytest.mark.parametrize("module", [STEP, WRF], ids=["mended", "wrf"])
def test_plain_python(compiled: Compiled, module: Module, warmth: float, dt: float) -> None:
    air = cloudy(warmth)
    wanted, rain, snow = expected(air, dt, module is WRF)
    found = compiled.run(module, air, {"dt": dt})
    for field in FIELDS:
        assert far(found[field], wanted[field]) < 1e-12, field
    assert far(found["rain"], air["rain"] + rain) < 1e-12
    assert far(found["snow"], air["snow"] + snow) < 1e-12
    assert np.max(np.abs(found["sr"] - snow / (rain + 1e-12))) < 1e-12
    assert np.max(rain) > 0.1
    assert np.max(np.abs(wanted["qrs"] - air["qrs"])) > 1e-4


@pytest.mark.compiles
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_the_same_bits(compiled: Compiled, precision: str) -> None:
    """The interpreter runs the reference target's kernel."""
    air = cloudy(280.0, columns=3, levels=9, seed=2)
    wanted = interpreted(STEP, air, {"dt": 200.0}, precision)
    for target in COMPILED:
        found = compiled.run(STEP, air, {"dt": 200.0}, target, precision)
        for field in (*FIELDS, "rain", "snow", "sr"):
            assert np.array_equal(found[field], wanted[field]), (target, field)


def water(air: Columns) -> Any:
    """In a column, kg m-2."""
    return np.sum(air["rho"] * air["dz"] * (air["q"] + air["qci"] + air["qrs"]), axis=0)


def positive(air: Columns) -> Columns:
    for name in ("qci", "qrs"):
        air[name] = np.maximum(air[name], 0)
    air["rain"], air["snow"] = np.zeros((2, air["th"].shape[1]))
    return air


@pytest.mark.compiles
@pytest.mark.parametrize("dt", [60.0, 400.0])
def test_water_is_conserved_and_positive(compiled: Compiled, dt: float) -> None:
    """But for what the scheme takes as none: 1e-9 of rain or snow in each cell and substep. The original
    loses more: of the highest level, and of rain that falls through several cells."""
    for warmth in (300.0, 262.0):
        air = positive(cloudy(warmth, seed=5))
        found = compiled.run(STEP, air, {"dt": dt})
        lost = water(air) - water(found) - found["rain"]
        zeroed = 4 * 1e-9 * np.sum(air["rho"] * air["dz"], axis=0)
        assert np.all(lost > -1e-13 * water(air))
        assert np.all(lost < zeroed)
        assert np.max(found["rain"]) > 0.01
        for name in ("q", "qci", "qrs"):
            assert np.min(found[name]) >= 0, name
        original = compiled.run(WRF, air, {"dt": dt})
        assert np.max(np.abs(water(air) - water(original) - original["rain"])) > 100 * np.max(zeroed)


@pytest.mark.compiles
def test_moist_enthalpy(compiled: Compiled) -> None:
    """Above freezing, where no limit binds, cpm T + L q changes by the rounding of it alone."""
    air = positive(cloudy(310.0, seed=6))
    warm = np.all(air["th"] * air["pii"] > 274, axis=0)
    levels = np.maximum(air["th"] * air["pii"], 274.0)
    air["th"] = levels / air["pii"]
    found = compiled.run(STEP, air, {"dt": 60.0})
    assert not np.all(warm)
    cpm = 1004.5 * (1 - air["q"]) + 1846.4 * air["q"]
    latent = 2.5e6 - (4190 - 1846.4) * (air["th"] * air["pii"] - 273.15)
    before, after = (cpm * a["th"] * air["pii"] + latent * a["q"] for a in (air, found))
    assert far(after[:-1], before[:-1]) < 1e-14
    assert np.max(np.abs(found["th"] - air["th"])) > 0.1


@pytest.mark.compiles
def test_a_dry_column_stays(compiled: Compiled) -> None:
    air = positive(cloudy(280.0, seed=7))
    for name in ("q", "qci", "qrs"):
        air[name] *= 0
    air["q"] += 1e-6
    found = compiled.run(STEP, air, {"dt": 300.0})
    for name in (*FIELDS, "rain", "snow", "sr"):
        assert np.array_equal(found[name], air.get(name, 0 * found[name])), name


@pytest.mark.compiles
def test_the_last_bit_of_the_temperature_decides(compiled: Compiled) -> None:
    """At 273.15 K all is water, one bit below it ice, through the whole column."""
    columns = positive(cloudy(290.0, columns=3, seed=8))
    columns["pii"] = np.ones_like(columns["pii"])
    for t in (np.nextafter(273.15, 0), 273.15, np.nextafter(273.15, 300)):
        columns["th"] = np.full_like(columns["th"], t)
        wanted, rain, snow = expected(columns, 60.0, False)
        found = compiled.run(STEP, columns, {"dt": 60.0})
        for name in FIELDS:
            assert far(found[name], wanted[name]) < 1e-12, name
        assert np.all((found["snow"] > 0) == ((t < 273.15) & (found["rain"] > 0)))
        assert np.max(rain) > 0
        assert np.max(np.abs(found["snow"] - snow)) < 1e-15
