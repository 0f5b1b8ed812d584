# SPDX-License-Identifier: Apache-2.0
"""CLOUDSC against results of the original, budgets of water and heat, closed forms, and the bits of all
targets."""

from __future__ import annotations

from typing import Any

import cloudsc_original as original
import numpy as np
import pytest
from cloudsc_columns import weather
from columns_of import Columns, Compiled, far, interpreted
from heddle import Module, Schedule, Strips, fields
from heddle.atmosphere import microphysics
from heddle.atmosphere.microphysics.cloudsc import constants as c
from heddle.atmosphere.microphysics.cloudsc.exchange import KINDS, PAIRS, Exchange, solved
from heddle.atmosphere.microphysics.cloudsc.saturation import Temperature, adjusted
from heddle.model.equations import Equations

compiles = pytest.mark.compiles
precisions = pytest.mark.parametrize("precision", ["f64", "f32"])
climates = pytest.mark.parametrize("warmth", [300.0, 280.0, 255.0])
DT = 1800.0

mended = Module("cloudsc", precisions=("f64", "f32"))
lanes = Schedule(Strips(16), math="reproducible")  # the last strip of 40 columns has 8
mended.add("cloudsc_step", microphysics.CLOUDSC(top=1).step(), schedule=lanes)
as_ifs = Module("cloudsc_ifs")
as_ifs.add("cloudsc_step_ifs", microphysics.CLOUDSC(top=original.TOP, quirks="ifs").step())


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    return Compiled(tmp_path_factory.mktemp("cloudsc"), [(mended, ("cpu", "cuda")), (as_ifs, ("cpu",))])


def after(air: Columns, found: Columns, dt: float = DT) -> Columns:
    """The state after the step: what was, the rates before, and those of the scheme."""
    names = ("t", "q", "a", "ql", "qi", "qr", "qs")
    return {name: air[name] + dt * (air[f"{name}_rate"] + found[f"{name}_gain"]) for name in names}


@compiles
@pytest.mark.parametrize("name", list(original.RESULTS))
def test_results_of_the_original(compiled: Compiled, name: str) -> None:
    found = compiled.run(as_ifs, original.columns(), {"dt": original.DT})
    assert far(found[name], original.result(name)) < 1e-12


@compiles
def test_quirks_are_mended(compiled: Compiled) -> None:
    """Fluxes of rain and snow add up what became of rain and snow; the original goes on from liquid and
    ice. Between top and the lowest level, where it counts what no cloud takes, rates differ by the error of
    its Gamma function."""
    air = original.columns()
    found = compiled.run(mended, air, {"dt": original.DT})
    wanted = compiled.run(as_ifs, air, {"dt": original.DT})
    mass = np.diff(air["p_lower"], axis=0, prepend=air["p_top"][None]) / c.G
    assert far(found["flux_r"], -np.cumsum(found["qr_gain"] * mass, axis=0)) < 1e-14
    assert far(wanted["flux_r"], -np.cumsum(wanted["qr_gain"] * mass, axis=0)) > 0.1
    between = slice(original.TOP, -1)
    assert 1e-9 < far(found["qr_gain"][between], wanted["qr_gain"][between]) < 1e-5
    assert np.any(wanted["detrained"][-1] > 0)
    assert not np.any(found["detrained"][-1])


@compiles
@precisions
@climates
def test_water_is_conserved(compiled: Compiled, warmth: float, precision: str) -> None:
    """What a column gains is what updraughts detrain and the dynamics took off, less what falls out. Where
    less than 1e-14 kg/kg is left of what falls, that which fell of it is lost."""
    air = weather(warmth, dt=DT)
    found = compiled.run(mended, air, {"dt": DT}, precision=precision)
    found = {name: values.astype(np.float64) for name, values in found.items()}
    mass = np.diff(air["p_lower"], axis=0, prepend=air["p_top"][None]) / c.G
    gained = sum(found[f"{name}_gain"] for name in ("q", "ql", "qi", "qr", "qs"))
    came = found["detrained"] + np.where(air["supersaturation"] > 1e-14, air["supersaturation"], 0)
    came[0] = 0  # above the first level with clouds
    snow = np.where(air["convects"] > 0, air["snow_detrainment"], 0)
    snow[[0, -1]] = 0
    budget = np.sum((gained - came / DT) * mass - snow, axis=0) + found["rain"][-1] + found["snow"][-1]
    scale = np.sum(air["q"] * mass, axis=0) / DT
    traces = 1e-14 * sum(c.SPEEDS.values()) * np.sum(air["p"] / (c.RD * air["t"]), axis=0)
    assert np.max(np.abs(budget) - traces - (1e-14 if precision == "f64" else 1e-5) * scale) < 0
    assert np.max(found["rain"][-1] + found["snow"][-1]) > 1e-5
    assert np.max(found["detrained"]) > 1e-4


