# SPDX-License-Identifier: Apache-2.0
"""Walls of a dense space (see ir.walls): whether the current cell is the last one before them."""

from __future__ import annotations

from heddle.ir.build import integer, operate
from heddle.ir.nodes import BOOL, I64, U32, Access, Const, Expression, Let, Symbol
from heddle.ir.walls import axis_of, bit, crossed, is_upper
from heddle.passes.apply_schedule import AXES
from heddle.passes.lowering_context import LoweringContext


class WallReflection(LoweringContext):
    def beside(self, access: Access) -> Expression:
        """Whether the element lies behind a wall: the current cell is the last one before it."""
        condition, *others = [self.at_side(side) for side in crossed(self.space, access)]
        for other in others:
            condition = operate("or", condition, other)
        return condition

    def at_side(self, side: str) -> Expression:
        """Whether the current cell lies at a wall, named once per cell."""
        if side not in self.sides:
            axis, wall = axis_of(side), Const(bit(side), U32)
            last = operate("sub", self.extent(axis), integer(1)) if is_upper(side) else integer(0)
            there = operate("ne", operate("bitand", Symbol("walls", U32), wall), Const(0, U32))
            self.sides[side] = Symbol(f"at_{side}", BOOL)
            value = operate("and", operate("eq", Symbol(AXES[axis], I64), last), there)
            self.pending.append(Let(self.sides[side], value))
        return self.sides[side]
