# SPDX-License-Identifier: Apache-2.0
"""Scans of one direction become one where each element is still written and read in the same order."""

from __future__ import annotations

import random
from typing import Any

import pytest
import sympy
from heddle import Assignment, If, Reduce, Scan, Schedule, Section, Strips, fields
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.schedule import precision
from heddle.ir.stages import Request
from heddle.ir.visit import evaluated, statements
from heddle.model.assignment import Statement
from heddle.passes.fuse_scans import fuse_scans
from models import model
from running import agree, memory, outcome, scalars

u, v, w = fields("u, v, w: real[3D]")
rain, most = fields("rain, most: real[xy]")
a, b, t, s = sympy.symbols("a b t s")


def scans(body: list[Statement], seed: int = 1) -> int:
    """How many scans are left; the fused kernel gives the same bits, on every target."""
    entry = model(body)
    typed = entry.typed(precision("f64"))
    fused = fuse_scans(typed, Request(precision("f64"), entry.schedule, TARGETS["cpu"]))
    generator = random.Random(seed)
    arrays, arguments = memory(typed, (4, 3, 5), generator), scalars(typed, generator)
    assert outcome(fused, arrays, arguments) == outcome(typed, arrays, arguments)
    return sum(isinstance(statement, ir.Scan) for statement in statements(fused.body))


def sweep(carried: sympy.Symbol, write: Any, read: Any, reverse: bool = False) -> Scan:
    """A scan that writes one element and reads another one."""
    return Scan(2, {carried: 1}, [Assignment(write, carried + read)], {carried: carried / 2 + 1}, reverse)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_what_was_written_is_read_at_no_later_level(offset: int, reverse: bool) -> None:
    later = offset < 0 if reverse else offset > 0
    both = [sweep(a, u.here, v.here, reverse), sweep(b, w.here, u[0, 0, offset], reverse)]
    assert scans(both) == (2 if later else 1)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_what_was_read_is_written_at_no_later_level(offset: int, reverse: bool) -> None:
    """The first scan reads u[offset] at each level, and the second one writes u[0] there."""
    later = offset > 0 if reverse else offset < 0
    both = [sweep(a, w.here, u[0, 0, offset], reverse), sweep(b, u.here, v.here, reverse)]
    assert scans(both) == (2 if later else 1)


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_what_was_written_is_overwritten_at_no_later_level(offset: int) -> None:
    both = [sweep(a, u.here, v.here), sweep(b, u[0, 0, offset], v.here)]
    assert scans(both) == (2 if offset > 0 else 1)


def test_scans_of_two_directions_or_of_other_fields_stay() -> None:
    assert scans([sweep(a, u.here, v.here), sweep(b, w.here, v.here, True)]) == 2
    far, away = fields("far, away: real[3D]")
    assert scans([sweep(a, u.here, v.here), sweep(b, far.here, away.here)]) == 2


def test_what_is_carried_to_the_end_keeps_scans_apart() -> None:
    first = sweep(a, u.here, v.here)
    assert scans([first, sweep(b, w.here, a * u.here)]) == 2
    assert scans([first, Scan(2, {b: a}, [Assignment(w.here, b + u.here)], {b: b})]) == 2
    named = [first, Assignment(t, a + 1), sweep(b, w.here, t * u.here)]
    assert scans(named) == 2


def test_statements_between_scans_go_before_or_behind() -> None:
    between = [
        Section("Between"),
        Assignment(t, 2 * most[1, 0]),
        Assignment(rain.here, rain.here + a),
        If(a > 1, [Reduce("max", "largest", a)]),
    ]
    assert scans([sweep(a, u.here, v.here), *between, sweep(b, w.here, t * u.here)]) == 1
    assert scans([sweep(a, u.here, v.here), *between, sweep(b, w.here, rain.here * u.here)]) == 2


def test_a_name_in_both_bodies_is_two_values() -> None:
    def body(carried: sympy.Symbol, target: Any, factor: int) -> Scan:
        value = [
            Assignment(t, factor * u.here),
            If(t > 0, [Assignment(s, t * t), Assignment(target.here, s)]),
        ]
        return Scan(2, {carried: 0}, value, {carried: carried + t})

    assert scans([body(a, v, 2), body(b, w, 3), Assignment(rain.here, a - b)]) == 1


def test_what_is_carried_on_is_read_before_it_changes() -> None:
    first = Scan(2, {a: 0}, [Assignment(v.here, a)], {a: u.here})
    second = Scan(2, {b: 0}, [Assignment(u.here, b + 1)], {b: b + v.here})
    assert scans([first, second]) == 1


def test_the_order_of_a_sum_stays() -> None:
    both = [Scan(2, {}, [Reduce("sum", name, u.here * number)], {}) for number, name in ((1, "e"), (3, "e"))]
    assert scans([*both, Assignment(rain.here, 1)]) == 2
    apart = [Scan(2, {}, [Reduce("sum", name, u.here)], {}) for name in "ef"]
    assert scans([*apart, Assignment(rain.here, 1)]) == 1


def test_several_scans_become_one() -> None:
    body = [sweep(a, u.here, v.here), sweep(b, w.here, u.here), sweep(t, v.here, w[0, 0, -1])]
    assert scans(body) == 1


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
def test_every_target_gives_the_same_bits(target: str) -> None:
    body = [sweep(a, u.here, v.here), Assignment(rain.here, a), sweep(b, w.here, u[0, 0, -1])]
    agree(model(body, Schedule(cpu=Strips(3))), "f32", target, 4)


@pytest.mark.parametrize("seed", range(40))
def test_random_scans(seed: int) -> None:
    """Three scans in one direction with any offsets along it: fused or not, the bits stay."""
    generator = random.Random(seed)
    names = iter(sympy.symbols("p q r"))

    def one() -> Scan:
        carried, offset = next(names), generator.randrange(-1, 2)
        target, source = generator.sample((u, v, w), 2)
        body = [Assignment(target.here, carried + source[0, 0, offset]), Assignment(t, target.here / 2)]
        return Scan(2, {carried: generator.randrange(3)}, body, {carried: t + source[0, 0, 1]}, seed % 2 > 0)

    scans([one(), one(), one()], seed)


def test_a_fused_sweep_reads_each_element_once() -> None:
    entry = model([sweep(a, v.here, u.here), sweep(b, w.here, u.here)])
    request = Request(precision("f64"), entry.schedule, TARGETS["cpu"])
    fused = fuse_scans(entry.typed(precision("f64")), request)
    (scan,) = (statement for statement in fused.body if isinstance(statement, ir.Scan))
    assert len({node for node in evaluated(scan.body) if isinstance(node, ir.Access)}) == 1
