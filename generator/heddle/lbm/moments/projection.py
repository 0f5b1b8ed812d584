# SPDX-License-Identifier: Apache-2.0
"""Weighted-orthogonal moments: a monomial less its projection on the monomials of lower order.

With the lattice weights as scalar product <a, b> = sum_q w_q a(c_q) b(c_q), such a moment of the second-order
equilibrium is 0 above second order. On D2Q9 and D3Q27 they are the Hermite polynomials, x x y - y / 3; on
D3Q19 x x y y - (x x + y y) / 3 + z z / 6 + 1 / 18. Moments of one order share a rate, so their choice among
themselves does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache

import sympy

from heddle.lbm.lattice import Lattice
from heddle.lbm.moments.moment_space import Powers, letters, monomials
from heddle.model.equations import Equations, add, multiply


@cache
def projection(lattice: Lattice, powers: Powers) -> Mapping[Powers, Fraction]:
    """Coefficients of the lower monomials in the projection of c^powers on them, exactly."""
    parity = [power % 2 for power in powers]
    lower = [
        other
        for other, lowest in monomials(lattice).items()
        if other == lowest and sum(other) < sum(powers) and _meets(lattice, other, powers, parity)
    ]
    matrix = [[_product(lattice, a, b) for b in lower] + [_product(lattice, a, powers)] for a in lower]
    return {other: value for other, value in zip(lower, _solve(matrix), strict=True) if value}


def _meets(lattice: Lattice, other: Powers, powers: Powers, parity: Sequence[int]) -> bool:
    """Monomials of another parity are orthogonal, except where the lattice makes them the same."""
    return [power % 2 for power in other] == parity or bool(_product(lattice, other, powers))


def _product(lattice: Lattice, a: Powers, b: Powers) -> Fraction:
    return lattice.moment(tuple(i + j for i, j in zip(a, b, strict=True)))


def _solve(matrix: list[list[Fraction]]) -> list[Fraction]:
    """The solution of a small regular system, given with its right side as last column."""
    size = len(matrix)
    for column in range(size):
        pivot = next(row for row in range(column, size) if matrix[row][column])
        matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        matrix[column] = [value / matrix[column][column] for value in matrix[column]]
        for row in range(size):
            if row != column and matrix[row][column]:
                factor = matrix[row][column]
                matrix[row] = [a - factor * b for a, b in zip(matrix[row], matrix[column], strict=True)]
    return [row[size] for row in matrix]


def projected(
    equations: Equations,
    coefficients: Mapping[Powers, Fraction],
    moments: Mapping[Powers, sympy.Expr],
    name: str,
) -> sympy.Expr:
    """The sum of coefficient times moment; moments of one coefficient are added first, and named."""
    groups: dict[Fraction, list[Powers]] = {}
    for powers, coefficient in coefficients.items():
        groups.setdefault(coefficient, []).append(powers)
    terms = []
    for coefficient, members in groups.items():
        label = "_".join([name, "sum", letters(members[0])]).rstrip("_")
        terms.append(multiply(coefficient, equations.let(label, add(*(moments[m] for m in members)))))
    return add(*terms)
