# SPDX-License-Identifier: Apache-2.0
"""Strain, eddy viscosity and diffusion: what stresses take from a flow is what strain says, and closed
forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from boxes import G, Kernel, framed, inner, wrapped
from calls import Kernels
from compiled import Library
from flows import SPACINGS, Flow, fields_of, flow, grid_names, mirrored, numbers
from heddle import Module, fields
from heddle.atmosphere.large_eddies import subgrid
from heddle.atmosphere.large_eddies.grid import Grid
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations

SHAPE = (5, 4, 6)
RATES = ("du", "dv", "dw", "dq")
PLANES = ("slope_u", "slope_v", "stress_u", "stress_v", "flux_q")
LAPSE = 0.02


def module() -> Module:
    grid = Grid()
    q, K = grid.scalar("q"), grid.scalar("K")
    rates = fields(f"{', '.join(RATES)}: real[3D]", ghost_layers=3)
    S2, free = fields("S2_out, free_out: real[3D]", ghost_layers=3)
    slope_u, slope_v, stress_u, stress_v, flux_q = fields(f"{', '.join(PLANES)}: real[xy]", ghost_layers=3)
    result = Module("subgrid_air", precisions=("f64",))
    cell = Equations(fields=grid_names("q", "K", *RATES, *PLANES))
    diffusion = subgrid.Diffusion(cell, grid, K)
    values = (
        *diffusion.momentum((stress_u.here, stress_v.here)),
        diffusion.scalar(q, flux_q.here, sympy.Float(LAPSE)),
    )
    for rate, value in zip(rates, values, strict=True):
        cell.store(rate.here, value)
    result.add("diffusion", AssignmentCollection(cell.statements))
    cell = Equations(fields=grid_names("S2_out", *PLANES))
    cell.store(S2.here, subgrid.strain(cell, grid, (slope_u.here, slope_v.here)))
    result.add("strain", AssignmentCollection(cell.statements))
    cell = Equations(fields=grid_names("free_out"))
    cell.store(free.here, subgrid.strain(cell, grid))
    result.add("free", AssignmentCollection(cell.statements))
    return result


MODULE = module()


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The compiled module, as a function: kernel, arrays -> interiors of all fields after a call."""
    library = Library(tmp_path_factory.mktemp("subgrid"), [(MODULE, ("cpu",))], plain=True).compile()
    compiled = Kernels(library, MODULE, "f64", "cpu")

    def call(name: str, a: Flow) -> Flow:
        found = {one.name: np.full(a["u"].shape, np.nan) for one in MODULE.typed(name, "f64").fields}
        found |= {one: values.copy() for one, values in a.items() if one in found}
        compiled(name, found, numbers())
        return {one: inner(values) for one, values in found.items()}

    return call


def given() -> Flow:
    r, a = np.random.default_rng(2), flow(SHAPE)
    a |= {"q": wrapped(r.normal(size=SHAPE)), "K": wrapped(r.uniform(1, 5, SHAPE))}
    return a | {name: wrapped(r.normal(size=SHAPE[1:])) for name in PLANES}


class Shears:
    """Of a flow: stretching in cells, shears on edges and, along z, on inner faces."""

    def __init__(self, a: Flow) -> None:
        n, (dx, dy), h = SHAPE[0], SPACINGS, a["height"][:, None, None]
        d = (h[1:] + h[:-1]) / 2
        u, v = inner(a["u"]), inner(a["v"])
        w = a["w"][G : G + n + 1, G:-G, G:-G]
        self.stretch = (
            (np.roll(u, -1, 2) - u) / dx,
            (np.roll(v, -1, 1) - v) / dy,
            np.diff(w, axis=0) / h,
        )
        self.xy = (u - np.roll(u, 1, 1)) / dy + (v - np.roll(v, 1, 2)) / dx
        self.across_x = (w - np.roll(w, 1, 2)) / dx
        self.across_y = (w - np.roll(w, 1, 1)) / dy
        self.xz, self.yz = np.zeros((n + 1, *SHAPE[1:])), np.zeros((n + 1, *SHAPE[1:]))
        self.xz[1:-1] = np.diff(u, axis=0) / d + self.across_x[1:-1]
        self.yz[1:-1] = np.diff(v, axis=0) / d + self.across_y[1:-1]


