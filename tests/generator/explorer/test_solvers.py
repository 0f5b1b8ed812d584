# SPDX-License-Identifier: Apache-2.0
"""Solvers as variants of a search: each gives the solution of a matrix that NumPy solves; what does not reach
its tolerance, or differs from the reference target, is not timed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import heddle
import numpy as np
import pytest
from heddle import KernelError
from heddle.explorer.methods import Method
from heddle.explorer.poisson_solvers import SOLVERS, Problem, poisson_solvers
from heddle.explorer.results import read

pytestmark = pytest.mark.compiles
WITH_CYCLES = "conjugate gradients, multigrid of 1 sweep"
"""Has the kernels of all solvers but SOR and transforms."""


def matrix(shape: Sequence[int]) -> Any:
    """The Laplacian of a box [z, y, x] with zeros around it, as sums of those of its lines."""
    whole = np.zeros((int(np.prod(shape)),) * 2)
    for axis in range(3):
        parts = [np.eye(n) for n in shape]
        n = shape[axis]
        parts[axis] = np.eye(n, k=1) + np.eye(n, k=-1) - 2 * np.eye(n)
        whole += np.kron(np.kron(parts[0], parts[1]), parts[2])
    return whole


@pytest.fixture(scope="module")
def loaded(own_cache: Path) -> Mapping[str, Any]:
    made = {name: poisson_solvers([name], 1e-11, ["f64"])[name].module
            for name in ("SOR", "transforms", WITH_CYCLES)}  # fmt: skip
    return {name: heddle.load(module) for name, module in made.items()}


def test_the_reference_leaves_the_schedules_of_a_method() -> None:
    method = poisson_solvers(["SOR"])["SOR"]
    before = {name: kernel.schedule for name, kernel in method.module.kernels.items()}  # type: ignore[union-attr]
    assert method.reference("f64").kernels.keys() == before.keys()
    after = {name: kernel.schedule for name, kernel in method.module.kernels.items()}  # type: ignore[union-attr]
    assert after == before


@pytest.mark.parametrize("name", SOLVERS)
def test_solutions(name: str, loaded: Mapping[str, Any]) -> None:
    """With odd and even numbers of cells, and more levels along one axis than along another."""
    method = poisson_solvers([name], 1e-11, ["f64"])[name]
    solve = method.start(loaded.get(name, loaded[WITH_CYCLES]), (11, 5, 8), "f8", np)
    cycles = solve.run()
    shape, right = solve.solution.shape, solve.problem.right  # type: ignore[attr-defined]
    assert shape == (8, 5, 11)
    expected = np.linalg.solve(matrix(shape), right.reshape(-1)).reshape(shape)
    assert np.abs(solve.solution - expected).max() < 1e-9 * np.abs(expected).max()
    assert solve.residual() <= 1e-11
    assert solve.error() < 1e-9
    least, most = {"SOR": (30, 90), "transforms": (1, 1), "conjugate gradients": (20, 60)}.get(name, (4, 30))
    assert least <= cycles <= most
    solve.reset()
    assert solve.residual() == pytest.approx(1)
    assert solve.run() == cycles


def test_a_search(own_cache: Path, tmp_path: Path) -> None:
    """Costs are those of a whole solve; f32 does not reach 1e-9."""
    assert own_cache.is_dir()
    chosen: dict[str, Any] = {"sizes": ["16x12x10"], "samples": 2, "quiet": True, "name": "here"}
    found = heddle.explore(variants=poisson_solvers(["SOR", "transforms"], 1e-9), out=tmp_path, **chosen)
    states = {(r.variant, r.precision): r for r in found.results}
    relaxed, direct = states["SOR", "f64"], states["transforms", "f64"]
    assert [r.state for r in (relaxed, direct)] == ["correct"] * 2
    assert (relaxed.step, relaxed.own, direct.cycles) == ("solve", True, 1)
    assert relaxed.cycles % 10 == 0
    assert relaxed.residual is not None
    assert relaxed.residual <= 1e-9
    looks = relaxed.cycles // 10 + 1
    assert relaxed.bytes == 3 * 8 * (relaxed.cycles + looks)  # each reads two fields and writes one
    assert 0 < (relaxed.error or 0) < 1e-7
    for variant in ("SOR", "transforms"):
        single = states[variant, "f32"]
        assert (single.state, single.seconds) == ("correctness", ())
        assert "1e-09 was asked for" in single.why
    assert found.schedules()["machines"] == {}
    names = {one["name"]: one["value"] for one in found.t4()["results"][0]["measurements"]}
    assert (names["cycles"], names["residual"]) == (relaxed.cycles, relaxed.residual)
    assert f"SOR: f64 {relaxed.cycles} cycles, residual" in found.table()
    again = heddle.explore(variants=poisson_solvers(["SOR", "transforms"], 1e-9), out=tmp_path, **chosen)
    assert [r.timestamp for r in again.correct] == [r.timestamp for r in found.correct]  # not timed anew
    assert len(read(tmp_path)) == 4
    assert json.loads((tmp_path / "results.json").read_text())["schema_version"] == "1.0.0"


class Constant:
    """A solver whose solution is a number, and whose cycles are another one."""

    def __init__(self, value: float, cycles: int) -> None:
        self.solution, self.cycles = np.full((2, 2, 2), value), cycles

    def reset(self) -> None:
        """Nothing changes."""

    def run(self) -> int:
        return self.cycles

    def residual(self) -> float:
        return 0.0

    def error(self) -> float:
        return 0.0


def test_what_differs_from_the_reference_is_not_timed(own_cache: Path) -> None:
    assert own_cache.is_dir()
    method = poisson_solvers(["SOR"], 1e-3, ["f64"])["SOR"]

    def wrong(start: Any) -> Method:
        return replace(method, start=start, identity=repr(start))

    def other(kernels: Any, extent: Any, dtype: Any, xp: Any) -> Any:
        made.append(1)
        return Constant(len(made), 3)

    def longer(kernels: Any, extent: Any, dtype: Any, xp: Any) -> Any:
        made.append(1)
        return Constant(1.0, len(made))

    def endless(kernels: Any, extent: Any, dtype: Any, xp: Any) -> Any:
        return Constant(np.inf, 1)

    for start, why in (
        (other, "the solution differs from the reference in 8 of 8 values"),
        (longer, "it takes 1 cycles, the reference 2"),
        (endless, "the reference itself diverges"),
    ):
        made: list[int] = []
        found = heddle.explore(variants={"wrong": wrong(start)}, sizes=["8x8x8"], samples=1, quiet=True)
        (one,) = found.results
        assert (one.state, one.why, one.seconds) == ("correctness", why, ())


@pytest.mark.parametrize(("longest", "done"), [(128, 100), (16, 21)])
def test_a_residual_that_grows_first(longest: int, done: int) -> None:
    """Of conjugate gradients on a box of 128 cells along an axis it grows for more than 20 cycles."""
    problem = Problem.__new__(Problem)
    problem.tolerance, problem.shape = 1e-4, (8, longest, 8)
    left = iter([1.0, *(1 + 0.1 * n for n in range(99)), 1e-5])
    problem.remainder = lambda: next(left)  # type: ignore[method-assign]
    assert problem.until_small(lambda: 1) == done


def test_what_is_no_method() -> None:
    method = poisson_solvers(["SOR"])["SOR"]
    with pytest.raises(KernelError, match="'Jacobi' is no solver that has a name here"):
        poisson_solvers(["Jacobi"])
    for wrong in (replace(method, pace="step"), replace(method, tolerance=0.0)):
        with pytest.raises(KernelError, match="the method 'mine' has no kernel"):
            heddle.explore(variants={"mine": wrong})