@compiles
@climates
def test_enthalpy_is_conserved(compiled: Compiled, warmth: float) -> None:
    """cp T - Lv (liquid + rain) - Ls (ice + snow) of a column changes by what falls out and what comes in.
    Snow that detrains is the exception: it counts as vapour that froze."""
    air = weather(warmth, dt=DT)
    air["snow_detrainment"] *= 0
    found = compiled.run(mended, air, {"dt": DT})
    mass = np.diff(air["p_lower"], axis=0, prepend=air["p_top"][None]) / c.G
    water, ice = (sum(found[f"q{kind}_gain"] for kind in kinds) for kinds in ("lr", "is"))
    t = air["t"] + DT * air["t_rate"]
    part = np.clip((t - c.ALL_ICE) / 23, 0, 1) ** 2
    earlier = np.where(air["supersaturation"] > 1e-14, air["supersaturation"], 0)
    earlier[0] = 0
    frozen = t <= c.FREEZES_ALONE
    came_water = part * found["detrained"] + np.where(frozen, 0, earlier)
    came_ice = (1 - part) * found["detrained"] + np.where(frozen, earlier, 0)
    heat = c.CP * found["t_gain"] - c.HEAT_V * (water - came_water / DT) - c.HEAT_S * (ice - came_ice / DT)
    budget = np.sum(heat * mass, axis=0) - c.HEAT_V * found["rain"][-1] - c.HEAT_S * found["snow"][-1]
    scale = np.sum(np.abs(c.CP * found["t_gain"]) * mass, axis=0)
    assert np.max(np.abs(budget) / scale) < 1e-12
    assert np.max(np.abs(found["heat_snow"][-1] + c.HEAT_S * found["snow"][-1])) == 0


@compiles
@precisions
@climates
def test_bounds(compiled: Compiled, warmth: float, precision: str) -> None:
    """Covers lie between 0 and 1, no water is less than none, and precipitation covers a part."""
    air = weather(warmth, dt=DT)
    found = compiled.run(mended, air, {"dt": DT}, precision=precision)
    state = after(air, {name: values.astype(np.float64) for name, values in found.items()})
    rounded = 1e-15 if precision == "f64" else 1e-6
    a = state["a"][1:]
    assert np.min(a) > -rounded
    assert np.max(a) < 1 + rounded
    assert np.any(a > 0.999)
    for name in ("q", "ql", "qi", "qr", "qs"):
        assert np.min(state[name]) > -rounded * np.max(air[name]), name
        assert np.min(air[name] + DT * air[f"{name}_rate"]) < 0 or name == "q"
    assert np.min(found["cover"]) >= 0
    assert np.max(found["cover"]) <= 1
    assert np.min(found["rain"]) >= 0
    assert np.min(found["snow"]) >= 0


@compiles
@precisions
def test_clear_dry_air_stays(compiled: Compiled, precision: str) -> None:
    air = weather(280.0)
    air |= {
        name: 0 * air[name]
        for name in (*(n for n in air if n.endswith("_rate")), "a", "ql", "qi", "qr", "qs")
    }
    air |= {name: 0 * air[name] for name in ("detrainment", "snow_detrainment", "supersaturation")}
    air |= {"q": 0.3 * original.saturated(air["t"], air["p"]) * np.minimum(1, np.exp((air["t"] - 273) / 20))}
    found = compiled.run(mended, air, {"dt": DT}, precision=precision)
    for name in ("t", "q", "a", "ql", "qi", "qr", "qs"):
        assert not np.any(found[f"{name}_gain"]), name
    for name in ("rain", "snow", "cover"):
        assert not np.any(found[name]), name


