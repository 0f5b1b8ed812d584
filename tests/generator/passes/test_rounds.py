# SPDX-License-Identifier: Apache-2.0
"""Loops whose end depends on the data: the same bits after each pass, and nothing evaluated that no round
asks for."""

from __future__ import annotations

import math
from typing import Any

import pytest
import sympy
from heddle import Assignment, Rows, Scan, Schedule, Sparse, Strips, Threads, While, fields
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, run
from heddle.ir.text import lines
from heddle.ir.visit import statements
from heddle.model.assignment import Statement
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from models import model, newton, substeps
from running import agree, levels

u, v, w = fields("u, v, w: real[3D]")
a, b, n, s, t, x = sympy.symbols("a b n s t x_n")


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("chosen", ["f64", "f32", "f16"])
@pytest.mark.parametrize("body", [newton, substeps])
def test_every_pass_keeps_the_bits(body: Any, chosen: str, target: str) -> None:
    agree(model(body(), Schedule(gpu=Threads(block=(32, 2, 1)))), chosen, target, 5)


@pytest.mark.parametrize("chosen", ["f64", "f32"])
def test_strips_reduce_behind_their_rounds(chosen: str) -> None:
    """Cells in lanes under masks, and what all of them give is combined in the order of other schedules."""
    entry = model(newton(), Schedule(cpu=Strips(32)))
    agree(entry, chosen, "cpu", 5)
    assert "any_lane" in "\n".join(lines(levels(entry, chosen, "cpu")[-1][1].body))


def value_of(body: list[Statement], number: float) -> float:
    """What a kernel of one cell makes of u, before and after all passes."""
    results: list[float] = []
    for target in ("reference", "cpu", "cuda"):
        stages = levels(model(body), "f64", target)
        for _, kernel in (stages[0], stages[-1]):
            arrays = {f.name: Array([number] * 27, 13, (1, 1, 1), (1, 3, 9)) for f in kernel.fields}
            run(kernel, arrays, {})
            results.append(arrays["v"].values[13])
    assert len({repr(result) for result in results}) == 1
    return results[0]


def collatz(most: int) -> list[Statement]:
    half = sympy.Eq(a - 2 * sympy.floor(a / 2), 0)
    following = sympy.Piecewise((a / 2, half), (3 * a + 1, True))
    return [
        While(a > 1, {a: u.here, n: 0}, [], {a: following, n: n + 1}, at_most=most),
        Assignment(v.here, n),
    ]


def test_the_condition_ends_the_loop_or_the_bound_does() -> None:
    assert [value_of(collatz(1000), number) for number in (1, 6, 27)] == [0, 8, 111]
    assert [value_of(collatz(100), number) for number in (1, 6, 27)] == [0, 8, 100]


def test_not_a_number_ends_the_loop() -> None:
    assert value_of(collatz(9), math.nan) == 0


def test_all_updates_see_the_round_that_ends() -> None:
    fibonacci = [
        While(n < u.here, {n: 0, a: 0, b: 1}, [], {n: n + 1, a: b, b: a + b}, at_most=50),
        Assignment(v.here, a),
    ]
    assert value_of(fibonacci, 30) == 832040


def test_nothing_leaves_a_loop_that_may_have_no_round() -> None:
    """The logarithm of a parameter and the quotient are the same in all rounds, and guarded by the first."""
    body = [
        Assignment(t, u.here + 1),
        While(
            t - n > 0,
            {n: 0},
            [Assignment(s, sympy.log(sympy.Symbol("c")) / t)],
            {n: n + s},
            at_most=9,
        ),
        Assignment(v.here, n),
    ]
    for target in ("cpu", "cuda"):
        kernel = levels(model(body), "f64", target)[-1][1]
        (loop,) = (statement for statement in statements(kernel.body) if isinstance(statement, ir.While))
        inside = "\n".join(lines(loop.body))
        assert "log(" in inside
        assert "\n".join(lines(kernel.body)).count("log(") == inside.count("log(") == 1


