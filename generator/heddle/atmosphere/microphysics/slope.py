# SPDX-License-Identifier: Apache-2.0
"""Slopes of the size distributions of rain and snow, and the speeds at which these fall (HDC).

q: mixing ratio (kg/kg). rho: density of the air (kg m-3). f: sqrt(rho_0/rho). suffix: of names.
"""

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


def slope(
    cell: Equations, q: sympy.Expr, rho: sympy.Expr, T: sympy.Expr, c: WsmConstants,
    colder: sympy.Expr | None = None, suffix: str = "",
) -> Slope:  # fmt: skip
    """Emit the slope of what is rain (T >= T0) or snow, at a temperature T (K). colder: T0 - T, where that
    has a name. suffix: of names."""
    warm = sympy.Ge(T, number(FREEZING))
    colder = colder or cell.let(f"colder{suffix}", number(FREEZING) - T)
    N = cell.let(f"N{suffix}", only_if(warm, 1, intercept(colder)))
    C = cell.let(f"C{suffix}", only_if(warm, number(c.C_r), number(c.C_s) * N))
    smallest = only_if(warm, number(1 / LARGEST_LAMBDA_R), number(1 / LARGEST_LAMBDA_S))
    r = cell.let(f"r{suffix}", only_if(q > number(QCR), fourth_root(q * rho / C), smallest))
    rb = cell.let(f"rb{suffix}", only_if(q > 0, power(r, only_if(warm, number(B_R), number(B_S)))))
    return Slope(r, rb, N, colder)


def speed(
    cell: Equations, q: sympy.Expr, rho: sympy.Expr, f: sympy.Expr, T: sympy.Expr, c: WsmConstants
) -> sympy.Expr:
    """Emit the speed vt (m/s) of what is rain or snow, 0 where there is none. Its names are its own: operands
    stand in the order in which a kernel first names them, and those of rates shall have one order in each."""
    rb = slope(cell, q, rho, T, c, suffix="_fall").rb
    warm = sympy.Ge(T, number(FREEZING))
    return cell.let("vt", only_if(warm, number(c.pvtr), number(c.pvts)) * rb * f)


def intercept(colder: sympy.Expr) -> sympy.Expr:
    """N, by which the intercept of snow is larger than at T0 (HDC 6). colder: T0 - T (K)."""
    return Min(Max(sympy.exp(number(ALPHA) * colder), 1), number(LARGEST_N0S / N0S))


def size_of_rain(q: sympy.Expr, rho: sympy.Expr, c: WsmConstants) -> sympy.Expr:
    """r = 1/lambda (m) of rain."""
    return only_if(q > number(QCR), fourth_root(q * rho / number(c.C_r)), number(1 / LARGEST_LAMBDA_R))


def rain(
    cell: Equations, q: sympy.Expr, rho: sympy.Expr, c: WsmConstants, suffix: str
) -> tuple[sympy.Expr, sympy.Expr]:
    """Emit r (m) and rb = r^b of rain; rb = 0 where there is none."""
    r = cell.let(f"r{suffix}", size_of_rain(q, rho, c))
    return r, cell.let(f"rb{suffix}", only_if(q > 0, power(r, number(B_R))))


def snow(
    cell: Equations, q: sympy.Expr, rho: sympy.Expr, colder: sympy.Expr, c: WsmConstants, suffix: str
) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """Emit r (m), rb = r^b and N of snow; rb = 0 and N = 1 where there is none. colder: T0 - T (K).

    Its density has a name: factors of one product stand in the order in which a kernel first names them, and
    r shall have the same bits in each.
    """
    N = cell.let(f"N{suffix}", only_if(q > 0, intercept(colder), 1))
    density = cell.let(f"density{suffix}", q * rho)
    size = fourth_root(density / (number(c.C_s) * N))
    r = cell.let(f"r{suffix}", only_if(q > number(QCR), size, number(1 / LARGEST_LAMBDA_S)))
    return r, cell.let(f"rb{suffix}", only_if(q > 0, power(r, number(B_S)))), N


def rain_speed(
    cell: Equations, q: sympy.Expr, rho: sympy.Expr, f: sympy.Expr, c: WsmConstants, suffix: str
) -> sympy.Expr:
    """Emit the speed vt (m/s) of rain, 0 where there is none."""
    return cell.let(f"vt{suffix}", number(c.pvtr) * rain(cell, q, rho, c, suffix)[1] * f)


def snow_speed(
    cell: Equations, q: sympy.Expr, rho: sympy.Expr, f: sympy.Expr, colder: sympy.Expr, c: WsmConstants,
    suffix: str,
) -> sympy.Expr:  # fmt: skip
    """Emit the speed vt (m/s) of snow, 0 where there is none. colder: T0 - T (K)."""
    return cell.let(f"vt{suffix}", number(c.pvts) * snow(cell, q, rho, colder, c, suffix)[1] * f)
