# SPDX-License-Identifier: Apache-2.0
"""Integration of small mechanisms: closed forms, Robertson's problem, failures, the bits of all targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import sympy
from cells import TARGETS, Compiled, State, interpreted
from heddle import KernelError, Module, Rows, Schedule, Strips, chemistry

CHAIN = chemistry.Mechanism("chain")
CHAIN.species("A", "B", "C")
CHAIN.reaction("A -> B", rate=sympy.Symbol("k_a"))
CHAIN.reaction("B -> C", rate=sympy.Symbol("k_b"))

ROBERTSON = chemistry.Mechanism("robertson")
ROBERTSON.species("A", "B", "C")
ROBERTSON.reaction("A -> B", rate=0.04)
ROBERTSON.reaction("2 B -> B + C", rate=3e7)
ROBERTSON.reaction("B + C -> A + C", rate=1e4)

TERMINATOR = chemistry.Mechanism("terminator")
TERMINATOR.species("X", "X2")
TERMINATOR.reaction("X2 -> 2 X", rate=sympy.Symbol("light"))
TERMINATOR.reaction("2 X -> X2", rate=1)

LANES = Schedule(cpu=Strips(8), math="reproducible")


METHODS = ("ros3", "rodas3", "rodas4")


def module(
    mechanism: chemistry.Mechanism, methods: Sequence[str], schedule: Schedule = LANES, suffix: str = ""
) -> Module:
    """A kernel for each method."""
    name = mechanism.name + suffix
    result = Module(name, precisions=("f64",))
    for method in methods:
        solver = chemistry.Rosenbrock(mechanism, method.capitalize(), dimensions=1)
        result.add(f"{name}_{method}", solver.integrate(), schedule=schedule)
    return result


CHAINS, ROBERTSONS = module(CHAIN, METHODS), module(ROBERTSON, METHODS)
TERMINATORS = module(TERMINATOR, ["rodas3"])
ONE_BY_ONE = module(TERMINATOR, ["rodas3"], Schedule(cpu=Rows(), math="reproducible"), "_rows")
AIR = {"temperature": 288.0, "pressure": 1e5}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    modules = [(CHAINS, ("cpu",)), (ROBERTSONS, ("cpu",)), (TERMINATORS, TARGETS), (ONE_BY_ONE, ("cpu",))]
    return Compiled(tmp_path_factory.mktemp("chemistry"), modules)


def tolerances(relative: float, absolute: float) -> dict[str, float]:
    return {"relative_tolerance": relative, "absolute_tolerance": absolute}


def chain(cells: int = 11) -> tuple[State, Any]:
    """Cells with rates of their own, and what they hold after 10 s."""
    a, b = np.geomspace(0.01, 30, cells), np.full(cells, 0.3)
    start = np.array([np.linspace(0.5, 2, cells), np.zeros(cells), np.zeros(cells)])
    first = start[0] * np.exp(-a * 10)
    second = start[0] * a / (b - a) * (np.exp(-a * 10) - np.exp(-b * 10))
    return AIR | {"concentration": start, "rate_input": np.array([a, b])}, np.array(
        [first, second, start[0] - first - second]
    )


@pytest.mark.compiles
@pytest.mark.parametrize(("method", "order"), [("ros3", 3), ("rodas3", 3), ("rodas4", 4)])
def test_chain(compiled: Compiled, method: str, order: int) -> None:
    """The error falls with the tolerance, and steps are as many as the order says."""
    state, wanted = chain()
    steps = []
    for tolerance in (1e-5, 1e-8):
        found = compiled.run(
            CHAINS, f"chain_{method}", state, interval=10.0, **tolerances(tolerance, tolerance * 1e-2)
        )
        assert not found["outcome"].any()
        assert np.max(np.abs(found["concentration"] - wanted)) < tolerance
        total = np.sum(found["concentration"], axis=0)
        assert np.max(np.abs(total - np.sum(state["concentration"], axis=0))) < 1e-13
        steps.append(np.sum(found["steps"]))
    assert steps[1] / steps[0] == pytest.approx(1000 ** (1 / order), rel=0.2)


@pytest.mark.compiles
@pytest.mark.parametrize("method", METHODS)
def test_robertson(compiled: Compiled, method: str) -> None:
    """H. H. Robertson's problem to t = 1e11: the reference of F. Mazzia and C. Magherini, Test Set for
    Initial Value Problem Solvers (2008)."""
    start = AIR | {"concentration": np.array([[1.0], [0.0], [0.0]])}
    found = compiled.run(ROBERTSONS, f"robertson_{method}", start, interval=1e11, **tolerances(1e-7, 1e-18))
    assert found["outcome"][0] == 0
    wanted = [0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050]
    assert found["concentration"][:, 0] == pytest.approx(wanted, rel=1e-4)
    assert np.sum(found["concentration"]) == pytest.approx(1, rel=1e-10)


def sunrise(cells: int = 21) -> State:
    """Cells from night to day."""
    light = np.maximum(0, np.linspace(-0.5, 1, cells))
    start = np.array([np.linspace(0, 4e-6, cells), np.full(cells, 2e-6)])
    return AIR | {"concentration": start, "rate_input": light[None, :]}


def terminated(state: State, dt: float) -> Any:
    """P. H. Lauritzen et al., Geosci. Model Dev. 8, 1299 (2015), equations 15 to 20, with k_2 = 1."""
    X, X2 = state["concentration"]
    r = state["rate_input"][0] / 4
    D = np.sqrt(r * r + 2 * r * (X + 2 * X2))
    E = np.exp(-4 * D * dt)
    with np.errstate(invalid="ignore"):
        L = np.where(D * dt > 1e-16, (1 - E) / (D * dt), 4)
    return X - dt * L * (X - D + r) * (X + D + r) / (1 + E + dt * L * (X + r))


@pytest.mark.compiles
def test_terminator(compiled: Compiled) -> None:
    state = sunrise()
    found = compiled.run(TERMINATORS, "terminator_rodas3", state, interval=1800.0, **tolerances(1e-8, 1e-20))
    assert found["concentration"][0] == pytest.approx(terminated(state, 1800.0), rel=2e-6)


@pytest.mark.compiles
def test_the_same_bits(compiled: Compiled) -> None:
    """In lanes, one by one, on every target, in the interpreter, whatever the number and order of cells."""
    state = sunrise()
    options = {"interval": 600.0, **tolerances(1e-4, 1e-14)}
    wanted = interpreted(TERMINATORS, "terminator_rodas3", state, **options)
    assert len(set(wanted["steps"])) > 2  # lanes end in different rounds
    for target in TARGETS:
        found = compiled.run(TERMINATORS, "terminator_rodas3", state, target, **options)
        assert all(np.array_equal(found[f], wanted[f]) for f in wanted), target
    found = compiled.run(ONE_BY_ONE, "terminator_rows_rodas3", state, **options)
    assert all(np.array_equal(found[f], wanted[f]) for f in wanted)
    some = np.random.default_rng(1).permutation(21)[:13]
    part = {f: v[..., some] if np.ndim(v) else v for f, v in state.items()}
    found = compiled.run(TERMINATORS, "terminator_rodas3", part, **options)
    assert all(np.array_equal(found[f], wanted[f][..., some]) for f in wanted)
    lowered = interpreted(TERMINATORS, "terminator_rodas3", part, "cpu", **options)
    assert all(np.array_equal(lowered[f], found[f]) for f in wanted)


def test_a_tolerance_per_species() -> None:
    """As a table, and as numbers of the model; three equal ones are one for all."""
    state, _ = chain(3)
    found = {}
    modules: dict[str, tuple[bool, Any]] = {
        "one": (False, "absolute_tolerance"),
        "each": (True, "absolute_tolerance"),
    }
    modules["numbers"] = (False, [1e-3, 1e-6, 1e-3])
    for name, (table, given) in modules.items():
        own = Module(name, precisions=("f64",))
        solver = chemistry.Rosenbrock(CHAIN, dimensions=1, tolerance_per_species=table)
        own.add("step", solver.integrate(absolute_tolerance=given), schedule=LANES)
        if name == "one":
            run = {"alike": interpreted(own, "step", state, interval=10.0, **tolerances(1e-3, 1e-4))}
        elif name == "each":
            tables = {
                "alike_each": [1e-4] * 3,
                "table": [1e-3, 1e-6, 1e-3],
                "loose": [1e-3] * 3,
                "wrong": [1e-3, np.nan, 1e-3],
            }
            run = {
                case: interpreted(
                    own, "step", state | {"absolute_tolerance": np.array(table)}, interval=10.0,
                    relative_tolerance=1e-3,
                )
                for case, table in tables.items()
            }  # fmt: skip
        else:
            run = {"numbers": interpreted(own, "step", state, interval=10.0, relative_tolerance=1e-3)}
        found |= run
    for one, other in (("alike", "alike_each"), ("table", "numbers")):
        for field in ("concentration", "step", "steps", "outcome"):
            assert np.array_equal(found[one][field], found[other][field]), field
    assert not np.array_equal(found["table"]["concentration"], found["loose"]["concentration"])
    assert found["table"]["outcome"].tolist() == [0, 0, 0]
    assert found["wrong"]["outcome"].tolist() == [3, 3, 3]
    assert np.array_equal(found["wrong"]["concentration"], state["concentration"])


@pytest.mark.compiles
def test_a_step_is_remembered(compiled: Compiled) -> None:
    state, wanted = chain()
    options = tolerances(1e-3, 1e-3)
    first = compiled.run(CHAINS, "chain_rodas3", state, interval=5.0, **options)
    second = compiled.run(CHAINS, "chain_rodas3", state | first, interval=5.0, **options)
    cold = compiled.run(CHAINS, "chain_rodas3", state | first | {"step": 0.0}, interval=5.0, **options)
    for found in (second, cold):
        assert np.max(np.abs(found["concentration"] - wanted)) < 2e-3
    assert np.all(first["step"] > 0)
    assert np.sum(second["steps"]) < np.sum(cold["steps"]) - 11


@pytest.mark.compiles
def test_failures_are_told(compiled: Compiled) -> None:
    """Each cell has an outcome of its own, and never a NaN that it did not come with."""
    state, wanted = chain(5)
    state["rate_input"][0, 1] = 1e300  # too fast for the arithmetic
    state["temperature"] = np.array([288.0, 288, 0, 288, 288])
    state["concentration"][1, 3] = np.nan
    found = compiled.run(CHAINS, "chain_rodas3", state, interval=10.0, **tolerances(1e-6, 1e-9))
    assert found["outcome"].tolist() == [0, 3, 3, 3, 0]
    assert np.max(np.abs(found["concentration"] - wanted)[:, [0, 4]]) < 1e-5
    for cell in (1, 2, 3):
        assert np.array_equal(
            found["concentration"][:, cell], state["concentration"][:, cell], equal_nan=True
        )
    assert found["step"][[1, 2, 3]].tolist() == [0, 0, 0]


def test_rounds_that_do_not_do() -> None:
    few = Module("few", precisions=("f64",))
    few.add("step", chemistry.Rosenbrock(CHAIN, dimensions=1, max_steps=5).integrate())
    state, _ = chain(1)
    found = interpreted(few, "step", state, interval=10.0, **tolerances(1e-6, 1e-9))
    assert (found["outcome"][0], found["steps"][0], found["step"][0]) == (1, 5, 0)
    assert np.all(np.isfinite(found["concentration"]))
    found = interpreted(few, "step", state, interval=10.0, **tolerances(float("nan"), 1e-9))
    assert found["outcome"][0] == 1
    assert np.array_equal(found["concentration"], state["concentration"])


def test_negative_concentrations_may_become_zero() -> None:
    """2 A -> A with a rate that ignores how little is left takes more than there is."""
    taken = chemistry.Mechanism("taken")
    taken.species("A", "B")
    taken.reaction("() -> -1 A + B", rate=1)
    for clip in (False, True):
        own = Module("taken", precisions=("f64",))
        own.add("step", chemistry.Rosenbrock(taken, dimensions=1, clip=clip).integrate())
        state = AIR | {"concentration": np.array([[0.5], [0.0]])}
        found = interpreted(own, "step", state, interval=1.0, **tolerances(1e-3, 1e-3))
        assert found["concentration"][0, 0] == pytest.approx(0 if clip else -0.5)
        assert found["concentration"][1, 0] == pytest.approx(1)


def test_a_species_on_both_sides_stays() -> None:
    """A + W -> B + W: W counts in the rate, and nothing changes it. CAMP's cb05cl_ae5 has M so."""
    water = chemistry.Mechanism("water")
    water.species("A", "B", "W")
    water.reaction("A + W -> B + W", rate=0.25)
    own = Module("water", precisions=("f64",))
    own.add("step", chemistry.Rosenbrock(water, dimensions=1).integrate())
    state = AIR | {"concentration": np.array([[1.0], [0.0], [2.0]])}
    found = interpreted(own, "step", state, interval=3.0, **tolerances(1e-6, 1e-9))
    assert found["concentration"][:, 0] == pytest.approx([np.exp(-1.5), 1 - np.exp(-1.5), 2.0], rel=1e-5)
    assert found["concentration"][2, 0] == 2


