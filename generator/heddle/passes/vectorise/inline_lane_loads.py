# SPDX-License-Identifier: Apache-2.0
"""inline_lane_loads: a loop over lanes that loads all it needs before it stores uses its arrays in the
formulas, under the names of what they hold.

before   f_e_behind_line = line[8](f_e_row, x_begin - 1, ...); f_w_ahead_line = line[8](...);
         loop simd lane { let f_e = f_e_behind_line[lane]; let f_w = f_w_ahead_line[lane];
                          let m_x = sub(f_e, f_w); ... }
after    f_e = line[8](f_e_row, x_begin - 1, ...); f_w = line[8](...);
         loop simd lane { let m_x = sub(f_e[lane], f_w[lane]); ... }

An array to which the loop stores, or of which it reads after its first store, keeps the loads of the whole
loop as they are: compilers load what is used twice once only where nothing is stored in between.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import dropwhile
from typing import Any

from heddle.ir.loops import is_over_lanes
from heddle.ir.nodes import Expression, Kernel, Let, Load, Loop, Statement, Store, Symbol
from heddle.ir.stages import Request
from heddle.ir.visit import transform, walk
from heddle.passes.apply_schedule import in_strips
from heddle.passes.hoist_invariants import without_empty_sections


def inline_lane_loads(kernel: Kernel, request: Request) -> Kernel:
    """Write the loads of loops over lanes into their formulas; other kernels stay as they are."""
    if request.strips is None:
        return kernel
    return dataclasses.replace(kernel, body=in_strips(kernel.body, lambda strip: _strip(strip.body)))


def _strip(body: Sequence[Statement]) -> tuple[Statement, ...]:
    at = next((i for i, s in enumerate(body) if isinstance(s, Loop) and is_over_lanes(s)), None)
    if at is None:
        return tuple(body)
    loop = body[at]
    assert isinstance(loop, Loop)
    loads = {s.symbol: s.value for s in loop.body if isinstance(s, Let) and isinstance(s.value, Load)}
    if not _may_inline(loop, loads):
        return tuple(body)
    named = {load.pointer: Symbol(symbol.name, load.pointer.type) for symbol, load in loads.items()}
    values = {symbol: Load(named[load.pointer], load.index) for symbol, load in loads.items()}
    inner = [s for s in loop.body if not (isinstance(s, Let) and s.symbol in loads)]
    loop = dataclasses.replace(
        loop, body=tuple(_replaced(s, values) for s in without_empty_sections(tuple(inner)))
    )
    before, after = ([_replaced(s, named) for s in part] for part in (body[:at], body[at + 1 :]))
    return (*before, loop, *after)


def _may_inline(loop: Loop, loads: Mapping[Symbol, Load]) -> bool:
    """Whether no array is loaded twice or stored to, and all loads are used before the first store."""
    stores = dropwhile(lambda s: not isinstance(s, Store), loop.body)
    used_late = {node for node in walk(stores) if isinstance(node, Symbol)}
    uses = Counter(node.pointer for node in walk(loop.body) if isinstance(node, Load))
    return all(uses[load.pointer] == 1 for load in loads.values()) and not used_late & loads.keys()


def _replaced(statement: Statement, values: Mapping[Symbol, Expression]) -> Any:
    """A statement with other values in place of symbols."""
    return transform(statement, lambda node: values.get(node, node) if isinstance(node, Symbol) else node)
