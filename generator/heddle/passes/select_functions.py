# SPDX-License-Identifier: Apache-2.0
"""select_functions: decide the rounding. With fma on, a product that feeds a sum becomes one fused operation.

before   add(mul(a, b), c)      sub(mul(a, b), c)       sub(c, mul(a, b))
after    fma(a, b, c)           fma(a, b, neg(c))       fma(neg(a), b, c)

Compilers are told not to contract by themselves, so what stands here is what every target computes.
"""

from __future__ import annotations

import dataclasses

from heddle.ir.nodes import Call, Expression, Kernel, Op
from heddle.ir.stages import Request
from heddle.ir.visit import transform_expressions


def select_functions(kernel: Kernel, request: Request) -> Kernel:
    """Contract products into sums where the schedule says so."""
    schedule = request.schedule
    if not schedule.fma:
        return kernel
    body = tuple(transform_expressions(statement, _contracted) for statement in kernel.body)
    return dataclasses.replace(kernel, body=body)


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
