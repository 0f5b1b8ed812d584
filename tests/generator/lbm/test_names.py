# SPDX-License-Identifier: Apache-2.0
"""A user's names stay, whatever a kernel calls its own values: those are moved aside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest
import sympy
from evaluate import run
from heddle import Cells, Module, Sparse, lbm
from heddle.model.assignment import Assignment, If, Statement
from heddle.model.field import Access, IsWallLink

D2Q5, D2Q9, D3Q19, D3Q27 = (lbm.Lattice(name) for name in ("D2Q5", "D2Q9", "D3Q19", "D3Q27"))
Make = Callable[[Any], lbm.StreamingKernels]

OPERATORS: dict[str, Callable[[Any], lbm.CollisionOperator]] = {
    "BGK": lambda given: lbm.BGK(D2Q9, given, force=lbm.He((given, given))),
    "BGK exact difference": lambda given: lbm.BGK(D2Q9, force=lbm.ExactDifference((given, given))),
    "TRT": lambda given: lbm.TRT(D2Q9, magic=given, force=(given, 0)),
    "MRT": lambda given: lbm.MRT(D2Q9, given, omega_bulk=given, higher=given, force=(given, given)),
    "MRT raw": lambda given: lbm.MRT(D2Q9, basis="raw", higher=given, force=(given, given)),
    "CentralMoment": lambda given: lbm.CentralMoment(D2Q9, given, higher=given, galilean=True),
    "Cumulant": lambda given: lbm.Cumulant(D2Q9, given, force=(given, given)),
    "ParametrisedCumulant": lambda given: lbm.ParametrisedCumulant(D3Q27, given),
    "Regularised": lambda given: lbm.Regularised(D2Q9, omega_bulk=given, force=(given, given)),
    "RecursiveRegularised": lambda given: lbm.RecursiveRegularised(D3Q19, given, omega_bulk=given),
    "KBC": lambda given: lbm.KBC(D2Q9, given, force=(given, given)),
    "Smagorinsky": lambda given: lbm.TRT(D2Q9, force=(given, 0), eddy_viscosity=lbm.Smagorinsky(given)),
    "Vreman": lambda given: lbm.KBC(D2Q9, given, eddy_viscosity=lbm.Vreman(given)),
    "WALE": lambda given: lbm.MRT(D3Q19, given, eddy_viscosity=lbm.WALE(given)),
    "PowerLaw": lambda given: lbm.BGK(D2Q9, rheology=lbm.PowerLaw(consistency=given, exponent=given)),
    "Carreau": lambda given: lbm.BGK(
        D2Q9, rheology=lbm.Carreau(at_rest=given, at_infinity=given, time=given, exponent=given)
    ),
    "HerschelBulkley": lambda given: lbm.BGK(
        D2Q9,
        rheology=lbm.HerschelBulkley(consistency=given, exponent=given, yield_stress=given, growth=given),
    ),
}
PATTERNS: dict[str, Callable[[lbm.Lattice], lbm.StreamingPattern]] = {
    "Pull": lbm.Pull,
    "Push": lbm.Push,
    "AA": lbm.AA,
    "EsoTwist": lambda lattice: lbm.EsoTwist(lattice, halfway_mask="walls_of_it"),
    "EsoPull": lambda lattice: lbm.EsoPull(lattice, zero_centred=False),
}
AA = lbm.AA(D2Q9, ghost_layers=2)
KINDS: dict[str, Make] = {
    "scalar": lambda given: AA(
        lbm.AdvectionDiffusion(D2Q9, given, u=(given, given), source=given, magic=given)
    ),
    "start": lambda given: AA(lbm.ConsistentInitialisation(D2Q9, given)),
    "moment storage": lambda given: lbm.MomentStorage(
        D3Q19, walls="walls_of_it", lid="lid_of_it", velocity=(given, given, 0)
    )(lbm.Regularised(D3Q19, given, omega_bulk=given, force=(given, 0, given))),
    "lid of a moment storage": lambda given: lbm.MomentStorage(
        D2Q9, walls="walls_of_it", lid="lid_of_it", velocity=(given, given)
    )(lbm.Regularised(D2Q9)),
    "moment storage recursive": lambda given: lbm.MomentStorage(D2Q9)(lbm.RecursiveRegularised(D2Q9, given)),
    "boundaries of moments": lambda given: lbm.MomentStorage(
        D2Q9, walls="walls_of_it", lid="lid_of_it", velocity=(given, given)
    ).boundary(
        lbm.Regularised(D2Q9, given, force=(given, given), omega_bulk=given),
        {
            "in": lbm.VelocityBounceBack((given, given)),
            "own": lbm.PressureAntiBounceBack(given, force=(given, given)),
            "wall": lbm.Bouzidi(velocity=(given, given)),
        },
        torque="couple",
        arm=(given, given),
    ),
    "VelocityBounceBack": lambda given: AA.boundary(
        lbm.VelocityBounceBack((given, given)), face="e", force="drag"
    ),
    "VelocityBounceBack over a list": lambda given: AA.boundary(
        lbm.VelocityBounceBack((given, given)), torque="couple", arm=(given, given)
    ),
    "PressureAntiBounceBack": lambda given: AA.boundary(
        lbm.PressureAntiBounceBack(given, force=(given, given)), face="e", force="drag"
    ),
    "PressureJump": lambda given: AA.boundary(lbm.PressureJump(given), face="e"),
    "Bouzidi": lambda given: AA.boundary(lbm.Bouzidi(given, (given, given), order="quadratic"), face="e"),
    "ConvectiveOutflow": lambda given: AA.boundary(lbm.ConvectiveOutflow(given), face="e"),
    "ScalarValue": lambda given: AA.boundary(lbm.ScalarValue(given), face="e"),
    "ScalarFlux": lambda given: lbm.Pull(D2Q5).boundary(lbm.ScalarFlux(given), face="e", force="drag"),
    "moments": lambda given: AA.moments(pressure="p", force=(given, given)),
    "scalar moments": lambda given: AA.scalar_moments(source=given),
    "strain rate": lambda given: AA.strain_rate(lbm.BGK(AA.lattice, given, eddy_viscosity=lbm.WALE(given))),
    "initialise": lambda given: AA.initialise(
        given, "u", omega=given, omega_bulk=given, force=(given, given)
    ),
    "initialise moments in memory": lambda given: lbm.MomentStorage(D2Q9).initialise(
        given, "u", omega=given, omega_bulk=given, force=(given, given)
    ),
    "initialise from arguments": lambda given: AA.initialise(given, (given, given), force=(given, given)),
    "initialise a scalar": lambda given: AA.initialise_scalar(given, (given, given)),
}


def named(statements: Iterable[Statement]) -> Iterator[str]:
    """What a kernel calls values of its own."""
    for statement in statements:
        if isinstance(statement, If):
            yield from named(statement.body)
        elif isinstance(statement, Assignment) and not isinstance(statement.target, Access):
            yield statement.target.name


def stored(statements: Iterable[Statement], arguments: dict[str, float]) -> dict[str, Any]:
    """What a kernel writes where fields hold small numbers, the same ones for the same element."""

    def load(access: Access | IsWallLink) -> Any:
        if isinstance(access, IsWallLink):
            return False
        if access.field.dtype == "uint32":
            return 0x1B5
        return 0.01 * np.random.default_rng(list(str(access).encode())).random() + 0.4

    found: dict[str, Any] = {}

    def store(target: Access, value: Any, where: Any) -> None:
        found[str(target)] = value, where

    run(statements, load, store, arguments)
    return found


def check(make: Make, space: Sparse | Cells | None = None) -> None:
    """With all names of its own as names of arguments, a kernel has these arguments, and writes the same."""
    plain = make(sympy.Symbol("given", real=True))
    names = sorted(set().union(*(named(collection) for collection in plain.steps.values())))
    values = dict(zip(names, np.random.default_rng(1).uniform(0.9, 1.1, len(names)), strict=True))
    symbols = [sympy.Symbol(name, real=True) for name in names]
    rows = [sympy.Add(*symbols[n : n + 20]) for n in range(0, len(symbols), 20)]
    mean = sympy.Add(*(sympy.Mul(sympy.Rational(1, len(names)), row, evaluate=False) for row in rows))
    kernels = make(mean)
    assert len(names) > 2
    others = {"omega": 1.2}
    for step, collection in kernels.steps.items():
        expected = stored(plain.steps[step], {**others, "given": sum(values.values()) / len(names)})
        found = stored(collection, {**others, **values})
        assert found.keys() == expected.keys()
        for target, (value, where) in expected.items():
            assert found[target][0] == pytest.approx(value, rel=1e-11, abs=1e-13), target
            assert found[target][1] == where
    module = Module("m", precisions=("f64",))
    module.add("k", kernels, space=space)
    for kernel in module.kernels:
        assert {symbol.name for symbol in module.typed(kernel, "f64").parameters} >= set(names)


@pytest.mark.parametrize("name", OPERATORS)
def test_names_of_an_operator(name: str) -> None:
    pattern = list(PATTERNS.values())[list(OPERATORS).index(name) % len(PATTERNS)]
    check(lambda given: pattern(OPERATORS[name](given).lattice)(OPERATORS[name](given)))


@pytest.mark.parametrize("name", PATTERNS)
def test_names_of_a_pattern(name: str) -> None:
    check(lambda given: PATTERNS[name](D3Q19)(lbm.BGK(D3Q19, given, force=(given, 0, given))))


@pytest.mark.parametrize("name", KINDS)
def test_names_of_other_kernels(name: str) -> None:
    spaces = {"list": Sparse("wall", listed=True), "boundaries": Cells("sides")}
    check(KINDS[name], next((space for word, space in spaces.items() if word in name), None))
