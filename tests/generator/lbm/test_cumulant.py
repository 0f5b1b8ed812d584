# SPDX-License-Identifier: Apache-2.0
"""Cumulant operators against the logarithm of the moment-generating series, cell by cell with NumPy."""

from __future__ import annotations

from itertools import product
from math import factorial
from typing import Any, TypeAlias

import numpy as np
import pytest
import sympy
from heddle import Assignment, lbm
from heddle.errors import KernelError
from test_collision import (
    AXIS,
    MOVING,
    OBLIQUE,
    OMEGA,
    REST,
    collide,
    disturbed,
    state,
    velocities,
    viscosity_ratio,
    weights,
)
from test_lattice import mean_lattice

Array: TypeAlias = Any
BULK = 1.2
HIGH = 1.9  # a rate at which the parameters are usable
D3Q27 = lbm.Lattice("D3Q27")


def times(a: Array, b: Array) -> Array:
    """The product of two power series with powers up to 2 an axis."""
    result = np.zeros_like(a)
    for p in product(range(3), repeat=a.ndim):
        for q in product(*(range(3 - n) for n in p)):
            result[tuple(np.add(p, q))] += a[p] * b[q]
    return result


def logarithm(series: Array) -> Array:
    rest = series.copy()
    rest[(0,) * series.ndim] = 0.0
    power, result = rest, np.zeros_like(rest)
    for n in range(1, 2 * series.ndim + 1):
        result += (-1) ** (n + 1) / n * power
        power = times(power, rest)
    return result


def exponential(series: Array) -> Array:
    one = np.zeros_like(series)
    one[(0,) * series.ndim] = 1.0
    power, result = one, one.copy()
    for n in range(1, 2 * series.ndim + 1):
        power = times(power, series)
        result += power / factorial(n)
    return result


def factorials(d: int) -> Array:
    return np.array([np.prod([factorial(n) for n in p]) for p in product(range(3), repeat=d)]).reshape(
        (3,) * d
    )


def cumulant_step(lattice: lbm.Lattice, f: Array, F: Array, relax: Any) -> Array:
    """Populations -> cumulants C[i, j, k] (times rho) -> relax(C, rho, u) -> populations."""
    d = lattice.dimension
    rho, u = state(lattice, f, F)
    post = np.empty_like(f)
    for n in range(f.shape[1]):
        moving = velocities(lattice) - u[:, n]
        rows = np.array([np.prod(moving ** np.array(p), axis=1) for p in product(range(3), repeat=d)])
        moments = (rows @ f[:, n]).reshape((3,) * d)
        for a in range(d):
            moments[tuple(np.eye(d, dtype=int)[a])] = 0.0  # -F/2: the force is no part of the shape
        cumulants = rho[n] * factorials(d) * logarithm(moments / rho[n] / factorials(d))
        relaxed = relax(cumulants, rho[n], u[:, n])
        moments = rho[n] * factorials(d) * exponential(relaxed / rho[n] / factorials(d))
        for a in range(d):
            moments[tuple(np.eye(d, dtype=int)[a])] = F[a] / 2
        post[:, n] = np.linalg.solve(rows, moments.reshape(-1))
    return post


def second_order(
    C: Array, rho: float, u: Array, galilean: bool = True, omega: float = OMEGA
) -> tuple[Array, Array]:
    """Relaxed second cumulants, and rho times the strain rates D_ab, as published (three dimensions)."""
    w, b = omega, BULK
    new = np.zeros_like(C)
    for p in ((1, 1, 0), (1, 0, 1), (0, 1, 1)):
        new[p] = (1 - w) * C[p]
    xx, yy, zz = C[2, 0, 0], C[0, 2, 0], C[0, 0, 2]
    D_x = -w / (2 * rho) * (2 * xx - yy - zz) - b / (2 * rho) * (xx + yy + zz - rho)
    D_y = D_x + 3 * w / (2 * rho) * (xx - yy)
    D_z = D_x + 3 * w / (2 * rho) * (xx - zz)
    gx, gy, gz = (galilean * v**2 * D for v, D in zip(u, (D_x, D_y, D_z), strict=True))
    x_y = (1 - w) * (xx - yy) - 3 * rho * (1 - w / 2) * (gx - gy)
    x_z = (1 - w) * (xx - zz) - 3 * rho * (1 - w / 2) * (gx - gz)
    trace = b * rho + (1 - b) * (xx + yy + zz) - 3 * rho * (1 - b / 2) * (gx + gy + gz)
    new[2, 0, 0] = (trace + x_y + x_z) / 3
    new[0, 2, 0] = new[2, 0, 0] - x_y
    new[0, 0, 2] = new[2, 0, 0] - x_z
    return new, np.array([D_x, D_y, D_z])


