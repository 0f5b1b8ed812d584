# SPDX-License-Identifier: Apache-2.0
"""A x = b with the matrix of Newton's method for Carbon Bond 2005, whose entries are given row by row:
factorise and solve, and both at once."""

import sympy
from heddle import Module, Rows, Schedule, Threads, chemistry
from heddle.chemistry.kernels import CellFields
from heddle.chemistry.sparse_lu import Place, SparseLU
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations

mechanism = chemistry.cb05()


class LinearSystem:
    """The kernels, for cells of a space of so many dimensions."""

    def __init__(self, dimensions: int) -> None:
        fields = CellFields(mechanism, dimensions)
        self.names = names = fields.kinetics.names
        self.lu = SparseLU(len(names), fields.kinetics.pattern)
        places = sorted(fields.kinetics.pattern)
        given = fields.field("matrix", [f"{names[i]}_{n}" for n, (i, _) in enumerate(places)])
        self.factors = fields.field("factor", [f"{names[i]}_{n}" for n, (i, _) in enumerate(self.lu.places)])
        right_side, self.solution = fields.field("right_side", names), fields.field("solution", names)
        self.matrix = {place: given.component(n) for n, place in enumerate(places)}
        self.right = [right_side.component(i) for i in range(len(names))]

    def factorise(self) -> AssignmentCollection:
        cell = Equations()
        number = {place: n for n, place in enumerate(self.lu.places)}

        def keep(place: Place, value: sympy.Expr) -> None:
            cell.store(self.factors.component(number[place]), value)

        self.lu.eliminate_by_rows(cell, self.matrix, self.names, keep)
        return AssignmentCollection(cell.statements)

    def solve(self) -> AssignmentCollection:
        cell = Equations()
        factor = {place: self.factors.component(n) for n, place in enumerate(self.lu.places)}
        return self._stored(cell, self.lu.solve_kept(cell, factor, self.right, self.names))

    def solve_once(self) -> AssignmentCollection:
        cell = Equations()
        return self._stored(cell, self.lu.solve_once(cell, self.matrix, self.right, self.names))

    def _stored(self, cell: Equations, solution: list[sympy.Expr]) -> AssignmentCollection:
        for i, value in enumerate(solution):
            cell.store(self.solution.component(i), value)
        return AssignmentCollection(cell.statements)


KERNELS = ("factorise", "solve", "solve_once")
system = LinearSystem(dimensions=1)
module = Module("cb05_linear", precisions=("f64",))
schedule = Schedule(cpu=Rows(simd=False, parallel=False), gpu=Threads(block=(32, 1, 1)), fma=True)
for name in KERNELS:
    module.add(name, getattr(system, name)(), schedule=schedule)
