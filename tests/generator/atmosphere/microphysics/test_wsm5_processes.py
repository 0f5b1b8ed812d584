# SPDX-License-Identifier: Apache-2.0
"""Each process of WSM5 alone: columns in which only it changes a kind of water, against its closed formula.

Layers are so thick that nothing falls. Air that is saturated by a hair keeps vapour from acting, and what
condenses in the end changes vapour and cloud water only: then these are not compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from columns_of import interpreted
from heddle import Module
from heddle.atmosphere import microphysics
from scalar_wsm3 import crystals, saturation

T0, P, RHO, DT = 273.15, 8e4, 1.0, 20.0
LV, LS, LF = 2.5e6, 2.85e6, 3.5e5
F = math.sqrt(1.28 / RHO)
HAIR = 1 + 1e-13
JUST_ABOVE = float(np.nextafter(T0, 300))
WATER = ("q", "qc", "qr", "qi", "qs")


def viscosity(t: float) -> float:
    return 1.496e-6 * t**1.5 / (t + 120) / RHO


def resistance(t: float, heat: float, qs: float) -> float:
    conductivity, diffusivity = 1414 * viscosity(t) * RHO, 8.794e-5 * t**1.81 / P
    return RHO * heat**2 / (conductivity * 461.6 * t**2) + 1 / (qs * diffusivity)


def ventilated(t: float, still: float, moving: float, r: float, b: float) -> float:
    """Of a distribution whose particles fall with a power b of their diameter."""
    nu = viscosity(t)
    schmidt = (nu / (8.794e-5 * t**1.81 / P)) ** 0.3333333
    return still * r**2 + moving * schmidt / math.sqrt(nu) * math.sqrt(F) * r ** (2.5 + b / 2)


def rain(t: float, qr: float) -> tuple[float, float]:
    """1/lambda, and what rain exchanges."""
    r = (qr * RHO / (math.pi * 1000 * 8e6)) ** 0.25
    moving = 2 * math.pi * 8e6 * 0.31 * 841.9**0.5 * math.gamma(2.9)
    return r, ventilated(t, 2 * math.pi * 8e6 * 0.78, moving, r, 0.8)


def snow(t: float, qs: float) -> tuple[float, float]:
    """1/lambda, and what snow exchanges."""
    n = 2e6 * max(math.exp(0.12 * (T0 - t)), 1)
    r = (qs * RHO / (math.pi * 100 * n)) ** 0.25
    return r, ventilated(t, 4 * n * 0.65, 4 * n * 0.44 * 11.72**0.5 * math.gamma(2.705), r, 0.41)


@dataclass(frozen=True)
class Process:
    """T (K); q: vapour as a part of saturation, over ice if `ice`; water before; what the process changes, of
    saturation over water and ice; what is not compared; heat (J/kg) that comes with a kind of water."""

    name: str
    t: float
    q: float
    before: dict[str, float]
    change: Callable[[float, float], dict[str, float]]
    ice: bool = False
    ignored: tuple[str, ...] = ()
    heat: dict[str, float] = field(default_factory=dict)
    wrf: bool = False


def latent(t: float) -> float:
    return LV - (4190 - 1846.4) * (t - T0)


def praut(qs: float, qsi: float) -> dict[str, float]:
    qck1 = 0.104 * 9.8 * 0.55 / (3e8 * 1000) ** (1 / 3) / 1.718e-5 * 1.28 ** (4 / 3)
    gained = qck1 * 1e-3 ** (7 / 3) * DT
    return {"qc": -gained, "qr": gained}


def pracw(qs: float, qsi: float) -> dict[str, float]:
    r, _ = rain(290, 1e-3)
    gained = math.pi * 8e6 * 841.9 * math.gamma(3.8) / 4 * r**3.8 * 4e-4 * F * DT
    return {"qc": -gained, "qr": gained}


def prevp(qs: float, qsi: float) -> dict[str, float]:
    gained = (0.6 - 1) * rain(290, 1e-3)[1] / resistance(290, latent(290), qs) * DT
    return {"q": -gained, "qr": gained}


def psmlt(qs: float, qsi: float) -> dict[str, float]:
    t = 274.0
    conductivity = 1414 * viscosity(t) * RHO
    melted = conductivity * (t - T0) / LF * math.pi / 2 * snow(t, 1e-3)[1] / RHO * DT
    return {"qs": -melted, "qr": melted}


def freezing_cloud(qs: float, qsi: float) -> dict[str, float]:
    frozen = 100 * (math.exp(0.66 * 35) - 1) * RHO * 4e-4**2 / (1000 * 3e8) * DT
    return {"qi": frozen}


def freezing_rain(qs: float, qsi: float) -> dict[str, float]:
    r, _ = rain(268.15, 1e-4)
    return {"qs": 20 * math.pi**2 * 100 * 8e6 * 1000 / RHO * (math.exp(0.66 * 5) - 1) * r**7 * DT}


def psacw(qs: float, qsi: float) -> dict[str, float]:
    r, _ = snow(T0, 1e-3)
    return {"qs": math.pi * 2e6 * 11.72 * math.gamma(3.41) / 4 * r**3.41 * 4e-4 * F * DT}


def psaci(qs: float, qsi: float) -> dict[str, float]:
    t, qi = 260.0, 5e-5
    r, _ = snow(t, 1e-3)
    d = 11.9 * math.sqrt(RHO * qi / crystals(RHO, qi))
    speeds = abs(11.72 * math.gamma(4.41) / 6 * r**0.41 * F - 1.49e4 * d**1.31)
    n = 2e6 * math.exp(0.12 * (T0 - t))
    swept = math.pi * n * speeds / 4 * (2 * r**3 + 2 * d * r**2 + d**2 * r)
    gained = swept * qi * math.exp(-0.07 * (T0 - t)) * DT
    return {"qi": -gained, "qs": gained}


def pidep(qs: float, qsi: float) -> dict[str, float]:
    n = crystals(RHO, 1e-5)
    d = 11.9 * math.sqrt(RHO * 1e-5 / n)
    gained = 4 * d * n * 0.05 / resistance(260, LS, qsi) * DT
    return {"q": -gained, "qi": gained}


def psdep(qs: float, qsi: float) -> dict[str, float]:
    gained = (0.8 - 1) * snow(262, 1e-4)[1] / resistance(262, LS, qsi) * DT
    return {"q": -gained, "qs": gained}


def pigen(qs: float, qsi: float) -> dict[str, float]:
    formed = 4.92e-11 * (1e3 * math.exp(0.1 * 23.15)) ** 1.33 / RHO
    return {"q": -formed, "qi": formed}


def psaut(qs: float, qsi: float) -> dict[str, float]:
    formed = 2e-4 - 2.08e22 * 5e-4**8 / RHO
    return {"qi": -formed, "qs": formed}


def psevp(qs: float, qsi: float) -> dict[str, float]:
    t = JUST_ABOVE
    gained = (0.9 - 1) * snow(t, 1e-4)[1] / resistance(t, latent(t), qs) * DT
    return {"q": -gained, "qs": gained}


def condensation(rh: float, t: float) -> Callable[[float, float], dict[str, float]]:
    def change(qs: float, qsi: float) -> dict[str, float]:
        cpm = 1004.5 * (1 - rh * qs) + 1846.4 * rh * qs
        formed = (rh - 1) * qs / (1 + latent(t) ** 2 * qs / (461.6 * cpm * t**2))
        return {"q": -formed, "qc": formed}

    return change


CLOUD = ("q", "qc")
PROCESSES = (
    Process("praut", 280, 1, {"qc": 1e-3}, praut),
    Process("pracw", 290, 1, {"qc": 4e-4, "qr": 1e-3}, pracw),
    Process("prevp", 290, 0.6, {"qr": 1e-3}, prevp, heat={"qr": latent(290)}),
    Process("psmlt", 274, 1, {"qs": 1e-3}, psmlt, ignored=CLOUD),
    Process("pimlt", 275, 0.2, {"qi": 4e-4}, lambda qs, qsi: {"qi": -4e-4}, ignored=CLOUD),
    Process(
        "pihmf", 230, HAIR, {"qc": 1e-5}, lambda qs, qsi: {"qc": -1e-5, "qi": 1e-5}, ice=True,
        heat={"qi": LS - latent(230)},
    ),
    Process("pihtf", 238.15, HAIR, {"qc": 4e-4}, freezing_cloud, ice=True, ignored=CLOUD),
    Process("psfrz", 268.15, HAIR, {"qr": 1e-4}, freezing_rain, ice=True, ignored=("q", "qr")),
    Process("psacw", T0, 1, {"qc": 4e-4, "qs": 1e-3}, psacw, ignored=CLOUD),
    Process(
        "psacw_warm", JUST_ABOVE, 1, {"qc": 4e-4, "qs": 1e-3},
        lambda qs, qsi: {"qr": psacw(qs, qsi)["qs"]}, ignored=CLOUD,
    ),
    Process("psaci", 260, HAIR, {"qi": 5e-5, "qs": 1e-3}, psaci, ice=True),
    Process("pidep", 260, 1.05, {"qi": 1e-5}, pidep, ice=True, heat={"qi": LS}),
    Process("psdep", 262, 0.8, {"qs": 1e-4}, psdep, ice=True, heat={"qs": LS}),
    Process("pigen", 250, 1.05, {}, pigen, ice=True, heat={"qi": LS}),
    Process("psaut", 250, HAIR, {"qi": 2e-4}, psaut, ice=True),
    Process("psevp", JUST_ABOVE, 0.9, {"qs": 1e-4}, psevp, heat={"qs": latent(T0)}),
    Process("no_psevp", JUST_ABOVE, 0.9, {"qs": 1e-4}, lambda qs, qsi: {}, wrf=True),
    Process("condensation", 290, 1.02, {}, condensation(1.02, 290), heat={"qc": latent(290)}),
    Process("evaporation", 290, 0.98, {"qc": 4e-4}, condensation(0.98, 290), heat={"qc": latent(290)}),
)  # fmt: skip


@pytest.fixture(scope="module")
def results() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Of each process the column before and after a step; one call for those with equal quirks."""
    found = {}
    for wrf in (False, True):
        module = Module("wsm5_alone")
        module.add("step", microphysics.WSM5(quirks="wrf" if wrf else "none", gamma="exact").step())
        chosen = [process for process in PROCESSES if process.wrf == wrf]
        shape = (2, len(chosen))
        air = {name: np.zeros(shape) for name in WATER}
        for i, process in enumerate(chosen):
            air["q"][:, i] = process.q * saturation(process.t, P, process.ice)
            for name, amount in process.before.items():
                air[name][:, i] = amount
        air |= {"th": np.tile([float(p.t) for p in chosen], (2, 1)), "pii": np.ones(shape)}
        air |= {"p": np.full(shape, P), "rho": np.full(shape, RHO), "dz": np.full(shape, 1e18)}
        after = interpreted(module, air, {"dt": DT})
        for i, process in enumerate(chosen):
            found[process.name] = tuple(
                {name: values[name][0, i] for name in ("th", *WATER)} for values in (air, after)
            )
    return found


@pytest.mark.parametrize("process", PROCESSES, ids=[process.name for process in PROCESSES])
def test_alone(results: dict[str, Any], process: Process) -> None:
    before, after = results[process.name]
    wanted = process.change(saturation(process.t, P, False), saturation(process.t, P, True))
    largest = max((abs(change) for change in wanted.values()), default=0.0)
    for name in WATER:
        if name not in process.ignored:
            changed = after[name] - before[name]
            rounding = 1e-15 * (before["q"] + sum(process.before.values()))
            tolerance = 1e-11 * largest + rounding
            assert changed == pytest.approx(wanted.get(name, 0.0), rel=0, abs=tolerance), name
    total = sum(after[name] - before[name] for name in WATER)
    assert abs(total) < 1e-17
    cpm = 1004.5 * (1 - before["q"]) + 1846.4 * before["q"]
    for name, heat in process.heat.items():
        warmed = heat * wanted[name] / cpm
        assert after["th"] - before["th"] == pytest.approx(warmed, rel=1e-9, abs=1e-12)
        assert abs(warmed) > 1e-4
