# SPDX-License-Identifier: Apache-2.0
import runpy
from pathlib import Path
from types import SimpleNamespace

import heddle
import numpy as np
from heddle import Module, Scan, fields, parameters
from heddle.solvers import tridiagonal

n, cells = 40, 8
model = Path(__file__).with_name("model.py")
diffuse = heddle.load(model).diffuse
ratio, nothing = np.zeros((n, 1, cells)), np.zeros((1, cells))
level = np.arange(n)


def wave(mode: int) -> np.ndarray:
    return np.repeat(np.cos(np.pi * (level + 0.5) * mode / n), cells).reshape(n, 1, cells)


def faces(alpha: float) -> np.ndarray:
    """alpha at the upper face of each cell, 0 at the top."""
    return np.where(level < n - 1, alpha, 0.0)[:, None, None].repeat(cells, -1)


# 1. Half an implicit step, extrapolated: 2 half - old. Its error falls by 4 as the step is halved, not by 2.
def error(steps: int, second_order: bool) -> float:
    old, theta = wave(1), wave(1)
    for _ in range(steps):
        alpha = faces(100 / steps / (2 if second_order else 1))
        diffuse(theta=theta, alpha=alpha, ratio=ratio, warming=nothing)
        theta[:] = 2 * theta - old if second_order else theta
        old = theta.copy()
    exact = np.exp(-100 * 4 * np.sin(np.pi / (2 * n)) ** 2)
    return abs(theta - exact * wave(1)).max()


first, second = (error(8, order) / error(16, order) for order in (False, True))
print(f"half the step divides the error by {first:.2f}, extrapolated by {second:.2f}")
assert abs(first - 2) < 0.1
assert abs(second - 4) < 0.1
# The shortest wave pays for it: its sign changes in each step, and it hardly decays.
short = wave(n - 1)
diffuse(theta=short, alpha=faces(25 / 2), ratio=ratio, warming=nothing)
kept = ((2 * short - wave(n - 1)) / wave(n - 1)).mean()
print(f"the shortest wave is multiplied by {kept:.3f}")
assert -1 < kept < -0.95

# 2. `leak` is what the elimination adds to the diagonal: at the ground, what is taken away there.
lesson = SimpleNamespace(**runpy.run_path(str(model)))
theta, above = lesson.theta, lesson.above
deposition = parameters("deposition")  # velocity * time step / cell height
start = {lesson.leak: deposition, lesson.from_below: 0}
answers = Module("columns_answers", precisions=("f64",))
answers.add(
    "deposit",
    [
        Scan(2, start, lesson.eliminate, lesson.passed_on),
        Scan(2, {above: 0}, lesson.substitute, {above: theta.here}, reverse=True),
    ],
)
# 3. The library's elimination carries the sum of what a row has beyond its neighbours, and subtracts nothing.
lower, upper = fields("lower, upper: real[3D]", ghost_layers=0)
answers.add(
    "careful", tridiagonal.eliminate(theta, lesson.ratio, lower=lower.here, upper=upper.here, excess=1)
)
kernels = heddle.load(answers)

gas = np.ones((n, 1, cells))
kernels.deposit(theta=gas, alpha=faces(25), ratio=ratio, deposition=0.5)
taken = n - gas.sum(axis=0)
print(f"the ground takes {taken[0, 0]:.6f}, expected {0.5 * gas[0, 0, 0]:.6f}")
assert abs(taken - 0.5 * gas[0]).max() < 1e-12

# 3. alpha = 1e12 mixes a column within a step. 1 - ratio has four digits then, and heat is lost.
random = np.random.default_rng(1).random((n, 1, cells))
textbook, solved = random.copy(), -random
diffuse(theta=textbook, alpha=faces(1e12), ratio=ratio, warming=nothing)
kernels.careful(theta=solved, ratio=ratio, lower=np.roll(faces(1e12), 1, 0), upper=faces(1e12))
lost, kept = (abs(theta.mean(axis=0) - random.mean(axis=0)).max() for theta in (textbook, solved))
print(f"alpha 1e12: the mean is wrong by {lost:.1e}, without a subtraction by {kept:.1e}")
assert lost > 1e-6
assert kept < 1e-14
