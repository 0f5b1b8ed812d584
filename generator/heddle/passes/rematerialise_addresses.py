# SPDX-License-Identifier: Apache-2.0
"""rematerialise_addresses: in an in-place kernel with a thread for each cell, separate the addresses of
stores from those of loads.

before   let f_e = f_cell[sq]; ... store f_cell[sq] = post_w
after    let f_e = f_cell[sq]; ... let f_out = opaque f_cell; store f_out[sq] = post_w

A compiler that sees the same address twice keeps it in registers throughout the collision, and so fewer
threads fit. In a kernel in lanes it keeps what is added to the pointer instead, so that this is opaque, too:

after    ...; let f_out = opaque f_cell; let f_sq_out = opaque(f_sq); let at_w_out = opaque(at_w);
         store f_out[at_w_out ? f_sq_out : 2 * f_sq_out - 4] = post_w
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.build import integer
from heddle.ir.nodes import (
    BOOL,
    I64,
    Call,
    If,
    Kernel,
    Let,
    Load,
    Loop,
    Pointer,
    Scalar,
    Statement,
    Store,
    Symbol,
    View,
)
from heddle.ir.stages import Request
from heddle.ir.visit import evaluated, transform, walk


def rematerialise_addresses(kernel: Kernel, request: Request) -> Kernel:
    """Where the schedule asks for it, renew each pointer of a thread's body that is both loaded from and
    stored to."""
    schedule, target = request.schedule.gpu, request.target
    if not (schedule.rematerialise and target.threads):
        return kernel
    in_lanes = kernel.space.interleave > 1
    return dataclasses.replace(kernel, body=_block(kernel.body, in_lanes))


def _block(body: Sequence[Statement], in_lanes: bool) -> tuple[Statement, ...]:
    return tuple(
        _loop(statement, in_lanes) if isinstance(statement, Loop) else statement for statement in body
    )


def _chooses(body: Sequence[Statement]) -> bool:
    """Whether the whole body is under conditions; stores at walls alone are not the bulk of a kernel."""
    return any(isinstance(statement, If) and not statement.wall for statement in body)


def _loop(loop: Loop, in_lanes: bool) -> Statement:
    if any(isinstance(statement, Loop) for statement in loop.body) or _chooses(loop.body):
        return dataclasses.replace(loop, body=_block(loop.body, in_lanes))
    loaded = {node.pointer for node in evaluated(loop.body) if isinstance(node, Load)}
    opaque: dict[Symbol, Symbol] = {}
    result: list[Statement] = []
    for statement in loop.body:
        if (
            isinstance(statement, Store)
            and isinstance(statement.target, Load)
            and statement.target.pointer in loaded
            and statement.target.pointer not in opaque
        ):
            pointer = statement.target.pointer
            assert isinstance(pointer.type, Pointer)
            parts = _parts_of_indices(result, pointer) if in_lanes else {}
            opaque[pointer] = Symbol(pointer.name.removesuffix("_cell") + "_out", pointer.type)
            result.append(Let(opaque[pointer], View(pointer, integer(0), integer(1), True)))
            for part, kind in parts.items():
                if part not in opaque:
                    opaque[part] = Symbol(f"{part.name}_out", kind)
                    result.append(Let(opaque[part], Call("opaque", (part,), kind)))
        result.append(_through(statement, opaque))
    return dataclasses.replace(loop, body=tuple(result))


def _parts_of_indices(body: Sequence[Statement], pointer: Symbol) -> dict[Symbol, Scalar]:
    """What has been added to a pointer for its loads: strides, and whether the cell lies at a wall."""
    loads = [node for node in walk(body) if isinstance(node, Load) and node.pointer == pointer]
    named = [node for load in loads for node in walk(load.index) if isinstance(node, Symbol)]
    return {symbol: kind for kind in (I64, BOOL) for symbol in named if symbol.type == kind}


def _through(statement: Statement, opaque: dict[Symbol, Symbol]) -> Statement:
    """The same statement, its stores through opaque pointers."""
    if isinstance(statement, If):
        body = tuple(_through(inner, opaque) for inner in statement.body)
        return dataclasses.replace(statement, body=body)
    if not (isinstance(statement, Store) and isinstance(statement.target, Load)):
        return statement
    if statement.target.pointer not in opaque:
        return statement
    target = transform(statement.target, lambda node: opaque.get(node, node))
    return dataclasses.replace(statement, target=target)
