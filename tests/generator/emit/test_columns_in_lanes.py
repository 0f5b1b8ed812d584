# SPDX-License-Identifier: Apache-2.0
"""Compiled columns and cells in vector lanes with masks against the interpreter, bit for bit: on memory of
any strides, and with unit stride along x, as WRF has it, and along z, as PALM has it."""

from __future__ import annotations

import copy
import ctypes
import functools
import itertools
import random

import pytest
from compiled import Library, Memory, call, same
from heddle import Module, Schedule, Strips
from heddle.ir.interpret import Array, run
from heddle.ir.rounding import Number
from models import columns_under_conditions, newton, substeps
from running import memory, scalars

pytestmark = pytest.mark.compiles
EXTENT = (21, 2, 4)
SEEDS = {"plain": 0, "strides": 1}


def made() -> Module:
    module = Module("masks", precisions=("f64", "f32"))
    for body in (newton, substeps, columns_under_conditions):
        statements = body()[:-1] if body is newton else body()  # a reduction is left out
        module.add(body.__name__, statements, schedule=Schedule(cpu=Strips(8)))
    return module


MODULE = made()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    built = Library(tmp_path_factory.mktemp("masks"), [(MODULE, ("cpu",))])
    built.check("cpu", "clang++")
    return built.compile()


@functools.cache
def given(name: str, precision: str, memory_of: str) -> tuple[dict[str, Array], dict[str, Number]]:
    """Random memory for a kernel."""
    kernel, generator = MODULE.stages(name, precision, "cpu").kernel, random.Random(SEEDS[memory_of])
    extent = EXTENT[: kernel.space.dimensions]
    return memory(kernel, extent, generator, plain=memory_of == "plain"), scalars(kernel, generator)


@functools.cache
def interpreted(name: str, precision: str, memory_of: str) -> dict[str, Array]:
    """What the kernel leaves there, as the model says it, one column after the other."""
    arrays, numbers = given(name, precision, memory_of)
    expected = copy.deepcopy(arrays)
    run(MODULE.stages(name, precision, "cpu").kernel, expected, numbers)
    return expected


@pytest.mark.parametrize("memory_of", SEEDS)
@pytest.mark.parametrize("precision", MODULE.precisions)
@pytest.mark.parametrize("name", MODULE.kernels)
def test_lanes_give_the_bits_of_the_model(
    library: ctypes.CDLL, name: str, precision: str, memory_of: str
) -> None:
    arrays, numbers = given(name, precision, memory_of)
    kernel, expected = MODULE.stages(name, precision, "cpu").kernel, interpreted(name, precision, memory_of)
    for target in ("cpu", "unit") if memory_of == "plain" else ("cpu",):
        own = Memory(kernel, arrays)
        assert call(library, f"masks_{name}_{precision}", kernel, own, numbers, target) == 0
        assert own.differences(expected) == []
        assert own.differences(arrays) != []


def levels_first(plain: Array, ghosts: int) -> tuple[Array, list[int]]:
    """The same cells with unit stride along z, or along x in a plane, and where elements of `plain` lie."""
    whole = [n + 2 * ghosts for n in plain.extent]
    stride, size = [0] * len(whole), 1
    for axis in sorted(range(len(whole)), key=lambda axis: axis != 2):
        stride[axis], size = size, size * whole[axis]
    cells = itertools.product(*map(range, reversed(whole)))
    places = [sum(c * s for c, s in zip(reversed(cell), stride, strict=True)) for cell in cells]
    values = [0.0] * size
    for value, place in zip(plain.values, places, strict=True):
        values[place] = value
    return Array(values, ghosts * sum(stride), plain.extent, tuple(stride)), places


@pytest.mark.parametrize("precision", MODULE.precisions)
@pytest.mark.parametrize("name", [name for name in MODULE.kernels if name != "newton"])
def test_both_layouts_of_columns_give_the_same_bits(library: ctypes.CDLL, name: str, precision: str) -> None:
    arrays, numbers = given(name, precision, "plain")
    kernel, expected = MODULE.stages(name, precision, "cpu").kernel, interpreted(name, precision, "plain")
    moved = {f.name: levels_first(arrays[f.name], f.ghost_layers) for f in kernel.fields}
    own = Memory(kernel, {field: array for field, (array, _) in moved.items()})
    assert call(library, f"masks_{name}_{precision}", kernel, own, numbers, "cpu") == 0
    for field, (array, places) in moved.items():
        assert array.stride[2:] in ((), (1,))
        assert same(own.data[field][places], Memory(kernel, expected).data[field])
