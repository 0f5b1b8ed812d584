# SPDX-License-Identifier: Apache-2.0
"""row_values: a loop over vectors reads what is the same in a row before it begins, and chooses by bits."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from heddle import Assignment, Module, Rows, Schedule, fields, profiles, tables
from heddle.build import files, write
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.schedule import precision
from heddle.ir.stages import Request
from heddle.ir.visit import distinct, statements
from heddle.pipeline import lower
from sympy import Piecewise, Symbol, exp, floor

u, v, index = fields("u, v, index: real[3D]", ghost_layers=3)
rho, order = profiles("rho, order: real[z]", ghost_layers=3)
table = tables("table: real[16]")


def lowered(
    *step: Any, target: str = "cpu", schedule: Schedule | None = None, reals: str = "f64"
) -> ir.Kernel:
    module = Module("m", precisions=(reals,))
    module.add("step", step, schedule=schedule or Schedule(cpu=Rows()))
    known = precision(reals)
    model = module.kernels["step"]
    return lower(model.typed(known), Request(known, model.schedule, TARGETS[target])).lowered


def row_of(kernel: ir.Kernel) -> tuple[list[str], ir.Loop]:
    """The names that stand before the loop over cells, those of pointers left out, and the loop."""
    loops = [s for s in statements(kernel.body) if isinstance(s, ir.Loop)]
    outer = next(s for s in loops if any(getattr(inner, "kind", "") == "simd" for inner in s.body))
    lets = [s.symbol for s in outer.body if isinstance(s, ir.Let)]
    loop = next(s for s in outer.body if isinstance(s, ir.Loop))
    return [symbol.name for symbol in lets if isinstance(symbol.type, ir.Scalar)], loop


def choices(loop: ir.Loop) -> list[bool]:
    """Of each selection in a loop whether both values are computed."""
    return [node.both for node in distinct(loop.body) if isinstance(node, ir.Select)]


BY_LEVEL = Piecewise((rho[1] * u[1, 0, 0], order[0] >= 3), (u.here, order[-1] > 0), (0, True))


def test_a_condition_of_the_level_chooses_by_bits() -> None:
    before, loop = row_of(lowered(Assignment(v.here, BY_LEVEL)))
    assert before == ["order_before", "order_here", "rho_next"]
    assert choices(loop) == [True, True]
    pointers = {node.pointer.name for node in distinct(loop.body) if isinstance(node, ir.Load)}
    assert pointers == {"u_row", "v_row"}


def test_what_is_stored_in_single_and_computed_in_double_precision_too() -> None:
    half = Symbol("half_rho")
    before, loop = row_of(
        lowered(Assignment(half, rho.here / 2), Assignment(v.here, half * BY_LEVEL), reals="f32/f64")
    )
    assert before == ["order_before", "order_here", "rho_next", "half_rho"]
    assert choices(loop) == [True, True]


def test_what_has_a_name_moves_as_a_whole() -> None:
    half = Symbol("half_rho")
    before, loop = row_of(
        lowered(Assignment(half, rho.here / 2 + table.gather(3)), Assignment(v.here, half * BY_LEVEL))
    )
    assert before == ["order_before", "order_here", "rho_next", "half_rho"]
    assert not any(isinstance(s, ir.Let) for s in loop.body)


def test_a_choice_that_is_the_same_in_all_cells_is_made_once() -> None:
    ratio = Piecewise((table.gather(1) / table.gather(2), table.gather(2) > 0), (0, True))
    before, loop = row_of(lowered(Assignment(v.here, ratio * u.here)))
    assert before == ["row_value"]
    assert choices(loop) == []


def test_a_row_without_such_a_choice_stays_as_it_is() -> None:
    before, _ = row_of(lowered(Assignment(v.here, rho.here * u.here)))
    assert before == []


@pytest.mark.parametrize(
    "value",
    [
        Piecewise((rho.here, u.here > 0), (u[1, 0, 0], True)),
        Piecewise((exp(u.here), order.here > 0), (u.here, True)),
        Piecewise((table.gather(floor(index.here)), order.here > 0), (u.here, True)),
    ],
    ids=("condition of the cell", "function of a library", "place that is computed"),
)
def test_what_a_condition_guards_stays_guarded(value: Any) -> None:
    before, loop = row_of(lowered(Assignment(v.here, value)))
    assert choices(loop).count(True) == 0
    assert "rho_here" not in before


@pytest.mark.parametrize("target", ["cuda", "reference"])
def test_other_targets_keep_their_conditions(target: str) -> None:
    kernel = lowered(Assignment(v.here, BY_LEVEL), target=target)
    assert not any(node.both for node in distinct(kernel.body) if isinstance(node, ir.Select))


def test_the_compiler_makes_vectors(tmp_path: Path) -> None:
    """g++ says which loops became vectors. It makes copies of a short loop, one for each condition."""
    module = Module("levels", precisions=("f64",))
    terms = [Piecewise((rho[n] * u[n, 0, 0], order[n] >= 3), (u[0, n, 0], True)) for n in range(-3, 4)]
    module.add("step", [Assignment(v.here, sum(terms))])
    write(files(module, ["cpu"]), tmp_path)
    command = (
        "g++ -std=c++20 -O3 -march=x86-64-v3 -fopenmp -ffp-contract=off -fno-math-errno -fno-trapping-math"
    )
    report = subprocess.run(
        [*command.split(), f"-I{tmp_path}", "-fopt-info-vec-optimized", "-c", "-o", str(tmp_path / "step.o"),
         str(tmp_path / "levels/step.cpp")],
        capture_output=True, text=True, check=True,
    ).stderr  # fmt: skip
    lines = [int(line) for line in re.findall(r"step.cpp:(\d+):\d+: optimized: loop vectorized", report)]
    text = (tmp_path / "levels/step.cpp").read_text().splitlines()
    loop = next(n for n, line in enumerate(text, 1) if "int64_t x = 0; x < n_x" in line)
    assert any(loop <= line <= loop + 3 for line in lines), report
