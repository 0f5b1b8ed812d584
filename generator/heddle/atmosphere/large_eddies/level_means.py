# SPDX-License-Identifier: Apache-2.0
"""Sums over whole levels, for statistics: a kernel sums each row along x, the host the rows of a level.

All sums are in double, whatever the precision of the kernel, and in one order on every target, for any blocks
and ranks that have whole rows: tiles of 32 cells by halves, tiles and rows one after the other. What is read
from the device is one number per row and quantity.

    rows = level_means.rows("rows", 3)                   # FieldOptions{.components = 3, .same_along = 0}
    module.add("sums", level_means.row_sums(rows, [u.here, q.here, (u.here - u_mean.here)**2]))

In a program `heddle::level_sums(rows, n)` (heddle/reduction/level_sums.hpp) then has the sum of quantity n
for each level; divided by the number of cells of a level it is the mean. A profile of means makes a second
kernel's variances, which lose no digits to cancellation. Where the next kernel needs the sums, `over_rows`
adds the rows on the device, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.model.assignment import Reduce, Scan, Statement
from heddle.model.field import Field, declare


def rows(name: str, quantities: int) -> Field:
    """Declare the field of the sums of rows. quantities: how many, from 1."""
    if type(quantities) is not int or quantities < 1:
        raise KernelError(
            calling_place(),
            f"quantities={quantities!r} is not a number of quantities.",
            "use a whole number from 1",
        )
    field = Field(name, "double", components=quantities, ghost_layers=0)
    declare([field])
    return field


def row_sums(field: Field, values: Sequence[sympy.Expr]) -> list[Statement]:
    """Statements that sum each value over the cells of each row. field: from `rows`, with as many components
    as there are values."""
    if len(values) != field.components:
        raise KernelError(
            calling_place(),
            f"'{field.name}' has {field.components} components, and there are {len(values)} values.",
            "declare it with level_means.rows(name, number of values)",
        )
    place = calling_place()
    return [Reduce("sum", field.of_row(component=n), value, place) for n, value in enumerate(values)]


def over_rows(lines: Field) -> tuple[Scan, tuple[sympy.Symbol, ...]]:
    """The sums of each quantity over the rows of a level, one after the other in ascending y; in double in
    modules that compute so (precisions "f64" and "f32/f64").

    lines: from `rows`. In this kernel a column is a level, and its cells are the rows of that: the program
    gives views of the sums of rows with axes exchanged, (1, levels, rows) for (x, y, z). Returns the Scan and
    the sums, for statements beside it, which store to planes: `fields("mean: double[xy]")`, one number per
    level. See examples/clouds/sinking.
    """
    sums = tuple(sympy.Symbol(f"sum_{n}") for n in range(lines.components))
    added = {total: total + lines.component(n) for n, total in enumerate(sums)}
    return Scan(2, dict.fromkeys(sums, 0), [], added), sums
