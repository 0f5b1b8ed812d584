# SPDX-License-Identifier: Apache-2.0
"""The fields of chemistry kernels, and kernels that evaluate a mechanism once.

    module.add("rates", chemistry.rate_constants(mechanism))
    module.add("tendency", chemistry.tendency(mechanism))
    module.add("jacobian", chemistry.jacobian(mechanism))

| field | | |
|---|---|---|
| `concentration` | a component per unknown, in the order of `mechanism.variable` | mol m-3 |
| `temperature`, `pressure` | of the air | K, Pa |
| `rate_input` | a component per host value, in the order of `mechanism.inputs` | s-1 or mol m-3 s-1 |
"""

from __future__ import annotations

import sympy

from heddle.chemistry.kinetics import Kinetics, code_names
from heddle.chemistry.mechanism import Mechanism
from heddle.chemistry.quantities import PRESSURE, TEMPERATURE
from heddle.errors import KernelError, calling_place
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations
from heddle.model.field import Field, declare
from heddle.model.require import require_object


class CellFields:
    """The fields of a mechanism. dimensions: of the space in which cells lie, 1, 2 or 3."""

    def __init__(self, mechanism: Mechanism, dimensions: int = 3) -> None:
        hint = "chemistry.read(path), or build a chemistry.Mechanism(name)"
        require_object(mechanism, Mechanism, "a mechanism", hint)
        if dimensions not in (1, 2, 3):
            raise KernelError(
                calling_place(), f"dimensions={dimensions!r} of the cells is none of 1, 2, 3.", "dimensions=3"
            )
        self.rank = dimensions
        self.kinetics = Kinetics(mechanism)
        self.concentration = self.field("concentration", self.kinetics.names)
        self.temperature, self.pressure = self.field("temperature"), self.field("pressure")
        labels = mechanism.inputs
        self.rate_input = self.field("rate_input", code_names(labels)) if labels else None
        self.labels = labels

    def field(self, name: str, components: list[str] | None = None, dtype: str = "real") -> Field:
        """Declare a field."""
        names = tuple(components or ())
        result = Field(name, dtype, self.rank, len(names), ghost_layers=0, component_names=names)
        declare([result])
        return result

    def table(self, name: str) -> Field:
        """Declare a table with a number per unknown."""
        result = Field(name, "real", 1, ghost_layers=0, table=len(self.kinetics.names))
        declare([result])
        return result

    def load(self, cell: Equations) -> tuple[list[sympy.Expr], list[sympy.Expr]]:
        """Emit what a cell holds. Returns its concentrations and rate constants."""
        cell.let(TEMPERATURE.name, self.temperature.here)
        cell.let(PRESSURE.name, self.pressure.here)
        inputs = {label: self.host_value(n) for n, label in enumerate(self.labels)}
        k = self.kinetics.rate_constants(cell, inputs)
        return [self.concentration.component(i) for i in range(len(self.kinetics.species))], k

    def host_value(self, n: int) -> sympy.Expr:
        """Of the cell."""
        assert self.rate_input is not None
        return self.rate_input.component(n)


def rate_constants(mechanism: Mechanism, dimensions: int = 3) -> AssignmentCollection:
    """The rate constant of each reaction, times the concentrations of its fixed species, in the components of
    the field `rate_constant`; in mol m-3 and s."""
    found = CellFields(mechanism, dimensions)
    count = len(mechanism.reactions)
    target = found.field("rate_constant", [f"k_{q + 1}" for q in range(count)])
    cell = Equations()
    _, k = found.load(cell)
    for q, value in enumerate(k):
        cell.store(target.component(q), value)
    return AssignmentCollection(cell.statements)


def tendency(mechanism: Mechanism, dimensions: int = 3) -> AssignmentCollection:
    """dy/dt of each species in the components of the field `tendency`, in mol m-3 s-1."""
    found = CellFields(mechanism, dimensions)
    kinetics = found.kinetics
    target = found.field("tendency", kinetics.names)
    cell = Equations()
    y, k = found.load(cell)
    y = [cell.let(f"y_{name}", value) for name, value in zip(kinetics.names, y, strict=True)]
    cell.section("Rates w_q, and f_i = sum over q of nu_iq w_q")
    for i, f in enumerate(kinetics.tendency(cell, kinetics.rates(cell, k, y))):
        cell.store(target.component(i), f)
    return AssignmentCollection(cell.statements)


def jacobian_places(mechanism: Mechanism) -> list[tuple[int, int]]:
    """Rows and columns of the Jacobian that may differ from 0, row by row: the components of `jacobian`."""
    return sorted(Kinetics(mechanism).structure)


def jacobian(mechanism: Mechanism, dimensions: int = 3) -> AssignmentCollection:
    """The derivative of the tendency of one species by the concentration of another (s-1), at the places of
    `jacobian_places`, in the components of the field `jacobian`: for integrators that ask for it."""
    found = CellFields(mechanism, dimensions)
    kinetics, names = found.kinetics, found.kinetics.names
    places = sorted(kinetics.structure)
    target = found.field("jacobian", [f"{names[i]}_by_{names[j]}" for i, j in places])
    cell = Equations()
    y, k = found.load(cell)
    y = [cell.let(f"y_{name}", value) for name, value in zip(names, y, strict=True)]
    entries = kinetics.jacobian(cell, kinetics.partials(cell, k, y))
    cell.section("J_ij = sum over q of nu_iq b_qj")
    for n, place in enumerate(places):
        cell.store(target.component(n), entries[place])
    return AssignmentCollection(cell.statements)
