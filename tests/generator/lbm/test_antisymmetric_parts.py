# SPDX-License-Identifier: Apache-2.0
"""Populations made of a momentum carry exactly it, rounded as kernels round, in every precision."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from heddle import lbm
from heddle.lbm.collision.antisymmetric_parts import AntisymmetricParts
from heddle.model.assignment import Assignment
from heddle.model.equations import Equations


def rounded(expression: sympy.Expr, values: dict[str, Any], kind: Any) -> Any:
    """The value of an expression, rounded after each operation."""
    if isinstance(expression, sympy.Symbol):
        return values[expression.name]
    if isinstance(expression, sympy.Rational):
        return kind(expression.p) / kind(expression.q)
    total, *parts = [rounded(argument, values, kind) for argument in expression.args]
    for part in parts:
        total = total + part if expression.is_Add else total * part
    return total


def carried(lattice: lbm.Lattice, momentum: list[Any], kind: Any) -> list[Fraction]:
    """The sum of c_q times the odd half of q over both directions of each pair, exactly."""
    equations = Equations()
    antisymmetric_parts = AntisymmetricParts(equations, lattice)
    names = [sympy.Symbol(f"j_{axis}") for axis in lattice.axes]
    halves = {}
    for q, _ in lattice.pairs:
        along = [(c, j) for c, j in zip(lattice.velocities[q], names, strict=True) if c]
        halves[q] = antisymmetric_parts.of(lattice.order(q), along)
    values: dict[str, Any] = dict(zip((j.name for j in names), momentum, strict=True))
    for statement in equations.statements:
        assert isinstance(statement, Assignment)
        values[statement.target.name] = rounded(statement.value, values, kind)
    result = [Fraction(0)] * lattice.dimension
    for q, half in halves.items():
        value = Fraction(float(rounded(half, values, kind)))
        assert float(value) == pytest.approx(
            3 * float(lattice.weight(q)) * float(np.dot(lattice.velocities[q], momentum)), abs=3e-8
        )
        result = [total + 2 * c * value for total, c in zip(result, lattice.velocities[q], strict=True)]
    return result


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q15", "D3Q19", "D3Q27"])
def test_the_momentum_along_an_axis_is_carried_exactly(name: str, kind: Any) -> None:
    lattice, generator = lbm.Lattice(name), np.random.default_rng(5)
    for axis in range(lattice.dimension):
        for value in generator.uniform(-0.1, 0.1, 50):
            momentum = [kind(value if a == axis else 0) for a in range(lattice.dimension)]
            assert carried(lattice, momentum, kind) == [Fraction(float(j)) for j in momentum]


@pytest.mark.parametrize("name", ["D2Q9", "D3Q15", "D3Q19", "D3Q27"])
def test_no_part_of_a_momentum_is_lost_on_average(name: str) -> None:
    """Sums of two components are rounded, with errors of both signs. A part of 7e-9, as rounded weights have,
    is ten times what is left of these."""
    lattice, generator = lbm.Lattice(name), np.random.default_rng(6)
    count = 1000
    values = generator.uniform(-0.1, 0.1, (count, lattice.dimension)).astype(np.float32)
    lost = size = 0.0
    for momentum in values:
        found = carried(lattice, list(momentum), np.float32)
        for total, j in zip(found, momentum, strict=True):
            lost += float(total - Fraction(float(j))) * float(j)
            size += float(j) ** 2
    assert abs(lost / size) < 1e-9
