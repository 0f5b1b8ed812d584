# SPDX-License-Identifier: Apache-2.0
"""Planes: values of columns that sweeps share, that each cell reads, and that a search in a column gives."""

import sympy
from falling_water import fall, mu, rain, water
from heddle import Assignment, If, Module, Scan, While, block_coordinates

columns = Module("columns", precisions=("f64", "f32"), about="Values of columns, and sweeps that share them.")
columns.add("fall", fall)


# What lies highest above mu melts, in as many halves as it takes.
z = block_coordinates()[2]
top = sympy.Symbol("top", integer=True)
left, halves = sympy.symbols("left halves")
columns.add(
    "melt",
    [
        Scan(2, {top: -1}, [], {top: sympy.Piecewise((z, water.here > mu.here), (top, True))}),
        If(
            top >= 0,
            [
                While(
                    left > sympy.Abs(mu.here), {left: water.at_level(top), halves: 0}, [],
                    {left: left / 2, halves: halves + 1}, at_most=5,
                ),
                Assignment(rain.here, rain.here + halves),
                Assignment(water.at_level(top), left),
            ],
        ),
    ],
)  # fmt: skip
columns.add("scale", [Assignment(water.here, water.here * mu.here)])