def test_options_that_do_not_exist() -> None:
    with pytest.raises(KernelError, match=r"'Rodas5' is no Rosenbrock method.*\n  Hint: choose one of: Ros3"):
        chemistry.Rosenbrock(CHAIN, "Rodas5")
    with pytest.raises(KernelError, match="max_steps=0 is no number of steps"):
        chemistry.Rosenbrock(CHAIN, max_steps=0)
    with pytest.raises(KernelError, match="dimensions=4 of the cells"):
        chemistry.Rosenbrock(CHAIN, dimensions=4)
    with pytest.raises(KernelError, match="2 absolute tolerances for 3 unknowns"):
        chemistry.Rosenbrock(CHAIN).integrate(absolute_tolerance=[1e-3, 1e-3])
    for wrong in (-1e-3, 0, float("inf")):
        with pytest.raises(KernelError):
            chemistry.Rosenbrock(CHAIN).integrate(absolute_tolerance=[1e-3, wrong, 1e-3])
        with pytest.raises(KernelError):
            chemistry.Rosenbrock(CHAIN).integrate(absolute_tolerance=wrong)
    with pytest.raises(KernelError, match=r"the absolute tolerance of 'B' is -0\.001"):
        chemistry.Rosenbrock(CHAIN).integrate(absolute_tolerance=[1e-3, -1e-3, 1e-3])
    for given in (1e-3, np.full(3, 1e-3)):
        with pytest.raises(KernelError, match="makes absolute_tolerance a table"):
            chemistry.Rosenbrock(CHAIN, tolerance_per_species=True).integrate(absolute_tolerance=given)
    with pytest.raises(KernelError, match="is not a mechanism"):
        chemistry.Rosenbrock("chain.json")
    with pytest.raises(KernelError, match="no reaction that changes a species"):
        chemistry.Rosenbrock(chemistry.Mechanism("empty"))
