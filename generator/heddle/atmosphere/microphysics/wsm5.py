# SPDX-License-Identifier: Apache-2.0
"""WSM5: five classes of water, so that rain, snow, cloud water and ice share a cell.

S.-Y. Hong, J. Dudhia and S.-H. Chen, A revised approach to ice microphysical processes for the bulk
parameterization of clouds and precipitation, Mon. Wea. Rev. 132, 103 (2004): HDC. With Y.-L. Lin, R. Farley
and H. Orville, J. Climate Appl. Meteor. 22, 1065 (1983), and S. Rutledge and P. Hobbs, J. Atmos. Sci. 40,
1185 (1983). In the form of the Weather Research and Forecasting model (WRF).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Max

from heddle.atmosphere.constants import FREEZING
from heddle.atmosphere.microphysics.falls import fall
from heddle.atmosphere.microphysics.functions import number, reals, where
from heddle.atmosphere.microphysics.parts import Parts
from heddle.atmosphere.microphysics.slope import rain_speed, snow_speed
from heddle.atmosphere.microphysics.wsm5_rates import Air, phase_changes
from heddle.atmosphere.microphysics.wsm_step import WsmScheme, WsmStep
from heddle.model.assignment import AssignmentCollection, Scan, Section, Statement
from heddle.model.equations import Equations
from heddle.model.field import Access, Field


@dataclass(frozen=True)
class WSM5(WsmScheme):
    """Rain and snow that fall, melt, freeze and grow; ice that falls; cloud water; vapour.

    Fields, by name or as fields of the model. Read and written: th, potential temperature (K); q, qc, qr, qi,
    qs, mixing ratios (kg/kg) of vapour, cloud water, rain, ice and snow. Read: rho, density (kg m-3); pii,
    the Exner function; p, pressure (Pa); dz, thickness of the layers (m). Scratch: fall_r, fall_s, fall_i;
    cpm_kept and latent_kept, which no step of less than 180 s touches. Planes: rain, to which the step adds
    all that fell (mm); snow, to which it adds the ice and snow of that; sr, the part of what fell that was
    ice or snow. Columns have two levels or more. dt: name of the argument with the time step (s), which is
    cut into max(nint(dt/120), 1) substeps.

    quirks: by default ("none") falling water is conserved, and melting snow evaporates. With "wrf", as in the
    original: what would lie above the lower end of the highest fallen cell is lost; the cell that reaches the
    ground is constant below it and linear above; melting snow does not evaporate; rain and snow below 1e-9
    kg/kg are kept, and a remainder of rounding counts as rain or snow; snow may collect more ice than there
    is, which then takes its part of the growth of ice.
    gamma: "exact", or "product", a product of 10 000 factors in place of the Gamma function, 0.1 % too small;
    by default what goes with the quirks.

    Where papers leave a choice: rain and snow fall with the mean of their speeds before and after, ice with
    the one before, and its crystals are at most 0.5 mm large. What snow collects of ice is no more than there
    is. Melting snow evaporates at most to half of what the air lacks, as rain does, and takes the heat of
    vaporisation. Saturation for all rates is that at the beginning of the substep.

    Raises KernelError for other words, and for fields of another kind.
    """

    th: Field | Access | str = "th"
    q: Field | Access | str = "q"
    qc: Field | Access | str = "qc"
    qr: Field | Access | str = "qr"
    qi: Field | Access | str = "qi"
    qs: Field | Access | str = "qs"
    rho: Field | Access | str = "rho"
    pii: Field | Access | str = "pii"
    p: Field | Access | str = "p"
    dz: Field | Access | str = "dz"
    fall_r: Field | Access | str = "fall_r"
    fall_s: Field | Access | str = "fall_s"
    fall_i: Field | Access | str = "fall_i"
    cpm_kept: Field | Access | str = "cpm_kept"
    latent_kept: Field | Access | str = "latent_kept"
    rain: Field | str = "rain"
    snow: Field | str = "snow"
    sr: Field | str = "sr"

    def step(self) -> AssignmentCollection:
        """The statements of a step."""
        step = _Step(self)
        return step.statements(step.substep)

    def parts(self) -> Parts:
        """The same in three kernels, for steps of less than 180 s: `speeds` and `changes` have a thread per
        cell of a GPU, `falls` one per column."""
        return _Step(self, single=True).in_parts()


class _Step(WsmStep):
    """The statements of a step, sweep by sweep. Snow melts after the fall of ice: neither sees the other."""

    def __init__(self, scheme: WSM5, single: bool = False) -> None:
        super().__init__(scheme, single)
        self.qc, self.qr, self.qi, self.qs = (self.fields[name] for name in ("qc", "qr", "qi", "qs"))
        self.amount, self.amount_i = reals("falling", "falling_ice")
        self.first = Equations()
        T, f = self.temperature(self.first)
        colder = self.first.let("colder", number(FREEZING) - T)
        rho = self.rho.here
        self.r = self.falling(
            "r",
            "Rain, which has another speed where it arrives",
            lambda cell, arrived: rain_speed(cell, arrived, rho, f, self.c, "_rain"),
        )
        self.s = self.falling(
            "s",
            "Snow, likewise",
            lambda cell, arrived: snow_speed(cell, arrived, rho, f, colder, self.c, "_snow"),
        )
        self.i = self.falling("i", "Ice")

    def substep(self, landed: sympy.Symbol, landed_snow: sympy.Symbol) -> list[Statement]:
        """The statements of a substep, which give these symbols a value (kg m-2)."""
        cell = Equations()
        return [
            Section("Speeds"),
            self._sum(cell, self._speed(cell)),
            *self._falls(landed, landed_snow),
            Scan(2, {}, self._changes().statements, {}),
        ]

    def in_parts(self) -> Parts:
        """The step as kernels of cells, columns and cells."""
        speeds, column = Equations(), Equations()
        self._speed(speeds)
        water = self._water(column)

        def falls(landed: sympy.Symbol, landed_snow: sympy.Symbol) -> list[Statement]:
            return [
                Section("Whether anything falls"),
                self._sum(column, water),
                *self._falls(landed, landed_snow),
            ]

        return self.parts(speeds, falls, self._changes(), [])

    def _falls(self, landed: sympy.Symbol, landed_snow: sympy.Symbol) -> list[Statement]:
        """What falls, and what of it reached the ground."""
        column = Equations()
        column.section("What reached the ground (mm)")
        column.store(landed_snow, Max(self.s.fallen + self.i.fallen, 0))
        column.store(landed, Max(self.r.fallen, 0) + landed_snow)
        return [
            *fall((self.r, self.s), self.amount, self.first),
            *fall((self.i,), self.amount_i, Equations(), "_ice"),
            *column.statements,
        ]

    def _water(self, cell: Equations) -> list[sympy.Expr]:
        """Emit how much there is of rain, snow and ice."""
        kinds = (("r", self.qr), ("s", self.qs), ("i", self.qi))
        return [cell.let(f"water_{name}", Max(field.here, 0)) for name, field in kinds]

    def _sum(self, cell: Equations, water: Sequence[sympy.Expr]) -> Statement:
        """Through a column with the statements of its cells: its height, and whether anything falls."""
        qr, qs, qi = water
        update = {
            self.height: self.height + self.dz.here,
            self.amount: self.amount + qr + qs,
            self.amount_i: self.amount_i + qi,
        }
        return Scan(2, dict.fromkeys(update, sympy.Integer(0)), cell.statements, update)

    def _speed(self, cell: Equations) -> list[sympy.Expr]:
        """Emit the speeds of all that falls. Returns how much there is of it."""
        T, f = self.temperature(cell)
        colder = cell.let("colder", number(FREEZING) - T)
        rho = self.rho.here
        water = self._water(cell)
        r, s, i = Equations(), Equations(), Equations()
        kinds = (
            (self.r, self.qr, rain_speed(r, self.qr.here, rho, f, self.c, "_rain"), r),
            (self.s, self.qs, snow_speed(s, self.qs.here, rho, f, colder, self.c, "_snow"), s),
            (self.i, self.qi, self.ice_falls(i, water[2], limit=True), i),
        )
        for kind, field, speed, there in kinds:
            name = kind.species.name
            values = {f"speed_{name}": (sympy.Integer(0), speed)}
            (v,) = where(cell, field.here > 0, f"has_{name}", values, there)
            cell.store(kind.species.arrival.here, v)
        return water

    def _changes(self) -> Equations:
        """What happens in each cell, once water has fallen."""
        cell = Equations()
        T, f = self.temperature(cell)
        cpm, L = self.heats(cell, T)
        vapour = cell.let("vapour", self.q.here)
        qc, qr, qi, qs = (field.here for field in (self.qc, self.qr, self.qi, self.qs))
        air = Air(T, self.p.here, self.rho.here, f, cpm, L, vapour, qc, qr, qi, qs, self.delta)
        after = phase_changes(cell, air, self.c, self.wrf)
        cell.store(self.th.here, self.th.here + (after.T - T) / self.pii.here)
        for name in ("q", "qc", "qr", "qi", "qs"):
            cell.store(self.fields[name].here, getattr(after, name))
        return cell
