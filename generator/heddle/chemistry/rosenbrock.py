# SPDX-License-Identifier: Apache-2.0
"""Rosenbrock methods with a step of its own for each cell: a whole time step of the host in one kernel.

    solver = chemistry.Rosenbrock(mechanism, "Rodas3")
    module.add("integrate", solver.integrate(), schedule=Schedule(cpu=Strips(8), math="reproducible"))

A step is accepted if the root mean square over the species of err_i/(atol + rtol max(|y_i|, |y'_i|)) is at
most 1; the next one is as long as that estimate allows (E. Hairer and G. Wanner, Solving Ordinary
Differential Equations II, IV.7). What it ends with is remembered in the field `step`, where the next call
begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy
from sympy import And, Max, Min, Piecewise, Symbol

from heddle.chemistry.kernels import CellFields
from heddle.chemistry.mechanism import Mechanism, require_tolerance
from heddle.chemistry.sparse_lu import LUCost, SparseLU
from heddle.chemistry.tableaus import METHODS
from heddle.errors import KernelError, calling_place
from heddle.model.assignment import Assignment, AssignmentCollection, While
from heddle.model.equations import Equations, Scalar, add, divide, exact, local, multiply, quantity
from heddle.model.flag import require_flag
from heddle.model.require import vector

MOST_STEPS = 10_000
LARGEST = 1e38
"""Sums of concentrations and host values beyond it are refused, as are NaN and infinity."""
SHORTEST = 1e-25
"""Step, as a part of the interval."""
FIRST_STEP = 0.01
"""Of a cell that remembers none, as a part of the interval."""
SAFETY, SHRINK, GROW, AFTER_REJECTIONS = 0.9, 0.2, 6.0, 0.1
DONE, MANY_STEPS, SHORT_STEP, BAD_INPUT = 0, 1, 2, 3
"""What the field `outcome` holds."""


class Rosenbrock:
    """method: "Ros3", "Rodas3" or "Rodas4". dimensions: of the space in which cells lie. max_steps: in a
    call, rejected ones included. clip: negative concentrations become 0 where a step is accepted, which adds
    mass; by default they stay, of the size of the tolerance. tolerance_per_species: the argument
    `absolute_tolerance` is a table with a number per unknown, in place of one number.

    Raises KernelError for options that do not exist.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        method: str = "Rodas3",
        *,
        dimensions: int = 3,
        max_steps: int = MOST_STEPS,
        clip: bool = False,
        tolerance_per_species: bool = False,
    ) -> None:
        if method not in METHODS:
            raise KernelError(
                calling_place(),
                f"'{method}' is no Rosenbrock method that is known.",
                "choose one of: " + ", ".join(METHODS),
            )
        if type(max_steps) is not int or not 0 < max_steps < 2**31:
            raise KernelError(
                calling_place(), f"max_steps={max_steps!r} is no number of steps.", "max_steps=10_000"
            )
        require_flag(clip, "clip")
        require_flag(tolerance_per_species, "tolerance_per_species")
        self.mechanism, self.method = mechanism, METHODS[method]
        self.max_steps, self.clip = max_steps, clip
        self.fields = CellFields(mechanism, dimensions)
        kinetics = self.fields.kinetics
        self.tolerances = self.fields.table("absolute_tolerance") if tolerance_per_species else None
        self.lu = SparseLU(len(kinetics.species), kinetics.pattern)

    @property
    def cost(self) -> LUCost:
        """Of the factorisation and the solution that a step takes."""
        return self.lu.cost

    def integrate(
        self,
        interval: Scalar = "interval",
        relative_tolerance: Scalar = "relative_tolerance",
        absolute_tolerance: Scalar | Sequence[Scalar] = "absolute_tolerance",
    ) -> AssignmentCollection:
        """Advance `concentration` by an interval (s). absolute_tolerance: in mol m-3; one for all species, or
        one for each unknown, in the order of `mechanism.variable`.

        Raises KernelError for another number of tolerances than unknowns, and for one that is not above 0.

        `step` (s) is read, where 0 means that the cell remembers none, and written. `outcome` becomes 0; 1 if
        max_steps did not do; 2 if the step became too short, as where rates are not finite; 3 if
        temperature, pressure or an entry of the table of tolerances is not positive, or a value is not
        finite. Concentrations are then those of the last step that was accepted, and `step` 0. `steps`:
        attempts in this call.
        """
        fields = self.fields
        step, status, steps = (
            fields.field("step"),
            fields.field("outcome", dtype="int32"),
            fields.field("steps", dtype="int64"),
        )
        end, rtol = quantity(interval), quantity(relative_tolerance)
        atol = self._absolute_tolerances(absolute_tolerance)
        before = Equations()
        start, k = fields.load(before)
        names = fields.kinetics.names
        inputs = [fields.host_value(n) for n in range(len(fields.labels))]
        before.section("Whether the cell can be integrated")
        whole = before.let("whole", before.total("part_whole", *map(sympy.Abs, (*start, *inputs))))
        sound = And(whole < LARGEST, fields.temperature.here > 0, fields.pressure.here > 0)
        if self.tolerances is not None:
            sound = And(sound, *(tolerance > 0 for tolerance in atol))
        usable = before.let("usable", Piecewise((1, sound), (0, True)))
        first = Piecewise((step.here, step.here > 0), (multiply(exact(FIRST_STEP), end), True))

        t, h, rejections = local("t"), local("h"), local("rejections")
        attempts = Symbol("attempts", integer=True)
        y = [local(f"y_{name}") for name in names]
        shortest = before.let("shortest", multiply(exact(SHORTEST), end))
        body = Equations()
        left = body.let("left", end - t)
        d = body.let("d", Min(h, left, evaluate=False))
        following, error = self.attempt(body, k, y, d, rtol, atol)
        accepted = error <= 1
        growth = body.let("growth", self._growth(body, error))
        longer = Piecewise((multiply(d, growth), rejections < 1), (multiply(d, Min(growth, 1)), True))
        longer = body.let("longer", longer)
        cut = Piecewise((Max(longer, h, evaluate=False), h > left), (longer, True))
        longest = body.let("longest", cut)  # the end of the interval says nothing about the next step
        arrived = body.let("arrived", Piecewise((end, h >= left), (t + d, True)))
        shorter = Piecewise((growth, rejections < 1), (exact(AFTER_REJECTIONS), True))
        shorter = body.let("shorter", multiply(d, shorter))
        carried = {t: Piecewise((0, usable > 0), (end, True)), h: first, rejections: 0, attempts: 0}
        update = {
            t: Piecewise((arrived, accepted), (t, True)),
            h: Piecewise((longest, accepted), (shorter, True)),
            rejections: Piecewise((0, accepted), (rejections + 1, True)),
            attempts: attempts + 1,
        }
        for old, value, new in zip(y, start, following, strict=True):
            if new == old:  # reactions have it on both sides: no round changes it
                before.let(old.name, value)
                continue
            kept = Max(new, 0, evaluate=False) if self.clip else new
            carried[old] = value
            update[old] = Piecewise((kept, accepted), (old, True))
        again = And(t < end, h > shortest, sympy.Gt(t + h, t, evaluate=False))
        loop = While(again, carried, body.statements, update, at_most=self.max_steps)

        done = t >= end
        why = Piecewise(
            (BAD_INPUT, usable < 1),
            (DONE, done),
            (MANY_STEPS, attempts >= self.max_steps),
            (SHORT_STEP, True),
        )
        stores = [
            *(Assignment(fields.concentration.component(i), value) for i, value in enumerate(y)),
            Assignment(step.here, Piecewise((h, And(done, usable > 0)), (0, True))),
            Assignment(status.here, why),
            Assignment(steps.here, attempts),
        ]
        return AssignmentCollection([*before.statements, loop, *stores])

    def _absolute_tolerances(self, given: Scalar | Sequence[Scalar]) -> list[sympy.Expr]:
        """Of each unknown."""
        names = self.mechanism.variable
        if self.tolerances is not None:
            if not isinstance(given, str) or given != self.tolerances.name:
                raise KernelError(
                    calling_place(),
                    "tolerance_per_species makes absolute_tolerance a table of numbers that callers give.",
                    "leave out absolute_tolerance, or tolerance_per_species",
                )
            return [self.tolerances.gather(i) for i in range(len(names))]
        if isinstance(given, (str, int, float, Fraction, sympy.Expr)):
            values = (quantity(given),) * len(names)
        else:
            values = vector(given, "absolute_tolerance")
        if len(values) != len(names):
            raise KernelError(
                calling_place(),
                f"there are {len(values)} absolute tolerances for {len(names)} unknowns.",
                "give one for each of mechanism.variable, as mechanism.absolute_tolerances(1e-15) does",
            )
        for name, value in zip(names, values, strict=True):
            if value.is_number:
                require_tolerance(float(value), name, calling_place())
        return list(values)

    def _growth(self, cell: Equations, error: sympy.Expr) -> sympy.Expr:
        """Of the step, from the mean square of the errors: its -1/2 p-th power within limits."""
        norm = cell.let("norm", sympy.sqrt(error))
        root = (
            sympy.cbrt(norm) if self.method.root == 3 else sympy.sqrt(cell.let("norm_root", sympy.sqrt(norm)))
        )
        bounded = Min(exact(GROW), Max(exact(SHRINK), exact(SAFETY) / root))
        return Piecewise((bounded, error < LARGEST), (exact(AFTER_REJECTIONS), True))

    def attempt(
        self,
        cell: Equations,
        k: list[sympy.Expr],
        y: list[sympy.Expr],
        d: sympy.Expr,
        rtol: sympy.Expr,
        atol: list[sympy.Expr],
    ) -> tuple[list[sympy.Expr], sympy.Expr]:
        """Emit a step of length d. Returns the concentrations behind it, and the mean square of the errors as
        parts of what is tolerated."""
        kinetics, method, names = self.fields.kinetics, self.method, self.fields.kinetics.names
        size = range(len(names))
        partials = kinetics.partials(cell, k, y)
        cell.section("G = I/(gamma h) - J")
        inverse = cell.let("inverse_d", 1 / d)
        diagonal = cell.let("diagonal", multiply(_number(1 / Fraction(method.gamma)), inverse))
        matrix = kinetics.jacobian(cell, partials, sign=-1)
        for i in size:
            matrix[i, i] = add(diagonal, matrix[i, i]) if (i, i) in matrix else diagonal
        solve = self.lu.factorise(cell, matrix, names)

        stages: list[list[sympy.Expr]] = []
        points: list[tuple[tuple[float | Fraction, ...], list[sympy.Expr]]] = []
        f: list[sympy.Expr] = []
        for s, (a, c) in enumerate(zip(method.a, method.c, strict=True)):
            cell.section(f"Stage {s + 1}")
            weights = _without_zeros(a)
            known = [w for w, _ in points]
            if s == 0 or weights != known[-1]:
                values = self._combined(y, weights, stages, points)
                if weights:
                    values = [cell.let(f"y{s + 1}_{names[i]}", values[i]) for i in size]
                suffix = "" if s == 0 else f"_{s + 1}"
                w = kinetics.rates(cell, k, values, suffix, partials if s == 0 else None)
                f = kinetics.tendency(cell, w, suffix)
                if _reused(method.a, s):
                    f = [cell.let(f"f{suffix}_{names[i]}", f[i]) for i in size]
                points.append((weights, values))
            factors = [
                cell.let(f"c_{s + 1}_{j + 1}", multiply(_number(c[j]), inverse)) if c[j] else None
                for j in range(s)
            ]
            right = [
                add(f[i], *(multiply(x, stages[j][i]) for j, x in enumerate(factors) if x is not None))
                for i in size
            ]
            stages.append(solve(cell, right, f"K{s + 1}"))

        cell.section("What the step ends with, and its error")
        new = self._combined(y, _without_zeros(method.m), stages, points)
        new = [cell.let(f"next_{names[i]}", new[i]) for i in size]
        squares = []
        for i in size:
            terms = [multiply(_number(e), stages[s][i]) for s, e in enumerate(method.e) if e]
            scale = add(atol[i], multiply(rtol, Max(sympy.Abs(y[i]), sympy.Abs(new[i]), evaluate=False)))
            ratio = cell.let(f"error_{names[i]}", divide(add(*terms), scale))
            squares.append(multiply(ratio, ratio))
        total = cell.let("squares", cell.total("part_squares", *squares))
        return new, cell.let("error", total / len(names))

    @staticmethod
    def _combined(
        y: list[sympy.Expr],
        weights: tuple[float | Fraction, ...],
        stages: list[list[sympy.Expr]],
        points: list[tuple[tuple[float | Fraction, ...], list[sympy.Expr]]],
    ) -> list[sympy.Expr]:
        """y + sum of weights K, from an earlier point where only its last terms are new."""
        base: tuple[float | Fraction, ...] = ()
        values = y
        for known, point in points:
            if len(known) > len(base) and weights[: len(known)] == known:
                base, values = known, point
        fresh = [(w, stages[j]) for j, w in enumerate(weights) if j >= len(base) and w]
        return [add(values[i], *(multiply(_number(w), K[i]) for w, K in fresh)) for i in range(len(y))]


def _number(value: float | Fraction) -> sympy.Expr:
    fraction = Fraction(value)
    return exact(fraction if fraction.denominator <= 4096 else float(value))


def _without_zeros(row: tuple[float | Fraction, ...]) -> tuple[float | Fraction, ...]:
    """Without those at the end."""
    last = max((n for n, value in enumerate(row, 1) if value), default=0)
    return row[:last]


def _reused(rows: tuple[tuple[float | Fraction, ...], ...], s: int) -> bool:
    """Whether the next stage evaluates f at the same point."""
    return s + 1 < len(rows) and _without_zeros(rows[s + 1]) == _without_zeros(rows[s])
