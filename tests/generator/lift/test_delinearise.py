# SPDX-License-Identifier: Apache-2.0
"""Indices as cells and offsets: division by strides."""

from __future__ import annotations

import pytest
from heddle.ir import nodes as ir
from heddle.lift.delinearise import offsets_of
from heddle.lift.polynomial import Polynomial, atom, polynomial

NX, NY, GL, COUNTER = (atom(ir.Symbol(name, ir.I32)) for name in ("nx", "ny", "gl", "i"))
ONE = polynomial(1)


def test_offsets_are_found_against_polynomial_strides() -> None:
    """With a row of nx - 1 cells, an index of -nx + 1 is one row down, not nx - 1 cells to the left."""
    strides = (ONE, NX - 1, (NX - 1) * (NY - 1))
    rest = (NX - 1) * (NY - 1) * GL - NX + GL
    offsets, left = offsets_of(rest, strides)
    assert left == Polynomial()
    assert list(map(str, offsets)) == ["gl - 1", "-1", "gl"]


@pytest.mark.parametrize(("rest", "expected"), [(63, (-1, 1)), (65, (1, 1)), (-64, (0, -1)), (2, (2, 0))])
def test_offsets_between_numbers_are_small(rest: int, expected: tuple[int, int]) -> None:
    offsets, left = offsets_of(polynomial(rest), (ONE, polynomial(64)))
    assert (offsets[0].constant, offsets[1].constant) == expected
    assert left == Polynomial()


def test_what_no_stride_divides_is_left() -> None:
    _, left = offsets_of(NY + 1, (polynomial(2) * NX, polynomial(4) * NX * NX))
    assert left == NY + 1


def test_text() -> None:
    assert str((NX + 1) * (NX - 1)) == "nx*nx - 1"
    assert str(COUNTER * 2 - NX * NY) == "2*i - nx*ny"
