# SPDX-License-Identifier: Apache-2.0
"""Sedimentation in large steps: cells fall to where they arrive, and what they hold is remapped.

Forward semi-Lagrangian with a piecewise linear reconstruction: H.-M. H. Juang and S.-Y. Hong, Forward
semi-Lagrangian advection with mass conservation and positive definiteness for falling hydrometeors, Mon. Wea.
Rev. 138, 1778 (2010). Any Courant number is stable, and mass is conserved to the last bits.

Interface k lies below cell k, and n_z on top. In the scratch field of a species, speeds are followed by a_k,
the heights at which interfaces arrive. Fixed cells then collect from the fallen ones, upwards: both are in
order, so that a pointer to the fallen cell moves with the sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import sympy
from sympy import And, Max, Symbol

from heddle.atmosphere.microphysics.columns import Quantity
from heddle.atmosphere.microphysics.functions import number, only_if, reals
from heddle.model.assignment import Assignment, Statement, While
from heddle.model.equations import Equations
from heddle.model.field import block_coordinates, block_extents

MOST_CELLS = 100_000
"""That one cell collects from: as many as there are levels, at most."""
LARGEST_SHRINKING = number(0.05)
"""Of a cell in a step, as a part of its thickness."""


@dataclass(frozen=True)
class Source:
    """A fallen cell: its number, its upper interface, its thickness d (m), its density qa (kg m-3) with
    half the difference between its ends, `gain`; the same of the one above; `used`: the part of its mass that
    lies below the current height, divided by d; mass: what was collected (kg m-2)."""

    number: sympy.Expr
    above: sympy.Expr
    d: sympy.Expr
    qa: sympy.Expr
    gain: sympy.Expr
    next_above: sympy.Expr
    next_d: sympy.Expr
    next_qa: sympy.Expr
    used: sympy.Expr
    mass: sympy.Expr

    @staticmethod
    def named(suffix: str) -> Source:
        """Symbols of this name."""
        names = [f"{entry.name}_{suffix}" for entry in fields(Source)]
        return Source(Symbol(names[0], integer=True), *reals(*names[1:]))

    def values(self) -> list[sympy.Expr]:
        """In order."""
        return [getattr(self, entry.name) for entry in fields(self)]

    def below(self, cell: Equations, height: sympy.Expr, name: str) -> sympy.Expr:
        """Emit which part of the mass, divided by d, lies below a height within the cell."""
        xi = cell.let(f"xi_{name}", (height - (self.above - self.d)) / self.d)
        return cell.let(f"below_{name}", (self.gain * xi + (self.qa - self.gain)) * xi)


class Species:
    """One kind of water that falls. name: of values in emitted code. q: mixing ratio (kg/kg). arrival:
    scratch. rho: density (kg m-3). dz: thickness (m). column_height: of all cells (m). delta: the step (s).
    wrf: with the quirks of the original."""

    def __init__(
        self, name: str, q: Quantity, arrival: Quantity, rho: Quantity, dz: Quantity,
        column_height: sympy.Expr, delta: sympy.Expr, wrf: bool,
    ) -> None:  # fmt: skip
        self.name, self.q, self.arrival, self.rho, self.dz = name, q, arrival, rho, dz
        self.column_height, self.delta, self.wrf = column_height, delta, wrf
        (self.top,) = reals(f"top_{name}")
        self.z, self.n_z = block_coordinates()[2], block_extents()[2]

    # Where cells arrive: a sweep downwards

    def carried(self, sweep: str = "") -> dict[sympy.Symbol, tuple[sympy.Expr, sympy.Expr]]:
        """What the sweep downwards carries, with first value and update. sweep: of the names, where a column
        has several."""
        v, w = reals(*(f"{what}_{self.name}" for what in "vw"))
        v_above, w_above = reals(*(f"{what}_above_{self.name}{sweep}" for what in "vw"))
        return {v_above: (sympy.Integer(0), v), w_above: (self._fastest, w)}

    @property
    def _fastest(self) -> sympy.Expr:
        """The speed of the upper end of the column."""
        return self.arrival.at_level(self.n_z - 1)

    def interface(self) -> dict[sympy.Symbol, tuple[sympy.Expr, sympy.Expr]]:
        """What a sweep that asks for densities carries, too: where the interface above arrives."""
        a, a_above = reals(f"a_{self.name}", f"a_above_{self.name}")
        return {a_above: (self.column_height - self._fastest * self.delta, a)}

    def density(self, a: sympy.Expr) -> sympy.Expr:
        """Of a cell (kg m-3) whose lower interface arrives at a height a (m), in the sweep downwards."""
        (a_above,) = self.interface()
        return self.rho.here * Max(self.q.here, 0) * self.dz.here / (a_above - a)

    def arrive(self, cell: Equations, z_k: sympy.Expr, sweep: str = "") -> sympy.Expr:
        """Emit in the sweep downwards the arrival of interface k, whose height is z_k (m), from speeds in the
        scratch field. Returns where it arrives (m)."""
        v_above, w_above = self.carried(sweep)
        z, n_z, name = self.z, self.n_z, self.name

        def speed(below: int) -> sympy.Expr:
            return self.arrival.at_level(z - below)

        v = cell.let(f"v_{name}", self.arrival.here)
        mean = number(0.5) * (v + speed(1))
        third = number(9 / 16) * (v + speed(1)) - number(1 / 16) * (v_above + speed(2))
        free = cell.let(
            f"w_free_{name}",
            sympy.Piecewise(
                (v, z < 1),
                (speed(1), sympy.Eq(v, 0)),
                (mean, sympy.Or(z < 2, z + 1 >= n_z)),
                (third, True),
                evaluate=False,
            ),
        )
        shrinking = LARGEST_SHRINKING * self.dz.here / self.delta
        w = cell.let(f"w_{name}", Max(free, w_above - shrinking))
        return cell.let(f"a_{name}", z_k - w * self.delta)

    def top_arrives(self) -> Statement:
        """Before the last sweep downwards: the height at which the upper end of the column arrives."""
        return Assignment(self.top, self.column_height - self._fastest * self.delta)

    # What fixed cells collect

    def _upper(self, level: sympy.Expr) -> sympy.Expr:
        """Where the upper interface of a cell arrives. Above the column lies an empty cell."""
        known = (self.arrival.at_level(level + 1), level + 1 < self.n_z)
        return sympy.Piecewise(
            known, (self.top, level < self.n_z), (self.column_height, True), evaluate=False
        )

    def _density(self, level: sympy.Expr, d: sympy.Expr) -> sympy.Expr:
        """Of a fallen cell; 0 in those above the column."""
        held = self.rho.at_level(level) * Max(self.q.at_level(level), 0) * self.dz.at_level(level)
        return only_if(level < self.n_z, held / d)

    def _collect(
        self, suffix: str, start: Sequence[sympy.Expr], height: sympy.Expr
    ) -> tuple[Statement, Source]:
        """Whole cells below a height (m) are collected. Returns the cell that contains the height, too."""
        s = Source.named(suffix)
        cell = Equations()
        level = s.number + 2
        upper = cell.let("upper", self._upper(level))
        d = cell.let("d_upper", upper - s.next_above)
        qa = cell.let("qa_upper", self._density(level, d))
        inside = s.number + 1 < self.n_z
        plus = cell.let("p", only_if(inside, (qa - s.next_qa) / (d + s.next_d)))
        minus = cell.let("m", (s.next_qa - s.qa) / (s.d + s.next_d))
        change = cell.let("change", number(0.5) * (plus + minus) * s.next_d)
        monotone = And(plus * minus > 0, sympy.Abs(change) <= s.next_qa)
        gain = cell.let("gain", only_if(monotone, change))
        following = [
            s.number + 1, s.next_above, s.next_d, s.next_qa, gain, upper, d, qa, sympy.Integer(0),
            s.mass + (s.qa - s.used) * s.d,
        ]  # fmt: skip
        search = While(
            And(s.number < self.n_z, s.above < height),
            dict(zip(s.values(), start, strict=True)),
            cell.statements,
            dict(zip(s.values(), following, strict=True)),
            at_most=MOST_CELLS,
        )
        return search, s

    def ground(self) -> tuple[list[Statement], sympy.Expr, dict[sympy.Symbol, sympy.Expr]]:
        """After the sweep downwards: what arrives below the ground. Returns that mass (kg m-2), and what the
        sweep upwards carries with its first values."""
        first = Equations()
        name = self.name
        zero = sympy.Integer(0)
        above = first.let(f"first_above_{name}", self._upper(zero))
        d = first.let(f"first_d_{name}", above - self.arrival.at_level(0))
        qa = first.let(f"first_qa_{name}", self._density(zero, d))
        next_above = first.let(f"second_above_{name}", self._upper(sympy.Integer(1)))
        next_d = first.let(f"second_d_{name}", next_above - above)
        next_qa = first.let(f"second_qa_{name}", self._density(sympy.Integer(1), next_d))
        start = [zero, above, d, qa, zero, next_above, next_d, next_qa, zero, zero]
        search, s = self._collect(f"{name}_ground", start, zero)
        rest = Equations()
        used = s.below(rest, zero, f"{name}_ground")
        part = s.qa * (s.d - s.above) if self.wrf else used * s.d
        fallen = rest.let(f"fallen_{name}", s.mass + part)
        begin = [*s.values()[:-2], used]
        carried = Source.named(name).values()[:-1]
        return [*first.statements, search, *rest.statements], fallen, dict(zip(carried, begin, strict=True))

    def remap(self, cell: Equations, upper: sympy.Expr) -> dict[sympy.Symbol, sympy.Expr]:
        """Emit in the sweep upwards the mixing ratio of a cell whose upper interface has a height (m).
        Returns the updates of what is carried."""
        carried = Source.named(self.name).values()[:-1]
        search, s = self._collect(f"{self.name}_at", [*carried, sympy.Integer(0)], upper)
        cell.statements.append(search)
        used = s.below(cell, upper, self.name)
        mass = cell.let(f"mass_{self.name}", s.mass + (used - s.used) * s.d)
        found = Max(mass / (self.rho.here * self.dz.here), 0)
        if self.wrf:  # it finds nothing above the lower end of the highest fallen cell
            found = only_if(upper <= self.arrival.at_level(self.n_z - 1), found)
        cell.store(self.q.here, found)
        return dict(zip(carried, [*s.values()[:-2], used], strict=True))
