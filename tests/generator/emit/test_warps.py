# SPDX-License-Identifier: Apache-2.0
"""Lanes that share the rounds of a While: the tables say what the statements say, bit for bit, in whatever
order the lanes of a level come."""

import math
import random
import re
import struct
from collections import Counter

import pytest
import sympy
from heddle import Assignment, KernelError, Module, Schedule, WarpPerCell, While, chemistry, fields
from heddle.build import files
from heddle.emit import warp_text
from heddle.emit.warp_levels import StuckError, levels_of
from heddle.emit.warp_program import Program, program
from heddle.emit.warp_sums import Sum, Term
from heddle.ir import nodes as ir
from heddle.ir.functions import FUNCTIONS
from heddle.ir.rounding import rounded


def mechanism(size: int) -> chemistry.Mechanism:
    """Many species that one radical, X, attacks: long sums in its row."""
    found = chemistry.Mechanism("many")
    names = [f"S{n}" for n in range(size)]
    found.species("X", *names)
    for n, name in enumerate(names):
        found.reaction(f"{name} + X -> {names[(n + 1) % size]}", rate=1.0 + n)
        found.reaction(f"{name} -> X + {names[(n + 3) % size]}", rate=0.5 + n)
    found.reaction("2 X -> S0", rate=2.0)
    return found


def rounds(size: int) -> tuple[ir.While, tuple[ir.Statement, ...], dict[str, float]]:
    module = Module("many", precisions=("f64",))
    solver = chemistry.Rosenbrock(mechanism(size), "Rodas3", dimensions=1)
    module.add("integrate", solver.integrate(), schedule=Schedule(math="reproducible"))
    body = module.stages("integrate", "f64", "cuda").lowered.body
    inner = next(s for s in body if isinstance(s, ir.Loop)).body
    at = next(n for n, s in enumerate(inner) if isinstance(s, ir.While))
    loop = inner[at]
    assert isinstance(loop, ir.While)
    numbers = {
        s.symbol.name: float(s.value.value)
        for s in body
        if isinstance(s, ir.Let) and isinstance(s.value, ir.Const) and s.symbol.type == ir.F64
    }
    return loop, inner[:at], numbers


def evaluate(value: ir.Expression, names: dict[str, float]) -> float:
    match value:
        case ir.Const(number, kind):
            return float(rounded(number, kind))
        case ir.Symbol(name):
            return names[name]
        case ir.Select(condition, yes, no):
            return evaluate(yes if evaluate(condition, names) else no, names)
        case ir.Call(name, args):
            return float(FUNCTIONS[name].meaning(*(evaluate(a, names) for a in args)))
        case ir.Op("neg", (a,)):
            return -evaluate(a, names)
        case ir.Op(name, (left, right)):
            a, b = evaluate(left, names), evaluate(right, names)
            made = {"add": a + b, "sub": a - b, "mul": a * b, "lt": a < b, "le": a <= b, "gt": a > b,
                    "ge": a >= b, "and": a and b}  # fmt: skip
            return a / b if name == "div" else made[name]
    raise AssertionError(value)


def bits(value: float) -> bytes:
    return struct.pack("d", value)


def run(made: Program, names: dict[str, float], order: random.Random) -> dict[str, float]:
    """What a round leaves in shared memory, by the names of values; a place that nothing wrote is NaN."""
    names = dict(names)
    for let in made.before:
        names[let.symbol.name] = evaluate(let.value, names)
    memory = [math.nan] * made.size
    for value in (*made.constants, *made.given, *made.carried, *made.published):
        memory[made.place[value]] = value if isinstance(value, float) else names[value]
    results: dict[str, float] = {}
    for level in made.levels:
        pieces = [p for pieces in level.slices for p in pieces]
        order.shuffle(pieces)
        for piece in pieces:  # each sees what those before it wrote: nothing in a level may depend on that
            place, ends = made.place, piece.last == len(piece.sum.terms)
            total = memory[place[piece.sum.result]] if piece.first else -0.0
            for term in piece.sum.terms[piece.first : piece.last]:
                product = memory[place[term.a]] * memory[place[term.b]]
                total += -product if term.negative else product
            if ends:
                total = 1.0 / total if piece.sum.inverse else total * memory[place[piece.sum.factor]]
                results[piece.sum.result] = total
            memory[place[piece.sum.result]] = total
        for alike in level.alike:
            for result, *operands in alike.rows:
                there = {f"at_{n}": memory[made.place[v]] for n, v in enumerate(operands)}
                memory[made.place[result]] = results[str(result)] = evaluate(alike.value, names | there)
    return results


@pytest.mark.parametrize("lanes", [32, 8, 4])
def test_the_tables_say_what_the_statements_say(lanes: int) -> None:
    loop, before, numbers = rounds(12)
    made = program(loop, before, numbers, lanes)
    draw = random.Random(lanes)
    names = {name: draw.uniform(0.1, 2.0) for name in (*made.given, *made.carried)}
    names |= dict(numbers) | {"t": 0.25, "h": 0.5, "interval": 2.0, "rejections": 0.0, "attempts": 0.0}
    names |= {"absolute_tolerance": 1e-3, "relative_tolerance": 1e-2, "shortest": 1e-20}
    expected = dict(names)
    for statement in loop.body:
        if isinstance(statement, ir.Let):
            expected[statement.symbol.name] = evaluate(statement.value, expected)
    for _ in range(3):
        found = run(made, names, draw)
        for name, value in found.items():
            if not name.startswith("#"):
                assert bits(value) == bits(expected[name]), name
    wanted = {s.symbol.name for s in loop.body if isinstance(s, ir.Let)}
    assert wanted == {n for n in found if n[0] != "#"} | {s.symbol.name for s in (*made.before, *made.after)}


