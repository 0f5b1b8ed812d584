# SPDX-License-Identifier: Apache-2.0
"""Kessler's warm rain: the simplest complete scheme, with substeps that each column chooses.

E. Kessler, On the Distribution and Continuity of Water Substance in Atmospheric Circulations, Meteor.
Monogr. 32 (1969); J. Klemp and R. Wilhelmson, J. Atmos. Sci. 35, 1070 (1978); in the form of the Weather
Research and Forecasting model (WRF).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import sympy
from sympy import And, Max, Min, Rational, Symbol, floor, symbols

from heddle.atmosphere.constants import (
    DENSITY_WATER,
    HEAT_DRY,
    HEAT_OF_VAPORISATION,
    MOLECULAR_RATIO,
    REFERENCE_PRESSURE,
)
from heddle.atmosphere.microphysics.columns import Quantity, Scheme
from heddle.atmosphere.microphysics.functions import constant, number, only_if, power
from heddle.model.assignment import Assignment, AssignmentCollection, Scan, Section, Statement, While
from heddle.model.equations import Equations, square_root
from heddle.model.field import Access, Field, block_coordinates, block_extents

MOST_SUBSTEPS = 10_000
"""Of the fall in one step: in a column that needs more, the rest of the step passes without fall."""
LARGEST_COURANT = number(0.75)
"""Of a substep of the fall."""


@dataclass(frozen=True)
class Kessler(Scheme):
    """Rain that falls in substeps, forms from cloud water and evaporates; vapour that condenses.

    Fields, by name or as fields of the model. Read and written: th, potential temperature (K); qv, qc, qr,
    mixing ratios of vapour, cloud water and rain (kg/kg). Read: rho, density of dry air (kg m-3); pii, the
    Exner function; height, of the cell centres (m), rising; dz, thickness of the layers (m). Scratch:
    falling, speed. Planes: rain, to which the step adds what fell (mm); rain_step, what fell (mm) in it.
    Columns have two levels or more. dt: name of the argument with the time step (s).

    quirks: by default ("none") rain_step has what fell in the whole step; with "wrf", as in the original,
    what fell in its last substep.

    Raises KernelError for other quirks, and for fields of another kind.
    """

    planes: ClassVar[tuple[str, ...]] = ("rain", "rain_step")
    th: Field | Access | str = "th"
    qv: Field | Access | str = "qv"
    qc: Field | Access | str = "qc"
    qr: Field | Access | str = "qr"
    rho: Field | Access | str = "rho"
    pii: Field | Access | str = "pii"
    height: Field | Access | str = "height"
    dz: Field | Access | str = "dz"
    falling: Field | Access | str = "falling"
    speed: Field | Access | str = "speed"
    rain: Field | str = "rain"
    rain_step: Field | str = "rain_step"

    def step(self) -> AssignmentCollection:
        """The statements of a step."""
        found, dt = self.arguments()
        th, qv, qc, qr, rho, pii, height, dz, falling, speed, rain, rain_step = found.values()
        fall = _Fall(qr, rho, height, dz, falling, speed, dt)
        return AssignmentCollection(
            [
                *fall.speeds(),
                *fall.substeps(self.quirks == "wrf"),
                Assignment(rain.here, rain.here + fall.total),
                Assignment(rain_step.here, fall.shown),
                *_phase_changes(th.here, qv.here, qc.here, qr.here, rho.here, pii.here, falling.here, dt),
            ]
        )


def speed_of_rain(content: sympy.Expr, thinner: sympy.Expr) -> sympy.Expr:
    """Of fall (m/s). content: 0.001 times the density of the rain, kg m-3, above 0. thinner: the root of the
    air's density at the ground over that here."""
    return number(36.34) * power(content, number(0.1364)) * thinner


def ventilation_of_rain(content: sympy.Expr) -> sympy.Expr:
    """By which falling drops evaporate faster. content: as in speed_of_rain."""
    return (number(1.6) + number(124.9) * power(content, number(0.2046))) * power(content, number(0.525))


def resistance_to_rain(p: sympy.Expr, q_s: sympy.Expr) -> sympy.Expr:
    """To the evaporation of drops at a pressure (Pa) and a saturation mixing ratio (kg/kg)."""
    return number(2.55e8) / (p * q_s) + number(5.4e5)


