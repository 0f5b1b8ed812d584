# SPDX-License-Identifier: Apache-2.0
"""The lowest cell: stress and fluxes between the ground and the air, by Monin-Obukhov similarity.

Profiles of C. A. Paulson, J. Appl. Meteor. 9, 857, 1970, and J. A. Businger et al., J. Atmos. Sci. 28, 181,
1971, with the constants of A. J. Dyer, Bound.-Layer Meteor. 7, 363, 1974; zeta = z/L:

    u_* = kappa |U| / [ln(z/z0) - psi(zeta) + psi(zeta z0/z)],   L = -u_*^3 theta_v0 / (kappa g F_v)
    phi = (1 - 16 zeta)^(-1/4) or 1 + 5 zeta for zeta > 0,       |zeta| <= 20

Where the flux F_v of virtual temperature is given, u_*/|U| is a function of z/z0 and of

    Fr = kappa z g F_v / (theta_v0 |U|^3) = -zeta (u_*/|U|)^3

alone: a table on the host, in which kernels interpolate without a logarithm. Cooling beyond some Fr has no
solution; there, and for heating beyond zeta = -20, u_*/|U| keeps its value.

Fluxes are upward, those of momentum negative for a flow along the axis.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan, log, pi, sqrt

import sympy

from heddle.atmosphere.large_eddies.air import Air, number
from heddle.errors import KernelError, calling_place
from heddle.model.equations import Equations, add, divide, multiply, negate, quantity, square_root
from heddle.model.field import Access, Field

Pair = tuple[sympy.Expr, sympy.Expr]
HALF_TABLE = 2048
"""Entries of the table for Fr >= 0, and as many for Fr < 0."""
LEAST_SPEED = 0.1
"""Of the wind, m/s."""
LEAST_FRICTION = 1e-3
"""Of u_* in L, m/s."""
MOST_ZETA = 20.0
_QUARTER, _HALF = sympy.Rational(1, 4), sympy.Rational(1, 2)


# On the host


def psi(zeta: float) -> float:
    """The integral of (1 - phi)/zeta from 0 to zeta."""
    if zeta >= 0:
        return -5 * zeta
    x = sqrt(sqrt(1 - 16 * zeta))
    return 2 * log((1 + x) / 2) + log((1 + x * x) / 2) - 2 * atan(x) + pi / 2


def table(height: float, roughness: float, karman: float = 0.4) -> tuple[list[float], float, float]:
    """u_*/|U| for the height (m) of the middle of the lowest cell and the roughness length (m): 4096 numbers,
    and with them per_warm and per_cold, one over the largest Fr and minus the smallest one: arguments of
    `ratio`.

    Entry n < 2048 belongs to Fr = x^4 / per_warm, x = n/2047, entry 2048 + n to Fr = -(1 - (1 - x)^2) /
    per_cold: entries are close together where u_*/|U| changes most, at 0 and at the end with cooling. Raises
    KernelError unless height > roughness > 0.
    """
    if not height > roughness > 0:
        raise KernelError(
            calling_place(),
            f"the lowest cell's middle, {height} m, is not above a roughness length of {roughness} m.",
            "use 0 < roughness < height",
        )
    logarithm = log(height / roughness)

    def ratio_at(zeta: float) -> float:
        return karman / (logarithm - psi(zeta) + psi(zeta * roughness / height))

    def size_at(zeta: float) -> float:
        return abs(zeta) * ratio_at(zeta) ** 3

    def solved(share: float, end: float) -> float:
        """zeta, between 0 and an end, whose |Fr| is this share of that at the end, by bisection."""
        low, high = 0.0, end
        for _ in range(64):
            middle = (low + high) / 2
            low, high = (middle, high) if size_at(middle) < share * size_at(end) else (low, middle)
        return low

    coldest = min(MOST_ZETA, logarithm / (10 * (1 - roughness / height)))  # beyond it |Fr| falls again
    last = HALF_TABLE - 1
    warm = [solved((n / last) ** 4, -MOST_ZETA) for n in range(last)]
    cold = [solved(1 - (1 - n / last) ** 2, coldest) for n in range(last)]
    zetas = [*warm, -MOST_ZETA, *cold, coldest]
    return [ratio_at(zeta) for zeta in zetas], 1 / size_at(-MOST_ZETA), 1 / size_at(coldest)


# In kernels


def _at(field: Field, x: int, y: int) -> Access:
    """The value in a cell of the same level; of a plane, in a column."""
    return field[x, y] if field.rank == 2 else field[x, y, 0]


def _speed(cell: Equations, name: str, a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
    speed = square_root(add(multiply(a, a), multiply(b, b)))
    return cell.let(name, sympy.Max(number(LEAST_SPEED), speed, evaluate=False))


def _full(wind: sympy.Expr, frame: float | str | sympy.Expr) -> sympy.Expr:
    return add(wind, quantity(frame))


Frame = tuple[float | str | sympy.Expr, float | str | sympy.Expr]


def wind(
    cell: Equations, u: Field, v: Field, frame: Frame = (0, 0)
) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """Emit both components (m/s) in the middle of the cell, and |U|, at least 0.1 m/s.

    u, v: fields on faces, planes of the lowest level or with levels. frame: what is to be added to them.
    """
    a = cell.let("wind_x", _full(multiply(_HALF, add(_at(u, 0, 0), _at(u, 1, 0))), frame[0]))
    b = cell.let("wind_y", _full(multiply(_HALF, add(_at(v, 0, 0), _at(v, 0, 1))), frame[1]))
    return a, b, _speed(cell, "speed", a, b)


def given_stress(cell: Equations, u: Field, v: Field, ustar: sympy.Expr, frame: Frame = (0, 0)) -> Pair:
    """Emit -u_*^2 u/|U| and -u_*^2 v/|U| (m2 s-2) on the faces of u and v; the other component is the mean of
    four, and |U| at least 0.1 m/s. ustar: u_* (m/s)."""
    square = cell.let("ustar2", multiply(ustar, ustar))
    return _stress(cell, u, v, frame, lambda own, speed, _: divide(multiply(square, own), speed))


def bulk_stress(cell: Equations, u: Field, v: Field, drag: Field | sympy.Expr, frame: Frame = (0, 0)) -> Pair:
    """Emit -C |U| u and -C |U| v (m2 s-2) on the faces of u and v.

    drag: C, a number, or a field of C in the middle of cells: then the mean of the two at the face. With a
    roughness length C = (u_*/|U|)^2, the square of `ratio`.
    """

    def term(own: sympy.Expr, speed: sympy.Expr, axis: int) -> sympy.Expr:
        if not isinstance(drag, Field):
            return multiply(drag, speed, own)
        before = _at(drag, -1, 0) if axis == 0 else _at(drag, 0, -1)
        return multiply(_HALF, add(before, _at(drag, 0, 0)), speed, own)

    return _stress(cell, u, v, frame, term)


def _stress(
    cell: Equations, u: Field, v: Field, frame: Frame,
    term: Callable[[sympy.Expr, sympy.Expr, int], sympy.Expr],
) -> Pair:  # fmt: skip
    result = []
    for axis, (own, other) in enumerate(((u, v), (v, u))):
        name = "uv"[axis]
        aside = (-1, 1) if axis == 0 else (1, -1)
        near = cell.let(f"own_{name}", _full(_at(own, 0, 0), frame[axis]))
        # In pairs that lie across the face, so that mirrors have the mirrored bits.
        first = cell.let(f"across_{name}_0", add(_at(other, 0, 0), _at(other, *aside)))
        corners = [(aside[0], 0), (0, aside[1])]
        second = cell.let(f"across_{name}_1", add(*(_at(other, *corner) for corner in corners)))
        mean = _full(multiply(_QUARTER, add(first, second)), frame[1 - axis])
        across = cell.let(f"across_{name}", mean)
        speed = _speed(cell, f"speed_{name}", *((near, across) if axis == 0 else (across, near)))
        result.append(cell.let(f"stress_{name}", negate(term(near, speed, axis))))
    return result[0], result[1]


def virtual_flux(
    cell: Equations, flux_theta: sympy.Expr, flux_q: sympy.Expr, theta: sympy.Expr, q: sympy.Expr,
    air: Air | None = None,
) -> sympy.Expr:  # fmt: skip
    """Emit F_v (K m/s), of virtual potential temperature, from the fluxes of theta (K m/s) and q (m/s)."""
    lightness = number((air or Air()).lightness)
    warm = multiply(flux_theta, add(1, multiply(lightness, q)))
    return cell.let("flux_v", add(warm, multiply(lightness, theta, flux_q)))


def ratio(
    cell: Equations, drag_table: Field, speed: sympy.Expr, flux_v: sympy.Expr, z: sympy.Expr,
    g_over_theta_v: sympy.Expr, per_warm: sympy.Expr, per_cold: sympy.Expr, air: Air | None = None,
) -> sympy.Expr:  # fmt: skip
    """Emit u_*/|U| from the table, linearly between its entries.

    drag_table: `tables("drag: real[4096]")`, with per_warm and per_cold as `table` gives them. speed: |U|
    (m/s). flux_v: F_v (K m/s). z: height of the middle of the lowest cell (m).
    """
    cubed = cell.let("speed3", multiply(multiply(speed, speed), speed))
    heated = divide(multiply(number((air or Air()).karman), z, g_over_theta_v, flux_v), cubed)
    Fr = cell.let("Fr", heated)
    warm = cell.let("warm", sympy.Max(0, multiply(per_warm, Fr), evaluate=False))
    rising = square_root(square_root(sympy.Min(1, warm, evaluate=False)))
    left = cell.let("left", sympy.Max(0, add(1, multiply(per_cold, Fr)), evaluate=False))
    falling = add(1, negate(square_root(left)))
    unstable, last = Fr >= 0, HALF_TABLE - 1
    share = cell.let("share", sympy.Piecewise((rising, unstable), (falling, True)))
    place = cell.let("place", multiply(last, share))
    first = sympy.Min(sympy.floor(place), last - 1, evaluate=False)
    whole = cell.let("whole", first)
    entry = sympy.Symbol("entry", integer=True)
    base = sympy.Piecewise((0, unstable), (HALF_TABLE, True))
    cell.store(entry, add(whole, base))
    low, high = (
        cell.let("ratio_low", drag_table.gather(entry)),
        cell.let("ratio_high", drag_table.gather(entry + 1)),
    )
    part = cell.let("part", add(place, negate(whole)))
    return cell.let("ratio", add(low, multiply(part, add(high, negate(low)))))


def similarity_gradient(
    cell: Equations, components: Pair, speed: sympy.Expr, ustar: sympy.Expr, flux_v: sympy.Expr,
    z: sympy.Expr, g_over_theta_v: sympy.Expr, air: Air | None = None,
) -> Pair:  # fmt: skip
    """Emit du/dz and dv/dz (s-1) in the middle of the lowest cell: u_* phi/(kappa z) u/|U|, for `strain`.

    components, speed: of `wind`. ustar: u_* (m/s); L is that of 1 mm/s at least, so without friction the
    gradients are 0.
    """
    karman = number((air or Air()).karman)
    floor = cell.let("ustar_in_L", sympy.Max(number(LEAST_FRICTION), ustar, evaluate=False))
    cubed = cell.let("ustar3", multiply(multiply(floor, floor), floor))
    free = negate(divide(multiply(karman, z, g_over_theta_v, flux_v), cubed))
    least, most = number(-MOST_ZETA), number(MOST_ZETA)
    zeta = cell.let("zeta", sympy.Min(sympy.Max(free, least, evaluate=False), most, evaluate=False))
    warm = cell.let("zeta_warm", sympy.Min(0, zeta, evaluate=False))
    root = square_root(square_root(add(1, negate(multiply(16, warm)))))
    unstable = cell.let("phi_warm", divide(sympy.Integer(1), root))
    stable = cell.let("phi_cold", add(1, multiply(5, zeta)))
    phi = cell.let("phi", sympy.Piecewise((unstable, zeta < 0), (stable, True)))
    steep = cell.let("steep", divide(multiply(ustar, phi), multiply(karman, z, speed)))
    x, y = (cell.let(f"d{name}dz", multiply(steep, one)) for name, one in zip("uv", components, strict=True))
    return x, y


def bulk(
    speed: sympy.Expr, coefficient: sympy.Expr, at_surface: sympy.Expr, in_air: sympy.Expr
) -> sympy.Expr:
    """The upward flux C |U| (q_s - q) of a scalar (m/s times its unit)."""
    return multiply(coefficient, speed, add(at_surface, negate(in_air)))


def neutral_factor(height: float, roughness: float, reference: float = 20.0) -> float:
    """By which coefficients C for a wind at a reference height (m) are multiplied for another height, with
    neutral logarithmic profiles: [ln(reference/z0) / ln(height/z0)]^2."""
    return float((log(reference / roughness) / log(height / roughness)) ** 2)
