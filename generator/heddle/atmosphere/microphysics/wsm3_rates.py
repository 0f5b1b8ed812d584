# SPDX-License-Identifier: Apache-2.0
"""WSM3 in one cell: conversions between vapour, cloud and rain, or vapour, ice and snow; condensation."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Abs, And, Ge, Lt, Max, Min, Not, Or

from heddle.atmosphere.constants import (
    FREEZING,
    HEAT_OF_SUBLIMATION,
)
from heddle.atmosphere.microphysics import processes
from heddle.atmosphere.microphysics.functions import number, only_if, where
from heddle.atmosphere.microphysics.saturation import saturation
from heddle.atmosphere.microphysics.slope import slope
from heddle.atmosphere.microphysics.wsm_constants import LARGEST_DIAMETER, QCR, QMIN, WsmConstants
from heddle.model.equations import Equations, local, square_root


@dataclass(frozen=True)
class Air:
    """A cell: T_before, temperature at the beginning of the step, and T now (K); p (Pa); rho (kg m-3); f =
    sqrt(rho_0/rho); cpm (J/(kg K)); L, latent heat (J/kg); q, qci, qrs (kg/kg); delta, the step (s).

    given_ci, given_rs: what fields have in the place of qci and qrs, which may be negative. Conditions ask
    these: of max(x, 0) > 0, g++ 12 makes no vectors.
    """

    T_before: sympy.Expr
    T: sympy.Expr
    p: sympy.Expr
    rho: sympy.Expr
    f: sympy.Expr
    cpm: sympy.Expr
    L: sympy.Expr
    q: sympy.Expr
    qci: sympy.Expr
    qrs: sympy.Expr
    given_ci: sympy.Expr
    given_rs: sympy.Expr
    delta: sympy.Expr


@dataclass(frozen=True)
class Rates:
    """Rates (1/s): cloud that becomes rain or snow by itself, or is collected; vapour that becomes ice by
    itself, ice or snow, or rain (negative: that evaporates)."""

    paut: sympy.Expr
    pacr: sympy.Expr
    pgen: sympy.Expr
    pisd: sympy.Expr
    pres: sympy.Expr


def phase_changes(
    cell: Equations, a: Air, c: WsmConstants
) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr, sympy.Expr]:
    """Emit a step in a cell. Returns temperature (K), and mixing ratios of vapour, cloud, rain."""
    cold = Lt(a.T, number(FREEZING))
    cell.section("Saturation")
    qs = saturation(cell, a.T_before, a.p, ice=True)
    sigma = cell.let("sigma", (Max(a.q, number(QMIN)) - qs) / a.delta)

    inner = Equations()
    RH = inner.let("RH", Max(a.q / qs, number(QMIN)))
    rates = _limited(inner, a, _rates(inner, a, qs, RH, sigma, cold, c))
    inner.section("Changes of vapour, cloud and rain")
    W = inner.let("W", -rates.pres - rates.pgen - rates.pisd)
    heat = only_if(cold, number(HEAT_OF_SUBLIMATION), a.L)
    q = inner.let("q_1", a.q + W * a.delta)
    qci = inner.let("qci_1", a.qci - (rates.paut + rates.pacr - rates.pgen - rates.pisd) * a.delta)
    qrs = inner.let("qrs_1", a.qrs + (rates.paut + rates.pacr + rates.pres) * a.delta)
    T = inner.let("T_1", a.T - heat * W * a.delta / a.cpm)

    inner.section("Condensation to saturation over water, or evaporation of cloud water")
    qs = saturation(inner, T, a.p, ice=False, suffix="_1")
    excess = inner.let("excess", processes.excess(T, q, qs, a.L, a.cpm))
    evaporates = And(qci > 0, excess < 0, Lt(number(FREEZING), T))
    condensed = only_if(evaporates, Max(excess, -qci), Min(Max(excess, 0), Max(q, 0)))
    pcon = inner.let("pcon", condensed)
    qci = inner.let("qci_2", Max(qci, 0) + pcon)

    zero = sympy.Integer(0)
    values = {
        "T_new": (a.T, T + pcon * a.L / a.cpm),
        "q_new": (a.q, q - pcon),
        "qci_new": (zero, only_if(qci > number(QMIN), qci)),
        "qrs_new": (zero, only_if(qrs > number(QCR), qrs)),
    }
    some = Or(a.given_ci > 0, a.given_rs > 0, sigma > 0, Lt(a.T, a.T_before))
    T, q, qci, qrs = where(cell, some, "changes", values, inner)
    return T, q, qci, qrs


def _rates(
    cell: Equations, a: Air, qs: sympy.Expr, RH: sympy.Expr, sigma: sympy.Expr, cold: sympy.Basic,
    c: WsmConstants,
) -> Rates:  # fmt: skip
    """Emit the rates of a cell, each within what there is."""
    cloud, rain = a.qci / a.delta, a.qrs / a.delta
    present, frozen = a.given_rs > 0, And(cold, a.given_ci > 0)
    colder = cell.let("colder", number(FREEZING) - a.T)

    cell.section("How water exchanges with vapour: AB, by conduction and diffusion")
    nu = cell.let("nu", processes.viscosity(a.T, a.rho))
    D_v = cell.let("D_v", only_if(Or(present, frozen), processes.diffusivity(a.T, a.p), 1))
    heat = only_if(cold, number(HEAT_OF_SUBLIMATION), a.L)
    AB = cell.let("AB", processes.resistance(a.T, a.rho, heat, 1414 * nu * a.rho, qs, D_v))

    cell.section("Ice: crystals of diameter D")
    Ni = cell.let("Ni", only_if(frozen, processes.crystals(a.rho, a.qci), 1000))
    D_free = cell.let("D_free", processes.size_of_ice(a.rho, a.qci, Ni, limit=False))
    D = cell.let("D", Min(D_free, number(LARGEST_DIAMETER)))

    cell.section("Rain or snow")
    falling = Equations()
    exchange, collected = _rain_or_snow(falling, a, processes.ventilation(nu, D_v, a.f), D, cold, c)
    values = {"exchange": (sympy.Integer(0), exchange), "pacr": (sympy.Integer(0), collected)}
    exchange, pacr = where(cell, present, "rain_or_snow", values, falling)

    cell.section("Ice that grows and shrinks (pisd, HDC 9)")
    free = cell.let("pisd_free", only_if(frozen, 4 * D_free * Ni * (RH - 1) / AB))
    half = cell.let("half", sigma / 2)
    grown = only_if(free < 0, Max(Max(free, half), -cloud), Min(free, half))
    pisd = cell.let("pisd", only_if(frozen, grown))
    saturated = And(frozen, Ge(Abs(pisd), Abs(sigma)))

    cell.section("Rain or snow that grows or evaporates (pres, HDC 14)")
    rest = cell.let("rest", sigma - pisd)
    pres_free = cell.let("pres_free", (RH - 1) * exchange / AB)
    within = only_if(pres_free < 0, Max(Max(pres_free, -rain), half), Min(pres_free, half))
    within = cell.let("pres_within", only_if(present, within))
    snow = only_if(pres_free < 0, Max(within, rest), Min(within, rest))
    pres = cell.let("pres", only_if(And(cold, present), only_if(saturated, 0, snow), within))
    full = Or(saturated, And(present, Ge(Abs(pisd + pres), Abs(sigma))))

    cell.section("Ice out of vapour (pgen, HDC 7, 8)")
    missing = Max((processes.nuclei(colder) / a.rho - a.qci) / a.delta, 0)
    generates = And(cold, sigma > 0, Not(full))
    pgen = cell.let("pgen", only_if(generates, Min(Min(missing, sigma), rest - pres)))

    cell.section("Cloud that becomes rain (HDC 16), ice that becomes snow (HDC 12): paut")
    drops = Min(processes.autoconversion(a.qci, c), cloud)
    flakes = processes.aggregation(a.qci, a.rho, a.delta, c)
    warm_cloud = And(Not(cold), a.given_ci > number(c.qc0))
    paut = cell.let("paut", sympy.Piecewise((flakes, frozen), (drops, warm_cloud), (0, True), evaluate=False))

    return Rates(paut, pacr, pgen, pisd, pres)


def _rain_or_snow(
    cell: Equations, a: Air, V: sympy.Expr, D: sympy.Expr, cold: sympy.Basic, c: WsmConstants
) -> tuple[sympy.Expr, sympy.Expr]:
    """Emit what rain or snow exchanges with vapour (HDC 14), and which cloud or ice it collects (pacr, HDC
    10). V: ventilation. D: diameter of ice crystals (m)."""
    s = slope(cell, a.given_rs, a.rho, a.T, c, local("colder"))
    r2 = cell.let("r2", s.r * s.r)
    h = cell.let("h", r2 * square_root(s.r * s.rb))
    V = cell.let("V", V)
    rain = processes.exchange_of_rain(r2, h, V, c)
    snow = processes.exchange_of_snow(r2, h, V, s.N, c)
    collects = And(a.given_rs > number(QCR), a.given_ci > number(QMIN))
    r3 = cell.let("r3", r2 * s.r)
    v_i = cell.let("v_i", only_if(And(collects, cold), processes.speed_of_ice(D)))
    v_s = cell.let("v_s", number(c.pvts) * s.rb * a.f)
    by_snow = processes.ice_collected_by_snow(a.qci, D, v_i, v_s, s.r, r2, r3, s.N, s.colder)
    by_rain = processes.collected_by_rain(a.qci, r3, s.rb, a.f, c)
    collected = only_if(collects, Min(only_if(cold, by_snow, by_rain), a.qci / a.delta))
    return only_if(cold, snow, rain), collected


def _limited(cell: Equations, a: Air, rates: Rates) -> Rates:
    """Emit the rates scaled so that neither cloud nor vapour become negative."""
    cell.section("No more than there is of cloud, and of vapour")
    cloud = cell.let("cloud_limit", Max(a.qci, number(QMIN)))
    taken = cell.let("cloud_taken", (rates.paut + rates.pacr - rates.pgen - rates.pisd) * a.delta)
    scale = cell.let("scale", only_if(Ge(taken, cloud), cloud / taken, 1))
    paut, pacr = cell.let("paut_1", rates.paut * scale), cell.let("pacr_1", rates.pacr * scale)
    pgen, pisd = cell.let("pgen_1", rates.pgen * scale), cell.let("pisd_1", rates.pisd * scale)
    vapour = cell.let("vapour_limit", Max(a.q, number(QMIN)))
    taken = cell.let("vapour_taken", (rates.pres + pgen + pisd) * a.delta)
    scale = cell.let("scale_1", only_if(Ge(taken, vapour), vapour / taken, 1))
    return Rates(
        paut,
        pacr,
        cell.let("pgen_2", pgen * scale),
        cell.let("pisd_2", pisd * scale),
        cell.let("pres_2", rates.pres * scale),
    )
