# SPDX-License-Identifier: Apache-2.0
"""Names that stand for two things, or that C++ or the emitted function has a use for."""

from __future__ import annotations

import sympy
from errors.cases import D2Q9, f, kernel, p, q, says, t
from heddle import (
    Assignment,
    If,
    Reduce,
    Sparse,
    fields,
    lbm,
)


@says("{here}: 't' is assigned twice.\n  Hint: use a second symbol for the second value")
def assigned_twice() -> None:
    kernel(
        [
            Assignment(t, 1),
            Assignment(q.here, t),
            Assignment(t, 2),  # here
        ]
    )


@says("{here}: 't' is used before it is assigned.\n  Hint: move its assignment up")
def used_before() -> None:
    kernel(
        [
            Assignment(q.here, t),
            Assignment(t, 2),  # here
        ]
    )


@says(
    "{here}: 't' is assigned inside a condition or a scan and undefined outside of it.\n"
    "  Hint: assign it before, with a Piecewise if it depends on the condition"
)
def used_outside_its_condition() -> None:
    inside = If(p.here > 0, [Assignment(t, 2), Assignment(f.here, t)])
    kernel([inside, Assignment(q.here, t)])  # here


@says("{here}: 'p' names both a field and a local value.\n  Hint: rename one of them")
def local_called_like_a_field() -> None:
    kernel([Assignment(q.here, p.here), Assignment(sympy.Symbol("p"), 1)])  # here


@says("{here}: 'p' names both a field and a scalar.\n  Hint: rename one of them")
def field_called_like_a_parameter() -> None:
    kernel(
        [
            Assignment(q.here, sympy.Symbol("p")),
            Assignment(f.here, p.here),  # here
        ]
    )


@says("{here}: 'p' names both a field and a scalar.\n  Hint: rename one of them")
def parameter_called_like_a_field() -> None:
    kernel([Assignment(q.here, p.here), Assignment(f.here, sympy.Symbol("p"))])  # here


@says("{here}: two different fields are called 'p'.\n  Hint: rename one of them")
def two_fields_of_one_name() -> None:
    other = fields("p: float[2D]")
    kernel([Assignment(q.here, p.here + other.here)])  # here


@says(
    "{here}: 'x' cannot be used as a name here: the emitted function uses this name.\n"
    "  Hint: choose another name"
)
def parameter_called_like_a_coordinate() -> None:
    kernel([Assignment(q.here, sympy.Symbol("x") * p.here)])  # here


@says(
    "{here}: 'n_x' cannot be used as a name here: the emitted function uses this name.\n"
    "  Hint: choose another name"
)
def local_called_like_an_extent() -> None:
    kernel([Assignment(sympy.Symbol("n_x"), 1), Assignment(q.here, 1)])  # here


@says(
    "{here}: 'p_stride' cannot be used as a name here: the emitted function uses this name.\n"
    "  Hint: choose another name"
)
def parameter_called_like_a_stride() -> None:
    kernel([Assignment(q.here, p.here), Assignment(f.here, sympy.Symbol("p_stride"))])  # here


@says(
    "{here}: 'stream' cannot be used as a name here: the emitted function uses this name.\n"
    "  Hint: choose another name"
)
def parameter_called_like_the_stream() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("stream"))])  # here


@says(
    "{here}: 'new' cannot be used as a name here: it is not a valid C++ identifier.\n"
    "  Hint: choose another name"
)
def parameter_called_like_a_keyword() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("new"))])  # here


@says(
    "{here}: '1/nu' cannot be used as a name here: it is not a valid C++ identifier.\n"
    "  Hint: choose another name; build expressions from symbols, "
    "1 / (3 * sympy.Symbol('nu') + ...), not from strings"
)
def expression_given_as_a_text() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("1/nu"))])  # here


@says(
    "{here}: 'a'' cannot be used as a name here: it is not a valid C++ identifier.\n"
    "  Hint: choose another name"
)
def local_that_is_no_name() -> None:
    kernel([Assignment(sympy.Symbol("a'"), p.here)])  # here


@says("{here}: 'e' is reduced with two different operations.\n  Hint: give each reduction its own name")
def reduced_in_two_ways() -> None:
    kernel(
        [
            Reduce("max", "e", p.here),
            Reduce("sum", "e", p.here),  # here
        ]
    )


REDUCTION = "{here}: 'e' names both a reduction and another quantity.\n  Hint: rename one of them"


@says(REDUCTION)
def reduction_called_like_a_parameter() -> None:
    kernel([Assignment(q.here, sympy.Symbol("e")), Reduce("max", "e", p.here)])  # here


@says(REDUCTION)
def local_called_like_a_reduction() -> None:
    kernel([Reduce("max", "e", p.here), Assignment(sympy.Symbol("e"), 1)])  # here


@says(REDUCTION)
def parameter_called_like_a_reduction() -> None:
    kernel([Reduce("max", "e", p.here), Assignment(q.here, sympy.Symbol("e"))])  # here


OWN = (
    "{here}: '%s' cannot be used as a name here: the emitted function uses this name.\n"
    "  Hint: choose another name"
)
NOT_C = (
    "{here}: '%s' cannot be used as a name here: it is not a valid C++ identifier.\n"
    "  Hint: choose another name"
)


@says(OWN % "precondition")
def parameter_called_like_what_an_entry_returns() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("precondition"))])  # here


@says(OWN % "k_f64")
def parameter_called_like_the_function() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("k_f64"))])  # here


@says(OWN % "k_f64_check")
def parameter_called_like_what_checks_arguments() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("k_f64_check"))])  # here


@says(OWN % "q_stride")
def parameter_called_like_a_stride_of_a_later_field() -> None:
    kernel([Assignment(t, p.here * sympy.Symbol("q_stride")), Assignment(q.here, t)])  # here


@says(
    "{here}: 'neighbour_run' cannot be used as a name here: emitted kernels over a list "
    "use this name.\n"
    "  Hint: choose another name"
)
def parameter_called_like_the_runs_of_a_list() -> None:
    kernel(lbm.AA(D2Q9)(lbm.BGK(D2Q9, "neighbour_run")), Sparse("fluid"))  # here


@says(NOT_C % "NULL")
def parameter_called_like_a_macro() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("NULL"))])  # here


@says(NOT_C % "INFINITY")
def parameter_called_like_a_number_of_the_library() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("INFINITY"))])  # here


@says(NOT_C % "M_PI")
def parameter_called_like_a_constant_of_the_library() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("M_PI"))])  # here


@says(NOT_C % "__x")
def parameter_called_as_compilers_call_theirs() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("__x"))])  # here
