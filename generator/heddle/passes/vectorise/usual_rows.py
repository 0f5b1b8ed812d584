# SPDX-License-Identifier: Apache-2.0
"""usual_rows: a second copy of a row's loop for the value that a profile has in most rows.

before   let order_z_here = order_z[z];
         loop simd x { let flux = choose(order_z_here >= 5, u5, choose(order_z_here >= 3, u3, u2)); ... }
after    let order_z_here = order_z[z];
         if order_z_here == 5 { loop simd x { let flux = u5; ... } }
         if not order_z_here == 5 { loop simd x { as before } }

Both give the same bits: the copy is the whole with a constant put in (ir.loop_versions). A branch per row
costs nothing; choices in a loop of vectors compute all values of which they take one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from heddle.ir.build import operate
from heddle.ir.legality import check_usual
from heddle.ir.loop_versions import versions
from heddle.ir.nodes import (
    Call,
    Const,
    Expression,
    If,
    Kernel,
    Let,
    Load,
    Loop,
    Scalar,
    Statement,
    Symbol,
)
from heddle.ir.stages import Request
from heddle.ir.visit import distinct


def usual_rows(kernel: Kernel, request: Request) -> Kernel:
    """Where the schedule names a profile and its usual value, copy the loops of rows that choose by it;
    KernelError where none does."""
    usual = request.schedule.cpu.usual
    if usual is None or request.target.inner != "simd":
        return kernel
    copying = _Copying(*usual)
    body = copying.block(kernel.body)
    check_usual(kernel, usual[0], copying.done)
    return dataclasses.replace(kernel, body=body)


class _Copying:
    def __init__(self, profile: str, value: int) -> None:
        self.profile, self.value, self.done = profile, value, False

    def block(self, body: Sequence[Statement]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        asked: dict[Symbol, None] = {}
        for statement in body:
            if isinstance(statement, Let) and self.follows(statement.value, asked):
                asked[statement.symbol] = None
            if isinstance(statement, Loop) and statement.kind == "simd":
                result += self.either(statement, asked)
                continue
            if isinstance(statement, (Loop, If)):
                statement = dataclasses.replace(statement, body=self.block(statement.body))
            result.append(statement)
        return tuple(result)

    def follows(self, value: Expression, asked: dict[Symbol, None]) -> bool:
        """Whether a value is an element of the profile, or the largest or smallest of such."""
        match value:
            case Load(pointer):
                return pointer.name == self.profile
            case Symbol():
                return value in asked
            case Call("min" | "max", args):
                return all(self.follows(arg, asked) for arg in args)
        return False

    def either(self, loop: Loop, asked: dict[Symbol, None]) -> tuple[Statement, ...]:
        """The loop, or a copy of it and the loop."""
        inside = set(distinct(loop.body))
        equal = [self.equal(symbol) for symbol in asked if symbol in inside]
        if not equal:
            return (loop,)
        self.done = True
        return versions(equal, (loop,))

    def equal(self, symbol: Symbol) -> Expression:
        assert isinstance(symbol.type, Scalar)
        return operate("eq", symbol, Const(self.value, symbol.type))