def _phase_changes(
    th: sympy.Expr, qv: sympy.Expr, qc: sympy.Expr, qr: sympy.Expr, rho: sympy.Expr, pii: sympy.Expr,
    falling: sympy.Expr, dt: sympy.Expr,
) -> Sequence[Statement]:  # fmt: skip
    """What changes between vapour, cloud and rain in each cell, once the rain has fallen."""
    cell = Equations()
    epsilon, let_epsilon = constant("epsilon", MOLECULAR_RATIO)
    F, let_F = constant("F", number(17.67), number(243.5), HEAT_OF_VAPORISATION / HEAT_DRY)
    heat, let_heat = constant("heat", number(2.5e6), Rational(1, 1004))

    cell.section("Rain that forms: cloud water converts by itself, and is collected")
    collected = cell.let("collected", number(2.2) * dt * power(Max(qr, 0), number(0.875)))
    phi = cell.let("phi", 1 / (1 + collected))
    surplus = cell.let("surplus", Max(qc - number(0.001), 0))
    formed = cell.let("formed", qc * (1 - phi) + number(0.001) * dt * phi * surplus)
    cloud = cell.let("cloud", Max(qc - formed, 0))
    water = cell.let("water", Max(falling + formed, 0))

    cell.section("Saturation over water")
    T = cell.let("T", th * pii)
    celsius = cell.let("celsius", T - number(273.15))
    above = cell.let("above", T - number(29.65))
    P = cell.let("P", REFERENCE_PRESSURE * power(pii, Rational(1004, 287)))
    e_s = cell.let("e_s", number(611.2) * sympy.exp(number(17.67) * celsius / above))
    q_s = cell.let("q_s", epsilon * e_s / (P - e_s))
    excess = cell.let("excess", (qv - q_s) / (1 + P / (P - e_s) * q_s * F / above**2))

    cell.section("Evaporation of rain where neither vapour nor cloud saturate the air")
    wanted = cell.let("wanted", Max(-excess - cloud, 0))
    content = cell.let("content", number(0.001) * rho * water)
    rate = (
        ventilation_of_rain(content) / resistance_to_rain(P, q_s) * (q_s - qv) / (number(0.001) * rho * q_s)
    )
    evaporates = And(wanted > 0, water > 0, qv < q_s)
    evaporated = cell.let("evaporated", only_if(evaporates, Min(dt * rate, wanted, water)))

    cell.section("Condensation, or evaporation of cloud water")
    condensed = cell.let("condensed", Max(excess, -cloud))
    cell.store(th, th + heat / pii * (condensed - evaporated))
    cell.store(qv, Max(qv - condensed + evaporated, 0))
    cell.store(qc, cloud + condensed)
    cell.store(qr, water - evaporated)
    return [let_epsilon, let_F, let_heat, Scan(2, {}, cell.statements, {})]


class _Fall:
    """Rain falls from cell to cell, upstream, in substeps as long as its speeds allow."""

    def __init__(
        self,
        qr: Quantity,
        rho: Quantity,
        z: Quantity,
        dz: Quantity,
        falling: Quantity,
        speed: Quantity,
        dt: sympy.Expr,
    ) -> None:
        self.qr, self.rho, self.z, self.dz, self.dt = qr, rho, z, dz, dt
        self.falling, self.speed = falling, speed
        self.rho_ground, self.courant = symbols("rho_ground courant", real=True)
        self.total, self.last = symbols("fallen fallen_last", real=True)
        self.shown: sympy.Expr = self.total

    def speeds(self) -> list[Statement]:
        """Speeds before the first substep, and the Courant number of a step with them."""
        v = Symbol("v", real=True)
        return [
            Assignment(self.rho_ground, self.rho.at_level(0)),
            Section("Terminal speed of rain"),
            Scan(
                2,
                {self.courant: 0},
                [
                    *self.terminal_speed(v, self.qr.here),
                    Assignment(self.speed.here, v),
                    Assignment(self.falling.here, self.qr.here),
                ],
                {self.courant: Max(self.courant, v * self.dt / self.dz.here)},
            ),
        ]

    def terminal_speed(
        self, v: sympy.Symbol, water: sympy.Expr, needed: sympy.Basic = sympy.true
    ) -> list[Statement]:
        """v (m/s) of rain with a mixing ratio; 0 where there is none, and where it is not needed."""
        content = Symbol("content", real=True)
        thinner = square_root(self.rho_ground / self.rho.here)
        return [
            Assignment(content, number(0.001) * self.rho.here * water),
            Assignment(v, only_if(And(content > 0, needed), speed_of_rain(content, thinner))),
        ]

    def substeps(self, wrf: bool) -> list[Statement]:
        """Substeps until the time is up, whose number follows from the time and the speeds that are left."""
        left, count, delta, after = symbols("left count delta after", real=True)
        flux, flux_above, z_above, spacing = symbols("flux flux_above z_above spacing", real=True)
        water, v, courant = symbols("water_left v_next courant_next", real=True)
        rho, p = self.rho.here, self.falling.here
        z, n_z = block_coordinates()[2], block_extents()[2]
        more = count > 1
        cell: list[Statement] = [
            Assignment(flux, rho * p * self.speed.here),
            Assignment(
                spacing,
                only_if(z < n_z - 1, z_above - self.z.here, self.z.here - self.z.at_level(z - 1)),
            ),
            Assignment(water, p - delta / (rho * spacing) * (flux - flux_above)),
            Assignment(self.falling.here, water),
            *self.terminal_speed(v, water, more),
            Assignment(self.speed.here, v),
        ]
        sweep = Scan(
            2,
            {flux_above: 0, z_above: 0, courant: 0},
            cell,
            {
                flux_above: flux,
                z_above: self.z.here,
                courant: Max(courant, v * after / self.dz.here),
            },
            reverse=True,
        )
        landed = Symbol("landed", real=True)
        at_ground = self.rho_ground * self.falling.at_level(0) * self.speed.at_level(0)
        carried = {left: self.dt, count: substeps_of(self.courant), self.total: 0}
        following = {
            left: after,
            count: only_if(more, substeps_of(courant)),
            self.total: self.total + landed,
        }
        if wrf:
            carried[self.last], following[self.last] = sympy.Integer(0), landed
            self.shown = self.last
        body: list[Statement] = [
            Assignment(delta, left / count),
            Assignment(after, left - delta),
            Assignment(landed, 1000 / DENSITY_WATER * at_ground * delta),
            sweep,
        ]
        return [
            Section("Fall, upstream: delta (s) is a substep, of which `count` are left"),
            While(count > 0, carried, body, following, at_most=MOST_SUBSTEPS),
        ]


def substeps_of(courant: sympy.Expr) -> sympy.Expr:
    """How many substeps a Courant number asks for: the next whole number above courant / 0.75, at least 1."""
    return floor(1 + courant / LARGEST_COURANT)
