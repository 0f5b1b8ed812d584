# SPDX-License-Identifier: Apache-2.0
"""pad_vector_loop: a loop over the cells of a strip that touches small arrays alone runs over all their
lanes.

before   load_halves[16](f_e_floats, f_e_row, x_begin, x_end - x_begin);
         loop simd x in [x_begin, x_end) { let f_e = f_e_floats[x - x_begin]; ... }
after    loop simd lane in [0, 16) { let f_e = f_e_floats[lane]; ... }

The last strip of a row is mostly a broken one. Its lanes beyond the row have zeros and are stored nowhere.
Compilers then know how often the loop runs: no second loop for what a vector leaves over, and what is moved
to and from the arrays by whole vectors stays in registers.

before   while any_lane(active_lanes, x_end - x_begin) at most 9 {
             loop simd x in [x_begin, x_end) { let s = s_lanes[x - x_begin]; ... } }
after    while any_lane(active_lanes, x_end - x_begin) at most 9 {
             loop simd lane in [0, 8) { let s = s_lanes[lane]; ... } }

So do the rounds of short strips: lanes beyond the row are never active. In long strips they would be work for
nothing, of rows that are shorter.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.build import add, integer
from heddle.ir.device_calls import padded
from heddle.ir.loops import LANE, lane, touches_only
from heddle.ir.nodes import I64, Expression, If, Kernel, Local, Loop, Statement, Symbol, While
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import transform_expressions
from heddle.passes.apply_schedule import in_strips

SHORT = 16
"""Cells of a strip whose rounds take all lanes: one or two vectors."""


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

    def padded_loops(body: Sequence[Statement], rounds: bool) -> tuple[Statement, ...]:
        """rounds: within a While, where lanes beyond the row take no part."""
        result: list[Statement] = []
        for s in body:
            if isinstance(s, Loop) and s.kind == "simd":
                small = (rounds or bool(loaded)) and touches_only(s, arrays)
                result.append(_over_lanes(s, length, counter) if small else s)
            elif (isinstance(s, While) and length <= SHORT) or (isinstance(s, (If, Loop)) and rounds):
                result.append(dataclasses.replace(s, body=padded_loops(s.body, True)))
            else:
                result.append(s)
        return tuple(result)

    return padded_loops(body, False)


def _over_lanes(loop: Loop, length: int, counter: Symbol) -> Loop:
    """The same for all lanes, counted from 0."""
    own, cell = lane(loop), add(loop.begin, counter)

    def from_zero(expression: Expression) -> Expression:
        return counter if expression == own else expression

    def from_begin(expression: Expression) -> Expression:
        return cell if expression == loop.counter else expression

    body = (transform_expressions(transform_expressions(s, from_zero), from_begin) for s in loop.body)
    return dataclasses.replace(loop, counter=counter, begin=integer(0), end=integer(length), body=tuple(body))
