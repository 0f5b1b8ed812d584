# SPDX-License-Identifier: Apache-2.0
"""A x = b with the matrix of Newton's method for Carbon Bond 2005, whose entries are given row by row:
factorise and solve, and both at once."""

from heddle import Module, Rows, Schedule, Threads, chemistry
from heddle.chemistry.kernels import CellFields
from heddle.chemistry.sparse_lu import SparseLU
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations

fields = CellFields(chemistry.cb05(), dimensions=1)
names = fields.kinetics.names
lu = SparseLU(len(names), fields.kinetics.pattern)
places = sorted(fields.kinetics.pattern)
given = fields.field("matrix", [f"{names[i]}_{n}" for n, (i, _) in enumerate(places)])
factors = fields.field("factor", [f"{names[i]}_{n}" for n, (i, _) in enumerate(lu.places)])
right_side, solution = fields.field("right_side", names), fields.field("solution", names)
matrix = {place: given.component(n) for n, place in enumerate(places)}
right = [right_side.component(i) for i in range(len(names))]


def factorise() -> AssignmentCollection:
    cell = Equations()
    found = lu.eliminate(cell, matrix, names)
    for n, place in enumerate(lu.places):
        cell.store(factors.component(n), found[place])
    return AssignmentCollection(cell.statements)


def solve() -> AssignmentCollection:
    cell = Equations()
    factor = {place: factors.component(n) for n, place in enumerate(lu.places)}
    for i, value in enumerate(lu.substitute(cell, factor, right, names, "x")):
        cell.store(solution.component(i), value)
    return AssignmentCollection(cell.statements)


def solve_once() -> AssignmentCollection:
    cell = Equations()
    for i, value in enumerate(lu.solve_once(cell, matrix, right, names)):
        cell.store(solution.component(i), value)
    return AssignmentCollection(cell.statements)


module = Module("cb05_linear", precisions=("f64",))
schedule = Schedule(cpu=Rows(simd=False, parallel=False), gpu=Threads(block=(64, 1, 1)), math="reproducible")
for kernel in (factorise, solve, solve_once):
    module.add(kernel.__name__, kernel(), schedule=schedule)
