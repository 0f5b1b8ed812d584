# SPDX-License-Identifier: Apache-2.0
from heddle import Assignment, Module, Scan, fields
from sympy import Symbol

# alpha = diffusivity * time step / cell height^2 at the upper face of each cell, 0 at the top of the column.
# warming: what the ground adds to the lowest cell in a step.
theta, alpha, ratio = fields("theta, alpha, ratio: real[3D]", ghost_layers=0)
warming = fields("warming: real[xy]")
pivot, leak, from_below, above = (Symbol(name) for name in ("pivot", "leak", "from_below", "above"))

eliminate = [
    Assignment(pivot, 1 / (1 + leak + alpha.here)),
    Assignment(ratio.here, alpha.here * pivot),
    Assignment(theta.here, (theta.here + from_below) * pivot),
]
passed_on = {leak: alpha.here * (1 - ratio.here), from_below: alpha.here * theta.here}
substitute = [Assignment(theta.here, theta.here + ratio.here * above)]

columns = Module("columns", about="Implicit diffusion along z, a column at a time.", precisions=("f64",))
columns.add(
    "diffuse",
    [
        Scan(2, {leak: 0, from_below: warming.here}, eliminate, passed_on),
        Scan(2, {above: 0}, substitute, {above: theta.here}, reverse=True),
    ],
)
