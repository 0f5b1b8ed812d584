# SPDX-License-Identifier: Apache-2.0
"""Arrays that become several fields, rows of variable length, elements at numbers: natively the same bits as
the loops. What a sum over sizes says of parts is what it must say, no less."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from heddle.ir import nodes as ir
from heddle.ir.visit import statements
from heddle.lift.array_parts import Box, sentences
from heddle.lift.front_end import read
from heddle.lift.kernels import find, lifted
from heddle.lift.lifted import Lifted
from heddle.lift.polynomial import Polynomial, atom, polynomial
from heddle.lift.single_nests import each_nest, nest_at
from natively import Case, Natively

SIZES = {"nx": 9, "ny": 6, "d": 3}
CASES = {
    "mirror_rows": Case(
        "void mirror_rows(double* t, int nx, int ny, int d) { for (int g = 0; g < d; ++g)"
        " for (int i = 0; i < nx; ++i) t[(3 - g) * nx + i] = -t[(4 + g) * nx + i]; }",
        SIZES,
        {"t": 90},
    ),
    "mirror_columns": Case(
        "void mirror_columns(double* t, double* u, int nx, int ny, int d) { for (int j = 0; j < ny; ++j)"
        " for (int g = 0; g < d; ++g) { t[j * (nx + 2 * d) + d - 1 - g] = t[j * (nx + 2 * d) + d + g];"
        " u[j * d + g] = t[j * (nx + 2 * d) + d + 1 + g]; } }",
        SIZES,
        {"t": 90, "u": 200},
    ),
    "faces": Case(
        "void faces(double* q, int nx, int ny, int d) { for (int k = 0; k < d; ++k)"
        " for (int j = 0; j < ny; ++j) {"
        " q[(k * ny + j) * nx] = q[(k * ny + j) * nx + nx - 2];"
        " q[(k * ny + j) * nx + nx - 1] = q[(k * ny + j) * nx + 1]; } }",
        SIZES,
        {"q": 162},
    ),
    "turned": Case(
        "void turned(float* rows, float* columns, int nx, int ny) { for (int j = 0; j < ny; ++j)"
        " for (int i = 0; i < nx; ++i)"
        " columns[i * ny + j] = rows[j * nx + i] + 0.5f * rows[(ny - 1 - j) * nx + nx - 1 - i]; }",
        {"nx": 9, "ny": 6},
        {"rows": 54, "columns": 54},
    ),
    "numbers": Case(
        "void numbers(double* c, double* v, int nx, int d) { for (int i = 0; i < nx; ++i)"
        " v[i] = c[40] * v[i] + c[3] + c[d * 16 - 1]; }",
        {"nx": 9, "d": 3},
        {"c": 50, "v": 9},
    ),
    "gathers": Case(
        "void gathers(double* u, int* at, double* v, int nx) { for (int i = 0; i < nx; ++i)"
        " v[i] = u[2 * i] - u[at[i] & 7]; }",
        {"nx": 9},
        {"u": 40, "at": 9, "v": 9},
    ),
    "variable_rows": Case(
        "void variable_rows(double* p, double* q, int nx, int ny) { for (int j = 1; j < ny; ++j)"
        " for (int i = 0; i < nx - 1; ++i) q[j * nx + i] = p[(j - 1) * nx + i] * p[j * nx + i + 1]; }",
        {"nx": 9, "ny": 6},
        {"p": 54, "q": 54},
    ),
}
IN_C = (
    "void variable_rows(void* p, void* q, int nx, int ny) {\n"
    "  double (*a)[nx] = p; double (*b)[nx] = q; int i, j;\n"
    "  for (j = 1; j < ny; ++j) for (i = 0; i < nx - 1; ++i) b[j][i] = a[j - 1][i] * a[j][i + 1];\n}\n"
)


def variable_rows(folder: Path) -> Lifted:
    path = folder / "input.c"
    path.write_text(IN_C)
    unit = read(path)
    return nest_at(unit, find(unit, "variable_rows"), 3)


@pytest.fixture(scope="module")
def natively(tmp_path_factory: pytest.TempPathFactory) -> Natively:
    folder = tmp_path_factory.mktemp("parts")
    return Natively(folder, CASES, {"variable_rows": variable_rows(folder)})


@pytest.mark.compiles
@pytest.mark.parametrize("name", CASES)
def test_the_kernel_does_what_the_loop_does(name: str, natively: Natively) -> None:
    assert natively.differences(name) == []


X, Y, N, M = (ir.Symbol(name, ir.I32) for name in "ijnm")
i, j, n, m = map(atom, (X, Y, N, M))
ZERO = polynomial(0)
PLACES = {
    "layers that do not meet": (i + n * (-j + 3), i + n * (j + 4), []),
    "layers that meet in the first": (i + n * (-j + 3), i + n * (j + 3), None),
    "layers that cross": (i + n * (-j + 5), i + n * (j + 4), None),
    "columns of long rows": (-j + 2 + n * 2 * i, j + 3 + n * 2 * i, ["n - m is at least 0"]),
    "an unknown distance": (i + n * j, i + n * j + atom(ir.Symbol("far", ir.I32)), None),
    "one block behind another": (i + n * j, i + n * j + n * m, []),
    "one block into another": (i + n * j, i + n * j + n * m - n, None),
    "both ends of a row": (n * i, n * i + n - 1, ["n is at least 2"]),
    "a corner of the block": (i + n * j, polynomial(2), None),
    "an element behind the block": (i + n * j, n * m + 2, ["n is at least 3"]),
}


@pytest.mark.parametrize("name", PLACES)
def test_parts_of_an_array_are_apart(name: str) -> None:
    """Counters i from 0 to n and j from 0 to m. What is claimed is tried for small sizes."""
    one, other, expected = PLACES[name]
    box = Box((X, Y), ((ZERO, n), (ZERO, m)), frozenset({N, M}))
    found = box.apart(one, other)
    assert (None if found is None else sentences(found)) == expected
    if found is None:
        return
    for sizes in itertools.product(range(1, 6), repeat=2):
        values = {N: polynomial(sizes[0]), M: polynomial(sizes[1])}
        if all((value.substitute(values).constant or 0) >= 1 for value in found):
            elements = [_elements(index, values, sizes) for index in (one, other)]
            assert elements[0].isdisjoint(elements[1]), sizes


def _elements(
    index: Polynomial, values: dict[ir.Expression, Polynomial], sizes: tuple[int, int]
) -> set[int | None]:
    return {
        index.substitute({**values, X: polynomial(x), Y: polynomial(y)}).constant
        for x in range(sizes[0])
        for y in range(sizes[1])
    }


def test_a_row_keeps_its_length_where_a_nest_is_cut_out(tmp_path: Path) -> None:
    path = tmp_path / "input.c"
    path.write_text(
        "extern void show(void);\nvoid outer(void* p, int n, int k) {\n"
        "  double (*a)[k] = p; k = k + 1; show();\n"
        "  for (int j = 0; j < n; ++j) for (int i = 0; i < 3; ++i) a[j][i] = 0;\n}\n"
    )
    unit = read(path)
    (found,) = each_nest(unit, find(unit, "outer"), lambda nest: nest)
    assert "The length of a row is computed from 'k', which changes in the function." in str(found)


def test_a_block_has_its_own_variables(tmp_path: Path) -> None:
    """What is constant in one block is a value there, though another block assigns a variable of its name."""
    path = tmp_path / "input.cpp"
    path.write_text(
        "void f(double* a, int n) { for (int i = 0; i < n; ++i) { { const double x = a[i]; a[i] = x * x; }\n"
        "  { double x = a[i]; x = x + 1; a[i] = x; } } }\n"
    )
    body = tuple(statements(lifted(read(path), "f").body))
    assert [type(s) for s in body if isinstance(s, (ir.Let, ir.Var))] == [ir.Let, ir.Var]


def test_openmp_has_a_header(tmp_path: Path) -> None:
    path = tmp_path / "input.c"
    path.write_text(
        "#include <omp.h>\nvoid f(double* a, int n) {\n  double t = omp_get_wtime();\n"
        "  for (int i = 0; i < n; ++i) a[i] = 1;\n  a[0] = omp_get_wtime() - t;\n}\n"
    )
    unit = read(path)
    assert nest_at(unit, find(unit, "f"), 4).parameters