def parametrised(C: Array, rho: float, u: Array, limiter: float | None) -> Array:
    """Orders three and four as published, with the three linear combinations of the fourth solved."""
    new, D = second_order(C, rho, u, omega=HIGH)
    w, b = HIGH, BULK
    w3 = 8 * (w - 2) * (b * (3 * w - 1) - 5 * w) / (8 * (5 - 2 * w) * w + b * (8 + w * (9 * w - 26)))
    w4 = 8 * (w - 2) * (w + b * (3 * w - 7)) / (b * (56 - 42 * w + 9 * w * w) - 8 * w)
    w5 = 24 * (w - 2) * (4 * w * w + w * b * (18 - 13 * w) + b * b * (2 + w * (6 * w - 11)))
    w5 /= (
        16 * w * w * (w - 6)
        - 2 * w * b * (216 + 5 * w * (9 * w - 46))
        + b * b * (w * (3 * w - 10) * (15 * w - 28) - 48)
    )
    below = (w - b) * (b * (2 + 3 * w) - 8 * w)
    A = (4 * w * w + 2 * w * b * (w - 6) + b * b * (w * (10 - 3 * w) - 4)) / below
    B = (4 * w * b * (9 * w - 16) - 4 * w * w - 2 * b * b * (2 + 9 * w * (w - 2))) / (3 * below)
    assert min(w3, w4, w5) > 0
    assert max(w3, w4, w5) < 2

    def relaxed(value: float, rate: float) -> float:
        if limiter is not None:
            rate = rate + (1 - rate) * abs(value) / (rho * limiter + abs(value))
        return (1 - rate) * value

    for p, q in (((1, 2, 0), (1, 0, 2)), ((2, 1, 0), (0, 1, 2)), ((2, 0, 1), (0, 2, 1))):
        total, difference = relaxed(C[p] + C[q], w3), relaxed(C[p] - C[q], w4)
        new[p], new[q] = (total + difference) / 2, (total - difference) / 2
    new[1, 1, 1] = relaxed(C[1, 1, 1], w5)
    h = 1 / w - 0.5
    new[0, 2, 2] = -2 / 3 * h * A * rho * (D[1] + D[2])
    new[2, 0, 2] = -2 / 3 * h * A * rho * (D[0] + D[2])
    new[2, 2, 0] = -2 / 3 * h * A * rho * (D[0] + D[1])
    for p, q in (((2, 1, 1), (0, 1, 1)), ((1, 2, 1), (1, 0, 1)), ((1, 1, 2), (1, 1, 0))):
        new[p] = -1 / 3 * h * B * (-3 * w * C[q])
    return new


def compare(
    operator: lbm.CollisionOperator, expected: Array, zero_centred: bool, F: Array, omega: float = OMEGA
) -> None:
    lattice = operator.lattice
    f, shift = disturbed(lattice), weights(lattice)[:, None] if zero_centred else 0.0
    arguments = {"omega": omega, "b": BULK}
    arguments |= dict(zip(("g_x", "g_y", "g_z"), F, strict=False)) if F.any() else {}
    post = collide(operator, f - shift, zero_centred, **arguments) + shift
    assert post == pytest.approx(expected, abs=2e-15)
    assert post.sum(0) == pytest.approx(f.sum(0), abs=4e-15)
    c = velocities(lattice)
    assert c.T @ post == pytest.approx(c.T @ f + F[:, None], abs=4e-15)


