# SPDX-License-Identifier: Apache-2.0
"""Ice grows, drops and flakes form, collect, melt, freeze and evaporate (Forbes and Tompkins 2011).

Each function emits a process of a level; equations are those of the IFS documentation, part IV, chapter 7.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Abs, And, Max, Min, Or, exp

from heddle.atmosphere.microphysics.cloudsc import constants as c
from heddle.atmosphere.microphysics.cloudsc.level import Level
from heddle.atmosphere.microphysics.functions import number, only_if, power, where
from heddle.model.equations import Equations, multiply, square_root

ZERO = sympy.Integer(0)
TRIPLE = number(c.MELTS)


def deposition(v: Level, depth: sympy.Expr) -> None:
    """Ice grows at the cost of droplets below MELTS (Rotstayn, Ryan and Katzfey 2000; Meyers, DeMott and
    Cotton 1992; 7.41 to 7.46). depth: below the top of the cloud (m)."""
    T, rho = v.T, v.rho
    v.cell.section("Ice grows from droplets")
    there = Equations()
    e_i = there.let("vapour_ice", v.e_i * number(c.RV / c.RD))
    e_w = there.let("vapour_water", e_i * v.koop)
    nuclei = there.let("nuclei", 1000 * exp(multiply(number(12.96), e_w - e_i) / e_w - number(0.639)))
    conducts = number(c.HEAT_S) * (number(c.HEAT_S / c.RV) / T - 1) / (number(2.4e-2) * T)
    diffuses = number(c.RV) * T * v.p / (number(2.21) * e_i)
    crystals = number(7.8) * power(nuclei / rho, number(0.666))
    rate = there.let("grows", crystals * (e_w - e_i) / (number(8.87) * (conducts + diffuses) * e_i))
    ice = there.let("ice_first", Max(v.inside_i, nuclei * number(c.CRYSTAL) / rho))
    grown = there.let("grown_root", number(0.666) * rate * v.dt + power(ice, number(0.666)))
    amount = Min(Max(v.a * (grown * square_root(grown) - ice), 0), v.guess["l"])
    many = there.let("many", Min(nuclei / 15000, 1))
    near_top = Min(many + (1 - many) * (number(c.TOP_RATE) + depth / number(c.TOP_DEPTH)), 1)
    condition = And(T < TRIPLE, v.guess["l"] > number(c.LEAST))
    (amount,) = where(v.cell, condition, "has_both", {"deposited": (ZERO, amount * near_top)}, there)
    v.exchange.move("l", "i", amount)
    v.changed("i", "deposited", v.guess["i"] + amount)
    v.changed("l", "deposited", v.guess["l"] - amount)


@dataclass
class Fall:
    """Where it rains or snows in a level: part, of the cell; clear, of it without cloud; most, the
    largest part above; of rain and snow in it (kg/kg)."""

    part: sympy.Expr
    clear: sympy.Expr
    most: sympy.Expr
    rain: sympy.Expr
    snow: sympy.Expr


def arrivals(v: Level, below_top: sympy.Basic) -> tuple[dict[str, sympy.Expr], dict[str, sympy.Expr], Fall]:
    """Ice, rain and snow from above, and in which part of the cell (7.36; maximum-random overlap, Jakob
    and Klein 2000). Returns what came (kg/kg), by kind; what falls out in proportion; and where."""
    cell, above, a = v.cell, v.above, v.a
    cell.section("What falls from above")
    came, falls = {}, {}
    for kind in "irs":
        came[kind] = cell.let(f"fallen_{kind}", above[f"flux_{kind}"] * v.mass)
        v.exchange.add(kind, came[kind])
        v.changed(kind, "fallen", v.guess[kind] + came[kind])
        falls[kind] = cell.let(f"falls_{kind}", v.mass * (number(c.SPEEDS[kind]) * v.rho))
    total = only_if(below_top, v.guess["i"] + v.guess["r"] + v.guess["s"])
    present = cell.let("present", total) > number(c.NONE)
    dry = (1 - above["part"]) * (1 - Max(a, above["a"])) / (1 - Min(above["a"], number(1 - 1e-6)))
    part = cell.let("part", only_if(present, Max(1 - dry, number(c.LEAST_FALL))))
    return came, falls, Fall(
        part,
        cell.let("part_clear", only_if(present, Max(0, part - a))),
        cell.let("part_most", only_if(present, Max(part, above["most"]))),
        cell.let("rain_in_part", only_if(present, v.guess["r"] / part)),
        cell.let("snow_in_part", only_if(present, v.guess["s"] / part)),
    )  # fmt: skip


def aggregation(v: Level, inside: sympy.Expr) -> sympy.Expr:
    """Emit the part of ice that becomes snow (Lin, Farley and Orville 1983; 7.48). inside: ice in clouds
    (kg/kg)."""
    there = Equations()
    colder = there.let("colder_snow", TRIPLE - v.T)
    rate = v.dt * number(c.SNOW_RATE) * exp(number(-c.SNOW_COLD) * colder)
    value = rate * (1 - exp(-((inside * number(1 / c.SNOW_CRITICAL)) ** 2)))
    values = {"aggregated": (ZERO, value)}
    condition = And(v.T <= TRIPLE, inside > number(c.NONE))
    return where(v.cell, condition, "has_ice", values, there)[0]


def collection(v: Level, inside: sympy.Expr, rain: sympy.Expr, land: sympy.Basic) -> None:
    """Droplets become rain, or snow where it is cold (Khairoutdinov and Kogan 2000; 7.50 to 7.52).
    inside: liquid in clouds, rain: where it falls (kg/kg)."""
    cell, liquid = v.cell, v.guess["l"]
    cell.section("Droplets become rain")
    auto = {place: 1.5 * c.AUTO * many**c.AUTO_N for place, many in c.DROPLETS.items()}
    fast = only_if(land, number(auto["land"]), number(auto["sea"]))
    least = only_if(land, number(c.RAINS_FROM["land"]), number(c.RAINS_FROM["sea"]))
    least = cell.let("rains_from", least)
    there = Equations()
    shared = there.let("share", v.a * v.dt)
    formed = there.let("rain_formed", Min(shared * fast * power(inside, number(c.AUTO_Q)), liquid))
    collected = number(2 * c.ACCRETION) * shared * power(inside * rain, number(c.ACCRETION_Q))
    collected = there.let("rain_collected", Min(only_if(rain > 0, collected), liquid))
    value = only_if(formed >= number(c.NONE), formed) + only_if(collected >= number(c.NONE), collected)
    condition = And(inside > number(c.NONE), inside > least)
    (rained,) = where(cell, condition, "rains", {"rained": (ZERO, value)}, there)
    cold = v.T <= TRIPLE
    v.exchange.move("l", "s", cell.let("rained_cold", only_if(cold, rained)))
    v.exchange.move("l", "r", cell.let("rained_warm", only_if(cold, 0, rained)))


def riming(v: Level, inside: sympy.Expr, fall: Fall, sizes: c.Sizes) -> sympy.Expr:
    """Emit the part of droplets that snow collects (Wilson and Ballard 1999; 7.54)."""
    thin = power(number(c.DENSITY) / v.rho, number(0.4))
    swept = power(v.rho * fall.snow * number(sizes.flakes), number(c.RIMING_POWER))
    value = Min(number(c.RIMING_EFFICIENCY * sizes.riming) * fall.part * v.dt * thin * swept, 1)
    condition = And(
        v.T <= TRIPLE, inside > number(c.NONE), fall.snow > number(c.NONE), fall.part > number(0.01)
    )  # fmt: skip
    return where(v.cell, condition, "rimes", {"rimed": (ZERO, value)}, Equations())[0]


def melting(v: Level) -> None:
    """Of ice and snow by the warmth of the wet bulb, which becomes rain (7.55)."""
    cell, ice, snow = v.cell, v.guess["i"], v.guess["s"]
    cell.section("Ice and snow melt")
    frozen = cell.let("frozen", ice + snow)
    w = [number(value) for value in c.WET_BULB]
    dry = Max(v.ice.q - v.q["v"], 0)
    warmth = cell.let("warmth", v.T - TRIPLE - dry * (w[0] + w[1] * (v.p - w[2]) - w[3] * (v.T - w[4])))
    speed = Abs(v.dt * (1 + warmth / 2) * number(1 / c.MELT_TIME))
    most = Max(warmth * speed * number(1 / (c.LS - c.LV)), 0)
    most = cell.let("melts_most", only_if(And(frozen > number(c.NONE), v.T > TRIPLE), most))
    melts = most > number(c.NONE)
    for kind, there in (("i", ice), ("s", snow)):
        part = cell.let(f"melts_{kind}", only_if(melts, Min(there, there / frozen * most)))
        v.exchange.move(kind, "r", part)
        v.changed(kind, "melted", there - part)
        v.changed("r", f"and_melted_{kind}", v.guess["r"] + part)


def freezing(v: Level, sizes: c.Sizes) -> sympy.Expr:
    """Rain freezes: slowly, if it is mostly drops where it came into the cold, else as fast as snow melts
    (Bigg 1953; 7.56 to 7.58). Droplets freeze below FREEZES_ALONE (7.59). Emits and returns the part of
    rain where it came into the cold."""
    cell, T, rain = v.cell, v.T, v.q["r"]
    cell.section("Rain and droplets freeze")
    colder = cell.let("colder", TRIPLE - T)
    enters = And(rain > number(c.NONE), T <= TRIPLE, v.above["T"] > TRIPLE)
    part = rain / Max(v.q["s"] + rain, number(c.NONE))
    part = cell.let("rain_part", only_if(enters, part, v.above["rain_part"]))
    drops = Or(part <= 0, part > number(0.8))
    there = Equations()
    slope = there.let("slope_freezing", power(number(sizes.slope) / (v.rho * rain), number(c.SLOPE_POWER)))
    slow = v.dt * (number(sizes.bigg) / v.rho) * (exp(number(c.BIGG_EXPONENT) * colder) - 1)
    slow = Max(slow * power(slope, number(c.FREEZES)), 0)
    fast = colder * Abs(v.dt * (1 + colder / 2) * number(1 / c.MELT_TIME)) * number(1 / (c.LS - c.LV))
    most = there.let("freezes_most", only_if(drops, slow, fast))
    values = {"freezes": (ZERO, only_if(most > number(c.NONE), Min(rain, most)))}
    (freezes,) = where(cell, And(rain > number(c.NONE), T < TRIPLE), "has_cold_rain", values, there)
    v.exchange.move("r", "s", freezes)
    most = Max((number(c.FREEZES_ALONE) - T) * number(1 / (c.LS - c.LV)), 0)
    acts = And(most > number(c.NONE), v.guess["l"] > number(c.NONE))
    v.exchange.move("l", "i", cell.let("freezes_l", only_if(acts, Min(v.guess["l"], most))))
    return part


def evaporation(v: Level, fall: Fall, p_surface: sympy.Expr, sizes: c.Sizes) -> sympy.Expr:
    """Of rain (Abel and Boutle 2012; 7.60) and of snow (Kessler 1969; Tiedtke 1993, equation 35; 7.61)
    where they fall outside clouds. Returns the part of the cell in which they still fall."""
    cell = v.cell
    cell.section("Rain evaporates")
    reach = number(c.WETTEST) + number(1 - c.WETTEST) * fall.most / Max(number(c.NONE), 1 - v.a)
    wettest = cell.let("wettest", Min(Max(reach, number(c.WETTEST)), 1))
    part = _of_rain(v, fall, Min(number(c.WETTEST_RAIN), wettest), sizes)
    cell.section("Snow evaporates")
    part = _of_snow(v, fall, part, wettest, p_surface)
    cell.section("Traces of rain and snow evaporate")
    for kind in "rs":
        left = v.guess[kind]
        v.exchange.move(kind, "v", cell.let(f"trace_{kind}", only_if(left < number(c.LEAST), left)))
    return part


def _narrower(v: Level, part: sympy.Expr, gone: sympy.Expr, of: sympy.Expr) -> sympy.Expr:
    """The part of the cell in which it falls, less what evaporates of it outside clouds."""
    return Max(number(c.LEAST_FALL), part - Max(0, (part - v.a) * gone / of))


def _of_rain(v: Level, fall: Fall, wettest: sympy.Expr, sizes: c.Sizes) -> sympy.Expr:
    T, rho, qs, rain = v.T, v.rho, v.liquid.q, v.guess["r"]
    humid = v.cell.let("humid_rain", Max(0, Min(v.q["v"], qs)))
    wettest = v.cell.let("wettest_rain", wettest * qs)
    there = Equations()
    thin = there.let("thin", power(number(c.DENSITY) / rho, number(0.4)))
    e = there.let("vapour_liquid", number(c.RV / c.RD) * v.e_w)
    slope = there.let(
        "slope_rain", power(number(sizes.slope) / (rho * (rain / fall.part)), number(c.SLOPE_POWER))
    )
    d = [number(value) for value in c.DIFFUSION]
    resists = there.let("resists", d[0] * e - d[1] * T * e + d[2] * T**3 * v.p)
    relative = there.let("relative", T / 273)
    conducts = there.let("conducts", relative * square_root(relative) * 393 / (T + 120))
    windy = square_root(rho * thin / conducts) * power(slope, number(-c.VENTILATED))
    exchanges = number(0.78) * power(slope, number(-c.STILL)) + number(sizes.ventilation) * windy
    rate = number(0.5 * c.EXCHANGE_R) / qs * T**2 * e * (conducts / resists) * exchanges
    rate = there.let("rate_rain", rate * v.dt)
    amount = fall.clear * rate * Max(wettest - humid, 0) / (1 + rate)
    gone = there.let("gone_rain", Min(amount, rain))
    values = {
        "evaporated_r": (ZERO, gone),
        "part_after_rain": (fall.part, _narrower(v, fall.part, gone, rain)),
    }
    condition = And(fall.clear > number(c.NONE), rain > number(c.NONE), humid < wettest)
    gone, part = where(v.cell, condition, "dry_for_rain", values, there)
    v.exchange.move("r", "v", gone)
    v.changed("r", "evaporated", rain - gone)
    return part


def _of_snow(
    v: Level, fall: Fall, part: sympy.Expr, wettest: sympy.Expr, p_surface: sympy.Expr
) -> sympy.Expr:
    a, qs, snow = v.a, v.ice.q, v.guess["s"]
    outside = (v.q["v"] - a * qs) / Max(number(c.NONE), 1 - a)
    humid = v.cell.let("humid_snow", Max(0, Min(outside, qs)))
    there = Equations()
    flux = snow * fall.clear / Max(part * v.mass, number(c.NARROW))
    flux = square_root(v.p / p_surface) / number(c.KESSLER_FLUX) * flux / Max(fall.clear, number(c.NONE))
    rate = there.let("rate_snow", number(c.G * c.KESSLER) * power(flux, number(c.KESSLER_POWER)) * v.dt)
    amount = fall.clear * rate * (qs - humid) / (1 + rate * v.damped)
    gone = there.let("gone_snow", Min(amount, snow))
    values = {"evaporated_s": (ZERO, gone), "part_after_snow": (part, _narrower(v, part, gone, snow))}
    condition = And(fall.clear > number(c.NONE), snow > number(c.NONE), humid < wettest * qs)
    gone, part = where(v.cell, condition, "dry_for_snow", values, there)
    v.exchange.move("s", "v", gone)
    v.changed("s", "evaporated", snow - gone)
    return part
