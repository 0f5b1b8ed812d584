# SPDX-License-Identifier: Apache-2.0
"""Subgrid models and generalised Newtonian fluids against their definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
import sympy
from evaluate import Periodic, run
from heddle import Module, lbm
from heddle.errors import KernelError
from test_collision import OMEGA, _no_load, _no_store, disturbed, equilibrium, state, velocities, weights

Array: TypeAlias = Any
D2Q9, D3Q19, D3Q27 = (lbm.Lattice(name) for name in ("D2Q9", "D3Q19", "D3Q27"))
FORCE = np.array([1e-2, -2e-2, 3e-2])


def named_values(operator: lbm.CollisionOperator, f: Array, **arguments: float) -> dict[str, Any]:
    lattice = operator.lattice
    symbols = {name: sympy.Symbol(f"f_{name}", real=True) for name in lattice.names}
    values = {f"f_{name}": f[q] - weights(lattice)[q] for q, name in enumerate(lattice.names)}
    return run(operator(symbols).statements, _no_load, _no_store, values | arguments)


def stress_norm(lattice: lbm.Lattice, f: Array, force: Array) -> tuple[Array, Array]:
    """rho and Q, the norm of the second moment of f - f_eq about the velocity with half the force."""
    rho, u = state(lattice, f, force)
    c = velocities(lattice)
    pi = np.einsum("qa,qb,qn->abn", c, c, f - equilibrium(lattice, rho, u))
    uf = u[:, None] * force[None, :, None]
    return rho, np.sqrt(((pi + (uf + uf.swapaxes(0, 1)) / 2) ** 2).sum((0, 1)))


@pytest.mark.parametrize("operator", [lbm.MRT, lbm.CentralMoment, lbm.Cumulant])
def test_smagorinsky_in_moment_space(operator: type[lbm.MRT]) -> None:
    """tau = tau_0 + 3 C^2 |S|, |S| = 3 Q / (sqrt(2) rho tau)."""
    f = disturbed(D3Q27)
    model = operator(D3Q27, force=("g_x", "g_y", "g_z"), eddy_viscosity=lbm.Smagorinsky("C"))
    arguments = dict(zip(("g_x", "g_y", "g_z"), FORCE, strict=True))
    named = named_values(model, f, omega=OMEGA, C=0.17, **arguments)
    rho, norm = stress_norm(D3Q27, f, FORCE)
    tau = named["tau"]
    assert tau == pytest.approx(1 / OMEGA + 3 * 0.17**2 * 3 * norm / (np.sqrt(2) * rho * tau), rel=1e-13)
    assert named["omega_local"] == pytest.approx(1 / tau)
    plain = named_values(
        operator(D3Q27, force=("g_x", "g_y", "g_z")), f, omega=named["omega_local"], **arguments
    )
    for name in D3Q27.names:
        assert named[f"post_{name}"] == pytest.approx(plain[f"post_{name}"], abs=1e-15)


def gradient(u: Array) -> Array:
    """g[a, b] = d_b u_a by central differences, periodic."""
    d = u.shape[0]
    return np.array([[(np.roll(u[a], -1, b) - np.roll(u[a], 1, b)) / 2 for b in range(d)] for a in range(d)])


def vreman(g: Array, constant: float) -> Array:
    """With 3 x 3 matrices: alpha_ij = d_i u_j, beta = alpha^T alpha, the second invariant of beta."""
    alpha = np.moveaxis(g, (0, 1), (-1, -2))
    beta = np.swapaxes(alpha, -1, -2) @ alpha
    trace = np.trace(beta, axis1=-2, axis2=-1)
    second = (trace**2 - np.trace(beta @ beta, axis1=-2, axis2=-1)) / 2
    return constant * np.sqrt(second / (alpha**2).sum((-1, -2)))


def wale(g: Array, constant: float) -> Array:
    """With 3 x 3 matrices."""
    g = np.moveaxis(g, (0, 1), (-2, -1))
    if g.shape[-1] == 2:
        g = np.pad(g, [(0, 0)] * (g.ndim - 2) + [(0, 1), (0, 1)])
    strain = (g + np.swapaxes(g, -1, -2)) / 2
    square = g @ g
    twist = (square + np.swapaxes(square, -1, -2)) / 2
    twist = twist - np.eye(3) * np.trace(square, axis1=-2, axis2=-1)[..., None, None] / 3
    dd, ss = (twist**2).sum((-1, -2)), (strain**2).sum((-1, -2))
    return constant**2 * dd**1.5 / (ss**2.5 + dd**1.25)


@pytest.mark.parametrize(("model", "formula"), [(lbm.Vreman, vreman), (lbm.WALE, wale)])
@pytest.mark.parametrize("lattice", [D2Q9, D3Q19], ids=["2D", "3D"])
def test_gradient_models(
    lattice: lbm.Lattice, model: type[lbm.Vreman], formula: Callable[[Array, float], Array]
) -> None:
    shape = (5, 4, 6)[: lattice.dimension]
    random = np.random.default_rng(3)
    u = random.uniform(-0.1, 0.1, (lattice.dimension, *shape))
    f = weights(lattice).reshape(-1, *[1] * len(shape)) * random.uniform(-0.1, 0.1, (lattice.size, *shape))
    stream = lbm.Pull(lattice)
    operator = lbm.BGK(lattice, eddy_viscosity=model("C", u="v"))
    box = Periodic(f=f, f_next=np.zeros_like(f), v=u)
    named = box.run(stream(operator).steps[""], omega=OMEGA, C=0.3)
    expected = formula(gradient(u), 0.3)
    assert expected.min() > 1e-5
    assert named["eddy_viscosity"] == pytest.approx(expected, rel=1e-12)
    assert named["omega_local"] == pytest.approx(1 / (1 / OMEGA + 3 * expected))


@pytest.mark.parametrize("model", [lbm.Vreman, lbm.WALE])
def test_no_eddy_viscosity_in_shear_and_at_rest(model: type[lbm.Vreman]) -> None:
    operator = lbm.BGK(D3Q19, eddy_viscosity=model())
    shape = (4, 8, 4)
    u = np.zeros((3, *shape))
    for amplitude in (0.0, 0.1):
        u[0] = amplitude * np.sin(2 * np.pi * np.arange(8) / 8)[None, :, None]
        box = Periodic(f=np.zeros((19, *shape)), f_next=np.zeros((19, *shape)), u=u)
        named = box.run(lbm.Pull(D3Q19)(operator).steps[""], omega=OMEGA)
        assert np.array_equal(named["eddy_viscosity"], np.zeros(shape))


def test_gradient_models_lower_to_a_kernel() -> None:
    """In place too: the velocity is another field."""
    module = Module("m", precisions=("f32",))
    module.add("k", lbm.AA(D3Q19)(lbm.MRT(D3Q19, eddy_viscosity=lbm.Vreman())))
    assert "u" in [field.name for field in module.stages("k_odd", "f32", "cuda").kernel.fields]


LAWS: list[tuple[lbm.ViscosityModel, Callable[[Array], Array], float]] = [
    (lbm.PowerLaw(consistency=1e-3, exponent=0.3), lambda s: 1e-3 * s**-0.7, 2e-5),
    (lbm.PowerLaw(consistency=1e-2, exponent=0.75), lambda s: 1e-2 * s**-0.25, 2e-5),
    (lbm.PowerLaw(consistency=0.5, exponent=1.5), lambda s: 0.5 * s**0.5, 2e-5),
    (lbm.PowerLaw(consistency=2.0, exponent=1.8), lambda s: 2.0 * s**0.8, 1e-3),
    (
        lbm.Carreau(at_rest=0.5, at_infinity=0.005, time=2000.0, exponent=0.4),
        lambda s: 0.005 + 0.495 * (1 + (2000 * s) ** 2) ** -0.3,
        5e-5,
    ),
    (
        lbm.HerschelBulkley(consistency=0.01, exponent=0.6, yield_stress=2e-4, growth=1e5),
        lambda s: 0.01 * s**-0.4 + 2e-4 * (1 - np.exp(-1e5 * s)) / s,
        2e-5,
    ),
    (
        lbm.HerschelBulkley(consistency=0.02, exponent=1, yield_stress=2e-5, growth=1e4),
        lambda s: 0.02 + 2e-5 * (1 - np.exp(-1e4 * s)) / s,
        5e-4,  # the creep is cut off at growth * shear = 1e-3
    ),
]


@pytest.mark.parametrize(("law", "viscosity", "error"), LAWS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("operator", [lbm.TRT, lbm.Cumulant])
def test_the_viscosity_belongs_to_its_shear_rate(
    operator: type[lbm.TRT], law: lbm.ViscosityModel, viscosity: Callable[[Array], Array], error: float
) -> None:
    """tau solves tau = 1/2 + 3 nu(3 Q / (sqrt(2) rho tau)) over six decades of the shear rate."""
    lattice = D2Q9
    w = weights(lattice)[:, None]
    size = 10.0 ** np.linspace(-7, -1, 40)
    noise = w * np.random.default_rng(5).uniform(-1, 1, (9, 40)) * size
    f = w + noise
    tau = 1 / named_values(operator(lattice, rheology=law), f)["omega_local"]
    rho, norm = stress_norm(lattice, f, np.zeros(2))
    shear = 3 * norm / (np.sqrt(2) * rho)
    low, high = np.full(40, 0.5 + 3e-3), np.full(40, 6.5)
    for _ in range(60):  # bisection: the right side less tau falls with tau
        middle = (low + high) / 2
        below = middle < 0.5 + 3 * np.clip(viscosity(shear / middle), 1e-3, 2.0)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    assert np.ptp(low) > 0.1
    assert tau == pytest.approx(low, rel=error)


def test_a_fluid_at_rest_has_a_viscosity() -> None:
    """No 0/0 and no infinity: the bound, or the creep of a yield-stress fluid."""
    f = np.tile(weights(D2Q9)[:, None], (1, 2))
    thin = lbm.PowerLaw(consistency=0.01, exponent=0.5, bounds=("low", "high"))
    named = named_values(lbm.BGK(D2Q9, rheology=thin), f, low=1e-3, high=3.0)
    assert named["omega_local"] == pytest.approx(1 / (0.5 + 9.0))
    stiff = lbm.HerschelBulkley(consistency=0.01, exponent=1, yield_stress=1e-4, growth=5e3)
    named = named_values(lbm.BGK(D2Q9, rheology=stiff), f)
    assert named["omega_local"] == pytest.approx(1 / (0.5 + 3 * 0.51), rel=5e-4)


def test_what_does_not_fit_is_refused() -> None:
    law = lbm.PowerLaw(consistency=0.01, exponent=0.5)
    with pytest.raises(KernelError, match="omega = omega_0 cannot be combined with a rheology"):
        lbm.BGK(D2Q9, "omega_0", rheology=law)
    for options in (
        {"eddy_viscosity": law},
        {"rheology": lbm.Smagorinsky()},
        {"rheology": law, "eddy_viscosity": lbm.Smagorinsky()},
    ):
        with pytest.raises(KernelError, match="an eddy_viscosity must be a subgrid model"):
            lbm.BGK(D2Q9, **options)
    with pytest.raises(KernelError, match="viscosities from 2 to 1 with 3 iterations"):
        lbm.PowerLaw(consistency=0.01, exponent=0.5, bounds=(2, 1))
    with pytest.raises(KernelError, match="with 0 iterations are invalid"):
        lbm.PowerLaw(consistency=0.01, exponent=0.5, iterations=0)
