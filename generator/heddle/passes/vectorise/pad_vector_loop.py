# SPDX-License-Identifier: Apache-2.0
"""pad_vector_loop: a loop over the cells of a strip that touches small arrays alone runs over all their
lanes.

before   load_halves[16](f_e_floats, f_e_row, x_begin, x_end - x_begin);
         loop simd x in [x_begin, x_end) { let f_e = f_e_floats[x - x_begin]; ... }
after    loop simd lane in [0, 16) { let f_e = f_e_floats[lane]; ... }

The last strip of a row is mostly a broken one. Its lanes beyond the row have zeros and are stored nowhere.
Compilers then know how often the loop runs: no second loop for what a vector leaves over, and what is moved
to and from the arrays by whole vectors stays in registers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.build import add, integer
from heddle.ir.device_calls import padded
from heddle.ir.loops import LANE, lane, touches_only
from heddle.ir.nodes import I64, Expression, Kernel, Local, Loop, Statement, Symbol
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import transform_expressions
from heddle.passes.apply_schedule import in_strips


def pad_vector_loop(kernel: Kernel, request: Request) -> Kernel:
    """Give the loops of strips that touch their small arrays alone all lanes; other kernels stay as they
    are."""
    strips = request.strips
    if strips is None:
        return kernel
    counter = Symbol(fresh(LANE, names_in(kernel)), I64)
    return dataclasses.replace(
        kernel, body=in_strips(kernel.body, lambda strip: _strip(strip.body, strips.size, counter))
    )


def _strip(body: Sequence[Statement], length: int, counter: Symbol) -> tuple[Statement, ...]:
    arrays = {s.symbol for s in body if isinstance(s, Local) and s.length == length}
    loaded = {array for s in body if (array := padded(s))}
    arrays |= loaded
    return tuple(
        _over_lanes(s, length, counter)
        if loaded and isinstance(s, Loop) and s.kind == "simd" and touches_only(s, arrays)
        else s
        for s in body
    )


def _over_lanes(loop: Loop, length: int, counter: Symbol) -> Loop:
    """The same for all lanes, counted from 0."""
    own, cell = lane(loop), add(loop.begin, counter)

    def from_zero(expression: Expression) -> Expression:
        return counter if expression == own else expression

    def from_begin(expression: Expression) -> Expression:
        return cell if expression == loop.counter else expression

    body = (transform_expressions(transform_expressions(s, from_zero), from_begin) for s in loop.body)
    return dataclasses.replace(loop, counter=counter, begin=integer(0), end=integer(length), body=tuple(body))
