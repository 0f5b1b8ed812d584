# SPDX-License-Identifier: Apache-2.0
"""Numbers of CUDA threads: `blockIdx.x * blockDim.x + threadIdx.x`, with a number in place of `blockDim.x`,
and the stride `blockDim.x * gridDim.x` with which a loop goes through what is larger than the grid."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.hash_consing import Node
from heddle.ir.visit import transform

AXES = "xyz"


def built_in(name: str, axis: str) -> ir.Symbol:
    """`threadIdx.x` and its like, as the record has them."""
    return ir.Symbol(f"{name}.{axis}", ir.U32)


@dataclass(frozen=True)
class ThreadIndex:
    """`begin` plus the number of the thread along an axis: of the grid, or of its block alone. block: how
    many threads a block has, where the source writes a number. wide: the number is computed in 64 bits."""

    axis: str
    begin: ir.Expression
    block: int | None
    wide: bool
    grid: bool = True

    @staticmethod
    def of(value: ir.Expression) -> ThreadIndex | None:
        """The number that an expression is, if it is one of the grid."""
        found = ThreadIndex.anywhere(value)
        return found if found is not None and found.grid else None

    @staticmethod
    def anywhere(value: ir.Expression) -> ThreadIndex | None:
        """The number that an expression is, in the grid or in the block."""
        terms = list(_terms(value))
        for axis in AXES:
            own = [t for t in terms if without_casts(t) == built_in("threadIdx", axis)]
            blocks = [t for t in terms if _block_size(t, axis) is not None]
            if len(own) != 1 or len(blocks) > 1:
                continue
            begin: ir.Expression = integer(0)
            for term in terms:
                if term not in (own[0], *blocks):
                    begin = term if begin == integer(0) else ir.Op("add", (begin, term), term.type)
            if not blocks:
                return ThreadIndex(axis, begin, None, True, grid=False)
            return ThreadIndex(axis, begin, _block_size(blocks[0], axis) or None, blocks[0].type == ir.I64)
        return None


def distributed(number: ThreadIndex, stride: ir.Expression) -> ThreadIndex | None:
    """The number that a loop begins at, if it goes on by the number of all threads: of the grid, or of a
    block for a number in it. With the size of a block, where the stride says it."""
    inner = without_casts(stride)
    block = built_in("blockDim", number.axis)
    if not number.grid:
        size = int(inner.value) if isinstance(inner, ir.Const) else None
        return dataclasses.replace(number, block=size) if size or inner == block else None
    if not (isinstance(inner, ir.Op) and inner.name == "mul"):
        return None
    factors = [without_casts(factor) for factor in inner.args]
    grid = built_in("gridDim", number.axis)
    if grid not in factors:
        return None
    other = factors[1 - factors.index(grid)]
    fits = other == block or (isinstance(other, ir.Const) and other.value == number.block)
    return number if fits else None


def resolved(value: ir.Expression, values: Mapping[ir.Symbol, ir.Expression]) -> ir.Expression:
    """A value with what names stand for in place of the names."""

    def known(node: Node) -> Node:
        if isinstance(node, ir.Symbol) and node in values:
            return resolved(values[node], values)
        return node

    return transform(value, known)  # type: ignore[no-any-return]


def without_casts(value: ir.Expression) -> ir.Expression:
    """Without conversions between integers."""
    while (
        isinstance(value, ir.Cast)
        and isinstance(value.value.type, ir.Scalar)
        and value.value.type.kind in "iu"
    ):
        value = value.value
    return value


def _terms(value: ir.Expression) -> Iterator[ir.Expression]:
    """The terms of a sum of integers, conversions between integers seen through."""
    inner = without_casts(value)
    if isinstance(inner, ir.Op) and inner.name == "add":
        for argument in inner.args:
            yield from _terms(argument)
    else:
        yield value


def _block_size(term: ir.Expression, axis: str) -> int | None:
    """For blockIdx times blockDim 0; for blockIdx times a number that number; else None."""
    inner = without_casts(term)
    if not (isinstance(inner, ir.Op) and inner.name == "mul"):
        return None
    factors = [without_casts(factor) for factor in inner.args]
    block = built_in("blockIdx", axis)
    if block not in factors:
        return None
    other = factors[1 - factors.index(block)]
    if other == built_in("blockDim", axis):
        return 0
    return int(other.value) if isinstance(other, ir.Const) and int(other.value) > 0 else None
