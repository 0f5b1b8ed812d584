# SPDX-License-Identifier: Apache-2.0
"""Tridiagonal systems along z, solved without a subtraction.

A row is   -lower p[k-1] + (lower + upper + excess) p[k] - upper p[k+1] = -right   with all three >= 0:
a discrete   right = (upper (p[k+1] - p[k]) - lower (p[k] - p[k-1])) - excess p[k]. Textbook pivots lose the
digits of a small excess against lower + upper, which is what long waves live on. Carrying the excess itself
through the elimination (as for M-matrices: Alfa, Xue and Ye, Math. Comp. 71, 2002) adds and multiplies
numbers of one sign only, so that every pivot has all its digits.
"""

from __future__ import annotations

import sympy

from heddle.model.assignment import Assignment, AssignmentCollection, Scan, Section
from heddle.model.field import Field, block_coordinates, block_extents


def eliminate(
    p: Field, ratio: Field, lower: sympy.Expr, upper: sympy.Expr, excess: sympy.Expr
) -> AssignmentCollection:
    """Replace the right-hand side in p by the solution; `ratio` is scratch.

    lower of the first and upper of the last row are 0. Where excess is 0 in all rows the last pivot is 0,
    exactly: the system is singular, and its last unknown becomes 0.
    """
    excess_below, p_below, p_above = sympy.symbols("excess_below p_below p_above")
    row_excess, inverse = sympy.symbols("row_excess inverse")
    upwards = [
        Assignment(row_excess, excess + lower * excess_below),
        Assignment(inverse, _inverse(row_excess + upper)),
        Assignment(ratio.here, upper * inverse),
        Assignment(p.here, (lower * p_below - p.here) * inverse),
    ]
    downwards = [Assignment(p.here, p.here + ratio.here * p_above)]
    return AssignmentCollection(
        [
            Section("Elimination: p[k] = ratio[k] p[k+1] + what p[k] holds now"),
            Scan(
                2,
                {excess_below: 0, p_below: 0},
                upwards,
                {excess_below: row_excess * inverse, p_below: p.here},
            ),
            Section("Substitution"),
            Scan(2, {p_above: 0}, downwards, {p_above: p.here}, reverse=True),
        ]
    )


def eliminate_periodic(
    p: Field, ratio: Field, reach: Field, lower: sympy.Expr, upper: sympy.Expr, excess: sympy.Expr
) -> AssignmentCollection:
    """The same where row 0 follows the last row; `ratio` and `reach` are scratch.

    The last unknown is kept as an unknown: p[k] = reach[k] p[n-1] + ratio[k] p[k+1] + ..., and likewise the
    first unknown. It is the rank-one correction of Sherman and Morrison, arranged so that nothing is
    subtracted.
    """
    last = sympy.Eq(block_coordinates(3)[2], block_extents(3)[2] - 1)
    reach_below, excess_below, p_below, p_above, p_last = sympy.symbols(
        "reach_below excess_below p_below p_above p_last"
    )
    first_ratio, first_excess, first_p = sympy.symbols("first_ratio first_excess first_p")
    kept, row_excess, inverse, row_reach, row_ratio = sympy.symbols(
        "kept row_excess inverse row_reach row_ratio"
    )
    upwards = [
        Assignment(row_excess, excess + lower * excess_below),
        Assignment(kept, sympy.Piecewise((upper * first_excess, last), (upper + lower * reach_below, True))),
        Assignment(inverse, _inverse(row_excess + kept)),
        Assignment(row_reach, sympy.Piecewise((0, last), (lower * reach_below * inverse, True))),
        Assignment(row_ratio, sympy.Piecewise((0, last), (upper * inverse, True))),
        Assignment(reach.here, row_reach),
        Assignment(ratio.here, row_ratio),
        Assignment(
            p.here,
            (lower * p_below - p.here + sympy.Piecewise((upper * first_p, last), (0, True))) * inverse,
        ),
    ]
    carried = {
        reach_below: (1, row_reach),
        excess_below: (0, row_excess * inverse),
        p_below: (0, p.here),
        first_ratio: (1, first_ratio * row_ratio),
        first_excess: (0, first_excess + first_ratio * row_excess * inverse),
        first_p: (0, first_p + first_ratio * p.here),
    }
    downwards = [Assignment(p.here, p.here + reach.here * p_last + ratio.here * p_above)]
    return AssignmentCollection(
        [
            Section("Elimination: p[k] = reach[k] p[n-1] + ratio[k] p[k+1] + what p[k] holds now"),
            Scan(
                2,
                {symbol: start for symbol, (start, _) in carried.items()},
                upwards,
                {symbol: following for symbol, (_, following) in carried.items()},
            ),
            Section("Substitution"),
            Scan(
                2,
                {p_above: 0, p_last: 0},
                downwards,
                {p_above: p.here, p_last: sympy.Piecewise((p.here, last), (p_last, True))},
                reverse=True,
            ),
        ]
    )


def _inverse(pivot: sympy.Expr) -> sympy.Expr:
    """1 / pivot; 0 for the last pivot of a singular system."""
    return sympy.Piecewise((1 / pivot, pivot > 0), (0, True))
