# SPDX-License-Identifier: Apache-2.0
"""Adjoints are ordinary kernels: what they cost, what is proved of their files, how they run compiled."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import heddle
import numpy as np
import pytest
from heddle import Assignment, Module, Reduce, Schedule, Threads, fields, lbm, parameters
from heddle.build import files, write
from heddle.emit.cost import cost
from heddle.roundtrip.report import proved

D2Q9, D3Q19 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19")
u, v, u_next, v_next = fields("u, v, u_next, v_next: real[2D]")
feed, kill = parameters("feed, kill")


def gray_scott() -> Module:
    """A step, its misfit from a field that is given, and their adjoints."""
    eaten = u.here * v.here**2
    spread_u, spread_v = (c[1, 0] + c[-1, 0] + c[0, 1] + c[0, -1] - 4 * c.here for c in (u, v))
    module = Module("adjoint_of_gray_scott", precisions=("f64",))
    module.add(
        "step",
        [
            Assignment(u_next.here, u.here + 0.16 * spread_u - eaten + feed * (1 - u.here)),
            Assignment(v_next.here, v.here + 0.08 * spread_v + eaten - (feed + kill) * v.here),
        ],
    )
    target = fields("target: real[2D]")
    module.add("misfit", [Reduce("sum", "misfit", (v.here - target.here) ** 2)])
    module.add_adjoint("step")
    module.add_adjoint("misfit", of="v")
    return module


def flops(module: Module, kernel: str) -> int:
    stages = module.stages(kernel, "f64", "cpu")
    return cost(stages.kernel, stages.lowered).flops


@pytest.mark.parametrize(
    ("operator", "most"),
    [(lbm.BGK(D3Q19), 1.5), (lbm.TRT(D3Q19), 1.5), (lbm.Cumulant(D2Q9), 2.5), (lbm.MRT(D3Q19), 2)],
    ids=["BGK", "TRT", "Cumulant", "MRT"],
)
def test_a_gradient_is_cheap(operator: Any, most: float) -> None:
    """The adjoint of all populations at once, in operations of the step; the bound of theory is 4."""
    module = Module("m", precisions=("f64",))
    module.add("step", lbm.Pull(operator.lattice)(operator))
    module.add_adjoint("step", of="f")
    assert flops(module, "step_adjoint") < most * flops(module, "step")


def test_what_is_not_asked_for_is_not_computed() -> None:
    module = gray_scott()
    for name in ("u", "feed"):
        module.add_adjoint("step", f"of_{name}", of=name)
    assert flops(module, "of_u") < flops(module, "step_adjoint")
    assert "feed_bar" not in {output.name for output in module.typed("of_u", "f64").outputs}
    assert {f.name for f in module.typed("of_feed", "f64").fields} == {"u", "v", "u_next_bar", "v_next_bar"}


def test_text(tmp_path: Path) -> None:
    """The arguments follow the kernel's; what lies around a block is said, and so is who reads a cell."""
    module = gray_scott()
    module.model = Path("model.py")
    text = files(module, ["cpu"])["adjoint_of_gray_scott/step_adjoint.cpp"]
    assert "Adjoints given in ghost layers are those of other cells there, or zero." in text.replace(
        "\n//", ""
    )
    assert "// The cell at [-1, 0] reads this one" not in text  # it contributes one product
    names = [f.name for f in module.typed("step_adjoint", "f64").fields]
    assert names == ["u", "v", "u_next_bar", "v_next_bar", "u_bar", "v_bar"]
    assert {f.ghost_layers for f in module.typed("step_adjoint", "f64").fields} == {1}


@pytest.mark.slow
def test_emitted_adjoints_are_proved(tmp_path: Path) -> None:
    """As `heddle check` does: gathered for blocks of threads, and stored to neighbours."""
    module = gray_scott()
    del module.kernels["step"], module.kernels["misfit"], module.kernels["misfit_adjoint"]
    module.add("populations", lbm.Pull(D2Q9)(lbm.BGK(D2Q9)))
    module.add_adjoint("populations", schedule=Schedule(gpu=Threads(block=(64, 2, 1))))
    module.model = Path("model.py")
    write(files(module, ("cpu", "cuda")), tmp_path)
    verdicts = list(proved(module, ("cpu", "cuda"), tmp_path))
    assert len(verdicts) == 6
    assert [v.problem for v in verdicts if v.problem] == []


STEPS, SHAPE = 12, (2, 10, 13)
Gradient = tuple[float, Any, dict[str, float]]


def gradient(kernels: Any, start: Any, target: Any, rates: dict[str, float]) -> Gradient:
    """The misfit after STEPS steps, and its derivatives to the first state and to the rates."""
    states = [start]
    for _ in range(STEPS):
        heddle.periodic(*states[-1])
        states.append(np.zeros_like(start))
        before, after = states[-2:]
        kernels.step(u=before[0], v=before[1], u_next=after[0], v_next=after[1], **rates, ghosts=1)
    misfit = kernels.misfit(v=states[-1][1], target=target, ghosts=1)
    given, found = np.zeros_like(start), np.zeros_like(start)
    kernels.misfit_adjoint(v=states[-1][1], target=target, v_bar=given[1], misfit_bar=1, ghosts=1)
    sums = dict.fromkeys(rates, 0.0)
    for before in reversed(states[:-1]):
        heddle.periodic(*given)
        bars = {"u_next_bar": given[0], "v_next_bar": given[1], "u_bar": found[0], "v_bar": found[1]}
        got = kernels.step_adjoint(u=before[0], v=before[1], **bars, **rates, ghosts=1)
        sums = {name: sums[name] + got[f"{name}_bar"] for name in rates}
        given, found = found, given
    return misfit, given[:, 1:-1, 1:-1], sums


@pytest.mark.compiles
@pytest.mark.slow
def test_taylor(monkeypatch: pytest.MonkeyPatch) -> None:
    """J(x + h d) - J(x) - h dJ(d) falls with h squared, for the first state and for both rates at once."""
    monkeypatch.setenv("CXXFLAGS", "-O1")
    kernels = heddle.load(gray_scott())
    random = np.random.default_rng(5)
    start, direction = random.uniform(0.2, 0.8, SHAPE), random.uniform(-1, 1, SHAPE)
    target = random.uniform(0.2, 0.8, SHAPE[1:])
    rates, changes = {"feed": 0.035, "kill": 0.06}, {"feed": 0.4, "kill": -0.3}
    misfit, bars, sums = gradient(kernels, start, target, rates)
    slope = (bars * direction[:, 1:-1, 1:-1]).sum() + sum(sums[n] * changes[n] for n in rates)
    errors = []
    for h in (0.02, 0.01, 0.005):
        moved = {n: rates[n] + h * changes[n] for n in rates}
        errors.append(gradient(kernels, start + h * direction, target, moved)[0] - misfit - h * slope)
    for large, small in itertools.pairwise(errors):
        assert large / small == pytest.approx(4, rel=0.06)
    h = 1e-5  # and for each rate alone, central differences
    for name, found in sums.items():
        above, below = (
            gradient(kernels, start, target, rates | {name: rates[name] + step})[0] for step in (h, -h)
        )
        assert (above - below) / (2 * h) == pytest.approx(found, rel=1e-6)
