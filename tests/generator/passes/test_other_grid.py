# SPDX-License-Identifier: Apache-2.0
"""Fields of another grid: extents of their own, read at computed positions; and integers that are named."""

from __future__ import annotations

import pytest
import sympy
from heddle import Assignment, Module, block_coordinates, fields
from heddle.build import files
from heddle.emit.signature import arguments
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, run
from heddle.ir.schedule import precision
from heddle.ir.visit import statements
from heddle.model.assignment import Statement
from models import model
from running import agree, levels

fine = fields("fine: real[2D]")
coarse = fields("coarse: real[2D]", ghost_layers=0, other_grid=True)
column = fields("column: real[3D]", other_grid=True)
x, y = block_coordinates(2)
i = sympy.Symbol("i", integer=True)


def halved() -> list[Statement]:
    """Two fine cells lie in a coarse one; the plane above a fine grid is one of a column."""
    return [
        Assignment(i, sympy.floor(x / 2)),
        Assignment(fine.here, coarse.gather(i, y) + 2 * column.gather(i, y, 1)),
    ]


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("chosen", ["f64", "f32", "f16"])
def test_every_pass_keeps_the_bits(chosen: str, target: str) -> None:
    flat = [halved()[0], Assignment(fine.here, coarse.gather(i, y + 1))]
    agree(model(flat), chosen, target, 4, (6, 5))


def of(target: str, width: int) -> tuple[int, list[float]]:
    """The status of the kernel on four fine cells beside each other, and what they hold."""
    kernel = levels(model(halved()), "f64", target)[-1][1]
    arrays = {
        "fine": Array([0.0] * 4, 0, (4, 1), (1, 4)),
        "coarse": Array([1.0, 2.0, 3.0][:width], 0, (width, 1), (1, width)),
        "column": Array([0.0] * 3 + [10.0, 20.0, 30.0], 0, (3, 1, 2), (1, 3, 3)),
    }
    return run(kernel, arrays, {}).status, list(arrays["fine"].values)


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
def test_extents_of_another_grid_are_its_own(target: str) -> None:
    assert of(target, 3) == (0, [21.0, 21.0, 42.0, 42.0])


def test_the_reference_target_tests_positions_in_the_other_grid() -> None:
    assert of("reference", 1)[0] == -5


def test_a_name_that_is_an_integer_holds_one() -> None:
    """What is whole, that is: no cast where it is used as a position."""
    kernel = model(halved()).typed(precision("f32"))
    name = next(s for s in statements(kernel.body) if isinstance(s, ir.Let))
    assert name.symbol.type == ir.I64
    half = sympy.Symbol("half", integer=True)
    kernel = model([Assignment(half, fine.here / 2), Assignment(fine.here, half)]).typed(precision("f32"))
    name = next(s for s in statements(kernel.body) if isinstance(s, ir.Let))
    assert name.symbol.type == ir.F32


def test_it_has_no_sweep_and_its_entry_takes_its_extents() -> None:
    """A sweep has the fields of one grid."""
    module = Module("nest", precisions=("f64",))
    module.add("halved", halved())
    texts = files(module, ["cpu"])
    assert "Halved" not in next(text for name, text in texts.items() if name.endswith("_sweeps.hpp"))
    names = [a.name for a in arguments(module.kernels["halved"].typed(precision("f64")))]
    assert {"coarse_extent", "column_extent"} <= set(names)
