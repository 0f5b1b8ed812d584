# SPDX-License-Identifier: Apache-2.0
"""Reproducible functions: where their numbers come from, how far they are from the exact values, special
values, and one result for the interpreter and for compiled code."""

from __future__ import annotations

import copy
import ctypes
import math
import random
from pathlib import Path
from typing import Any

import minimax
import numpy as np
import pytest
import sympy
from compiled import Library, Memory, call
from heddle import Assignment, KernelError, Module, Reduce, Schedule, Strips, fields
from heddle.build import files, write
from heddle.emit.math_header import NAME, math_header
from heddle.ir.functions import FUNCTIONS
from heddle.ir.interpret import Array, run
from heddle.ir.mathematics import DEFINITIONS
from heddle.ir.nodes import F32, F64
from heddle.lift import front_end
from heddle.roundtrip import report
from heddle.roundtrip.kernel import DifferenceError
from heddle.roundtrip.mathematics import same_function
from heddle.roundtrip.report import proved
from mathematics import (
    ARGUMENTS,
    DTYPES,
    EXACT,
    HARD,
    NUMPY,
    WORDS,
    called,
    distance,
    exact,
    largest_distance,
    library,
)
from models import FULL
from sympy.codegen.cfunctions import exp2, log2

DEVICE = Path(__file__).resolve().parents[3] / "runtime/include/heddle/device"
NAMES = sorted(DEFINITIONS)
ONE = [name for name in NAMES if ARGUMENTS[name] == 1]
ULP = {"pow": 2.0}
SPECIAL = [0.0, 1.0, 0.5, 2.0, 3.0, 2.5, 1e-3, 1e3, 88.7, 103.9, 126.5, 149.0, 700.0, 709.7, 709.8, 745.1,
           745.2, 1023.5, 1024.0, 1074.0, 1e16, 2e38, 1e300, 1e-30, 1e-40, 1e-310, 5e-324, math.inf,
           math.nan, math.pi, math.sqrt(0.5), 2.0**-126, 2.0**-1022, 1 - 2.0**-53, 1 + 2.0**-52,
           0.785, 1e22, 6381956970095103 * 2.0**797, 16367173 * 2.0**72]  # fmt: skip
"""Among them numbers next to multiples of pi / 2: of doubles the one that is next to one of them."""


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return library(tmp_path_factory.mktemp("mathematics"))


def arguments(name: str, bits: int, count: int) -> list[Any]:
    """Numbers in the ranges, and of any exponent, for each argument."""
    generator = np.random.default_rng(bits)
    result = []
    for _ in range(ARGUMENTS[name]):
        parts = [generator.uniform(*ends, size=count) for ends in HARD[name]]
        words = generator.integers(0, 2**bits, count, dtype=WORDS[bits])
        result.append(
            np.concatenate(
                [
                    *(part.astype(DTYPES[bits]) for part in parts),
                    words.view(DTYPES[bits]),
                ]
            )
        )
    return result


def test_the_numbers_are_derived_and_the_header_is_printed() -> None:
    assert minimax.FILE.read_text() == minimax.derived()
    assert (DEVICE / NAME).read_text() == math_header()


@pytest.mark.compiles
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bits", [64, 32])
def test_the_error_is_within_one_unit_in_the_last_place(functions: ctypes.CDLL, name: str, bits: int) -> None:
    given = arguments(name, bits, 3000 if FULL else 300)
    found = called(functions, name, *given)
    checked = 0
    for result, *numbers in zip(found.tolist(), *(array.tolist() for array in given), strict=True):
        if all(map(math.isfinite, numbers)) and math.isfinite(result):
            value = exact(name, *numbers)
            assert value is not None
            assert distance(result, value, bits) <= ULP.get(name, 1.0), (
                numbers,
                result,
            )
            checked += 1
    assert checked > found.size / 4


@pytest.mark.compiles
@pytest.mark.parametrize("name", ONE)
def test_the_error_over_all_floats(functions: ctypes.CDLL, name: str) -> None:
    """All of them in full runs, else each 1021st."""
    assert largest_distance(functions, name, 1 if FULL else 1021) <= 1.0


@pytest.mark.compiles
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bits", [64, 32])
def test_special_values_are_those_of_the_library(functions: ctypes.CDLL, name: str, bits: int) -> None:
    with np.errstate(all="ignore"):
        one = np.array([sign * number for number in SPECIAL for sign in (1, -1)]).astype(DTYPES[bits])
        given = [a.ravel() for a in np.meshgrid(*[one] * ARGUMENTS[name])]
        expected = NUMPY[name](*(a.astype(np.float64) for a in given)).astype(DTYPES[bits])
        found = called(functions, name, *given)
    for result, wanted, *numbers in zip(found, expected, *given, strict=True):
        if np.isnan(wanted):
            assert np.isnan(result), numbers
        elif np.isinf(wanted) or wanted == 0:
            assert str(result) == str(wanted), numbers  # the sign of a zero, too
        else:
            at_ends = not all(map(np.isfinite, numbers))  # 1, as in pow(1, nan)
            value = float(wanted) if at_ends else exact(name, *map(float, numbers))
            assert distance(float(result), value, bits) <= ULP.get(name, 1.0), numbers