@compiles
@precisions
def test_clouds_form_from_the_critical_humidity(compiled: Compiled, precision: str) -> None:
    """In clear air above freezing that cools: at 0.8 of saturation, far above the ground, and nowhere below
    it. Levels that are passed over are drier than that."""
    air = {name: 0 * values for name, values in weather(280.0, columns=12).items()}
    air |= {name: weather(280.0, columns=12)[name] for name in ("p", "p_lower", "p_top")}
    air["t"] += 281
    air["heating_lw"] -= 1e-4
    humidity = np.array([0.5, 0.7, 0.78, 0.788, 0.796, 0.799, 0.801, 0.81, 0.85, 0.9, 0.95, 0.99])
    part = c.E0 * np.exp(c.A_W * (281 - c.MELTS) / (281 - c.B_W)) / air["p"]
    air["q"] = humidity * part / (1 - c.EXCESS * part)
    found = compiled.run(mended, air, {"dt": DT}, precision=precision)
    forms = found["a_gain"] > 0
    far_above = air["p"] < 0.79 * air["p_lower"][-1]
    assert np.array_equal(forms[1:][far_above[1:]], ((humidity > 0.8) & far_above)[1:][far_above[1:]])
    assert np.array_equal(found["ql_gain"] > 0, forms)
    assert not np.any(forms[0])


@compiles
def test_single_precision(compiled: Compiled) -> None:
    """In the other cells a threshold decides otherwise. Overcast cells are among those that agree: 1 - 1e-8
    is 1 in f32."""
    air = weather(285.0, dt=DT)
    wanted = compiled.run(mended, air, {"dt": DT})
    found = compiled.run(mended, air, {"dt": DT}, precision="f32")
    for name in ("t", "q", "ql", "qi", "qr", "qs"):
        right = wanted[f"{name}_gain"]
        differences = np.abs(found[f"{name}_gain"] - right) / np.max(np.abs(right))
        assert np.quantile(differences, 0.98) < 1e-5, name


@compiles
@precisions
def test_the_same_bits(compiled: Compiled, precision: str) -> None:
    """The interpreter runs the reference target's kernel."""
    air = {name: values[..., :3] for name, values in original.columns().items()}
    wanted = interpreted(mended, air, {"dt": DT}, precision)
    for target in ("cpu", "cuda"):
        found = compiled.run(mended, air, {"dt": DT}, target, precision)
        for field, values in wanted.items():
            assert np.array_equal(found[field], values), (target, field)


def limited_by_hand(a: Any, there: Any) -> Any:
    """a[m][n]: what m gains of n; a[m][m]: from elsewhere. The same, so that none loses more than there
    is."""
    a = a.copy()
    there = np.maximum(there, 1e-14)
    order = np.argsort(there / np.maximum(-a.sum(axis=1), there), kind="stable")
    for m in order:
        share = there[m] / max(-a[m].sum(), there[m])
        for n in np.flatnonzero(a[m] < 0):
            a[m, n] *= share
            a[n, m] *= share
    return a


def test_the_limit_and_the_linear_system() -> None:
    """Random rates, half of which overdraw: against a loop over a full matrix, and numpy.linalg.solve."""
    pairs = {pair: fields(f"pair_{pair}: real[3D]") for pair in PAIRS}
    sources = {kind: fields(f"from_{kind}: real[3D]") for kind in "lirs"}
    before = {kind: fields(f"before_{kind}: real[3D]") for kind in KINDS}
    rates = {
        name: fields(f"{name}: real[3D]") for name in ("out_i", "out_r", "out_s", "sinks", "rimes", "grows")
    }
    results = {kind: fields(f"result_{kind}: real[3D]") for kind in KINDS}
    gained = {kind: fields(f"gained_{kind}: real[3D]") for kind in KINDS}
    cell, exchange = Equations(), Exchange()
    for pair, field in pairs.items():
        exchange.move(pair[1], pair[0], field.here)
    for kind, field in sources.items():
        exchange.add(kind, field.here)
    state = {kind: field.here for kind, field in before.items()}
    gains = exchange.gains(cell, state)
    right = {kind: cell.let(f"right_{kind}", state[kind] + gains[kind]) for kind in KINDS}
    falls = {kind: rates[f"out_{kind}"].here for kind in "irs"}
    new = solved(cell, right, falls, rates["sinks"].here, rates["rimes"].here, rates["grows"].here)
    for kind in KINDS:
        cell.store(gained[kind].here, gains[kind])
        cell.store(results[kind].here, new[kind])
    module = Module("exchange")
    module.add("exchange_all", cell.statements)
    generator = np.random.default_rng(4)
    shape = (20, 10)
    given = {
        f"pair_{pair}": generator.normal(0, 1, shape) * (generator.random(shape) < 0.7) for pair in PAIRS
    }
    given |= {
        f"from_{kind}": generator.uniform(0, 1, shape) * (generator.random(shape) < 0.5) for kind in "lirs"
    }
    given |= {
        f"before_{kind}": generator.uniform(0, 3, shape) * (generator.random(shape) < 0.8) for kind in KINDS
    }
    given |= {name: generator.uniform(0, 2, shape) for name in rates}
    found = interpreted(module, given, {})
    scaled = 0
    for at in np.ndindex(shape):
        a = np.zeros((5, 5))
        for (m, n), field in ((pair, given[f"pair_{pair}"]) for pair in PAIRS):
            a[KINDS.index(m), KINDS.index(n)], a[KINDS.index(n), KINDS.index(m)] = field[at], -field[at]
        for kind in "lirs":
            a[KINDS.index(kind), KINDS.index(kind)] = given[f"from_{kind}"][at]
        there = np.array([given[f"before_{kind}"][at] for kind in KINDS])
        limited = limited_by_hand(a, there)
        scaled += not np.array_equal(limited, a)
        wanted = limited.sum(axis=1)
        assert np.allclose([found[f"gained_{kind}"][at] for kind in KINDS], wanted, rtol=0, atol=1e-13)
        out = {name: given[name][at] for name in rates}
        matrix = np.diag(
            1 + np.array([out["sinks"], out["sinks"] + out["out_i"], out["out_r"], out["out_s"], 0])
        )
        for column, part in ((0, out["rimes"]), (1, out["grows"])):
            matrix[column, column] += part
            matrix[3, column] -= part
        after_ = np.linalg.solve(matrix, there + wanted)
        traces = after_[:4] < 1e-14
        after_[4] += after_[:4][traces].sum()
        after_[:4][traces] = 0
        assert np.allclose([found[f"result_{kind}"][at] for kind in KINDS], after_, rtol=0, atol=1e-13)
    assert 50 < scaled < 200


