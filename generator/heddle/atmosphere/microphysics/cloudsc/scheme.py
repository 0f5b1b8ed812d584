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
from sympy import And, Ge, Min, Ne, Or

from heddle.atmosphere.microphysics.cloudsc import clouds, precipitation
from heddle.atmosphere.microphysics.cloudsc.constants import (
    A_I,
    A_W,
    AS_IN_THE_IFS,
    B_I,
    B_W,
    CLOUD_TOP,
    CRITICAL,
    E0,
    HEAT_S,
    HEAT_V,
    LEAST_COVER,
    LS,
    LV,
    MELTS,
    NONE,
    RD,
    G,
    Sizes,
)
from heddle.atmosphere.microphysics.cloudsc.exchange import KINDS, solved
from heddle.atmosphere.microphysics.cloudsc.level import Level
from heddle.atmosphere.microphysics.columns import Scheme
from heddle.atmosphere.microphysics.functions import number, only_if, reals, where
from heddle.errors import KernelError, calling_place
from heddle.model.assignment import Assignment, AssignmentCollection, Scan
from heddle.model.equations import Equations, add, multiply
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
        rho = cell.let("rho", p / (number(RD) * given["T"]))
        below = [only_if(self.last, 0, self.f[name].at_level(z + 1)) for name in ("flux_up", "flux_down")]
        mass_flux = cell.let("mass_flux_below", below[0] + below[1])
        deeper = cell.let("deeper", above["depth"] + dp / (rho * number(G)))

        acts = self._acts(cell, given, p)
        there = Equations(fields=[field.name for field in self.f.values()])
        v = Level(there, given, p, dp, rho, dt, above)
        values = self._processes(there, v, mass_flux, deeper)
        elsewhere: dict[str, sympy.Expr] = dict.fromkeys(values, ZERO)
        elsewhere |= {f"after_{kind}": given[kind] for kind in KINDS}
        elsewhere |= {"depth": deeper, "rain_part_after": above["rain_part"]}
        names = {name: (elsewhere[name], value) for name, value in values.items()}
        new = dict(zip(values, where(cell, acts, "acts", names, there), strict=True))

        self._gains(cell, given, new)
        self._diagnostics(cell, given, dp, new)
        update = {"T": given["T"], "a": new["cover_before"], "p": p, "p_upper": lower, "mass_flux": mass_flux}
        update |= {"part": new["part_after"]} | {f"flux_{kind}": new[f"out_{kind}"] for kind in "irs"}
        kept = {
            "cover": "cover_after",
            "most": "most_after",
            "depth": "depth",
            "rain_part": "rain_part_after",
        }
        kept |= {"l": "after_l", "i": "after_i"}
        update |= {name: only_if(self.active, new[value]) for name, value in kept.items()}
        self.next |= {above[name]: value for name, value in update.items()}

    def _acts(self, cell: Equations, given: dict[str, sympy.Expr], p: sympy.Expr) -> sympy.Basic:
        """Whether anything may happen in a level. Else it is clear, nothing falls or sinks into it, nothing
        detrains, and it is drier than the critical humidity over ice (a hundredth part more for rounding):
        then no process changes anything, and most levels of the stratosphere are passed over."""
        T = given["T"]
        warm = Ge(T, number(MELTS))
        a, b = only_if(warm, number(A_W), number(A_I)), only_if(warm, number(B_W), number(B_I))
        e = number(E0 * 0.99 * CRITICAL) * sympy.exp(multiply(a, T - number(MELTS)) / (T - b))
        least = cell.let("humid_from", Min(e, number(0.99 * CRITICAL * 0.5) * p))
        state = [Ne(given[name], 0) for name in ("a", *"lirs")]
        arrives = [self.above[name] > 0 for name in ("cover", "l", "i", "flux_i", "flux_r", "flux_s")]
        comes = [self.here(name) > 0 for name in ("detrainment", "snow_detrainment", "supersaturation")]
        return Or(given["v"] * p >= least, *state, *arrives, *comes)

    def _processes(
        self, cell: Equations, v: Level, mass_flux: sympy.Expr, deeper: sympy.Expr
    ) -> dict[str, sympy.Expr]:
        """Emit all processes of a level. Returns its state after the step, and what else is asked of it.
        mass_flux: of convection one level down. deeper: how far the level lies below the top of a cloud."""
        above, z = self.above, self.z
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
        depth = cell.let("depth_here", only_if(begins, 0, deeper))
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
        cover = cell.let("new_cover", Min((v.a + add(*v.cover)) / (1 + sinks), 1))
        gains = v.exchange.gains(cell, v.q)
        right = {kind: cell.let(f"right_{kind}", v.q[kind] + gains[kind]) for kind in KINDS}
        new = solved(cell, right, falls, sinks, rimed, aggregated)
        idle = {kind: ZERO if self.ifs else v.q[kind] for kind in "lirs"} | {"v": v.q["v"]}
        after = {kind: cell.let(f"all_{kind}", only_if(self.active, new[kind], idle[kind])) for kind in KINDS}
        out = {kind: only_if(self.active, falls[kind] * after[kind] / v.mass) for kind in "irs"}
        out = {kind: cell.let(f"leaves_{kind}", value) for kind, value in out.items()}
        rains = And(self.active, out["r"] + out["s"] >= number(NONE))
        come = {
            kind: [part[kind] for part in (earlier, came, sunk, fallen) if kind in part] for kind in "lirs"
        }
        leaves = {"l": sinks, "i": falls["i"] + sinks, "r": falls["r"], "s": falls["s"]}
        warms = []
        for kind, heat in (("l", LV), ("i", LS), ("r", LV), ("s", LS)):
            # But for what crossed its faces, what changes in a cell is a change of phase, and warms it.
            crossed = cell.let(f"crossed_{kind}", add(*come[kind]) - leaves[kind] * after[kind])
            warms.append(number(heat) * only_if(self.active, after[kind] - v.q[kind] - crossed))
        traces = number(LV) * (v.lost["l"] + v.lost["r"]) + number(LS) * (v.lost["i"] + v.lost["s"])
        covered = And(self.active, cover >= number(LEAST_COVER))
        in_use = only_if(self.active, in_use, self.here("detrainment") if self.ifs else 0)
        in_use = cell.let("detrained_here", in_use)
        values = {
            "cover_before": v.a,
            "cover_after": only_if(covered, cover),
            "part_after": only_if(rains, part),
            "most_after": fall.most,
            "depth": depth,
            "rain_part_after": rain_part,
            "warmed": add(*warms) - traces,
            "left_all": in_use,
            "left_l": v.water * in_use,
            "left_i": (1 - v.water) * in_use,
        }
        values |= {f"after_{kind}": value for kind, value in after.items()}
        values |= {f"out_{kind}": value for kind, value in out.items()}
        return values | {f"gone_{kind}": value for kind, value in v.lost.items()}

    def _gains(self, cell: Equations, given: dict[str, sympy.Expr], new: dict[str, sympy.Expr]) -> None:
        """The rates of the state."""
        cell.section("Rates")
        rate = cell.let("per_second", 1 / self.dt)
        cell.store(self.here("t_gain"), new["warmed"] * rate)
        cell.store(self.here("q_gain"), (new["after_v"] - given["v"]) * rate)
        cell.store(self.here("a_gain"), only_if(self.active, (new["cover_after"] - given["a"]) * rate))
        for kind in "lirs":
            gain = new[f"after_{kind}"] - given[kind]
            cell.store(self.here(f"q{kind}_gain"), (only_if(self.active, gain) if self.ifs else gain) * rate)

    def _diagnostics(
        self, cell: Equations, given: dict[str, sympy.Expr], dp: sympy.Expr, new: dict[str, sympy.Expr]
    ) -> None:
        """Fluxes at the lower face, and what else is told of a level. The sums are carried from level to
        level."""
        cell.section("Fluxes")
        column = cell.let("column", -(dp * number(1 / G)) * cell.let("per_second_too", 1 / self.dt))
        self.sums: list[sympy.Symbol] = []
        known: dict[str, sympy.Expr] = {}
        for kind in "lirs":
            grown = new[f"after_{kind}"] - given[kind]
            if kind in "li":
                turbulent = cell.let(f"mixed_{kind}", self.here(f"turbulent_{kind}") * self.dt)
                grown = grown + turbulent - new[f"left_{kind}"]
                known[f"turbulence_{kind}"] = turbulent * column
            known[f"flux_{kind}"] = grown * column
            known[f"lost_{kind}"] = new[f"gone_{kind}"] * column
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
        rain, snow = new["out_r"], new["out_s"] + new["out_i"]
        for name, fallen, heat in (("rain", rain, HEAT_V), ("snow", snow, HEAT_S)):
            value = cell.let(f"flux_{name}", fallen)
            cell.store(self.here(name), value)
            cell.store(self.here(f"heat_{name}"), number(-heat) * value)
        cell.store(self.here("cover"), new["part_after"])
        cell.store(self.here("detrained"), new["left_all"])
