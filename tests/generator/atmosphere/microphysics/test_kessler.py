# SPDX-License-Identifier: Apache-2.0
"""Kessler's scheme against plain Python, budgets of water and heat, and the bits of all targets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from columns_of import TARGETS, Columns, Compiled, far, interpreted
from heddle import Module, Schedule, fields
from heddle.atmosphere import microphysics
from heddle.errors import KernelError
from scalar_kessler import kessler
from soundings import saturation, sounding, spread

FIELDS = ("th", "qv", "qc", "qr")


STEP = Module("kessler", precisions=("f64", "f32"))
STEP.add("step", microphysics.Kessler().step(), schedule=Schedule(math="reproducible"))
WRF = Module("kessler_wrf")
WRF.add("step_wrf", microphysics.Kessler(quirks="wrf").step())


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    return Compiled(tmp_path_factory.mktemp("kessler"), [(STEP, TARGETS), (WRF, ("cpu",))])


def cloudy(columns: int = 60, levels: int = 23, seed: int = 1) -> Columns:
    air = sounding(seed, columns, levels)
    generator = np.random.default_rng(seed)
    shape = (levels, columns)
    air["qv"] = saturation(air["T"], air["p"]) * generator.uniform(0.2, 1.1, shape)
    air["qc"], air["qr"] = (
        spread(generator, shape, 4e-3),
        spread(generator, shape, 8e-3),
    )
    air["qr"][levels // 2, 0] = -1e-6  # advection leaves negative water: it neither falls nor collects
    air["qc"][levels // 3, 0] = -1e-6
    air["rain"] = generator.uniform(0, 5, columns)
    return {k: v for k, v in air.items() if k not in ("T", "p", "w")}


def expected(air: Columns, dt: float) -> tuple[Columns, Any, Any]:
    """By plain Python: the columns after a step, what fell, and what fell in the last substep."""
    result = {name: value.copy() for name, value in air.items()}
    rain = []
    for i in range(air["th"].shape[1]):
        column = {name: list(value[:, i]) for name, value in result.items() if value.ndim == 2}
        rain.append(kessler(column, dt))
        for name in FIELDS:
            result[name][:, i] = column[name]
    fallen, last = np.array(rain).T
    return result, fallen, last


@pytest.mark.compiles
@pytest.mark.parametrize("dt", [5.0, 60.0, 300.0])
def test_plain_python(compiled: Compiled, dt: float) -> None:
    air = cloudy()
    wanted, fallen, last = expected(air, dt)
    assert dt < 60 or np.max(np.abs(fallen - last)) > 0.1
    for module, shown in ((STEP, fallen), (WRF, last)):
        found = compiled.run(module, air, {"dt": dt})
        for field in FIELDS:
            assert far(found[field], wanted[field]) < 1e-14, field
        assert far(found["rain"], air["rain"] + fallen) < 1e-14
        assert far(found["rain_step"], shown) < 1e-14
    single = compiled.run(STEP, air, {"dt": dt}, precision="f32")
    for field in FIELDS:
        assert far(single[field], wanted[field]) < 2e-5, field


@pytest.mark.compiles
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_the_same_bits(compiled: Compiled, precision: str) -> None:
    air = cloudy(columns=5, levels=9, seed=2)
    wanted = interpreted(STEP, air, {"dt": 120.0}, precision)
    for target in TARGETS:
        found = compiled.run(STEP, air, {"dt": 120.0}, target, precision)
        for field in (*FIELDS, "rain", "rain_step"):
            assert np.array_equal(found[field], wanted[field]), (target, field)


@pytest.mark.compiles
@pytest.mark.parametrize(("precision", "close"), [("f64", 1e-14), ("f32", 3e-6)])
def test_water_and_heat_are_conserved(compiled: Compiled, precision: str, close: float) -> None:
    """Between the centres of cells, whose distances the fall uses: water that stays and water that fell."""
    air = cloudy(seed=3)
    air["qr"], air["qc"] = np.maximum(air["qr"], 0), np.maximum(air["qc"], 0)
    air["rain"] *= 0
    found = compiled.run(STEP, air, {"dt": 60.0}, precision=precision)
    found = {name: values.astype(np.float64) for name, values in found.items()}
    spacing = np.diff(air["height"], axis=0)
    weight = air["rho"] * np.vstack([spacing, spacing[-1]])

    def water(a: Columns) -> Any:
        return np.sum(weight * (a["qv"] + a["qc"] + a["qr"]), axis=0)

    assert np.max(np.abs(water(found) + found["rain"] - water(air)) / water(air)) < close
    enthalpy = [1004 * air["pii"] * a["th"] + 2.5e6 * a["qv"] for a in (air, found)]
    assert far(enthalpy[1], enthalpy[0]) < close
    for name in ("qv", "qc", "qr"):
        assert np.min(found[name]) >= -1e-4 * close, name
    assert np.max(found["rain"]) > 0.1


@pytest.mark.compiles
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_a_dry_column_stays(compiled: Compiled, precision: str) -> None:
    air = cloudy(seed=4)
    for name in ("qc", "qr"):
        air[name] *= 0
    air["qv"] *= 0.1
    found = compiled.run(STEP, air, {"dt": 60.0}, precision=precision)
    for name in (*FIELDS, "rain"):
        assert np.array_equal(found[name], air[name].astype(found[name].dtype)), name


def test_fields_of_the_model() -> None:
    theta, rain = fields("theta: real[3D]; surface_rain: real[xy]")
    own = Module("own")
    own.add("step", microphysics.Kessler(th=theta, rain=rain, dt="delta_t").step())
    kernel = own.stages("step", "f64", "cpu").kernel
    assert {f.name for f in kernel.fields} >= {"theta", "surface_rain"}
    assert [p.name for p in kernel.parameters] == ["delta_t"]


def test_unknown_quirks() -> None:
    with pytest.raises(KernelError, match=r"quirks='mm5' is unknown.\n  Hint: use \"none\""):
        microphysics.Kessler(quirks="mm5").step()
    with pytest.raises(KernelError, match="'rain' has no value per cell of a column"):
        microphysics.Kessler(qr=fields("rain: real[xy]")).step()
