# SPDX-License-Identifier: Apache-2.0
"""name_constants: fractions that stand more than once have names; values stay as they were."""

from __future__ import annotations

from fractions import Fraction

import pytest
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.schedule import Schedule, precision
from heddle.ir.space import Dense
from heddle.ir.stages import Request
from heddle.ir.text import text
from heddle.passes.name_constants import fraction_name, name_constants

P, Q = (ir.Symbol(name, ir.F64) for name in "pq")
F = ir.Symbol("f", ir.Pointer(ir.F64))
SPACE = Dense(1)


def request(chosen: str = "f64") -> Request:
    return Request(precision(chosen), Schedule(), TARGETS["cpu"])


def kernel(*values: ir.Expression) -> ir.Kernel:
    body = [ir.Store(ir.Load(F, ir.Const(i, ir.I64)), value) for i, value in enumerate(values)]
    return ir.Kernel("kernel", (), (P, Q), SPACE, tuple(body))


def times(number: Fraction | float, value: ir.Expression) -> ir.Expression:
    return ir.Op("mul", (ir.Const(number, ir.F64), value), ir.F64)


def test_fractions_used_twice_have_names() -> None:
    before = kernel(
        times(Fraction(1, 2), P),
        times(Fraction(-1, 2), Q),
        times(Fraction(1, 3), P),
        times(2, Q),
    )
    after = name_constants(before, request())
    half = ir.Symbol("half", ir.F64)
    assert after.body[0] == ir.Let(half, ir.Const(Fraction(1, 2), ir.F64))
    assert after.body[1].value == ir.Op("mul", (half, P), ir.F64)
    assert after.body[2].value == ir.Op("mul", (ir.Op("neg", (half,), ir.F64), Q), ir.F64)
    assert after.body[3:] == before.body[2:], "what stands once, and what is whole, stays"


def test_names_of_the_model_stay() -> None:
    third, named = (
        ir.Symbol("third", ir.F64),
        ir.Let(ir.Symbol("w", ir.F64), ir.Const(Fraction(1, 3), ir.F64)),
    )
    values = (times(Fraction(1, 3), P), times(Fraction(1, 3), third))
    before = kernel(*values)
    before = ir.Kernel("kernel", (), (P, Q), SPACE, (named, *before.body))
    after = name_constants(before, request())
    assert after.body[0] == ir.Let(ir.Symbol("third_", ir.F64), ir.Const(Fraction(1, 3), ir.F64))
    assert after.body[1] == named


def test_other_types_stay() -> None:
    before = kernel(times(0.5, P), times(0.5, Q))
    assert name_constants(before, request("f32")) is before
    assert "half" in text(name_constants(before, request()))


@pytest.mark.parametrize(("value", "name"), [
    ("1/2", "half"), ("3/2", "three_halves"), ("2/3", "two_thirds"), ("1/54", "one_over_54"),
    ("8/27", "eight_over_27"),
])  # fmt: skip
def test_fraction_name(value: str, name: str) -> None:
    assert fraction_name(Fraction(value)) == name