def mean4(e: Any, first: int, second: int | None) -> Any:
    """Of what lies on edges, in cells; second: an axis, or None for faces between levels."""
    pair = e + np.roll(e, -1, first)
    return (pair[:-1] + pair[1:]) / 4 if second is None else (pair + np.roll(pair, -1, second)) / 4


def test_strain_is_the_mean_of_squares_on_edges(kernels: Any) -> None:
    a = given()
    s = Shears(a)
    stretch = 2 * sum(one**2 for one in s.stretch)
    flat = mean4(s.xy**2, 2, 1)
    expected = stretch + flat + mean4(s.xz**2, 2, None) + mean4(s.yz**2, 1, None)
    np.testing.assert_allclose(kernels("free", a)["free_out"], expected, rtol=1e-13)
    lowest = stretch[0] + flat[0]
    for across, axis, name in ((s.across_x, 1, "slope_u"), (s.across_y, 0, "slope_v")):
        edges = [(inner(a[name]) + np.roll(across[k], -by, axis)) ** 2 for k in (0, 1) for by in (0, 1)]
        lowest = lowest + sum(edges) / 4
    expected[0] = lowest
    np.testing.assert_allclose(kernels("strain", a)["S2_out"], expected, rtol=1e-13)


def test_strain_of_a_shear_flow_is_the_square_of_its_shear(kernels: Any) -> None:
    a = given()
    z = np.cumsum(a["height"]) - a["height"] / 2
    flat = {name: np.where(np.isnan(a[name]), np.nan, 0.0) for name in ("v", "w")}
    sheared = a | flat | {"u": framed(np.broadcast_to(0.03 * z[:, None, None], SHAPE))}
    sheared["u"][:] = np.pad(sheared["u"][:, G:-G, G:-G], [(0, 0), (G, G), (G, G)], mode="edge")
    found = kernels("free", sheared)["free_out"]
    np.testing.assert_allclose(found[1:-1], 0.03**2, rtol=1e-12)
    np.testing.assert_allclose(found[[0, -1]], 0.03**2 / 2, rtol=1e-12)


def test_stresses_take_what_strain_says(kernels: Any) -> None:
    """The power of diffusion is what the ground's stress does, less K times squared strains."""
    a = given()
    found, s = kernels("diffusion", a), Shears(a)
    cells, faces = inner(a["mass"])[:, None, None], 1 / inner(a["per_face_mass"])[:, None, None]
    u, v, w, K = (inner(a[name]) for name in ("u", "v", "w", "K"))
    power = np.sum(cells * (u * found["du"] + v * found["dv"])) + np.sum((faces * w * found["dw"])[1:])
    loss = np.sum(cells * 2 * K * sum(one**2 for one in s.stretch))
    edge = sum(np.roll(K, by, (1, 2)) for by in ((0, 0), (1, 0), (0, 1), (1, 1))) / 4
    loss += np.sum(cells * edge * s.xy**2)
    for shear, axis in ((s.xz, 2), (s.yz, 1)):
        pair = K + np.roll(K, 1, axis)
        loss += np.sum(faces[1:] * (pair[1:] + pair[:-1]) / 4 * shear[1:-1] ** 2)
    ground = a["rho_face"][G] * np.sum(inner(a["stress_u"]) * u[0] + inner(a["stress_v"]) * v[0])
    np.testing.assert_allclose(power, ground - loss, rtol=1e-12)
    assert loss > 10 * abs(ground)
    for name, rate in (("stress_u", "du"), ("stress_v", "dv")):
        momentum = np.sum(cells * found[rate])
        np.testing.assert_allclose(momentum, a["rho_face"][G] * np.sum(inner(a[name])), rtol=1e-11)


