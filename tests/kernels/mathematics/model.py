# SPDX-License-Identifier: Apache-2.0
"""Each reproducible function on a line of numbers."""

import sympy
from heddle import Assignment, Module, Schedule, fields
from sympy.codegen.cfunctions import exp2, log2

number, exponent, result = fields("number, exponent, result: real[1D]")
mathematics = Module("mathematics", precisions=("f64", "f32"), about="Reproducible functions.")
for name, value in {
    "cbrt": sympy.cbrt(number.here),
    "cos": sympy.cos(number.here),
    "exp": sympy.exp(number.here),
    "exp2": exp2(number.here),
    "log": sympy.log(number.here),
    "log2": log2(number.here),
    "pow": number.here**exponent.here,
    "sin": sympy.sin(number.here),
    "tanh": sympy.tanh(number.here),
}.items():
    schedule = Schedule(math="reproducible")
    mathematics.add(f"of_{name}", [Assignment(result.here, value)], schedule=schedule)