def model(math_of: Any = "reproducible") -> Module:
    a, b, out = fields("a, b: real[1D]; out: real(9)[1D]")
    made = Module("mathematics", precisions=("f64", "f32"))
    x, y = a[1], b.here
    values = [sympy.exp(x), exp2(y), sympy.log(x), log2(x) + sympy.exp(y)]
    values += [x**y, sympy.tanh(y), sympy.cbrt(x), sympy.sin(x), sympy.cos(y)]
    schedule = Schedule(math=math_of)
    made.add(
        "stencil",
        [Assignment(out[0, n], v) for n, v in enumerate(values)],
        schedule=schedule,
    )
    total = [Reduce("sum", "total", sympy.exp(-y * y) * sympy.log(2 + x * x))]
    made.add("total", total, schedule=schedule)
    made.add(
        "fused",
        [Assignment(b.here, a.here + 3 * sympy.exp(a.here))],
        schedule=Schedule(Strips(8), fma=True, math=math_of),
    )
    return made


TARGETS = ("reference", "cpu", "cuda")


@pytest.mark.compiles
def test_one_result_for_every_target(tmp_path: Path) -> None:
    """A stencil, a reduction and a kernel in strips, on numbers of all sizes and on special ones."""
    module = model()
    kernels = Library(tmp_path, [(module, TARGETS)]).compile()
    generator = random.Random(5)
    cells = 120
    for name in module.kernels:
        for chosen in module.precisions:
            typed = module.typed(name, chosen)
            arrays = {}
            for field in typed.fields:
                plain = [generator.choice((1.0, 10.0, 600.0)) * generator.gauss(0, 1) for _ in range(cells)]
                some = (
                    plain
                    if name == "total"
                    else [*plain[2 * len(SPECIAL) :], *SPECIAL, *(-s for s in SPECIAL)]
                )
                with np.errstate(all="ignore"):
                    values = np.array(some).astype(DTYPES[int(chosen[1:])]).tolist()
                if field.components:
                    arrays[field.name] = Array([0.0] * (9 * cells), 1, (cells - 2, 9), (1, cells))
                else:
                    arrays[field.name] = Array(values, 1, (cells - 2,), (1,))
            expected = copy.deepcopy(arrays)
            outputs = run(module.stages(name, chosen, "reference").lowered, expected).outputs
            for target in TARGETS:
                memory = Memory(typed, arrays)
                assert call(kernels, f"mathematics_{name}_{chosen}", typed, memory, {}, target) == 0
                assert memory.differences(expected) == [], (name, chosen, target)
                found = {k: float(memory.outputs[k][0]) for k in outputs}
                assert found == outputs, (name, chosen, target)


def test_kernels_with_these_functions_are_proved(tmp_path: Path) -> None:
    module = model()
    write(files(module, TARGETS), tmp_path)
    text = (tmp_path / "mathematics/stencil.cpp").read_text()
    assert "heddle::math::exp2(" in text
    assert "std::exp" not in text
    assert (tmp_path / "heddle/device" / NAME).read_text() == math_header()
    assert [
        f"{v.kernel} {v.target} {v.precision}: {v.problem}"
        for v in proved(module, TARGETS, tmp_path)
        if v.problem
    ] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_function_is_held_against_its_definition(tmp_path: Path, name: str) -> None:
    """The header is proved; with one argument changed in a function, that function is not."""
    header = (DEVICE / NAME).read_text()
    functions = header.split("HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE ")
    for real, kind in ((F64, "double"), (F32, "float")):
        at = next(i for i, f in enumerate(functions) if f.startswith(f"{kind} {name}("))
        changed = functions[at].replace("std::fma(", "std::fma(1 + ", 1)
        for text, same in ((functions[at], True), (changed, False)):
            source = tmp_path / "one.cpp"
            source.write_text(
                "HEDDLE_HOST_DEVICE HEDDLE_ALWAYS_INLINE ".join([*functions[:at], text, *functions[at + 1 :]])
            )
            unit = front_end.read(source, report.flags())
            if same:
                same_function(unit, f"reproducible_{name}", real)
            else:
                with pytest.raises(DifferenceError, match=f"heddle::math::{name} of type f{real.bits}"):
                    same_function(unit, f"reproducible_{name}", real)


def test_the_library_is_the_default_and_other_words_are_refused() -> None:
    module = model("library")
    assert "std::exp2(" in files(module, ("cpu",))["mathematics/stencil.cpp"]
    assert model().stages("stencil", "f64", "cpu").kernel == module.stages("stencil", "f64", "cpu").kernel
    with pytest.raises(KernelError, match="math='fast' is out of range"):
        Schedule(math="fast")  # type: ignore[arg-type]


def test_every_definition_has_a_row_and_a_reference() -> None:
    for name, definition in DEFINITIONS.items():
        row = FUNCTIONS[f"reproducible_{name}"]
        assert row.exact
        assert row.arguments == len(definition(F32).parameters)
        assert name in EXACT
    assert DEFINITIONS.keys() == {name for name, row in FUNCTIONS.items() if not row.exact}
