# SPDX-License-Identifier: Apache-2.0
"""The entropic operator against its definition, population by population."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from evaluate import Periodic
from heddle import lbm
from heddle.errors import KernelError
from test_collision import OMEGA, collide, disturbed, state, velocities, weights

Array: TypeAlias = Any


def product_equilibrium(lattice: lbm.Lattice, rho: Array, u: Array) -> Array:
    """rho times 2/3 - u^2 for rest and (1/3 + u^2 +- u) / 2 for motion, for each axis."""
    result = np.tile(rho, (lattice.size, 1))
    for a, v in enumerate(u):
        for q, c in enumerate(lattice.velocities):
            result[q] *= 2 / 3 - v**2 if c[a] == 0 else (1 / 3 + v**2 + c[a] * v) / 2
    return result


def shear_part(lattice: lbm.Lattice, difference: Array, trace: bool) -> Array:
    """The solution of: second moments as in `difference` (traceless), all other monomials 0."""
    c, d = velocities(lattice), lattice.dimension
    powers = [p for p in np.ndindex(*(3,) * d)]
    matrix = np.array([np.prod(c ** np.array(p), axis=1) for p in powers])
    moments = matrix @ difference
    diagonal = [powers.index(tuple(2 * int(a == b) for b in range(d))) for a in range(d)]
    for i, p in enumerate(powers):
        if sum(p) != 2:
            moments[i] = 0
    if not trace:
        moments[diagonal] -= moments[diagonal].mean(0)
    return np.linalg.solve(matrix, moments)


@pytest.mark.parametrize("zero_centred", [True, False])
@pytest.mark.parametrize("trace", [True, False])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q27"])
def test_the_other_part_maximises_the_entropy(name: str, trace: bool, zero_centred: bool) -> None:
    lattice = lbm.Lattice(name)
    f, zero = disturbed(lattice), np.zeros(lattice.dimension)
    rho, u = state(lattice, f, zero)
    eq = product_equilibrium(lattice, rho, u)
    s = shear_part(lattice, f - eq, trace)
    h = f - eq - s
    beta = OMEGA / 2
    gamma = 1 / beta - (2 - 1 / beta) * (s * h / eq).sum(0) / (h * h / eq).sum(0)
    assert abs(gamma - 2).min() > 0.1
    shift = weights(lattice)[:, None] if zero_centred else 0.0
    post = collide(lbm.KBC(lattice, trace=trace), f - shift, zero_centred, omega=OMEGA) + shift
    assert post == pytest.approx(f - beta * (2 * s + gamma * h), abs=3e-15)
    c = velocities(lattice)
    assert post.sum(0) == pytest.approx(f.sum(0), abs=2e-15)
    assert c.T @ post == pytest.approx(c.T @ f, abs=2e-15)


@pytest.mark.parametrize("zero_centred", [True, False])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q27"])
def test_a_force_acts_by_exact_difference(name: str, zero_centred: bool) -> None:
    lattice = lbm.Lattice(name)
    f, d = disturbed(lattice), lattice.dimension
    force = np.array([1e-2, -2e-2, 3e-2])[:d]
    rho, u = state(lattice, f, 0 * force)
    shift = weights(lattice)[:, None] if zero_centred else 0.0
    plain = collide(lbm.KBC(lattice), f - shift, zero_centred, omega=OMEGA)
    names = ("g_x", "g_y", "g_z")[:d]
    arguments = dict(zip(names, force, strict=True))
    pushed = collide(lbm.KBC(lattice, force=names), f - shift, zero_centred, omega=OMEGA, **arguments)
    gain = product_equilibrium(lattice, rho, u + force[:, None] / rho) - product_equilibrium(lattice, rho, u)
    assert pushed - plain == pytest.approx(gain, abs=3e-15)
    assert velocities(lattice).T @ (pushed - plain) == pytest.approx(
        np.tile(force[:, None], f.shape[1]), abs=3e-15
    )


def test_at_rest_nothing_happens() -> None:
    """<h|h> is 0: gamma is 2 and not 0/0."""
    lattice = lbm.Lattice("D2Q9")
    assert np.array_equal(collide(lbm.KBC(lattice), np.zeros((9, 2)), omega=OMEGA), np.zeros((9, 2)))


def test_a_shear_wave_decays_with_the_viscosity() -> None:
    """The operator has no linearisation about rest (gamma is a ratio of quadratic forms), so it is run."""
    lattice, nu, steps = lbm.Lattice("D2Q9"), 0.01, 400
    k = 2 * np.pi / 32
    wave = 0.01 * np.sin(k * np.arange(32.0))[:, None]
    u = np.stack([np.zeros((32, 1)), wave])
    stream = lbm.Pull(lattice)
    box = Periodic(f=np.zeros((9, 32, 1)), f_next=np.zeros((9, 32, 1)), rho=np.ones((1, 32, 1)), u=u)
    box.run(stream.initialise("rho", "u", omega="omega").steps[""], omega=1 / (3 * nu + 0.5))
    kernel = stream(lbm.KBC(lattice)).steps[""]
    amplitude = []
    for _ in range(steps):
        box.run(kernel, omega=1 / (3 * nu + 0.5))
        box.fields["f"], box.fields["f_next"] = box.fields["f_next"], box.fields["f"]
        momentum = np.einsum("q,qx->x", velocities(lattice)[:, 1], box.fields["f"][..., 0])
        amplitude.append(abs(np.fft.rfft(momentum)[1]))
    decay = np.log(amplitude[steps // 4] / amplitude[-1]) / (steps - 1 - steps // 4)
    assert decay / (k**2 * nu) == pytest.approx(1.0031, abs=3e-4)


def test_what_it_does_not_do_is_refused() -> None:
    with pytest.raises(KernelError, match="KBC needs all 27 velocities in 3 dimensions; D3Q19 has 19"):
        lbm.KBC(lbm.Lattice("D3Q19"))
    with pytest.raises(KernelError, match="KBC is defined relative to the velocity"):
        lbm.KBC(lbm.Lattice("D2Q9"), compressible=False)
