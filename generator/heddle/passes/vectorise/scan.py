# SPDX-License-Identifier: Apache-2.0
"""vectorise_scans: a strip of columns goes through a scan side by side, in vector lanes.

before   loop x_begin by 64 { let x_end = ...; loop simd x { scan z [s = 0] { store ...; s = f(s) } } }
after    loop x_begin by 64 { let x_end = ...; local s_lanes[64];
                              loop simd x { store s_lanes[x - x_begin] = 0 }
                              loop z { loop simd x { let s = s_lanes[x - x_begin]; store ...;
                                                     store s_lanes[x - x_begin] = f(s) } } }

Columns are independent, so the loops may change places. Rows of memory are then read as they lie, and a
division or a chain of dependent operations costs one lane's share.
"""

from __future__ import annotations

import dataclasses

from heddle.ir.build import add, integer, operate
from heddle.ir.nodes import (
    I64,
    Expression,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Scalar,
    Scan,
    Statement,
    Store,
    Symbol,
)
from heddle.ir.stages import Request
from heddle.passes.apply_schedule import AXES, in_strips, is_strip, scans_only


def vectorise_scans(kernel: Kernel, request: Request) -> Kernel:
    """Bring the lanes of a strip inside the scans that they hold; other kernels stay as they are."""
    strips = request.strips
    if strips is None:
        return kernel
    body = in_strips(
        kernel.body,
        lambda strip: _inside(strip, strips.size),
        which=lambda loop: is_strip(loop) and _scans(loop),
    )
    return dataclasses.replace(kernel, body=body)


def _inside(strip: Loop, length: int) -> tuple[Statement, ...]:
    *before, lanes = strip.body
    assert isinstance(lanes, Loop)
    return (*before, *(part for inner in lanes.body for part in _side_by_side(inner, lanes, length)))


def _scans(strip: Loop) -> bool:
    """Whether the lanes of a strip hold scans, and nothing else."""
    lanes = strip.body[-1]
    return isinstance(lanes, Loop) and lanes.kind == "simd" and scans_only(lanes.body)


def _side_by_side(scan: Statement, lanes: Loop, strip: int) -> list[Statement]:
    if not isinstance(scan, Scan):
        return [scan]
    lane = operate("sub", lanes.counter, lanes.begin)
    carried = {symbol: Load(_array(symbol), lane) for symbol in scan.carried}
    arrays: list[Statement] = [Local(_array(symbol), strip, "scratch") for symbol in scan.carried]
    starts = zip(scan.carried, scan.initial, strict=True)
    start = tuple(Store(carried[symbol], value) for symbol, value in starts)
    if start:
        arrays.append(dataclasses.replace(lanes, body=start))
    updates = zip(scan.carried, scan.update, strict=True)
    cell: tuple[Statement, ...] = (
        *(Let(symbol, value) for symbol, value in carried.items()),
        *scan.body,
        *(Store(carried[symbol], value) for symbol, value in updates),
    )
    counter, extent = Symbol(AXES[scan.axis], I64), Symbol(f"n_{AXES[scan.axis]}", I64)
    begin: Expression = add(extent, integer(-1)) if scan.reverse else integer(0)
    end: Expression = integer(-1) if scan.reverse else extent
    step = integer(-1 if scan.reverse else 1)
    return [*arrays, Loop("serial", counter, begin, end, step, (dataclasses.replace(lanes, body=cell),))]


def _array(carried: Symbol) -> Symbol:
    """What holds a carried value of every lane."""
    assert isinstance(carried.type, Scalar)
    return Symbol(f"{carried.name}_lanes", Pointer(carried.type))
