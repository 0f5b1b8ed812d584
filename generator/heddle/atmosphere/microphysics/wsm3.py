# SPDX-License-Identifier: Apache-2.0
"""WSM3: three classes of water, with ice and snow in the place of cloud water and rain where it freezes.

S.-Y. Hong, J. Dudhia and S.-H. Chen, A revised approach to ice microphysical processes for the bulk
parameterization of clouds and precipitation, Mon. Wea. Rev. 132, 103 (2004), in the form of the Weather
Research and Forecasting model (WRF).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import And, Eq, Ge, Lt, Max, Symbol

from heddle.atmosphere.constants import FREEZING, HEAT_OF_FUSION
from heddle.atmosphere.microphysics.falls import fall
from heddle.atmosphere.microphysics.functions import clip, number, only_if, reals, where
from heddle.atmosphere.microphysics.parts import Parts, plane
from heddle.atmosphere.microphysics.slope import speed
from heddle.atmosphere.microphysics.wsm3_rates import Air, phase_changes
from heddle.atmosphere.microphysics.wsm_step import WsmScheme, WsmStep
from heddle.model.assignment import Assignment, AssignmentCollection, Scan, Section, Statement
from heddle.model.equations import Equations
from heddle.model.field import Access, Field


@dataclass(frozen=True)
class WSM3(WsmScheme):
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

    th: Field | Access | str = "th"
    q: Field | Access | str = "q"
    qci: Field | Access | str = "qci"
    qrs: Field | Access | str = "qrs"
    w: Field | Access | str = "w"
    rho: Field | Access | str = "rho"
    pii: Field | Access | str = "pii"
    p: Field | Access | str = "p"
    dz: Field | Access | str = "dz"
    fall_rs: Field | Access | str = "fall_rs"
    fall_ci: Field | Access | str = "fall_ci"
    cpm_kept: Field | Access | str = "cpm_kept"
    latent_kept: Field | Access | str = "latent_kept"
    rain: Field | str = "rain"
    snow: Field | str = "snow"
    sr: Field | str = "sr"

    def step(self) -> AssignmentCollection:
        """The statements of a step."""
        step = _Step(self)
        return step.statements(step.substep)

    def parts(
        self, freezing: Field | str = "freezing", melting: Field | str = "melting",
        freezing_level: Field | str = "freezing_level", melting_level: Field | str = "melting_level",
    ) -> Parts:  # fmt: skip
        """The same in three kernels, for steps of less than 180 s: `speeds` and `changes` have a thread per
        cell of a GPU, `falls` one per column. What these hand over are planes, two of them of int64."""
        levels = [plane(given, "int64") for given in (freezing_level, melting_level)]
        return _Step(self, single=True).in_parts([plane(freezing), plane(melting), *levels])


class _Step(WsmStep):
    """The statements of a step, sweep by sweep."""

    def __init__(self, scheme: WSM3, single: bool = False) -> None:
        super().__init__(scheme, single)
        self.qci, self.qrs, self.w = (self.fields[name] for name in ("qci", "qrs", "w"))
        self.amount, self.v_warm, self.frz, self.mlt = reals("falling", "v_warm", "frz", "mlt")
        self.kk, self.k = Symbol("kk", integer=True), Symbol("k", integer=True)
        self.first = Equations()
        T, f = self.temperature(self.first)
        self.rs = self.falling(
            "rs",
            "Rain and snow, which have another speed where they arrive",
            lambda cell, arrived: speed(cell, arrived, self.rho.here, f, T, self.c),
        )
        self.ci = self.falling("ci", "Ice")

    def substep(self, landed: sympy.Symbol, landed_snow: sympy.Symbol) -> list[Statement]:
        """The statements of a substep, which give these symbols a value (kg m-2)."""
        return [
            *self._speeds(),
            *fall((self.rs, self.ci), self.amount, self.first),
            *self._melt(landed, landed_snow),
            Scan(2, {}, self._changes().statements, {}),
        ]

    def in_parts(self, planes: Sequence[Field]) -> Parts:
        """planes: what frz, mlt, k and kk are handed over in."""
        speeds, column = Equations(), Equations()
        self._speed(speeds)
        T = column.let("T", self.th.here * self.pii.here)
        water = [column.let(f"water_{n}", Max(q.here, 0)) for n, q in (("rs", self.qrs), ("ci", self.qci))]
        v_warm = only_if(Ge(self.kk, 0), self.rs.species.arrival.at_level(self.kk))

        def falls(landed: sympy.Symbol, landed_snow: sympy.Symbol) -> list[Statement]:
            return [
                Section("Whether anything falls; kk is the highest level that is not frozen"),
                self._sum(column, T, water, {}),
                Assignment(self.v_warm, v_warm),
                *fall((self.rs, self.ci), self.amount, self.first),
                *self._melt(landed, landed_snow),
            ]

        symbols = (self.frz, self.mlt, self.k, self.kk)
        return self.parts(speeds, falls, self._changes(), [*zip(symbols, planes, strict=True)])

    def _speeds(self) -> list[Statement]:
        """Speeds of all that falls, whether anything does, and the highest level that is not frozen."""
        cell = Equations()
        T, v_rs, water = self._speed(cell)
        v_warm = {self.v_warm: (sympy.Integer(0), only_if(Ge(T, number(FREEZING)), v_rs, self.v_warm))}
        return [
            Section("Speeds; kk is the highest level that is not frozen"),
            self._sum(cell, T, water, v_warm),
        ]

    def _speed(self, cell: Equations) -> tuple[sympy.Expr, sympy.Expr, list[sympy.Expr]]:
        """Emit the speeds of all that falls. Returns the temperature, the speed of rain and snow, and how
        much there is of these and of ice."""
        T, f = self.temperature(cell)
        cell.section("Speed of rain and snow")
        qrs = cell.let("water_rs", Max(self.qrs.here, 0))
        rs, ci = Equations(), Equations()
        values = {"speed_rs": (sympy.Integer(0), speed(rs, self.qrs.here, self.rho.here, f, T, self.c))}
        (v_rs,) = where(cell, self.qrs.here > 0, "has_rs", values, rs)
        cell.section("Speed of ice: Ni crystals per m3 with diameter D")
        qci = cell.let("water_ci", Max(self.qci.here, 0))
        falls = And(Lt(T, number(FREEZING)), self.qci.here > 0)
        values = {"speed_ci": (sympy.Integer(0), self.ice_falls(ci, qci, limit=False))}
        (v_ci,) = where(cell, falls, "has_ci", values, ci)
        cell.store(self.rs.species.arrival.here, v_rs)
        cell.store(self.ci.species.arrival.here, v_ci)
        return T, v_rs, [qrs, qci]

    def _sum(
        self, cell: Equations, T: sympy.Expr, water: Sequence[sympy.Expr],
        others: Mapping[sympy.Symbol, tuple[sympy.Expr, sympy.Expr]],
    ) -> Statement:  # fmt: skip
        """Through a column with the statements of its cells. others: what it carries beside, with its begin
        and its update."""
        qrs, qci = water
        carried = {
            self.height: (sympy.Integer(0), self.height + self.dz.here),
            self.amount: (sympy.Integer(0), self.amount + qrs + qci),
            self.kk: (sympy.Integer(-1), only_if(Ge(T, number(FREEZING)), self.z, self.kk)),
            **others,
        }
        begin = {symbol: value for symbol, (value, _) in carried.items()}
        return Scan(2, begin, cell.statements, {symbol: value for symbol, (_, value) in carried.items()})

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
            self.rs.fallen / (self.dz.at_level(0) * d),
        )
        fall_kk = column.let("fall_kk", only_if(exists, flux))
        frz = only_if(exists, clip(-self.w.at_level(k) * S / self.dz.at_level(k), -S / d, S / d))
        mlt = only_if(exists, clip(fall_kk / self.rho.at_level(kk), -qrs / d, qrs / d))
        column.store(self.frz, frz)
        column.store(self.mlt, mlt)
        column.section("Rain and snow (mm) that reached the ground")
        cpm = self.capacity(column, self.q.at_level(0), self.cpm.at_level(0), "cpm_ground")
        T = self.th.at_level(0) * self.pii.at_level(0) - self._cooling(cpm, sympy.Integer(0))
        cold = column.let("T_ground", T) < number(FREEZING)
        fell = self.rs.fallen + only_if(cold, self.ci.fallen) if self.wrf else self.rs.fallen + self.ci.fallen
        column.store(landed, Max(fell, 0))
        column.store(landed_snow, only_if(cold, landed))
        return column.statements

    def _cooling(self, cpm: sympy.Expr, level: sympy.Expr) -> sympy.Expr:
        """By what freezes and melts, in K."""
        both = only_if(Eq(self.k, level), self.frz) + only_if(Eq(self.kk, level), self.mlt)
        return number(HEAT_OF_FUSION) / cpm * both * self.delta

    def _changes(self) -> Equations:
        """What happens in each cell, once water has fallen."""
        cell = Equations()
        T_before, f = self.temperature(cell)
        cpm, L = self.heats(cell, T_before)
        q = cell.let("vapour", self.q.here)
        qci = cell.let("cloud", Max(self.qci.here, 0))
        qrs = cell.let("water", Max(self.qrs.here, 0))
        T = cell.let("T_melted", T_before - self._cooling(cpm, self.z))
        air = Air(
            T_before, T, self.p.here, self.rho.here, f, cpm, L, q, qci, qrs, self.qci.here, self.qrs.here,
            self.delta,
        )  # fmt: skip
        T_new, q_new, qci_new, qrs_new = phase_changes(cell, air, self.c)
        cell.store(self.th.here, self.th.here + (T_new - T_before) / self.pii.here)
        cell.store(self.q.here, q_new)
        cell.store(self.qci.here, qci_new)
        cell.store(self.qrs.here, qrs_new)
        return cell
