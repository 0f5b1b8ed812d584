# SPDX-License-Identifier: Apache-2.0
"""What follows from the ends of a direction, against the difference equation and the published table."""

from __future__ import annotations

import itertools

import pytest
import sympy
from heddle.solvers.poisson import Direction, is_singular

N, D, P = "neumann", "dirichlet", "periodic"

TABLE = {  # location and ends: forward, inverse, eigenvalue of mode l of n unknowns at spacing 1
    ("centre", P, P): ("dft", "dft", "4*sin(pi*l/n)**2"),
    ("face", P, P): ("dft", "dft", "4*sin(pi*l/n)**2"),
    ("centre", N, N): ("dct2", "dct3", "4*sin(pi*l/(2*n))**2"),
    ("centre", D, D): ("dst2", "dst3", "4*sin(pi*(l + 1)/(2*n))**2"),
    ("centre", N, D): ("dct4", "dct4", "4*sin(pi*(2*l + 1)/(4*n))**2"),
    ("centre", D, N): ("dst4", "dst4", "4*sin(pi*(2*l + 1)/(4*n))**2"),
    ("face", N, N): ("dct1", "dct1", "4*sin(pi*l/(2*(n - 1)))**2"),
    ("face", D, D): ("dst1", "dst1", "4*sin(pi*(l + 1)/(2*(n + 1)))**2"),
    ("face", N, D): ("dct3", "dct2", "4*sin(pi*(2*l + 1)/(4*n))**2"),
    ("face", D, N): ("dst3", "dst2", "4*sin(pi*(2*l + 1)/(4*n))**2"),
}


@pytest.mark.parametrize("row", TABLE)
def test_the_published_table(row: tuple[str, str, str]) -> None:
    location, lower, upper = row
    forward, inverse, eigenvalue = TABLE[row]
    n, mode = sympy.symbols("n l", positive=True)
    direction = Direction(n, 1, lower, upper, location)
    assert (direction.transform.forward, direction.transform.inverse) == (forward, inverse)
    expected = sympy.sympify(eigenvalue, {"n": n, "l": mode})
    assert sympy.simplify(direction.eigenvalue(mode) - expected) == 0
    assert direction.eigenvalue(mode).has(sympy.cos) is False


def matrix(direction: Direction) -> sympy.Matrix:
    """Minus the second difference at spacing 1, from the two ends: what lies beyond is mirrored."""
    n = int(direction.unknowns)
    rows = sympy.zeros(n, n)
    for k, step in itertools.product(range(n), (-1, 1)):
        rows[k, k] += 1
        to, end = k + step, direction.lower if step < 0 else direction.upper
        if 0 <= to < n:
            rows[k, to] -= 1
        elif end == P:
            rows[k, to % n] -= 1
        elif direction.location == "centre":
            rows[k, k] -= 1 if end == N else -1
        elif end == N:
            rows[k, k - step] -= 1
    return rows


@pytest.mark.parametrize("n", [4, 5])
@pytest.mark.parametrize("row", TABLE)
def test_eigenfunctions_solve_the_difference_equation(row: tuple[str, str, str], n: int) -> None:
    location, lower, upper = row
    direction = Direction(n, 1, lower, upper, location)
    operator = matrix(direction)
    for mode in range(n):
        values = sympy.Matrix([direction.eigenfunction(mode, k) for k in range(n)])
        residual = operator * values - direction.eigenvalue(mode) * values
        assert max(abs(entry) for entry in residual.evalf(30)) < 1e-25, mode
        assert any(abs(entry) > 0.1 for entry in values.evalf(30))


@pytest.mark.parametrize("row", TABLE)
def test_the_factor_is_that_of_the_pair(row: tuple[str, str, str]) -> None:
    """Fourier sums over the mirrored line: twice its length between mirrors, or the period."""
    location, lower, upper = row
    n = 5
    direction = Direction(n, 1, lower, upper, location)
    period = n if lower == P else 2 * {"centre": n, "face": n + int(lower == D) - int(upper == N)}[location]
    assert direction.transform.factor == period


def test_boundary_values_reach_the_right_hand_side() -> None:
    """p = 1 + 2 x + 3 x^2 has second difference 6, with what its boundary values put into the end rows."""
    x = sympy.Symbol("x")
    p = 1 + 2 * x + 3 * x**2
    h, n = sympy.Rational(1, 4), 4
    for location, lower, upper in itertools.product(("centre", "face"), (N, D), (N, D)):
        if (location, lower, upper) == ("centre", D, D) or (location == "centre" and D in (lower, upper)):
            continue  # mirrored values are of second order only, tested in tests/kernels/poisson
        first = h / 2 if location == "centre" else (h if lower == D else 0)
        nodes = [first + h * k for k in range(n)]
        ends = (first - (h / 2 if location == "centre" else h * int(lower == D)),
                nodes[-1] + (h / 2 if location == "centre" else h * int(upper == D)))  # fmt: skip
        slope = sympy.diff(p, x)
        values = (
            p.subs(x, ends[0]) if lower == D else -slope.subs(x, ends[0]),
            p.subs(x, ends[1]) if upper == D else slope.subs(x, ends[1]),
        )
        direction = Direction(n, h, lower, upper, location, values)
        left, right = direction.lift()
        second = -matrix(direction) * sympy.Matrix([p.subs(x, node) for node in nodes]) / h**2
        second[0] += left
        second[n - 1] += right
        assert list(second) == [6] * n, (location, lower, upper)


def test_which_problems_are_singular() -> None:
    free, held = Direction(4, 1, N, N), Direction(4, 1, N, D)
    assert is_singular([Direction(4, 1), free, free])
    assert not is_singular([free, held])
    assert not is_singular([free, free], shift=0.5)
    assert free.eigenvalue(0) == 0
    assert Direction(4, 1).eigenvalue(0) == 0
