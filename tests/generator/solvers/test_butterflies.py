# SPDX-License-Identifier: Apache-2.0
"""Butterflies: what is derived is the transform, costs what is known of it, and compiles to those bits."""

from __future__ import annotations

import cmath
import copy
import ctypes
import math
import random
from collections.abc import Mapping

import pytest
import sympy
from compiled import Library, Memory, call
from heddle import Module, Rows, Schedule
from heddle.ir.interpret import run
from heddle.model.assignment import Assignment
from heddle.solvers.butterfly import butterfly
from heddle.solvers.fourier import Complex, Derivation, transform
from running import memory

Values = dict[sympy.Basic, sympy.Float]
ROW = Schedule(cpu=Rows(fixed_nx=8, parallel=False, unchecked_entry=True))


def derived(r: int) -> tuple[list[Assignment], list[Complex]]:
    """The statements of a transform of r named values, and its results."""
    d = Derivation()
    values = [Complex(sympy.Symbol(f"x{j}_re"), sympy.Symbol(f"x{j}_im")) for j in range(r)]
    result = transform(d, values, "X")
    return [s for s in d.statements if isinstance(s, Assignment)], result


def evaluated(
    statements: list[Assignment], known: Mapping[sympy.Symbol, sympy.Float]
) -> dict[sympy.Basic, sympy.Float]:
    values: dict[sympy.Basic, sympy.Float] = dict(known)
    for statement in statements:
        values[statement.target] = statement.value.xreplace(values)
    return values


@pytest.mark.parametrize("r", [*range(1, 17), 20])
def test_is_the_transform(r: int) -> None:
    statements, result = derived(r)
    generator = random.Random(r)
    numbers = [complex(generator.uniform(-1, 1), generator.uniform(-1, 1)) for _ in range(r)]
    known = {}
    for j, x in enumerate(numbers):
        known[sympy.Symbol(f"x{j}_re")], known[sympy.Symbol(f"x{j}_im")] = map(sympy.Float, (x.real, x.imag))
    values = evaluated(statements, known)
    for k, value in enumerate(result):
        expected = sum(x * cmath.exp(-2j * math.pi * j * k / r) for j, x in enumerate(numbers))
        found = complex(value.re.xreplace(values), value.im.xreplace(values))
        assert abs(found - expected) < 1e-14 * r


@pytest.mark.parametrize(
    ("r", "additions", "products"),
    [(2, 4, 0), (3, 12, 4), (4, 16, 0), (5, 32, 16), (7, 60, 36), (8, 52, 4), (16, 144, 24)],
)
def test_costs(r: int, additions: int, products: int) -> None:
    """Of composite radices what a radix-4 transform costs (Duhamel and Vetterli, Signal Processing 19, 1990);
    of a prime p, (p - 1)^2 products."""
    statements, _ = derived(r)
    found = [0, 0]
    for statement in statements:
        for node in sympy.preorder_traversal(statement.value):
            if node.is_Add:
                found[0] += len(node.args) - 1
            elif node.is_Mul:
                found[1] += sum(not a.is_number for a in node.args) - 1
    assert found == [additions, products]


def test_constants_are_rounded_once() -> None:
    statements, _ = derived(7)
    constants = {s.target.name: float(s.value) for s in statements if s.value.is_Float}
    assert constants["cos_1_7"] == float("0.62348980185873353052500488400")
    assert constants["sin_1_7"] == float("0.78183148246802980870844452667")


def module() -> Module:
    butterflies = Module("butterflies", ("f64", "f32"))
    for r in (3, 4):
        butterflies.add(f"radix{r}_twiddle", butterfly(r, twiddled=True), schedule=ROW)
        butterflies.add(f"radix{r}", butterfly(r, twiddled=False), schedule=ROW)
    return butterflies


BUTTERFLIES = module()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return Library(tmp_path_factory.mktemp("fft"), [(BUTTERFLIES, ("reference", "cpu", "cuda"))]).compile()


@pytest.mark.compiles
@pytest.mark.parametrize("target", ["reference", "cpu", "unit", "unchecked", "cuda"])
@pytest.mark.parametrize("precision", ["f64", "f32"])
@pytest.mark.parametrize("name", list(BUTTERFLIES.kernels))
def test_compiled(library: ctypes.CDLL, name: str, precision: str, target: str) -> None:
    stages = BUTTERFLIES.stages(name, precision, target if target in ("reference", "cuda") else "cpu")
    for plain in (True, False) if target in ("reference", "cpu", "cuda") else (True,):
        arrays = memory(stages.kernel, (8, 3, 2), random.Random(5), plain=plain)
        own, expected = Memory(stages.kernel, arrays), copy.deepcopy(arrays)
        assert call(library, f"butterflies_{name}_{precision}", stages.kernel, own, {}, target) == 0
        run(stages.kernel, expected, {})
        assert own.differences(expected) == []
        assert own.differences(arrays) == ["out_re", "out_im"]


@pytest.mark.compiles
@pytest.mark.parametrize("target", ["reference", "cpu", "unit", "cuda"])
def test_rows_of_another_length_are_refused(library: ctypes.CDLL, target: str) -> None:
    kernel = BUTTERFLIES.stages("radix3", "f64", "cpu").kernel
    arrays = memory(kernel, (7, 3, 2), random.Random(6), plain=True)
    own = Memory(kernel, arrays)
    assert call(library, "butterflies_radix3_f64", kernel, own, {}, target) == -2
    assert own.differences(arrays) == []
