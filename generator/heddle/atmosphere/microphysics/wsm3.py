# SPDX-License-Identifier: Apache-2.0
"""WSM3: three classes of water, with ice and snow in the place of cloud water and rain where it freezes.

S.-Y. Hong, J. Dudhia and S.-H. Chen, A revised approach to ice microphysical processes for the bulk
parameterization of clouds and precipitation, Mon. Wea. Rev. 132, 103 (2004), in the form of the Weather
Research and Forecasting model (WRF).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy
from sympy import And, Eq, Ge, Lt, Max, Symbol, floor

from heddle.atmosphere.constants import (
    FREEZING,
    HEAT_DRY,
    HEAT_LIQUID,
    HEAT_OF_FUSION,
    HEAT_OF_VAPORISATION,
    HEAT_VAPOUR,
    REFERENCE_DENSITY,
)
from heddle.atmosphere.microphysics.columns import cells, plane
from heddle.atmosphere.microphysics.functions import check_quirks, clip, number, only_if, power
from heddle.atmosphere.microphysics.sedimentation import Species
from heddle.atmosphere.microphysics.slope import speed
from heddle.atmosphere.microphysics.wsm3_rates import Air, crystals, phase_changes
from heddle.atmosphere.microphysics.wsm_constants import DICON, QMIN, WsmConstants
from heddle.model.assignment import Assignment, AssignmentCollection, If, Scan, Section, Statement, While
from heddle.model.equations import Equations, square_root
from heddle.model.field import Field, Parameter, block_coordinates, block_extents, declare

SUBSTEP = 120
"""The step (s) that substeps come near to."""
MOST_SUBSTEPS = 1000


@dataclass(frozen=True)
class WSM3:
    """Rain and snow that fall, melt and grow; ice that falls; vapour that condenses, or becomes ice.

    Fields, by name or as fields of the model. Read and written: th, potential temperature (K); q, qci, qrs,
    mixing ratios (kg/kg) of vapour, of cloud water or ice, and of rain or snow: the latter where it is colder
    than 273.15 K. Read: w, upward speed of the air (m/s); rho, density (kg m-3); pii, the Exner function; p,
    pressure (Pa); dz, thickness of the layers (m). Scratch: fall_rs and fall_ci; cpm_kept and latent_kept,
    which no step of less than 180 s touches. Planes: rain and snow, to which the step adds what fell (mm);
    sr, the part of it that was snow. Columns have two levels or more. dt: name of the argument with the time
    step (s), which is cut into max(nint(dt/120), 1) substeps.

    quirks: by default ("none") falling water is conserved. With "wrf", as in the original: what would lie
    above the lower end of the highest fallen cell is lost; the cell that reaches the ground is constant below
    it and linear above; ice that reaches a warm ground is lost.
    gamma: "exact", or "product", a product of 10 000 factors in place of the Gamma function, 0.1 % too small;
    by default what goes with the quirks.

    Raises KernelError for other words, and for fields of another kind.
    """

    th: Field | str = "th"
    q: Field | str = "q"
    qci: Field | str = "qci"
    qrs: Field | str = "qrs"
    w: Field | str = "w"
    rho: Field | str = "rho"
    pii: Field | str = "pii"
    p: Field | str = "p"
    dz: Field | str = "dz"
    fall_rs: Field | str = "fall_rs"
    fall_ci: Field | str = "fall_ci"
    cpm_kept: Field | str = "cpm_kept"
    latent_kept: Field | str = "latent_kept"
    rain: Field | str = "rain"
    snow: Field | str = "snow"
    sr: Field | str = "sr"
    dt: str = "dt"
    quirks: str = "none"
    gamma: str = ""

    def step(self) -> AssignmentCollection:
        """The statements of a step."""
        return _Step(self).statements()


class _Step:
    """The statements of a step, sweep by sweep."""

    def __init__(self, scheme: WSM3) -> None:
        self.wrf = check_quirks(scheme.quirks)
        self.c = WsmConstants(scheme.gamma or ("product" if self.wrf else "exact"))
        self.th, self.q, self.qci, self.qrs = map(cells, (scheme.th, scheme.q, scheme.qci, scheme.qrs))
        self.w, self.rho, self.pii, self.p = map(cells, (scheme.w, scheme.rho, scheme.pii, scheme.p))
        self.dz, self.fall_rs, self.fall_ci = map(cells, (scheme.dz, scheme.fall_rs, scheme.fall_ci))
        self.cpm, self.latent = map(cells, (scheme.cpm_kept, scheme.latent_kept))
        self.rain, self.snow, self.sr = map(plane, (scheme.rain, scheme.snow, scheme.sr))
        self.dt = Parameter(scheme.dt)
        declare(
            (self.th, self.q, self.qci, self.qrs, self.w, self.rho, self.pii, self.p, self.dz, self.fall_rs,
             self.fall_ci, self.cpm, self.latent, self.rain, self.snow, self.sr, self.dt)
        )  # fmt: skip
        self.z, self.n_z = block_coordinates()[2], block_extents()[2]
        self.delta, self.substeps, self.left, self.height = _real("delta", "substeps", "left", "height")
        self.falling, self.fell_rs, self.fell_ci = _real("falling", "fell_rs", "fell_ci")
        self.v_warm, self.frz, self.mlt = _real("v_warm", "frz", "mlt")
        self.kk, self.k = Symbol("kk", integer=True), Symbol("k", integer=True)
        self.rs = Species("rs", self.qrs, self.fall_rs, self.rho, self.dz, self.height, self.delta, self.wrf)
        self.ci = Species("ci", self.qci, self.fall_ci, self.rho, self.dz, self.height, self.delta, self.wrf)

    def statements(self) -> AssignmentCollection:
        """Substeps, and what they bring to the ground."""
        rained, snowed, landed, landed_snow = _real("rained", "snowed", "landed", "landed_snow")
        substep = [*self._speeds(), *self._fall(), *self._melt(landed, landed_snow), self._change()]
        repeated = While(
            self.left > 0,
            {self.left: self.substeps, rained: sympy.Integer(0), snowed: sympy.Integer(0)},
            substep,
            {self.left: self.left - 1, rained: rained + landed, snowed: snowed + landed_snow},
            at_most=MOST_SUBSTEPS,
        )
        return AssignmentCollection(
            [
                Section("Substeps of delta (s)"),
                Assignment(self.substeps, Max(floor(self.dt / SUBSTEP + number(0.5)), 1)),
                Assignment(self.delta, self.dt / self.substeps),
                repeated,
                Assignment(self.rain.here, self.rain.here + rained),
                Assignment(self.snow.here, self.snow.here + snowed),
                Assignment(self.sr.here, only_if(rained > 0, snowed / (rained + number(1e-12)))),
            ]
        )

    def _temperature(self, cell: Equations) -> tuple[sympy.Expr, sympy.Expr]:
        """T (K), and f = sqrt(rho_0/rho): all falls faster where air is thin."""
        T = cell.let("T", self.th.here * self.pii.here)
        return T, cell.let("f", square_root(number(REFERENCE_DENSITY) / self.rho.here))

    def _speeds(self) -> list[Statement]:
        """Speeds of all that falls, whether anything does, and the highest level that is not frozen."""
        cell = Equations()
        T, f = self._temperature(cell)
        cell.section("Speed of rain and snow")
        qrs = cell.let("water_rs", Max(self.qrs.here, 0))
        v_rs = cell.let("v_rs", speed(cell, qrs, self.rho.here, f, T, self.c))
        cell.section("Speed of ice: Ni crystals per m3 with diameter D")
        qci = cell.let("water_ci", Max(self.qci.here, 0))
        falls = And(Lt(T, number(FREEZING)), qci > 0)
        Ni = cell.let("Ni", only_if(falls, crystals(self.rho.here, qci), 1000))
        D = cell.let("D", Max(number(DICON) * square_root(self.rho.here * qci / Ni), number(1e-25)))
        cell.store(self.fall_rs.here, v_rs)
        cell.store(self.fall_ci.here, only_if(falls, number(1.49e4) * power(D, number(1.31))))
        warm = Ge(T, number(FREEZING))
        carried: Mapping[sympy.Symbol, sympy.Expr] = {
            self.height: sympy.Integer(0),
            self.falling: sympy.Integer(0),
            self.kk: sympy.Integer(-1),
            self.v_warm: sympy.Integer(0),
        }
        update = {
            self.height: self.height + self.dz.here,
            self.falling: self.falling + qrs + qci,
            self.kk: only_if(warm, self.z, self.kk),
            self.v_warm: only_if(warm, v_rs, self.v_warm),
        }
        return [
            Section("Speeds; kk is the highest level that is not frozen"),
            Scan(2, carried, cell.statements, update),
        ]

    def _fall(self) -> list[Statement]:
        """In columns in which something falls: rain and snow with the mean of their speeds before and after,
        ice with its speed before."""
        needed, z_k, z_above, z_above_2, below = _real("needed", "z_k", "z_above", "z_above_2", "below")

        first = Equations()
        T, f = self._temperature(first)
        first.store(z_k, only_if(self.z > 0, z_above - self.dz.here))
        first.section("Rain and snow, which have another speed where they arrive")
        arrived = first.let("arrived", self.rs.density(self.rs.arrive(first, z_k)) / self.rho.here)
        after = speed(first, arrived, self.rho.here, f, T, self.c)
        first.store(self.fall_rs.here, number(0.5) * (Symbol("v_rs", real=True) + after))
        first.section("Ice")
        first.store(self.fall_ci.here, self.ci.arrive(first, z_k))

        second = Equations()
        second.store(z_k, only_if(self.z > 0, z_above_2 - self.dz.here))
        second.store(self.fall_rs.here, self.rs.arrive(second, z_k, "_2"))

        ground_rs, fell_rs, begin_rs = self.rs.ground()
        ground_ci, fell_ci, begin_ci = self.ci.ground()
        up = Equations()
        upper = up.let("z_upper", below + self.dz.here)
        update = self.rs.remap(up, upper) | self.ci.remap(up, upper) | {below: upper}
        body: list[Statement] = [
            self.ci.top_arrives(),
            Section("Arrival of ice, and of rain and snow with their first speed"),
            _sweep(
                {z_above: (self.height, z_k)} | self.rs.carried() | self.rs.interface() | self.ci.carried(),
                first,
            ),
            self.rs.top_arrives(),
            Section("Arrival of rain and snow with their mean speed"),
            _sweep({z_above_2: (self.height, z_k)} | self.rs.carried("_2"), second),
            Section("What arrives below the ground"),
            *ground_rs,
            *ground_ci,
            Section("What each layer collects"),
            Scan(2, begin_rs | begin_ci | {below: sympy.Integer(0)}, up.statements, update),
        ]
        return [
            Section("Sedimentation, in columns in which something falls"),
            While(
                needed > 0,
                {needed: self.falling, self.fell_rs: sympy.Integer(0), self.fell_ci: sympy.Integer(0)},
                body,
                {needed: sympy.Integer(0), self.fell_rs: fell_rs, self.fell_ci: fell_ci},
                at_most=1,
            ),
        ]

    def _melt(self, landed: sympy.Symbol, landed_snow: sympy.Symbol) -> list[Statement]:
        """What freezes and melts where the column passes 273.15 K, and what reached the ground."""
        column = Equations()
        kk, k, d = self.kk, self.k, self.delta
        exists = Ge(kk, 0)
        column.section("At level kk snow melts; there, or above it where air rises, water freezes (1/s)")
        rises = And(exists, kk + 1 < self.n_z, self.w.at_level(kk) > 0)
        column.statements.append(Assignment(k, only_if(rises, kk + 1, kk)))
        qrs = column.let("qrs_k", only_if(exists, Max(self.qrs.at_level(k), 0)))
        S = column.let("S", only_if(exists, qrs + Max(self.qci.at_level(k), 0)))
        flux = only_if(
            kk > 0,
            self.rho.at_level(kk) * Max(self.qrs.at_level(kk), 0) * self.v_warm / self.dz.at_level(kk),
            self.fell_rs / (self.dz.at_level(0) * d),
        )
        fall_kk = column.let("fall_kk", only_if(exists, flux))
        frz = only_if(exists, clip(-self.w.at_level(k) * S / self.dz.at_level(k), -S / d, S / d))
        mlt = only_if(exists, clip(fall_kk / self.rho.at_level(kk), -qrs / d, qrs / d))
        column.store(self.frz, frz)
        column.store(self.mlt, mlt)
        column.section("Rain and snow (mm) that reached the ground")
        cpm = self._capacity(column, self.q.at_level(0), self.cpm.at_level(0), "cpm_ground")
        T = self.th.at_level(0) * self.pii.at_level(0) - self._cooling(cpm, sympy.Integer(0))
        cold = column.let("T_ground", T) < number(FREEZING)
        fell = self.fell_rs + only_if(cold, self.fell_ci) if self.wrf else self.fell_rs + self.fell_ci
        column.store(landed, Max(fell, 0))
        column.store(landed_snow, only_if(cold, landed))
        return column.statements

    def _capacity(self, cell: Equations, q: sympy.Expr, kept: sympy.Expr, name: str = "cpm") -> sympy.Expr:
        """The heat capacity of moist air (J/(kg K)) at the beginning of the step."""
        moist = Max(q, number(QMIN))
        now = number(HEAT_DRY) * (1 - moist) + number(HEAT_VAPOUR) * moist
        return cell.let(name, only_if(self.left < self.substeps, kept, now))

    def _cooling(self, cpm: sympy.Expr, level: sympy.Expr) -> sympy.Expr:
        """By what freezes and melts, in K."""
        both = only_if(Eq(self.k, level), self.frz) + only_if(Eq(self.kk, level), self.mlt)
        return number(HEAT_OF_FUSION) / cpm * both * self.delta

    def _change(self) -> Statement:
        """What happens in each cell, once water has fallen."""
        cell = Equations()
        T_before, f = self._temperature(cell)
        cpm = self._capacity(cell, self.q.here, self.cpm.here)
        now = number(HEAT_OF_VAPORISATION) - number(HEAT_LIQUID - HEAT_VAPOUR) * (T_before - number(FREEZING))
        L = cell.let("L", only_if(self.left < self.substeps, self.latent.here, now))
        first = And(self.substeps > 1, Eq(self.left, self.substeps))
        cell.statements.append(If(first, [Assignment(self.cpm.here, cpm), Assignment(self.latent.here, L)]))
        q = cell.let("vapour", self.q.here)
        qci = cell.let("cloud", Max(self.qci.here, 0))
        qrs = cell.let("water", Max(self.qrs.here, 0))
        T = cell.let("T_melted", T_before - self._cooling(cpm, self.z))
        air = Air(T_before, T, self.p.here, self.rho.here, f, cpm, L, q, qci, qrs, self.delta)
        T_new, q_new, qci_new, qrs_new = phase_changes(cell, air, self.c)
        cell.store(self.th.here, self.th.here + (T_new - T_before) / self.pii.here)
        cell.store(self.q.here, q_new)
        cell.store(self.qci.here, qci_new)
        cell.store(self.qrs.here, qrs_new)
        return Scan(2, {}, cell.statements, {})


def _sweep(carried: Mapping[sympy.Symbol, tuple[sympy.Expr, sympy.Expr]], cell: Equations) -> Scan:
    """Downwards. carried: symbol -> its first value and its update."""
    first = {symbol: value for symbol, (value, _) in carried.items()}
    update = {symbol: value for symbol, (_, value) in carried.items()}
    return Scan(2, first, cell.statements, update, reverse=True)


def _real(*names: str) -> tuple[sympy.Symbol, ...]:
    return tuple(Symbol(name, real=True) for name in names)
