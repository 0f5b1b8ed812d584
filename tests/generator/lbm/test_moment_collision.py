# SPDX-License-Identifier: Apache-2.0
"""MRT and central moments against their matrix form, written population by population with NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any, TypeAlias

import numpy as np
import pytest
from heddle import lbm
from heddle.errors import KernelError
from test_collision import (
    AXIS,
    MOVING,
    OBLIQUE,
    OMEGA,
    REST,
    collide,
    disturbed,
    equilibrium,
    guo_source,
    state,
    velocities,
    viscosity_ratio,
    weights,
)
from test_lattice import mean_lattice

Array: TypeAlias = Any
BULK = 1.1
HIGHER = {3: 1.6, 4: 1.3, 5: 0.9, 6: 1.4}
ORDERS = {"D2Q9": 4, "D3Q15": 4, "D3Q19": 4, "D3Q27": 6}


def powers(lattice: lbm.Lattice) -> list[tuple[int, ...]]:
    """Independent monomials by rank, lowest order first."""
    chosen: list[tuple[int, ...]] = []
    rows: list[Array] = []
    for p in sorted(product(range(3), repeat=lattice.dimension), key=sum):
        row = np.prod(velocities(lattice) ** np.array(p), axis=1)
        if np.linalg.matrix_rank(np.array([*rows, row])) > len(rows):
            chosen.append(p)
            rows.append(row)
    return chosen


def modes(lattice: lbm.Lattice, c: Array, basis: str) -> tuple[Array, Array]:
    """The matrix from populations to modes and the rate of each: trace and deviators for second order."""
    chosen = powers(lattice)
    rows = [np.prod(c ** np.array(p), axis=1) for p in chosen]
    rates = [HIGHER.get(sum(p), 0.0) for p in chosen]
    diagonal = [i for i, p in enumerate(chosen) if sum(p) == 2 and 2 in p]
    squares = [rows[i] for i in diagonal]
    for number, i in enumerate(diagonal):
        rows[i] = sum(squares) if number == 0 else squares[number] - squares[number - 1]
        rates[i] = BULK if number == 0 else OMEGA
    for i, p in enumerate(chosen):
        if sum(p) == 2 and 1 in p:
            rates[i] = OMEGA
    if basis == "weighted":
        # the part of each monomial that is orthogonal to those of lower order with the weights, about c
        w, base = weights(lattice), velocities(lattice)
        fixed = [np.prod(base ** np.array(p), axis=1) for p in chosen]
        for i, p in enumerate(chosen):
            lower = [k for k, r in enumerate(chosen) if sum(r) < sum(p)]
            if sum(p) > 2:
                space = np.array([fixed[k] for k in lower])
                coefficients = np.linalg.solve(space * w @ space.T, space * w @ fixed[i])
                raw = [np.prod(c ** np.array(chosen[k]), axis=1) for k in lower]
                rows[i] = rows[i] - coefficients @ np.array(raw)
    return np.array(rows), np.array(rates)


def rates_of(name: str) -> dict[str, Any]:
    return {"omega_bulk": BULK, "higher": [HIGHER[n] for n in range(3, ORDERS[name] + 1)]}


FORCE = np.array([1e-2, -2e-2, 3e-2])


def compare(operator: lbm.CollisionOperator, expected: Array, zero_centred: bool, force: Array) -> None:
    lattice = operator.lattice
    f, shift = disturbed(lattice), weights(lattice)[:, None] if zero_centred else 0.0
    arguments = {"omega": OMEGA}
    arguments |= dict(zip(("g_x", "g_y", "g_z"), force, strict=False)) if force.any() else {}
    post = collide(operator, f - shift, zero_centred, **arguments) + shift
    assert post == pytest.approx(expected, abs=1e-15)
    assert post.sum(0) == pytest.approx(f.sum(0), abs=3e-15)
    c = velocities(lattice)
    assert c.T @ post == pytest.approx(c.T @ f + force[:, None], abs=3e-15)


@pytest.mark.parametrize("zero_centred", [True, False])
@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("basis", ["raw", "weighted"])
@pytest.mark.parametrize("compressible", [True, False])
@pytest.mark.parametrize("name", ORDERS)
def test_mrt_equals_its_matrix_form(
    name: str, compressible: bool, basis: str, forced: bool, zero_centred: bool
) -> None:
    lattice = lbm.Lattice(name)
    force = FORCE[: lattice.dimension] * forced
    names = ("g_x", "g_y", "g_z")[: lattice.dimension] if forced else None
    f = disturbed(lattice)
    rho, u = state(lattice, f, force, compressible)
    matrix, rates = modes(lattice, velocities(lattice), basis)
    S = np.diag(rates)
    source = guo_source(lattice, u, force)
    relaxed = matrix @ f - S @ matrix @ (f - equilibrium(lattice, rho, u, compressible))
    relaxed += (np.eye(lattice.size) - S / 2) @ matrix @ source
    expected = np.linalg.solve(matrix, relaxed)
    operator = lbm.MRT(lattice, basis=basis, force=names, compressible=compressible, **rates_of(name))
    compare(operator, expected, zero_centred, force)


@pytest.mark.parametrize("basis", ["raw", "weighted"])
def test_mrt_on_a_lattice_of_ones_own(basis: str) -> None:
    """Its moments are no products over the axes, and projections couple more of them."""
    lattice = mean_lattice()
    f = disturbed(lattice)
    rho, u = state(lattice, f, np.zeros(3))
    matrix, rates = modes(lattice, velocities(lattice), basis)
    relaxed = matrix @ f - np.diag(rates) @ matrix @ (f - equilibrium(lattice, rho, u))
    operator = lbm.MRT(lattice, basis=basis, omega_bulk=BULK, higher=list(HIGHER.values()))
    compare(operator, np.linalg.solve(matrix, relaxed), True, np.zeros(3))


def test_the_orthogonal_moments_of_the_literature() -> None:
    """D3Q19, weighted: the fourth-order modes are 3c^4-6c^2+1, (2c^2-3)(3x^2-c^2), (2c^2-3)(y^2-z^2)."""
    lattice = lbm.Lattice("D3Q19")
    c, w = velocities(lattice), weights(lattice)
    x2, y2, z2 = (c**2).T
    c2 = x2 + y2 + z2
    published = [3 * c2**2 - 6 * c2 + 1, (2 * c2 - 3) * (3 * x2 - c2), (2 * c2 - 3) * (y2 - z2)]
    matrix, _ = modes(lattice, c, "weighted")
    mine = matrix[[i for i, p in enumerate(powers(lattice)) if sum(p) == 4]]
    assert np.linalg.matrix_rank(np.array([*published, *mine]), tol=1e-12) == 3
    post = collide(lbm.MRT(lattice, OMEGA, higher=1), disturbed(lattice) - w[:, None])
    for mode in published:  # with rate 1 nothing is left of them
        assert mode @ post == pytest.approx(0, abs=1e-15)


def product_equilibrium(lattice: lbm.Lattice, rho: Array, u: Array, F: Array) -> tuple[Array, Array]:
    """Central moments of the Maxwellian, and of the force in the moving frame."""
    found, forced = [], []
    for p in powers(lattice):
        odd = [a for a, n in enumerate(p) if n % 2]
        share = (1 / 3) ** (sum(p) // 2)
        found.append(rho * share if not odd else np.zeros_like(rho))
        forced.append(np.full_like(rho, F[odd[0]] * share if len(odd) == 1 else 0.0))
    del u
    return np.array(found), np.array(forced)


def central(lattice: lbm.Lattice, f: Array, F: Array, basis: str) -> Array:
    rho, u = state(lattice, f, F)
    meant, forced = product_equilibrium(lattice, rho, u, F)
    expected = np.empty_like(f)
    for n in range(f.shape[1]):
        moving = velocities(lattice) - u[:, n]
        plain = np.array([np.prod(moving ** np.array(p), axis=1) for p in powers(lattice)])
        matrix, rates = modes(lattice, moving, basis)
        eq, source = np.linalg.solve(plain, meant[:, n]), np.linalg.solve(plain, forced[:, n])
        S = np.diag(rates)
        relaxed = matrix @ f[:, n] - S @ matrix @ (f[:, n] - eq)
        expected[:, n] = np.linalg.solve(matrix, relaxed + (np.eye(lattice.size) - S / 2) @ matrix @ source)
    return expected


@pytest.mark.parametrize("zero_centred", [True, False])
@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("basis", ["raw", "weighted"])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q19", "D3Q27"])
def test_central_moments_equal_their_matrix_form(
    name: str, basis: str, forced: bool, zero_centred: bool
) -> None:
    lattice = lbm.Lattice(name)
    force = FORCE[: lattice.dimension] * forced
    names = ("g_x", "g_y", "g_z")[: lattice.dimension] if forced else None
    operator = lbm.CentralMoment(lattice, basis=basis, force=names, **rates_of(name))
    compare(operator, central(lattice, disturbed(lattice), force, basis), zero_centred, force)


@pytest.mark.parametrize("basis", ["raw", "weighted"])
@pytest.mark.parametrize("name", ORDERS)
def test_equal_rates_are_bgk(name: str, basis: str) -> None:
    lattice = lbm.Lattice(name)
    force = ("g_x", "g_y", "g_z")[: lattice.dimension]
    f = disturbed(lattice) - weights(lattice)[:, None]
    arguments = {"omega": OMEGA, "g_x": 0.01, "g_y": -0.02, "g_z": 0.03}
    for compressible in (True, False):
        options: Any = {"force": force, "compressible": compressible}
        mrt = lbm.MRT(lattice, omega_bulk="omega", higher="omega", basis=basis, **options)
        bgk = collide(lbm.BGK(lattice, **options), f, **arguments)
        assert collide(mrt, f, **arguments) == pytest.approx(bgk, abs=1e-15)


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("bulk", [None, 1, "b"])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
def test_unit_rates_are_the_regularised_operator(name: str, bulk: Any, forced: bool) -> None:
    """With its stress relaxed in the same two rates, and the same force."""
    lattice = lbm.Lattice(name)
    f = disturbed(lattice) - weights(lattice)[:, None]
    arguments = {"omega": OMEGA} | ({"b": 1.3} if bulk == "b" else {})
    options: Any = {}
    if forced:
        options["force"] = ("g_x", "g_y", "g_z")[: lattice.dimension]
        arguments |= {"g_x": 0.01, "g_y": -0.02, "g_z": 0.03}
    mrt = lbm.MRT(lattice, omega_bulk="omega" if bulk is None else bulk, **options)
    plain = collide(lbm.Regularised(lattice, omega_bulk=bulk, **options), f, **arguments)
    assert collide(mrt, f, **arguments) == pytest.approx(plain, abs=1e-15)


@pytest.mark.parametrize("model", ["Smagorinsky", "PowerLaw"])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
def test_a_rate_of_the_trace_beside_a_local_viscosity(name: str, model: str) -> None:
    """The regularised operator and MRT, both with a force: the model sees the force's share of the stress,
    the rate of the trace does not."""
    lattice = lbm.Lattice(name)
    f = disturbed(lattice) - weights(lattice)[:, None]
    options: dict[str, Any] = {"force": ("g_x", "g_y", "g_z")[: lattice.dimension], "omega_bulk": "b"}
    if model == "Smagorinsky":
        options["eddy_viscosity"] = lbm.Smagorinsky("C_s")
    else:
        options["rheology"] = lbm.PowerLaw(consistency="K", exponent="n")
    arguments = {"omega": OMEGA, "b": 1.3, "g_x": 0.1, "g_y": -0.2, "g_z": 0.3}
    arguments |= {"C_s": 0.3, "K": 0.1, "n": 0.7}
    plain = collide(lbm.Regularised(lattice, **options), f, **arguments)
    assert collide(lbm.MRT(lattice, **options), f, **arguments) == pytest.approx(plain, abs=1e-15)


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19", "D3Q27"])
def test_central_moments_keep_a_moving_equilibrium_to_rounding(name: str) -> None:
    """Zero-centred: a disturbance of 1e-6 keeps ten digits, because no constants of order 1 cancel."""
    lattice = lbm.Lattice(name)
    w = weights(lattice)[:, None]
    noise = 1e-6 * (disturbed(lattice) - w)
    operator = lbm.CentralMoment(lattice, higher=1.3, galilean=True)
    post = collide(operator, noise, omega=OMEGA)
    eps = np.finfo(float).eps
    twice = np.longdouble(noise)
    exact = collide(operator, twice, omega=OMEGA)
    assert exact.dtype == np.longdouble
    assert np.max(abs(post - exact)) < 8 * eps * np.max(abs(noise))


@pytest.mark.parametrize(
    ("operator", "direction", "u", "expected"),
    [
        (lbm.MRT(lbm.Lattice("D3Q19"), higher=1.1), AXIS, REST, 1.0030),
        (lbm.MRT(lbm.Lattice("D3Q19"), higher=1.1), OBLIQUE, REST, 1.0002),
        (lbm.CentralMoment(lbm.Lattice("D3Q19")), AXIS, REST, 1.0028),
        (lbm.CentralMoment(lbm.Lattice("D3Q27")), OBLIQUE, REST, 1.0002),
        (lbm.CentralMoment(lbm.Lattice("D3Q27")), AXIS, MOVING, 1.0027),
        (lbm.CentralMoment(lbm.Lattice("D3Q27")), OBLIQUE, MOVING, 0.9745),
        (lbm.CentralMoment(lbm.Lattice("D3Q27"), galilean=True), OBLIQUE, MOVING, 0.9995),
    ],
)
def test_viscosity_of_the_linearised_operator(
    operator: lbm.CollisionOperator, direction: tuple[float, ...], u: tuple[float, ...], expected: float
) -> None:
    assert viscosity_ratio(operator, u, direction) == pytest.approx(expected, abs=2e-4)


def test_fixed_fourth_moments_cost_viscosity_along_diagonals() -> None:
    lattice = lbm.Lattice("D3Q27")
    across_the_plane = (0.8, 0.0, 0.6)  # the wave moves along y
    following = viscosity_ratio(lbm.CentralMoment(lattice), REST, across_the_plane)
    fixed = viscosity_ratio(lbm.CentralMoment(lattice, basis="raw"), REST, across_the_plane)
    assert following == pytest.approx(1.0029, abs=2e-4)
    assert fixed == pytest.approx(1.022, abs=1e-3)


def test_what_has_no_moments_is_refused() -> None:
    d3q15, d3q19 = lbm.Lattice("D3Q15"), lbm.Lattice("D3Q19")
    with pytest.raises(
        KernelError, match="CentralMoment needs moments that factorise over the axes; those of D3Q15"
    ):
        lbm.CentralMoment(d3q15)
    with pytest.raises(KernelError, match="those of D3Q27_mean do not"):
        lbm.CentralMoment(mean_lattice())
    with pytest.raises(KernelError, match="CentralMoment is defined relative to the velocity j / rho"):
        lbm.CentralMoment(d3q19, compressible=False)
    with pytest.raises(KernelError, match="D3Q19 has moments of orders 3 to 4, but 4 rates are given"):
        lbm.MRT(d3q19, higher=(1, 1, 1, 1))
    with pytest.raises(KernelError, match="'orthogonal' is not a moment basis"):
        lbm.MRT(d3q19, basis="orthogonal")
    with pytest.raises(KernelError, match="relaxation rate 3 is outside the stable range"):
        lbm.MRT(d3q19, omega_bulk=3)
