# SPDX-License-Identifier: Apache-2.0
"""select_functions: decide the rounding. With fma on, a product that feeds a sum becomes one fused operation;
with reproducible mathematics, a function of a library becomes ours, which rounds alike on every target.

before   add(mul(a, b), c)      sub(mul(a, b), c)       sub(c, mul(a, b))       exp(x)
after    fma(a, b, c)           fma(a, b, neg(c))       fma(neg(a), b, c)       reproducible_exp(x)

Compilers are told not to contract by themselves, so what stands here is what every target computes. Of a long
sum, or a polynomial by Horner's rule, every fourth fused operation gets a name: nobody reads fifty that stand
in each other, and clang-format needs 0.7 ms to lay out four and 130 ms for eight.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from heddle.errors import KernelError
from heddle.ir.functions import FUNCTIONS
from heddle.ir.hash_consing import Node
from heddle.ir.mathematics import DEFINITIONS
from heddle.ir.nodes import (
    Assign,
    Call,
    Expression,
    If,
    Kernel,
    Let,
    Loop,
    Op,
    Scan,
    Statement,
    Store,
    Symbol,
    While,
)
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import rebuild, transform_expressions

MOST_NESTED = 4
"""Fused operations that stand in each other."""


def select_functions(kernel: Kernel, request: Request) -> Kernel:
    """Contract products into sums, and choose functions, as the schedule says."""
    schedule = request.schedule
    chosen = {_contracted: schedule.fma, _reproducible: schedule.math == "reproducible"}
    for change in (change for change, wanted in chosen.items() if wanted):
        kernel = transform_expressions(kernel, change)
    if schedule.fma:
        taken = set(names_in(kernel))
        kernel = dataclasses.replace(kernel, body=_with_named_parts(kernel.body, taken))
    return kernel


def _with_named_parts(body: Sequence[Statement], taken: set[str]) -> tuple[Statement, ...]:
    """The same statements, with names for parts of their sums. taken: names, to which those are added. Those
    of a branch end with it: a copy of a loop for a usual value (heddle.ir.loop_versions) names its parts as
    the whole does."""
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, (Loop, If, While, Scan)):
            names = set(taken) if isinstance(statement, If) else taken
            statement = dataclasses.replace(statement, body=_with_named_parts(statement.body, names))
        elif isinstance(statement, (Let, Assign, Store)):
            named = _Parts(statement, taken)
            value = named.value(statement.value)
            result += named.parts
            statement = dataclasses.replace(statement, value=value)
        result.append(statement)
    return tuple(result)


class _Parts:
    """Of the sums of one statement."""

    def __init__(self, statement: Let | Assign | Store, taken: set[str]) -> None:
        self.name = statement.symbol.name if isinstance(statement, (Let, Assign)) else "stored"
        self.taken, self.parts, self.nested = taken, list[Statement](), dict[Node, int]()
        self.memo: dict[Node, Node] = {}

    def value(self, value: Node) -> Any:
        if value not in self.memo:
            found = rebuild(value, self.value) if isinstance(value, (Op, Call)) else value
            if isinstance(found, Call) and found.name == "fma":
                args = tuple(self.named(arg) for arg in found.args)
                found = dataclasses.replace(found, args=args)
                self.nested[found] = 1 + max(self.nested.get(arg, 0) for arg in args)
            self.memo[value] = found
        return self.memo[value]

    def named(self, arg: Expression) -> Expression:
        """An operand of a fused operation, or a name for it."""
        if self.nested.get(arg, 0) < MOST_NESTED:
            return arg
        name = fresh(f"part_{len(self.parts) + 1}_{self.name}", self.taken)
        self.taken.add(name)
        self.parts.append(Let(Symbol(name, arg.type), arg))
        return Symbol(name, arg.type)


def _reproducible(expression: Expression) -> Expression:
    if not isinstance(expression, Call) or FUNCTIONS[expression.name].exact:
        return expression
    if expression.name not in DEFINITIONS:
        raise KernelError(
            "schedule",
            f"math='reproducible' has no '{expression.name}'.",
            f'write it with {" ".join(sorted(DEFINITIONS))}, or use Schedule(math="library")',
        )
    return dataclasses.replace(expression, name=f"reproducible_{expression.name}")


def _contracted(expression: Expression) -> Expression:
    match expression:
        case Op("add", (Op("mul", (a, b)), c), scalar) if scalar is not None and scalar.is_float:
            return Call("fma", (a, b, c), scalar)
        case Op("add", (c, Op("mul", (a, b))), scalar) if scalar is not None and scalar.is_float:
            return Call("fma", (a, b, c), scalar)
        case Op("sub", (Op("mul", (a, b)), c), scalar) if scalar is not None and scalar.is_float:
            return Call("fma", (a, b, _negated(c)), scalar)
        case Op("sub", (c, Op("mul", (a, b))), scalar) if scalar is not None and scalar.is_float:
            return Call("fma", (_negated(a), b, c), scalar)
    return expression


def _negated(value: Expression) -> Expression:
    if isinstance(value, Op) and value.name == "neg":
        return value.args[0]
    return Op("neg", (value,), value.type)
