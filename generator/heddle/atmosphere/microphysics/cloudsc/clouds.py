# SPDX-License-Identifier: Apache-2.0
"""Clouds form, grow, mix with drier air and evaporate (Tiedtke 1993; Tompkins, Gierens and Raedel 2007).

Each function emits a process of a level; equations are those of the IFS documentation, part IV, chapter 7.
"""

from __future__ import annotations

import sympy
from sympy import And, Max, Min, Or

from heddle.atmosphere.microphysics.cloudsc.constants import (
    CP,
    CRITICAL,
    CRITICAL_FROM,
    EROSION,
    EROSION_CONVECTIVE,
    EXCESS,
    KOOP_TIME,
    LEAST,
    LEAST_COVER,
    LS,
    LV,
    NARROW,
    NONE,
    RD,
    G,
)
from heddle.atmosphere.microphysics.cloudsc.level import Level
from heddle.atmosphere.microphysics.cloudsc.saturation import Temperature, adjusted
from heddle.atmosphere.microphysics.functions import clip, number, only_if, where
from heddle.model.equations import Equations, add, multiply


def supersaturation(v: Level, before: sympy.Expr) -> dict[str, sympy.Expr]:
    """More than the cloud-free part may hold condenses (7.29 to 7.33). before: what the dynamics took off
    (kg/kg)."""
    cell, a, q, ice = v.cell, v.a, v.q["v"], v.ice.q
    cell.section("Supersaturation")
    clear = 1 - a
    bears = cell.let("bears", only_if(v.warm, 1, a + v.koop * clear) * ice)
    outside = (q - a * ice) / Max(clear, number(NARROW))
    excess = only_if(a >= number(1 - LEAST_COVER), q - bears, clear * (outside - bears))
    excess = cell.let("excess", Max(excess / v.damped, 0))
    excess = cell.let("condensed", only_if(excess > number(NONE), excess))
    earlier = cell.let("earlier", only_if(before > number(NONE), before))
    v.condense("excess", excess)
    came = v.condense("earlier", earlier, source=True)
    speed = only_if(v.warm, 1, v.dt / number(KOOP_TIME))
    v.cover.append(cell.let("cover_excess", only_if(Or(excess > 0, earlier > 0), clear * speed)))
    return came


def detrainment(
    v: Level, amount: sympy.Expr, water_below: sympy.Expr, snow: sympy.Expr, convects: sympy.Basic
) -> dict[str, sympy.Expr]:
    """Condensate of updraughts enters the level (7.16, 7.17). amount, snow: kg/kg in the step.
    water_below: of the updraught one level down. Returns what came of it, by kind."""
    cell = v.cell
    cell.section("Detrainment")
    enters = And(convects, amount > number(LEAST), water_below > number(NONE))
    detrained = cell.let("detrained_all", only_if(enters, amount))
    v.cover.append(cell.let("cover_detrained", only_if(enters, amount / water_below)))
    came = {"l": cell.let("detrained_l", v.water * detrained)}
    came["i"] = cell.let("detrained_i", (1 - v.water) * detrained)
    for kind, part in came.items():
        v.exchange.add(kind, part)
    v.exchange.add("s", cell.let("detrained_s", only_if(convects, snow)))
    return came | {"all": detrained}


def subsidence(
    v: Level, flux: sympy.Expr, flux_below: sympy.Expr, p_upper: sympy.Expr
) -> tuple[dict[str, sympy.Expr], sympy.Expr]:
    """Air between updraughts sinks, and takes clouds with it (7.20 to 7.23). flux, flux_below: mass
    fluxes of convection at the level and one down (kg m-2 s-1). Returns what came from above, by kind;
    sinks is what goes in proportion."""
    cell, above = v.cell, v.above
    cell.section("Subsidence between updraughts")
    share = cell.let("sinking", Max(0, flux * v.mass))
    sinks = cell.let("sinks", Max(0, flux_below * v.mass))
    warms = number(RD / CP) * 0.5 * (above["T"] + v.T) / p_upper * (v.p - above["p"])
    drier = cell.let("drier", above["cover"] * warms * v.slope)
    came = {}
    left = []
    for kind in "li":
        came[kind] = cell.let(f"sunk_{kind}", share * above[kind])
        gone = came[kind] - Max(0, came[kind] - drier)
        gone = cell.let(f"sunk_gone_{kind}", Min(gone, v.lacks))
        left.append(came[kind] - gone)
        v.exchange.add(kind, came[kind])
        v.exchange.move(kind, "v", gone)
    arrives = add(*left) >= number(NONE)
    v.cover.append(cell.let("cover_sunk", only_if(arrives, share * above["cover"])))
    return came, sinks


