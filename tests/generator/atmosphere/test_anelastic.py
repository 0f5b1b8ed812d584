# SPDX-License-Identifier: Apache-2.0
"""Advection by an anelastic flow: conservation laws, symmetries, and formulas written down in another way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from boxes import G, Kernel, inner, wrapped
from calls import Kernels
from compiled import Library
from flows import SPACINGS, Flow, fields_of, flow, grid_names, mirrored, numbers
from heddle import Module, fields, parameters
from heddle.atmosphere.large_eddies.anelastic import Advection
from heddle.atmosphere.large_eddies.grid import Grid, onto_face
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations

SHAPE = (7, 5, 4)
RATES = ("du", "dv", "dw", "dq")


def scheme(order: int) -> AssignmentCollection:
    """All rates of change."""
    grid = Grid()
    rates = fields(f"{', '.join(RATES)}: real[3D]", ghost_layers=3)
    cell = Equations(fields=grid_names("q", *RATES))
    advection = Advection(cell, grid, order)
    values = (*advection.momentum(), advection.scalar(grid.scalar("q")))
    for rate, value in zip(rates, values, strict=True):
        cell.store(rate.here, value)
    return AssignmentCollection(cell.statements)


def limiter() -> tuple[AssignmentCollection, AssignmentCollection]:
    """Both kernels; the second one also stores the flux through the lower face."""
    grid = Grid()
    q, keep = grid.scalar("q"), grid.scalar("keep")
    rate, passed = fields("rate, passed: real[3D]", ghost_layers=3)
    first = Equations(fields=grid_names("q", "keep"))
    first.store(keep.here, Advection(first, grid).share(q, q, parameters("step")))
    then = Equations(fields=grid_names("q", "keep", "rate", "passed"))
    advection = Advection(then, grid)
    then.store(rate.here, advection.limited_scalar(q, q, keep))
    then.store(passed.here, advection.vertical_flux(q, "_passed"))
    return AssignmentCollection(first.statements), AssignmentCollection(then.statements)


def lifting() -> AssignmentCollection:
    grid = Grid()
    b, lift = grid.scalar("q"), grid.scalar("lift")
    cell = Equations(fields=grid_names("q", "lift"))
    cell.store(lift.here, onto_face(cell, grid, b.here, b[0, 0, -1], "buoyancy"))
    return AssignmentCollection(cell.statements)


MODULE = Module("anelastic_air", precisions=("f64",))
MODULE.add("second", scheme(2))
MODULE.add("fifth", scheme(5))
for _name, _kernel in zip(("share", "limited"), limiter(), strict=True):
    MODULE.add(_name, _kernel)
MODULE.add("lift", lifting())
ORDERS = {2: "second", 5: "fifth"}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The compiled module, as a function: kernel, arrays, numbers -> interiors of all fields after a call."""
    library = Library(tmp_path_factory.mktemp("anelastic"), [(MODULE, ("cpu", "cuda"))], plain=True).compile()
    compiled = {target: Kernels(library, MODULE, "f64", target) for target in ("cpu", "cuda")}

    def call(name: str, a: Flow, target: str = "cpu", **more: float) -> Flow:
        found = {one.name: np.full(a["u"].shape, np.nan) for one in MODULE.typed(name, "f64").fields}
        found |= {one: values.copy() for one, values in a.items() if one in found}
        compiled[target](name, found, numbers() | more)
        return {one: inner(values) for one, values in found.items()}

    return call


def with_scalar(a: Flow) -> Flow:
    return a | {"q": wrapped(np.random.default_rng(11).normal(size=SHAPE))}


def rates(found: Flow) -> tuple[Any, ...]:
    return tuple(found[name] for name in RATES)


def masses(a: Flow) -> tuple[Any, Any]:
    """Per area: of cells, and of the volumes of w."""
    return inner(a["mass"])[:, None, None], 1 / inner(a["per_face_mass"])[:, None, None]


def share(terms: Any) -> float:
    """What is left of a sum, as a part of the sum of magnitudes."""
    return float(abs(np.sum(terms)) / np.sum(np.abs(terms)))


def test_the_flow_has_no_divergence() -> None:
    a = flow(SHAPE)
    W = a["rho_face"][G : G + 8, None, None] * a["w"][G : G + 8, G:-G, G:-G]
    u, v = a["u"][G:-G, G:-G, G : G + 5], a["v"][G:-G, G : G + 6, G:-G]
    total = inner(a["rho"])[:, None, None] * (np.diff(u) / SPACINGS[0] + np.diff(v, axis=1) / SPACINGS[1])
    total = total + np.diff(W, axis=0) / a["height"][:, None, None]
    assert np.max(np.abs(total)) < 1e-13
    assert np.max(np.abs(W)) > 1


def work_of(a: Flow, found: Flow) -> Any:
    """Per velocity, what its rate of change adds to the kinetic energy."""
    du, dv, dw, _ = rates(found)
    cells, faces = masses(a)
    rows = ((cells, "u", du), (cells, "v", dv), (faces, "w", dw))
    return np.array([mass * inner(a[name]) * rate for mass, name, rate in rows])


