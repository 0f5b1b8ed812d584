# SPDX-License-Identifier: Apache-2.0
"""Columns in vector lanes that repeat statements: the bits of one column after the other, and nothing
evaluated in lanes that are done."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
import sympy
from heddle import (
    Assignment,
    CacheLines,
    If,
    Scan,
    Schedule,
    Strips,
    While,
    block_coordinates,
    block_extents,
    fields,
)
from heddle.ir import nodes as ir
from heddle.ir.functions import FUNCTIONS
from heddle.ir.interpret import Array, run
from heddle.ir.rounding import InterpretationError
from heddle.ir.text import lines
from heddle.ir.visit import statements
from heddle.model.assignment import Statement
from models import columns_under_conditions, levels_of_columns, model, newton, substeps
from running import agree, levels

u, v, w = fields("u, v, w: real[3D]", ghost_layers=0)
a, b, c, n = sympy.symbols("a b c n")
k = sympy.Symbol("k", integer=True)
z, n_z = block_coordinates()[2], block_extents()[2]
LANES = Schedule(cpu=Strips(4))


def cells() -> list[Statement]:
    """Newton's method in cells, with one loop in another."""
    return newton()[:-1]  # it reduces last


@pytest.mark.parametrize(
    ("body", "chosen"),
    [
        (cells, "f64"),
        (cells, "f16"),
        (substeps, "f32"),
        (levels_of_columns, "f64"),
        (columns_under_conditions, "f16"),
    ],
)
def test_every_pass_keeps_the_bits(body: Callable[[], list[Statement]], chosen: str) -> None:
    agree(model(body(), LANES), chosen, "cpu", 5)


def lowered(body: Sequence[Statement], schedule: Schedule = LANES) -> ir.Kernel:
    return levels(model(body, schedule), "f64", "cpu")[-1][1]


def columns(
    body: Sequence[Statement], height: int = 1, schedule: Schedule = LANES, **values: list[float]
) -> dict[str, list[float]]:
    """What a kernel makes of columns side by side in memory that has no element more."""
    kernel, size = lowered(body, schedule), len(next(iter(values.values())))
    width = size // height
    arrays = {
        f.name: Array(list(values.get(f.name, [0.0] * size)), 0, (width, 1, height), (1, width, width))
        for f in kernel.fields
    }
    run(kernel, arrays, {})
    return {name: list(array.values) for name, array in arrays.items()}


def test_each_lane_has_rounds_of_its_own() -> None:
    """The steps of the Collatz sequence: more lanes than a strip, and a strip that is not whole."""
    half = sympy.Eq(a - 2 * sympy.floor(a / 2), 0)
    following = sympy.Piecewise((a / 2, half), (3 * a + 1, True))
    loop = While(a > 1, {a: u.here, n: 0}, [], {a: following, n: n + 1}, at_most=100)
    found = columns([loop, Assignment(v.here, n)], u=[1, 6, 27, 7, 9, math.nan, 2])
    assert found["v"] == [0, 8, 100, 16, 19, 0, 1]


def test_no_lane_asks_behind_the_last_round() -> None:
    """After three rounds of three levels there is no fourth level to look at."""
    search = While(v.at_level(k) < u.here, {k: 0}, [], {k: k + 1}, at_most=3)
    body = [Scan(2, {}, [search, Assignment(w.here, k)], {})]
    heights = [1.0, 5.0, 2.0, 2.0, 6.0, 2.5, 3.0, 7.0, 2.75]  # level by level
    found = columns(body, height=3, u=[9.0, 5.5, 2.25] * 3, v=heights)
    assert found["w"] == [3, 1, 1] * 3
    beyond = While(v.at_level(k) < u.here, {k: 0}, [], {k: k + 1}, at_most=4)
    with pytest.raises(InterpretationError, match="outside"):
        columns([Scan(2, {}, [beyond, Assignment(w.here, k)], {})], height=3, u=[9.0] * 9, v=heights)


def test_a_bound_of_levels_is_asked_before_the_level() -> None:
    """Whatever SymPy makes of the order of the two."""
    inside = sympy.And(k - n_z < 0, sympy.Abs(v.at_level(k)) < u.here)
    body = [Scan(2, {}, [While(inside, {k: 0}, [], {k: k + 1}, at_most=9), Assignment(w.here, k)], {})]
    for schedule in (LANES, Schedule()):
        found = columns(body, 2, schedule, u=[9.0, 2.0, 0.0, 9.0, 0.5, 0.0], v=[1.0, 1.0, 1.0, 5.0, 3.0, 1.0])
        assert found["w"] == [2, 1, 0, 2, 0, 0]


def test_lanes_that_are_done_look_for_no_level() -> None:
    """1 / a is infinite where a is 0, and no level: only lanes with a > 0 may round it down."""
    loop = While(a > 0, {a: w.here, n: 0}, [Assignment(b, v.at_level(sympy.floor(1 / a) - 1))],
                 {a: a - 0.5, n: n + b}, at_most=9)  # fmt: skip
    found = columns(
        [Scan(2, {}, [loop, Assignment(u.here, n)], {})],
        2,
        w=[0.0, 1.0, 0.5] * 2,
        v=[1.0, 2.0, 3.0, 5.0, 7.0, 9.0],
    )
    assert found["u"] == [0, 2 + 7, 9] * 2


