# SPDX-License-Identifier: Apache-2.0
"""rows_past_caches: a second copy of a row's loop, whose stores bypass the caches, for large arrays.

before   loop simd x in [0, n_x) { store u_next_row[x] = ...; }
after    if exceeds_mebibytes(u_next, 2 * (n_x * n_y * n_z), 32) {
           loop x_begin in [0, n_x) by 64 {
             let x_end = min(x_begin + 64, n_x);
             local u_next_run[64];
             loop simd x in [x_begin, x_end) { store u_next_run[x - x_begin] = ...; }
             stream_run[64](u_next_row, x_begin, u_next_run, x_end - x_begin); } }
         if not exceeds_mebibytes(...) { loop simd x in [0, n_x) as before }

A store that goes through the caches first reads the line that it writes to: a third of what a stencil of two
arrays moves. Where the arrays stay in the caches, that read costs nothing, and stores past them cost more.
The copy follows from the plain loop (ir.loop_versions).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

from heddle.ir.build import integer, multiply, operate
from heddle.ir.legality import check_nontemporal_from
from heddle.ir.nodes import BOOL, I64, Call, Expression, If, Kernel, Loop, Pointer, Statement, Symbol
from heddle.ir.stages import Request
from heddle.ir.streamed_rows import arrays_of, arrays_read, in_strips, stored_rows
from heddle.ir.unique_names import names_in


def rows_past_caches(kernel: Kernel, request: Request) -> Kernel:
    """Where the schedule says from how many MiB on stores bypass the caches, copy the loops of rows for
    that; KernelError where no row can be stored so. Halves stay as they are."""
    mebibytes = request.schedule.cpu.nontemporal_from
    if mebibytes is None or request.target.inner != "simd" or request.precision.storage.bits < 32:
        return kernel
    copying = _Copying(kernel, mebibytes)
    body = copying.block(kernel.body)
    check_nontemporal_from(kernel, copying.done)
    return dataclasses.replace(kernel, body=body)


class _Copying:
    def __init__(self, kernel: Kernel, mebibytes: int) -> None:
        self.kernel, self.mebibytes, self.done = kernel, mebibytes, False
        self.arrays, self.read, self.taken = arrays_of(kernel), arrays_read(kernel), names_in(kernel)

    def block(self, body: Sequence[Statement]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for statement in body:
            if isinstance(statement, Loop) and statement.kind == "simd":
                result += self.either(statement)
            elif isinstance(statement, Loop):
                result.append(dataclasses.replace(statement, body=self.block(statement.body)))
            else:
                result.append(statement)
        return tuple(result)

    def either(self, loop: Loop) -> tuple[Statement, ...]:
        """The loop, or a copy of it and the loop."""
        rows = stored_rows(loop, self.arrays, self.read)
        if not rows or (loop.begin, loop.step) != (integer(0), integer(1)):
            return (loop,)
        self.done = True
        large = self.large(self.arrays[rows[0]])
        copy = If(large, (in_strips(loop, rows, self.taken),))
        return copy, If(operate("not", large), (loop,))

    def large(self, array: Symbol) -> Expression:
        """Whether all arrays of the element type of this one together exceed the limit."""
        assert isinstance(array.type, Pointer)
        element, space = array.type.element, self.kernel.space
        alike = [f for f in self.kernel.fields if f.numbered_with(space) and f.type == element]
        extents: list[Expression] = [Symbol(f"n_{axis}", I64) for axis in "xyz"[: space.dimensions]]
        cells = functools.reduce(multiply, extents)
        elements = multiply(integer(sum(max(f.components, 1) for f in alike)), cells)
        return Call("exceeds_mebibytes", (array, elements, integer(self.mebibytes)), BOOL)