def test_what_a_round_stores_is_read_anew_in_the_next() -> None:
    """The large sum is shared within a round, and not between rounds: its fields change."""
    large = sum(
        (u[0, 0, d] * v[0, 0, d] / (u.here + k) for k in range(1, 60) for d in (-1, 1)),
        sympy.S(0),
    )
    sweep = Scan(2, {a: b}, [Assignment(s, large), Assignment(u.here, s + a)], {a: s / 2 + large})
    agree(
        model([While(b > -9, {b: 1}, [sweep], {b: b - a / 8 - 1}, at_most=3)]),
        "f64",
        "cpu",
        3,
    )


def test_scans_with_loops_are_fused() -> None:
    def sweep(carried: sympy.Symbol, target: Any) -> Scan:
        loop = While(
            t > 1,
            {t: sympy.Abs(u.here), s: carried},
            [],
            {t: t / 2, s: s + t},
            at_most=5,
        )
        return Scan(2, {carried: 0}, [loop, Assignment(target.here, s)], {carried: carried + s})

    between = While(n > 1, {n: a}, [], {n: n / 2}, at_most=3)
    rain = fields("rain: real[xy]")
    body = [sweep(a, v), between, sweep(b, w), Assignment(rain.here, n)]
    agree(model(body), "f64", "cpu", 2)
    scheduled = dict(levels(model(body), "f64", "cpu"))["fuse_scans"]
    assert sum(isinstance(statement, ir.Scan) for statement in statements(scheduled.body)) == 1


def test_loops_over_a_list() -> None:
    p = fields("p: real[entries]")
    loop = While(t > 1, {t: p.here, n: 0}, [], {t: t / 2, n: n + 1}, at_most=9)
    q = fields("q: real[2D]")
    agree(
        model([loop, Assignment(q.here, n)], space=Sparse("some", listed=True)),
        "f64",
        "cpu",
        7,
    )


def test_a_name_of_the_model_is_no_counter() -> None:
    trip = sympy.Symbol("trip")
    inner = While(trip > 0, {trip: a}, [], {trip: trip - 1}, at_most=3)
    body = [
        While(a > 0, {a: u.here}, [inner], {a: trip - 1}, at_most=8),
        Assignment(v.here, a),
    ]
    assert value_of(body, 20.5) == -1.5
    agree(model(body), "f64", "cuda", 4)


def test_loops_are_equal_only_with_equal_conditions_and_bounds() -> None:
    def lowered(most: int, least: int) -> ir.Kernel:
        loop = While(a > least, {a: u.here}, [], {a: a / 2 - v.here}, at_most=most)
        return levels(model([loop, Assignment(w.here, a)]), "f64", "cpu")[-1][1]

    for most in (3, 100):
        proof = equivalent(lowered(most, 1), lowered(most, 1))
        assert isinstance(proof, Proof)
        assert proof.tier == "structural"
        assert isinstance(equivalent(lowered(most, 1), lowered(most, -1)), Counterexample)
    assert isinstance(equivalent(lowered(2, 0), lowered(1, 0)), Counterexample)


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize(
    "schedule",
    [Schedule(specialise=("open", 1)), Schedule(colours=2), Schedule(cpu=Rows(fixed_nx=7))],
    ids=["specialise", "colours", "fixed_nx"],
)
def test_loops_under_other_schedules(schedule: Schedule, target: str) -> None:
    """A usual value has a copy of the statements, and what is carried begins there behind what it needs."""
    p, q = fields("p, q: real[2D]")
    chosen = sympy.Piecewise((p.here, sympy.Eq(fields("open: int32[2D]").here, 1)), (1, True))
    loop = While(a > 1, {a: p.here, n: t}, [], {a: a / 2 + t / 8, n: n + 1}, at_most=9)
    agree(model([Assignment(t, chosen), loop, Assignment(q.here, a + n)], schedule), "f64", target, 5)
