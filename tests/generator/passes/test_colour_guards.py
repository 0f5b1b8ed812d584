# SPDX-License-Identifier: Apache-2.0
"""Relaxation in place under a condition on parity: safe exactly where it separates cells."""

from __future__ import annotations

import random

import pytest
import sympy
from heddle import Assignment, If, KernelError, bit_and, block_coordinates, fields, parameters, remainder
from heddle.ir.nodes import Kernel
from heddle.ir.schedule import precision
from models import model
from running import memory, outcome
from sympy import And, Eq, Gt, Ne

p, rhs = fields("p, rhs: real[2D]")
flag = fields("flag: int32[2D]")
x, y = block_coordinates(2)
colour, other = parameters("colour, other: int32")
FIVE_POINTS = Assignment(p[0, 0], (p[1, 0] + p[-1, 0] + p[0, 1] + p[0, -1] - rhs[0, 0]) / 4)
DIAGONAL = Assignment(p[0, 0], (p[1, 1] + p[-1, -1]) / 2)


def typed(condition: sympy.Basic, statement: Assignment) -> Kernel:
    return model([If(condition, [statement])]).typed(precision("f64"))


@pytest.mark.parametrize(
    ("condition", "statement"),
    [
        (Eq(bit_and(x + y, 1), colour), FIVE_POINTS),
        (Eq(bit_and(x + y + colour + 3, 1), 0), FIVE_POINTS),
        (Ne(bit_and(x - y, 1), 1), FIVE_POINTS),
        (And(Eq(bit_and(x + y, 1), colour), Gt(flag[0, 0], 0)), FIVE_POINTS),
        (And(Eq(bit_and(x, 1), colour), Eq(bit_and(y, 1), other)), DIAGONAL),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_any_order_gives_the_same(condition: sympy.Basic, statement: Assignment, seed: int) -> None:
    kernel = typed(condition, statement)
    arrays = memory(kernel, (5, 4), random.Random(seed))
    given = {"colour": seed % 2, "other": 1}
    assert outcome(kernel, arrays, given) == outcome(kernel, arrays, given, shuffled=seed)


@pytest.mark.parametrize(
    ("condition", "statement"),
    [
        (Eq(bit_and(x + y, 1), colour), DIAGONAL),  # both cells have one colour
        (Eq(bit_and(x, 1), colour), FIVE_POINTS),  # rows of one colour touch each other
        (Eq(bit_and(x + y, 1), bit_and(x, 1)), FIVE_POINTS),  # the colour depends on the cell
        (Eq(bit_and(x + y + flag[0, 0], 1), colour), FIVE_POINTS),
        (Ne(bit_and(x + y, 1), colour), FIVE_POINTS),  # colour = 2 would let all cells pass
        (Eq(bit_and(x + y, 3), colour), FIVE_POINTS),
        (Eq(remainder(x + y, 3), colour), FIVE_POINTS),
    ],
)
def test_what_does_not_separate_is_refused(condition: sympy.Basic, statement: Assignment) -> None:
    with pytest.raises(KernelError, match="one cell reads an element that another cell writes"):
        typed(condition, statement)


def test_a_read_outside_the_condition_is_refused() -> None:
    guarded = If(Eq(bit_and(x + y, 1), 0), [Assignment(p[0, 0], rhs[0, 0])])
    with pytest.raises(KernelError, match="one cell reads an element that another cell writes"):
        model([Assignment(rhs[0, 0], p[1, 0]), guarded]).typed(precision("f64"))
