# SPDX-License-Identifier: Apache-2.0
"""Stress and fluxes at the ground, against similarity profiles that are integrated and solved anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from boxes import Kernel, framed, inner, wrapped
from heddle import fields, tables
from heddle.atmosphere.large_eddies import surface
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations

KAPPA, G_OVER = 0.4, 9.81 / 300


def phi(zeta: Any) -> Any:
    return np.where(zeta < 0, np.abs(1 - 16 * zeta) ** -0.25, 1 + 5 * zeta)


def wind_over_ustar(z: float, z0: float, L: float) -> float:
    """|U|/u_*, the integral of phi/(kappa z) from z0 to z by Gauss's formula in ln z."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    low, high = np.log(z0), np.log(z)
    heights = np.exp((low + high) / 2 + (high - low) / 2 * nodes)
    return float(np.dot(weights, phi(heights / L)) * (high - low) / 2 / KAPPA)


def kernel() -> Kernel:
    speed, flux, ratio, dudz, dvdz = fields("U_in, F_in, ratio_out, x_out, y_out: real[3D]", ghost_layers=3)
    drag = tables("drag: real[4096]")
    cell = Equations(fields=("U_in", "F_in", "ratio_out", "x_out", "y_out", "drag"))
    z = sympy.Symbol("z1", real=True)
    scale, fold = sympy.symbols("per_warm per_cold", real=True)
    g = sympy.Float(G_OVER)
    found = surface.ratio(cell, drag, speed.here, flux.here, z, g, scale, fold)
    cell.store(ratio.here, found)
    ustar = cell.let("ustar", found * speed.here)
    slopes = surface.similarity_gradient(
        cell, (0.6 * speed.here, -0.8 * speed.here), speed.here, ustar, flux.here, z, g
    )
    for target, value in zip((dudz, dvdz), slopes, strict=True):
        cell.store(target.here, value)
    return Kernel(AssignmentCollection(cell.statements))


@pytest.mark.parametrize(("z", "z0"), [(20.0, 1.5e-4), (12.5, 0.1)])
def test_the_table_is_the_solution_within_1e_4(z: float, z0: float) -> None:
    """For given zeta everything else follows: the flux that belongs to it gives back u_*/|U|."""
    values, per_warm, per_cold = surface.table(z, z0)
    end = np.log(z / z0) / 10 / (1 - z0 / z)  # beyond it no stable solution exists
    zetas = [*-np.geomspace(1e-3, 19.9, 60), -1e-9, *np.geomspace(1e-3, 0.9999 * end, 40)]
    speed = 3.7
    fluxes, ratios = [], []
    for zeta in zetas:
        ratios.append(1 / wind_over_ustar(z, z0, z / zeta))
        fluxes.append(-zeta * (ratios[-1] * speed) ** 3 / (KAPPA * z * G_OVER))
    boxes = {"U_in": framed(np.full((1, 1, len(zetas)), speed)), "F_in": framed(np.array(fluxes)[None, None])}
    numbers = {"z1": z, "per_warm": per_warm, "per_cold": per_cold}
    found = kernel()(boxes | {"drag": np.array(values)}, **numbers)
    got = inner(found["ratio_out"])[0, 0]
    assert np.max(np.abs(got / ratios - 1)) < 1e-4
    steep = got * speed * phi(np.array(zetas)) / (KAPPA * z)
    np.testing.assert_allclose(inner(found["x_out"])[0, 0], 0.6 * steep, rtol=2e-3)
    np.testing.assert_allclose(inner(found["y_out"])[0, 0], -0.8 * steep, rtol=2e-3)


def test_beyond_its_ends_the_table_keeps_its_values() -> None:
    z, z0 = 20.0, 0.1
    values, per_warm, per_cold = surface.table(z, z0)
    fluxes = np.array([-1e3, -1e-1, 0.0, 1e3, 1e9])[None, None]
    boxes = {"U_in": framed(np.full((1, 1, 5), 0.1)), "F_in": framed(fluxes), "drag": np.array(values)}
    found = inner(kernel()(boxes, z1=z, per_warm=per_warm, per_cold=per_cold)["ratio_out"])[0, 0]
    assert found[0] == found[1] == values[-1]
    np.testing.assert_allclose(found[2], KAPPA / np.log(z / z0), rtol=1e-14)
    np.testing.assert_allclose(found[3:], 1 / wind_over_ustar(z, z0, -z / 20), rtol=1e-10)


