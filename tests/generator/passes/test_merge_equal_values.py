# SPDX-License-Identifier: Apache-2.0
"""merge_equal_values: text before and after, and what must not be merged."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from heddle import Assignment, If, Scan, Schedule, While, fields, parameters
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.schedule import precision
from heddle.ir.space import Dense
from heddle.ir.stages import Request
from heddle.ir.text import text
from heddle.ir.visit import walk
from heddle.model.assignment import Statement
from heddle.passes.merge_equal_values import merge_equal_values
from heddle.pipeline import lower, typed
from models import model
from running import agree, levels
from sympy import Rational, Symbol, symbols

u, v, w = fields("u, v, w: real[2D]")
a = parameters("a")
first, second, third, twice = symbols("first second third twice")


def kernel(*statements: Statement) -> ir.Kernel:
    return typed("k", statements, Dense(2), precision("f64"))


def names(found: ir.Kernel) -> list[str]:
    return [node.symbol.name for node in walk(found.body) if isinstance(node, ir.Let)]


def test_the_later_name_goes() -> None:
    before = kernel(
        Assignment(first, u.here),
        Assignment(second, first * a + 1),
        Assignment(third, first * a + 1),
        Assignment(v.here, third),
        Assignment(w.here, second),
    )
    after = merge_equal_values(before, Request())
    assert names(before) == ["first", "second", "third"]
    assert names(after) == ["first", "second"]
    assert text(after) == "\n".join(
        line for line in text(before).replace("= third", "= second").splitlines() if "let third" not in line
    )


def test_values_of_dropped_names_are_equal_too() -> None:
    after = merge_equal_values(
        kernel(
            Assignment(first, u.here * a),
            Assignment(second, u.here * a),
            Assignment(third, first + a),
            Assignment(twice, first + a),
            Assignment(v.here, third * twice),
        ),
        Request(),
    )
    assert names(after) == ["first", "second", "third"], "second reads a field again, and is kept"


def test_constants_keep_their_names() -> None:
    after = merge_equal_values(
        kernel(
            Assignment(first, Rational(1, 3)),
            Assignment(second, Rational(1, 3)),
            Assignment(v.here, first * u.here + second),
        ),
        Request(),
    )
    assert names(after) == ["first", "second"]


def test_a_value_of_one_branch_is_unknown_in_the_other() -> None:
    inner = Symbol("inner")
    after = merge_equal_values(
        kernel(
            Assignment(first, u.here),
            If(first > 0, [Assignment(inner, first * a), Assignment(v.here, inner)]),
            If(first < 0, [Assignment(twice, first * a), Assignment(w.here, twice)]),
        ),
        Request(),
    )
    assert names(after) == ["first", "inner", "twice"]


@pytest.mark.parametrize("loop", [partial(Scan, 1), partial(While, first > 0, at_most=5)])
def test_what_is_carried_on_takes_the_earlier_name(loop: Callable[..., Statement]) -> None:
    same = [Assignment(second, first * a + 1), Assignment(third, first * a + 1)]
    sweep = Scan(1, {}, [Assignment(v.here, first)], {})
    entry = model([loop({first: 1}, same, {first: third - second / 4}), sweep])
    agree(entry, "f64", "cpu", 1)
    lowered = levels(entry, "f64", "cpu")[-1][1]
    assert third.name not in names(lowered)


def test_the_pipeline_merges() -> None:
    before = kernel(
        Assignment(first, u.here),
        Assignment(second, first * a + 1),
        Assignment(third, first * a + 1),
        Assignment(v.here, second * third),
    )
    request = Request(precision("f64"), Schedule(), TARGETS["cpu"])
    assert "third" not in names(lower(before, request).lowered)
