# SPDX-License-Identifier: Apache-2.0
"""Limiters of fluxes: how much of the difference A = F - L between the flux of high order and that of first
order each face may keep.

"positive-definite" (W. C. Skamarock, Mon. Wea. Rev. 134, 2241, 2006): a cell gives at most what it holds. P
is what it has after the fluxes of first order, O what leaves it with A: s = P / (O + 1e-20) where O > P,
else 1.

"monotone" (S. T. Zalesak, J. Comput. Phys. 31, 335, 1979): besides, no cell leaves the range of its own old
value and those of the cells that it receives from.

Published codes scatter from cells to faces. Here each face takes the factor of the cell that its A leaves
(and of the one that it enters), so that cells are independent: the result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import sympy

from heddle.atmosphere.flow import SIDES, Face
from heddle.model.equations import add, divide, multiply, negate

LIMITERS = ("positive-definite", "monotone")
_LEAST = sympy.Float("1e-20")
"""Keeps divisors from 0."""

Values = Mapping[str, sympy.Expr]
"""A value per face of the current cell, by its name."""
Weights = Sequence[sympy.Expr]
"""Of the differences of fluxes along x, y, z, as masses per flux."""
Part = Callable[[sympy.Expr], sympy.Expr]


def positive(value: sympy.Expr) -> sympy.Expr:
    """The value where it is above 0, else 0."""
    return sympy.Max(0, value, evaluate=False)


def negative(value: sympy.Expr) -> sympy.Expr:
    """The value where it is below 0, else 0."""
    return sympy.Min(0, value, evaluate=False)


def difference(values: Values, axis: int) -> sympy.Expr:
    """The upper less the lower value of an axis."""
    lower, upper = SIDES[axis]
    return add(values[upper], negate(values[lower]))


def weighted(weights: Weights, values: Values) -> sympy.Expr:
    """The sum over the axes of weight times difference: the mass that fluxes take away."""
    return add(*(multiply(weight, difference(values, axis)) for axis, weight in enumerate(weights)))


def leaving(weights: Weights, excess: Values) -> sympy.Expr:
    """O: the mass that the outward ones of these fluxes take away. The weight along z is negative, as are
    upward fluxes."""
    return _one_way(weights, excess, positive, negative)


def entering(weights: Weights, excess: Values) -> sympy.Expr:
    """The mass that the inward ones bring."""
    return negate(_one_way(weights, excess, negative, positive))


def _one_way(weights: Weights, excess: Values, along: Part, against: Part) -> sympy.Expr:
    terms = []
    for axis, weight in enumerate(weights):
        upper, lower = (along, against) if axis < 2 else (against, along)
        first, last = SIDES[axis]
        terms.append(multiply(weight, add(upper(excess[last]), negate(lower(excess[first])))))
    return add(*terms)


def allowed(room: sympy.Expr, wanted: sympy.Expr) -> sympy.Expr:
    """The share of a mass that there is room for: max(0, room / (wanted + 1e-20)), at most 1."""
    share = sympy.Max(0, divide(room, add(wanted, _LEAST)), evaluate=False)
    return sympy.Piecewise((share, wanted > room), (1, True))


def kept(
    face: Face, excess: sympy.Expr, shares: Sequence[Sequence[sympy.Expr]], alike: bool = False
) -> sympy.Expr:
    """The share of A that passes a face. shares: what the cells before and behind the face may give, and, if
    that is limited, what they may take. alike: upper faces ask as the lower ones of the next cells do, which
    differs where A is 0."""
    before, behind = shares[0]
    if len(shares) > 1:
        before = sympy.Min(before, shares[1][1], evaluate=False)
        behind = sympy.Min(behind, shares[1][0], evaluate=False)
    upwards = face.axis == 2
    if face.shift and not alike:
        # The other cell's share only where A comes from there: it may lie beyond a closed face.
        backwards = excess > 0 if upwards else excess < 0
        return sympy.Piecewise((behind, backwards), (before, True))
    forwards = excess < 0 if upwards else excess > 0
    return sympy.Piecewise((before, forwards), (behind, True))
