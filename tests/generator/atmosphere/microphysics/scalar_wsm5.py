# SPDX-License-Identifier: Apache-2.0
"""WSM5 for one column in plain Python, from the equations of Hong, Dudhia and Chen (2004), Lin, Farley and
Orville (1983), and Rutledge and Hobbs (1983). In the order of the original: snow melts before ice falls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from scalar_fall import fall
from scalar_wsm3 import (
    CL,
    CP,
    CPV,
    LF,
    LS,
    LV,
    QCR,
    QMIN,
    RHO0,
    RV,
    T0,
    Column,
    Numbers,
    crystals,
    gamma,
    saturation,
)

WATER = ("q", "qc", "qr", "qi", "qs")


@lru_cache
def numbers_of(wrf: bool) -> Numbers:
    return Numbers(wrf)


@lru_cache
def pacrc_of(wrf: bool) -> float:
    return math.pi * 2e6 * 11.72 * gamma(3.41, wrf) / 4


def rain_size(q: float, rho: float) -> float:
    return 1 / 8e4 if q <= QCR else (q * rho / (math.pi * 1000 * 8e6)) ** 0.25


def snow_factor(t: float) -> float:
    return min(max(math.exp(0.12 * (T0 - t)), 1.0), 5e4)


def snow_size(q: float, rho: float, t: float) -> float:
    return 1 / 1e5 if q <= QCR else (q * rho / (math.pi * 100 * 2e6 * snow_factor(t))) ** 0.25


def wsm5(c: Column, dt: float, wrf: bool) -> tuple[float, float]:
    """Change th, q, qc, qr, qi, qs of a column. Returns what fell, and the ice and snow of it (mm)."""
    n = len(c["th"])
    t = [c["th"][k] * c["pii"][k] for k in range(n)]
    water = {name: [x if name == "q" else max(x, 0.0) for x in c[name]] for name in WATER}
    cpm = [CP * (1 - max(x, QMIN)) + max(x, QMIN) * CPV for x in water["q"]]
    latent = [LV - (CL - CPV) * (x - T0) for x in t]
    substeps = max(math.floor(dt / 120 + 0.5), 1)
    fallen = [_substep(c, t, water, cpm, latent, dt / substeps, wrf) for _ in range(substeps)]
    for k in range(n):
        c["th"][k] = t[k] / c["pii"][k]
        for name in WATER:
            c[name][k] = water[name][k]
    return sum(rain for rain, _ in fallen), sum(snow for _, snow in fallen)


def _substep(
    c: Column, t: list[float], water: dict[str, list[float]], cpm: Sequence[float], latent: Sequence[float],
    dt: float, wrf: bool,
) -> tuple[float, float]:  # fmt: skip
    n, rho, p, dz = len(t), c["rho"], c["p"], c["dz"]
    numbers = numbers_of(wrf)
    f = [math.sqrt(RHO0 / x) for x in rho]
    start = [(saturation(t[k], p[k], False), saturation(t[k], p[k], True)) for k in range(n)]
    moist = list(water["q"])

    def falls(name: str, speed: list[float], again: object) -> float:
        density, fallen = fall([rho[k] * water[name][k] for k in range(n)], speed, dz, dt, again, wrf)
        water[name][:] = [max(density[k] / rho[k], 0.0) for k in range(n)]
        return fallen

    def of_rain(density: Sequence[float]) -> list[float]:
        q = [density[k] / rho[k] for k in range(n)]
        return [numbers.pvtr * rain_size(q[k], rho[k]) ** 0.8 * f[k] if q[k] > 0 else 0.0 for k in range(n)]

    def of_snow(density: Sequence[float]) -> list[float]:
        q = [density[k] / rho[k] for k in range(n)]
        return [
            numbers.pvts * snow_size(q[k], rho[k], t[k]) ** 0.41 * f[k] if q[k] > 0 else 0.0 for k in range(n)
        ]

    rain = falls("qr", of_rain([rho[k] * water["qr"][k] for k in range(n)]), of_rain)
    snow = falls("qs", of_snow([rho[k] * water["qs"][k] for k in range(n)]), of_snow)
    fallen_rain = list(water["qr"])
    speed = [0.0] * n
    for k in range(n):
        qi = water["qi"][k]
        if qi > 0:
            d = min(11.9 * math.sqrt(rho[k] * qi / crystals(rho[k], qi)), 5e-4)
            speed[k] = 1.49e4 * max(d, 1e-25) ** 1.31
        if t[k] > T0 and water["qs"][k] > 0:  # before ice falls
            exchange = _exchange_of_snow(water["qs"][k], t[k], p[k], rho[k], numbers)
            conduction = 1414 * _viscosity(t[k], rho[k]) * rho[k]
            rate = conduction / LF * (t[k] - T0) * math.pi / 2 * exchange / rho[k]
            melted = min(rate * dt, water["qs"][k])
            water["qs"][k] -= melted
            water["qr"][k] += melted
            t[k] -= LF / cpm[k] * melted
    ice = falls("qi", speed, None)
    for k in range(n):
        cell = {name: water[name][k] for name in WATER}
        t[k] = _cell(
            cell, t[k], rho[k], p[k], moist[k], start[k], fallen_rain[k], cpm[k], latent[k], dt, numbers, wrf
        )
        for name in WATER:
            water[name][k] = cell[name]
    return max(rain, 0.0) + max(snow + ice, 0.0), max(snow + ice, 0.0)


def _viscosity(t: float, rho: float) -> float:
    return 1.496e-6 * t**1.5 / (t + 120) / rho


def _diffusivity(t: float, p: float) -> float:
    return 8.794e-5 * t**1.81 / p


def _ventilation(t: float, p: float, rho: float) -> float:
    nu = _viscosity(t, rho)
    return (nu / _diffusivity(t, p)) ** 0.3333333 / math.sqrt(nu) * (RHO0 / rho) ** 0.25


def _resistance(t: float, p: float, rho: float, heat: float, qs: float) -> float:
    return rho * heat**2 / (1414 * _viscosity(t, rho) * rho * RV * t**2) + 1 / (qs * _diffusivity(t, p))


def _exchange_of_snow(qs: float, t: float, p: float, rho: float, c: Numbers) -> float:
    r = snow_size(qs, rho, t)
    ventilated = c.precs2 * _ventilation(t, p, rho) * r * r * math.sqrt(r * r**0.41)
    return snow_factor(t) * (c.precs1 * r * r + ventilated)


def _cell(
    w: dict[str, float], t: float, rho: float, p: float, q: float, saturated: tuple[float, float],
    fallen_rain: float, cpm: float, latent: float, dt: float, c: Numbers, wrf: bool,
) -> float:  # fmt: skip
    """Change the water of a cell. Returns its temperature."""
    colder = T0 - t
    bigg = math.exp(0.66 * min(colder, 50)) - 1
    if colder < 0:
        t -= LF / cpm * w["qi"]
        w["qc"], w["qi"] = w["qc"] + w["qi"], 0.0
    elif colder > 0:
        share = 100 * bigg * rho * w["qc"] ** 2 / 1000 / 3e8 * dt
        cloud = w["qc"] if colder > 40 else min(share, w["qc"])
        drops = 20 * math.pi**2 * 100 * 8e6 * 1000 / rho * bigg * rain_size(fallen_rain, rho) ** 7 * dt
        rain = min(drops, w["qr"]) if w["qr"] > 0 else 0.0
        w["qc"], w["qi"] = w["qc"] - cloud, w["qi"] + cloud
        w["qr"], w["qs"] = w["qr"] - rain, w["qs"] + rain
        t += (LS - latent) / cpm * (cloud + rain)
    rates = _rates(w, t, rho, p, q, saturated, latent, dt, c, wrf)
    _limit(rates, w, t, dt)
    t = _apply(rates, w, t, cpm, latent, dt)
    over = saturation(t, p, False)
    change = (max(w["q"], QMIN) - over) / (1 + latent**2 * over / (RV * cpm * t**2))
    condensed = min(max(change, 0.0), max(w["q"], 0.0))
    if w["qc"] > 0 and change < 0:
        condensed = max(change, -w["qc"])
    w["q"] -= condensed
    w["qc"] = max(w["qc"] + condensed, 0.0)
    traces = 0.0 if wrf else QCR
    for name, least in (("qc", QMIN), ("qi", QMIN), ("qr", traces), ("qs", traces)):
        w[name] = 0.0 if w[name] <= least else w[name]
    return t + condensed * latent / cpm


def _rates(
    w: dict[str, float], t: float, rho: float, p: float, q: float, saturated: tuple[float, float],
    latent: float, dt: float, c: Numbers, wrf: bool,
) -> dict[str, float]:  # fmt: skip
    qc, qr, qi, qs = w["qc"], w["qr"], w["qi"], w["qs"]
    f, colder = math.sqrt(RHO0 / rho), T0 - t
    over_water, over_ice = saturated
    rh_w, rh_i = max(q / over_water, QMIN), max(q / over_ice, QMIN)
    sat_w, sat_i = (max(q, QMIN) - over_water) / dt, (max(q, QMIN) - over_ice) / dt
    ab_w = _resistance(t, p, rho, latent, over_water)
    ab_i = _resistance(t, p, rho, LS, over_ice)
    rates = dict.fromkeys(
        ("praut", "pracw", "prevp", "psacw", "psaci", "pidep", "psdep", "pigen", "psaut", "psevp"), 0.0
    )
    if qc > c.qc0:
        rates["praut"] = min(c.qck1 * qc ** (7 / 3), qc / dt)
    r, n, s = rain_size(qr, rho), snow_factor(t), snow_size(qs, rho, t)
    if qr > QCR and qc > QMIN:
        rates["pracw"] = min(c.pacrr * r**3.8 * qc * f, qc / dt)
    if qr > 0:
        exchange = c.precr1 * r * r + c.precr2 * _ventilation(t, p, rho) * r * r * math.sqrt(r**1.8)
        rain = (rh_w - 1) * exchange / ab_w
        rates["prevp"] = max(rain, -qr / dt, sat_w / 2) if rain < 0 else min(rain, sat_w / 2)
    if qs > QCR and qc > QMIN:
        pacrc = pacrc_of(wrf)
        rates["psacw"] = min(pacrc * n * s**3.41 * qc * f, qc / dt)
    if colder < 0 and qs > 0 and rh_w < 1 and not wrf:
        melting = (rh_w - 1) * _exchange_of_snow(qs, t, p, rho, c) / ab_w
        rates["psevp"] = max(melting, -qs / dt, sat_w / 2)
    if colder <= 0:
        return rates
    ni = crystals(rho, qi)
    size = 11.9 * math.sqrt(rho * qi / ni)
    if qs > QCR and qi > QMIN:
        d = min(size, 5e-4)
        speeds = abs(c.pvts * s**0.41 * f - 1.49e4 * d**1.31)
        swept = math.pi * n * 2e6 * speeds * (2 * s**3 + 2 * d * s**2 + d * d * s) / 4
        collected = swept * qi * math.exp(-0.07 * colder)
        rates["psaci"] = collected if wrf else min(collected, qi / dt)
    full, left = False, sat_i - rates["prevp"]
    if qi > 0:
        ice = 4 * size * ni * (rh_i - 1) / ab_i
        ice = max(ice, sat_i / 2, left, -qi / dt) if ice < 0 else min(ice, sat_i / 2, left)
        rates["pidep"], left = ice, left - ice
        full = abs(rates["prevp"] + ice) >= abs(sat_i)
    if qs > 0 and not full:
        snow = (rh_i - 1) * _exchange_of_snow(qs, t, p, rho, c) / ab_i
        snow = max(snow, -qs / dt, sat_i / 2, left) if snow < 0 else min(snow, sat_i / 2, left)
        rates["psdep"], left = snow, left - snow
        full = abs(rates["prevp"] + rates["pidep"] + snow) >= abs(sat_i)
    if sat_i > 0 and not full:
        nuclei = 4.92e-11 * (1e3 * math.exp(0.1 * colder)) ** 1.33
        rates["pigen"] = min(max((nuclei / rho - qi) / dt, 0.0), sat_i, left)
    if qi > 0:
        rates["psaut"] = max((qi - 2.08e22 * 5e-4**8 / rho) / dt, 0.0)
    return rates


def _limit(rates: dict[str, float], w: dict[str, float], t: float, dt: float) -> None:
    """Scale the rates of each kind of water that would become negative."""
    warm = t > T0
    cloud = (("praut", 1), ("pracw", 1), ("psacw", 1))
    ice = (("psaut", 1), ("psaci", 1), ("pigen", -1), ("pidep", -1))
    rain = (("praut", -1), ("pracw", -1), ("prevp", -1), *((("psacw", -1),) if warm else ()))
    cold_snow = (("psdep", -1), ("psaut", -1), ("psaci", -1), ("psacw", -1))
    groups = [("qc", cloud, QMIN)]
    groups += [] if warm else [("qi", ice, QMIN)]
    groups += [("qr", rain, QMIN), ("qs", (("psevp", -1),) if warm else cold_snow, QCR if warm else QMIN)]
    for name, signs, least in groups:
        limit, taken = max(least, w[name]), sum(sign * rates[rate] for rate, sign in signs) * dt
        if taken > limit:
            for rate, _ in signs:
                rates[rate] *= limit / taken


def _apply(r: dict[str, float], w: dict[str, float], t: float, cpm: float, latent: float, dt: float) -> float:
    """Change the water of a cell by the rates. Returns its temperature."""
    warm = t > T0
    solid = r["psdep"] + r["pidep"] + r["pigen"]
    liquid = r["prevp"] + r["psevp"]
    changes = {
        "q": -solid - liquid,
        "qc": -r["praut"] - r["pracw"] - r["psacw"],
        "qr": r["praut"] + r["pracw"] + r["prevp"] + (r["psacw"] if warm else 0.0),
        "qi": r["pigen"] + r["pidep"] - r["psaut"] - r["psaci"],
        "qs": r["psdep"] + r["psaut"] + r["psaci"] + r["psevp"] + (0.0 if warm else r["psacw"]),
    }
    for name, rate in changes.items():
        w[name] = w[name] + rate * dt if name == "q" else max(w[name] + rate * dt, 0.0)
    frozen = 0.0 if warm else (LS - latent) * r["psacw"]
    return t + (LS * solid + latent * liquid + frozen) * dt / cpm
