# SPDX-License-Identifier: Apache-2.0
"""WSM3 for one column in plain Python, from the equations of Hong, Dudhia and Chen (2004)."""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from functools import lru_cache

from scalar_fall import fall

Column = dict[str, MutableSequence[float]]
T0, RV, CP, CPV, CL, CI = 273.15, 461.6, 1004.5, 1846.4, 4190.0, 2106.0
LV, LS, LF, EPS, RHO0 = 2.5e6, 2.85e6, 3.5e5, 287 / 461.6, 1.28
QMIN, QCR = 1e-15, 1e-9


def gamma(x: float, wrf: bool) -> float:
    """The Gamma function; in WRF 10 000 factors of its product."""
    if not wrf:
        return math.gamma(x)
    logarithm = math.log(x) + 0.577215664901532 * x
    logarithm += math.fsum(math.log1p(x / i) - x / i for i in range(1, 10_001))
    return math.exp(-logarithm)


@lru_cache
def numbers_of(wrf: bool) -> Numbers:
    return Numbers(wrf)


class Numbers:
    """What follows from the sizes of drops and flakes."""

    def __init__(self, wrf: bool) -> None:
        self.pvtr = 841.9 * gamma(4.8, wrf) / 6
        self.pvts = 11.72 * gamma(4.41, wrf) / 6
        self.pacrr = math.pi * 8e6 * 841.9 * gamma(3.8, wrf) / 4
        self.precr1, self.precs1 = 2 * math.pi * 8e6 * 0.78, 4 * 2e6 * 0.65
        self.precr2 = 2 * math.pi * 8e6 * 0.31 * 841.9**0.5 * gamma(2.9, wrf)
        self.precs2 = 4 * 2e6 * 0.44 * 11.72**0.5 * gamma(2.705, wrf)
        self.qc0 = 4 / 3 * math.pi * 1000 * 8e-6**3 * 3e8 / RHO0
        self.qck1 = 0.104 * 9.8 * 0.55 / (3e8 * 1000) ** (1 / 3) / 1.718e-5 * RHO0 ** (4 / 3)


def slope(q: float, rho: float, t: float, c: Numbers) -> tuple[float, float, float, float]:
    """r = 1/lambda, r^b, N and vt."""
    if t >= T0:
        big, b, pv, largest, n = math.pi * 1000 * 8e6, 0.8, c.pvtr, 8e4, 1.0
    else:
        n = min(max(math.exp(0.12 * (T0 - t)), 1.0), 1e11 / 2e6)
        big, b, pv, largest = math.pi * 100 * 2e6 * n, 0.41, c.pvts, 1e5
    r = 1 / largest if q <= QCR else 1 / math.sqrt(math.sqrt(big / (q * rho)))
    rb = r**b
    return r, rb, n, 0.0 if q <= 0 else pv * rb * math.sqrt(RHO0 / rho)


def saturation(t: float, p: float, ice: bool) -> float:
    triple = T0 + 0.01
    heat, capacity = (LS, CI) if ice and t < triple else (LV, CL)
    xa = -(CPV - capacity) / RV
    xb = xa + heat / (RV * triple)
    e = min(610.78 * (triple / t) ** xa * math.exp(xb * (1 - triple / t)), 0.99 * p)
    return max(EPS * e / (p - e), QMIN)


def crystals(rho: float, qci: float) -> float:
    return min(max(5.38e7 * (rho * max(qci, QMIN)) ** 0.75, 1e3), 1e6)


