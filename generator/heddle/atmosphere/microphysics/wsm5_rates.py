# SPDX-License-Identifier: Apache-2.0
"""WSM5 in one cell: melting and freezing, conversions between five kinds of water, condensation."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import sympy
from sympy import Abs, And, Ge, Lt, Max, Min, Not, Or

from heddle.atmosphere.constants import (
    FREEZING,
    GAS_CONSTANT_VAPOUR,
    HEAT_OF_FUSION,
    HEAT_OF_SUBLIMATION,
)
from heddle.atmosphere.microphysics import processes
from heddle.atmosphere.microphysics.functions import number, only_if
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
    """How far from saturation: over water and over ice, RH, and sigma, what the air has too much (1/s)."""

    RH_w: sympy.Expr
    RH_i: sympy.Expr
    sigma_w: sympy.Expr
    sigma_i: sympy.Expr


@dataclass(frozen=True)
class Shapes:
    """r, r2, rb of rain and of snow, N of snow, and what each exchanges with the air."""

    r_r: sympy.Expr
    r2_r: sympy.Expr
    rb_r: sympy.Expr
    exchange_r: sympy.Expr
    r_s: sympy.Expr
    r2_s: sympy.Expr
    rb_s: sympy.Expr
    N: sympy.Expr
    exchange_s: sympy.Expr
    AB_w: sympy.Expr
    AB_i: sympy.Expr


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
    air = _frozen(cell, _melted(cell, given, c), given, c)
    vapour = Vapour(
        cell.let("RH_w", Max(given.q / qs_w, number(QMIN))),
        cell.let("RH_i", Max(given.q / qs_i, number(QMIN))),
        cell.let("sigma_w", (moist - qs_w) / given.delta),
        cell.let("sigma_i", (moist - qs_i) / given.delta),
    )
    cold = Lt(air.T, number(FREEZING))
    shapes = _shapes(cell, air, qs_w, qs_i, cold, c)
    liquid = _liquid(cell, air, vapour, shapes, c)
    rates = _solid(cell, air, vapour, shapes, liquid, cold, c)
    if not wrf:
        rates = _evaporated(cell, air, vapour, shapes, rates)
    return _condensed(cell, _changed(cell, air, _limited(cell, air, rates)))


def _melted(cell: Equations, a: Air, c: WsmConstants) -> Air:
    """Emit how much snow melts. Returns the cell after that."""
    cell.section("Snow melts above T0 (psmlt)")
    melts = And(Lt(number(FREEZING), a.T), a.qs > 0)
    r, rb, N = snow(cell, a.qs, a.rho, cell.let("colder", number(FREEZING) - a.T), c, "_melting")
    nu = cell.let("nu_melting", processes.viscosity(a.T, a.rho))
    D_v = cell.let("D_v_melting", only_if(melts, processes.diffusivity(a.T, a.p), 1))
    V = cell.let("V_melting", only_if(melts, processes.ventilation(nu, D_v, a.f)))
    h = r * r * square_root(r * rb)
    rate = processes.melting(a.T, a.rho, 1414 * nu * a.rho, processes.exchange_of_snow(r * r, h, V, N, c))
    melted = cell.let("psmlt", only_if(melts, Min(rate * a.delta, a.qs)))
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
    bigg = cell.let("bigg", only_if(freezes, processes.freezing(colder)))
    some = Min(number(c.bigg) * bigg * a.rho * qc * qc * a.delta, qc)
    cloud = cell.let(
        "frozen_cloud",
        sympy.Piecewise((qc, colder > HOMOGENEOUS), (some, below), (0, True), evaluate=False),
    )
    r = cell.let("r_freezing", size_of_rain(given.qr, a.rho, c))
    r3 = cell.let("r3_freezing", r * r * r)
    drops = Min(number(c.bigg_rain) / a.rho * bigg * (r3 * r3 * r) * a.delta, a.qr)
    rain_water = cell.let("psfrz", only_if(And(below, a.qr > 0), drops))
    fusion = only_if(colder < 0, number(HEAT_OF_FUSION), a.fusion)
    return replace(
        a,
        T=cell.let("T_2", a.T + fusion / a.cpm * (cloud + rain_water - melted)),
        qc=cell.let("qc_2", qc + melted - cloud),
        qi=cell.let("qi_2", qi - melted + cloud),
        qr=cell.let("qr_2", a.qr - rain_water),
        qs=cell.let("qs_2", a.qs + rain_water),
    )


def _shapes(
    cell: Equations, a: Air, qs_w: sympy.Expr, qs_i: sympy.Expr, cold: sympy.Basic, c: WsmConstants
) -> Shapes:
    """Emit sizes of rain and snow, and how they exchange vapour with the air."""
    cell.section("Sizes of rain and snow, and how they exchange vapour with the air")
    colder = cell.let("colder_2", number(FREEZING) - a.T)
    r_r, rb_r = rain(cell, a.qr, a.rho, c, "_r")
    r_s, rb_s, N = snow(cell, a.qs, a.rho, colder, c, "_s")
    falls = Or(a.qr > 0, a.qs > 0)
    nu = cell.let("nu", processes.viscosity(a.T, a.rho))
    D_v = cell.let("D_v", only_if(Or(falls, And(cold, a.qi > 0)), processes.diffusivity(a.T, a.p), 1))
    V = cell.let("V", only_if(falls, processes.ventilation(nu, D_v, a.f)))
    kappa = cell.let("kappa", 1414 * nu * a.rho)
    r2_r, r2_s = cell.let("r2_r", r_r * r_r), cell.let("r2_s", r_s * r_s)
    h_r, h_s = r2_r * square_root(r_r * rb_r), r2_s * square_root(r_s * rb_s)
    sublimation = number(HEAT_OF_SUBLIMATION)
    return Shapes(
        r_r,
        r2_r,
        rb_r,
        cell.let("exchange_r", processes.exchange_of_rain(r2_r, h_r, V, c)),
        r_s,
        r2_s,
        rb_s,
        N,
        cell.let("exchange_s", processes.exchange_of_snow(r2_s, h_s, V, N, c)),
        cell.let("AB_w", processes.resistance(a.T, a.rho, a.L, kappa, qs_w, D_v)),
        cell.let("AB_i", processes.resistance(a.T, a.rho, sublimation, kappa, qs_i, D_v)),
    )


def _liquid(cell: Equations, a: Air, v: Vapour, s: Shapes, c: WsmConstants) -> Rates:
    """Emit the rates of cloud water and rain. Returns those, and zeros."""
    cell.section("Rain out of cloud water (praut, HDC 16; pracw), and vapour (prevp, HDC 14)")
    cloud = a.qc / a.delta
    praut = only_if(a.qc > number(c.qc0), Min(processes.autoconversion(a.qc, c), cloud))
    r3 = s.r2_r * s.r_r
    collects = And(a.qr > number(QCR), a.qc > number(QMIN))
    pracw = only_if(collects, Min(processes.collected_by_rain(a.qc, r3, s.rb_r, a.f, c), cloud))
    free = cell.let("prevp_free", only_if(a.qr > 0, (v.RH_w - 1) * s.exchange_r / s.AB_w))
    half = v.sigma_w / 2
    within = only_if(free < 0, Max(Max(free, -a.qr / a.delta), half), Min(free, half))
    prevp = cell.let("prevp", only_if(a.qr > 0, within))
    zeros = {entry.name: sympy.Integer(0) for entry in fields(Rates)}
    known = {"praut": cell.let("praut", praut), "pracw": cell.let("pracw", pracw), "prevp": prevp}
    return Rates(**zeros | known)


def _solid(
    cell: Equations, a: Air, v: Vapour, s: Shapes, liquid: Rates, cold: sympy.Basic, c: WsmConstants
) -> Rates:
    """Emit the rates of ice and snow, in the order in which they take what vapour is left."""
    colder, half = number(FREEZING) - a.T, v.sigma_i / 2
    has_ice, has_snow = And(cold, a.qi > 0), And(cold, a.qs > 0)
    ice = a.qi / a.delta

    cell.section("Cloud water and ice that snow collects (psacw, psaci, HDC 10)")
    r3 = cell.let("r3_s", s.r2_s * s.r_s)
    catches = a.qs > number(QCR)
    water = Min(processes.collected_by_snow(a.qc, r3, s.rb_s, s.N, a.f, c), a.qc / a.delta)
    psacw = cell.let("psacw", only_if(And(catches, a.qc > number(QMIN)), water))
    warm = Lt(number(FREEZING), a.T)
    Ni = cell.let("Ni", only_if(has_ice, processes.crystals(a.rho, a.qi), 1000))
    D_free = cell.let("D_free", processes.size_of_ice(a.rho, a.qi, Ni, limit=False))
    D = cell.let("D", Min(D_free, number(LARGEST_DIAMETER)))
    collects = And(cold, catches, a.qi > number(QMIN))
    v_i = cell.let("v_i", only_if(collects, processes.speed_of_ice(D)))
    v_s = number(c.pvts) * s.rb_s * a.f
    swept = processes.ice_collected_by_snow(a.qi, D, v_i, v_s, s.r_s, s.r2_s, r3, s.N, colder)
    psaci = cell.let("psaci", only_if(collects, Min(swept, ice)))

    cell.section("Ice that grows or shrinks (pidep, HDC 9)")
    rest = cell.let("rest", v.sigma_i - liquid.prevp)
    free = cell.let("pidep_free", only_if(has_ice, 4 * D_free * Ni * (v.RH_i - 1) / s.AB_i))
    grown = only_if(free < 0, Max(Max(Max(free, half), rest), -ice), Min(Min(free, half), rest))
    pidep = cell.let("pidep", only_if(has_ice, grown))
    full = And(has_ice, Ge(Abs(liquid.prevp + pidep), Abs(v.sigma_i)))

    cell.section("Snow that grows or shrinks (psdep, HDC 14)")
    rest = cell.let("rest_1", rest - pidep)
    free = cell.let("psdep_free", only_if(has_snow, (v.RH_i - 1) * s.exchange_s / s.AB_i))
    lost = Max(Max(Max(free, -a.qs / a.delta), half), rest)
    grows = And(has_snow, Not(full))
    psdep = cell.let("psdep", only_if(grows, only_if(free < 0, lost, Min(Min(free, half), rest))))
    full = Or(full, And(grows, Ge(Abs(liquid.prevp + pidep + psdep), Abs(v.sigma_i))))

    cell.section("Ice out of vapour (pigen, HDC 7, 8), snow out of ice (psaut, HDC 12)")
    missing = Max((processes.nuclei(colder) / a.rho - a.qi) / a.delta, 0)
    generates = And(cold, v.sigma_i > 0, Not(full))
    pigen = cell.let("pigen", only_if(generates, Min(Min(missing, v.sigma_i), rest - psdep)))
    psaut = cell.let("psaut", only_if(has_ice, processes.aggregation(a.qi, a.rho, a.delta, c)))
    return replace(
        liquid,
        psacw_r=cell.let("psacw_r", only_if(warm, psacw)),
        psacw_s=cell.let("psacw_s", only_if(warm, 0, psacw)),
        psaut=psaut,
        psaci=psaci,
        pidep=pidep,
        psdep=psdep,
        pigen=pigen,
    )


def _evaporated(cell: Equations, a: Air, v: Vapour, s: Shapes, rates: Rates) -> Rates:
    """Emit how much melting snow evaporates. Returns that rate with the others."""
    cell.section("Melting snow evaporates (psevp)")
    free = (v.RH_w - 1) * s.exchange_s / s.AB_w
    limited = Max(Max(free, -a.qs / a.delta), v.sigma_w / 2)
    evaporates = And(Lt(number(FREEZING), a.T), a.qs > 0, v.RH_w < 1)
    return replace(rates, psevp=cell.let("psevp", only_if(evaporates, limited)))


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


def _condensed(cell: Equations, a: Air) -> Air:
    """Emit condensation, or evaporation of cloud water. Returns the cell after it, without traces."""
    cell.section("Condensation to saturation over water, or evaporation of cloud water")
    qs = saturation(cell, a.T, a.p, ice=False, suffix="_after")
    warming = a.L**2 / (number(GAS_CONSTANT_VAPOUR) * a.cpm)
    excess = cell.let("excess", (Max(a.q, number(QMIN)) - qs) / (1 + warming * qs / a.T**2))
    evaporates = And(a.qc > 0, excess < 0)
    condensed = only_if(evaporates, Max(excess, -a.qc), Min(Max(excess, 0), Max(a.q, 0)))
    pcond = cell.let("pcond", condensed)
    qc = cell.let("qc_4", Max(a.qc, 0) + pcond)
    return replace(
        a,
        T=a.T + pcond * a.L / a.cpm,
        q=a.q - pcond,
        qc=only_if(qc > number(QMIN), qc),
        qr=only_if(a.qr > number(QCR), a.qr),
        qi=only_if(a.qi > number(QMIN), a.qi),
        qs=only_if(a.qs > number(QCR), a.qs),
    )