def test_lanes_that_are_left_out_begin_with_nothing() -> None:
    level = sympy.floor(u.at_level(0))
    loop = While(a > 1, {a: v.at_level(level)}, [], {a: a / 2}, at_most=9)
    sweep = Scan(2, {b: v.at_level(level)}, [Assignment(w.here, a + b)], {b: b + 1})
    found = columns([If(w.at_level(0) > 0, [loop, sweep])], 2, u=[0.0, 1.0, 1e300] * 2, w=[1.0, 1.0, 0.0] * 2,
                    v=[4.0, 0.0, 0.0, 0.0, 6.0, 0.0])  # fmt: skip
    assert found["w"] == [5.0, 6.75, 0.0, 6.0, 7.75, 0.0]


def test_lanes_that_are_done_store_nothing() -> None:
    """Their elements are not even written with the value that they have: a NaN keeps its place."""
    sweep = Scan(2, {b: 0}, [Assignment(u.here, u.here - 1 - b)], {b: b + u.here / 8})
    loop = While(a > 0, {a: v.at_level(0)}, [sweep], {a: a - 1}, at_most=9)
    found = columns([loop], height=2, u=[1.0, 2.0, 4.0] * 2, v=[2.0, 0.0, math.nan] * 2)
    first = [0.0, -1.0]
    second = [1 - 1 - first[0] / 8]
    second.append(second[0] - 1 - first[1] / 8)
    assert found["u"] == [first[1], 2.0, 4.0, second[1], 2.0, 4.0]
    kernel = lowered([loop])
    guarded = [s for s in statements(kernel.body) if isinstance(s, ir.If)]
    stores = [s for s in statements(guarded) if isinstance(s, ir.Store)]
    assert [s.target.pointer.name for s in stores if isinstance(s.target, ir.Load)] == ["u_row"]


def test_what_might_fail_is_guarded_and_what_cannot_is_not() -> None:
    sweep = [
        Assignment(b, sympy.sqrt(u.here) / a),
        Assignment(c, sympy.log(u.here)),
        Assignment(n, b + c),
        Assignment(v.here, n),
    ]
    body = [If(w.at_level(0) > 0, [Scan(2, {a: 1}, sweep, {a: a + n})])]
    for math_of, guards in (("library", ["c"]), ("reproducible", [])):
        schedule = Schedule(cpu=Strips(4), math=math_of)  # type: ignore[arg-type]
        values = {
            s.symbol.name: s.value for s in statements(lowered(body, schedule).body) if isinstance(s, ir.Let)
        }
        chosen = [name for name in ("b", "c", "n") if isinstance(values.get(name), ir.Select)]
        assert chosen == guards


def test_a_condition_is_asked_once_a_round() -> None:
    """Between rounds, harmless conditions are asked with the new values; others where the round begins."""
    plain = While(a > 1, {a: u.here}, [], {a: a / 2}, at_most=9)
    level = While(v.at_level(k) < u.here, {k: 0}, [], {k: k + 1}, at_most=9)
    for loop, result, asked, times in ((plain, a, "gt(", 2), (level, k, "lt(", 1)):
        kernel = lowered([Scan(2, {}, [loop, Assignment(w.here, result)], {})])
        (rounds,) = (s for s in statements(kernel.body) if isinstance(s, ir.While))
        assert "\n".join(lines((rounds,))).count(asked) == 1
        assert "\n".join(lines(kernel.body)).count(asked) == times


def test_masks_of_no_lane() -> None:
    row = FUNCTIONS["any_lane"]
    assert [row.meaning(None, lanes, 3) for lanes in ([0, 0, 0, 1], [0, 1, 0, 0])] == [False, True]


def test_names_of_masks_are_free() -> None:
    active, lanes, before, total = sympy.symbols("active active_lanes before total")
    chosen = fields("chosen: real[3D]", ghost_layers=0)
    search = While(v.at_level(k) < active, {k: 0}, [], {k: k + 1}, at_most=1)
    rounds = {active: active / 2, lanes: lanes + k}
    loop = While(active > 1, {active: u.here, lanes: 1}, [search], rounds, at_most=9)
    store = If(chosen.here > 0, [Assignment(w.here, active + lanes)])
    sweep = Scan(2, {before: 0}, [loop, store], {before: before + lanes})
    again = Scan(2, {total: before}, [Assignment(u.here, total)], {total: total - active})
    body = [
        sweep,
        If(before > 0, [While(active > 1, {active: before}, [], {active: active / 2}, at_most=3), again]),
    ]
    agree(model(body, LANES), "f64", "cpu", 3)


def test_rounds_in_strips_of_cache_lines() -> None:
    loop = While(a > 1, {a: u.here, n: 0}, [], {a: a / 2, n: n + 1}, at_most=9)
    agree(model([loop, Assignment(v.here, n)], Schedule(cpu=CacheLines(2))), "f32", "cpu", 3, (21, 2, 2))
