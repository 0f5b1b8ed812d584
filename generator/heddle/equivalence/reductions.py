# SPDX-License-Identifier: Apache-2.0
"""Reductions as what each cell gives: their order is fixed (`ir.reduction`), so two of them give the same
bits if the same cells give the same values to the same groups.

before   contribute max work[t] lane l v        store work[t] = combine(max, run, n)
after    store (max of work)[32 t + l] = v      loop l in [0, n) { store (max of work)[32 t + l] = run[l] }

before   store result[0] = combine(max, work, n)
after    store result[0] = (the max of work)[n]
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.build import integer, operate
from heddle.ir.visit import statements, walk

LANES = 32


def check_alike(a: ir.Kernel, b: ir.Kernel) -> None:
    """Refuses a pair of which one reduces in the fixed order and the other in a loop of its own."""
    if _fixed_order(a) != _fixed_order(b):
        raise KernelError(
            a.name,
            "only one of the kernels reduces in the order of ir.reduction: the two are not compared.",
            "compare the results of both on your own data",
        )


def _fixed_order(kernel: ir.Kernel) -> bool:
    return any(isinstance(node, (ir.Combine, ir.Contribute)) for node in walk(kernel.body))


def contributions(kernel: ir.Kernel) -> ir.Kernel:
    """A lowered kernel without Contribute and Combine."""
    local = {s.symbol.name for s in statements(kernel.body) if isinstance(s, ir.Local)}
    return dataclasses.replace(kernel, body=tuple(_block(kernel.body, local)))


def _block(body: Sequence[ir.Statement], local: set[str]) -> Iterator[ir.Statement]:
    for statement in body:
        match statement:
            case ir.Contribute(operation, target, lane, value):
                yield ir.Store(_cell(operation, target, lane), value)
            case ir.Store(ir.Load() as target, ir.Combine(operation, values, count)) if values.name in local:
                lane = ir.Symbol(f"{values.name}_lane", ir.I64)
                store = ir.Store(_cell(operation, target, lane), ir.Load(values, lane))
                yield ir.Loop("serial", lane, integer(0), count, integer(1), (store,))
            case ir.Store(target, ir.Combine(operation, values, count)):
                whole = ir.Symbol(f"the {operation} of {values.name}", values.type)
                yield ir.Store(target, ir.Load(whole, count))
            case ir.Loop(body=inner) | ir.If(body=inner):
                yield dataclasses.replace(statement, body=tuple(_block(inner, local)))
            case _:
                yield statement


def _cell(operation: str, target: ir.Load, lane: ir.Expression) -> ir.Load:
    """Where a value of a group is kept until the group is complete."""
    groups = ir.Symbol(f"{operation} of {target.pointer.name}", target.pointer.type)
    return ir.Load(groups, operate("add", operate("mul", target.index, integer(LANES)), lane))
