# SPDX-License-Identifier: Apache-2.0
"""Kernels that an implicit integrator of another library, such as CVODE, calls for a cell: f, and a linear
solver for Newton's method with the structure of the mechanism.

    kernels = chemistry.NewtonKernels(mechanism)
    for name in ("rate_constants", "tendency", "factorise", "solve"):
        module.add(name, getattr(kernels, name)(), schedule=Schedule(cpu=Rows(simd=False, parallel=False)))

Newton's matrix is I - gamma J; gamma (s) is the integrator's step times a coefficient of its method.
"""

from __future__ import annotations

import sympy

from heddle.chemistry.kernels import CellFields
from heddle.chemistry.mechanism import Mechanism
from heddle.chemistry.sparse_lu import LUCost, Place, SparseLU
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations, Scalar, add, multiply, quantity


class NewtonKernels:
    """dimensions: of the space in which cells lie.

    | field | components | |
    |---|---|---|
    | `concentration`, `tendency` | one per unknown, as in `mechanism.variable` | mol m-3, mol m-3 s-1 |
    | `rate_constant` | one per reaction, as `chemistry.rate_constants` gives them | mol m-3, s |
    | `factor` | one per entry of L and U, and 1/u_ii: `cost.entries`, in the order of `lu.places` | |
    | `right_side`, `solution` | one per unknown | |

    Raises KernelError for what is no mechanism, and for dimensions other than 1, 2 and 3.
    """

    def __init__(self, mechanism: Mechanism, dimensions: int = 1) -> None:
        self.mechanism = mechanism
        self.fields = CellFields(mechanism, dimensions)
        kinetics = self.fields.kinetics
        self.lu = SparseLU(len(kinetics.species), kinetics.pattern)
        reactions = [f"k_{q + 1}" for q in range(len(mechanism.reactions))]
        places = [f"{kinetics.names[i]}_{n}" for n, (i, _) in enumerate(self.lu.places)]
        self.rate_constant = self.fields.field("rate_constant", reactions)
        self.tendencies = self.fields.field("tendency", kinetics.names)
        self.factors = self.fields.field("factor", places)
        self.right_side = self.fields.field("right_side", kinetics.names)
        self.solution = self.fields.field("solution", kinetics.names)

    @property
    def cost(self) -> LUCost:
        """Of a factorisation and a solution."""
        return self.lu.cost

    def rate_constants(self) -> AssignmentCollection:
        """The rate constants from temperature, pressure and host values: they hold for a whole interval."""
        cell = Equations()
        _, k = self.fields.load(cell)
        for q, value in enumerate(k):
            cell.store(self.rate_constant.component(q), value)
        return AssignmentCollection(cell.statements)

    def tendency(self) -> AssignmentCollection:
        """f(y) from concentrations and rate constants."""
        kinetics = self.fields.kinetics
        cell = Equations()
        y, k = self._load(cell)
        cell.section("Rates w_q, and f_i = sum over q of nu_iq w_q")
        for i, f in enumerate(kinetics.tendency(cell, kinetics.rates(cell, k, y))):
            cell.store(self.tendencies.component(i), f)
        return AssignmentCollection(cell.statements)

    def factorise(self, gamma: Scalar = "gamma") -> AssignmentCollection:
        """L, U and 1/u_ii of I - gamma J(y). gamma: in s. Pivots are not chosen by their size: where one
        is 0, entries are not finite. Raises KernelError where gamma is no quantity."""
        kinetics = self.fields.kinetics
        cell = Equations()
        y, k = self._load(cell)
        step = quantity(gamma)
        partials = kinetics.partials(cell, k, y)
        cell.section("I - gamma J")
        matrix = {}
        for (i, j), value in kinetics.jacobian(cell, partials, sign=-1).items():
            matrix[i, j] = multiply(step, value)
        for i in range(len(kinetics.names)):
            matrix[i, i] = add(sympy.Integer(1), matrix[i, i]) if (i, i) in matrix else sympy.Integer(1)
        number = {place: n for n, place in enumerate(self.lu.places)}

        def keep(place: Place, value: sympy.Expr) -> None:
            cell.store(self.factors.component(number[place]), value)

        self.lu.eliminate_by_rows(cell, matrix, kinetics.names, keep)
        return AssignmentCollection(cell.statements)

    def solve(self) -> AssignmentCollection:
        """x of L U x = b."""
        names = self.fields.kinetics.names
        cell = Equations()
        cell.section(f"L z = b and U x = z: {self.cost.solve} operations")
        factor = {place: self.factors.component(n) for n, place in enumerate(self.lu.places)}
        right = [self.right_side.component(i) for i in range(len(names))]
        for i, value in enumerate(self.lu.solve_kept(cell, factor, right, names)):
            cell.store(self.solution.component(i), value)
        return AssignmentCollection(cell.statements)

    def _load(self, cell: Equations) -> tuple[list[sympy.Expr], list[sympy.Expr]]:
        """The concentrations and rate constants of a cell."""
        names = self.fields.kinetics.names
        y = [cell.let(f"y_{name}", self.fields.concentration.component(i)) for i, name in enumerate(names)]
        count = len(self.mechanism.reactions)
        return y, [cell.let(f"k_{q + 1}", self.rate_constant.component(q)) for q in range(count)]
