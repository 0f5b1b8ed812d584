# SPDX-License-Identifier: Apache-2.0
"""Saturation over water, and the adjustment of cloud water to it, without exp, log or pow.

So results have the same bits on all machines. Saturation pressure: a polynomial of degree 8 in degrees
Celsius (P. J. Flatau, R. L. Walko and W. R. Cotton, J. Appl. Meteor. 31, 1507, 1992). Below -80 C it keeps
the value there.

Adjustment: with T_l = Pi theta_l and total water q, the temperature of air with cloud water solves

    f(T) = T - T_l - (Lv/cp) (q - q_s(T, p)) = 0.

f rises and is convex. Newton's method starts at T_l, where f < 0; its first step leads to f >= 0, and from
there it comes down to the solution without passing it. Four steps leave an error below 2e-8 K up to 5 g/kg.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from heddle.atmosphere.large_eddies.air import Air, number
from heddle.model.assignment import While
from heddle.model.equations import Equations, add, divide, local, multiply, negate

FLATAU = (
    610.5851, 44.40316, 1.430341, 2.641412e-2, 2.995057e-4, 2.031998e-6, 6.936113e-9, 2.564861e-12,
    -3.704404e-15,
)  # fmt: skip
"""Coefficients of the saturation pressure over water, Pa K-n."""
COLDEST = -80
"""Degrees Celsius below which the pressure stays what it is here."""
STEPS = 4
"""Of Newton's method, always."""


@dataclass(frozen=True)
class Adjusted:
    """T: temperature, K. q_c: cloud water, kg/kg, 0 where air is not saturated. q_s: saturation specific
    humidity at T, kg/kg."""

    T: sympy.Expr
    q_c: sympy.Expr
    q_s: sympy.Expr


def vapour_pressure(cell: Equations, T: sympy.Expr, suffix: str = "") -> tuple[sympy.Expr, sympy.Expr]:
    """Emit the saturation pressure over water (Pa) at T (K), and its derivative (Pa K-1)."""
    shifted = add(T, negate(sympy.Float(273.15)))
    celsius = cell.let(f"celsius{suffix}", sympy.Max(shifted, COLDEST, evaluate=False))
    slopes = [n * value for n, value in enumerate(FLATAU)][1:]
    return (
        cell.let(f"e_s{suffix}", _horner(FLATAU, celsius)),
        cell.let(f"de_s{suffix}", _horner(slopes, celsius)),
    )


def _horner(coefficients: tuple[float, ...] | list[float], x: sympy.Expr) -> sympy.Expr:
    value = number(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = add(number(coefficient), multiply(x, value))
    return value


def saturation(
    cell: Equations, T: sympy.Expr, p: sympy.Expr, air: Air | None = None, suffix: str = ""
) -> tuple[sympy.Expr, sympy.Expr]:
    """Emit the saturation specific humidity q_s = eps e_s / (p - (1 - eps) e_s) (kg/kg) at T (K) and the
    pressure p (Pa), and its derivative by T (K-1)."""
    eps = (air or Air()).molecular_ratio
    e, slope = vapour_pressure(cell, T, suffix)
    room = add(p, negate(multiply(number(1 - eps), e)))
    inverse = cell.let(f"per_dry{suffix}", divide(sympy.Integer(1), room))
    share = cell.let(f"share{suffix}", multiply(number(eps), inverse))
    q_s = cell.let(f"q_s{suffix}", multiply(share, e))
    return q_s, cell.let(f"dq_s{suffix}", multiply(share, multiply(p, inverse), slope))


def adjust(
    cell: Equations,
    theta_l: sympy.Expr,
    q: sympy.Expr,
    p: sympy.Expr,
    Pi: sympy.Expr,
    air: Air | None = None,
    suffix: str = "",
    loop: bool = False,
) -> Adjusted:
    """Emit the temperature and the cloud water of air with the liquid water potential temperature theta_l (K)
    and the total water q (kg/kg), at the pressure p (Pa) with the Exner function Pi.

    loop: as a loop that only cells with cloud water enter, which warps of a GPU and strips of a CPU without
    any pass over; else in a straight line. Both have the same bits. suffix: of all names.
    """
    air = air or Air()
    T_l = cell.let(f"T_l{suffix}", multiply(Pi, theta_l))
    first, slope = saturation(cell, T_l, p, air, f"_l{suffix}")
    saturated = q > first
    if loop:
        T, q_s = _looped(cell, T_l, first, q, p, air, suffix, saturated)
    else:
        T, q_s = T_l, first
        for step in range(1, STEPS + 1):
            T = cell.let(f"T_{step}{suffix}", _newton(T, T_l, q, q_s, slope, air))
            q_s, slope = saturation(cell, T, p, air, f"_{step}{suffix}")
        T = cell.let(f"T{suffix}", sympy.Piecewise((T, saturated), (T_l, True)))
        q_s = cell.let(f"q_s{suffix}", sympy.Piecewise((q_s, saturated), (first, True)))
    excess = cell.let(f"excess{suffix}", sympy.Max(0, add(q, negate(q_s)), evaluate=False))
    q_c = cell.let(f"q_c{suffix}", sympy.Piecewise((excess, saturated), (0, True)))
    return Adjusted(T, q_c, q_s)


def _newton(
    T: sympy.Expr, T_l: sympy.Expr, q: sympy.Expr, q_s: sympy.Expr, slope: sympy.Expr, air: Air
) -> sympy.Expr:
    """The next temperature."""
    warming = number(air.warming)
    f = add(T, negate(T_l), negate(multiply(warming, add(q, negate(q_s)))))
    return add(T, negate(divide(f, add(1, multiply(warming, slope)))))


def _looped(
    cell: Equations, T_l: sympy.Expr, first: sympy.Expr, q: sympy.Expr, p: sympy.Expr, air: Air, suffix: str,
    saturated: sympy.Basic,
) -> tuple[sympy.Expr, sympy.Expr]:  # fmt: skip
    """The temperature and its saturation specific humidity by a loop, of which the last round only finds the
    latter; T_l and `first` where nothing condenses."""
    T, q_s, left = local(f"T{suffix}"), local(f"q_s{suffix}"), local(f"rounds{suffix}")
    body = Equations(fields=cell.taken)
    found, slope = saturation(body, T, p, air, f"_n{suffix}")
    step = body.let(f"T_step{suffix}", _newton(T, T_l, q, found, slope, air))
    next_T = body.let(f"T_n{suffix}", sympy.Piecewise((step, left > 1), (T, True)))
    rounds = sympy.Piecewise((STEPS + 1, saturated), (0, True))
    cell.statements.append(
        While(
            left > 0,
            {T: T_l, q_s: first, left: rounds},
            body.statements,
            {T: next_T, q_s: found, left: left - 1},
            at_most=STEPS + 1,
        )
    )
    return T, q_s
