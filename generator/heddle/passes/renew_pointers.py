# SPDX-License-Identifier: Apache-2.0
"""renew_pointers: in an in-place kernel with a thread for each cell, separate the addresses of stores from
those of loads.

before   let f_e = f_cell[sq]; ... store f_cell[sq] = post_w
after    let f_e = f_cell[sq]; ... let f_out = renewed f_cell; store f_out[sq] = post_w

A compiler that sees the same address twice keeps it in registers throughout the collision, and so fewer
threads fit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.build import integer
from heddle.ir.nodes import If, Kernel, Let, Load, Loop, Pointer, Statement, Store, Symbol, View
from heddle.ir.target import Target
from heddle.ir.visit import evaluated
from heddle.schedule import Schedule


def renew_pointers(kernel: Kernel, schedule: Schedule, target: Target) -> Kernel:
    """Where the schedule asks for it, renew each pointer of a thread's body that is both loaded from and
    stored to."""
    if not (schedule.renew and target.threads):
        return kernel
    return dataclasses.replace(kernel, body=_block(kernel.body))


def _block(body: Sequence[Statement]) -> tuple[Statement, ...]:
    return tuple(_loop(statement) if isinstance(statement, Loop) else statement for statement in body)


def _chooses(body: Sequence[Statement]) -> bool:
    """Whether the whole body is under conditions; stores at walls alone are not the bulk of a kernel."""
    return any(isinstance(statement, If) and not statement.wall for statement in body)


def _loop(loop: Loop) -> Statement:
    if any(isinstance(statement, Loop) for statement in loop.body) or _chooses(loop.body):
        return dataclasses.replace(loop, body=_block(loop.body))
    loaded = {node.pointer for node in evaluated(loop.body) if isinstance(node, Load)}
    renewed: dict[Symbol, Symbol] = {}
    result: list[Statement] = []
    for statement in loop.body:
        if (
            isinstance(statement, Store)
            and isinstance(statement.target, Load)
            and statement.target.pointer in loaded
            and statement.target.pointer not in renewed
        ):
            pointer = statement.target.pointer
            assert isinstance(pointer.type, Pointer)
            renewed[pointer] = Symbol(pointer.name.removesuffix("_cell") + "_out", pointer.type)
            result.append(Let(renewed[pointer], View(pointer, integer(0), integer(1), True)))
        result.append(_through(statement, renewed))
    return dataclasses.replace(loop, body=tuple(result))


def _through(statement: Statement, renewed: dict[Symbol, Symbol]) -> Statement:
    """The same statement, its stores through renewed pointers."""
    if isinstance(statement, If):
        body = tuple(_through(inner, renewed) for inner in statement.body)
        return dataclasses.replace(statement, body=body)
    if isinstance(statement, Store) and isinstance(statement.target, Load):
        pointer = renewed.get(statement.target.pointer, statement.target.pointer)
        return dataclasses.replace(statement, target=Load(pointer, statement.target.index))
    return statement
