# SPDX-License-Identifier: Apache-2.0
"""Rows: what crosses each level of a column, all columns of a row together, and the sum of all levels."""

import sympy
from falling_water import water
from heddle import Module, Reduce, Scan, fields

weight, flux = fields("weight, flux: real[3D]")
through = fields("through: real[xy]")
crossed = sympy.Symbol("crossed")

rows_of_columns = Module("rows_of_columns", precisions=("f64", "f32"), about="Sums over rows of columns.")
rows_of_columns.add(
    "step",
    [
        Scan(
            2,
            {crossed: 0},
            [Reduce("sum", flux.of_row(), crossed * weight.of_row(0, 1))],
            {crossed: crossed + water.here},
        ),
        Reduce("sum", through.of_row(), crossed),
    ],
)
