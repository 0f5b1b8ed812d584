# SPDX-License-Identifier: Apache-2.0
"""A nest of a function by itself does natively what a function of that nest alone does, bit for bit; what
cannot be cut out without a change of meaning is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from heddle.errors import KernelError
from heddle.ir import source
from heddle.lift.front_end import read
from heddle.lift.kernels import find
from heddle.lift.lifted import Lifted
from heddle.lift.raise_accesses import raise_accesses
from heddle.lift.single_nests import each_nest, nest_at
from natively import Case, Natively

LOOP = "for (i = 0; i < n; ++i)"
GIVEN = {"scalars": {"n": 29}, "arrays": {"a": 29, "b": 29}}
# The function that holds the nest, at line 3, and the same nest alone.
CASES = {
    "between_calls": (
        "extern void fill(double*, int); extern void show(const double*);\n"
        "void outer(double* a, double* b, int n) { int i; fill(b, n);\n"
        "  for (i = 0; i < n; ++i)\n    a[i] = 2 * b[i];\n  show(a); }",
        Case(
            "void between_calls(double* a, double* b, int n) {"
            " for (int i = 0; i < n; ++i) a[i] = 2 * b[i]; }",
            **GIVEN,
        ),
    ),
    "temporaries_of_the_function": (
        "extern void show(const double*, int);\n"
        "void outer(double* a, double* b, int n) { int i, k; double t, s; show(a, n); k = 0;\n"
        f"  {LOOP} {{ t = b[i]; s = t * t; if (s > 1) {{ k = i; s = t; }} a[i] = s + t; }}\n"
        "  show(b, 1); }",
        Case(
            "void temporaries_of_the_function(double* a, double* b, int n) { for (int i = 0; i < n; ++i) {"
            " double t = b[i], s = t * t; if (s > 1) s = t; a[i] = s + t; } }",
            **GIVEN,
        ),
    ),
    "an_index_in_steps": (
        "extern void show(const double*);\n"
        "void outer(double* a, double* b, int n, int m) { int i, j, at; show(b);\n"
        "  for (j = 0; j < m; ++j) for (i = 0; i < n; ++i) {"
        " at = j * n; at = at + i; a[at] = b[at]; at += 1; a[at - 1] += b[at]; }\n"
        "  show(a); }",
        Case(
            "void an_index_in_steps(double* a, double* b, int n, int m) { for (int j = 0; j < m; ++j)"
            " for (int i = 0; i < n; ++i) { a[j * n + i] = b[j * n + i];"
            " a[j * n + i] += b[j * n + i + 1]; } }",
            {"n": 7, "m": 5},
            {"a": 35, "b": 36},
        ),
    ),
    "a_bound_behind_a_pointer": (
        "extern void show(const double*);\n"
        "void outer(double* a, double* b, const int* size) { int i; show(b);\n"
        "  for (i = *size; i < size[1]; ++i) a[i] = b[i] + 1;\n  show(a); }",
        Case(
            "void a_bound_behind_a_pointer(double* a, double* b, int size_0, int size_1)"
            " { for (int i = size_0; i < size_1; ++i) a[i] = b[i] + 1; }",
            {"size_0": 3, "size_1": 20},
            {"a": 29, "b": 29},
        ),
    ),
    "a_value_from_before": (
        "extern double level(void); extern void show(double);\n"
        "void outer(double* a, double* b, int n) { int i; double c = level(); const int m = n - 2; show(c);\n"
        "  for (i = 2; i < m; ++i) a[i] = c * b[i + 1];\n  c = 0; show(c); }",
        Case(
            "void a_value_from_before(double* a, double* b, int n, double c)"
            " { const int m = n - 2; for (int i = 2; i < m; ++i) a[i] = c * b[i + 1]; }",
            {"n": 29, "c": 0.3},
            {"a": 29, "b": 29},
        ),
    ),
    "rows_by_a_cast": (
        "extern void show(const double*);\n"
        "void outer(double* p, double* q, int n) { int i, j; double (*a)[11] = (double (*)[11])p; show(q);\n"
        "  for (j = 0; j < n; ++j) for (i = 0; i < 11; ++i) a[j][i] = ((double (*)[11])q)[j][i] * 3;\n"
        "  show(p); }",
        Case(
            "void rows_by_a_cast(double* p, double* q, int n)"
            " { for (int j = 0; j < n; ++j)"
            " for (int i = 0; i < 11; ++i) p[11 * j + i] = q[11 * j + i] * 3; }",
            {"n": 5},
            {"p": 55, "q": 55},
        ),
    ),
    "once": (
        "#define TWICE(x, y) do { double u = y; x = 2 * u; } while (0)\n"
        "void outer(double* a, double* b, int n) { int i;\n"
        f"  {LOOP} do {{ TWICE(a[i], b[i]); }} while (0);\n}}",
        Case(
            "void once(double* a, double* b, int n) { for (int i = 0; i < n; ++i) a[i] = 2 * b[i]; }",
            **GIVEN,
        ),
    ),
    "in_a_while_loop": (
        "extern bool more(double*);\n"
        "void outer(double* a, double* b, int n) { int i; double t; while (more(b)) {\n"
        f"  {LOOP} {{ t = b[i]; a[i] = t + t; }}\n  }} }}",
        Case(
            "void in_a_while_loop(double* a, double* b, int n)"
            " { for (int i = 0; i < n; ++i) a[i] = b[i] + b[i]; }",
            **GIVEN,
        ),
    ),
    "members_of_what_a_pointer_points_to": (
        "struct Grid { int n; struct { double w; double* data; } in; }; extern void show(const Grid*);\n"
        "void outer(Grid* g, double* a) { int i; show(g);\n"
        "  for (i = 0; i < g->n; ++i) a[i] = g->in.w * g->in.data[i];\n  show(g); }",
        None,
    ),
}
OBJECTS = {
    "moved_objects": (
        "struct P { double x, y, kind; struct { double m; } in; };\nvoid outer(P* p, double dt, int n) {\n"
        "  for (int i = 0; i < n; ++i) if (p[i].kind > 0) { p[i].x += dt * p[i].in.m; p[i].y = p[i].x; }\n}",
        Case(
            "struct P { double x, y, kind; struct { double m; } in; };\n"
            "void moved_objects(double* p, double dt, int n) { P* q = (P*)p;"
            " for (int i = 0; i < n; ++i) if (q[i].kind > 0) "
            " { q[i].x += dt * q[i].in.m; q[i].y = q[i].x; } }",
            {"dt": 0.3, "n": 13},
            {"p": 52},
            {"p.of_f64": ("p", 0)},
        ),
    ),
    "cells_of_a_lattice": (
        "struct Cell { double f[9]; };\nvoid outer(Cell* c, Cell* d, int nx, int ny) { int i, j, k;\n"
        "  for (j = 1; j < ny; ++j) for (i = 0; i < nx; ++i) for (k = 1; k < 9; ++k)"
        " c[i + j * nx].f[k] = 2 * d[i + (j - 1) * nx].f[9 - k];\n}",
        Case(
            "void cells_of_a_lattice(double* c, double* d, int nx, int ny) {"
            " for (int j = 1; j < ny; ++j) for (int i = 0; i < nx; ++i) for (int k = 1; k < 9; ++k)"
            " c[9 * (i + j * nx) + k] = 2 * d[9 * (i + (j - 1) * nx) + 9 - k]; }",
            {"nx": 5, "ny": 4},
            {"c": 180, "d": 180},
            {"c.of_f64": ("c", 0), "d.of_f64": ("d", 0)},
        ),
    ),
}
CASES |= OBJECTS
REFUSED = {
    "one object and many": (
        "struct P { double x; };\nvoid outer(P* p, int n) {\n  for (int i = 0; i < n; ++i) p[i].x = p->x;\n}",
        "'p.x' belongs to one object here, and elsewhere to one of an array.",
    ),
    "objects of numbers of different types": (
        "struct P { double x; int k; };\nvoid outer(P* p, int n) {\n"
        "  for (int i = 0; i < n; ++i) if (p[i].k) p[i].x = 1;\n}",
        "Objects of 'p' are written that contain numbers of different types, f64 and i32.",
    ),
    "members that share memory": (
        "union U { double x; int k; };\nvoid outer(U* u, int n) {\n"
        "  for (int i = 0; i < n; ++i) u[i].x = u[i].k;\n}",
        "The member 'k' belongs to",
    ),
    "what is read later in the function and carried from cell to cell": (
        "extern void show(double);\nvoid outer(double* a, double* b, int n) { int i; double last = 0;\n"
        f"  {LOOP} {{ a[i] = last + b[i]; last = b[i]; }}\n  show(last); }}",
        "The last value of 'last' is stored",
    ),
    "two names of one array": (
        "extern void show(double*);\nvoid outer(double* a, double* b, int n) { int i; double* c = a + n;"
        " show(c); c = c - 1;\n"
        f"  {LOOP} a[i] = c[i];\n  show(a); }}",
        "'a' and 'c' may point into the same array.",
    ),
    "a name of an element": (
        "extern double& find(double*);\nvoid outer(double* a, double* b, int n)"
        " { int i; double& r = find(b);\n"
        f"  {LOOP} a[i] = r;\n  r = 1; }}",
        "'r' is another name of something that the loop cannot see.",
    ),
    "a variable that somebody knows": (
        "extern void change(double&); extern double show();\nvoid outer(double* a, double* b, int n)"
        " { int i; double s = 0; change(s);\n"
        f"  {LOOP} s += b[i];\n  a[0] = show(); }}",
        "'s' is changed in the loop, and may be known elsewhere by its address.",
    ),
    "a variable that a pointer points to": (
        "void outer(double* a, double* b, int n) { int i; double s = b[0]; double* p = &s;\n\n"
        f"  {LOOP} {{ p[i] = 1; a[i] = s; }}\n}}",
        "'s' is used in the loop, and a pointer or a reference may point to it.",
    ),
    "a sum that a label in a block leads into": (
        "extern bool more();\nvoid outer(double* a, double* b, int n) { double s; s = 0; { again: more(); }\n"
        "  for (int k = 0; k < n; ++k) s += b[k];\n  if (more()) goto again; a[0] = s; }",
        "The sum 's' does not start at 0.",
    ),
    "a sum that a label leads into": (
        "extern bool more();\nvoid outer(double* a, double* b, int n) { int i; double s;"
        " s = 0; again: more();\n"
        "  for (int k = 0; k < n; ++k) s += b[k];\n  if (more()) goto again; a[0] = s; }",
        "The sum 's' does not start at 0.",
    ),
    "a do loop that is left early": (
        "void outer(double* a, double* b, int n) { int i;\n\n"
        f"  {LOOP} do {{ if (b[i] > 0) break; a[i] = 1; }} while (0);\n}}",
        "There is a do loop here",
    ),
    "floats that are cast to doubles": (
        "void outer(float* a, double* b, int n) { int i; double* c = (double*)(void*)a;\n\n"
        f"  {LOOP} b[i] = c[i];\n}}",
        "'a' points to numbers of type f32, and is read as f64.",
    ),
}


def nest(text: str, path: Path, name: str = "outer") -> Lifted:
    path.write_text(text.replace("outer(", f"{name}(") + "\n")
    unit = read(path)
    return nest_at(unit, find(unit, name), 3)


@pytest.fixture(scope="module")
def natively(tmp_path_factory: pytest.TempPathFactory) -> Natively:
    folder = tmp_path_factory.mktemp("nests")
    cases = {name: case for name, (_, case) in CASES.items() if case is not None}
    nests = {name: nest(CASES[name][0], folder / f"{name}.cpp", f"in_{name}") for name in cases}
    return Natively(folder, cases, nests)


@pytest.mark.compiles
@pytest.mark.parametrize("name", [name for name, (_, case) in CASES.items() if case is not None])
def test_a_nest_does_what_it_does_alone(name: str, natively: Natively) -> None:
    assert natively.differences(name) == []


def test_members_become_arguments(tmp_path: Path) -> None:
    text, _ = CASES["members_of_what_a_pointer_points_to"]
    (kernel,) = raise_accesses(nest(text, tmp_path / "input.cpp"))
    assert [str(extent) for extent in kernel.extents] == ["g.n"]
    assert set(kernel.sources.values()) == {"a", "g.in.data", "g.in.w"}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_change_its_meaning_is_refused(name: str, tmp_path: Path) -> None:
    text, reason = REFUSED[name]
    with pytest.raises(KernelError) as caught:
        raise_accesses(nest(text, tmp_path / "input.cpp"))
    assert caught.value.what.startswith(reason)
    assert caught.value.hint


def test_inner_loops_are_tried_where_a_nest_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "input.cpp"
    path.write_text(
        "extern void show(double);\n"
        "void f(double* a, double* b, int n, int m) {\n"
        "  for (int j = 0; j < m; ++j) {\n"
        "    show(a[j]);\n"
        "    for (int i = 0; i < n; ++i) a[i] = b[i] + j;\n"
        "    for (int i = 0; i < n; ++i) show(b[i]);\n"
        "  }\n"
        "  for (int i = 0; i < n; ++i) show(b[i]);\n"
        "}\n"
    )
    unit = read(path)
    found = each_nest(unit, find(unit, "f"), raise_accesses)
    lines = [each.where.line if isinstance(each, KernelError) else each[0].place.line for each in found]
    assert lines == [5, 6, 8]
    assert [isinstance(each, KernelError) for each in found] == [False, True, True]
    assert not isinstance(found[0], KernelError)
    assert found[0][1][0].kernel.name == "f_1"


def test_a_line_without_a_loop_names_those_with_one(tmp_path: Path) -> None:
    path = tmp_path / "input.cpp"
    path.write_text("void f(double* a, int n) {\n  for (int i = 0; i < n; ++i)\n    a[i] = 1;\n}\n")
    unit = read(path)
    with pytest.raises(KernelError, match="no loop that begins at this line") as caught:
        nest_at(unit, find(unit, "f"), 3)
    assert caught.value.hint == "loops begin at the lines 2"


def test_what_does_not_compile_is_left_out(tmp_path: Path) -> None:
    """Errors in the body of a function change nothing elsewhere; others may."""
    path = tmp_path / "input.cpp"
    good = "void f(double* a, int n) { for (int i = 0; i < n; ++i) a[i] = 1; }\n"
    path.write_text(good + "void g() { unknown(1); }\n")
    unit = read(path, partly=True)
    assert len(raise_accesses(nest_at(unit, find(unit, "f"), 1))) == 1
    assert find(unit, "g").body == (
        source.UnknownStatement("code that Clang cannot compile", find(unit, "g").place),
    )
    for text in (
        good + "void g(Unknown);\n",
        '#include "missing.h"\n' + good,
        good + "void g() { unknown(1); }\n",
    ):
        path.write_text(text)
        with pytest.raises(KernelError):
            read(path, partly="unknown(" not in text)