FORCE = np.array([1e-2, -2e-2, 3e-2])


@pytest.mark.parametrize("zero_centred", [True, False])
@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("galilean", [False, True])
def test_all_one(galilean: bool, forced: bool, zero_centred: bool) -> None:
    F = FORCE * forced
    operator = lbm.Cumulant(
        D3Q27, omega_bulk="b", galilean=galilean, force=("g_x", "g_y", "g_z") if forced else None
    )
    expected = cumulant_step(
        D3Q27, disturbed(D3Q27), F, lambda C, rho, u: second_order(C, rho, u, galilean)[0]
    )
    compare(operator, expected, zero_centred, F)


@pytest.mark.parametrize("zero_centred", [True, False])
@pytest.mark.parametrize("limiter", [None, 0.01])
def test_parametrised(limiter: float | None, zero_centred: bool) -> None:
    operator = lbm.ParametrisedCumulant(D3Q27, omega_bulk="b", limiter=limiter, force=("g_x", "g_y", "g_z"))
    expected = cumulant_step(
        D3Q27, disturbed(D3Q27), FORCE, lambda C, rho, u: parametrised(C, rho, u, limiter)
    )
    compare(operator, expected, zero_centred, FORCE, HIGH)


@pytest.mark.parametrize("zero_centred", [True, False])
def test_two_dimensions(zero_centred: bool) -> None:
    """The trace is 2 rho / 3 at rest; div u = -3 omega_bulk (trace - 2 rho / 3) / (2 rho)."""
    lattice = lbm.Lattice("D2Q9")
    F = FORCE[:2]

    def relax(C: Array, rho: float, u: Array) -> Array:
        w, b = OMEGA, BULK
        new = np.zeros_like(C)
        new[1, 1] = (1 - w) * C[1, 1]
        trace, difference = C[2, 0] + C[0, 2], C[2, 0] - C[0, 2]
        divergence = -3 * b / (2 * rho) * (trace - 2 * rho / 3)
        shear = -3 * w / (2 * rho) * difference
        gx, gy = u[0] ** 2 * (divergence + shear) / 2, u[1] ** 2 * (divergence - shear) / 2
        difference = (1 - w) * difference - 3 * rho * (1 - w / 2) * (gx - gy)
        trace = b * 2 * rho / 3 + (1 - b) * trace - 3 * rho * (1 - b / 2) * (gx + gy)
        new[2, 0], new[0, 2] = (trace + difference) / 2, (trace - difference) / 2
        return new

    operator = lbm.Cumulant(lattice, omega_bulk="b", force=("g_x", "g_y"))
    compare(operator, cumulant_step(lattice, disturbed(lattice), F, relax), zero_centred, F)


@pytest.mark.parametrize("operator", [lbm.Cumulant, lbm.ParametrisedCumulant])
def test_a_weak_disturbance_keeps_its_digits(operator: type[lbm.Cumulant]) -> None:
    """Zero-centred: no constants of order one cancel, so the error is a few roundings of the disturbance."""
    noise = 1e-6 * (disturbed(D3Q27) - weights(D3Q27)[:, None])
    post = collide(operator(D3Q27), noise, omega=1.9)
    exact = collide(operator(D3Q27), np.longdouble(noise), omega=1.9)
    assert exact.dtype == np.longdouble
    assert np.max(abs(post - exact)) < 8 * np.finfo(float).eps * np.max(abs(noise))


