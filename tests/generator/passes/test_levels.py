# SPDX-License-Identifier: Apache-2.0
"""Cells of the own column at levels that are known at run time: read, written, in the order of the model."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sympy
from heddle import (
    Assignment,
    If,
    Scan,
    Schedule,
    Strips,
    While,
    block_coordinates,
    block_extents,
    fields,
)
from heddle.halo.dense import exchanges
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, run
from heddle.ir.schedule import precision
from heddle.ir.visit import statements
from heddle.model.assignment import Statement
from models import levels_of_columns, levels_without_a_loop, model
from running import agree, levels

T, q, mass = fields("T, q, mass: real[3D]", ghost_layers=0)
kk, lower, found = sympy.symbols("kk lower found", integer=True)
z, n_z = block_coordinates()[2], block_extents()[2]


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("chosen", ["f64", "f32", "f16"])
@pytest.mark.parametrize("body", [levels_of_columns, levels_without_a_loop])
def test_every_pass_keeps_the_bits(body: Callable[[], list[Statement]], chosen: str, target: str) -> None:
    schedule = Schedule(cpu=Strips(4)) if body is levels_without_a_loop else None
    agree(model(body(), schedule), chosen, target, 6)


def column(body: list[Statement], target: str, **values: list[float]) -> tuple[int, dict[str, list[float]]]:
    """The status of a kernel of one column, and what its fields hold afterwards."""
    kernel = levels(model(body), "f64", target)[-1][1]
    height = len(next(iter(values.values())))
    arrays = {name: Array(list(v), 0, (1, 1, height), (1, 1, 1)) for name, v in values.items()}
    status = run(kernel, arrays, {}).status
    return status, {name: list(array.values) for name, array in arrays.items()}


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
def test_the_highest_level_and_the_next(target: str) -> None:
    """Melting as in WSM3: at the highest level that is warm, and at the one above it."""
    melting = [
        Scan(2, {kk: -1}, [], {kk: sympy.Piecewise((z, T.here >= 0), (kk, True))}),
        If(kk >= 0, [
            Assignment(q.at_level(kk), q.at_level(kk) - T.at_level(kk)),
            If(kk + 1 < n_z, [Assignment(q.at_level(kk + 1), 100 + q.at_level(kk))]),
        ]),
    ]  # fmt: skip
    given = [7.0, 8.0, 9.0, 10.0]
    for warm, expected in (
        ([-1.0, -1.0, -1.0, -1.0], given),
        ([2.0, -1.0, 3.0, -1.0], [7.0, 8.0, 6.0, 106.0]),
        ([2.0, 1.0, 3.0, 4.0], [7.0, 8.0, 9.0, 6.0]),
    ):
        status, result = column(melting, target, T=warm, q=given)
        assert (status, result["q"]) == (0, expected)


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
def test_a_search_that_moves_with_the_sweep(target: str) -> None:
    """The first level whose T is not below q, for rising q: each search begins where the last one ended."""
    search = While(
        sympy.And(found + 1 < n_z, T.at_level(found) < q.here),
        {found: lower},
        [],
        {found: found + 1},
        at_most=99,
    )
    body = [Scan(2, {lower: 0}, [search, Assignment(mass.here, found)], {lower: found})]
    heights, wanted = [1.0, 2.0, 4.0, 8.0, 9.0], [0.5, 1.5, 3.0, 3.5, 20.0]
    _, result = column(body, target, T=heights, q=wanted, mass=[0.0] * 5)
    assert result["mass"] == [next((k for k, h in enumerate(heights) if h >= w), 4) for w in wanted]


def test_the_reference_target_finds_levels_beyond_the_column() -> None:
    beside = [Scan(2, {kk: 0}, [], {kk: kk + 1})]
    for level, status in ((kk - 1, 0), (kk, -5), (kk - 4, -5)):
        for touch in (Assignment(q.at_level(level), 1), Assignment(q.at_level(0), q.at_level(level))):
            assert column([*beside, touch], "reference", q=[1.0, 2.0, 3.0], T=[0.0] * 3)[0] == status


def test_scans_that_meet_at_a_level_stay_apart() -> None:
    def scans(second: Scan) -> int:
        first = Scan(2, {kk: 0}, [Assignment(q.here, q.here + kk)], {kk: kk + 1})
        entry = model([first, second])
        agree(entry, "f64", "cpu", 3)
        fused = dict(levels(entry, "f64", "cpu"))["fuse_scans"]
        return sum(isinstance(statement, ir.Scan) for statement in statements(fused.body))

    assert scans(Scan(2, {}, [Assignment(T.here, q.here)], {})) == 1
    assert scans(Scan(2, {}, [Assignment(T.here, q.at_level(n_z - 1 - z))], {})) == 2
    assert scans(Scan(2, {}, [Assignment(q.at_level(n_z - 1 - z), q.here)], {})) == 2


def test_a_column_needs_no_halo() -> None:
    far = fields("far: real[3D]")
    beside = Scan(2, {}, [Assignment(q.here, q.here + far[1, 0, 0])], {})
    entry = model([Scan(2, {kk: 0}, [], {kk: kk + 1}), Assignment(q.at_level(kk - 1), 1), beside])
    before, after = exchanges(entry.typed(precision("f64")), "k")
    assert [field.name for field in before.fields] == ["far"]
    assert not after.fields