def test_stress_is_against_the_wind_and_mirrors_have_the_mirrored_bits() -> None:
    names = ("u_1", "v_1", "drag_1")
    u, v, drag = fields(f"{', '.join(names)}: real[3D]", ghost_layers=3)
    out = fields("a, b, c, d, e, f: real[3D]", ghost_layers=3)
    results = []
    for form in range(2):
        cell = Equations(fields=(*names, *"abcdef"))
        if form == 0:
            stress = surface.given_stress(cell, u, v, sympy.Float(0.28), (-8.0, 0))
        else:
            stress = surface.bulk_stress(cell, u, v, drag, (-8.0, 0))
        for target, value in zip(out[:2], stress, strict=True):
            cell.store(target.here, value)
        results.append(Kernel(AssignmentCollection(cell.statements)))
    r = np.random.default_rng(4)
    fields_ = {name: r.normal(size=(1, 4, 5)) for name in names[:2]} | {"drag_1": r.uniform(1, 2, (1, 4, 5))}
    a = {name: wrapped(values) for name, values in fields_.items()}
    U, V, C = fields_["u_1"] - 8, fields_["v_1"], fields_["drag_1"]
    V_u = sum(np.roll(V, by, (1, 2)) for by in ((0, 0), (0, 1), (-1, 0), (-1, 1))) / 4
    U_v = sum(np.roll(U, by, (1, 2)) for by in ((0, 0), (1, 0), (0, -1), (1, -1))) / 4
    found = [{name: inner(values) for name, values in one(a).items()} for one in results]
    np.testing.assert_allclose(found[0]["a"], -(0.28**2) * U / np.hypot(U, V_u), rtol=1e-13)
    np.testing.assert_allclose(found[0]["b"], -(0.28**2) * V / np.hypot(V, U_v), rtol=1e-13)
    mean = (C + np.roll(C, 1, 2)) / 2
    np.testing.assert_allclose(found[1]["a"], -mean * U * np.hypot(U, V_u), rtol=1e-13)
    mean = (C + np.roll(C, 1, 1)) / 2
    np.testing.assert_allclose(found[1]["b"], -mean * V * np.hypot(V, U_v), rtol=1e-13)
    image = {name: wrapped(np.flip(values, 1)) for name, values in fields_.items()}
    image["v_1"] = -wrapped(np.flip(np.roll(fields_["v_1"], -1, 1), 1))
    for one, kernel_ in zip(found, results, strict=True):
        other = kernel_(image)
        assert np.array_equal(inner(other["a"]), np.flip(one["a"], 1))
        assert np.array_equal(inner(other["b"]), -np.roll(np.flip(one["b"], 1), 1, 1))


def test_winds_bulk_fluxes_and_virtual_fluxes() -> None:
    u, v, speed, flux, virtual = fields("u_1, v_1, U_out, F_out, V_out: real[3D]", ghost_layers=3)
    cell = Equations(fields=("u_1", "v_1", "U_out", "F_out", "V_out"))
    *_, size = surface.wind(cell, u, v, (-5, -4))
    cell.store(speed.here, size)
    coefficient = sympy.Float(1.1e-3)
    cell.store(flux.here, surface.bulk(size, coefficient, sympy.Float(299.8), sympy.Float(298.0)))
    given = [sympy.Float(one) for one in (8e-3, 5.2e-5, 299.1, 0.0)]
    cell.store(virtual.here, surface.virtual_flux(cell, *given[:3], sympy.Float(0.01724)))
    r = np.random.default_rng(4)
    a, b = r.normal(size=(1, 4, 5)), r.normal(size=(1, 4, 5))
    a[0, 0, :2], b[0, :2, 0] = 5, 4  # no wind in the first cell
    found = Kernel(AssignmentCollection(cell.statements))({"u_1": wrapped(a), "v_1": wrapped(b)})
    x, y = (a + np.roll(a, -1, 2)) / 2 - 5, (b + np.roll(b, -1, 1)) / 2 - 4
    expected = np.maximum(0.1, np.hypot(x, y))
    assert expected[0, 0, 0] == 0.1
    np.testing.assert_allclose(inner(found["U_out"]), expected, rtol=1e-13)
    np.testing.assert_allclose(inner(found["F_out"]), 1.1e-3 * expected * 1.8, rtol=1e-12)
    assert abs(inner(found["V_out"])[0, 0, 0] - 0.0176) < 1e-4  # of BOMEX
    assert abs(surface.neutral_factor(20.0, 1.5e-4) - 1) < 1e-15
    assert abs(surface.neutral_factor(40.0, 1.5e-4) - (11.80056 / 12.49371) ** 2) < 1e-5
