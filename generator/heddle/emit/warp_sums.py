# SPDX-License-Identifier: Apache-2.0
"""What the lanes of a warp compute: sums of products, and statements alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heddle.ir import nodes as ir

Value = str | float
"""A name of the kernel, a constant, or a number of its own, `#n`."""


@dataclass(frozen=True)
class Term:
    """± a b."""

    negative: bool
    a: Value
    b: Value


@dataclass(frozen=True)
class Sum:
    """result = factor * (sum of terms), or one over the sum."""

    result: str
    terms: tuple[Term, ...]
    factor: Value = 1.0
    inverse: bool = False

    @property
    def operands(self) -> Iterator[Value]:
        for term in self.terms:
            yield term.a
            yield term.b
        yield self.factor


@dataclass(frozen=True)
class Alike:
    """Statements of one shape: `value` with the symbols `at_0`, `at_1` … for operands that differ. Each row
    has the result and these operands."""

    value: ir.Expression
    rows: tuple[tuple[Value, ...], ...]
