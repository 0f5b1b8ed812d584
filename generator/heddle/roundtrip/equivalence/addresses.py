# SPDX-License-Identifier: Apache-2.0
"""Elements whose place is chosen: the element of a chosen place is the chosen one of two elements.

before   let f_e = f[select(at_w, i, j)]; store f[select(at_w, i, j)] = post_e
after    let f_e = select(at_w, f[i], f[j]);
         let value = post_e; if at_w { store f[i] = value } if not at_w { store f[j] = value }

The value is worked out before the choice, as rows have it. Threads of steps with walls within choose a place,
rows choose an element (passes.lower_accesses). Those of device calls are chosen where the call is read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.build import operate
from heddle.ir.nodes import (
    DeviceCall,
    Expression,
    If,
    Kernel,
    Let,
    Load,
    Loop,
    Select,
    Statement,
    Store,
    Symbol,
    While,
)
from heddle.ir.visit import transform_expressions


def with_chosen_elements(kernel: Kernel) -> Kernel:
    """The same kernel, no place of which is chosen."""
    return dataclasses.replace(kernel, body=chosen_elements(kernel.body))


def chosen_elements(body: Sequence[Statement]) -> tuple[Statement, ...]:
    """The same statements."""
    return tuple(inside for statement in body for inside in _statements(statement))


def _statements(statement: Statement) -> tuple[Statement, ...]:
    if isinstance(statement, Loop):
        return (dataclasses.replace(statement, body=chosen_elements(statement.body)),)
    if isinstance(statement, (If, While)):
        condition = transform_expressions(statement.condition, _element)
        return (dataclasses.replace(statement, condition=condition, body=chosen_elements(statement.body)),)
    if isinstance(statement, Store) and isinstance(statement.target, Load):
        value = transform_expressions(statement.value, _element)
        if isinstance(statement.target.index, Select):
            place, name = statement.target.index, Symbol(f"{statement.target.pointer.name} value", value.type)
            first, second = (
                dataclasses.replace(statement, target=Load(statement.target.pointer, index), value=name)
                for index in (place.yes, place.no)
            )
            otherwise = operate("not", place.condition)
            return Let(name, value), If(place.condition, (first,)), If(otherwise, (second,))
        return (dataclasses.replace(statement, value=value),)
    if isinstance(statement, DeviceCall):  # of several elements: chosen where it is read
        return (statement,)
    return (transform_expressions(statement, _element),)


def _element(expression: Expression) -> Expression:
    match expression:
        case Load(pointer, Select(condition, yes, no)):
            return Select(condition, Load(pointer, yes), Load(pointer, no))
    return expression