def wsm3(c: Column, dt: float, wrf: bool) -> tuple[float, float]:
    """Change th, q, qci, qrs of a column. Returns rain and snow that fell (mm)."""
    n = len(c["th"])
    t = [c["th"][k] * c["pii"][k] for k in range(n)]
    q, qci, qrs = list(c["q"]), [max(x, 0.0) for x in c["qci"]], [max(x, 0.0) for x in c["qrs"]]
    cpm = [CP * (1 - max(x, QMIN)) + max(x, QMIN) * CPV for x in q]
    latent = [LV - (CL - CPV) * (x - T0) for x in t]
    numbers = numbers_of(wrf)
    substeps = max(math.floor(dt / 120 + 0.5), 1)
    fallen = [_substep(c, t, q, qci, qrs, cpm, latent, dt / substeps, numbers, wrf) for _ in range(substeps)]
    for k in range(n):
        c["th"][k], c["q"][k], c["qci"][k], c["qrs"][k] = t[k] / c["pii"][k], q[k], qci[k], qrs[k]
    return sum(rain for rain, _ in fallen), sum(snow for _, snow in fallen)


def _substep(
    c: Column, t: list[float], q: list[float], qci: list[float], qrs: list[float], cpm: Sequence[float],
    latent: Sequence[float], dt: float, c0: Numbers, wrf: bool,
) -> tuple[float, float]:  # fmt: skip
    n = len(t)
    rho, p, w, dz = c["rho"], c["p"], c["w"], c["dz"]
    qs = [saturation(t[k], p[k], True) for k in range(n)]
    rh = [max(q[k] / qs[k], QMIN) for k in range(n)]
    ni = [crystals(rho[k], qci[k]) for k in range(n)]

    vt = [slope(qrs[k], rho[k], t[k], c0)[3] for k in range(n)]

    def again(density: Sequence[float]) -> list[float]:
        return [slope(density[k] / rho[k], rho[k], t[k], c0)[3] for k in range(n)]

    content, rain = fall([rho[k] * qrs[k] for k in range(n)], vt, dz, dt, again, wrf)
    fluxes = [content[k] * vt[k] / dz[k] for k in range(n)]
    fluxes[0] = rain / (dz[0] * dt)
    vi = [0.0] * n
    for k in range(n):
        qrs[k] = max(content[k] / rho[k], 0.0)
        if t[k] < T0 and qci[k] > 0:
            vi[k] = 1.49e4 * max(11.9 * math.sqrt(rho[k] * qci[k] / ni[k]), 1e-25) ** 1.31
    content, ice = fall([rho[k] * qci[k] for k in range(n)], vi, dz, dt, None, wrf)
    qci[:] = [max(content[k] / rho[k], 0.0) for k in range(n)]

    warm = [k for k in range(n) if t[k] >= T0]
    if warm:
        kk = warm[-1]
        k = kk + 1 if w[kk] > 0 and kk + 1 < n else kk
        s = qrs[k] + qci[k]
        if s > 0 or fluxes[kk] > 0:
            frz = min(max(-w[k] * s / dz[k], -s / dt), s / dt)
            mlt = min(max(fluxes[kk] / rho[kk], -qrs[k] / dt), qrs[k] / dt)
            t[k] -= LF / cpm[k] * frz * dt
            t[kk] -= LF / cpm[kk] * mlt * dt
    cold = t[0] < T0
    landed = rain + (ice if cold or not wrf else 0.0)
    for k in range(n):
        _cell(k, t, q, qci, qrs, rho[k], p[k], qs[k], rh[k], cpm[k], latent[k], dt, c0)
    return landed, landed if cold else 0.0


