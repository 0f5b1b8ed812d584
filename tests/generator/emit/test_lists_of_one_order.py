# SPDX-License-Identifier: Apache-2.0
"""Fields over a list of the same cells that holds others behind walls, as those of a scalar beside a flow: a
kernel takes them if they have the cells that it runs over."""

from __future__ import annotations

import copy
import ctypes
import random
from dataclasses import replace

import pytest
from compiled import Library, Memory, call
from heddle import Module, Sparse, fields, lbm
from heddle.build import files
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, run
from heddle.ir.rounding import Number
from running import listed_memory

pytestmark = pytest.mark.compiles
D2Q9 = lbm.Lattice("D2Q9")
TARGETS = ("cpu", "cuda", "reference")
MODULE = Module("m", precisions=("f32",))
MODULE.add("state", lbm.EsoPull(D2Q9).moments("rho", "u"), space=Sparse("fluid"))
STEPS = Module("steps", precisions=("f32",))
STEPS.add("step", lbm.Pull(D2Q9)(lbm.BGK(D2Q9)), space=Sparse("fluid"))
BUOYANT = lbm.BGK(D2Q9, force=lbm.boussinesq(D2Q9, (0, "g")))
STEPS.add("pushed", lbm.Pull(D2Q9)(BUOYANT), space=Sparse("fluid"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return Library(tmp_path_factory.mktemp("kernels"), [(MODULE, TARGETS)], plain=True).compile()


def case() -> tuple[ir.Kernel, dict[str, Array], dict[str, Number]]:
    kernel = MODULE.typed("state_odd", "f32")
    return kernel, *listed_memory(kernel, (6, 5), random.Random(4))


def shorter(array: Array, cells: int) -> Array:
    return replace(array, extent=(cells, *array.extent[1:]))


@pytest.mark.parametrize("target", TARGETS)
def test_the_cells_of_the_kernel_are_enough(library: ctypes.CDLL, target: str) -> None:
    kernel, arrays, numbers = case()
    last = int(numbers["last"])
    assert last < arrays["f"].extent[0]
    arrays["u"] = shorter(arrays["u"], last)
    arrays["rho"] = shorter(arrays["rho"], last + 1)
    expected = copy.deepcopy(arrays)
    assert run(kernel, expected, numbers).status == 0
    own = Memory(kernel, arrays)
    assert call(library, "m_state_odd_f32", kernel, own, numbers, target) == 0
    assert own.differences(expected) == []
    assert set(own.differences(arrays)) == {"rho", "u"}


@pytest.mark.parametrize("name", ["f", "rho", "u"])
@pytest.mark.parametrize("target", TARGETS)
def test_fewer_are_refused(library: ctypes.CDLL, target: str, name: str) -> None:
    kernel, arrays, numbers = case()
    arrays[name] = shorter(arrays[name], int(numbers["last"]) - 1)
    own = Memory(kernel, arrays)
    assert call(library, "m_state_odd_f32", kernel, own, numbers, target) == -2
    assert own.differences(arrays) == []


def test_populations_belong_to_one_list() -> None:
    """f and f_next, which come first, of which links lead to others of one alone; the temperature is of
    another list."""
    texts = files(STEPS, ["cpu"])
    assert "check_arrays(arrays, true)" in texts["steps/step.cpp"]
    assert "check_listed(arrays, 0x3U, last)" in texts["steps/pushed.cpp"]


@pytest.mark.parametrize(
    ("others", "check"), [(30, "check_listed(arrays, 0x3U, last)"), (31, "check_arrays(")]
)
def test_each_array_has_a_bit(others: int, check: str) -> None:
    """As far as there are bits."""
    pushing = sum(field.here for field in fields(", ".join(f"a{n}" for n in range(others)) + ": real[2D]"))
    module = Module("m", precisions=("f32",))
    module.add("step", lbm.Pull(D2Q9)(lbm.BGK(D2Q9, force=(pushing, 0))), space=Sparse("fluid"))
    assert check in files(module, ["cpu"])["m/step.cpp"]


def test_the_table_is_that_of_the_populations() -> None:
    """Not that of the first field, which may be over the list of the flow."""
    module = Module("heat", precisions=("f32",))
    scalar = lbm.Pull(lbm.Lattice("D2Q5"), "g", "g_next")
    module.add("start", scalar.initialise_scalar("T", "u"), space=Sparse("fluid"))
    text = files(module, ["cpu"])["heat/heat_sweeps.hpp"]
    bound = "heddle::reads(T), heddle::reads<2>(u), heddle::writes<5>(g, 1), heddle::neighbours(g)"
    assert bound in " ".join(text.split())
