# SPDX-License-Identifier: Apache-2.0
"""What the steps of the WSM schemes share: substeps, and heats that are those of the beginning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import sympy
from sympy import And, Eq, Max, floor

from heddle.atmosphere.constants import (
    FREEZING,
    HEAT_DRY,
    HEAT_LIQUID,
    HEAT_OF_VAPORISATION,
    HEAT_VAPOUR,
    REFERENCE_DENSITY,
)
from heddle.atmosphere.microphysics.columns import Scheme
from heddle.atmosphere.microphysics.falls import Falling
from heddle.atmosphere.microphysics.functions import number, only_if, reals
from heddle.atmosphere.microphysics.parts import Parts
from heddle.atmosphere.microphysics.processes import crystals, size_of_ice, speed_of_ice
from heddle.atmosphere.microphysics.sedimentation import Species
from heddle.atmosphere.microphysics.wsm_constants import QMIN, WsmConstants, check_gamma
from heddle.model.assignment import Assignment, AssignmentCollection, If, Section, Statement, While
from heddle.model.equations import Equations, square_root
from heddle.model.field import Field, block_coordinates, block_extents

SUBSTEP = 120
"""The step (s) that substeps come near to."""
MOST_SUBSTEPS = 1000


@dataclass(frozen=True, kw_only=True)
class WsmScheme(Scheme):
    """gamma: one of GAMMAS, or "" for what goes with the quirks.

    Raises KernelError as Scheme does, and for another gamma.
    """

    planes: ClassVar[tuple[str, ...]] = ("rain", "snow", "sr")
    gamma: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gamma(self.gamma or "exact")


class WsmStep:
    """The statements of a step. A scheme says what a substep does. single: the step is one substep."""

    def __init__(self, scheme: WsmScheme, single: bool = False) -> None:
        self.single = single
        self.wrf = scheme.quirks == "wrf"
        self.c = WsmConstants(scheme.gamma or ("product" if self.wrf else "exact"))
        self.fields, self.dt = scheme.arguments()
        self.th, self.q, self.rho, self.pii = (self.fields[name] for name in ("th", "q", "rho", "pii"))
        self.p, self.dz, self.cpm = (self.fields[name] for name in ("p", "dz", "cpm_kept"))
        self.latent = self.fields["latent_kept"]
        self.z, self.n_z = block_coordinates()[2], block_extents()[2]
        self.delta, self.substeps, self.left, self.height = reals("delta", "substeps", "left", "height")

    def falling(
        self, name: str, title: str, speed: Callable[[Equations, sympy.Expr], sympy.Expr] | None = None
    ) -> Falling:
        """What the field q<name> holds, which falls with the speeds in fall_<name>."""
        species = Species(
            name, self.fields[f"q{name}"], self.fields[f"fall_{name}"], self.rho, self.dz, self.height,
            self.delta, self.wrf,
        )  # fmt: skip
        return Falling(species, title, speed)

    def statements(
        self, substep: Callable[[sympy.Symbol, sympy.Symbol], Sequence[Statement]]
    ) -> AssignmentCollection:
        """Substeps, and what they bring to the ground. substep: the statements of one, which give a value to
        two symbols: all that landed, and the snow of it (kg m-2)."""
        rained, snowed, landed, landed_snow = reals("rained", "snowed", "landed", "landed_snow")
        repeated = While(
            self.left > 0,
            {self.left: self.substeps, rained: sympy.Integer(0), snowed: sympy.Integer(0)},
            substep(landed, landed_snow),
            {self.left: self.left - 1, rained: rained + landed, snowed: snowed + landed_snow},
            at_most=MOST_SUBSTEPS,
        )
        return AssignmentCollection(
            [
                Section("Substeps of delta (s)"),
                Assignment(self.substeps, Max(floor(self.dt / SUBSTEP + number(0.5)), 1)),
                Assignment(self.delta, self.dt / self.substeps),
                repeated,
                *self._landed(rained, snowed),
            ]
        )

    def parts(
        self, speeds: Equations, falls: Callable[[sympy.Symbol, sympy.Symbol], Sequence[Statement]],
        changes: Equations, handed: Sequence[tuple[sympy.Symbol, Field]],
    ) -> Parts:  # fmt: skip
        """A step of one substep. speeds, changes: of a cell. falls: of a column, as `statements` takes a
        substep. handed: what a column computes and its cells need, and the plane that holds it meanwhile."""
        landed, landed_snow = reals("landed", "landed_snow")
        length = Assignment(self.delta, self.dt)
        store = [Assignment(plane.here, symbol) for symbol, plane in handed]
        load = [Assignment(symbol, plane.here) for symbol, plane in handed]
        return Parts(
            AssignmentCollection(speeds.statements),
            AssignmentCollection(
                [length, *falls(landed, landed_snow), *store, *self._landed(landed, landed_snow)]
            ),
            AssignmentCollection([length, *load, *changes.statements]),
        )

    def _landed(self, rained: sympy.Expr, snowed: sympy.Expr) -> list[Statement]:
        """What a step brought to the ground: all of it, and the snow of that (kg m-2)."""
        rain, snow, sr = (self.fields[name].here for name in ("rain", "snow", "sr"))
        return [
            Assignment(rain, rain + rained),
            Assignment(snow, snow + snowed),
            Assignment(sr, only_if(rained > 0, snowed / (rained + number(1e-12)))),
        ]

    def temperature(self, cell: Equations) -> tuple[sympy.Expr, sympy.Expr]:
        """T (K), and f = sqrt(rho_0/rho): all falls faster where air is thin."""
        T = cell.let("T", self.th.here * self.pii.here)
        return T, cell.let("f", square_root(number(REFERENCE_DENSITY) / self.rho.here))

    def ice_falls(self, cell: Equations, q: sympy.Expr, limit: bool) -> sympy.Expr:
        """Emit Ni, crystals per m3, and their diameter D, of ice with a mixing ratio q > 0 (kg/kg). Returns
        its speed (m/s). limit: no crystal is larger than LARGEST_DIAMETER."""
        Ni = cell.let("Ni_fall", crystals(self.rho.here, q))
        D = cell.let("D_fall", Max(size_of_ice(self.rho.here, q, Ni, limit), number(1e-25)))
        return speed_of_ice(D)

    def capacity(self, cell: Equations, q: sympy.Expr, kept: sympy.Expr, name: str = "cpm") -> sympy.Expr:
        """The heat capacity of moist air (J/(kg K)) at the beginning of the step."""
        moist = Max(q, number(QMIN))
        now = number(HEAT_DRY) * (1 - moist) + number(HEAT_VAPOUR) * moist
        return cell.let(name, now if self.single else only_if(self.left < self.substeps, kept, now))

    def heats(self, cell: Equations, T: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
        """Emit the heat capacity (J/(kg K)) and the latent heat of vaporisation (J/kg) at the beginning of
        the step, which the first of several substeps keeps. T: temperature now (K)."""
        cpm = self.capacity(cell, self.q.here, self.cpm.here)
        now = number(HEAT_OF_VAPORISATION) - number(HEAT_LIQUID - HEAT_VAPOUR) * (T - number(FREEZING))
        if self.single:
            return cpm, cell.let("L", now)
        L = cell.let("L", only_if(self.left < self.substeps, self.latent.here, now))
        first = And(self.substeps > 1, Eq(self.left, self.substeps))
        cell.statements.append(If(first, [Assignment(self.cpm.here, cpm), Assignment(self.latent.here, L)]))
        return cpm, L