def _cell(
    k: int, ts: list[float], qs_: list[float], qcis: list[float], qrss: list[float], rho: float, p: float,
    qs: float, rh: float, cpm: float, latent: float, dt: float, c: Numbers,
) -> None:  # fmt: skip
    t, q, qci, qrs = ts[k], qs_[k], qcis[k], qrss[k]
    f = math.sqrt(RHO0 / rho)
    r, rb, n, _ = slope(qrs, rho, t, c)
    r2, r3 = r * r, r * r * r
    nu = 1.496e-6 * t**1.5 / (t + 120) / rho
    dv = 8.794e-5 * t**1.81 / p
    kappa = 1414 * nu * rho
    heat = latent if t >= T0 else LS
    ab = rho * heat**2 / (kappa * RV * t**2) + 1 / (qs * dv)
    v = (nu / dv) ** 0.3333333 / math.sqrt(nu) * (RHO0 / rho) ** 0.25
    sat = (max(q, QMIN) - qs) / dt
    h = r2 * math.sqrt(r * rb)
    paut = pacr = pres = pgen = pisd = 0.0
    if t >= T0:
        if qci > c.qc0:
            paut = min(c.qck1 * qci ** (7 / 3), qci / dt)
        if qrs > QCR and qci > QMIN:
            pacr = min(c.pacrr * r3 * rb * qci * f, qci / dt)
        if qrs > 0:
            pres = (rh - 1) * (c.precr1 * r2 + c.precr2 * v * h) / ab
            pres = max(max(pres, -qrs / dt), sat / 2) if pres < 0 else min(pres, sat / 2)
    else:
        dt0 = T0 - t
        ni = crystals(rho, qci)
        full = False
        if qrs > QCR and qci > QMIN:
            d = min(11.9 * math.sqrt(rho * qci / ni), 5e-4)
            vi, vs = 1.49e4 * d**1.31, c.pvts * rb * f
            sweep = (2 * r3 + 2 * d * r2 + d * d * r) / 4
            pacr = min(math.pi * qci * math.exp(-0.07 * dt0) * 2e6 * n * abs(vs - vi) * sweep, qci / dt)
        if qci > 0:
            pisd = 4 * 11.9 * math.sqrt(rho * qci / ni) * ni * (rh - 1) / ab
            pisd = max(max(pisd, sat / 2), -qci / dt) if pisd < 0 else min(pisd, sat / 2)
            full = abs(pisd) >= abs(sat)
        if qrs > 0 and not full:
            pres = (rh - 1) * n * (c.precs1 * r2 + c.precs2 * v * h) / ab
            if pres < 0:
                pres = max(max(max(pres, -qrs / dt), sat / 2), sat - pisd)
            else:
                pres = min(min(pres, sat / 2), sat - pisd)
            full = abs(pisd + pres) >= abs(sat)
        if sat > 0 and not full:
            nuclei = 4.92e-11 * (1e3 * math.exp(0.1 * dt0)) ** 1.33
            pgen = min(min(max(0.0, (nuclei / rho - qci) / dt), sat), sat - pisd - pres)
        if qci > 0:
            paut = max(0.0, (qci - 2.08e22 * 5e-4**8 / rho) / dt)
    limit, taken = max(QMIN, qci), (paut + pacr - pgen - pisd) * dt
    if taken >= limit:
        paut, pacr, pgen, pisd = (rate * limit / taken for rate in (paut, pacr, pgen, pisd))
    limit, taken = max(QMIN, q), (pres + pgen + pisd) * dt
    if taken >= limit:
        pres, pgen, pisd = (rate * limit / taken for rate in (pres, pgen, pisd))
    lost = -pres - pgen - pisd
    q += lost * dt
    qci = max(qci - (paut + pacr - pgen - pisd) * dt, 0.0)
    qrs = max(qrs + (paut + pacr + pres) * dt, 0.0)
    t -= (LS if t < T0 else latent) * lost * dt / cpm
    qs = saturation(t, p, False)
    change = (max(q, QMIN) - qs) / (1 + latent**2 * qs / (RV * cpm * t**2))
    pcon = min(max(change, 0.0), max(q, 0.0))
    if qci > 0 and change < 0 and t > T0:
        pcon = max(change, -qci)
    qs_[k] = q - pcon
    qci = max(qci + pcon, 0.0)
    ts[k] = t + pcon * latent / cpm
    qcis[k] = 0.0 if qci <= QMIN else qci
    qrss[k] = 0.0 if qrs <= QCR else qrs
