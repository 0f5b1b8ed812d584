# SPDX-License-Identifier: Apache-2.0
"""A level of a column while its equations are written down."""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy
from sympy import Ge, Le, Max, Min, Or

from heddle.atmosphere.microphysics.cloudsc.constants import (
    FREEZES_ALONE,
    KOOP,
    LEAST,
    LEAST_COVER,
    LS,
    MELTS,
    NONE,
    G,
)
from heddle.atmosphere.microphysics.cloudsc.exchange import Exchange
from heddle.atmosphere.microphysics.cloudsc.saturation import Saturated, Temperature
from heddle.atmosphere.microphysics.functions import number, only_if
from heddle.model.equations import Equations, add


@dataclass
class Level:
    """given: T (K), a, the cover, and q of each kind (kg/kg), as they are before. p, dp: pressure, thickness
    (Pa). dt: step (s). above: what the level above had, by name.

    Emits what all processes need: the state without traces and without negative water; lost, what that took
    from each kind; saturation over ice (over water where T >= MELTS), water and their mixture; lacks, vapour
    that evaporation may add.

    guess: liquid, ice, rain and snow as processes change them; exchange: what passes; cover: what adds to
    a.
    """

    cell: Equations
    given: dict[str, sympy.Expr]
    p: sympy.Expr
    dp: sympy.Expr
    rho: sympy.Expr
    dt: sympy.Expr
    above: dict[str, sympy.Expr]
    exchange: Exchange = field(default_factory=Exchange)
    cover: list[sympy.Expr] = field(default_factory=list)

    def __post_init__(self) -> None:
        cell, given = self.cell, self.given
        self.T = given["T"]
        self.mass = cell.let("mass", self.dt * (number(G) / self.dp))
        cell.section("Traces of cloud evaporate; no water is less than none")
        cloud = Or(given["l"] + given["i"] < number(LEAST), given["a"] < number(LEAST_COVER))
        trace = cell.let("trace", only_if(cloud, 1))
        self.q, self.lost = {}, {}
        for kind in "lirs":
            gone = given[kind] < number(LEAST)
            gone = Or(trace > 0, gone) if kind in "li" else gone
            self.lost[kind] = cell.let(f"removed_{kind}", only_if(gone, given[kind]))
            self.q[kind] = cell.let(f"q_{kind}", only_if(gone, 0, given[kind]))
        self.q["v"] = cell.let("q_v", add(given["v"], *self.lost.values()))
        self.a = cell.let("cloud_cover", only_if(trace > 0, 0, Max(0, Min(1, given["a"]))))
        self.guess = {kind: self.q[kind] for kind in "lirs"}
        self._saturation()
        self._condensate()

    def _saturation(self) -> None:
        cell = self.cell
        cell.section("Saturation")
        self.warm = Ge(self.T, number(MELTS))
        self.cold = Le(self.T, number(FREEZES_ALONE))
        self.per_p = cell.let("per_pressure", 1 / self.p)
        self.at = Temperature(cell, "here", self.T)
        self.water = self.at.water
        self.e_w, self.e_i = cell.let("e_w", self.at.over_water()), cell.let("e_i", self.at.over_ice())
        self.mixture = Saturated(
            cell, "mixed", self.water * self.e_w + (1 - self.water) * self.e_i, self.per_p
        )
        self.ice = Saturated(cell, "ice", only_if(self.warm, self.e_w, self.e_i), self.per_p)
        self.liquid = Saturated(cell, "liquid", self.e_w, self.per_p)
        self.damped = cell.let("damped", 1 + self.at.ice_steepness(LS) * self.ice.growth * self.ice.q)
        self.slope = cell.let("dqs_dT", self.at.steepness() * self.mixture.growth * self.mixture.q)
        short = (self.mixture.q - self.q["v"]) / (1 + self.at.warming() * self.slope)
        self.lacks = cell.let("lacks", Max(short, 0))
        # What solution droplets bear, at most saturation over water (equation 7.28).
        self.koop = cell.let("koop", Min(number(KOOP[0]) - number(KOOP[1]) * self.T, self.e_w / self.e_i))

    def _condensate(self) -> None:
        cell, q = self.cell, self.q
        self.cloud = cell.let("cloud", q["l"] + q["i"])
        self.part = cell.let("part_l", only_if(self.cloud > number(LEAST), q["l"] / self.cloud))
        self.part_i = cell.let("part_i", only_if(self.cloud > number(LEAST), 1 - self.part))
        self.per_cover = cell.let("per_cover", 1 / Max(self.a, number(NONE)))
        self.inside_i = cell.let("inside_i", q["i"] * self.per_cover)
        self.inside = cell.let("inside", q["l"] * self.per_cover + self.inside_i)

    def changed(self, kind: str, why: str, value: sympy.Expr) -> None:
        """Emit the guess of a kind after a process."""
        self.guess[kind] = self.cell.let(f"{kind}_{why}", value)

    def condense(self, name: str, amount: sympy.Expr, source: bool = False) -> dict[str, sympy.Expr]:
        """An amount (kg/kg) becomes liquid, or ice where it is too cold. source: it was no vapour of this
        level. Returns what each kind gained."""
        parts = {"l": only_if(self.cold, 0, amount), "i": only_if(self.cold, amount)}
        gained = {kind: self.cell.let(f"{name}_{kind}", part) for kind, part in parts.items()}
        for kind, part in gained.items():
            if source:
                self.exchange.add(kind, part)
            else:
                self.exchange.move("v", kind, part)
            self.changed(kind, f"and_{name}", self.guess[kind] + part)
        return gained

    def evaporate(self, amount: sympy.Expr, name: str) -> None:
        """An amount of cloud (kg/kg), in proportion to its liquid and ice."""
        for kind, part in (("l", self.part), ("i", self.part_i)):
            self.exchange.move(kind, "v", self.cell.let(f"{name}_{kind}", part * amount))
