# SPDX-License-Identifier: Apache-2.0
"""pad_vector_loop: a loop over the cells of a strip that touches small arrays alone runs over all their
lanes.

before   load_halves[16](f_e_floats, f_e_row, x_begin, x_end - x_begin);
         loop simd x in [x_begin, x_end) { let f_e = f_e_floats[x - x_begin]; ... }
after    loop simd x in [x_begin, x_begin + 16) { ... }

The last strip of a row is mostly a broken one. Its lanes beyond the row have zeros and are stored nowhere.
Compilers then know how often the loop runs: no second loop for what a vector leaves over, and what is moved
to and from the arrays by whole vectors stays in registers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.build import add, integer
from heddle.ir.device_calls import padded
from heddle.ir.loops import touches_only
from heddle.ir.nodes import Kernel, Local, Loop, Statement
from heddle.ir.stages import Request
from heddle.passes.apply_schedule import in_strips


def pad_vector_loop(kernel: Kernel, request: Request) -> Kernel:
    """Give the loops of strips that touch their small arrays alone all lanes; other kernels stay as they
    are."""
    strips = request.strips
    if strips is None:
        return kernel
    return dataclasses.replace(
        kernel, body=in_strips(kernel.body, lambda strip: _strip(strip.body, strips.size))
    )


def _strip(body: Sequence[Statement], length: int) -> tuple[Statement, ...]:
    arrays = {s.symbol for s in body if isinstance(s, Local) and s.length == length}
    loaded = {array for s in body if (array := padded(s))}
    arrays |= loaded
    return tuple(
        dataclasses.replace(s, end=add(s.begin, integer(length)))
        if loaded and isinstance(s, Loop) and s.kind == "simd" and touches_only(s, arrays)
        else s
        for s in body
    )
