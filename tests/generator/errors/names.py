# SPDX-License-Identifier: Apache-2.0
"""Names that stand for two things, or that C++ or the emitted function has a use for."""

from __future__ import annotations

import sympy
from errors.cases import f, kernel, p, q, says, t
from heddle import (
    Assignment,
    If,
    Reduce,
    fields,
)


@says("{here}: 't' is assigned twice.\n  Hint: a symbol names one value; choose a second name")
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
    "{here}: 't' is assigned inside a condition or a scan and not known outside.\n"
    "  Hint: assign it before, with a Piecewise if it depends on the condition"
)
def used_outside_its_condition() -> None:
    inside = If(p.here > 0, [Assignment(t, 2), Assignment(f.here, t)])
    kernel([inside, Assignment(q.here, t)])  # here


@says("{here}: 'p' names a field and a local value.\n  Hint: rename one of them")
def local_called_like_a_field() -> None:
    kernel([Assignment(q.here, p.here), Assignment(sympy.Symbol("p"), 1)])  # here


@says("{here}: 'p' names a field and a scalar.\n  Hint: rename one of them")
def field_called_like_a_parameter() -> None:
    kernel(
        [
            Assignment(q.here, sympy.Symbol("p")),
            Assignment(f.here, p.here),  # here
        ]
    )


@says("{here}: 'p' names a field and a scalar.\n  Hint: rename one of them")
def parameter_called_like_a_field() -> None:
    kernel([Assignment(q.here, p.here), Assignment(f.here, sympy.Symbol("p"))])  # here


@says("{here}: two different fields are called 'p'.\n  Hint: rename one of them")
def two_fields_of_one_name() -> None:
    other = fields("p: float[2D]")
    kernel([Assignment(q.here, p.here + other.here)])  # here


@says("{here}: 'x' cannot be a name here: the emitted function uses it itself.\n  Hint: choose another name")
def parameter_called_like_a_coordinate() -> None:
    kernel([Assignment(q.here, sympy.Symbol("x") * p.here)])  # here


@says(
    "{here}: 'n_x' cannot be a name here: the emitted function uses it itself.\n  Hint: choose another name"
)
def local_called_like_an_extent() -> None:
    kernel([Assignment(sympy.Symbol("n_x"), 1), Assignment(q.here, 1)])  # here


@says(
    "{here}: 'p_stride' cannot be a name here: the emitted function uses it "
    "itself.\n  Hint: choose another name"
)
def parameter_called_like_a_stride() -> None:
    kernel([Assignment(q.here, p.here), Assignment(f.here, sympy.Symbol("p_stride"))])  # here


@says(
    "{here}: 'stream' cannot be a name here: the emitted function uses it "
    "itself.\n  Hint: choose another name"
)
def parameter_called_like_the_stream() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("stream"))])  # here


@says("{here}: 'new' cannot be a name here: C++ does not take it.\n  Hint: choose another name")
def parameter_called_like_a_keyword() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("new"))])  # here


@says("{here}: 'a'' cannot be a name here: C++ does not take it.\n  Hint: choose another name")
def local_that_is_no_name() -> None:
    kernel([Assignment(sympy.Symbol("a'"), p.here)])  # here


@says("{here}: 'e' is reduced in two ways.\n  Hint: give each reduction a name of its own")
def reduced_in_two_ways() -> None:
    kernel(
        [
            Reduce("max", "e", p.here),
            Reduce("sum", "e", p.here),  # here
        ]
    )


REDUCTION = "{here}: 'e' names a reduction and another quantity.\n  Hint: rename one of them"


@says(REDUCTION)
def reduction_called_like_a_parameter() -> None:
    kernel([Assignment(q.here, sympy.Symbol("e")), Reduce("max", "e", p.here)])  # here


@says(REDUCTION)
def local_called_like_a_reduction() -> None:
    kernel([Reduce("max", "e", p.here), Assignment(sympy.Symbol("e"), 1)])  # here


@says(REDUCTION)
def parameter_called_like_a_reduction() -> None:
    kernel([Reduce("max", "e", p.here), Assignment(q.here, sympy.Symbol("e"))])  # here
