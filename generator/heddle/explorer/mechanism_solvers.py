# SPDX-License-Identifier: Apache-2.0
"""Integrators of a chemical mechanism as variants of a search: Rosenbrock methods in one emitted kernel, with
a step of its own for each cell; and implicit methods of SciPy, which take all cells as one system and call
emitted kernels for the tendency and its Jacobian. They are weighed by the time that an interval takes, and by
how far its end lies from an accurate solution.

Cells lie in a plane; KINDS of them differ, and repeat. Their accurate solution is that of Radau's method in
SciPy, or of Rodas4 where SciPy is not installed, with tolerances a million times smaller.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from heddle import chemistry
from heddle.errors import KernelError, calling_place
from heddle.explorer.memory import library, on_host
from heddle.explorer.methods import Functions, Method, Solve
from heddle.explorer.variants import named
from heddle.ir.schedule import Schedule
from heddle.module import Module
from heddle.python.load import load
from heddle.python.zeros import zeros

KINDS = 9
"""Cells that differ: concentrations lie up to 10 %, temperatures up to 2 % beside those that are given."""
ACCURATE = 1e-6
"""By what tolerances are multiplied for the accurate solution."""
LAYOUTS = ("fields", "rows")
OF_A_CELL = {"step": "f8", "outcome": "i4", "steps": "i8"}


@dataclass(frozen=True)
class Air:
    """What cells hold at first. concentrations: in mol m-3, by species; others are 0. interval: in s. rates:
    host values, by the labels of mechanism.inputs. temperature, pressure: in K, Pa."""

    concentrations: Mapping[str, float]
    interval: float
    relative_tolerance: float = 1e-3
    absolute_tolerance: float = 1e-12
    temperature: float = 298.15
    pressure: float = 101325.0
    rates: Mapping[str, float] = field(default_factory=dict)


def mechanism_solvers(
    mechanism: chemistry.Mechanism,
    air: Air,
    solvers: Sequence[str] = (),
    layouts: Sequence[str] = LAYOUTS[:1],
    accuracy: float = 0.01,
) -> dict[str, Method]:
    """Solvers by names of SOLVERS, by default all that can run here.

    layouts: "fields", one array per species; "rows", in which the rows of all species lie behind each other.
    accuracy: the largest error of a concentration, as a part of the accurate one, with which a solver is
    timed; concentrations below absolute_tolerance / relative_tolerance count as that. Raises KernelError for
    a name that is not known, and for a species or a label that the mechanism does not have, or that lacks.
    """
    _check(mechanism, air)
    problem = Problem(mechanism, air)
    scipy = importlib.util.find_spec("scipy") is not None
    chosen = named(solvers or [n for n, one in SOLVERS.items() if scipy or one.rosenbrock], SOLVERS, "solver")
    if not scipy and not all(one.rosenbrock for one in chosen.values()):
        raise KernelError(calling_place(), "SciPy is not installed.", "pip install scipy, or choose others")
    found = {}
    for layout, by_rows in named(layouts, {"fields": False, "rows": True}, "layout").items():
        for name, solver in chosen.items():
            key = name if layout == LAYOUTS[0] else f"{name}, {layout} of species"
            found[key] = Method(
                solver.kernels(mechanism),
                _Start(solver, problem, by_rows),
                accuracy,
                solver.pace,
                identity=f"{name} {layout} {air!r} {KINDS} {ACCURATE}",
                varied=solver.rosenbrock,
            )
    return found


def _check(mechanism: chemistry.Mechanism, air: Air) -> None:
    for given, known, what in (
        (air.concentrations, mechanism.variable, "species that changes"),
        (air.rates, mechanism.inputs, "rate that the host gives"),
    ):
        for name in given:
            if name not in known:
                raise KernelError(
                    calling_place(),
                    f"'{name}' is no {what} in the mechanism '{mechanism.name}'.",
                    f"choose from: {', '.join(known)}",
                )
    missing = [label for label in mechanism.inputs if label not in air.rates]
    if missing:
        raise KernelError(
            calling_place(),
            f"the mechanism '{mechanism.name}' asks the host for the rate '{missing[0]}'.",
            "give it: Air(..., rates={'" + missing[0] + "': 1e-3})",
        )


@dataclass(frozen=True)
class Problem:
    """Cells of a mechanism in some air."""

    mechanism: chemistry.Mechanism
    air: Air

    def first(self) -> Any:
        """Concentrations [species, kind of cell], in mol m-3."""
        np = library()
        own = [self.air.concentrations.get(name, 0.0) for name in self.mechanism.variable]
        return np.array(own)[:, None] * np.linspace(0.9, 1.1, KINDS)

    @property
    def weight(self) -> float:
        """What concentrations are counted as at least."""
        return self.air.absolute_tolerance / self.air.relative_tolerance

    @cached_property
    def known(self) -> Any:
        """The accurate concentrations [species, kind of cell] at the end."""
        air = replace(
            self.air,
            relative_tolerance=max(self.air.relative_tolerance * ACCURATE, 1e-12),
            absolute_tolerance=self.air.absolute_tolerance * ACCURATE,
        )
        accurate = Problem(self.mechanism, air)
        scipy = importlib.util.find_spec("scipy") is not None
        solver = SOLVERS["SciPy Radau" if scipy else "Rodas4"]
        kernels = load(solver.kernels(self.mechanism), target="cpu")
        functions = {name: getattr(kernels, name) for name in solver.kernels(self.mechanism).kernels}
        cells = Cells(accurate, functions, (KINDS, 1), library(), False)
        solve = solver.on(cells)
        solve.run()
        return on_host(solve.solution).reshape(-1, KINDS).copy()


class Cells:
    """The arrays of a plane of cells. concentration: [species, y, x]."""

    def __init__(
        self, problem: Problem, kernels: Functions, extent: Sequence[int], xp: Any, by_rows: bool
    ) -> None:
        np = library()
        self.problem, self.kernels, self.xp, self.by_rows = problem, kernels, xp, by_rows
        self.shape = tuple(reversed(extent))
        self.kind = np.arange(math.prod(self.shape)).reshape(self.shape) % KINDS
        """Of each cell."""
        self.first = xp.asarray(problem.first()[:, self.kind])
        self.concentration = self.components(len(problem.mechanism.variable))
        self.concentration[...] = self.first
        air = problem.air
        self.given = {
            "temperature": self.filled(air.temperature * np.linspace(0.98, 1.02, KINDS)[self.kind]),
            "pressure": self.filled(np.full(self.shape, air.pressure)),
        }
        labels = problem.mechanism.inputs
        if labels:
            rates = self.components(len(labels))
            for n, label in enumerate(labels):
                rates[n] = air.rates[label]
            self.given["rate_input"] = rates

    def components(self, count: int) -> Any:
        """An array [component, y, x]."""
        if not self.by_rows:
            return zeros((count, *self.shape), "f8", ghosts=0, axes="xy", library=self.xp)
        y, x = self.shape
        return self.xp.zeros((y, count, x)).transpose(1, 0, 2)

    def filled(self, values: Any) -> Any:
        found = zeros(self.shape, values.dtype, ghosts=0, axes="xy", library=self.xp)
        found[...] = self.xp.asarray(values)
        return found

    def apart(self) -> Any:
        """How far concentrations lie from the accurate ones, as a part of these."""
        np = library()
        known = self.problem.known[:, self.kind]
        return np.abs(on_host(self.concentration) - known) / np.maximum(np.abs(known), self.problem.weight)


class _Solve:
    """What all solvers share of `Solve`."""

    def __init__(self, cells: Cells) -> None:
        self.cells, self.solution = cells, cells.concentration

    def reset(self) -> None:
        self.cells.concentration[...] = self.cells.first

    def residual(self) -> float:
        return float(self.cells.apart().max())

    def error(self) -> float:
        return float((self.cells.apart() ** 2).mean() ** 0.5)


@dataclass(frozen=True)
class _Start:
    """What Method.start calls."""

    solver: _Rosenbrock | _SciPy
    problem: Problem
    by_rows: bool

    def __call__(self, kernels: Functions, extent: Sequence[int], dtype: Any, library: Any) -> Solve:
        return self.solver.on(Cells(self.problem, kernels, extent, library, self.by_rows))


def _module(mechanism: chemistry.Mechanism) -> Module:
    """By one name for all solvers, so that results stand in one table."""
    return Module(mechanism.name, precisions=("f64",))


@dataclass(frozen=True)
class _Rosenbrock:
    """One kernel for the whole interval."""

    method: str
    pace = "integrate"
    rosenbrock = True

    def kernels(self, mechanism: chemistry.Mechanism) -> Module:
        module = _module(mechanism)
        solver = chemistry.Rosenbrock(mechanism, self.method, dimensions=2)
        module.add("integrate", solver.integrate(), schedule=Schedule(math="reproducible"))
        return module

    def on(self, cells: Cells) -> Solve:
        own = {name: zeros(cells.shape, kind, ghosts=0, axes="xy", library=cells.xp)
               for name, kind in OF_A_CELL.items()}  # fmt: skip
        air = cells.problem.air

        class Run(_Solve):
            def reset(self) -> None:
                super().reset()
                own["step"][...] = 0

            def run(self) -> int:
                cells.kernels["integrate"](
                    concentration=cells.concentration,
                    interval=air.interval,
                    relative_tolerance=air.relative_tolerance,
                    absolute_tolerance=air.absolute_tolerance,
                    **own,
                    **cells.given,
                )
                return int(own["steps"].max())

            def residual(self) -> float:
                """Infinite where a cell did not reach the end."""
                return math.inf if int(own["outcome"].max()) else super().residual()

        return Run(cells)


@dataclass(frozen=True)
class _SciPy:
    """scipy.integrate.solve_ivp on the host, with one step for all cells, and SuperLU for the matrix, whose
    blocks are the cells."""

    method: str
    pace = "tendency"
    rosenbrock = False

    def kernels(self, mechanism: chemistry.Mechanism) -> Module:
        module = _module(mechanism)
        for name, kernel in (("tendency", chemistry.tendency), ("jacobian", chemistry.jacobian)):
            module.add(name, kernel(mechanism, dimensions=2), schedule=Schedule(math="reproducible"))
        return module

    def on(self, cells: Cells) -> Solve:
        np, xp = library(), cells.xp
        solve_ivp = importlib.import_module("scipy.integrate").solve_ivp
        csc_matrix = importlib.import_module("scipy.sparse").csc_matrix
        mechanism, air, method = cells.problem.mechanism, cells.problem.air, self.method
        places, count = chemistry.jacobian_places(mechanism), math.prod(cells.shape)
        y, rates = cells.components(len(mechanism.variable)), cells.components(len(mechanism.variable))
        entries = cells.components(len(places))
        own = np.arange(count)
        rows, columns = (np.concatenate([place[axis] * count + own for place in places]) for axis in (0, 1))
        size = len(mechanism.variable) * count
        order = csc_matrix((np.arange(1, len(rows) + 1), (rows, columns)), (size, size))
        from_place = order.data - 1

        def tendency(_: float, values: Any) -> Any:
            y[...] = xp.asarray(values.reshape(y.shape))
            cells.kernels["tendency"](concentration=y, tendency=rates, **cells.given)
            return on_host(rates).reshape(-1)

        def jacobian(_: float, values: Any) -> Any:
            y[...] = xp.asarray(values.reshape(y.shape))
            cells.kernels["jacobian"](concentration=y, jacobian=entries, **cells.given)
            data = on_host(entries).reshape(-1)[from_place]
            return csc_matrix((data, order.indices, order.indptr), (size, size))

        class Run(_Solve):
            def run(self) -> int:
                found = solve_ivp(
                    tendency,
                    (0.0, air.interval),
                    on_host(cells.concentration).reshape(-1),
                    method,
                    jac=jacobian,
                    rtol=air.relative_tolerance,
                    atol=air.absolute_tolerance,
                )
                end = found.y[:, -1] if found.success else np.full(size, np.nan)
                cells.concentration[...] = xp.asarray(end.reshape(y.shape))
                return len(found.t) - 1

        return Run(cells)


SOLVERS: Mapping[str, _Rosenbrock | _SciPy] = {
    **{name: _Rosenbrock(name) for name in ("Ros3", "Rodas3", "Rodas4")},
    **{f"SciPy {name}": _SciPy(name) for name in ("BDF", "Radau")},
}
