# SPDX-License-Identifier: Apache-2.0
"""Expressions and statements that no kernel can compute."""

from __future__ import annotations

import sympy
from errors.cases import f, k, kernel, p, q, says
from heddle import (
    Assignment,
    bit_and,
)

AVAILABLE = (
    "\n  Hint: available: + - * / powers, Min Max Abs sign sqrt exp log sin "
    "cos tanh floor, Piecewise, comparisons"
)


@says("{here}: 'g(p[0,0])' is an undefined function, which no kernel can compute." + AVAILABLE)
def undefined_function() -> None:
    kernel([Assignment(q.here, sympy.Function("g")(p.here))])  # here


@says("{here}: 'gamma(p[0,0])' is a SymPy gamma, which no kernel can compute." + AVAILABLE)
def unknown_function() -> None:
    kernel([Assignment(q.here, sympy.gamma(p.here))])  # here


@says("{here}: 'oo' is a SymPy Infinity, which no kernel can compute." + AVAILABLE)
def infinity() -> None:
    kernel([Assignment(q.here, sympy.oo)])  # here


@says("{here}: 'I' is a SymPy ImaginaryUnit, which no kernel can compute." + AVAILABLE)
def complex_number() -> None:
    kernel([Assignment(q.here, sympy.I * p.here)])  # here


@says(
    "{here}: 'Piecewise((1, p[0,0] > 0), (2, p[0,0] < 0))' has no value where none of its conditions holds.\n"
    "  Hint: end it with (value, True)"
)
def piecewise_without_an_end() -> None:
    kernel([Assignment(q.here, sympy.Piecewise((1, p.here > 0), (2, p.here < 0)))])  # here


@says("{here}: 'bitand' needs integers, not f64.")
def bits_of_a_float() -> None:
    kernel([Assignment(q.here, bit_and(p.here, k.here))])  # here


@says("{here}: a gather position is not an integer.\n  Hint: round it: floor(position)")
def position_between_cells() -> None:
    kernel([Assignment(q.here, p.gather(f.here, 0))])  # here


@says("{here}: 1/3 is stored as an integer.\n  Hint: round it: floor(value)")
def fraction_in_an_integer() -> None:
    kernel([Assignment(k.here, sympy.Rational(1, 3))])  # here


@says("{here}: int is not a statement of a model.")
def no_statement() -> None:
    kernel([Assignment(q.here, p.here), 3])  # here
