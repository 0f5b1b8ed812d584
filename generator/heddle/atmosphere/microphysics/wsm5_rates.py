# SPDX-License-Identifier: Apache-2.0
"""WSM5 in one cell: melting and freezing, conversions between five kinds of water, condensation."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy
from sympy import Abs, And, Ge, Lt, Max, Min, Not, Or

from heddle.atmosphere.constants import (
    FREEZING,
    HEAT_OF_FUSION,
    HEAT_OF_SUBLIMATION,
)
from heddle.atmosphere.microphysics import processes
from heddle.atmosphere.microphysics.functions import number, only_if, where
from heddle.atmosphere.microphysics.saturation import saturation, saturation_of_both
from heddle.atmosphere.microphysics.slope import rain, size_of_rain, snow
from heddle.atmosphere.microphysics.wsm_constants import LARGEST_DIAMETER, QCR, QMIN, WsmConstants
from heddle.model.equations import Equations, square_root

HOMOGENEOUS = 40
"""So many K below T0, all cloud water freezes."""


@dataclass(frozen=True)
class Air:
    """A cell: temperature (K); p (Pa); rho (kg m-3); f = sqrt(rho_0/rho); cpm (J/(kg K)); L, latent heat of
    vaporisation (J/kg); q, qc, qr, qi, qs (kg/kg); delta, the step (s)."""

    T: sympy.Expr
    p: sympy.Expr
    rho: sympy.Expr
    f: sympy.Expr
    cpm: sympy.Expr
    L: sympy.Expr
    q: sympy.Expr
    qc: sympy.Expr
    qr: sympy.Expr
    qi: sympy.Expr
    qs: sympy.Expr
    delta: sympy.Expr

    @property
    def fusion(self) -> sympy.Expr:
        """Latent heat of fusion below T0 (J/kg)."""
        return number(HEAT_OF_SUBLIMATION) - self.L


@dataclass(frozen=True)
class Vapour:
    """Saturation over water and over ice (kg/kg), relative humidity, and sigma, what the air has too much
    (1/s)."""

    qs_w: sympy.Expr
    qs_i: sympy.Expr
    RH_w: sympy.Expr
    RH_i: sympy.Expr
    sigma_w: sympy.Expr
    sigma_i: sympy.Expr


@dataclass(frozen=True)
class Rates:
    """Rates (1/s). Cloud water that becomes rain by itself (praut), that rain collects (pracw), that snow
    collects, to become rain (psacw_r) or snow (psacw_s); ice that becomes snow by itself (psaut), or that
    snow collects (psaci); vapour that becomes rain (prevp), ice (pidep), snow (psdep), ice on nuclei (pigen),
    or melting snow (psevp; never positive)."""

    praut: sympy.Expr
    pracw: sympy.Expr
    psacw_r: sympy.Expr
    psacw_s: sympy.Expr
    psaut: sympy.Expr
    psaci: sympy.Expr
    prevp: sympy.Expr
    pidep: sympy.Expr
    psdep: sympy.Expr
    pigen: sympy.Expr
    psevp: sympy.Expr


def phase_changes(cell: Equations, given: Air, c: WsmConstants, wrf: bool) -> Air:
    """Emit a step in a cell. Returns the cell after it.

    Conditions ask what is not clipped: of max(x, 0) > 0, g++ 12 makes no vectors.
    """
    cell.section("Saturation over water and over ice")
    qs_w, qs_i = saturation_of_both(cell, given.T, given.p)
    moist = cell.let("moist", Max(given.q, number(QMIN)))
    sigma_w = cell.let("sigma_w", (moist - qs_w) / given.delta)
    sigma_i = cell.let("sigma_i", (moist - qs_i) / given.delta)
    air = _frozen(cell, _melted(cell, given, c), given, c)
    cold = Lt(air.T, number(FREEZING))

    inner = Equations()
    RH_w = inner.let("RH_w", Max(given.q / qs_w, number(QMIN)))
    RH_i = inner.let("RH_i", Max(given.q / qs_i, number(QMIN)))
    vapour = Vapour(qs_w, qs_i, RH_w, RH_i, sigma_w, sigma_i)
    rates = _limited(inner, air, _rates(inner, air, vapour, cold, c, wrf))
    after = _condensed(inner, _changed(inner, air, rates), wrf)
    some = Or(air.qc > 0, air.qr > 0, air.qi > 0, air.qs > 0, sigma_i > 0)
    zero = sympy.Integer(0)
    values = {"T_new": (air.T, after.T), "q_new": (air.q, after.q)}
    values |= {f"{name}_new": (zero, getattr(after, name)) for name in ("qc", "qr", "qi", "qs")}
    T, q, qc, qr, qi, qs = where(cell, some, "changes", values, inner)
    return replace(air, T=T, q=q, qc=qc, qr=qr, qi=qi, qs=qs)


def _melted(cell: Equations, a: Air, c: WsmConstants) -> Air:
    """Emit how much snow melts. Returns the cell after that."""
    cell.section("Snow melts above T0 (psmlt)")
    melts = And(Lt(number(FREEZING), a.T), a.qs > 0)
    inner = Equations()
    r, rb, N = snow(inner, a.qs, a.rho, number(FREEZING) - a.T, c, "_melting")
    nu = inner.let("nu_melting", processes.viscosity(a.T, a.rho))
    V = inner.let("V_melting", processes.ventilation(nu, processes.diffusivity(a.T, a.p), a.f))
    h = r * r * square_root(r * rb)
    rate = processes.melting(a.T, a.rho, 1414 * nu * a.rho, processes.exchange_of_snow(r * r, h, V, N, c))
    amount = {"psmlt": (sympy.Integer(0), Min(rate * a.delta, a.qs))}
    (melted,) = where(cell, melts, "melts", amount, inner)
    return replace(
        a,
        T=cell.let("T_1", a.T - number(HEAT_OF_FUSION) / a.cpm * melted),
        qs=cell.let("qs_1", Max(a.qs, 0) - melted),
        qr=cell.let("qr_1", Max(a.qr, 0) + melted),
    )


def _frozen(cell: Equations, a: Air, given: Air, c: WsmConstants) -> Air:
    """Emit which ice melts, and which cloud water and rain freeze. given: before snow melted: the rain of
    that has the drops that freeze. Returns the cell after that."""
    cell.section("Ice melts above T0 (pimlt); cloud water and rain freeze below (pihmf, pihtf, psfrz)")
    qc, qi = cell.let("cloud", Max(given.qc, 0)), cell.let("ice", Max(given.qi, 0))
    colder = cell.let("colder_1", number(FREEZING) - a.T)
    below = colder > 0
    melted = cell.let("pimlt", only_if(colder < 0, qi))
    freezes = And(below, Or(given.qc > 0, a.qr > 0))
    inner = Equations()
    bigg = inner.let("bigg", processes.freezing(colder))
    some = Min(number(c.bigg) * bigg * a.rho * qc * qc * a.delta, qc)
    r = inner.let("r_freezing", size_of_rain(given.qr, a.rho, c))
    r3 = inner.let("r3_freezing", r * r * r)
    drops = Min(number(c.bigg_rain) / a.rho * bigg * (r3 * r3 * r) * a.delta, a.qr)
    amounts = {
        "frozen_cloud": (sympy.Integer(0), only_if(colder > HOMOGENEOUS, qc, some)),
        "psfrz": (sympy.Integer(0), only_if(a.qr > 0, drops)),
    }
    cloud, rain_water = where(cell, freezes, "freezes", amounts, inner)
    fusion = only_if(colder < 0, number(HEAT_OF_FUSION), a.fusion)
    return replace(
        a,
        T=cell.let("T_2", a.T + fusion / a.cpm * (cloud + rain_water - melted)),
        qc=cell.let("qc_2", qc + melted - cloud),
        qi=cell.let("qi_2", qi - melted + cloud),
        qr=cell.let("qr_2", a.qr - rain_water),
        qs=cell.let("qs_2", a.qs + rain_water),
    )


def _rates(cell: Equations, a: Air, v: Vapour, cold: sympy.Basic, c: WsmConstants, wrf: bool) -> Rates:
    """Emit the rates, those of vapour in the order in which they take what is left of it."""
    has_ice, has_snow = And(cold, a.qi > 0), And(cold, a.qs > 0)
    warm = Lt(number(FREEZING), a.T)
    cloud, ice = a.qc / a.delta, a.qi / a.delta
    colder = cell.let("colder_2", number(FREEZING) - a.T)

    cell.section("How water exchanges with vapour: AB, by conduction and diffusion")
    nu = cell.let("nu", processes.viscosity(a.T, a.rho))
    D_v = cell.let("D_v", processes.diffusivity(a.T, a.p))
    kappa = cell.let("kappa", 1414 * nu * a.rho)
    AB_w = cell.let("AB_w", processes.resistance(a.T, a.rho, a.L, kappa, v.qs_w, D_v))
    sublimation = number(HEAT_OF_SUBLIMATION)
    AB_i = cell.let("AB_i", processes.resistance(a.T, a.rho, sublimation, kappa, v.qs_i, D_v))
    falls = Or(a.qr > 0, a.qs > 0)
    V = cell.let("V", only_if(falls, processes.ventilation(nu, D_v, a.f)))

    cell.section("Ice: crystals of diameter D")
    Ni = cell.let("Ni", only_if(has_ice, processes.crystals(a.rho, a.qi), 1000))
    D_free = cell.let("D_free", processes.size_of_ice(a.rho, a.qi, Ni, limit=False))
    D = cell.let("D", Min(D_free, number(LARGEST_DIAMETER)))
    exchange_r, pracw = _of_rain(cell, a, V, c)
    exchange_s, psacw, psaci = _of_snow(cell, a, V, D, colder, cold, c, wrf)

    cell.section("Rain out of cloud water (praut, HDC 16) and vapour (prevp, HDC 14)")
    drops = Min(processes.autoconversion(a.qc, c), cloud)
    praut = cell.let("praut", only_if(a.qc > number(c.qc0), drops))
    free = cell.let("prevp_free", (v.RH_w - 1) * exchange_r / AB_w)
    half = v.sigma_w / 2
    within = only_if(free < 0, Max(Max(free, -a.qr / a.delta), half), Min(free, half))
    prevp = cell.let("prevp", only_if(a.qr > 0, within))

    cell.section("Ice that grows or shrinks (pidep, HDC 9)")
    rest, half = cell.let("rest", v.sigma_i - prevp), v.sigma_i / 2
    free = cell.let("pidep_free", 4 * D_free * Ni * (v.RH_i - 1) / AB_i)
    grown = only_if(free < 0, Max(Max(Max(free, half), rest), -ice), Min(Min(free, half), rest))
    pidep = cell.let("pidep", only_if(has_ice, grown))
    full = And(has_ice, Ge(Abs(prevp + pidep), Abs(v.sigma_i)))

    cell.section("Snow that grows or shrinks (psdep, HDC 14)")
    rest = cell.let("rest_1", rest - pidep)
    free = cell.let("psdep_free", (v.RH_i - 1) * exchange_s / AB_i)
    lost = Max(Max(Max(free, -a.qs / a.delta), half), rest)
    grows = And(has_snow, Not(full))
    psdep = cell.let("psdep", only_if(grows, only_if(free < 0, lost, Min(Min(free, half), rest))))
    full = Or(full, And(grows, Ge(Abs(prevp + pidep + psdep), Abs(v.sigma_i))))

    cell.section("Ice out of vapour (pigen, HDC 7, 8), snow out of ice (psaut, HDC 12)")
    missing = Max((processes.nuclei(colder) / a.rho - a.qi) / a.delta, 0)
    generates = And(cold, v.sigma_i > 0, Not(full))
    pigen = cell.let("pigen", only_if(generates, Min(Min(missing, v.sigma_i), rest - psdep)))
    psaut = cell.let("psaut", only_if(has_ice, processes.aggregation(a.qi, a.rho, a.delta, c)))

    psevp: sympy.Expr = sympy.Integer(0)
    if not wrf:
        cell.section("Melting snow evaporates (psevp)")
        free = (v.RH_w - 1) * exchange_s / AB_w
        limited = Max(Max(free, -a.qs / a.delta), v.sigma_w / 2)
        psevp = cell.let("psevp", only_if(And(warm, a.qs > 0, v.RH_w < 1), limited))
    psacw_r = cell.let("psacw_r", only_if(warm, psacw))
    psacw_s = cell.let("psacw_s", only_if(warm, 0, psacw))
    return Rates(praut, pracw, psacw_r, psacw_s, psaut, psaci, prevp, pidep, psdep, pigen, psevp)


def _of_rain(cell: Equations, a: Air, V: sympy.Expr, c: WsmConstants) -> list[sympy.Expr]:
    """Emit what rain exchanges with vapour, and which cloud water it collects (pracw). V: ventilation."""
    cell.section("What rain exchanges with vapour, and collects of cloud water (pracw)")
    inner = Equations()
    r, rb = rain(inner, a.qr, a.rho, c, "_r")
    r2 = inner.let("r2_r", r * r)
    collects = And(a.qr > number(QCR), a.qc > number(QMIN))
    pracw = Min(processes.collected_by_rain(a.qc, r2 * r, rb, a.f, c), a.qc / a.delta)
    values = {
        "exchange_r": processes.exchange_of_rain(r2, r2 * square_root(r * rb), V, c),
        "pracw": only_if(collects, pracw),
    }
    return _where_some(cell, a.qr, "has_rain", values, inner)


def _of_snow(
    cell: Equations, a: Air, V: sympy.Expr, D: sympy.Expr, colder: sympy.Expr, cold: sympy.Basic,
    c: WsmConstants, wrf: bool,
) -> list[sympy.Expr]:  # fmt: skip
    """Emit what snow exchanges with vapour, and which cloud water and ice it collects (psacw, psaci). V:
    ventilation. D: diameter of ice crystals (m). wrf: psaci may be more than there is of ice, and competes
    with that where all losses and gains of ice are scaled."""
    cell.section("What snow exchanges with vapour, and collects (psacw, psaci, HDC 10)")
    inner = Equations()
    r, rb, N = snow(inner, a.qs, a.rho, colder, c, "_s")
    r2 = inner.let("r2_s", r * r)
    r3 = inner.let("r3_s", r2 * r)
    water = Min(processes.collected_by_snow(a.qc, r3, rb, N, a.f, c), a.qc / a.delta)
    collects = And(cold, a.qs > number(QCR), a.qi > number(QMIN))
    v_i = inner.let("v_i", only_if(collects, processes.speed_of_ice(D)))
    v_s = number(c.pvts) * rb * a.f
    crystals = processes.ice_collected_by_snow(a.qi, D, v_i, v_s, r, r2, r3, N, colder)
    values = {
        "exchange_s": processes.exchange_of_snow(r2, r2 * square_root(r * rb), V, N, c),
        "psacw": only_if(And(a.qs > number(QCR), a.qc > number(QMIN)), water),
        "psaci": only_if(collects, crystals if wrf else Min(crystals, a.qi / a.delta)),
    }
    return _where_some(cell, a.qs, "has_snow", values, inner)


def _where_some(
    cell: Equations, q: sympy.Expr, name: str, values: dict[str, sympy.Expr], inner: Equations
) -> list[sympy.Expr]:
    """Emit values that are 0 where there is nothing of a kind of water."""
    zero = sympy.Integer(0)
    return where(cell, q > 0, name, {key: (zero, value) for key, value in values.items()}, inner)


def _limited(cell: Equations, a: Air, rates: Rates) -> Rates:
    """Emit the rates scaled, group by group, so that no kind of water becomes negative."""
    warm = Lt(number(FREEZING), a.T)
    groups = (
        ("cloud", a.qc, QMIN, ("praut", "pracw", "psacw_r", "psacw_s"), ()),
        ("ice", a.qi, QMIN, ("psaut", "psaci"), ("pigen", "pidep")),
        ("rain", a.qr, QMIN, (), ("praut", "pracw", "prevp", "psacw_r")),
        ("snow", a.qs, QCR, (), ("psdep", "psaut", "psaci", "psacw_s", "psevp")),
    )
    for kind, amount, least, losses, gains in groups:
        cell.section(f"No more than there is of {kind}")
        smallest = only_if(warm, number(QCR), number(QMIN)) if least == QCR else number(least)
        limit = cell.let(f"{kind}_limit", Max(amount, smallest))
        signed = [getattr(rates, name) for name in losses] + [-getattr(rates, name) for name in gains]
        taken = cell.let(f"{kind}_taken", sympy.Add(*signed) * a.delta)
        scale = cell.let(f"{kind}_scale", only_if(Ge(taken, limit), limit / taken, 1))
        scaled = {
            name: cell.let(f"{name}_{kind}", getattr(rates, name) * scale)
            for name in (*losses, *gains)
            if getattr(rates, name) != 0
        }
        rates = replace(rates, **scaled)
    return rates


def _changed(cell: Equations, a: Air, r: Rates) -> Air:
    """Emit what the rates do in a step. Returns the cell after it, in which rounding may leave negative
    amounts."""
    cell.section("Changes of vapour, cloud water, rain, ice and snow")
    solid = cell.let("deposited", r.pidep + r.psdep + r.pigen)
    liquid = cell.let("evaporated", r.prevp + r.psevp)
    heat = number(HEAT_OF_SUBLIMATION) * solid + a.L * liquid + a.fusion * r.psacw_s
    cloud = r.praut + r.pracw + r.psacw_r + r.psacw_s
    to_rain = r.praut + r.pracw + r.prevp + r.psacw_r
    to_snow = r.psdep + r.psaut + r.psaci + r.psacw_s + r.psevp
    from_ice = r.psaut + r.psaci - r.pigen - r.pidep
    return replace(
        a,
        T=cell.let("T_3", a.T + heat / a.cpm * a.delta),
        q=cell.let("q_3", a.q - (solid + liquid) * a.delta),
        qc=cell.let("qc_3", a.qc - cloud * a.delta),
        qr=cell.let("qr_3", a.qr + to_rain * a.delta),
        qi=cell.let("qi_3", a.qi - from_ice * a.delta),
        qs=cell.let("qs_3", a.qs + to_snow * a.delta),
    )


def _condensed(cell: Equations, a: Air, wrf: bool) -> Air:
    """Emit condensation, or evaporation of cloud water. Returns the cell after it, without traces; wrf: with
    those of rain and snow."""
    cell.section("Condensation to saturation over water, or evaporation of cloud water")
    qs = saturation(cell, a.T, a.p, ice=False, suffix="_after")
    excess = cell.let("excess", processes.excess(a.T, a.q, qs, a.L, a.cpm))
    evaporates = And(a.qc > 0, excess < 0)
    condensed = only_if(evaporates, Max(excess, -a.qc), Min(Max(excess, 0), Max(a.q, 0)))
    pcond = cell.let("pcond", condensed)
    qc = cell.let("qc_4", Max(a.qc, 0) + pcond)
    return replace(
        a,
        T=a.T + pcond * a.L / a.cpm,
        q=a.q - pcond,
        qc=only_if(qc > number(QMIN), qc),
        qr=Max(a.qr, 0) if wrf else only_if(a.qr > number(QCR), a.qr),
        qi=only_if(a.qi > number(QMIN), a.qi),
        qs=Max(a.qs, 0) if wrf else only_if(a.qs > number(QCR), a.qs),
    )
