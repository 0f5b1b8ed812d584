# SPDX-License-Identifier: Apache-2.0
"""The entry that looks through the tables of a list: it refuses what leads out of the fields before it
touches them, and else is the other entry."""

from __future__ import annotations

import copy
import ctypes
import random
from dataclasses import replace

import pytest
from compiled import Library, Memory, call
from heddle import Module, Schedule, Sparse, Strips, lbm
from heddle.build import files
from heddle.emit.signature import arguments
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, run
from heddle.ir.rounding import Number
from running import listed_memory

pytestmark = pytest.mark.compiles
STREAM = lbm.Pull(lbm.Lattice("D2Q9"))
MODULE = Module("m", precisions=("f64",))
MODULE.add("step", STREAM(lbm.BGK(STREAM.lattice)), space=Sparse("fluid"), schedule=Schedule(cpu=Strips(16)))
MODULE.add("wall", STREAM.boundary(lbm.Bouzidi()), space=Sparse("wall", listed=True))
MODULE.add("start", STREAM.initialise("rho", "u"), space=Sparse("fluid", listed=True))
FAULTS = [
    ("step", "neighbour", 2**31, "an entry beyond all elements"),
    ("step", "neighbour", 0, "the first element behind the last one"),
    ("step", "neighbour_run", 5, "a run that is not that of the table"),
    ("wall", "neighbour", 2**31, "an entry of a listed cell"),
    ("wall", "cells", 2**32 - 1, "a cell beyond all cells"),
    ("start", "cells", 2**31, "a cell of a kernel without links"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return Library(tmp_path_factory.mktemp("kernels"), [(MODULE, ["cpu"])], plain=True).compile()


def case(name: str) -> tuple[ir.Kernel, dict[str, Array], dict[str, Number]]:
    kernel = MODULE.stages(name, "f64", "cpu").kernel
    return kernel, *listed_memory(kernel, (9, 8), random.Random(4))


@pytest.mark.parametrize("name", MODULE.kernels)
def test_right_tables_change_nothing(library: ctypes.CDLL, name: str) -> None:
    kernel, arrays, numbers = case(name)
    expected = copy.deepcopy(arrays)
    assert run(kernel, expected, numbers).status == 0
    own = Memory(kernel, arrays)
    assert call(library, f"m_{name}_f64", kernel, own, numbers, "checked") == 0
    assert own.differences(expected) == []


@pytest.mark.parametrize(("name", "table", "value", "what"), FAULTS)
def test_what_leads_elsewhere_is_refused(
    library: ctypes.CDLL, name: str, table: str, value: int, what: str
) -> None:
    kernel, arrays, numbers = case(name)
    cell = arrays["cells"].values[1] if "cells" in arrays else 1
    at = {"neighbour": int(cell), "neighbour_run": len(kernel.space.links), "cells": 1}[table]
    if not value:
        cells, stride = arrays["f"].extent[0], arrays["f"].stride[1]
        value = 8 * stride + cells
    assert arrays[table].values[at] != value
    arrays[table].values[at] = value
    own = Memory(kernel, arrays)
    assert call(library, f"m_{name}_f64", kernel, own, numbers, "checked") == -5, what
    assert own.differences(arrays) == []


@pytest.mark.parametrize("name", MODULE.kernels)
def test_other_faults_have_their_codes(library: ctypes.CDLL, name: str) -> None:
    """It leaves them to the other entry, and looks at no table that is not there."""
    kernel, arrays, numbers = case(name)
    own = Memory(kernel, arrays)
    for argument in arguments(kernel):
        if argument.name == "cells" or argument.role in ("table", "runs", "extent", "stride"):
            missing = {argument.name: ctypes.c_void_p(None)}
            assert call(library, f"m_{name}_f64", kernel, own, numbers, "checked", missing) == -1, argument
    if "last" in numbers:
        for wrong in ({"first": -1}, {"last": arrays["f"].extent[0] + 1}):
            assert call(library, f"m_{name}_f64", kernel, own, numbers | wrong, "checked") == -2
        few = {"neighbour_stride": ctypes.c_int64(int(numbers["last"]) - 1)}
        assert call(library, f"m_{name}_f64", kernel, own, numbers, "checked", few) == -3
    fewer = dict(arrays)
    fewer["f"] = replace(arrays["f"], extent=(1, 9))
    assert call(library, f"m_{name}_f64", kernel, Memory(kernel, fewer), numbers, "checked") in (-2, -5)
    assert own.differences(arrays) == []


def test_comments_say_what_is_trusted() -> None:
    header = " ".join(files(MODULE, ["cpu"])["m/m.h"].replace("\n/// ", " ").split())
    assert header.count("Trusts what is in the tables") == 3
    assert header.count("_checked looks through them first: -5.") == 3
    assert "int m_step_f64_checked(" in header
    wrapper = files(MODULE, ["cpu"])["m/m.hpp"]
    assert "heddle::detail::tables_checked ? m_step_f64_checked : m_step_f64" in " ".join(wrapper.split())
    reference = files(MODULE, ["reference"])
    assert not any(
        "_f64_checked" in text for name, text in reference.items() if not name.startswith("heddle/")
    )
