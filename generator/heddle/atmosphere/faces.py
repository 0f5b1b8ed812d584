# SPDX-License-Identifier: Apache-2.0
"""Values of a quantity on the faces of cells, from the cells around them: centred or upwind-biased.

Order 5 between the cells i-1 and i, for a flow of sign s (L. J. Wicker and W. C. Skamarock, Mon. Wea. Rev.
130, 2088, 2002, equation 4):

    q = [37 (q[i] + q[i-1]) - 8 (q[i+1] + q[i-2]) + (q[i+2] + q[i-3])] / 60
        - s [10 (q[i] - q[i-1]) - 5 (q[i+1] - q[i-2]) + (q[i+2] - q[i-3])] / 60

Order 3 has 7, -1 over 12 and 3, -1 over 12 in their places, and order 2 is the mean of both cells. Orders 6
and 4 are the sums alone. All sums are of pairs that lie alike on both sides of the face, so that a mirrored
flow has the mirrored bits.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy

from heddle.model.equations import Equations, add, local, multiply, negate

ORDERS = (2, 3, 4, 5, 6)
"""What a face value may have."""
_SUMS = {1: (1,), 2: (7, -1), 3: (37, -8, 1)}
"""Pairs of cells -> weights of their sums, from the face outwards, times the denominator."""
_DIFFERENCES = {2: (3, -1), 3: (10, -5, 1)}
_DENOMINATOR = {1: 2, 2: 12, 3: 60}

Cell = Callable[[int], sympy.Expr]
"""The value in the cell that lies so many cells behind the face, counted along the axis; -1: before it."""


def pairs(order: int) -> int:
    """How many cells a value of this order takes on each side of the face."""
    return (order + 1) // 2


def orders_down(order: int) -> tuple[int, ...]:
    """This order and the lower ones that stand in for it near boundaries: 5, 3, 2 or 6, 4, 2."""
    return (*range(order, 2, -2), 2)


class FaceValues:
    """Face values of one kernel.

    divided: the sums have whole weights and are divided by 60 or 12, as in WRF's plain routine; else each
    weight is rounded, 37/60 and so on, as in its limited ones. Both differ in the last bits.
    """

    def __init__(self, equations: Equations, divided: bool) -> None:
        self.equations, self.divided = equations, divided
        self.named: set[str] = set()

    def name_weights(self, order: int) -> None:
        """Name the weights of an order now. The terms of a sum stand in the order in which their factors got
        names: name the weights before all biases, or after all, so that all faces have the same sums."""
        n = pairs(order)
        for m in range(n):
            self._weight(n, m)

    def bias(self, face: str, order: int, positive: sympy.Basic) -> sympy.Expr:
        """The factor of the differences, of the flow's sign; 0 in even orders. positive: that the flow leads
        from the first to the second cell of the face, as a condition."""
        if order % 2 == 0:
            return sympy.Integer(0)
        size = sympy.Integer(1) if self.divided else sympy.Rational(1, _DENOMINATOR[pairs(order)])
        return self.equations.let(f"bias{order}_{face}", sympy.Piecewise((size, positive), (-size, True)))

    def value(self, order: int, cell: Cell, bias: sympy.Expr) -> sympy.Expr:
        """The value on a face."""
        n = pairs(order)
        sums = [add(cell(m), cell(-1 - m)) for m in range(n)]
        terms = []
        for m, weight in enumerate(_SUMS[n]):
            term = multiply(self._weight(n, m), sums[m])
            terms.append(term if weight > 0 else negate(term))
        if order % 2:
            steps = []
            for m, weight in enumerate(_DIFFERENCES[n]):
                ends = (cell(m), cell(-1 - m)) if weight > 0 else (cell(-1 - m), cell(m))
                steps.append(multiply(abs(weight), add(ends[0], negate(ends[1]))))
            terms.append(negate(multiply(bias, add(*steps))))
        whole = add(*terms)
        if not self.divided:
            return whole
        return multiply(whole, sympy.Pow(sympy.Integer(_DENOMINATOR[n]), -1, evaluate=False))

    def _weight(self, n: int, m: int) -> sympy.Expr:
        """The weight of a sum, without its sign, under a name."""
        size = Fraction(abs(_SUMS[n][m]), 1 if self.divided else _DENOMINATOR[n])
        if size == 1:
            return sympy.Integer(1)
        name = f"sum{2 * n}_{m + 1}"
        if name in self.named:
            return local(name)
        self.named.add(name)
        return self.equations.constant(name, size)
