# SPDX-License-Identifier: Apache-2.0
"""Carbon Bond 05: its structure, its equations against NumPy, atoms, and a converged solution."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from cells import State, evaluated
from heddle import Module, chemistry
from heddle.chemistry.kinetics import Kinetics
from heddle.chemistry.mechanisms import carbon_bond as facts
from heddle.chemistry.sparse_lu import LUCost, SparseLU
from heddle.model.assignment import Section

CB05 = chemistry.cb05()
R = 8.31446261815324


def air(seed: int | None = None) -> State:
    """The initial state; with a seed, all species and rates by chance around it."""
    y = np.array([facts.CONCENTRATIONS.get(name, 0.0) for name in CB05.variable])
    rates = np.array([facts.HOST_VALUES.get(name, 0.0) for name in CB05.inputs])
    T, p = 298.15, 101325.0
    if seed is not None:
        generator = np.random.default_rng(seed)
        y = np.maximum(y, 1e-12) * np.exp(generator.normal(size=y.size))
        rates = np.exp(generator.normal(size=rates.size)) * 1e-4
        T, p = 245.0, 40000.0
    return {"concentration": y[:, None], "rate_input": rates[:, None], "temperature": T, "pressure": p}


def test_structure() -> None:
    assert (len(CB05.variable), len(CB05.reactions), len(CB05.inputs)) == (66, 204, 39)
    kinetics = Kinetics(CB05)
    assert len(kinetics.pattern) == 652
    assert sum(map(len, kinetics.orders)) == 335
    assert SparseLU(66, kinetics.pattern).cost == LUCost(entries=735, factor=4429, solve=1404, levels=15)


def test_names_of_air_quality() -> None:
    """The example has species, inputs and their values as text of its own."""
    text = (Path(__file__).parents[3] / "examples/air_quality/mechanism.cpp").read_text()
    tables = re.findall(r"constexpr Entry \w+\[\] = \{(.*?)\};", text, re.DOTALL)
    wanted = ((CB05.variable, facts.CONCENTRATIONS), (CB05.inputs, facts.HOST_VALUES))
    for table, (names, values) in zip(tables, wanted, strict=True):
        rows = re.findall(r'\{"([^"]+)", ([^}]+)\}', table)
        assert [(name, float(value)) for name, value in rows] == [(n, values.get(n, 0.0)) for n in names]
    for element, atoms in re.findall(r'\{"(N|S|Cl)",\s*\{(.*?)\}\}\}', text, re.DOTALL):
        found = {name: int(number) for name, number in re.findall(r'\{"(\w+)", (\d)', atoms)}
        known = {name: (CB05.known[name].atoms or {}).get(element, 0) for name in CB05.variable}
        assert found == {name: number for name, number in known.items() if number}, element


def test_atoms() -> None:
    for element, holders in (("N", 10), ("S", 2), ("Cl", 6)):
        assert sum(element in (CB05.known[name].atoms or {}) for name in CB05.variable) == holders
        assert CB05.unbalanced(element) == []


def rates_by_numpy(state: State) -> Any:
    """Rate constants from SymPy's expressions."""
    T, p = state["temperature"], state["pressure"]
    values = {"T": T, "P": p, "air": p / (R * T)}
    values |= dict(zip(CB05.inputs, state["rate_input"][:, 0], strict=True))
    names = {name: sympy.Symbol(name, real=True) for name in values}
    constants = sympy.lambdify(list(names.values()), [r.rate for r in CB05.reactions], "numpy")
    return np.array(constants(*values.values())), values["air"]


