# SPDX-License-Identifier: Apache-2.0
"""Staggered grids: operators fit each other, momentum has the conservation laws of Harlow and Welch."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy
from heddle import fields
from heddle.model.assignment import Assignment
from heddle.model.bits import bit_and
from heddle.model.field import Access
from heddle.solvers import staggered

SHAPE = (6, 5, 4)
SPACINGS = {"per_x": 1.5, "per_y": 0.75, "per_z": 2.0}
ONES = {"rho": 1.0, "rho_face": 1.0, "per_height": 2.0, "per_distance": 2.0}


def value(expression: sympy.Basic, arrays: dict[str, Any], numbers: dict[str, float]) -> Any:
    """An expression on a periodic grid; profiles are numbers."""
    accesses = sorted(expression.atoms(Access), key=str)
    names = sorted(expression.free_symbols - set(accesses), key=str)
    found = [
        numbers[a.field.name]
        if a.field.profile >= 0
        else np.roll(arrays[a.field.name], [-d for d in a.offsets], (0, 1, 2))
        for a in accesses
    ]
    given = [numbers[str(name)] for name in names]
    stand_ins = [sympy.Dummy() for _ in (*accesses, *names)]
    plain = expression.xreplace(dict(zip((*accesses, *names), stand_ins, strict=True)))
    return sympy.lambdify(stand_ins, plain, "numpy")(*found, *given)


def noise(*names: str) -> dict[str, Any]:
    generator = np.random.default_rng(7)
    return {name: generator.uniform(-1, 1, SHAPE) for name in names}


def test_the_divergence_of_a_gradient_is_the_laplacian() -> None:
    """Through open faces all around; closed faces carry nothing."""
    openings = fields("open: uint8[3D]")
    grid = staggered.Grid(openings=openings)
    arrays = noise("p")
    p = grid.cells
    numbers = {**SPACINGS, **ONES}
    for axis, (name, weight) in enumerate(zip("uvw", grid.weights(), strict=True)):
        back = tuple(-1 if other == axis else 0 for other in range(3))
        arrays[name] = value(weight * (p.here - p[back]), arrays, numbers)
    named, laplacian = grid.laplacian(p)
    for mask, expected in ((63, value(grid.divergence(), arrays, numbers)), (0, np.zeros(SHAPE))):
        bits = {bit_and(sympy.Symbol("faces"), sympy.Integer(1 << n)): (mask >> n) & 1 for n in range(6)}
        total = laplacian
        for statement in reversed(named):
            assert isinstance(statement, Assignment)
            total = total.xreplace({statement.target: statement.value.xreplace(bits)})
        found = value(total, arrays, numbers) if total.free_symbols else np.zeros(SHAPE)
        np.testing.assert_allclose(found, expected, atol=1e-13)


def solenoidal() -> dict[str, Any]:
    """Noise without its divergence, by the discrete Fourier transform."""
    arrays = noise("u", "v", "w")
    symbols = []
    for axis, per in enumerate(SPACINGS.values()):
        wave = np.exp(2j * np.pi * np.fft.fftfreq(SHAPE[axis]))
        symbols.append(per * (wave - 1).reshape([-1 if a == axis else 1 for a in range(3)]))
    modes = [np.fft.fftn(arrays[name]) for name in "uvw"]
    divergence = sum(s * mode for s, mode in zip(symbols, modes, strict=True))
    eigenvalue = -sum(abs(s) ** 2 for s in symbols)
    eigenvalue[0, 0, 0] = 1
    pressure = divergence / eigenvalue
    pressure[0, 0, 0] = 0
    for name, mode, s in zip("uvw", modes, symbols, strict=True):
        arrays[name] = np.fft.ifftn(mode + np.conj(s) * pressure).real
    return arrays


def test_momentum_and_energy_are_conserved() -> None:
    """Advection moves momentum and energy about; a force of (1, 2, 0) adds them."""
    arrays = solenoidal()
    numbers = {**SPACINGS, **ONES, "nu": 0.0}
    assert abs(value(staggered.Grid().divergence(), arrays, numbers)).max() < 1e-13
    rates = [value(rate, arrays, numbers) for rate in staggered.Grid().momentum("nu", (1, 2, 0))]
    for rate, force in zip(rates, (1, 2, 0), strict=True):
        assert abs(rate.mean() - force) < 1e-14
    power = sum(
        (arrays[name] * (rate - f)).sum() for name, rate, f in zip("uvw", rates, (1, 2, 0), strict=True)
    )
    assert abs(power) < 1e-12


def test_viscosity_dissipates_what_gradients_say() -> None:
    """Of a wave along z the second difference is -4 sin^2(k / 2) per_z^2."""
    arrays = {name: np.zeros(SHAPE) for name in "uvw"}
    wave = np.cos(2 * np.pi * np.arange(SHAPE[2]) / SHAPE[2])
    arrays["u"] = np.broadcast_to(wave, SHAPE).copy()
    rate = value(staggered.Grid().momentum("nu", (0, 0, 0))[0], arrays, {**SPACINGS, "nu": 0.3})
    factor = -0.3 * 4 * np.sin(np.pi / SHAPE[2]) ** 2 * SPACINGS["per_z"] ** 2
    np.testing.assert_allclose(rate, factor * arrays["u"], atol=1e-14)
