# SPDX-License-Identifier: Apache-2.0
"""What kernels take for granted about rows.

Threads(unit_stride=True) has the cells of a row follow each other in memory, Interleaved(n) has n
interleaved blocks, of which a CUDA thread runs the same cell; Threads(same_strides=True) has all fields lie
alike, and with row_cells=n rows have whole numbers of n cells. So such kernels are compared with others on
such memory only.
"""

from __future__ import annotations

from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.device_calls import is_call, parts_of
from heddle.ir.visit import walk

_VECTORS = "load_vector", "store_vector"
ASSUME_UNIT_ROWS = "the cells of a row follow each other in memory, in all fields"
ASSUME_SAME_STRIDES = "all fields have the same strides, and 31 bits number their elements"
ASSUME_WHOLE_VECTORS = "rows have a whole number of vectors of {} cells"
ASSUME_INTERLEAVED = "a kernel without lanes runs on each of {} interleaved blocks"
ASSUME_LANES = "the fields are those of {} interleaved blocks"


def has_unit_rows(*kernels: ir.Kernel) -> bool:
    """Whether one of the kernels runs on nothing else."""
    return any(kernel.space.unit_stride for kernel in kernels)


def has_same_strides(*kernels: ir.Kernel) -> bool:
    """Whether one of the kernels runs on nothing else."""
    return any(kernel.space.same_strides for kernel in kernels)


def row_cells_of(*kernels: ir.Kernel) -> int:
    """Of how many cells each row has a whole number."""
    return max(kernel.space.row_cells for kernel in kernels)


def interleave_of(kernel: ir.Kernel) -> int:
    """How many interleaved blocks a lowered kernel runs on; 1: on a block of its own."""
    if kernel.space.row_cells > 1:
        return 1
    nodes = list(walk(kernel.body))
    length = max((parts_of(n)["length"] for n in nodes if is_call(n, *_VECTORS)), default=1)
    return length * max((parts_of_vectors(n) for n in nodes if isinstance(n, ir.Loop)), default=1)


def parts_of_vectors(loop: ir.Loop) -> int:
    """How many threads share the vector of a cell, where a loop runs over the parts of the vectors of a row:
    `x_part in [0, n_x * parts)`; 1 elsewhere."""
    moves = any(is_call(n, *_VECTORS) for n in loop.body)
    match loop:
        case ir.Loop(kind="thread", end=ir.Op("mul", (_, ir.Const(int(parts))))) if moves:
            return parts
    return 1


def row_assumptions(a: ir.Kernel, b: ir.Kernel, assumptions: set[str]) -> dict[ir.Expression, ir.Expression]:
    """The strides along x as both kernels may read them, where one of them is made for these."""
    lanes = max(interleave_of(a), interleave_of(b))
    known = _shared_strides(a, b, assumptions) if has_same_strides(a, b) else {}
    if lanes == 1 and not has_unit_rows(a, b):
        return known
    assumptions.add(ASSUME_LANES.format(lanes) if lanes > 1 else ASSUME_UNIT_ROWS)
    if interleave_of(a) != interleave_of(b):
        assumptions.add(ASSUME_INTERLEAVED.format(lanes))
    return known | {
        ir.Load(ir.Symbol(f"{field.name}_stride", ir.Pointer(ir.I64, True)), integer(0)): integer(lanes)
        for kernel in (a, b)
        for field in kernel.fields
        if field.dense and field.rank
    }


def _shared_strides(a: ir.Kernel, b: ir.Kernel, assumptions: set[str]) -> dict[ir.Expression, ir.Expression]:
    """The strides of all fields as those of the first."""
    assumptions.add(ASSUME_SAME_STRIDES)
    shared = [f for f in (a if a.space.same_strides else b).fields if f.numbered_with(a.space)]
    return {
        _stride(field, axis): _stride(shared[0], axis) for field in shared[1:] for axis in range(field.rank)
    }


def _stride(field: ir.Field, axis: int) -> ir.Load:
    return ir.Load(ir.Symbol(f"{field.name}_stride", ir.Pointer(ir.I64, True)), integer(axis))
