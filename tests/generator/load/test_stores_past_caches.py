# SPDX-License-Identifier: Apache-2.0
"""Strips that are stored past the caches: whole vectors at the end of a row, too, and what follows."""

from __future__ import annotations

import heddle
import numpy
import pytest
from heddle import Assignment, Module, Schedule, Strips, fields
from heddle.python.load import Kernels
from heddle.python.zeros import zeros

u, v = fields("u, v: real[2D]", ghost_layers=0)


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    module = Module("past", precisions=("f64", "f32"))
    module.add("twice", [Assignment(v.here, 2 * u.here)], schedule=Schedule(Strips(64, nontemporal=True)))
    return heddle.load(module)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("cells", [1, 15, 16, 40, 63, 64, 100, 127, 128])
def test_every_cell_is_stored(kernels: Kernels, cells: int, dtype: str) -> None:
    """And nothing beside them."""
    given = zeros((3, cells), dtype, ghosts=0)
    given[...] = numpy.arange(3 * cells, dtype=dtype).reshape(3, cells)
    whole = zeros((3, cells + 64), dtype, ghosts=0)
    for first in (0, 3):  # aligned, and not
        whole[...] = -1
        kernels.twice(u=given, v=whole[:, first : first + cells])
        assert numpy.array_equal(whole[:, first : first + cells], 2 * given)
        assert (whole[:, :first] == -1).all()
        assert (whole[:, first + cells :] == -1).all()
