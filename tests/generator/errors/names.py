# SPDX-License-Identifier: Apache-2.0
"""Names that stand for two things, or that C++ or the emitted function has a use for."""

from __future__ import annotations

from typing import Any

import sympy
from errors.cases import D2Q9, f, kernel, p, q, says, t
from heddle import (
    Assignment,
    If,
    Module,
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
    "{here}: 'new' cannot be used as a name here: C++, its headers or emitted files use this "
    "word themselves.\n"
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
    "{here}: '%s' cannot be used as a name here: C++, its headers or emitted files use this word "
    "themselves.\n"
    "  Hint: choose another name"
)


@says(OWN % "precondition")
def parameter_called_like_what_an_entry_returns() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("precondition"))])  # here


@says(OWN % "arrays")
def parameter_called_like_the_table_of_arrays() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("arrays"))])  # here


@says(OWN % "k_entry")
def parameter_called_like_what_all_entries_call() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("k_entry"))])  # here


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


@says(NOT_C % "RAND_MAX")
def parameter_called_like_a_number_of_another_header() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("RAND_MAX"))])  # here


@says(NOT_C % "ENOENT")
def parameter_called_like_an_error_of_the_system() -> None:
    kernel([Assignment(q.here, p.here * sympy.Symbol("ENOENT"))])  # here


@says(NOT_C % "__x")
def local_called_as_compilers_call_theirs() -> None:
    kernel([Assignment(sympy.Symbol("__x"), p.here), Assignment(q.here, 1)])  # here


NUMBER: Any = 3
NAME = "use letters, digits and _, begin with a letter, and leave out words of C++, such as 'new'"
KEPT = f"C++, its headers or emitted files use this word themselves.\n  Hint: {NAME}"
LONGER = "\n  Hint: choose a longer name in small letters, such as "
ALIKE = (
    "of module 'm'.\n"
    "  Hint: choose names that differ in more than case, underscores, the name of a target or 'parameters'"
)


@says(f"{{here}}: 'new' is not a valid kernel name: {KEPT}")
def kernel_called_like_a_keyword() -> None:
    Module("m").add("new", [Assignment(q.here, p.here)])  # here


@says(f"{{here}}: 'main' is not a valid kernel name: {KEPT}")
def kernel_called_like_a_program() -> None:
    Module("m").add("main", [Assignment(q.here, p.here)])  # here


@says(f"{{here}}: 3 is not a valid kernel name: it is not a string.\n  Hint: {NAME}")
def kernel_called_like_a_number() -> None:
    Module("m").add(NUMBER, [Assignment(q.here, p.here)])  # here


@says(f"{{here}}: 'std' is not a valid module name: {KEPT}")
def module_called_like_the_library() -> None:
    Module("std")  # here


@says(f"{{here}}: emitted files would use 'stepone' for 'stepone' and for the kernel 'stepOne' {ALIKE}")
def kernels_that_differ_in_case() -> None:
    made = Module("m")
    made.add("stepOne", [Assignment(q.here, p.here)])
    made.add("stepone", [Assignment(q.here, p.here)])  # here


@says(f"{{here}}: emitted files would use 'MyStep' for 'my_step' and for the kernel 'my__step' {ALIKE}")
def kernels_of_one_class() -> None:
    made = Module("m")
    made.add("my__step", [Assignment(q.here, p.here)])
    made.add("my_step", [Assignment(q.here, p.here)])  # here


@says(
    "{here}: emitted files would use 'StepParameters' for 'step_parameters' and for the kernel 'step' "
    + ALIKE
)
def kernel_called_like_the_parameters_of_another() -> None:
    made = Module("m")
    made.add("step", [Assignment(q.here, p.here)])
    made.add("step_parameters", [Assignment(q.here, p.here)])  # here


@says(f"{{here}}: emitted files would use 'step_cuda' for 'step_cuda' and for the kernel 'step' {ALIKE}")
def kernel_called_like_that_of_another_target() -> None:
    made = Module("m")
    made.add("step", [Assignment(q.here, p.here)])
    made.add("step_cuda", [Assignment(q.here, p.here)])  # here


@says(
    "{here}: 'K' cannot be the name of a kernel: emitted files would use 'K' for two things."
    + LONGER
    + "'k_kernel'"
)
def kernel_called_like_its_class() -> None:
    Module("m").add("K", [Assignment(q.here, p.here)])  # here


@says(
    "{here}: 't' cannot be the name of a kernel: emitted files would use 'T' for two things."
    + LONGER
    + "'t_kernel'"
)
def kernel_called_like_a_type() -> None:
    Module("m").add("t", [Assignment(q.here, p.here)])  # here


@says("{here}: 'm' has the precision f64 twice: f64, f32, f64/f64.\n  Hint: name each precision once")
def precision_given_twice() -> None:
    Module("m", precisions=("f64", "f32", "f64/f64"))  # here
