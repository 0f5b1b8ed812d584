# SPDX-License-Identifier: Apache-2.0
"""stream_stores: where a strip of one vector is stored past the caches, load through small arrays, too.

before   loop simd x in [x_begin, x_end) { let f_e = f_e_row[x - 1]; ...; store ... }
after    f_e_behind_line = line[8](f_e_row, x_begin - 1, x_end - x_begin);
         loop simd x in [x_begin, x_end) { let f_e = f_e_behind_line[x - x_begin]; ... }

The loop then touches small arrays alone and gets all their lanes (pad_vector_loop), and compilers leave none
of the arrays: each vector is loaded once, under a mask at the end of a row, and stored once.
"""

from __future__ import annotations

import dataclasses

from heddle.ir.build import operate
from heddle.ir.device_calls import device_call, is_call
from heddle.ir.nodes import (
    Comment,
    Expression,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Scalar,
    Statement,
    Store,
    Symbol,
)
from heddle.ir.stages import Request
from heddle.ir.visit import transform_expressions, walk
from heddle.passes.apply_schedule import in_strips
from heddle.passes.vectorise.half_conversion import first_element, line_name

VECTOR = 512  # bits


def stream_stores(kernel: Kernel, request: Request) -> Kernel:
    """Stage the loads of strips with nontemporal stores; other kernels stay as they are."""
    strips = request.strips
    if strips is None or not (strips.nontemporal and kernel.space.is_box):
        return kernel
    return dataclasses.replace(
        kernel, body=in_strips(kernel.body, lambda strip: _strip(strip.body, strips.size))
    )


def _strip(body: tuple[Statement, ...], length: int) -> tuple[Statement, ...]:
    at = next(i for i, statement in enumerate(body) if isinstance(statement, Loop))
    loop = body[at]
    assert isinstance(loop, Loop)
    arrays = {s.symbol for s in body if isinstance(s, Local)}
    loads = [node for node in walk(loop.body) if isinstance(node, Load) and node.pointer not in arrays]
    if not (
        any(is_call(s, "stream_run") for s in body)
        and all(isinstance(s, (Comment, Let, Store)) for s in loop.body)
        and all(
            s.target.pointer in arrays
            for s in loop.body
            if isinstance(s, Store) and isinstance(s.target, Load)
        )
        and all(_fills_a_vector(load, length) and first_element(load, loop) is not None for load in loads)
    ):
        return body
    lane, count = operate("sub", loop.counter, loop.begin), operate("sub", loop.end, loop.begin)
    lines: dict[tuple[Symbol, Expression], Symbol] = {}
    calls: list[Statement] = []
    for load in loads:
        first = first_element(load, loop)
        assert first is not None
        if (load.pointer, first) not in lines:
            name = line_name(load.pointer, first, "line", {line.name for line in lines.values()})
            line = Symbol(name, Pointer(_element(load)))
            lines[load.pointer, first] = line
            where = {"row": load.pointer, "first": first, "count": count}
            calls.append(device_call("line", line, **where, length=length))

    def staged(expression: Expression) -> Expression:
        if isinstance(expression, Load) and expression.pointer not in arrays:
            first = first_element(expression, loop)
            assert first is not None
            return Load(lines[expression.pointer, first], lane)
        return expression

    inner = dataclasses.replace(loop, body=tuple(transform_expressions(s, staged) for s in loop.body))
    return (*body[:at], *calls, inner, *body[at + 1 :])


def _element(load: Load) -> Scalar:
    assert isinstance(load.pointer.type, Pointer)
    return load.pointer.type.element


def _fills_a_vector(load: Load, length: int) -> bool:
    return _element(load).is_float and _element(load).bits * length == VECTOR
