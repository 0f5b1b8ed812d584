# SPDX-License-Identifier: Apache-2.0
"""How far the check of an entry says that a kernel reaches beyond the interior."""

from __future__ import annotations

import pytest
import sympy
from heddle import Assignment, If, Module, Scan, block_coordinates, fields
from heddle.emit.signature import Reach, arguments
from heddle.model.assignment import Statement

u, v = fields("u, v: real[3D]", ghost_layers=2)
_, _, z = block_coordinates()
below, above = u[0, 0, -1], u[0, 0, 2]
carried = sympy.Symbol("carried")

KERNELS: dict[str, tuple[list[Statement], Reach]] = {
    "a stencil": ([Assignment(v.here, below + above)], Reach((0, 0, 1), (0, 0, 2))),
    "the cell itself": ([Assignment(v.here, u.here)], Reach()),
    "what a condition guards": ([If(z > 0, [Assignment(v.here, below)])], Reach()),
    "the condition itself": ([If(below > 0, [Assignment(v.here, above)])], Reach((0, 0, 1), (0, 0, 0))),
    "a choice": (
        [Assignment(v.here, sympy.Piecewise((below, above > 0), (u.here, True)))],
        Reach((0, 0, 0), (0, 0, 2)),
    ),
    "the second of two conditions": ([If(sympy.And(z > 0, below > 0), [Assignment(v.here, 1)])], Reach()),
    "a sweep": (
        [Scan(2, {carried: 0}, [Assignment(v.here, carried)], {carried: below})],
        Reach((0, 0, 1), (0, 0, 0)),
    ),
}


@pytest.mark.parametrize("kind", KERNELS)
def test_only_what_every_cell_accesses_counts(kind: str) -> None:
    statements, expected = KERNELS[kind]
    module = Module("reach")
    module.add("k", statements)
    arrays = {a.name: a for a in arguments(module.typed("k", "f64")) if a.role == "array"}
    assert arrays["u"].reach == expected
