# SPDX-License-Identifier: Apache-2.0
"""Sums of rows for means of levels: in double and in one order, from kernels of any precision."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
from compiled import Library, Memory, call
from heddle import Assignment, Module, fields
from heddle.atmosphere.large_eddies import level_means
from heddle.ir.interpret import Array
from heddle.ir.interpret import run as interpreted

SHAPE = (3, 2, 75)  # z, y, x: two whole tiles of a row, and a part


def by_halves(values: list[float]) -> float:
    """The sum of a tile: the first half and the second one, number by number; what is not there is 0."""
    padded = values + [0.0] * (32 - len(values))
    while len(padded) > 1:
        half = len(padded) // 2
        padded = [a + b for a, b in zip(padded[:half], padded[half:], strict=True)]
    return padded[0]


def module() -> Module:
    u, w = fields("u, w: real[3D]", ghost_layers=0)
    result = Module("statistics", precisions=("f32",))
    sums = level_means.rows("rows", 2)
    result.add("sums", level_means.row_sums(sums, [u.here, u.here * w.here]))
    return result


def arrays(u: Any, w: Any) -> dict[str, Array]:
    n, ny, nx = SHAPE
    cells = {"u": u, "w": w}
    memory = {
        name: Array(values.ravel().tolist(), 0, (nx, ny, n), (1, nx, nx * ny))
        for name, values in cells.items()
    }
    return memory | {"rows": Array([0.0] * (n * ny * 2), 0, (nx, ny, n, 2), (0, 1, ny, ny * n))}


def test_rows_are_summed_in_double_and_in_one_order(tmp_path: Any) -> None:
    r = np.random.default_rng(3)
    u, w = (
        r.normal(size=SHAPE).astype(np.float32) * np.float32(1e4) ** r.integers(0, 2, SHAPE) for _ in "uw"
    )
    u, w = u.astype(np.float32), w.astype(np.float32)
    model = module()
    memory = arrays(u, w)
    assert interpreted(model.stages("sums", "f32", "cpu").lowered, memory).status == 0
    found = np.array(memory["rows"].values).reshape(2, *SHAPE[:2])
    for quantity, values in enumerate((u, u * w)):
        for k in range(SHAPE[0]):
            for j in range(SHAPE[1]):
                row = values[k, j].astype(np.float64).tolist()
                total = 0.0
                for begin in range(0, len(row), 32):
                    tile = by_halves(row[begin : begin + 32])
                    total = tile if begin == 0 else total + tile
                exact = fsum(row)
                assert abs(found[quantity, k, j] - exact) < 1e-13 * fsum(map(abs, row))
                assert abs(float(np.sum(values[k, j])) - exact) > 1e-9  # in single precision
                assert total == found[quantity, k, j]
    library = Library(tmp_path, [(model, ("cpu", "cuda"))], plain=True).compile()
    kernel = model.typed("sums", "f32")
    for target in ("cpu", "cuda"):
        held = Memory(kernel, arrays(u, w))
        assert call(library, "statistics_sums_f32", kernel, held, {}, target) == 0
        assert np.array_equal(np.asarray(held.data["rows"]).ravel(), found.ravel()), target


def test_rows_are_added_one_after_the_other_in_each_level(tmp_path: Any) -> None:
    n, ny = 5, 37
    lines = level_means.rows("lines", 2)
    weight, mean, other = fields("weight, mean, other: double[xy]", ghost_layers=0)
    scan, sums = level_means.over_rows(lines)
    model = Module("statistics", precisions=("f32/f64",))
    results = [Assignment(mean.here, weight.here * sums[0]), Assignment(other.here, sums[1])]
    model.add("levels", [scan, *results])
    rows = np.random.default_rng(4).normal(size=(2, n, ny)) * 1e3
    weights = [0.5, 1.0, 2.0, 0.25, 4.0]

    def memory() -> dict[str, Array]:
        planes = {"weight": weights, "mean": [0.0] * n, "other": [0.0] * n}
        found = {name: Array([*values], 0, (1, n), (1, 1)) for name, values in planes.items()}
        return found | {"lines": Array(rows.ravel().tolist(), 0, (1, n, ny, 2), (1, ny, 1, n * ny))}

    wanted = np.zeros((2, n))
    for row in range(ny):
        wanted += rows[:, :, row]
    library = Library(tmp_path, [(model, ("cpu", "cuda"))], plain=True).compile()
    kernel = model.typed("levels", "f32/f64")
    for target in ("cpu", "cuda"):
        held = Memory(kernel, memory())
        assert call(library, "statistics_levels_f32_f64", kernel, held, {}, target) == 0
        assert np.array_equal(np.asarray(held.data["mean"]).ravel(), wanted[0] * weights), target
        assert np.array_equal(np.asarray(held.data["other"]).ravel(), wanted[1]), target
