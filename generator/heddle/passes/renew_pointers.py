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


def _loop(loop: Loop) -> Statement:
    if any(isinstance(statement, (Loop, If)) for statement in loop.body):
        return dataclasses.replace(loop, body=_block(loop.body))
    loaded = {node.pointer for node in evaluated(loop.body) if isinstance(node, Load)}
    renewed: dict[Symbol, Symbol] = {}
    result: list[Statement] = []
    for statement in loop.body:
        if (
            isinstance(statement, Store)
            and isinstance(statement.target, Load)
            and statement.target.pointer in loaded
        ):
            pointer = statement.target.pointer
            if pointer not in renewed:
                assert isinstance(pointer.type, Pointer)
                renewed[pointer] = Symbol(pointer.name.removesuffix("_cell") + "_out", pointer.type)
                result.append(Let(renewed[pointer], View(pointer, integer(0), integer(1), True)))
            target = Load(renewed[pointer], statement.target.index)
            statement = dataclasses.replace(statement, target=target)
        result.append(statement)
    return dataclasses.replace(loop, body=tuple(result))