@pytest.mark.parametrize(
    ("operator", "direction", "u", "expected"),
    [
        (lbm.Cumulant(D3Q27), AXIS, REST, 1.0028),
        (lbm.Cumulant(D3Q27), OBLIQUE, REST, 1.0002),
        (lbm.Cumulant(D3Q27), AXIS, MOVING, 1.0027),
        (lbm.Cumulant(D3Q27), OBLIQUE, MOVING, 0.9995),
        (lbm.Cumulant(D3Q27, galilean=False), OBLIQUE, MOVING, 0.9745),
        (lbm.ParametrisedCumulant(D3Q27, limiter=None), AXIS, REST, 1.00004),
        (lbm.ParametrisedCumulant(D3Q27, limiter=None), OBLIQUE, REST, 0.99999),
        (lbm.ParametrisedCumulant(D3Q27, limiter=None), AXIS, MOVING, 0.9993),
        (lbm.ParametrisedCumulant(D3Q27, limiter=None), OBLIQUE, MOVING, 0.9993),
    ],
)
def test_viscosity_of_the_linearised_operator(
    operator: lbm.Cumulant, direction: tuple[float, ...], u: tuple[float, ...], expected: float
) -> None:
    digits = 1e-5 if u == REST and isinstance(operator, lbm.ParametrisedCumulant) else 2e-4
    assert viscosity_ratio(operator, u, direction) == pytest.approx(expected, abs=digits)


@pytest.mark.parametrize(
    ("omega", "bulk", "usable"),
    [
        (1.8, 1.0, True),
        (1.2, 1.0, True),
        (1.6, 1.0, False),
        (14 / 9, 1.0, False),
        (1.0, 1.0, False),
        (1.9, 1.85, True),
        (1.851, 1.85, False),  # rates within (0, 2), coefficients of the fourth order above 10
    ],
)
def test_parameters_fall_back_to_the_all_one_rates(omega: float, bulk: float, usable: bool) -> None:
    """A rate outside (0, 2), a pole, omega = omega_bulk; the choice is the same for a number and a name."""
    f = disturbed(D3Q27) - weights(D3Q27)[:, None]
    by_name = collide(lbm.ParametrisedCumulant(D3Q27, omega_bulk="b"), f, omega=omega, b=bulk)
    by_number = collide(lbm.ParametrisedCumulant(D3Q27, omega, omega_bulk=bulk), f)
    all_one = collide(lbm.Cumulant(D3Q27, omega_bulk="b"), f, omega=omega, b=bulk)
    assert by_name == pytest.approx(by_number, abs=1e-15)
    assert (abs(by_name - all_one).max() > 1e-6) == usable


def test_totals_have_names_where_two_axes_need_them() -> None:
    """k_xx + 1/3 is needed along y and z; k_yy + 1/3 along z alone, before k_yy gives way to m_yy."""
    symbols = {name: sympy.Symbol(f"f_{name}", real=True) for name in D3Q27.names}
    statements = lbm.Cumulant(D3Q27, OMEGA)(symbols, True).statements
    assigned = [s for s in statements if isinstance(s, Assignment)]
    totals = {s.target.name: s.target for s in assigned if s.target.name.startswith("total_")}
    uses = {name: sum(total in s.value.free_symbols for s in assigned) for name, total in totals.items()}
    both_ways = product(("k_xx", "m_zz"), ("", "_post"))
    assert uses == {f"total_{moment}{suffix}": 2 for moment, suffix in both_ways}


def test_what_has_no_cumulants_is_refused() -> None:
    with pytest.raises(KernelError, match="Cumulant needs all 27 velocities in 3 dimensions; D3Q19 has 19"):
        lbm.Cumulant(lbm.Lattice("D3Q19"))
    with pytest.raises(KernelError, match="Cumulant needs all 27 velocities in 3 dimensions; D3Q7 has 7"):
        lbm.Cumulant(lbm.Lattice("D3Q7"))
    with pytest.raises(KernelError, match="those of D3Q27_mean do not"):
        lbm.Cumulant(mean_lattice())
    with pytest.raises(KernelError, match="Cumulant is defined relative to the velocity j / rho"):
        lbm.Cumulant(D3Q27, compressible=False)
    with pytest.raises(
        KernelError, match="parametrised cumulant operator is defined for D3Q27, not for D2Q9"
    ):
        lbm.ParametrisedCumulant(lbm.Lattice("D2Q9"))