def test_scalars_lose_variance_and_get_what_the_ground_gives(kernels: Any) -> None:
    a = given()
    dq = kernels("diffusion", a)["dq"]
    cells, q, K = inner(a["mass"])[:, None, None], inner(a["q"]), 3 * inner(a["K"])
    r = a["rho_face"][G : G + SHAPE[0] + 1, None, None]
    low, high = r[0] * inner(a["flux_q"]), r[-1] * K[-1] * LAPSE
    np.testing.assert_allclose(np.sum(cells * dq), np.sum(low + high), rtol=1e-11)
    change = np.sum(q[0] * low) + np.sum(q[-1] * high)
    for axis, d in ((2, SPACINGS[0]), (1, SPACINGS[1])):
        steep = (q - np.roll(q, 1, axis)) / d
        change -= np.sum(cells * (K + np.roll(K, 1, axis)) / 2 * steep**2)
    apart = (a["height"][1:] + a["height"][:-1])[:, None, None] / 2
    change -= np.sum(r[1:-1] * (K[1:] + K[:-1]) / 2 * np.diff(q, axis=0) ** 2 / apart)
    np.testing.assert_allclose(np.sum(cells * q * dq), change, rtol=1e-12)


def test_mirrors_have_the_mirrored_bits(kernels: Any) -> None:
    a = given()
    a |= {"slope_u": a["slope_v"] * 0, "stress_u": a["stress_v"] * 0}  # planes are not mirrored here
    for name in PLANES:
        a[name] = np.full_like(a[name], inner(a[name])[0, 0])
    a["stress_v"] *= 0
    for axis, own in ((2, "u"), (1, "v")):
        image = mirrored(a, axis, own)
        image["slope_" + own] = -a["slope_" + own]
        found, other = kernels("diffusion", a), kernels("diffusion", image)
        for name in RATES:
            expected = np.flip(found[name], axis)
            if name == "d" + own:
                expected = -np.roll(expected, 1, axis)
            assert np.array_equal(other[name], expected), f"{name} along {own}"
        strain = [kernels("strain", one)["S2_out"] for one in (a, image)]
        assert np.array_equal(strain[1], np.flip(strain[0], axis))


# --- Stability and viscosity

RD, RV, CP, LV, G_ = 287.04, 461.5, 1005.0, 2.5e6, 9.81


def virtual(theta_l: Any, q: Any, p: float) -> Any:
    """theta_v of air that is adjusted to saturation, by bisection with the formula of Bolton (1980)."""
    Pi = (p / 1e5) ** (RD / CP)

    def q_s(T: Any) -> Any:
        e = 611.2 * np.exp(17.67 * (T - 273.15) / (T - 29.65))
        return RD / RV * e / (p - (1 - RD / RV) * e)

    low, high = theta_l * Pi, theta_l * Pi + 20
    for _ in range(60):
        T = (low + high) / 2
        above = T - theta_l * Pi - LV / CP * np.maximum(0, q - q_s(T)) > 0
        low, high = np.where(above, low, T), np.where(above, T, high)
    q_c = np.maximum(0, q - q_s(T))
    return T / Pi * (1 + (RV / RD - 1) * q - RV / RD * q_c), T, q_c, q_s(T), Pi


