# SPDX-License-Identifier: Apache-2.0
"""Reductions as what each cell gives: their order is fixed (`ir.reduction`), so two of them give the same
bits if the same cells give the same values to the same groups.

before   combine_warp_max(work, t, l, v, known)  store work[t] = combine_max(run, n)
after    store (max of work)[32 t + l] = v       loop l in [0, n) { store (max of work)[32 t + l] = run[l] }

`store result[0] = combine_max(work, n)` stays: the result is a function of (max of work) and n. Over the
reals it is the maximum of what all cells give (`SymbolicExecution.whole`), like that of a loop of one's own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from heddle.ir import nodes as ir
from heddle.ir.build import integer, operate
from heddle.ir.device_calls import groups_of, is_warp_reduction, meaning
from heddle.ir.hash_consing import Node
from heddle.ir.reduction import TILE
from heddle.ir.visit import statements, walk

ASSUME_EMPTY_GROUPS = "a group of cells that no cell gives anything to holds what changes nothing"


def fills_groups(kernel: ir.Kernel) -> bool:
    """Whether a lowered kernel combines each group itself, so that it can be seen that none is left out."""
    nodes = list(walk(kernel.body))
    return any(map(combined_array, nodes)) and not any(map(is_warp_reduction, nodes))


def reduces(kernel: ir.Kernel) -> bool:
    """Whether a lowered kernel combines values in the order of `ir.reduction`."""
    return any(map(combined_array, walk(kernel.body)))


def combined_array(node: Node) -> tuple[str, ir.Symbol, ir.Expression] | None:
    """What is combined by which operation, and how many elements, where a node is a call that does so."""
    match node:
        case ir.Call(name, (ir.Symbol() as values, count)) if name.startswith("combine_"):
            return name.removeprefix("combine_"), values, count
    return None


def contributions(kernel: ir.Kernel, filled: bool) -> ir.Kernel:
    """A lowered kernel without reductions of warps and of what is local. filled: also note which groups are
    combined, in an array of its own."""
    local = {s.symbol.name for s in statements(kernel.body) if isinstance(s, ir.Local)}
    return dataclasses.replace(kernel, body=tuple(_block(kernel.body, local, filled)))


def _block(body: Sequence[ir.Statement], local: set[str], filled: bool) -> Iterator[ir.Statement]:
    for statement in body:
        match statement:
            case ir.DeviceCall() if is_warp_reduction(statement):
                yield meaning(statement)[0]
            case ir.Store(ir.Load() as target, value) if (
                whole := combined_array(value)
            ) is not None and whole[1].name in local:
                operation, values, count = whole
                lane = ir.Symbol(f"{values.name}_lane", ir.I64)
                store = ir.Store(_cell(operation, target, lane), ir.Load(values, lane))
                yield ir.Loop("serial", lane, integer(0), count, integer(1), (store,))
                if filled:
                    group = ir.Symbol(f"groups of {target.pointer.name}", target.pointer.type)
                    yield ir.Store(ir.Load(group, target.index), ir.Const(1, target.type))
            case ir.Loop(body=inner) | ir.If(body=inner) | ir.While(body=inner):
                yield dataclasses.replace(statement, body=tuple(_block(inner, local, filled)))
            case _:
                yield statement


def _cell(operation: str, target: ir.Load, lane: ir.Expression) -> ir.Load:
    """Where a value of a group is kept until the group is complete."""
    groups = groups_of(operation, target.pointer)
    return ir.Load(groups, operate("add", operate("mul", target.index, integer(TILE)), lane))
