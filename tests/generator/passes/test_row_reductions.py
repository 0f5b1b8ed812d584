# SPDX-License-Identifier: Apache-2.0
"""Reductions over rows: the order that the model language promises, after every pass."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import numpy as np
import pytest
import sympy
from compiled import Library, Memory, call
from heddle import Module, Reduce, Scan, Schedule, Threads, fields
from heddle.build import files, write
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, run
from heddle.ir.visit import statements
from heddle.roundtrip.report import proved
from models import model, row_reductions
from running import agree, levels, memory

BLOCK = Schedule(gpu=Threads(block=(96, 1, 1)))
ROWS = Schedule(gpu=Threads(block=(32, 4, 1)))  # each warp has a row
HALVES = Schedule(gpu=Threads(block=(16, 8, 1)))  # each half of a warp has a row
PIECES = Schedule(gpu=Threads(block=(64, 1, 1), row_pieces=True))
WARP_PIECES = Schedule(gpu=Threads(block=(32, 4, 1), row_pieces=True))


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("chosen", ["f64", "f32", "f32/f64"])
@pytest.mark.parametrize(
    "schedule", [BLOCK, ROWS, HALVES, PIECES], ids=["block", "warps", "halves", "pieces"]
)
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


@pytest.mark.parametrize("threads", [96, 320])
def test_more_results_than_wait_at_once(tmp_path: Path, threads: int) -> None:
    """64 results wait together, or 51 of rows of ten warps; here are 130 per row, of two operations."""
    u, total, most = fields("u, total, most: real[3D]", ghost_layers=0)
    n_z, n_y, n_x = 65, 2, threads - 5
    made = Module("rows", precisions=("f64",))
    sweep = Scan(
        2,
        {sympy.Symbol("r"): 0},
        [
            Reduce("sum", total.of_row(), u.here + sympy.Symbol("r")),
            Reduce("max", most.of_row(), u.here),
        ],
        {sympy.Symbol("r"): u.here},
    )
    made.add("rows", [sweep], schedule=Schedule(gpu=Threads(block=(threads, 1, 1))))
    values = np.random.default_rng(5).normal(size=(n_z, n_y, n_x))
    strides = 1, n_x, n_x * n_y
    arrays = {
        name: Array(given.ravel().tolist(), 0, (n_x, n_y, n_z), strides)
        for name, given in (("u", values), ("total", 0 * values), ("most", 0 * values))
    }
    library = Library(tmp_path, [(made, ("cuda",))], plain=True).compile()
    held = Memory(made.typed("rows", "f64"), arrays)
    assert call(library, "rows_rows_f64", made.typed("rows", "f64"), held, {}, "cuda") == 0
    found = {name: np.reshape(held.data[name], values.shape)[:, :, 0] for name in ("total", "most")}
    assert np.array_equal(found["most"], values.max(axis=2))
    given = values + np.concatenate([np.zeros((1, n_y, n_x)), values[:-1]])
    for k, y in np.ndindex(n_z, n_y):
        row = np.concatenate([given[k, y], np.full(-n_x % 32, -0.0)])
        tiles = [by_halves(row[begin : begin + 32]) for begin in range(0, n_x, 32)]
        expected = tiles[0]
        for tile in tiles[1:]:
            expected = expected + tile
        assert found["total"][k, y] == expected


LONG_ROWS = {"block": PIECES, "warps": WARP_PIECES}


@pytest.fixture(scope="module")
def long_rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[Module, ctypes.CDLL]:
    """A kernel for each schedule, in both precisions: rows of all lengths run the same text."""
    made = Module("rows", precisions=("f64", "f32"))
    for name, schedule in LONG_ROWS.items():
        made.add(name, row_reductions(), schedule=schedule)
    library = Library(tmp_path_factory.mktemp("rows"), [(made, ("reference", "cuda"))], plain=True)
    return made, library.compile()


@pytest.mark.parametrize("name", LONG_ROWS)
@pytest.mark.parametrize("chosen", ["f64", "f32"])
@pytest.mark.parametrize("n_x", [1, 64, 65, 331])
def test_rows_that_are_longer_than_a_block(
    n_x: int, chosen: str, name: str, long_rows: tuple[Module, ctypes.CDLL]
) -> None:
    """Of any length, with the bits of the reference target, and the lowest of the rows that columns carry."""
    made, library = long_rows
    typed = made.typed(name, chosen)
    results = []
    for target in ("reference", "cuda"):
        arrays = memory(typed, (n_x, 5, 3), random.Random(n_x), plain=True)
        held = Memory(typed, arrays)
        assert call(library, f"rows_{name}_{chosen}", typed, held, {}, target) == 0
        results.append({name: values.tobytes() for name, values in held.data.items()})
    assert results[0] == results[1]


@pytest.mark.parametrize("chosen", ["f64", "f32"])
@pytest.mark.parametrize(("n_x", "n_y"), [(1, 1), (7, 5), (16, 8), (16, 9), (17, 2)])
def test_two_rows_for_each_warp(n_x: int, n_y: int, chosen: str, tmp_path: Path) -> None:
    """The bits of the reference target for rows of at most 16 cells, also where the last warp has one row;
    longer ones are refused."""
    made = Module("rows", precisions=(chosen,))
    made.add("rows", row_reductions(), schedule=HALVES)
    typed = made.typed("rows", chosen)
    library = Library(tmp_path, [(made, ("reference", "cuda"))], plain=True).compile()
    results = []
    for target in ("reference", "cuda"):
        held = Memory(typed, memory(typed, (n_x, n_y, 3), random.Random(n_x), plain=True))
        refused = target == "cuda" and n_x > 16
        assert (call(library, f"rows_rows_{chosen}", typed, held, {}, target) != 0) == refused
        results.append({name: values.tobytes() for name, values in held.data.items()})
    assert results[0] == results[1] or n_x > 16


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


@pytest.mark.parametrize(("schedule", "wrong"), [
    (PIECES, ("x_piece += 64", "x_piece += 32")),
    (PIECES, ("row_sums(n_x, x_piece)", "row_sums(n_x)")),
    (WARP_PIECES, ("heddle::Cells{32, n_y}", "heddle::Cells{n_x, n_y}")),
])  # fmt: skip
def test_pieces_of_rows_are_proved(schedule: Schedule, wrong: tuple[str, str], tmp_path: Path) -> None:
    made = Module("rows", precisions=("f64",))
    made.add("rows", row_reductions(), schedule=schedule)
    write(files(made, ["cuda"]), tmp_path)
    assert [verdict.problem for verdict in proved(made, ["cuda"], tmp_path)] == [""]
    for name in ("rows.cuh", "rows.cu"):
        path = tmp_path / "rows" / name
        text = path.read_text()
        if wrong[0] in text:
            path.write_text(text.replace(*wrong))
            break
    else:
        raise AssertionError(f"{wrong[0]} is not in the text")
    assert any(verdict.problem for verdict in proved(made, ["cuda"], tmp_path))


@pytest.mark.parametrize(
    ("schedule", "block", "wrong"), [(ROWS, "32, 4", "64, 2"), (HALVES, "16, 8", "8, 16")]
)
def test_blocks_with_several_rows_are_proved(
    schedule: Schedule, block: str, wrong: str, tmp_path: Path
) -> None:
    made = Module("rows", precisions=("f64",))
    made.add("rows", row_reductions(), schedule=schedule)
    write(files(made, ["cuda"]), tmp_path)
    assert [verdict.problem for verdict in proved(made, ["cuda"], tmp_path)] == [""]
    entry = tmp_path / "rows" / "rows.cu"
    text = entry.read_text().replace(f"dim3({block}, 1)", f"dim3({wrong}, 1)")
    assert text != entry.read_text()
    entry.write_text(text)
    assert any(verdict.problem for verdict in proved(made, ["cuda"], tmp_path))
