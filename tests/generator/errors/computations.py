# SPDX-License-Identifier: Apache-2.0
"""Expressions and statements that no kernel can compute."""

from __future__ import annotations

from typing import Any

import sympy
from errors.cases import a, f, k, kernel, p, q, says, t
from heddle import (
    Assignment,
    If,
    Module,
    Reduce,
    Scan,
    Section,
    bit_and,
    fields,
    parameters,
)
from heddle.ir.functions import FUNCTIONS

NO: Any = {"a number": 5, "one statement": Assignment(q.here, p.here)}
"""Not typed: none of these is what is expected."""
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


@says("{here}: int is not a statement of a model.\n  Hint: use Assignment, If, Reduce, Scan or While")
def no_statement() -> None:
    kernel([Assignment(q.here, p.here), 3])  # here


WRONG: Any = {"field": q, "text": "p + 1", "nothing": None, "list": [p.here], "equation": sympy.Eq(q.here, a)}
"""Not typed: none of these is an expression."""
NO_EXPRESSION = (
    " is not an expression.\n"
    "  Hint: pass numbers, accesses such as u.here, symbols, and what SymPy makes of these"
)
A_FIELD = "is a field, where the value of one cell is expected.\n  Hint: write %s for a neighbour"
A_STRING = " is a string, not an expression.\n  Hint: write it in Python, with fields and symbols: u.here + 1"


@says("{here}: 'q' " + A_FIELD % "q.here for the current cell, q[1, 0]")
def field_for_a_value() -> None:
    Assignment(p.here, WRONG["field"])  # here


@says("{here}: 'f' " + A_FIELD % "f.here for the current cell, f[1, 0, 0]")
def field_for_a_target() -> None:
    target: Any = f
    Assignment(target, 1)  # here


@says("{here}: 'p + 1'" + A_STRING)
def text_for_a_value() -> None:
    Assignment(q.here, WRONG["text"])  # here


@says("{here}: 'p + 1'" + A_STRING)
def text_for_a_condition() -> None:
    If(WRONG["text"], [])  # here


@says("{here}: 'p + 1'" + A_STRING)
def text_for_what_is_reduced() -> None:
    Reduce("sum", "e", WRONG["text"])  # here


@says("{here}: 'p + 1'" + A_STRING)
def text_for_what_is_carried() -> None:
    Scan(0, {t: WRONG["text"]}, [], {t: t})  # here


@says("{here}: None" + NO_EXPRESSION)
def nothing_for_a_value() -> None:
    Assignment(q.here, WRONG["nothing"])  # here


@says("{here}: [p[0,0]]" + NO_EXPRESSION)
def list_for_a_value() -> None:
    Assignment(q.here, WRONG["list"])  # here


@says("{here}: a SymPy equation is not a statement of a model.\n  Hint: write Assignment(q[0,0], a)")
def equation_for_a_statement() -> None:
    Module("m").add("k", [WRONG["equation"]])  # here


@says("{here}: a pair is not a statement of a model.\n  Hint: write Assignment(q[0,0], a)")
def pair_in_a_condition() -> None:
    pair: Any = (q.here, a)
    kernel([If(p.here > 0, [pair])])  # here


RANGE = (
    " is outside the range of double precision.\n"
    "  Hint: write equations in other units, or numbers as floats, such as 1e-30"
)


@says("{here}: the number 10000000000000000000... (401 characters)" + RANGE)
def number_too_large() -> None:
    kernel([Assignment(q.here, 10**400 * p.here)])  # here


@says("{here}: the number 1/100000000000000000... (403 characters)" + RANGE)
def number_too_small() -> None:
    kernel([Assignment(q.here, p.here / 10**400)])  # here


@says("{here}: the number 1.0000e-400" + RANGE)
def float_too_small() -> None:
    kernel([Assignment(q.here, p.here * sympy.Float("1e-400", 5))])  # here


NARROW = " is outside the range of %s.\n  Hint: use a wider type or precision, or other units"


@says("{here}: 1.09951e+12" + NARROW % "u32")
def number_too_large_for_an_integer() -> None:
    c = fields("c: uint32[2D]")
    kernel([Assignment(k.here, c.here + 2**40)])  # here


@says("{here}: 1e+300" + NARROW % "f32")
def number_too_large_for_a_float() -> None:
    s, r = fields("s, r: float[2D]")
    module = Module("m", precisions=("f32",))
    module.add("k", [Assignment(s.here, 1e300 * r.here)])  # here
    module.typed("k", "f32")


CUT_OFF = (
    "{here}: a real value is stored to 'k', whose elements are i32: its fraction would be cut off.\n"
    "  Hint: round it: floor(value); an integer over an integer is real, too"
)


@says(CUT_OFF)
def real_value_in_an_integer() -> None:
    kernel([Assignment(k.here, p.here)])  # here


@says(CUT_OFF)
def half_of_an_integer() -> None:
    j = fields("j: int32[2D]")
    kernel([Assignment(k.here, j.here / 2)])  # here


@says("{here}: the text of a Section is 5, not a string.\n  Hint: write it in quotes")
def heading_that_is_a_number() -> None:
    Section(NO["a number"])  # here


@says(
    "{here}: the body of this If is one statement, not a list.\n"
    "  Hint: write If(condition, [Assignment(...)])"
)
def condition_over_one_statement() -> None:
    If(p.here > 0, NO["one statement"])  # here


@says(
    "{here}: the value stored to 'b' may not fit into u8, and would wrap around.\n"
    "  Hint: bound it: bit_and(value, 255), Min(Max(value, 0), 255); or declare the field as int32"
)
def sum_of_bytes() -> None:
    b, c = fields("b, c: uint8[2D]")
    kernel([Assignment(b.here, c.here + c[1, 0])])  # here


@says(
    "{here}: a difference of u32 values wraps around below zero, to 4294967295 for -1.\n"
    "  Hint: declare the field or parameter as int32 or int64"
)
def difference_of_unsigned_integers() -> None:
    c = fields("c: uint32[2D]")
    kernel([Assignment(q.here, c.here - 5)])  # here


@says(
    "{here}: two different symbols are called 'd', one of them a Dummy.\n"
    "  Hint: give each a name of its own, or use one Symbol"
)
def two_dummies() -> None:
    d, e = sympy.Dummy("d"), sympy.Dummy("d")
    kernel([Assignment(q.here, d * p.here + e)])  # here


@says(
    "{here}: 'b' stands for a parameter of type int32 and for one of type real.\n"
    "  Hint: use what parameters(...) returned wherever the parameter is meant"
)
def parameter_of_two_types() -> None:
    b = parameters("b: int32")
    kernel([Assignment(q.here, b * p.here), Assignment(f.here, sympy.Symbol("b"))])  # here


@says("{here}: 'b' names both a parameter and a local value.\n  Hint: rename one of them")
def parameter_called_like_a_local() -> None:
    b = parameters("b")
    kernel([Assignment(sympy.Symbol("b"), p.here), Assignment(q.here, b)])  # here


@says(
    "{here}: the expression has more than 20000 operations.\n"
    "  Hint: name intermediate values: t = sympy.Symbol('t'), Assignment(t, ...), then use t"
)
def expression_that_swells_in_a_branch() -> None:
    e = p.here
    for _ in range(12):
        e = e * e + p[1, 0] * e
    kernel([Assignment(q.here, sympy.Piecewise((e, a > 0), (0, True)))])  # here
