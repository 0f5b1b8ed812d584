# SPDX-License-Identifier: Apache-2.0
"""Integrators of a mechanism as variants of a search: each comes to the solution that is known, or is not
timed; schedules of emitted ones are tried, layouts give the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import heddle
import numpy as np
import pytest
import sympy
from heddle import KernelError, Rows, Schedule, Strips, Threads, WarpPerCell, chemistry
from heddle.chemistry import quantities as chemistry_state
from heddle.explorer import mechanism_solvers as own
from heddle.explorer.mechanism_solvers import SOLVERS, Air, Cells, Problem, mechanism_solvers
from heddle.explorer.schedules import tried
from heddle.explorer.space import space

pytestmark = pytest.mark.compiles
LATE = Air({"A": 1.0}, interval=40.0, relative_tolerance=1e-4, absolute_tolerance=1e-9)
"""Hairer and Wanner, Solving Ordinary Differential Equations II, IV.10: what is left at 40 s."""
AT_40 = (0.7158270688, 9.185535e-6, 0.2841637457)


def robertson() -> chemistry.Mechanism:
    """Three stiff reactions (Robertson 1966)."""
    problem = chemistry.Mechanism("robertson")
    problem.species("A", "B", "C")
    problem.reaction("A -> B", rate=0.04)
    problem.reaction("2 B -> B + C", rate=3e7)
    problem.reaction("B + C -> A + C", rate=1e4)
    return problem


def ozone() -> chemistry.Mechanism:
    """With a rate that the host gives, and one that depends on the temperature."""
    problem = chemistry.Mechanism("ozone")
    problem.species("O3", "NO", "NO2")
    problem.reaction("NO2 -> NO + O3", rate=sympy.Symbol("j_NO2"))
    problem.reaction("NO + O3 -> NO2", rate=1e6 * sympy.exp(-1400 / chemistry_state.TEMPERATURE))
    return problem


AIR = Air({"O3": 1e-6, "NO": 4e-8, "NO2": 2e-8}, 300.0, absolute_tolerance=1e-12, rates={"j_NO2": 8e-3})


@pytest.fixture(scope="module")
def solvers(own_cache: Path) -> Mapping[str, Any]:
    assert own_cache.is_dir()
    return mechanism_solvers(robertson(), LATE)


def started(method: Any, extent: tuple[int, int]) -> Any:
    kernels = heddle.load(method.module)
    functions = {name: getattr(kernels, name) for name in method.module.kernels}
    return method.start(functions, extent, "f8", np)


def test_the_accurate_solution(solvers: Mapping[str, Any]) -> None:
    """The cell in the middle is that of the book; Radau's method and Rodas4 agree."""
    known = solvers["Ros3"].start.problem.known
    assert known[:, own.KINDS // 2] == pytest.approx(AT_40, rel=1e-6)
    accurate = Air(LATE.concentrations, 40.0, 1e-10, 1e-15)
    problem = Problem(robertson(), accurate)
    module = SOLVERS["Rodas4"].kernels(robertson())
    cells = Cells(problem, {"integrate": heddle.load(module).integrate}, (own.KINDS, 1), np, False)
    SOLVERS["Rodas4"].on(cells).run()
    assert cells.concentration[:, 0] == pytest.approx(known, rel=1e-7)


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers(name: str, solvers: Mapping[str, Any]) -> None:
    solve = started(solvers[name], (5, 4))
    steps = solve.run()
    assert 10 < steps < 200
    assert 0 < solve.error() < 0.01
    assert solve.error() <= solve.residual()
    assert solve.solution[1] == pytest.approx(AT_40[1], rel=0.2)  # all cells: up to 10 % apart at first
    solve.reset()
    assert (solve.solution[1:] == 0).all()
    assert solve.run() == steps


def test_rates_and_temperatures_count(own_cache: Path) -> None:
    """The photostationary state j NO2 = k NO O3 of each cell."""
    assert own_cache.is_dir()
    solve = started(mechanism_solvers(ozone(), AIR, ["Rodas3"])["Rodas3"], (own.KINDS, 2))
    solve.run()
    assert solve.residual() < 0.01
    o3, no, no2 = solve.solution
    rate = 1e6 * np.exp(-1400 / (298.15 * np.linspace(0.98, 1.02, own.KINDS)))
    assert 8e-3 * no2 == pytest.approx(rate * no * o3, rel=1e-2)


def test_layouts() -> None:
    """An array per species; the rows of all species behind each other."""
    problem = Problem(robertson(), LATE)
    fields, rows = (Cells(problem, {}, (8, 5), np, by_rows).concentration for by_rows in (False, True))
    assert fields.shape == rows.shape == (3, 5, 8)
    assert rows.strides == (8 * 8, 3 * 8 * 8, 8)
    assert fields.strides[0] > fields.strides[1] >= 8 * 8
    np.testing.assert_array_equal(fields, rows)
    assert fields[0, 0].tolist() == pytest.approx(np.linspace(0.9, 1.1, own.KINDS)[:8])


def test_a_search(own_cache: Path, tmp_path: Path) -> None:
    """Emitted solvers with several schedules, in two layouts, of the same bits; SciPy's with its own."""
    assert own_cache.is_dir()
    variants = mechanism_solvers(robertson(), LATE, ["Rodas3", "SciPy BDF"], own.LAYOUTS)
    found = heddle.explore(
        variants=variants,
        schedules=[Schedule(cpu=cpu, math="reproducible") for cpu in (Rows(), Strips(8))],
        sizes=["8x4"],
        samples=2,
        quiet=True,
        out=tmp_path,
    )
    assert not found.wrong, found.table()
    count = {name: sum(r.variant == name for r in found.results) for name in variants}
    assert count == {
        "Rodas3": 3,
        "SciPy BDF": 1,
        "Rodas3, rows of species": 3,
        "SciPy BDF, rows of species": 1,
    }
    errors = {r.error for r in found.results if r.variant.startswith("Rodas3")}
    assert len(errors) == 1
    assert all(r.residual is not None and r.residual <= 0.01 for r in found.results)
    table = found.table()
    assert table.count("robertson/solve, 8x4, ") == 1
    assert "Strips(8)" in table
    assert "(own)" in table


def test_what_is_not_accurate_is_not_timed(own_cache: Path) -> None:
    assert own_cache.is_dir()
    variants = mechanism_solvers(robertson(), LATE, ["Ros3"], accuracy=1e-9)
    found = heddle.explore(variants=variants, schedules=[], sizes=["8x4"], samples=1, quiet=True)
    (one,) = found.results
    assert (one.state, one.seconds) == ("correctness", ())
    assert "1e-09 was asked for" in one.why


def test_a_cell_that_does_not_arrive(solvers: Mapping[str, Any]) -> None:
    solve = started(solvers["Ros3"], (4, 1))
    solve.cells.concentration[0, 0, 2] = np.nan
    solve.run()
    assert solve.residual() == np.inf


def test_schedules_of_rounds() -> None:
    """Also for modules with such a kernel: how many cells go together, and warps that share one."""
    module = SOLVERS["Ros3"].kernels(robertson())
    on_cpu = space({"": module}, "cpu", 64)
    assert {one.schedule.cpu for one in on_cpu.candidates} >= {Rows(), Strips(8), Strips(16), Strips(32)}
    assert not on_cpu.refused
    on_gpu = space({"": module}, "cuda", 64)
    parts = {one.schedule.gpu for one in on_gpu.candidates}
    assert {Threads(block=(32, 1, 1)), WarpPerCell(cells=32)} <= parts
    assert not on_gpu.refused
    assert not any(isinstance(one.gpu, WarpPerCell) for one in tried(Schedule(), True, 64))


def test_refusals() -> None:
    for air, why in (
        (Air({"D": 1.0}, 1.0), "'D' is no species that changes in the mechanism 'robertson'"),
        (Air({}, 1.0, rates={"j": 1.0}), "'j' is no rate that the host gives"),
    ):
        with pytest.raises(KernelError, match=why):
            mechanism_solvers(robertson(), air)
    with pytest.raises(KernelError, match="asks the host for the rate 'j_NO2'"):
        mechanism_solvers(ozone(), Air({}, 1.0))
    with pytest.raises(KernelError, match="'CVODE' is no solver that has a name here"):
        mechanism_solvers(robertson(), LATE, ["CVODE"])
    with pytest.raises(KernelError, match="'columns' is no layout"):
        mechanism_solvers(robertson(), LATE, layouts=["columns"])
