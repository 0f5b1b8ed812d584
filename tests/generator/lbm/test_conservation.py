# SPDX-License-Identifier: Apache-2.0
"""Every collision that can be put together keeps a cell's mass and gives it the momentum of the force."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import pytest
import sympy
from evaluate import run
from heddle import lbm

Operator: TypeAlias = Callable[..., lbm.CollisionOperator]
BOUNDS = (0.001, 2)
PAIRS: dict[str, Operator] = {"BGK": lbm.BGK, "TRT": lbm.TRT}
"""Operators that take a force in other ways than Guo's, too."""
IN_LAB: dict[str, Operator] = {
    "MRT": lbm.MRT,
    "MRT raw": lambda lattice, **options: lbm.MRT(lattice, basis="raw", **options),
    "Regularised": lbm.Regularised,
    "RecursiveRegularised": lbm.RecursiveRegularised,
}
MOVING: dict[str, Operator] = {
    "CentralMoment": lbm.CentralMoment,
    "Cumulant": lbm.Cumulant,
    "ParametrisedCumulant": lbm.ParametrisedCumulant,
    "KBC": lbm.KBC,
}
"""Operators in the frame of the flow, which have no incompressible form."""
OPERATORS = PAIRS | IN_LAB | MOVING
VISCOSITIES: tuple[dict[str, Any], ...] = (
    {"omega": 1.7},
    *({"omega": 1.7, "eddy_viscosity": model} for model in (lbm.Smagorinsky(), lbm.Vreman(), lbm.WALE())),
    {"rheology": lbm.PowerLaw(consistency=0.1, exponent=0.7, bounds=BOUNDS)},
    {"rheology": lbm.Carreau(at_rest=0.5, at_infinity=0.01, time=10, exponent=0.5)},
    {
        "rheology": lbm.HerschelBulkley(
            consistency=0.1, exponent=0.8, yield_stress=1e-4, growth=1e3, bounds=BOUNDS
        )
    },
)


def choices(name: str) -> Iterator[tuple[lbm.CollisionOperator, np.ndarray]]:
    """The operator with all its options, and the force on it."""
    lattice = lbm.Lattice("D3Q27" if name == "ParametrisedCumulant" else "D2Q9")
    pull = (1e-3, -2e-3, 3e-3)[: lattice.dimension]
    forces: list[Any] = [None, pull]
    if name in PAIRS:
        forces += [lbm.He(pull), lbm.ExactDifference(pull)]
    kinds = (True,) if name in MOVING else (True, False)
    for compressible, force, viscosity in product(kinds, forces, VISCOSITIES):
        operator = OPERATORS[name](lattice, force=force, compressible=compressible, **viscosity)
        yield operator, np.array(pull) * (force is not None)


@pytest.mark.parametrize("name", OPERATORS)
def test_mass_and_momentum(name: str) -> None:
    """Of populations ten per cent off equilibrium, and velocities for the models that take gradients."""
    random = np.random.default_rng(len(name))
    for number, (operator, force) in enumerate(choices(name)):
        lattice = operator.lattice
        weights = np.array([float(lattice.weight(q)) for q in range(lattice.size)])[:, None]
        deviation = 0.1 * weights * random.uniform(-1, 1, (lattice.size, 4))
        zero_centred = number % 2 == 0
        before = deviation if zero_centred else weights + deviation
        names = {q: sympy.Symbol(f"f_{q}", real=True) for q in lattice.names}
        values = {f"f_{q}": before[i] for i, q in enumerate(lattice.names)}
        velocity = random.uniform(-0.1, 0.1, (3, 3, 3, 3, 4))

        def load(access: Any, velocity: np.ndarray = velocity) -> np.ndarray:
            return np.asarray(velocity[(*(*access.offsets, 0)[:3], access.component)])

        found = run(operator(names, zero_centred).statements, load, no_store, values)
        gained = np.stack([found[f"post_{q}"] for q in lattice.names]) - before
        case = f"{name}, number {number}"
        assert np.abs(gained.sum(0)).max() < 1e-14, case
        assert np.abs(np.array(lattice.velocities).T @ gained - force[:, None]).max() < 1e-14, case


def no_store(access: object, value: object, where: object) -> None:
    raise AssertionError(f"a collision writes {access}")
