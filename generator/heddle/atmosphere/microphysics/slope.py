# SPDX-License-Identifier: Apache-2.0
"""Slopes of the size distributions of rain and snow, and the speeds at which these fall (HDC)."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Max, Min

from heddle.atmosphere.constants import FREEZING
from heddle.atmosphere.microphysics.functions import fourth_root, number, only_if, power
from heddle.atmosphere.microphysics.wsm_constants import (
    ALPHA,
    B_R,
    B_S,
    LARGEST_LAMBDA_R,
    LARGEST_LAMBDA_S,
    LARGEST_N0S,
    N0S,
    QCR,
    WsmConstants,
)
from heddle.model.equations import Equations


@dataclass(frozen=True)
class Slope:
    """r = 1/lambda (m) of the distribution; rb = r^b, 0 where there is no water; N, the factor of the
    intercept of snow; colder = T0 - T (K)."""

    r: sympy.Expr
    rb: sympy.Expr
    N: sympy.Expr
    colder: sympy.Expr


def slope(cell: Equations, q: sympy.Expr, rho: sympy.Expr, T: sympy.Expr, c: WsmConstants) -> Slope:
    """Emit the slope of rain (T >= T0) or snow with a mixing ratio q (kg/kg), in air of density rho (kg m-3)
    and temperature T (K)."""
    warm = sympy.Ge(T, number(FREEZING))
    colder = cell.let("colder", number(FREEZING) - T)
    grown = sympy.exp(number(ALPHA) * colder)
    N = cell.let("N", only_if(warm, 1, Min(Max(grown, 1), number(LARGEST_N0S / N0S))))
    C = cell.let("C", only_if(warm, number(c.C_r), number(c.C_s) * N))
    smallest = only_if(warm, number(1 / LARGEST_LAMBDA_R), number(1 / LARGEST_LAMBDA_S))
    r = cell.let("r", only_if(q > number(QCR), fourth_root(q * rho / C), smallest))
    rb = cell.let("rb", only_if(q > 0, power(r, only_if(warm, number(B_R), number(B_S)))))
    return Slope(r, rb, N, colder)


def speed(
    cell: Equations, q: sympy.Expr, rho: sympy.Expr, f: sympy.Expr, T: sympy.Expr, c: WsmConstants
) -> sympy.Expr:
    """Emit the speed vt (m/s) of rain or snow, 0 where there is none. f: sqrt(rho_0/rho)."""
    rb = slope(cell, q, rho, T, c).rb
    warm = sympy.Ge(T, number(FREEZING))
    return cell.let("vt", only_if(warm, number(c.pvtr), number(c.pvts)) * rb * f)
