# SPDX-License-Identifier: Apache-2.0
"""The reproducible functions on a line of numbers, in the order of their names."""

import sympy
from heddle import Assignment, Module, Schedule, fields
from sympy.codegen.cfunctions import exp2, log2

number, exponent, results = fields("number, exponent: real[1D]; results: real(9)[1D]")
x = number.here
values = [sympy.cbrt(x), sympy.cos(x), sympy.exp(x), exp2(x), sympy.log(x), log2(x), x**exponent.here]
values += [sympy.sin(x), sympy.tanh(x)]
mathematics = Module("mathematics", precisions=("f64", "f32"), about="Reproducible functions.")
mathematics.add(
    "functions",
    [Assignment(results[0, n], value) for n, value in enumerate(values)],
    schedule=Schedule(math="reproducible"),
)
