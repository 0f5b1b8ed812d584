# SPDX-License-Identifier: Apache-2.0
"""WSM3 and WSM5 against plain Python, budgets of water and heat, and the bits of all targets.

One file, because one library has the kernels of both: the emulation of CUDA is compiled once."""

from __future__ import annotations

import numpy as np
import pytest
from columns_of import Columns, Compiled, far, interpreted
from heddle import Module
from wsm5_original import WRF, column
from wsm_cases import CASES, WSM3, WSM5, Case

COMPILED = ("cpu", "cuda")
SINGLE = {"th": 2e-6}
"""How far f32 may be from f64 in 99 of 100 cells, as a part of the largest value; 1e-4 for water. In the
others, thresholds decide otherwise."""
pytestmark = pytest.mark.compiles
precisions = pytest.mark.parametrize("precision", ["f64", "f32"])
CLOSE = {"f64": 1e-14, "f32": 3e-6}
"""Some roundings of the sum of a column."""
both = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    modules: list[tuple[Module, tuple[str, ...]]] = []
    for case in CASES:
        modules += [(case.mended, COMPILED), (case.wrf, ("cpu",))]
    return Compiled(tmp_path_factory.mktemp("wsm"), modules)


@both
@pytest.mark.parametrize(("warmth", "dt"), [(300.0, 60.0), (276.0, 60.0), (262.0, 100.0), (285.0, 400.0)])
@pytest.mark.parametrize("wrf", [False, True], ids=["mended", "wrf"])
def test_plain_python(compiled: Compiled, case: Case, wrf: bool, warmth: float, dt: float) -> None:
    air = case.cloudy(warmth)
    wanted, rain, snow = case.expected(air, dt, wrf)
    found = compiled.run(case.wrf if wrf else case.mended, air, {"dt": dt})
    wanted = wanted | {"rain": air["rain"] + rain, "snow": air["snow"] + snow}
    if wrf and case is WSM5 and dt > 180:
        same_but_for_remainders(found, wanted)
    else:
        for field in (*case.fields, "rain", "snow"):
            assert far(found[field], wanted[field]) < 1e-12, field
        assert np.max(np.abs(found["sr"] - snow / (rain + 1e-12))) < 1e-12
    assert np.max(rain) > 0.1
    for name in case.condensed:
        assert np.max(np.abs(wanted[name] - air[name])) > 1e-4, name
    if not wrf:
        single = compiled.run(case.mended, air, {"dt": dt}, precision="f32")
        for field in case.fields:
            differences = np.abs(single[field] - wanted[field]) / np.max(wanted[field])
            assert np.quantile(differences, 0.99) < SINGLE.get(field, 1e-4), field


def same_but_for_remainders(found: Columns, wanted: Columns) -> None:
    """WRF's WSM5 keeps 1e-21 or nothing where all rain or snow went, as rounding has it, and in the next
    substep a remainder falls. Here that shows in 6 of 40 columns."""
    exact = np.full(found["th"].shape[1], True)
    for field in (*WSM5.fields, "rain", "snow"):
        differences = np.max(np.atleast_2d(np.abs(found[field] - wanted[field])), axis=0)
        differences /= np.max(wanted[field])
        assert np.max(differences) < 0.05, field
        exact &= differences < 1e-12
    assert np.mean(exact) > 0.7


@pytest.mark.parametrize("dt", WRF)
def test_results_of_wrf(compiled: Compiled, dt: float) -> None:
    """150 s are one substep, 300 s three of 100 s, which keep the heats of the first: two of 150 s would be
    0.4 of the largest value away in rain, new heats 3e-5."""
    found = compiled.run(WSM5.wrf, column(), {"dt": dt})
    for field, values in WRF[dt].items():
        assert far(found[field].ravel(), np.array(values)) < 1e-12, field


@both
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_the_same_bits(compiled: Compiled, case: Case, precision: str) -> None:
    """The interpreter runs the reference target's kernel."""
    air = case.cloudy(280.0, columns=3, levels=9, seed=2)
    wanted = interpreted(case.mended, air, {"dt": 200.0}, precision)
    for target in COMPILED:
        found = compiled.run(case.mended, air, {"dt": 200.0}, target, precision)
        for field in (*case.fields, "rain", "snow", "sr"):
            assert np.array_equal(found[field], wanted[field]), (target, field)


@both
@precisions
@pytest.mark.parametrize("dt", [60.0, 400.0])
def test_water_is_conserved_and_positive(compiled: Compiled, case: Case, dt: float, precision: str) -> None:
    """But for what the scheme takes as none: 1e-9 of rain and of snow in each cell and substep. The original
    loses more: of the highest level, and of rain that falls through several cells."""
    for warmth in (300.0, 262.0):
        air = case.positive(warmth, seed=5)
        found = compiled.run(case.mended, air, {"dt": dt}, precision=precision)
        found = {name: values.astype(np.float64) for name, values in found.items()}
        rounded = 10 * CLOSE[precision] * case.content(air)
        lost = case.content(air) - case.content(found) - found["rain"]
        zeroed = 8 * 1e-9 * np.sum(air["rho"] * air["dz"], axis=0)
        assert np.all(lost > -rounded)
        assert np.all(lost < zeroed + rounded)
        assert np.max(found["rain"]) > 0.01
        for name in case.water:
            assert np.min(found[name]) >= 0, name
        if precision == "f32":
            continue
        original = compiled.run(case.wrf, air, {"dt": dt})
        difference = case.content(air) - case.content(original) - original["rain"]
        assert np.max(np.abs(difference)) > 50 * np.max(zeroed)


