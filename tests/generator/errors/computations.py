# SPDX-License-Identifier: Apache-2.0
"""Expressions and statements that no kernel can compute."""

from __future__ import annotations

import sympy
from errors.cases import f, k, kernel, p, q, says
from heddle import (
    Assignment,
    bit_and,
)
from heddle.ir.functions import FUNCTIONS

FUNCTION_NAMES = " ".join(row.sympy for row in FUNCTIONS.values() if row.sympy)
AVAILABLE = f"\n  Hint: use + - * / powers, {FUNCTION_NAMES}, Piecewise, comparisons"


@says("{here}: 'g(p[0,0])' is an undefined function, which kernels do not support." + AVAILABLE)
def undefined_function() -> None:
    kernel([Assignment(q.here, sympy.Function("g")(p.here))])  # here


@says("{here}: 'gamma(p[0,0])' is a SymPy gamma, which kernels do not support." + AVAILABLE)
def unknown_function() -> None:
    kernel([Assignment(q.here, sympy.gamma(p.here))])  # here


@says("{here}: 'oo' is a SymPy Infinity, which kernels do not support." + AVAILABLE)
def infinity() -> None:
    kernel([Assignment(q.here, sympy.oo)])  # here


@says("{here}: 'I' is a SymPy ImaginaryUnit, which kernels do not support." + AVAILABLE)
def complex_number() -> None:
    kernel([Assignment(q.here, sympy.I * p.here)])  # here


@says(
    "{here}: 'Piecewise((1, p[0,0] > 0), (2, p[0,0] < 0))' has no value if none of its "
    "conditions holds.\n"
    "  Hint: end it with (value, True)"
)
def piecewise_without_an_end() -> None:
    kernel([Assignment(q.here, sympy.Piecewise((1, p.here > 0), (2, p.here < 0)))])  # here


@says("{here}: 'bitand' needs integer operands, not f64.")
def bits_of_a_float() -> None:
    kernel([Assignment(q.here, bit_and(p.here, k.here))])  # here


@says("{here}: the position of a gather is not an integer.\n  Hint: round it: floor(position)")
def position_between_cells() -> None:
    kernel([Assignment(q.here, p.gather(f.here, 0))])  # here


@says("{here}: 1/3 is not an integer, but is stored to an integer field.\n  Hint: round it: floor(value)")
def fraction_in_an_integer() -> None:
    kernel([Assignment(k.here, sympy.Rational(1, 3))])  # here


@says("{here}: int is not a statement of a model.\n  Hint: use Assignment, If, Reduce or Scan")
def no_statement() -> None:
    kernel([Assignment(q.here, p.here), 3])  # here
