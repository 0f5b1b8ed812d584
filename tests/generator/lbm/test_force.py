# SPDX-License-Identifier: Apache-2.0
"""Force models against their formulas, and forces that depend on the place."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
import sympy
from evaluate import Periodic
from heddle import Module, Sparse, block_coordinates, fields, lbm
from heddle.errors import KernelError
from test_collision import MAGIC, OMEGA, collide, disturbed, equilibrium, halves, state, velocities, weights

Array: TypeAlias = Any
FORCE = np.array([1e-2, -2e-2, 3e-2])
NAMES = ("g_x", "g_y", "g_z")
WITH_OWN_WAY = (
    lbm.MRT,
    lbm.CentralMoment,
    lbm.Cumulant,
    lbm.ParametrisedCumulant,
    lbm.KBC,
    lbm.Regularised,
    lbm.RecursiveRegularised,
)


def he(lattice: lbm.Lattice, f: Array, F: Array, odd_rate: float, compressible: bool) -> Array:
    """TRT (BGK if the rates are equal) about u with half the force, and f_eq 3 (c - u).F / rho."""
    rho, u = state(lattice, f, F, compressible)
    eq = equilibrium(lattice, rho, u, compressible)
    source = equilibrium(lattice, np.ones_like(rho), u) * 3 * ((velocities(lattice) @ F)[:, None] - F @ u)
    f_even, f_odd = halves(f - eq, lattice)
    s_even, s_odd = halves(source, lattice)
    relaxed = f - OMEGA * f_even - odd_rate * f_odd
    return np.asarray(relaxed + (1 - OMEGA / 2) * s_even + (1 - odd_rate / 2) * s_odd)


def exact_difference(lattice: lbm.Lattice, f: Array, F: Array, odd_rate: float, compressible: bool) -> Array:
    rho, u = state(lattice, f, 0 * F, compressible)
    eq = equilibrium(lattice, rho, u, compressible)
    f_even, f_odd = halves(f - eq, lattice)
    shifted = equilibrium(lattice, rho, u + F[:, None] / (rho if compressible else 1), compressible)
    return np.asarray(f - OMEGA * f_even - odd_rate * f_odd + shifted - eq)


@pytest.mark.parametrize("compressible", [True, False])
@pytest.mark.parametrize("zero_centred", [True, False])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q15", "D3Q19", "D3Q27"])
@pytest.mark.parametrize("operator", [lbm.BGK, lbm.TRT])
@pytest.mark.parametrize(("model", "formula"), [(lbm.He, he), (lbm.ExactDifference, exact_difference)])
def test_model_equals_its_formula(
    model: type[lbm.He],
    formula: Any,
    operator: type[lbm.BGK],
    name: str,
    zero_centred: bool,
    compressible: bool,
) -> None:
    lattice = lbm.Lattice(name)
    d = lattice.dimension
    odd_rate = OMEGA if operator is lbm.BGK else 1 / (0.5 + MAGIC / (1 / OMEGA - 0.5))
    f, shift = disturbed(lattice), weights(lattice)[:, None] if zero_centred else 0.0
    arguments = dict(zip(NAMES[:d], FORCE[:d], strict=True))
    collision = operator(lattice, force=model(NAMES[:d]), compressible=compressible)
    post = collide(collision, f - shift, zero_centred, omega=OMEGA, **arguments)
    expected = formula(lattice, f, FORCE[:d], odd_rate, compressible)
    assert post + shift == pytest.approx(expected, abs=1e-15)
    c = velocities(lattice)
    assert c.T @ (post + shift) == pytest.approx(c.T @ f + FORCE[:d, None], abs=3e-15)


def test_the_models_differ() -> None:
    """In second order of the velocity; a uniform force alone cannot tell them apart."""
    lattice = lbm.Lattice("D2Q9")
    f, F = disturbed(lattice), FORCE[:2]
    operators = [lbm.BGK(lattice, force=force) for force in (F, lbm.He(F), lbm.ExactDifference(F))]
    guo, other, difference = (collide(o, f - weights(lattice)[:, None], omega=OMEGA) for o in operators)
    assert abs(guo - other).max() > 1e-7
    assert abs(guo - difference).max() > 1e-7


@pytest.mark.parametrize(
    ("operator", "model"),
    [(operator, model) for operator in (lbm.BGK, lbm.TRT) for model in (tuple, lbm.He, lbm.ExactDifference)]
    + [(operator, tuple) for operator in WITH_OWN_WAY],
)
def test_a_force_that_is_a_field(operator: type[lbm.BGK], model: Any) -> None:
    """Each cell gets its own: the momentum of the box grows by the sum of the field."""
    lattice = lbm.Lattice("D3Q27")
    push = fields("push: real(3)[3D]")
    random, shape = np.random.default_rng(2), (3, 4, 5)
    given = random.uniform(-1e-3, 1e-3, (3, *shape))
    f = weights(lattice)[:, None, None, None] * random.uniform(-0.1, 0.1, (27, *shape))
    force = model(tuple(push.component(a) for a in range(3)))
    kernel = lbm.Pull(lattice)(operator(lattice, force=force)).steps[""]
    box = Periodic(f=f, f_next=np.zeros_like(f), push=given)
    box.run(kernel, omega=OMEGA)
    arrived = np.stack([np.roll(f[q], c, (0, 1, 2)) for q, c in enumerate(lattice.velocities)])
    gain = np.einsum("qa,qxyz->axyz", velocities(lattice), box.fields["f_next"] - arrived)
    assert gain == pytest.approx(given, abs=1e-15)


@pytest.mark.parametrize("model", [tuple, lbm.He, lbm.ExactDifference])
def test_a_force_that_depends_on_the_place(model: Any) -> None:
    """A Kolmogorov flow: the coordinate reaches the emitted kernel; a list of cells has none."""
    lattice = lbm.Lattice("D2Q9")
    a, k = sympy.symbols("a k")
    _, y = block_coordinates(2)
    stream = lbm.AA(lattice)(lbm.TRT(lattice, force=model((a * sympy.sin(k * y), 0))))
    module = Module("m", precisions=("f64",))
    module.add("step", stream)
    assert {p.name for p in module.stages("step_even", "f64", "cpu").kernel.parameters} == {"omega", "a", "k"}
    module.add("sparse", stream, space=Sparse("fluid"))
    with pytest.raises(KernelError, match="'y' is undefined here"):
        module.stages("sparse_even", "f64", "cpu")


def test_moments_take_a_model_as_well() -> None:
    lattice = lbm.Lattice("D2Q9")
    plain = lbm.Pull(lattice).moments(force=("g_x", 0)).steps[""]
    model = lbm.Pull(lattice).moments(force=lbm.ExactDifference(("g_x", 0))).steps[""]
    assert list(plain) == list(model)


@pytest.mark.parametrize("operator", WITH_OWN_WAY)
def test_operators_with_a_way_of_their_own(operator: type[lbm.BGK]) -> None:
    with pytest.raises(
        KernelError, match=f"{operator.__name__} has its own forcing scheme and does not support He"
    ):
        operator(lbm.Lattice("D3Q27"), force=lbm.He(("g_x", 0, 0)))
