# SPDX-License-Identifier: Apache-2.0
"""Reductions over rows: the order that the model language promises, after every pass."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import sympy
from heddle import Module, Reduce, Scan, Schedule, Threads, fields
from heddle.build import files, write
from heddle.ir import nodes as ir
from heddle.ir.interpret import run
from heddle.ir.visit import statements
from heddle.roundtrip.report import proved
from models import model, row_reductions
from running import agree, levels, memory

BLOCK = Schedule(gpu=Threads(block=(96, 1, 1)))
ROWS = Schedule(gpu=Threads(block=(32, 4, 1)))  # each warp has a row


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("chosen", ["f64", "f32", "f32/f64"])
@pytest.mark.parametrize("schedule", [BLOCK, ROWS], ids=["block", "warps"])
def test_every_pass_keeps_the_bits(schedule: Schedule, chosen: str, target: str) -> None:
    agree(model(row_reductions(), schedule), chosen, target, 3)


def by_halves(values: np.ndarray) -> np.ndarray:
    """32 numbers become one."""
    while len(values) > 1:
        values = values[: len(values) // 2] + values[len(values) // 2 :]
    return values[0]


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("n_x", [1, 31, 32, 33, 75])
def test_tiles_by_halves_and_then_in_order(n_x: int, target: str) -> None:
    """What NumPy makes of the same numbers: tiles of 32, filled up with -0, by halves; then one after the
    other."""
    u, total = fields("u, total: real[2D]", ghost_layers=0)
    kernel = levels(model([Reduce("sum", total.of_row(), u.here * u.here)], BLOCK), "f64", target)[-1][1]
    arrays = memory(kernel, (n_x, 3), random.Random(n_x), plain=True)
    given = np.reshape(arrays["u"].values, (3, n_x))
    run(kernel, arrays)
    for row, found in zip(given, np.reshape(arrays["total"].values, (3, n_x))[:, 0], strict=True):
        squares = np.concatenate([row * row, np.full(-n_x % 32, -0.0)])
        tiles = [by_halves(squares[begin : begin + 32]) for begin in range(0, len(squares), 32)]
        expected = tiles[0]
        for tile in tiles[1:]:
            expected = expected + tile
        assert found == expected


def test_one_loop_over_tiles_and_no_work_array() -> None:
    """A column of the rows of all levels takes memory for its lanes and no more."""
    r = sympy.Symbol("r")
    u, total = fields("u, total: real[3D]")
    sweep = [Scan(2, {r: 0}, [Reduce("sum", total.of_row(), r)], {r: r + u.here})]
    kernel = levels(model(sweep), "f64", "cpu")[-1][1]
    assert {s.symbol.name: s.length for s in statements(kernel.body) if isinstance(s, ir.Local)} == {
        "r_lanes": 32,
        "total_run": 32,
    }
    assert not kernel.outputs


def test_blocks_with_several_rows_are_proved(tmp_path: Path) -> None:
    made = Module("rows", precisions=("f64",))
    made.add("rows", row_reductions(), schedule=ROWS)
    write(files(made, ["cuda"]), tmp_path)
    assert [verdict.problem for verdict in proved(made, ["cuda"], tmp_path)] == [""]
    entry = tmp_path / "rows" / "rows.cu"
    text = entry.read_text().replace("dim3(32, 4, 1)", "dim3(64, 2, 1)")
    assert text != entry.read_text()
    entry.write_text(text)
    assert any(verdict.problem for verdict in proved(made, ["cuda"], tmp_path))
