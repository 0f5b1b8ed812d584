# SPDX-License-Identifier: Apache-2.0
"""The reverse of a kernel as a function of whole arrays: for every form that an adjoint kernel has, its
derivatives are those of central differences, ghost cells included, with NumPy in place of a framework."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import heddle
import numpy as np
import pytest
from heddle import Assignment, KernelError, Module, Reduce, Sparse, fields, lbm, parameters, profiles
from heddle.python.frames import Frame, adjoint_of
from heddle.python.load import Kernels
from heddle.python.reverse import Arrays, Call, Reverse, Slices

pytestmark = pytest.mark.compiles
RANDOM = np.random.default_rng(5)


def model() -> Module:
    u, u_next, kappa, air = fields("u, u_next, kappa, air: real[2D]")
    c = fields("c: real(2)[2D]")
    weight = profiles("weight: real[y]")
    alpha, count = parameters("alpha; count: int32")
    module = Module("reverses", precisions=("f64",))
    sides = (1, 0), (-1, 0), (0, 1), (0, -1)
    flow = sum((kappa.here + kappa[to]) / 2 * (u[to] - u.here) for to in sides) * air.here * weight[0]
    heat = Reduce("sum", "heat", u.here**3 * alpha)
    module.add("step", [Assignment(u_next.here, u.here + alpha * count * flow * u.here), heat])
    sums = Reduce("sum", "first", u.here**2), Reduce("sum", "second", u.here * kappa.here)
    module.add("sums", list(sums))
    module.add("react", [Assignment(c[0, 0, 0], c[0, 0, 0] * c[0, 0, 1] * alpha)])
    module.add("half", [Assignment(c[0, 0, 1], u[1, 0] ** 2)])
    module.add("linear", [Assignment(u_next.here, u[0, 1] + 2 * u[0, -1])])
    d2q9 = lbm.Lattice("D2Q9")
    for name, pattern in (("pull", lbm.Pull), ("push", lbm.Push), ("aa", lbm.AA)):
        module.add(name, pattern(d2q9)(lbm.BGK(d2q9, omega="omega")))
    module.add("lid", lbm.Pull(d2q9).boundary(lbm.VelocityBounceBack(("u_lid", 0)), face="n"))
    for name in (*CASES, "lid"):
        module.add_adjoint(name, of=("u", "kappa", "alpha") if name == "step" else None)
    return module


CASES = ("step", "sums", "react", "half", "linear", "pull", "push", "aa_even", "aa_odd")


class InNumPy:
    """What the reverse asks of arrays."""

    def zeros(self, shape: Sequence[int], kind: str) -> Any:
        return np.zeros(shape, kind)

    def take(self, array: Any, at: Sequence[int], axis: int) -> Any:
        return np.take(array, at, axis)

    def placed(self, array: Any, at: Slices, values: Any) -> Any:
        array[at] = values
        return array


@pytest.fixture(scope="module")
def reverses(own_cache: Any) -> Kernels:
    return heddle.load(model())


def called(kernels: Kernels, kernel: Frame, operands: Arrays, ghosts: Sequence[int]) -> Arrays:
    """The kernel as a function: arrays that it writes are new ones."""
    new = operands | {name: operands[name].copy() for name in kernel.written}
    sums = kernels[kernel.name](**new, ghosts=tuple(reversed(ghosts)))
    found = {name: new[name] for name in kernel.written}
    if kernel.outputs:
        found |= sums if isinstance(sums, dict) else {kernel.outputs[0][0]: np.float64(sums)}
    return found


def operands_of(kernel: Frame, ghosts: Sequence[int]) -> Arrays:
    cells, given = {"x": 7, "y": 5}, {"count": 2, "omega": 1.2, "u_lid": 0.1, "alpha": 0.3}
    found: Arrays = {}
    for wanted in kernel.wanted:
        if not wanted.is_array:
            found[wanted.name] = given[wanted.name]
            continue
        around = {"x": ghosts[0], "y": ghosts[1]} if wanted.kind == "array" else {"y": 1}
        shape = [cells[axis] + 2 * around[axis] for axis in wanted.space]
        found[wanted.name] = RANDOM.random(([wanted.components] if wanted.components else []) + shape) / 9
    return found


@pytest.mark.parametrize("ghosts", [(1, 1), (2, 3)])
@pytest.mark.parametrize("name", [*CASES, "lid"])
def test_derivatives_are_those_of_differences(reverses: Kernels, name: str, ghosts: tuple[int, int]) -> None:
    module = reverses.loaded[0]
    kernel, adjoint = Frame(module, name), Frame(module, adjoint_of(module, name))
    reverse, operands = Reverse(kernel, adjoint), operands_of(kernel, ghosts)
    shapes = {wanted.name: operands[wanted.name].shape for wanted in kernel.arrays}
    assert kernel.check({n: (shape, "float64") for n, shape in shapes.items()}, ghosts) == 0

    def run(which: Frame, given: Arrays, layers: Sequence[int]) -> Arrays:
        return called(reverses, which, given, layers)

    forwards = run(kernel, operands, ghosts)
    bars = {given: RANDOM.standard_normal(np.shape(value)) for given, value in forwards.items()}
    saved = {needed: operands[needed] for needed in reverse.needs}
    before = {given: bar.copy() for given, bar in (bars | saved).items() if isinstance(bar, np.ndarray)}
    found = Call(reverse, InNumPy(), run, shapes, 0, ghosts).run(saved, bars)
    assert all(np.array_equal((bars | saved)[given], value) for given, value in before.items())
    expected_of = {
        "step": {"u", "kappa", "alpha", "u_next"},
        "react": {"c", "alpha"},
        "half": {"u", "c"},
        "linear": {"u", "u_next"},
    }
    assert reverse.differentiable >= expected_of.get(name, set())
    assert set(found) == reverse.differentiable
    for of in reverse.differentiable:
        towards, ends = RANDOM.standard_normal(np.shape(operands[of])), []
        assert np.shape(found[of]) == np.shape(operands[of])
        for step in (1e-5, -1e-5):
            moved = run(kernel, operands | {of: operands[of] + step * towards}, ghosts)
            ends.append(sum((bars[given] * value).sum() for given, value in moved.items()))
        slope = (ends[0] - ends[1]) / 2e-5
        assert (found[of] * towards).sum() == pytest.approx(slope, rel=1e-6, abs=1e-9), of


@pytest.mark.usefixtures("own_cache")
def test_what_has_no_derivative_is_refused(reverses: Kernels) -> None:
    module = reverses.loaded[0]
    reverse = Reverse(Frame(module, "step"), Frame(module, "step_adjoint"))
    with pytest.raises(KernelError, match="'air' has no derivative: the kernel step_adjoint gives none"):
        reverse.check(["u", "air"])
    assert adjoint_of(module, "step_adjoint") == ""


SHAPES = {"u": (7, 9), "u_next": (7, 9), "kappa": (7, 9), "air": (7, 9), "weight": (7,)}
MISTAKES: list[tuple[dict[str, tuple[int, ...]], int, str]] = [
    ({"u": (7, 8)}, 1, "'u_next' has 7 cells along x, but 'u' has 6"),
    ({"u": (9,)}, 1, r"'u' has the shape \(9,\), but needs 2 axes"),
    ({"weight": (9,)}, 1, "'weight' has 7 cells along y, but 'u' has 5"),
    ({}, 0, r"too few ghost cells: the kernel accesses \(1, 1\) cells .*\n.*pass ghosts=1"),
    ({}, 4, "no room for 4 ghost cells"),
]


@pytest.mark.parametrize(("wrong", "ghosts", "what"), MISTAKES)
def test_shapes_that_do_not_fit_are_refused(wrong: dict[str, Any], ghosts: int, what: str) -> None:
    kernel = Frame(model(), "step")
    shapes = {name: (shape, "float64") for name, shape in (SHAPES | wrong).items()}
    with pytest.raises(KernelError, match=what):
        kernel.check(shapes, kernel.ghosts(ghosts))


def test_other_mistakes_are_refused() -> None:
    kernel = Frame(model(), "step")
    shapes = {name: (shape, "float64") for name, shape in SHAPES.items()}
    with pytest.raises(KernelError, match="'air' has elements of float32, beside 'kappa' with float64"):
        kernel.check(shapes | {"air": ((7, 9), "float32")}, (1, 1))
    with pytest.raises(KernelError, match=r"no argument 'kapa'.\n.*did you mean 'kappa'"):
        kernel.complete({"kapa": 1})
    with pytest.raises(KernelError, match="lacks 'u_next', 'kappa', 'air', 'weight', 'alpha', 'count'"):
        kernel.complete({"u": 1})
    with pytest.raises(KernelError, match="ghosts has 3 numbers, but the kernel has 2 axes"):
        kernel.ghosts((1, 1, 1))
    with pytest.raises(KernelError, match="ghosts is -1"):
        kernel.ghosts(-1)
    d2q9 = lbm.Lattice("D2Q9")
    over_list = Module("over_list", precisions=("f64",))
    over_list.add("step", lbm.Pull(d2q9)(lbm.BGK(d2q9)), space=Sparse("fluid"))
    with pytest.raises(KernelError, match="it runs over a list of cells"):
        Frame(over_list, "step")