def erosion(v: Level, detrains: sympy.Basic) -> None:
    """Clouds mix with the air around them, and become smaller (7.24 to 7.26)."""
    cell = v.cell
    cell.section("Mixing at the edges of clouds")
    rate = number(EROSION) * v.dt * only_if(detrains, number(EROSION_CONVECTIVE), 1)
    amount = Min(v.a * rate * Max(v.mixture.q - v.q["v"], 0), v.lacks, v.cloud)
    amount = cell.let("eroded", only_if(v.cloud > number(NONE), amount))
    v.cover.append(cell.let("cover_eroded", only_if(v.cloud > number(NONE), -amount / v.inside)))
    v.evaporate(amount, "eroded")


def change_of_saturation(v: Level, omega: sympy.Expr, flux: sympy.Expr, heating: sympy.Expr) -> sympy.Expr:
    """Emit by how much the saturated humidity of the mixture changes (kg/kg), as air rises, subsides and
    radiates (7.9). omega: dp/dt (Pa/s). flux: sum of convective mass fluxes at this level and the next
    (kg m-2 s-1). heating: K/s."""
    cell, dt = v.cell, v.dt
    cell.section("How saturation changes")
    per_pressure = cell.let("dT_dp", number(RD / CP) * v.T * v.per_p)
    most = cell.let("most", v.dp / dt)
    moves = clip(omega + number(0.5 * G) * flux, -most, most)
    radiates = clip(heating, -most * per_pressure, most * per_pressure)
    T = cell.let("T_forced", Max(v.T + (per_pressure * moves * dt + radiates * dt), 160))
    q = v.mixture.q
    for n in ("once", "twice"):
        T, q = adjusted(Temperature(cell, n, T), q, v.per_p)
        T, q = cell.let(f"T_{n}", T), cell.let(f"q_{n}", q)
    return cell.let("dqs", q - v.mixture.q)


def evaporation(v: Level, dqs: sympy.Expr) -> None:
    """Of clouds where saturation rises (7.14)."""
    v.cell.section("Clouds evaporate")
    amount = Min(v.a * Min(dqs, v.inside), v.lacks, Max(v.mixture.q - v.q["v"], 0))
    v.evaporate(v.cell.let("evaporates", only_if(dqs > 0, amount)), "evaporates")


def growth(v: Level, dqs: sympy.Expr) -> None:
    """Of clouds that are there, where saturation falls (7.10, 7.12)."""
    cell, a, q, qs = v.cell, v.a, v.q["v"], v.mixture.q
    cell.section("Clouds grow")
    covered = 1 + qs / (1 - number(EXCESS) * qs) * v.at.steepness(LV, LS)
    most = only_if(a > number(0.99), (q - qs) / covered, (q - a * qs) / a)
    amount = a * Max(Min(-dqs, most), 0)
    grows = And(a > number(NONE), dqs <= number(-LEAST))
    amount = cell.let("grown", only_if(grows, amount))
    v.condense("grown", cell.let("grown_kept", only_if(amount >= number(LEAST), amount)))


def formation(v: Level, dqs: sympy.Expr, p_surface: sympy.Expr) -> None:
    """Of clouds in the air around those that are there: humidity is distributed evenly between its
    critical value and saturation (7.13, 7.30)."""
    a = v.a
    v.cell.section("Clouds form")
    there = Equations()
    sigma = there.let("sigma", v.p / p_surface)
    near = multiply(number(1 / (1 - CRITICAL_FROM)), sigma - number(CRITICAL_FROM))
    critical = number(CRITICAL) + number(1 - CRITICAL) * only_if(sigma > number(CRITICAL_FROM), near**2)
    critical = there.let("critical", critical)
    bears = there.let("bears_clear", only_if(v.warm, 1, v.koop))
    full = there.let("full", bears * v.ice.q)
    outside = there.let("outside", Max(0, (v.q["v"] - a * v.ice.q) / Max(number(NONE), 1 - a)))
    falls = there.let("falls", bears * dqs)
    spread = there.let("spread", 2 * (full - outside))
    new = there.let("new_cover", Min(-(1 - a) * falls / Max(spread, number(NONE)), 1 - a))
    amount = -falls * 0.5 * new
    most = (a - 1) * falls - full + v.q["v"]
    beyond = falls < -spread / Max(number(NONE), 1 - a)
    amount = there.let("formed_most", Max(only_if(beyond, Min(amount, most), amount), 0))
    forms = And(outside >= critical * full, outside < full, amount >= number(LEAST))
    values = {
        "formed": (sympy.Integer(0), only_if(forms, amount)),
        "cover_formed": (sympy.Integer(0), only_if(forms, new)),
    }
    condition = And(dqs <= number(-LEAST), a < number(1 - NONE))
    formed, cover = where(v.cell, condition, "may_form", values, there)
    v.cover.append(cover)
    v.condense("formed", formed)
