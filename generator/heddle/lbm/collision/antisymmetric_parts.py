# SPDX-License-Identifier: Apache-2.0
"""What populations made of a momentum carry of it: 3 w_q c_q.j, in all exactly j.

A third is no number of any precision, so rounded factors 3 w_q never add up to 1: weights times 3 give 1 +
7e-9 in f32, and where populations are made of a momentum in each step it grows by as much. Rounded factors
that do add up to 1 are not enough: products with a third leave three remainders, whose roundings do not
cancel. So the class of directions with the smallest part carries what the rounded products of the others
leave: with n the sum of c_a^2 over its directions, (j_a - Q j_a) / n each, Q the part of the others. Their
products are one number times powers of two, Q is at least 1/2, so that the difference is exact, and n is a
power of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy

from heddle.lbm.lattice import CLASSES, Lattice
from heddle.model.equations import Equations, add, multiply, negate, signed


class AntisymmetricParts:
    """3 w_q c_q.j of directions by their order, whose sum with c_q over a lattice is exactly j.

    It is so on D2Q9, D3Q15, D3Q19 and D3Q27; for weights of a user's own that are several numbers, to their
    rounding.
    """

    def __init__(self, equations: Equations, lattice: Lattice) -> None:
        """Name the factors `slope_edge` ... and `elsewhere`, the part Q."""
        self.equations = equations
        slopes = {order: 3 * weight for order, weight in lattice.class_weights.items() if order}
        along = dict.fromkeys(slopes, 0)
        for q, c in enumerate(lattice.velocities[1:], 1):
            along[lattice.order(q)] += c[0] ** 2
        self.smallest = min(slopes, key=lambda order: along[order] * slopes[order])  # the smallest part
        self.share = Fraction(1, along[self.smallest])
        self.slopes = {
            order: equations.constant("slope_" + CLASSES[order], slope)
            for order, slope in slopes.items()
            if order != self.smallest
        }
        self.elsewhere = equations.constant("elsewhere", 1 - slopes[self.smallest] * along[self.smallest])
        self.named: dict[sympy.Symbol, sympy.Expr] = {}

    def of(self, order: int, along: Sequence[tuple[int, sympy.Symbol]]) -> sympy.Expr:
        """The odd half of a direction. along: the sign of c_a, and the name of j_a, of each axis it moves
        along."""
        if order != self.smallest:
            return add(*(signed(sign, multiply(self.slopes[order], j)) for sign, j in along))
        return multiply(self.share, add(*(signed(sign, self._remainder(j)) for sign, j in along)))

    def _remainder(self, j: sympy.Symbol) -> sympy.Expr:
        """What the others leave of j_a."""
        if j not in self.named:
            less = multiply(self.elsewhere, j)
            self.named[j] = self.equations.let(f"left_{j.name}", add(j, negate(less)))
        return self.named[j]