def test_second_order_keeps_momentum_and_energy() -> None:
    """In the interpreter."""
    a = with_scalar(flow(SHAPE, order=2))
    found = Kernel(scheme(2))(fields_of(a), **numbers())
    found = {name: inner(values) for name, values in found.items()}
    cells, _ = masses(a)
    assert share(work_of(a, found)) < 1e-15
    assert share(cells * found["du"]) < 1e-15
    assert share(cells * found["dv"]) < 1e-15
    assert share(cells * inner(a["q"]) * found["dq"]) < 1e-15


def test_fifth_order_takes_energy(kernels: Any) -> None:
    a = with_scalar(flow(SHAPE))
    found = kernels("fifth", a)
    for work in work_of(a, found):
        assert np.sum(work) < -0.01 * np.sum(np.abs(work))
    assert np.sum(masses(a)[0] * inner(a["q"]) * found["dq"]) < 0


@pytest.mark.parametrize("order", [2, 5])
def test_targets_have_the_same_bits(order: int, kernels: Any) -> None:
    a = with_scalar(flow(SHAPE, order=order))
    kernel = ORDERS[order]
    found = kernels(kernel, a)
    device = kernels(kernel, a, "cuda")
    meant = Kernel(scheme(order))(fields_of(a), **numbers()) if order == 2 else device
    for name in RATES:
        assert np.array_equal(found[name], device[name])
        assert np.array_equal(found[name], meant[name] if order == 5 else inner(meant[name]))


@pytest.mark.parametrize("order", [2, 5])
def test_scalars_keep_their_mass_and_constants(order: int, kernels: Any) -> None:
    a = with_scalar(flow(SHAPE, order=order))
    dq = kernels(ORDERS[order], a)["dq"]
    assert share(masses(a)[0] * dq) < 1e-15
    size = np.max(np.abs(dq))
    constant = kernels(ORDERS[order], a | {"q": np.where(np.isnan(a["q"]), np.nan, 300.0)})["dq"]
    assert np.max(np.abs(constant)) < 300 * 1e-15 * size
    still = {name: np.where(np.isnan(a[name]), np.nan, 0.0) for name in "uvw"}
    for rate in rates(kernels(ORDERS[order], a | still)):
        assert np.all(rate == 0)


@pytest.mark.parametrize("order", [2, 5])
def test_mirrors_have_the_mirrored_bits(order: int, kernels: Any) -> None:
    a = with_scalar(flow(SHAPE, order=order))
    found = kernels(ORDERS[order], a)
    for axis, own in ((2, "u"), (1, "v")):
        image = kernels(ORDERS[order], mirrored(a, axis, own))
        for name in RATES:
            expected = np.flip(found[name], axis)
            if name == "d" + own:
                expected = -np.roll(expected, 1, axis)
            assert np.array_equal(image[name], expected), f"{name} along {own}"


@pytest.mark.parametrize("order", [2, 5])
def test_x_and_y_are_alike(order: int, kernels: Any) -> None:
    a = with_scalar(flow(SHAPE, order=order))
    found = kernels(ORDERS[order], a)
    turned = {name: v.swapaxes(1, 2) if v.ndim == 3 else v for name, v in a.items()}
    turned = {name: np.ascontiguousarray(v) for name, v in turned.items()}
    turned["u"], turned["v"] = turned["v"], turned["u"]
    image = kernels(ORDERS[order], turned, per_x=numbers()["per_y"], per_y=numbers()["per_x"])
    for name, other in (("du", "dv"), ("dv", "du"), ("dw", "dw"), ("dq", "dq")):
        assert np.array_equal(image[name].swapaxes(1, 2), found[other]), name


# --- The same, face by face, with the weights of polynomials through averages of cells

UPWIND = {5: (2, -13, 47, 27, -3), 3: (-1, 5, 2), 2: (1, 1)}


def value(line: Any, face: int, positive: bool, order: int) -> float:
    """Between entries face - 1 and face of a line."""
    weights = UPWIND[order]
    reach = order // 2 + 1 if order > 2 else 1
    near = [line[face - reach + n] for n in range(len(weights))]
    if not positive and order > 2:
        near = [line[face + reach - 1 - n] for n in range(len(weights))]
    return float(np.dot(weights, near) / sum(weights))