def test_saturation_and_its_adjustment() -> None:
    """Pressures of saturated vapour as tables have them; two steps of Newton's method against bisection."""
    t, q, p = fields("t, q, p: real[3D]")
    results = {name: fields(f"{name}: real[3D]") for name in ("water", "ice", "t_new", "q_new")}
    cell = Equations()
    at = Temperature(cell, "first", t.here)
    cell.store(results["water"].here, at.over_water() * c.RV / c.RD)
    cell.store(results["ice"].here, at.over_ice() * c.RV / c.RD)
    per_p = cell.let("per_p", 1 / p.here)
    T, new = adjusted(at, q.here, per_p)
    T, new = cell.let("T_once", T), cell.let("q_once", new)
    T, new = adjusted(Temperature(cell, "second", T), new, per_p)
    cell.store(results["t_new"].here, T)
    cell.store(results["q_new"].here, new)
    module = Module("adjust")
    module.add("adjust_once", cell.statements)

    # Goff and Gratch, hPa: over water at -20, 0, 20, 30 C, over ice at -20 and -40 C (Smithsonian tables).
    table = np.array([[253.15, 273.15, 293.15, 303.15, 253.15, 233.15]])
    wanted = np.array([1.2540, 6.1078, 23.373, 42.430, 1.0320, 0.1283]) * 100
    found = interpreted(module, {"t": table, "q": 0 * table, "p": 0 * table + 9e4}, {})
    assert np.max(np.abs(np.append(found["water"][0, :4], found["ice"][0, 4:]) / wanted - 1)) < 6e-3

    generator = np.random.default_rng(3)
    temperature = generator.uniform(225, 305, (5, 20))
    pressure = generator.uniform(3e4, 1e5, (5, 20))

    def mixture(warm: Any) -> Any:
        part = np.clip((warm - c.ALL_ICE) / (c.MELTS - c.ALL_ICE), 0, 1) ** 2
        e = [c.E0 * np.exp(a * (warm - c.MELTS) / (warm - b)) for a, b in ((c.A_W, c.B_W), (c.A_I, c.B_I))]
        e = part * e[0] + (1 - part) * e[1]
        return e / (pressure - c.EXCESS * e), part * c.LV + (1 - part) * c.LS

    vapour = mixture(temperature)[0] * generator.uniform(0.9, 1.15, (5, 20))
    found = interpreted(module, {"t": temperature, "q": vapour, "p": pressure}, {})
    low, high = temperature - 10, temperature + 10
    for _ in range(60):
        middle = 0.5 * (low + high)
        full, _ = mixture(middle)
        # As the scheme: the heat of the mixture before the change.
        too_warm = middle - temperature > mixture(temperature)[1] * (vapour - full)
        low, high = np.where(too_warm, low, middle), np.where(too_warm, middle, high)
    assert np.max(np.abs(found["t_new"] - low)) < 0.02
    assert np.max(np.abs(low - temperature)) > 1
    assert np.max(np.abs(found["q_new"] / mixture(low)[0] - 1)) < 2e-3