@pytest.mark.parametrize("seed", [1, 2])
def test_equations(seed: int) -> None:
    """f and J, to 1e-13 of the sum of the absolute values of their terms."""
    state = air(seed)
    k, m = rates_by_numpy(state)
    y = dict(zip(CB05.variable, state["concentration"][:, 0], strict=True)) | {"M": m}
    number = {name: i for i, name in enumerate(CB05.variable)}
    f, f_terms, J, J_terms = np.zeros(66), np.zeros(66), np.zeros((66, 66)), np.zeros((66, 66))
    for q, reaction in enumerate(CB05.reactions):
        w = k[q] * np.prod([y[s] ** n for s, n in reaction.reactants.items()])
        for i, s in enumerate(CB05.variable):
            nu = reaction.products.get(s, 0) - reaction.reactants.get(s, 0)
            f[i] += nu * w
            f_terms[i] += abs(nu * w)
            for other, n in reaction.reactants.items():
                if other in number:
                    J[i, number[other]] += nu * w * n / y[other]
                    J_terms[i, number[other]] += abs(nu * w * n / y[other])
    module = Module("cb05", precisions=("f64",))
    module.add("tendency", chemistry.tendency(CB05, dimensions=1))
    module.add("jacobian", chemistry.jacobian(CB05, dimensions=1))
    found = evaluated(module, "tendency", state)["tendency"][:, 0]
    assert np.all(np.abs(found - f) <= 1e-13 * f_terms)
    assert np.all(f_terms > 0)
    found = evaluated(module, "jacobian", state)["jacobian"][:, 0]
    places = chemistry.jacobian_places(CB05)
    assert {(i, j) for i, j in zip(*np.nonzero(J_terms), strict=True)} <= set(places)
    for value, (i, j) in zip(found, places, strict=True):
        assert abs(value - J[i, j]) <= 1e-13 * J_terms[i, j]
    kernels, newton = chemistry.NewtonKernels(CB05), Module("newton", precisions=("f64",))
    for name in ("rate_constants", "tendency", "factorise", "solve"):
        newton.add(name, getattr(kernels, name)())
    state |= {"rate_constant": evaluated(newton, "rate_constants", state)["rate_constant"]}
    assert Section("L z = b and U x = z: 1404 operations") in kernels.solve().statements
    found = evaluated(newton, "tendency", state)["tendency"][:, 0]
    assert np.all(np.abs(found - f) <= 1e-13 * f_terms)
    gamma, b = 3.0, np.linspace(-1, 2, 66)
    factor = evaluated(newton, "factorise", state, gamma=gamma)["factor"]
    assert len(factor) == kernels.cost.entries == 735
    x = evaluated(newton, "solve", {"factor": factor, "right_side": b[:, None]})["solution"][:, 0]
    matrix = np.eye(66) - gamma * J
    assert np.all(np.abs(matrix @ x - b) <= 1e-13 * (np.abs(matrix) @ np.abs(x) + np.abs(b)))


WANTED = {
    "O3": 1.97306499e-06, "NO": 2.35200577e-08, "NO2": 1.11047418e-07, "OH": 3.13754151e-12,
    "HO2": 4.22578841e-10, "H2O2": 4.50746667e-08, "FORM": 6.80588404e-08, "PAN": 3.13323539e-08,
    "ISOP": 1.85681574e-07, "CO": 9.77617365e-06,
}  # fmt: skip
"""After 600 s, mol m-3: a solution with a relative tolerance of 1e-11, by two programs within 2e-7."""


def test_ten_minutes() -> None:
    """Against a converged solution; N, S and Cl are what was there and what was emitted."""
    module = Module("cb05", precisions=("f64",))
    module.add("integrate", chemistry.Rosenbrock(CB05, dimensions=1).integrate())
    state = air()
    options = {"interval": 600.0, "relative_tolerance": 1e-4, "absolute_tolerance": 1e-16}
    found = evaluated(module, "integrate", state, **options)
    assert found["outcome"][0] == 0
    after = dict(zip(CB05.variable, found["concentration"][:, 0], strict=True))
    for name, value in WANTED.items():
        assert after[name] == pytest.approx(value, rel=1e-4), name
    for element in ("N", "S", "Cl"):
        atoms = {name: (CB05.known[name].atoms or {}).get(element, 0) for name in CB05.variable}
        before = sum(atoms[name] * value for name, value in facts.CONCENTRATIONS.items())
        emitted = sum(
            facts.HOST_VALUES.get(reaction.inputs[0], 0.0) * atoms[name] * number
            for reaction in CB05.reactions
            if not reaction.reactants
            for name, number in reaction.products.items()
        )
        total = sum(atoms[name] * value for name, value in after.items())
        assert total == pytest.approx(before + 600 * emitted, rel=1e-9), element
        assert before > 0
