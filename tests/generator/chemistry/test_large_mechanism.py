# SPDX-License-Identifier: Apache-2.0
"""A mechanism as large as MOZART-TS1: its kernels against NumPy, and that generation takes little time."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
import sympy
from cells import State, evaluated
from heddle import Module, Schedule, Strips, chemistry
from heddle.emit.round_functions import long_round
from heddle.ir.unique_names import names_in
from large import large

LARGE = large()
SIZE = len(LARGE.variable)
R = 8.31446261815324
BOUND = 1e-13
"""Of the sum of the absolute values of the terms."""
MOST_UNITS = 300
"""Of generation, which takes about 180: one that grows faster than the number of statements takes more."""


def air() -> State:
    """A polluted cell at night's end, all species at hand."""
    generator = np.random.default_rng(7)
    y = 10 ** generator.uniform(-13, -7, size=SIZE)
    rates = 10 ** generator.uniform(-6, -2, size=len(LARGE.inputs))
    return {"concentration": y[:, None], "rate_input": rates[:, None], "temperature": 271.0, "pressure": 7e4}


class Independent:
    """k, f and J with the sums of the absolute values of their terms, from the list of reactions."""

    def __init__(self, state: State) -> None:
        T, p = state["temperature"], state["pressure"]
        given = {"T": T, "P": p, "air": p / (R * T)}
        given |= dict(zip(LARGE.inputs, state["rate_input"][:, 0], strict=True))
        symbols = [sympy.Symbol(name, real=True) for name in given]
        constants = sympy.lambdify(symbols, [r.rate for r in LARGE.reactions], "numpy")
        k = constants(*given.values())
        y = dict(zip(LARGE.variable, state["concentration"][:, 0], strict=True)) | {"M": given["air"]}
        number = {name: i for i, name in enumerate(LARGE.variable)}
        self.f, self.f_terms = np.zeros(SIZE), np.zeros(SIZE)
        self.J, self.J_terms = np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE))
        for q, reaction in enumerate(LARGE.reactions):
            for s in {*reaction.reactants, *reaction.products} & number.keys():
                i = number[s]
                nu = reaction.products.get(s, 0) - reaction.reactants.get(s, 0)
                term = nu * k[q] * np.prod([y[r] ** n for r, n in reaction.reactants.items()])
                self.f[i] += term
                self.f_terms[i] += abs(term)
                for r, n in reaction.reactants.items():
                    if r in number:
                        self.J[i, number[r]] += term * n / y[r]
                        self.J_terms[i, number[r]] += abs(term * n / y[r])


@pytest.fixture(scope="module")
def state() -> State:
    return air()


@pytest.fixture(scope="module")
def wanted(state: State) -> Independent:
    return Independent(state)


def near(found: Any, expected: Any, terms: Any) -> None:
    assert np.all(np.abs(found - expected) <= BOUND * terms)
    assert np.any(terms > 0)


def test_size() -> None:
    """As large as the mechanism that it stands for: 209 species, 547 reactions, 1932 entries, 2332 of L and
    U."""
    assert (SIZE, len(LARGE.reactions)) == (209, 560)
    assert len(chemistry.jacobian_places(LARGE)) > 1932
    cost = chemistry.NewtonKernels(LARGE).cost
    assert (cost.entries, cost.factor) > (2332, 14526)


def test_tendency_and_jacobian(state: State, wanted: Independent) -> None:
    module = Module("large", precisions=("f64",))
    module.add("tendency", chemistry.tendency(LARGE, dimensions=1))
    module.add("jacobian", chemistry.jacobian(LARGE, dimensions=1))
    near(evaluated(module, "tendency", state)["tendency"][:, 0], wanted.f, wanted.f_terms)
    J, places = np.zeros((SIZE, SIZE)), chemistry.jacobian_places(LARGE)
    J[tuple(zip(*places, strict=True))] = evaluated(module, "jacobian", state)["jacobian"][:, 0]
    near(J, wanted.J, wanted.J_terms)


def test_factors_and_solution(state: State, wanted: Independent) -> None:
    """L U of the kernel is the matrix, and its solution satisfies L U x = b; gamma is 30 s."""
    kernels, module = chemistry.NewtonKernels(LARGE), Module("newton", precisions=("f64",))
    for name in ("rate_constants", "factorise", "solve"):
        module.add(name, getattr(kernels, name)())
    k = {"rate_constant": evaluated(module, "rate_constants", state)["rate_constant"]}
    gamma, b = 30.0, np.linspace(-1, 2, SIZE)
    factor = evaluated(module, "factorise", state | k, gamma=gamma)["factor"]
    x = evaluated(module, "solve", {"factor": factor, "right_side": b[:, None]})["solution"][:, 0]
    L, U, rank = np.eye(SIZE), np.zeros((SIZE, SIZE)), {p: n for n, p in enumerate(kernels.lu.order)}
    for (i, j), value in zip(kernels.lu.places, factor[:, 0], strict=True):
        if i == j:
            U[i, i] = 1 / value
        else:
            (L if rank[i] > rank[j] else U)[i, j] = value
    A = np.eye(SIZE) - gamma * wanted.J
    products = np.abs(L) @ np.abs(U) + np.eye(SIZE) + gamma * wanted.J_terms
    near(L @ U, A, products)
    near(A @ x, b, products @ np.abs(x) + np.abs(b))


def unit() -> float:
    """Seconds of a processor for a fixed piece of Python: calls, tuples, dictionaries."""

    def pair(i: int) -> tuple[int, int]:
        return i % 977, i

    begin = time.process_time()
    counts: dict[int, int] = {}
    for i in range(400_000):
        key, value = pair(i)
        counts[key] = counts.get(key, 0) + value
    return time.process_time() - begin


def test_generation_takes_little_time() -> None:
    """A whole integration, from the mechanism to what is printed, in units of this machine as it is now.
    Sums over hundreds of reactions are no trouble."""
    before, begin = unit(), time.process_time()
    module = Module("large", precisions=("f64",))
    solver = chemistry.Rosenbrock(LARGE, "Rodas3", dimensions=1)
    module.add("integrate", solver.integrate(), schedule=Schedule(cpu=Strips(8), math="reproducible"))
    kernel = module.stages("integrate", "f64", "cpu").lowered
    units = (time.process_time() - begin) / (before + unit()) * 2
    assert {"part_squares_1", "part_f_HO2_2"} <= names_in(kernel)
    assert units < MOST_UNITS
    assert long_round(kernel) is not None  # compilers get functions of some hundred statements
