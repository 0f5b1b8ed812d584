# SPDX-License-Identifier: Apache-2.0
"""Water that falls through columns: values per column before, between and after two sweeps."""

import sympy
from heddle import Assignment, Scan, fields

mu = fields("mu: real[xy]")
water = fields("water: real[3D]", ghost_layers=0)
rain, most = fields("rain, most: real[xy]")
speed, above, high, below, fallen = sympy.symbols("speed above high below fallen")

fall = [
    Assignment(speed, mu.here * (mu[1, 0] - mu[0, -1])),
    Scan(
        2,
        {above: 0, high: speed},
        [Assignment(fallen, water.here * speed), Assignment(water.here, water.here - fallen)],
        {above: above / 2 + fallen, high: sympy.Max(high, water.here)},
        reverse=True,
    ),
    Assignment(rain.here, rain.here + above),
    Scan(2, {below: above}, [Assignment(water.here, water.here + below)], {below: below / 2}),
    Assignment(most.here, high - below),
]
