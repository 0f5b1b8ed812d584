# SPDX-License-Identifier: Apache-2.0
"""NaN in reductions, minima and maxima: it stays, on every target, with any instruction set, wherever it
stands. Compared with NumPy."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from compiled import DTYPES, Library, Memory, call
from heddle import Assignment, Module, Reduce, fields
from heddle.ir.interpret import Array, run

pytestmark = pytest.mark.compiles
TARGETS = ("reference", "cpu", "cuda")
INSTRUCTIONS = {"baseline": [], "haswell": ["-march=haswell"]}
HAS_AVX2 = "avx2" in Path("/proc/cpuinfo").read_text()
PLACES = (0, 1, 15, 16, 31, 32, 47, 68)
NANS = (np.nan, -np.nan)


def module() -> Module:
    a, b, c, out = fields("a, b, c: real[1D]; out: real(6)[1D]")
    made = Module("nans", precisions=("f64", "f32"))
    made.add(
        "norms",
        [
            Reduce("max", "most", a.here),
            Reduce("min", "least", a.here),
            Reduce("max", "size", sympy.Abs(a.here)),
            Reduce("sum", "total", a.here),
        ],
    )
    x, y, z = a.here, b.here, c.here
    values = [
        sympy.Max(x, y),
        sympy.Min(x, y),
        sympy.Max(x, 0),
        sympy.Min(1, y),
        sympy.Max(x, y, z),
        sympy.Min(z, x, y),
    ]
    made.add("extremes", [Assignment(out[0, n], value) for n, value in enumerate(values)])
    return made


MODULE = module()


@pytest.fixture(scope="module", params=INSTRUCTIONS)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if request.param == "haswell" and not HAS_AVX2:
        pytest.fail("this machine has no AVX2")
    built = Library(tmp_path_factory.mktemp("nan"), [(MODULE, TARGETS)])
    built.flags["cpu"] = ["-O3", "-fopenmp", *INSTRUCTIONS[request.param]]
    return built.compile()


def called(library: ctypes.CDLL, name: str, chosen: str, target: str, data: dict[str, Any]) -> Memory:
    kernel = MODULE.typed(name, chosen)
    arrays = {}
    for field in kernel.fields:
        values = data.get(field.name, np.zeros(6 * len(data["a"])))
        cells = len(values) // (field.components or 1)
        extent, stride = ((cells, 6), (1, cells)) if field.components else ((cells,), (1,))
        arrays[field.name] = Array(list(values), 0, extent, stride)
    memory = Memory(kernel, arrays)
    assert call(library, f"nans_{name}_{chosen}", kernel, memory, {}, target) == 0
    return memory


def rows(chosen: str) -> Iterator[Any]:
    """Data with a NaN of either sign in each place, with several, with nothing else, and with none."""
    plain = (np.random.default_rng(3).random(69) - 0.5).astype(DTYPES[chosen])
    yield plain
    yield np.where(np.arange(69) % 7 == 3, np.inf, plain)
    yield np.where(np.arange(69) % 7 == 3, -np.inf, plain)
    for nan in NANS:
        yield np.full(33, nan, plain.dtype)
        yield np.where(np.arange(69) % 2 == 1, nan, plain)
        for place in PLACES:
            for length in (place + 1, 69):
                changed = plain[:length].copy()
                changed[place] = nan
                yield changed


@pytest.mark.parametrize("chosen", ["f64", "f32"])
@pytest.mark.parametrize("target", TARGETS)
def test_reductions_keep_nan(library: ctypes.CDLL, target: str, chosen: str) -> None:
    count = 0
    for values in rows(chosen):
        outputs = called(library, "norms", chosen, target, {"a": values}).outputs
        with np.errstate(all="ignore"):
            expected = {"most": values.max(), "least": values.min(), "size": np.abs(values).max()}
        for name, value in expected.items():
            np.testing.assert_equal(outputs[name][0], value, err_msg=f"{name} of {values}")
        assert np.isnan(outputs["total"][0]) == np.isnan(values).any()
        count += 1
    assert count == 3 + 2 * (2 + 2 * len(PLACES))


@pytest.mark.parametrize("chosen", ["f64", "f32"])
@pytest.mark.parametrize("target", TARGETS)
def test_minimum_and_maximum_keep_nan(library: ctypes.CDLL, target: str, chosen: str) -> None:
    """Wherever it stands among the arguments: all triples of some values."""
    values = np.array([np.nan, -np.nan, -np.inf, -1.5, -0.0, 0.0, 0.75, np.inf], DTYPES[chosen])
    x, y, z = (part.ravel() for part in np.meshgrid(values, values, values))
    out = called(library, "extremes", chosen, target, {"a": x, "b": y, "c": z}).data["out"].reshape(6, -1)
    expected = [
        np.maximum(x, y),
        np.minimum(x, y),
        np.maximum(x, 0),
        np.minimum(1, y),
        np.maximum(np.maximum(x, y), z),
        np.minimum(np.minimum(x, y), z),
    ]
    for found, wanted in zip(out, expected, strict=True):
        assert np.isnan(wanted).any()
        np.testing.assert_array_equal(found, wanted)


def test_the_interpreter_says_the_same() -> None:
    typed = MODULE.typed("norms", "f64")
    for values in rows("f64"):
        outputs = run(typed, {"a": Array(list(values), 0, (len(values),), (1,))}).outputs
        np.testing.assert_equal(outputs["most"], values.max())
        np.testing.assert_equal(outputs["least"], values.min())