@pytest.mark.parametrize("water", [0.008, 0.018])
def test_stability_is_the_slope_of_the_virtual_temperature(water: float) -> None:
    """At constant pressure, for small gradients of theta_l or of water; in a cloud within 2 %, since the
    formula has the slope of the saturation pressure in place of that of q_s."""
    names = ("dth", "dwater", "theta", "q", "q_c", "T", "q_s", "N2")
    columns = fields(", ".join(f"{name}_in" for name in names[:-1]) + ", N2_out: real[3D]", ghost_layers=3)
    cell = Equations(fields=[one.name for one in columns])
    dth, dq, theta, q, q_c, T, q_s = (one.here for one in columns[:-1])
    theta_v, T0, cloud, saturated, Pi = virtual(np.array(298.0), water, 9e4)
    N2 = subgrid.stability(
        cell, (dth, dq), theta, q, sympy.Float(G_ / float(theta_v)), (q_c, T, q_s, sympy.Float(Pi))
    )
    cell.store(columns[-1].here, N2)
    kernel = Kernel(AssignmentCollection(cell.statements))
    eps = 1e-4
    for steps in ((eps, 0.0), (0.0, eps * 1e-3)):
        values = (*steps, float(T0 / Pi), water, float(cloud), float(T0), float(saturated))
        boxes = {one.name: framed([[[value]]]) for one, value in zip(columns[:-1], values, strict=True)}
        found = inner(kernel(boxes)["N2_out"])[0, 0, 0]
        moved, *_ = virtual(np.array(298.0 + steps[0]), water + steps[1], 9e4)
        expected = G_ / theta_v * (moved - theta_v)
        assert abs(found / expected - 1) < (0.02 if cloud > 0 else 1e-4)
    assert (cloud > 1e-3) == (water > 0.01)


def test_viscosity_falls_with_stability_and_lengths_with_walls() -> None:
    S2, N2, length2, K, e = fields("S2_in, N2_in, length2, K_out, e_out: real[3D]", ghost_layers=3)
    cell = Equations(fields=("S2_in", "N2_in", "length2", "K_out", "e_out"))
    found = subgrid.viscosity(cell, length2.here, S2.here, N2.here)
    cell.store(K.here, found)
    cell.store(e.here, subgrid.energy(cell, found, length2.here))
    kernel = Kernel(AssignmentCollection(cell.statements))
    richardson = np.array([-0.5, 0.0, 0.1, 0.3, 1 / 3, 0.5])[None, None, :]
    lengths = np.array(subgrid.mixing_length2([20.0, 40.0, 4000.0], 50.0, 80.0, roughness=0.1))
    boxes = {"S2_in": framed(np.full((3, 1, 6), 4e-4)), "N2_in": framed(np.repeat(4e-4 * richardson, 3, 0))}
    out = kernel(boxes | {"length2": framed(np.broadcast_to(lengths[:, None, None], (3, 1, 6)))})
    expected = lengths[:, None, None] * 0.02 * np.sqrt(np.maximum(0, 1 - 3 * richardson))
    np.testing.assert_allclose(inner(out["K_out"]), expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(
        inner(out["e_out"]), inner(out["K_out"]) ** 2 / (0.01 * lengths[:, None, None])
    )
    wall, resolved = 0.4 * 10.1, 0.23 * (50 * 80 * 20) ** (1 / 3)
    np.testing.assert_allclose(lengths[0], (wall * resolved) ** 2 / (wall**2 + resolved**2))
    assert lengths[2] < (0.23 * (50 * 80 * 4000) ** (1 / 3)) ** 2


def test_gradients_are_centred_and_one_sided_at_walls() -> None:
    """Exact for linear profiles on any levels."""
    grid = Grid()
    q, slope = grid.scalar("q"), grid.scalar("slope")
    cell = Equations(fields=grid_names("q", "slope"))
    cell.store(slope.here, subgrid.gradient(cell, grid, q))
    a = flow(SHAPE)
    z = np.cumsum(a["height"]) - a["height"] / 2
    line = wrapped(np.broadcast_to((5 - 0.25 * z)[:, None, None], SHAPE))
    found = Kernel(AssignmentCollection(cell.statements))(fields_of(a) | {"q": line})
    np.testing.assert_allclose(inner(found["slope"]), -0.25, rtol=1e-12)
