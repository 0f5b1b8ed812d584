# SPDX-License-Identifier: Apache-2.0
"""The sparse LU factorisation: its order and fill, and its residual."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from heddle.chemistry.kinetics import Kinetics
from heddle.chemistry.mechanisms import cb05
from heddle.chemistry.sparse_lu import LUCost, SparseLU
from heddle.model.assignment import Assignment, Section
from heddle.model.equations import Equations, local


def test_an_arrow_has_no_fill() -> None:
    """Its full row and column wait until one other is left, wherever they stand."""
    size = 9
    arrow = {(i, i) for i in range(size)} | {(0, i) for i in range(size)} | {(i, 0) for i in range(size)}
    lu = SparseLU(size, arrow)
    assert lu.order[-2:] == [0, 8]
    assert set(lu.earlier) == arrow
    assert lu.cost == LUCost(entries=25, factor=3 * 8 + 9, solve=2 * 16 + 9, levels=3)


def test_a_ring_fills() -> None:
    """In natural order 0, 1, 2 of a ring of 4: the places (1, 3) and (3, 1)."""
    ring = {(i, i) for i in range(4)} | {(i, (i + d) % 4) for i in range(4) for d in (1, 3)}
    lu = SparseLU(4, ring)
    assert set(lu.earlier) - ring == {(1, 3), (3, 1)}


@pytest.mark.parametrize("how", ["factors", "once", "kept"])
@pytest.mark.parametrize("seed", [0, 1])
def test_residual_of_cb05(seed: int, how: str) -> None:
    """With factors that have names, eliminated together with the right-hand side, and kept row by row."""
    kinetics = Kinetics(cb05())
    size, places = len(kinetics.species), sorted(kinetics.pattern)
    generator = np.random.default_rng(seed)
    matrix = np.zeros((size, size))
    for place in places:
        matrix[place] = generator.normal() * 10 ** generator.uniform(-6, 0)
    matrix += np.diag(1 + np.sum(np.abs(matrix), axis=1))
    right = generator.normal(size=size)
    cell, lu = Equations(), SparseLU(size, kinetics.pattern)
    entries: dict[tuple[int, int], sympy.Expr] = {(i, j): local(f"a_{i}_{j}") for i, j in places}
    unknown = [local(f"b_{i}") for i in range(size)]
    if how == "once":
        solution = lu.solve_once(cell, entries, unknown, kinetics.names)
    elif how == "kept":
        factor: dict[tuple[int, int], sympy.Expr] = {}
        lu.eliminate_by_rows(cell, entries, kinetics.names, factor.__setitem__)
        assert sorted(factor) == sorted(lu.places)
        solution = lu.solve_kept(cell, factor, unknown, kinetics.names)
    else:
        solution = lu.factorise(cell, entries, kinetics.names)(cell, unknown, "x")
    said = "; 735 entries, 4429 operations, 15 levels"
    assert [s.text.endswith(said) for s in cell.statements if isinstance(s, Section)] == [True]
    known = {f"a_{i}_{j}": matrix[i, j] for i, j in places} | {f"b_{i}": right[i] for i in range(size)}
    for statement in cell.statements:  # one after the other, in double precision
        if isinstance(statement, Assignment):
            known[statement.target.name] = eval(sympy.pycode(statement.value), {}, known)
    found = np.array([known[value.name] for value in solution])
    residual = np.abs(matrix @ found - right) / (np.abs(matrix) @ np.abs(found) + np.abs(right))
    assert np.max(residual) < 2e-15


def test_a_kept_entry_is_read_once_in_the_order_of_memory() -> None:
    """The solution of CB05, statement by statement; 1/u_ii is the last of its row."""
    kinetics = Kinetics(cb05())
    size = len(kinetics.species)
    cell, lu = Equations(), SparseLU(size, kinetics.pattern)
    number = {place: n for n, place in enumerate(lu.places)}
    factor: dict[tuple[int, int], sympy.Expr] = {place: local(f"a_{n}") for place, n in number.items()}
    lu.solve_kept(cell, factor, [local(f"b_{i}") for i in range(size)], kinetics.names)
    read: list[int] = []
    for statement in cell.statements:
        if isinstance(statement, Assignment):
            read += sorted(number[p] for p, name in factor.items() if name in statement.value.free_symbols)
    assert read == list(range(735))
