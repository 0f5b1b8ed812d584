# SPDX-License-Identifier: Apache-2.0
"""inline_stored_values: what is named only to be stored has no name, unless it might change before."""

from __future__ import annotations

from heddle.ir import nodes as ir
from heddle.ir.build import integer, operate
from heddle.ir.space import Dense
from heddle.ir.stages import Request
from heddle.passes.inline_stored_values import inline_stored_values

P, Q, A, B = (ir.Symbol(name, ir.F64) for name in "pqab")
F = ir.Symbol("f", ir.Pointer(ir.F64))
SUM, PRODUCT = operate("add", P, Q), operate("mul", P, Q)


def store(at: int, value: ir.Expression) -> ir.Store:
    return ir.Store(ir.Load(F, integer(at)), value)


def changed(*body: ir.Statement) -> tuple[ir.Statement, ...]:
    kernel = ir.Kernel("kernel", (), (P, Q), Dense(1), body)
    return inline_stored_values(kernel, Request()).body


def test_what_is_only_stored_has_no_name() -> None:
    body = (ir.Let(A, SUM), ir.Let(B, PRODUCT), store(0, A), store(1, B))
    assert changed(*body) == (store(0, SUM), store(1, PRODUCT))


def test_the_heading_of_the_values_stays() -> None:
    collide, write = ir.Comment("Collide"), ir.Comment("Store")
    assert changed(collide, ir.Let(A, SUM), write, store(0, A)) == (collide, store(0, SUM))
    kept = (collide, ir.Let(B, PRODUCT), write, store(0, operate("add", B, B)))
    assert changed(*kept) == kept


def test_loops_and_branches_are_looked_into() -> None:
    x = ir.Symbol("x", ir.I64)
    inside = ir.Let(A, SUM), store(0, A)
    loop = ir.Loop("serial", x, integer(0), integer(4), integer(1), inside)
    assert changed(loop)[0].body == (store(0, SUM),)
    branch = ir.If(operate("lt", P, Q), inside)
    assert changed(branch)[0].body == (store(0, SUM),)


def test_names_that_stay() -> None:
    element = ir.Load(F, integer(1))
    variable = ir.Symbol("variable", ir.F64)
    for body in (
        (ir.Let(A, SUM), store(0, A), store(1, A)),  # stored twice
        (ir.Let(A, SUM), store(0, operate("mul", A, A))),  # computed with
        (ir.Let(A, operate("add", element, P)), store(1, Q), store(0, A)),  # of memory that a store changes
        (ir.Let(A, ir.Const(0.5, ir.F64)), store(0, A)),  # a constant
        (ir.Let(A, SUM), ir.If(operate("lt", P, Q), (store(0, A),))),  # under a condition
        (ir.Var(variable, P), ir.Let(A, operate("add", variable, P)), ir.Assign(variable, Q), store(0, A)),
    ):
        assert changed(*body) == body
