# SPDX-License-Identifier: Apache-2.0
"""Collision operators against formulas written directly: Hermite sums, population by population."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
import sympy
from evaluate import operations, run
from heddle import lbm
from heddle.errors import KernelError
from heddle.model.assignment import Assignment
from test_lattice import mean_lattice

Array: TypeAlias = Any
FLOWS = ("D2Q9", "D3Q15", "D3Q19", "D3Q27")
OMEGA = 1.7
MAGIC = 3 / 16


def collide(
    operator: lbm.CollisionOperator, f: Array, zero_centred: bool = True, **arguments: float
) -> Array:
    """The operator applied to populations f[q, ...] as they are stored."""
    lattice = operator.lattice
    symbols = {name: sympy.Symbol(f"f_{name}", real=True) for name in lattice.names}
    collided = operator(symbols, zero_centred)
    values = {f"f_{name}": f[q] for q, name in enumerate(lattice.names)} | arguments
    named = run(collided.statements, _no_load, _no_store, values)
    return np.stack([named[f"post_{name}"] for name in lattice.names])


def _no_load(access: object) -> Array:
    raise AssertionError(f"a collision reads {access}")


def _no_store(access: object, value: Array, where: Array | None) -> None:
    raise AssertionError(f"a collision writes {access}")


def velocities(lattice: lbm.Lattice) -> Array:
    return np.array(lattice.velocities, dtype=float)


def weights(lattice: lbm.Lattice) -> Array:
    return np.array([float(lattice.weight(q)) for q in range(lattice.size)])


def disturbed(lattice: lbm.Lattice, cells: int = 7) -> Array:
    """Populations with ten per cent of random disturbance, not zero-centred."""
    generator = np.random.default_rng(lattice.size)
    return weights(lattice)[:, None] * (1 + 0.1 * generator.uniform(-1, 1, (lattice.size, cells)))


def equilibrium(lattice: lbm.Lattice, rho: Array, u: Array, compressible: bool = True) -> Array:
    """Incompressible (He and Luo 1997): the density 1 carries the velocity."""
    cu = velocities(lattice) @ u
    carried = 3 * cu + 4.5 * cu**2 - 1.5 * (u**2).sum(0)
    return weights(lattice)[:, None] * (rho + (rho if compressible else 1) * carried)


def guo_source(lattice: lbm.Lattice, u: Array, force: Array) -> Array:
    c = velocities(lattice)
    cf = c @ force
    return weights(lattice)[:, None] * (
        3 * (cf[:, None] - (u * force[:, None]).sum(0)) + 9 * (c @ u) * cf[:, None]
    )


def state(lattice: lbm.Lattice, f: Array, force: Array, compressible: bool = True) -> tuple[Array, Array]:
    rho = f.sum(0)
    return rho, (velocities(lattice).T @ f + force[:, None] / 2) / (rho if compressible else 1)


def halves(f: Array, lattice: lbm.Lattice) -> tuple[Array, Array]:
    opposite = [lattice.opposite(q) for q in range(lattice.size)]
    return (f + f[opposite]) / 2, (f - f[opposite]) / 2


def bgk(lattice: lbm.Lattice, f: Array, force: Array, compressible: bool = True) -> Array:
    rho, u = state(lattice, f, force, compressible)
    source = guo_source(lattice, u, force)
    return f + OMEGA * (equilibrium(lattice, rho, u, compressible) - f) + (1 - OMEGA / 2) * source


def trt(lattice: lbm.Lattice, f: Array, force: Array, compressible: bool = True) -> Array:
    rho, u = state(lattice, f, force, compressible)
    odd_rate = 1 / (0.5 + MAGIC / (1 / OMEGA - 0.5))
    f_even, f_odd = halves(f, lattice)
    e_even, e_odd = halves(equilibrium(lattice, rho, u, compressible), lattice)
    s_even, s_odd = halves(guo_source(lattice, u, force), lattice)
    even = OMEGA * (e_even - f_even) + (1 - OMEGA / 2) * s_even
    return f + even + odd_rate * (e_odd - f_odd) + (1 - odd_rate / 2) * s_odd


def hermite2(lattice: lbm.Lattice) -> Array:
    c = velocities(lattice)
    return c[:, :, None] * c[:, None, :] - np.eye(lattice.dimension) / 3


def stress(lattice: lbm.Lattice, f: Array, force: Array, compressible: bool = True) -> Array:
    rho, u = state(lattice, f, force, compressible)
    c = velocities(lattice)
    return np.einsum("qa,qb,qn->abn", c, c, f - equilibrium(lattice, rho, u, compressible))


def regularised(lattice: lbm.Lattice, f: Array, force: Array, compressible: bool = True) -> Array:
    rho, u = state(lattice, f, force, compressible)
    pi = stress(lattice, f, force, compressible)
    w = weights(lattice)[:, None]
    f_1 = 4.5 * w * np.einsum("qab,abn->qn", hermite2(lattice), pi)
    # Guo's source and the force in the first moment: sum c f = rho u - F/2 before, rho u + F/2 after
    source = (1 - OMEGA / 2) * guo_source(lattice, u, force)
    return (
        equilibrium(lattice, rho, u, compressible)
        + (1 - OMEGA) * f_1
        + source
        + _half_force(lattice, force, source)
    )


def _half_force(lattice: lbm.Lattice, force: Array, source: Array) -> Array:
    """What makes the first moment rho u + F/2: the source brings (1 - omega/2) F, f_eq brings rho u."""
    w, c = weights(lattice)[:, None], velocities(lattice)
    missing = force[:, None] / 2 - c.T @ source
    return 3 * w * (c @ missing)


def third_order(lattice: lbm.Lattice, a: Callable[[int, int, int], Array]) -> Array:
    """The third-order Hermite term with coefficients a(i, j, k), for D2Q9, D3Q19 (S and D) and D3Q27."""
    c, w, d = velocities(lattice), weights(lattice)[:, None], lattice.dimension

    def h(i: int, j: int) -> Array:
        return ((c[:, i] ** 2 - 1 / 3) * c[:, j])[:, None]

    total = np.zeros((lattice.size, a(0, 0, 1).size))
    if lattice.name == "D3Q19":
        for i, j, k in ((0, 1, 2), (0, 2, 1), (1, 0, 2)):
            total += 13.5 * (h(i, j) + h(k, j)) * (a(i, i, j) + a(k, k, j))
            total += 4.5 * (h(i, j) - h(k, j)) * (a(i, i, j) - a(k, k, j))
        return w * total
    for i in range(d):
        for j in range(d):
            if i != j:
                total += 13.5 * h(i, j) * a(i, i, j)
    if d == 3:
        total += 27 * np.prod(c, axis=1)[:, None] * a(0, 1, 2)
    return w * total


def recursive_regularised(lattice: lbm.Lattice, f: Array, force: Array, compressible: bool = True) -> Array:
    rho, u = state(lattice, f, force, compressible)
    pi = stress(lattice, f, force, compressible)

    def both(i: int, j: int, k: int) -> Array:
        recursive = u[i] * pi[j, k] + u[j] * pi[i, k] + u[k] * pi[i, j]
        carried = (rho if compressible else 1) * u[i] * u[j] * u[k]
        return np.asarray(carried + (1 - OMEGA) * recursive)

    return regularised(lattice, f, force, compressible) + third_order(lattice, both)


CASES = [
    (lbm.BGK, bgk),
    (lbm.TRT, trt),
    (lbm.Regularised, regularised),
    (lbm.RecursiveRegularised, recursive_regularised),
]


@pytest.mark.parametrize("compressible", [True, False])
@pytest.mark.parametrize("zero_centred", [True, False])
@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("name", FLOWS)
@pytest.mark.parametrize(("operator", "formula"), CASES)
def test_operator_equals_its_formula(
    operator: type[lbm.CollisionOperator],
    formula: Callable[[lbm.Lattice, Array, Array, bool], Array],
    name: str,
    forced: bool,
    zero_centred: bool,
    compressible: bool,
) -> None:
    lattice = lbm.Lattice(name)
    if name == "D3Q15" and operator is lbm.RecursiveRegularised:
        with pytest.raises(
            KernelError, match="D3Q15 has too few velocities for orthogonal third-order moments"
        ):
            operator(lattice)
        return
    force = np.array([1e-2, -2e-2, 3e-2][: lattice.dimension]) if forced else np.zeros(lattice.dimension)
    components = ("g_x", "g_y", "g_z")[: lattice.dimension]
    model = operator(lattice, "omega", force=components if forced else None, compressible=compressible)
    arguments = {"omega": OMEGA} | (dict(zip(components, force, strict=True)) if forced else {})
    f = disturbed(lattice)
    shift = weights(lattice)[:, None] if zero_centred else 0.0
    post = collide(model, f - shift, zero_centred, **arguments) + shift
    assert post == pytest.approx(formula(lattice, f, force, compressible), abs=4e-16)
    assert post.sum(0) == pytest.approx(f.sum(0), abs=2e-15)
    c = velocities(lattice)
    assert c.T @ post == pytest.approx(c.T @ f + force[:, None], abs=2e-15)


@pytest.mark.parametrize(("operator", "formula"), CASES[:3])
def test_operators_on_a_lattice_of_ones_own(
    operator: type[lbm.CollisionOperator], formula: Callable[[lbm.Lattice, Array, Array], Array]
) -> None:
    lattice = mean_lattice()
    f, force = disturbed(lattice), np.zeros(3)
    shift = weights(lattice)[:, None]
    post = collide(operator(lattice), f - shift, omega=OMEGA) + shift
    assert post == pytest.approx(formula(lattice, f, force), abs=4e-16)


@pytest.mark.parametrize("name", FLOWS)
def test_equilibrium_has_the_moments_of_the_maxwellian(name: str) -> None:
    """A fully relaxed cell (omega = 1) is the equilibrium: its moments by summation."""
    lattice = lbm.Lattice(name)
    f = disturbed(lattice)
    rho, u = state(lattice, f, np.zeros(lattice.dimension))
    post = collide(lbm.BGK(lattice, 1), f - weights(lattice)[:, None]) + weights(lattice)[:, None]
    c = velocities(lattice)
    second = np.einsum("qa,qb,qn->abn", c, c, post)
    expected = rho * (np.eye(lattice.dimension)[:, :, None] / 3 + u[:, None] * u[None, :])
    assert second == pytest.approx(expected, abs=2e-15)


def test_only_the_axes_that_have_a_force_cost_anything() -> None:
    lattice = lbm.Lattice("D3Q19")
    symbols = {name: sympy.Symbol(f"f_{name}", real=True) for name in lattice.names}
    cost = [
        operations(lbm.BGK(lattice, force=force)(symbols).statements)
        for force in (None, (0, 0, 0), ("g_x", 0, 0), ("g_x", "g_y", "g_z"))
    ]
    assert cost[0] == cost[1] < cost[2] < cost[3]


@pytest.mark.parametrize("operator", [lbm.BGK, lbm.TRT, lbm.Regularised, lbm.RecursiveRegularised])
def test_smagorinsky_solves_its_equation(operator: type[lbm.CollisionOperator]) -> None:
    """tau = tau_0 + 3 nu_t, nu_t = C^2 |S|, |S| = 3 Q / (sqrt(2) rho tau), Q the norm of the stress."""
    lattice = lbm.Lattice("D3Q19")
    force = np.array([1e-2, -2e-2, 3e-2])
    model = operator(lattice, "omega", force=("a", "b", "c_z"), eddy_viscosity=lbm.Smagorinsky("C"))
    f = disturbed(lattice)
    symbols = {name: sympy.Symbol(f"f_{name}", real=True) for name in lattice.names}
    values = {f"f_{name}": f[q] - weights(lattice)[q] for q, name in enumerate(lattice.names)}
    arguments = {"omega": OMEGA, "a": force[0], "b": force[1], "c_z": force[2], "C": 0.17}
    named = run(model(symbols).statements, _no_load, _no_store, values | arguments)
    rho, u = state(lattice, f, force)
    uf = u[:, None] * force[None, :, None]
    pi = stress(lattice, f, force) + (uf + uf.swapaxes(0, 1)) / 2
    norm = np.sqrt((pi**2).sum((0, 1)))
    tau = named["tau"]
    assert tau == pytest.approx(1 / OMEGA + 3 * 0.17**2 * 3 * norm / (np.sqrt(2) * rho * tau), rel=1e-14)
    assert named["omega_local"] == pytest.approx(1 / tau)
    # and the operator relaxes with it: one cell at a time with that rate as a plain argument
    for cell in range(f.shape[1]):
        plain = operator(lattice, "omega", force=("a", "b", "c_z"))
        local = {"omega": named["omega_local"][cell], "a": force[0], "b": force[1], "c_z": force[2]}
        one = collide(plain, f[:, cell : cell + 1] - weights(lattice)[:, None], **local)[:, 0]
        mine = np.array([named[f"post_{name}"][cell] for name in lattice.names])
        assert mine == pytest.approx(one, abs=1e-15)


def viscosity_ratio(
    operator: lbm.CollisionOperator, u: tuple[float, ...], direction: tuple[float, ...]
) -> float:
    """nu_eff / nu of a shear wave of length 32 from the linearised one-step operator."""
    lattice = operator.lattice
    nu = 0.01
    omega = 1 / (3 * nu + 0.5)
    base = equilibrium(lattice, np.ones(1), np.array(u)[:, None])[:, 0] - weights(lattice)
    # the exact fixed point of the operator near the equilibrium
    base = collide(operator, base[:, None], omega=omega)[:, 0]
    h = 1e-6
    plus = collide(operator, base[:, None] + h * np.eye(lattice.size), omega=omega)
    minus = collide(operator, base[:, None] - h * np.eye(lattice.size), omega=omega)
    jacobian = (plus - minus) / (2 * h)
    k = 2 * np.pi / 32 * np.array(direction)
    c = velocities(lattice)
    step = np.exp(-1j * c @ k)[:, None] * jacobian
    values, vectors = np.linalg.eig(step)
    # the shear mode: momentum along k x z, moving with the flow
    across = np.array([-direction[1], direction[0], 0.0][: lattice.dimension])
    amplitude = abs((c @ across) @ vectors) / np.linalg.norm(vectors, axis=0)
    hydrodynamic = np.argsort(-abs(values))[: lattice.dimension + 1]
    phase = np.exp(-1j * np.dot(k, u))
    best = max(hydrodynamic, key=lambda i: amplitude[i] - 10 * abs(values[i] / abs(values[i]) - phase))
    return float(-np.log(abs(values[best])) / (np.dot(k, k) * nu))


AXIS, OBLIQUE = (1.0, 0.0, 0.0), (0.8, 0.6, 0.0)
REST, MOVING = (0.0, 0.0, 0.0), (0.1, 0.05, 0.02)


@pytest.mark.parametrize(
    ("operator", "direction", "u", "expected"),
    [
        (lbm.BGK, AXIS, REST, 1.0032),
        (lbm.BGK, OBLIQUE, REST, 1.0003),
        (lbm.BGK, AXIS, MOVING, 0.9730),
        (lbm.TRT, AXIS, REST, 0.9984),
        (lbm.Regularised, AXIS, REST, 1.0028),
        (lbm.Regularised, AXIS, MOVING, 0.970),
        (lbm.RecursiveRegularised, AXIS, REST, 1.0028),
        (lbm.RecursiveRegularised, AXIS, MOVING, 1.0027),
    ],
)
def test_viscosity_of_the_linearised_operator(
    operator: type[lbm.CollisionOperator], direction: tuple[float, ...], u: tuple[float, ...], expected: float
) -> None:
    digits = 5e-4 if expected == 0.970 else 1.5e-4
    assert viscosity_ratio(operator(lbm.Lattice("D3Q19")), u, direction) == pytest.approx(
        expected, abs=digits
    )


def test_viscosity_of_the_full_lattice_in_an_oblique_flow() -> None:
    ratio = viscosity_ratio(lbm.RecursiveRegularised(lbm.Lattice("D3Q27")), MOVING, OBLIQUE)
    assert ratio == pytest.approx(0.9745, abs=3e-4)


@pytest.mark.parametrize(
    ("operator", "counts"),
    [
        (lbm.BGK, (77, 163, 240)),
        (lbm.TRT, (87, 184, 269)),
        (lbm.Regularised, (71, 152, 228)),
        (lbm.RecursiveRegularised, (89, 194, 305)),
    ],
)
def test_operations_a_cell(operator: type[lbm.CollisionOperator], counts: tuple[int, ...]) -> None:
    """Pinned: a change here changes every emitted kernel. What depends on omega alone is not counted."""
    found = []
    for name in ("D2Q9", "D3Q19", "D3Q27"):
        lattice = lbm.Lattice(name)
        symbols = {name: sympy.Symbol(f"f_{name}", real=True) for name in lattice.names}
        known = {"omega"}
        varying = []
        for statement in operator(lattice)(symbols).statements:
            if isinstance(statement, Assignment):
                if {symbol.name for symbol in statement.value.free_symbols} <= known:
                    known.add(statement.target.name)
                else:
                    varying.append(statement)
        found.append(operations(varying))
        divisions = sum(node.is_Pow for s in varying for node in sympy.preorder_traversal(s.value))
        assert divisions == 1
    assert tuple(found) == counts


def test_deriving_a_collision_is_fast() -> None:
    lattice = lbm.Lattice("D3Q19")
    start = time.process_time()
    stream = lbm.AA(lattice)
    stream(lbm.BGK(lattice))
    assert time.process_time() - start < 0.15


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        *((lbm.RecursiveRegularised, name) for name in ("D2Q9", "D3Q19", "D3Q27")),
        (lbm.ParametrisedCumulant, "D3Q27"),
    ],
)
def test_a_lattice_is_what_its_moments_are(operator: type[lbm.CollisionOperator], name: str) -> None:
    """With the weights of another one it is that one, whatever its name."""
    lattice = lbm.Lattice(name)
    classes = zip(("rest", "axis", "edge", "corner"), range(4), strict=True)
    given = {kind: lattice.class_weights[n] for kind, n in classes if n in lattice.class_weights}
    own = lbm.Lattice(f"{name}_own", given)
    f = disturbed(lattice) - weights(lattice)[:, None]
    assert np.array_equal(collide(operator(own), f, omega=OMEGA), collide(operator(lattice), f, omega=OMEGA))


def test_an_unstable_rate_is_refused() -> None:
    with pytest.raises(KernelError, match="relaxation rate 5/2 is outside the stable range"):
        lbm.BGK(lbm.Lattice("D2Q9"), 2.5)


def test_a_force_of_the_wrong_dimension_is_refused() -> None:
    with pytest.raises(KernelError, match="a force on D2Q9 has 2 components, not 3"):
        lbm.BGK(lbm.Lattice("D2Q9"), force=("g_x", 0, 0))