def test_long_sums_are_cut_and_lanes_filled() -> None:
    loop, before, numbers = rounds(12)
    made = program(loop, before, numbers, 8)
    slices = [pieces for level in made.levels for pieces in level.slices]
    assert all(len(pieces) <= 8 for pieces in slices)
    assert any(piece.first for pieces in slices for piece in pieces)
    rounds_taken = sum(max(p.length for p in pieces) for pieces in slices)
    terms = sum(p.length for pieces in slices for p in pieces)
    assert terms > 0.3 * 8 * rounds_taken
    assert made.size < len(made.place)  # places are used again


def test_statements_that_wait_for_each_other() -> None:
    one = Sum("a", (Term(False, "b", 1.0),))
    other = Sum("b", (Term(False, "a", 1.0),))
    with pytest.raises(StuckError):
        levels_of([one, other], [], 8)


def test_rounds_that_do_not_suit_lanes() -> None:
    a, b = sympy.symbols("a b")
    p = fields("p: real[1D]")
    c = fields("c: real(2)[1D]")
    one = While(a > 1, {a: 2 * p.here}, [], {a: a / 2}, at_most=9)
    message = "do not suit the lanes of a warp: it carries no components of a field"
    two = {a: c.component(0), b: c.component(1)}
    swapped = While(a > 1, two, [], {a: b / 2, b: a / 4}, at_most=9)
    other = "becomes what another one was|becomes a value that is in no table"
    for loop, stores, why in (
        (one, [Assignment(p.here, a)], message),
        (swapped, [Assignment(c.component(0), a), Assignment(c.component(1), b)], other),
    ):
        module = Module("m", precisions=("f64",))
        module.add("k", [loop, *stores], schedule=Schedule(gpu=WarpPerCell()))
        with pytest.raises(KernelError, match=why):
            files(module, ["cuda"])


def test_a_value_may_be_called_like_the_counter_of_rows() -> None:
    a, h, row = sympy.symbols("a:4"), *sympy.symbols("h row")
    new = sympy.symbols("new:4")
    c, p = fields("c: real(4)[1D]; p: real[1D]")
    carried = {**{one: c.component(n) for n, one in enumerate(a)}, h: p.here}
    shares = [Assignment(n, sympy.Abs(o) / (row + 2)) for n, o in zip(new, a, strict=True)]
    steps = [Assignment(row, 1 / h), *shares]
    loop = While(h > 1, carried, steps, {**dict(zip(a, new, strict=True)), h: h / 2}, at_most=9)
    module = Module("m", precisions=("f64",))
    stores = [Assignment(c.component(n), one) for n, one in enumerate(a)]
    module.add("k", [loop, *stores], schedule=Schedule(gpu=WarpPerCell()))
    text = files(module, ["cuda"])["m/k.cuh"]
    assert "const double row = 1.0 / h;" in text
    assert "for (int row_ = warp.member; row_ < 4; row_ += warp.members) {" in text
    assert "/ (2.0 + row);" in text


@pytest.mark.parametrize(("at_once", "warps"), [(1, 1), (4, 2), (16, 4), (32, 4)])
def test_each_warp_has_its_words(at_once: int, warps: int) -> None:
    """Read back as the header reads them: all sums of all levels, once each; and all warps wait as often."""
    module = Module("many", precisions=("f64",))
    solver = chemistry.Rosenbrock(mechanism(12), "Rodas3", dimensions=1)
    schedule = WarpPerCell(cells_at_once=at_once, warps=warps, cells=32)
    module.add("integrate", solver.integrate(), schedule=Schedule(gpu=schedule, math="reproducible"))
    text = files(module, ["cuda"])["many/integrate.cuh"]
    tables = {
        name: [int(word, 0) for word in re.findall(r"0x[0-9a-f]+|(?<![\w.])\d+(?![\w.])", body)]
        for name, body in re.findall(
            r"integrate_f64_(begins|words)\[\] = \{(.*?)\};", code_of(text), re.DOTALL
        )
    }
    made = program(*rounds(12), 32 * warps // at_once)
    width, found, waits = 32 // at_once, Counter[tuple[int, int]](), set()
    for begin in tables["begins"]:
        unit, wait, ended = begin, 0, 0
        calls = sum(1 for level in made.levels if level.alike) + (not made.levels[-1].alike)
        while ended < calls:
            how = tables["words"][4 * unit + 1]
            units = (2 + (how >> 2) + 3) // 4
            for lane in range(width):
                words = [
                    w for u in range(units) for w in tables["words"][4 * (unit + u * width + lane) :][:4]
                ]
                assert words[1] == how
                terms = [w for w in words[2:] if w != 1 << 31]
                found[words[0] & 0x7FFF, len(terms)] += bool(terms)
            unit, wait, ended = unit + units * width, wait + (how & 1), ended + (how >> 1 & 1)
        waits.add(wait)
    pieces = [p for level in made.levels for slices in level.slices for p in slices]
    assert found - Counter() == Counter((made.place[p.sum.result], p.length) for p in pieces)
    assert waits == {sum(1 for level in made.levels if level.slices)}


def code_of(text: str) -> str:
    return re.sub(r"//.*", "", text)


def test_cells_that_need_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warp_text, "MOST_BYTES", 100)
    module = Module("many", precisions=("f64",))
    solver = chemistry.Rosenbrock(mechanism(3), "Rodas3", dimensions=1)
    module.add("integrate", solver.integrate(), schedule=Schedule(gpu=WarpPerCell(cells_at_once=2)))
    with pytest.raises(KernelError, match=r"2 cells of 'integrate_f64' need [0-9]+ bytes of shared memory"):
        files(module, ["cuda"])
