# SPDX-License-Identifier: Apache-2.0
"""The step of CLOUDSC: a sweep from the highest level to the lowest.

M. Tiedtke, Representation of clouds in large-scale models, Mon. Wea. Rev. 121, 3040 (1993). A. Tompkins,
K. Gierens and G. Raedel, Ice supersaturation in the ECMWF integrated forecast system, Q. J. R. Meteorol.
Soc. 133, 53 (2007). R. Forbes and A. Tompkins, An improved representation of cloud and precipitation,
ECMWF Newsletter 129, 13 (2011). IFS documentation, cycle 41r2, part IV, chapter 7 (ECMWF 2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import sympy
from sympy import And, Min

from heddle.atmosphere.microphysics.cloudsc import clouds, precipitation
from heddle.atmosphere.microphysics.cloudsc.constants import (
    AS_IN_THE_IFS,
    CLOUD_TOP,
    HEAT_S,
    HEAT_V,
    LEAST_COVER,
    LS,
    LV,
    NONE,
    G,
    Sizes,
)
from heddle.atmosphere.microphysics.cloudsc.exchange import solved
from heddle.atmosphere.microphysics.cloudsc.level import Level
from heddle.atmosphere.microphysics.columns import Scheme
from heddle.atmosphere.microphysics.functions import number, only_if, reals
from heddle.errors import KernelError, calling_place
from heddle.model.assignment import Assignment, AssignmentCollection, Scan
from heddle.model.equations import Equations, add, negate
from heddle.model.field import Access, Field, block_coordinates, block_extents

ZERO = sympy.Integer(0)
FIELDS = {"t": "T", "a": "a", "q": "v", "ql": "l", "qi": "i", "qr": "r", "qs": "s"}
"""What the state has, and how a Level calls it."""


@dataclass(frozen=True)
class CLOUDSC(Scheme):
    """Cloud cover, liquid and ice that clouds hold, rain and snow that fall, in large cells. Level 0 is the
    highest.

    Fields, by name or as fields of the model. Read: t, temperature (K); q, ql, qi, qr, qs, vapour, liquid,
    ice, rain and snow (kg/kg); a, part of the cell with clouds; t_rate ... a_rate, their rates by what came
    before in the step (1/s); p, pressure; p_lower, that at the lower face (Pa); omega, dp/dt (Pa/s);
    heating_sw, heating_lw, by radiation (K/s); flux_up, flux_down, mass fluxes of convection at the upper
    face (kg m-2 s-1); updraught_water (kg/kg); detrainment, snow_detrainment (kg m-2 s-1); supersaturation
    that the dynamics took off (kg/kg); turbulent_l, turbulent_i, rates of liquid and ice by turbulence (1/s).
    Planes: p_top, pressure above level 0 (Pa); land, its part; convects, 1 where convection is active;
    convection, its type, 0 for none.

    Written: t_gain ... a_gain, rates of this step (1/s); cover, the part of the cell with precipitation below
    it; detrained, condensate that updraughts left (kg/kg). At the lower face, downwards (kg m-2 s-1): rain,
    snow (ice with it), and their enthalpy, heat_rain, heat_snow (W m-2); flux_l, flux_i, flux_r, flux_s, that
    say what became of each kind above; those of it that traces and negative water have, lost_l ... lost_s,
    and turbulence, turbulence_l, turbulence_i. Plane rain_part: the part of rain in what fell where it came
    into the cold.

    dt: name of the argument with the time step (s). top: the first level with clouds, 1 or more. quirks: by
    default ("none") as the equations say; with "ifs", as in the original: levels above top lose the traces of
    condensate that evaporate from the budget of condensate; so do fluxes there, and they count detrainment
    there and in the lowest level, which clouds do not take; fluxes of rain and snow go on from those of
    liquid and ice; the Gamma function has errors up to 2e-5.

    Raises KernelError for other words, another top, and for fields of another kind.
    """

    planes: ClassVar[tuple[str, ...]] = ("p_top", "land", "convects", "convection", "rain_part")
    words: ClassVar[tuple[str, ...]] = ("dt", "quirks", "top")
    original: ClassVar[str] = "ifs"
    t: Field | Access | str = "t"
    q: Field | Access | str = "q"
    a: Field | Access | str = "a"
    ql: Field | Access | str = "ql"
    qi: Field | Access | str = "qi"
    qr: Field | Access | str = "qr"
    qs: Field | Access | str = "qs"
    t_rate: Field | Access | str = "t_rate"
    q_rate: Field | Access | str = "q_rate"
    a_rate: Field | Access | str = "a_rate"
    ql_rate: Field | Access | str = "ql_rate"
    qi_rate: Field | Access | str = "qi_rate"
    qr_rate: Field | Access | str = "qr_rate"
    qs_rate: Field | Access | str = "qs_rate"
    p: Field | Access | str = "p"
    p_lower: Field | Access | str = "p_lower"
    omega: Field | Access | str = "omega"
    heating_sw: Field | Access | str = "heating_sw"
    heating_lw: Field | Access | str = "heating_lw"
    flux_up: Field | Access | str = "flux_up"
    flux_down: Field | Access | str = "flux_down"
    updraught_water: Field | Access | str = "updraught_water"
    detrainment: Field | Access | str = "detrainment"
    snow_detrainment: Field | Access | str = "snow_detrainment"
    supersaturation: Field | Access | str = "supersaturation"
    turbulent_l: Field | Access | str = "turbulent_l"
    turbulent_i: Field | Access | str = "turbulent_i"
    p_top: Field | str = "p_top"
    land: Field | str = "land"
    convects: Field | str = "convects"
    convection: Field | str = "convection"
    t_gain: Field | Access | str = "t_gain"
    q_gain: Field | Access | str = "q_gain"
    a_gain: Field | Access | str = "a_gain"
    ql_gain: Field | Access | str = "ql_gain"
    qi_gain: Field | Access | str = "qi_gain"
    qr_gain: Field | Access | str = "qr_gain"
    qs_gain: Field | Access | str = "qs_gain"
    cover: Field | Access | str = "cover"
    detrained: Field | Access | str = "detrained"
    rain: Field | Access | str = "rain"
    snow: Field | Access | str = "snow"
    heat_rain: Field | Access | str = "heat_rain"
    heat_snow: Field | Access | str = "heat_snow"
    flux_l: Field | Access | str = "flux_l"
    flux_i: Field | Access | str = "flux_i"
    flux_r: Field | Access | str = "flux_r"
    flux_s: Field | Access | str = "flux_s"
    lost_l: Field | Access | str = "lost_l"
    lost_i: Field | Access | str = "lost_i"
    lost_r: Field | Access | str = "lost_r"
    lost_s: Field | Access | str = "lost_s"
    turbulence_l: Field | Access | str = "turbulence_l"
    turbulence_i: Field | Access | str = "turbulence_i"
    rain_part: Field | str = "rain_part"
    top: int = 14

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.top) is not int or self.top < 1:
            raise KernelError(
                calling_place(), f"top={self.top!r} is no level below another.", "pass a whole number above 0"
            )

    def step(self) -> AssignmentCollection:
        """The statements of a step."""
        return _Step(self).statements()


class _Step:
    """The statements of a step."""

    def __init__(self, scheme: CLOUDSC) -> None:
        self.f, self.dt = scheme.arguments()
        self.ifs = scheme.quirks == "ifs"
        self.sizes = AS_IN_THE_IFS if self.ifs else Sizes()
        z, n_z = block_coordinates()[2], block_extents()[2]
        self.z, self.top = z, scheme.top
        self.active, self.last = z >= scheme.top, z >= n_z - 1
        self.p_surface = sympy.Symbol("p_surface", real=True)
        self.bottom = n_z - 1
        self.next: dict[sympy.Symbol, sympy.Expr] = {}

    def here(self, name: str) -> sympy.Expr:
        """What a field has in the cell."""
        return self.f[name].here

    def statements(self) -> AssignmentCollection:
        cell = Equations(fields=[field.name for field in self.f.values()])
        names = ("T", "a", "p", "p_upper", "cover", "l", "i", "flux_i", "flux_r", "flux_s", "part", "most")
        first: dict[str, sympy.Expr] = dict.fromkeys((*names, "depth", "rain_part", "mass_flux"), ZERO)
        first["p_upper"] = self.here("p_top")
        first["mass_flux"] = self.f["flux_up"].at_level(0) + self.f["flux_down"].at_level(0)
        self.above = dict(zip(first, reals(*(f"above_{name}" for name in first)), strict=True))
        self._level(cell)
        carried = {self.above[name]: value for name, value in first.items()}
        carried |= dict.fromkeys(self.sums, ZERO)
        surface = Assignment(self.p_surface, self.f["p_lower"].at_level(self.bottom))
        sweep = Scan(2, carried, cell.statements, self.next)
        return AssignmentCollection(
            [surface, sweep, Assignment(self.here("rain_part"), self.above["rain_part"])]
        )

    def _level(self, cell: Equations) -> None:
        """The statements of a level, and what the next one takes from it."""
        above, dt, z = self.above, self.dt, self.z
        cell.section("The state when the scheme begins")
        given = {
            name: cell.let(f"given_{name}", self.here(field) + dt * self.here(f"{field}_rate"))
            for field, name in FIELDS.items()
        }
        p = cell.let("pressure", self.here("p"))
        lower = cell.let("lower", self.here("p_lower"))
        dp = cell.let("thick", lower - above["p_upper"])
        v = Level(cell, given, p, dp, dt, above)
        below = [only_if(self.last, 0, self.f[name].at_level(z + 1)) for name in ("flux_up", "flux_down")]
        mass_flux = cell.let("mass_flux_below", below[0] + below[1])
        convects = self.here("convects") > 0

        earlier = clouds.supersaturation(v, self.here("supersaturation"))
        amount = cell.let("detrains", self.here("detrainment") * v.mass)
        water_below = cell.let(
            "updraught_below", only_if(self.last, 0, self.f["updraught_water"].at_level(z + 1))
        )
        snow = only_if(self.last, 0, self.here("snow_detrainment") * v.mass)
        came = clouds.detrainment(v, amount, water_below, snow, convects)
        sunk, sinks = clouds.subsidence(v, above["mass_flux"], mass_flux, above["p_upper"])
        in_use = came["all"]
        if self.ifs:
            in_use = cell.let("detrained_as_counted", only_if(self.last, self.here("detrainment"), in_use))
        clouds.erosion(v, And(self.here("convection") > 0, in_use > number(NONE)))
        heating = self.here("heating_sw") + self.here("heating_lw")
        dqs = clouds.change_of_saturation(v, self.here("omega"), above["mass_flux"] + mass_flux, heating)
        clouds.evaporation(v, dqs)
        clouds.growth(v, dqs)
        clouds.formation(v, dqs, self.p_surface)

        begins = And(above["a"] < number(CLOUD_TOP), v.a >= number(CLOUD_TOP))
        depth = cell.let("depth", only_if(begins, 0, above["depth"] + dp / (v.rho * number(G))))
        precipitation.deposition(v, depth)
        inside = {kind: cell.let(f"inside_{kind}_now", v.guess[kind] * v.per_cover) for kind in "li"}
        fallen, falls, fall = precipitation.arrivals(v, z > self.top)
        aggregated = precipitation.aggregation(v, inside["i"])
        precipitation.collection(v, inside["l"], fall.rain, self.here("land") > number(0.5))
        rimed = precipitation.riming(v, inside["l"], fall, self.sizes)
        precipitation.melting(v)
        rain_part = precipitation.freezing(v, self.sizes)
        part = precipitation.evaporation(v, fall, self.p_surface, self.sizes)

        cell.section("The state after the step")
        new_cover = Min((v.a + add(*v.cover)) / (1 + sinks), 1)
        new_cover = cell.let("new_cover_all", new_cover)
        new_cover = cell.let(
            "cover_after", only_if(And(self.active, new_cover >= number(LEAST_COVER)), new_cover)
        )
        gains = v.exchange.gains(cell, v.q)
        right = {kind: cell.let(f"right_{kind}", v.q[kind] + gains[kind]) for kind in "lirsv"}
        new = solved(cell, right, falls, sinks, rimed, aggregated)
        idle = {kind: ZERO if self.ifs else v.q[kind] for kind in "lirs"} | {"v": v.q["v"]}
        after = {
            kind: cell.let(f"after_{kind}", only_if(self.active, new[kind], idle[kind])) for kind in "lirsv"
        }
        flux = {
            kind: cell.let(f"flux_{kind}_out", only_if(self.active, falls[kind] * after[kind] / v.mass))
            for kind in "irs"
        }
        part = cell.let("part_after", only_if(And(self.active, flux["r"] + flux["s"] >= number(NONE)), part))

        leaves = {
            kind: add(*([falls[kind]] if kind != "l" else []), *([sinks] if kind in "li" else []))
            for kind in "lirs"
        }
        crossed = {
            kind: add(
                *(part[kind] for part in (earlier, came, sunk, fallen) if kind in part),
                negate(leaves[kind] * after[kind]),
            )
            for kind in "lirs"
        }
        self._gains(cell, v, after, new_cover, crossed)
        self._diagnostics(cell, v, after, flux, part, in_use)
        kept = {"cover": new_cover, "most": fall.most, "depth": depth, "rain_part": rain_part}
        kept = {name: only_if(self.active, value) for name, value in kept.items()}
        new_i, new_l = (only_if(self.active, after[kind]) for kind in "il")
        update = kept | {"T": v.T, "a": v.a, "p": p, "p_upper": lower, "l": new_l, "i": new_i}
        update |= {"part": part, "mass_flux": mass_flux}
        update |= {f"flux_{kind}": value for kind, value in flux.items()}
        self.next |= {above[name]: value for name, value in update.items()}

    def _gains(
        self,
        cell: Equations,
        v: Level,
        after: dict[str, sympy.Expr],
        cover: sympy.Expr,
        crossed: dict[str, sympy.Expr],
    ) -> None:
        """The rates of the state. What changes in a cell but for what crossed its faces is a change of phase,
        and warms it."""
        cell.section("Rates")
        rate = cell.let("per_second", 1 / self.dt)
        warms = []
        for kind, heat in (("l", LV), ("i", LS), ("r", LV), ("s", LS)):
            here = cell.let(f"crossed_{kind}", crossed[kind])
            warms.append(number(heat) * only_if(self.active, after[kind] - v.q[kind] - here) * rate)
            gain = after[kind] - v.given[kind]
            if self.ifs:
                gain = only_if(self.active, gain)
            cell.store(self.here(f"q{kind}_gain"), gain * rate)
        traces = number(LV) * (v.lost["l"] + v.lost["r"]) + number(LS) * (v.lost["i"] + v.lost["s"])
        cell.store(self.here("t_gain"), add(*warms) - traces * rate)
        cell.store(self.here("q_gain"), (after["v"] - v.given["v"]) * rate)
        cell.store(self.here("a_gain"), only_if(self.active, (cover - v.given["a"]) * rate))

    def _diagnostics(
        self,
        cell: Equations,
        v: Level,
        after: dict[str, sympy.Expr],
        flux: dict[str, sympy.Expr],
        part: sympy.Expr,
        detrained: sympy.Expr,
    ) -> None:
        """Fluxes at the lower face, and what else is told of a level. The sums are carried from level to
        level."""
        cell.section("Fluxes")
        column = cell.let("column", -(v.dp * number(1 / G)) * cell.let("per_second_too", 1 / self.dt))
        if self.ifs:
            detrained = only_if(self.active, detrained, self.here("detrainment"))
        else:
            detrained = only_if(self.active, detrained)
        detrained = cell.let("detrained_here", detrained)
        self.sums: list[sympy.Symbol] = []
        known: dict[str, sympy.Expr] = {}
        split = {"l": v.water, "i": 1 - v.water}
        for kind in "lirs":
            grown = after[kind] - v.given[kind]
            if kind in split:
                turbulent = cell.let(f"mixed_{kind}", self.here(f"turbulent_{kind}") * self.dt)
                grown = grown + turbulent - split[kind] * detrained
                known[f"turbulence_{kind}"] = turbulent * column
            known[f"flux_{kind}"] = grown * column
            known[f"lost_{kind}"] = v.lost[kind] * column
        other = {"r": "l", "s": "i"}
        for name, gained in known.items():
            origin, kind = name, name[-1]
            if self.ifs and kind in other:
                origin = name[:-1] + other[kind]
            (symbol,) = reals(f"sum_{origin}")
            now = cell.let(f"now_{name}", symbol + gained)
            if origin == name:
                self.sums.append(symbol)
                self.next[symbol] = now
            cell.store(self.here(name), now)
        rain, snow = flux["r"], flux["s"] + flux["i"]
        for name, fallen, heat in (("rain", rain, HEAT_V), ("snow", snow, HEAT_S)):
            value = cell.let(f"flux_{name}", fallen)
            cell.store(self.here(name), value)
            cell.store(self.here(f"heat_{name}"), number(-heat) * value)
        cell.store(self.here("cover"), part)
        cell.store(self.here("detrained"), detrained)