def reference(a: Flow, name: str) -> Any:
    """The rate of u, w or q by advection of order 5, from fluxes through all faces of all volumes."""
    n, ny, nx = SHAPE
    u, v, w, q = (inner(a[one]) for one in ("u", "v", "w", "q"))
    rho, r = inner(a["rho"]), a["rho_face"][G : G + n + 1]
    h = a["height"]
    w = np.concatenate([w, np.zeros((1, ny, nx))])
    own = {"u": u, "w": w, "q": q}[name]
    rate = np.zeros((n, ny, nx))
    ladder = [0, 2, 3, 5]
    for k in range(n):
        if name == "w" and k == 0:
            continue
        d = (h[k] + h[k - 1]) / 2
        for j in range(ny):
            for i in range(nx):
                e, w_, nn = (i + 1) % nx, i - 1, (j + 1) % ny
                if name == "q":
                    x = [rho[k] * u[k, j, one] for one in (i, e)]
                    y = [rho[k] * v[k, one, i] for one in (j, nn)]
                    z = [r[f] * w[f, j, i] for f in (k, k + 1)]
                    volume, depth = rho[k], h[k]
                elif name == "u":
                    x = [rho[k] * (u[k, j, w_] + u[k, j, i]) / 2, rho[k] * (u[k, j, i] + u[k, j, e]) / 2]
                    y = [rho[k] * (v[k, one, w_] + v[k, one, i]) / 2 for one in (j, nn)]
                    z = [r[f] * (w[f, j, w_] + w[f, j, i]) / 2 for f in (k, k + 1)]
                    volume, depth = rho[k], h[k]
                else:
                    x = [
                        (h[k] * rho[k] * u[k, j, one] + h[k - 1] * rho[k - 1] * u[k - 1, j, one]) / (2 * d)
                        for one in (i, e)
                    ]
                    y = [
                        (h[k] * rho[k] * v[k, one, i] + h[k - 1] * rho[k - 1] * v[k - 1, one, i]) / (2 * d)
                        for one in (j, nn)
                    ]
                    z = [(r[f] * w[f, j, i] + r[f + 1] * w[f + 1, j, i]) / 2 for f in (k - 1, k)]
                    volume, depth = r[k], d
                row = np.concatenate([own[k, j]] * 5)
                column = np.concatenate([own[k, :, i]] * 5)
                fx = [c * value(row, 2 * nx + i + n_, c >= 0, 5) for n_, c in enumerate(x)]
                fy = [c * value(column, 2 * ny + j + n_, c >= 0, 5) for n_, c in enumerate(y)]
                fz = []
                for n_, c in enumerate(z):
                    if name == "w":  # the middle of cell m lies between its faces m and m + 1
                        m = k - 1 + n_
                        order = [2, 3, 5][min(m, n - 1 - m, 2)]
                        face = m + 1
                    else:
                        face = k + n_
                        order = ladder[min(face, n - face, 3)]
                    fz.append(c * value(own[:, j, i], face, c >= 0, order) if order else 0.0)
                rate[k, j, i] = (
                    -((fx[1] - fx[0]) / SPACINGS[0] + (fy[1] - fy[0]) / SPACINGS[1] + (fz[1] - fz[0]) / depth)
                    / volume
                )
    return rate


@pytest.mark.parametrize("name", ["u", "w", "q"])
def test_is_the_sum_of_fluxes(name: str, kernels: Any) -> None:
    a = with_scalar(flow(SHAPE))
    found = kernels("fifth", a)["d" + name]
    expected = reference(a, name)
    assert np.max(np.abs(found - expected)) < 1e-14 * np.max(np.abs(expected))


# --- Limiter, values on faces


@pytest.mark.parametrize("base", [0.0, 50.0])
def test_the_limiter_keeps_signs_and_mass(base: float, kernels: Any) -> None:
    """With a large constant beneath, nothing is limited."""
    a, dt = flow(SHAPE), 1.0
    q = np.maximum(0, np.random.default_rng(5).normal(size=SHAPE)) + base
    given = a | {"q": wrapped(q)}
    keep = kernels("share", given, step=dt)["keep"]
    found = kernels("limited", given | {"keep": wrapped(keep)})
    plain = kernels("fifth", given)["dq"]
    cells = masses(a)[0]
    assert share(cells * found["rate"]) < 1e-15 * (1 + base)
    assert np.min(q + dt * found["rate"]) > -1e-15
    if base:
        assert np.all(keep == 1)
        np.testing.assert_allclose(found["rate"], plain, atol=1e-13 * np.max(np.abs(plain)))
    else:
        assert np.min(q + dt * plain) < -1e-3
        assert np.sum(keep < 1) > 10
    lost = np.sum(cells[:3] * plain[:3])
    np.testing.assert_allclose(lost, -np.sum(found["passed"][3]), rtol=1e-9)
    assert np.all(found["passed"][0] == 0)


def test_a_mean_on_faces_does_the_work_that_scalars_take(kernels: Any) -> None:
    """The sum of d r w <b> is that of h rho z db/dt, if b is carried with the mean on faces."""
    a = with_scalar(flow(SHAPE, order=2))
    lift, dq = kernels("lift", a)["lift"], kernels("second", a)["dq"]
    cells, faces = masses(a)
    z = (np.cumsum(a["height"]) - a["height"] / 2)[:, None, None]
    work = np.sum((faces * inner(a["w"]) * lift)[1:])
    np.testing.assert_allclose(work, np.sum(cells * z * dq), rtol=1e-12)
    assert np.all(lift[0] == 0)
    assert abs(work) > 1
