# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import heddle
import numpy as np
from heddle import Module, Schedule, Strips, chemistry

CELLS = 16


class Cells:
    """Cells of a mechanism at 290 K and 1e5 Pa. y: [species, cell], mol m-3."""

    def __init__(self, kernel, y: np.ndarray, rate_input: np.ndarray | None = None) -> None:
        self.kernel, self.y = kernel, y
        self.inputs = {} if rate_input is None else {"rate_input": rate_input}
        self.step, self.outcome = np.zeros(CELLS), np.zeros(CELLS, np.int32)
        self.attempts = np.zeros(CELLS, np.int64)

    def integrate(self, interval: float, relative: float, absolute: float) -> None:
        self.kernel(
            concentration=self.y, temperature=np.full(CELLS, 290.0), pressure=np.full(CELLS, 1e5),
            step=self.step, outcome=self.outcome, steps=self.attempts, **self.inputs,
            interval=interval, relative_tolerance=relative, absolute_tolerance=absolute,
        )  # fmt: skip
        assert (self.outcome == 0).all()


# 1. Without its step a cell begins with a hundredth of the interval, and comes up again in each call.
smog = heddle.load(Path(__file__).with_name("model.py")).integrate
start = 41e-9 * np.array([0.0, 30, 10, 20])[:, None].repeat(CELLS, 1)  # O, O3, NO, NO2
attempts = {}
for remembered in (True, False):
    cells = Cells(smog, start.copy(), np.linspace(1e-3, 1e-2, CELLS)[None])
    attempts[remembered] = np.zeros(CELLS, np.int64)
    for _ in range(60):
        cells.step *= remembered
        cells.integrate(120, 1e-4, 1e-16)
        attempts[remembered] += cells.attempts
most, least = attempts[True].max(), attempts[False].min()
print(f"attempts in two hours: at most {most} where cells remember their step, at least {least} elsewhere")
assert least > 2 * most

# 2. With the atoms of each species Heddle names what makes or loses some: here the author forgot NO.
wrong = chemistry.Mechanism("wrong")
for name, oxygen, nitrogen in (("O", 1, 0), ("O2", 2, 0), ("O3", 3, 0), ("NO", 1, 1), ("NO2", 2, 1)):
    wrong.species(name, atoms={"O": oxygen, "N": nitrogen})
wrong.reaction("NO2 -> O", rate=0.01)
wrong.reaction("NO + O3 -> NO2 + O2", rate=1e4)
print("nitrogen is lost in", *wrong.unbalanced("N"))
assert [str(reaction) for reaction in wrong.unbalanced("N")] == ["NO2 -> O"]

# 3. The problem of H. H. Robertson (1966). At t = 40, ten digits that SciPy's Radau gives with tolerances of
# 1e-12, too; at t = 1e11 the reference of F. Mazzia and C. Magherini, Test Set for Initial Value Problem
# Solvers (2008).
robertson = chemistry.Mechanism("robertson")
robertson.species("A", "B", "C")
robertson.reaction("A -> B", rate=0.04)
robertson.reaction("2 B -> B + C", rate=3e7)
robertson.reaction("B + C -> A + C", rate=1e4)
answers = Module("robertson", precisions=("f64",))
solver = chemistry.Rosenbrock(robertson, "Rodas4", dimensions=1)
answers.add("integrate", solver.integrate(), schedule=Schedule(cpu=Strips(8), math="reproducible"))
cells = Cells(heddle.load(answers).integrate, np.array([1.0, 0, 0])[:, None].repeat(CELLS, 1))
for interval, reference in (
    (40, (0.7158270687, 9.185534765e-6, 0.2841637457)),
    (1e11 - 40, (2.083340149701255e-8, 8.333360770334713e-14, 0.9999999791665050)),
):
    cells.integrate(interval, 1e-8, 1e-20)
    error = abs(cells.y / np.array(reference)[:, None] - 1).max()
    print(f"A is {cells.y[0, 0]:.6g} after {cells.attempts[0]} attempts, largest relative error {error:.1e}")
    assert error < 1e-5
    assert abs(cells.y.sum(axis=0) - 1).max() < 1e-12