@precisions
def test_moist_enthalpy(compiled: Compiled, precision: str) -> None:
    """Above freezing, where no limit binds, cpm T + L q changes by the rounding of it alone."""
    air = WSM3.positive(310.0, seed=6)
    warm = np.all(air["th"] * air["pii"] > 274, axis=0)
    levels = np.maximum(air["th"] * air["pii"], 274.0)
    air["th"] = levels / air["pii"]
    found = compiled.run(WSM3.mended, air, {"dt": 60.0}, precision=precision)
    assert not np.all(warm)
    cpm = 1004.5 * (1 - air["q"]) + 1846.4 * air["q"]
    latent = 2.5e6 - (4190 - 1846.4) * (air["th"] * air["pii"] - 273.15)
    before, after = (cpm * a["th"] * air["pii"] + latent * a["q"] for a in (air, found))
    assert far(after[:-1], before[:-1]) < CLOSE[precision]
    assert np.max(np.abs(found["th"] - air["th"])) > 0.1


def test_moist_enthalpy_with_ice(compiled: Compiled) -> None:
    """In layers so thick that nothing falls, cpm T + L q - Lf (qi + qs) stays: below T0 with Lf = Ls - L, at
    first and above with that of T0; melting snow evaporates at the heat of vaporisation, so it has to be
    absent there."""
    air = WSM5.positive(285.0, seed=6)
    air["dz"] = np.full_like(air["dz"], 1e18)
    t = air["th"] * air["pii"]
    air["qs"] = np.where(t < 273.15, air["qs"], 0)
    found = compiled.run(WSM5.mended, air, {"dt": 60.0})
    cpm = 1004.5 * (1 - air["q"]) + 1846.4 * air["q"]
    latent = 2.5e6 - (4190 - 1846.4) * (t - 273.15)
    fusion = np.where(t < 273.15, 2.85e6 - latent, 3.5e5)
    before, after = (
        cpm * a["th"] * air["pii"] + latent * a["q"] - fusion * (a["qi"] + a["qs"]) for a in (air, found)
    )
    assert np.max(np.abs(found["qs"] - air["qs"])) > 1e-4
    assert np.max(np.abs(found["qi"] - air["qi"])[t > 273.15]) > 1e-4
    traces = 1e-9 * 5e5  # the heat of fusion of snow that the scheme takes as none
    assert np.max(np.abs(after - before)) < traces


@both
@precisions
def test_a_dry_column_stays(compiled: Compiled, case: Case, precision: str) -> None:
    air = case.positive(280.0, seed=7)
    for name in case.water:
        air[name] *= 0
    air["q"] += 1e-6
    found = compiled.run(case.mended, air, {"dt": 300.0}, precision=precision)
    for name in (*case.fields, "rain", "snow", "sr"):
        kept = np.asarray(air.get(name, 0 * found[name]), found[name].dtype)
        assert np.array_equal(found[name], kept), name


@both
@precisions
def test_the_last_bit_of_the_temperature_decides(compiled: Compiled, case: Case, precision: str) -> None:
    """At 273.15 K all is water for WSM3, one bit below it ice, through the whole column. WSM5 has ice that
    neither melts nor grows there, and melts one bit above."""
    columns = case.positive(290.0, seed=8, columns=3)
    columns["pii"] = np.ones_like(columns["pii"])
    kind = np.float64 if precision == "f64" else np.float32
    freezing = kind(273.15)
    below, above = np.nextafter(freezing, kind(0)), np.nextafter(freezing, kind(300))
    for t in (below, freezing, above):
        columns["th"] = np.full_like(columns["th"], t)
        if precision == "f32":
            found = compiled.run(case.mended, columns, {"dt": 60.0}, precision="f32")
            if case is WSM3:
                assert np.all((found["snow"] > 0) == ((t < freezing) & (found["rain"] > 0)))
            else:
                assert (np.max(found["qi"]) > 1e-6) == (t <= freezing)
            assert np.max(found["rain"]) > 0
            continue
        wanted, rain, snow = case.expected(columns, 60.0, False)
        found = compiled.run(case.mended, columns, {"dt": 60.0})
        for name in case.fields:
            assert far(found[name], wanted[name]) < 1e-12, name
        if case is WSM3:
            assert np.all((found["snow"] > 0) == ((t < 273.15) & (found["rain"] > 0)))
        else:
            assert (np.max(found["qi"]) > 1e-6) == (t <= 273.15)
        assert np.max(rain) > 0
        assert np.max(np.abs(found["snow"] - snow)) < 1e-15
