# SPDX-License-Identifier: Apache-2.0
"""select_functions: decide the rounding. With fma on, a product that feeds a sum becomes one fused operation;
with reproducible mathematics, a function of a library becomes ours, which rounds alike on every target.

before   add(mul(a, b), c)      sub(mul(a, b), c)       sub(c, mul(a, b))       exp(x)
after    fma(a, b, c)           fma(a, b, neg(c))       fma(neg(a), b, c)       reproducible_exp(x)

Compilers are told not to contract by themselves, so what stands here is what every target computes.
"""

from __future__ import annotations

import dataclasses

from heddle.errors import KernelError
from heddle.ir.functions import FUNCTIONS
from heddle.ir.mathematics import DEFINITIONS
from heddle.ir.nodes import Call, Expression, Kernel, Op
from heddle.ir.stages import Request
from heddle.ir.visit import transform_expressions


def select_functions(kernel: Kernel, request: Request) -> Kernel:
    """Contract products into sums, and choose functions, as the schedule says."""
    schedule = request.schedule
    chosen = {_contracted: schedule.fma, _reproducible: schedule.math == "reproducible"}
    for change in (change for change, wanted in chosen.items() if wanted):
        kernel = transform_expressions(kernel, change)
    return kernel


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
