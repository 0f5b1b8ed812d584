# SPDX-License-Identifier: Apache-2.0
"""Random expressions: a rewrite that keeps the bits is structural, one over the reals is proved, and what
evaluates to something else is never called the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from heddle.ir import nodes as ir
from heddle.ir.visit import rebuild
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from heddle.roundtrip.equivalence.differential_test import differential_test
from heddle.roundtrip.equivalence.random_inputs import random_inputs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loops import U, V, Value, W, X, call, cast, kernel, loop, select, store, value

SETTINGS = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
Node = ir.Expression
Rewrite = Callable[[Node, random.Random], Node | None]

LEAVES = [U[X].node, V[X].node, U[X + 1].node, V[X - 1].node]


def expression(generator: random.Random, depth: int) -> Node:
    """Arithmetic, functions, selections and conversions over four elements and some constants."""
    if depth == 0 or generator.random() < 0.1:
        if generator.random() < 0.2:
            return value(generator.choice((0.5, -1.5, 2.0, 3.0, 0.1))).node
        return generator.choice(LEAVES)
    a, b, c = (Value(expression(generator, depth - 1)) for _ in range(3))
    made = (a + b, a - b, a * b, a * b, a + b, a / (b * b + 1.5), -a, call("min", a, b), call("max", a, b),
            call("fma", a, b, c), call("abs", a), call("sqrt", b * b + 0.5), select(a < b, b, c),
            select(a >= b, c, a), cast(cast(a, ir.F32), ir.F64))  # fmt: skip
    return generator.choice(made).node


def places(node: Node) -> Iterator[Node]:
    """Every float subexpression outside of indices."""
    if node.type == ir.F64:
        yield node
    if not isinstance(node, ir.Load):
        for child in vars(node).values():
            for entry in child if isinstance(child, tuple) else (child,):
                if isinstance(entry, ir.Expression):
                    yield from places(entry)


def changed(root: Node, generator: random.Random, rewrites: list[Rewrite]) -> Node | None:
    """One rewrite at one place where it applies."""
    spots = list(places(root))
    generator.shuffle(spots)
    for spot in spots:
        for rewrite in generator.sample(rewrites, len(rewrites)):
            new = rewrite(spot, generator)
            if new is not None and new is not spot:
                return replaced(root, spot, new)
    return None


def replaced(node: Node, old: Node, new: Node) -> Node:
    if node is old:
        return new
    if isinstance(node, ir.Load):
        return node
    return rebuild(node, lambda child: replaced(child, old, new))  # type: ignore[no-any-return]


def binary(name: str, *args: Node) -> ir.Op:
    return ir.Op(name, args, ir.F64)


def commuted(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Op("add" | "mul" as name, (a, b)):
            return binary(name, b, a)
    return None


def added(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Op("sub", (a, b)):
            return binary("add", a, binary("neg", b))
    return None


def doubly_negated(node: Node, _: random.Random) -> Node | None:
    return binary("neg", binary("neg", node))


def sign_moved(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Op("mul", (a, b)):
            return binary("neg", binary("mul", binary("neg", a), b))
    return None


def halved(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Op("mul", (a, ir.Const(0.5, _))):
            return binary("div", a, value(2.0).node)
        case ir.Op("mul", (a, ir.Const(2.0, _))):
            return binary("add", a, a)
    return None


def reversed_range(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Select(ir.Op("lt", (a, b)), yes, no):
            return ir.Select(ir.Op("gt", (b, a), ir.BOOL), yes, no)
        case ir.Select(condition, yes, no):
            return ir.Select(ir.Op("not", (condition,), ir.BOOL), no, yes)
    return None


def spelled_out(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Call("min", (a, b)):
            return ir.Select(ir.Op("lt", (b, a), ir.BOOL), b, a)
    return None


BITS: list[Rewrite] = [commuted, added, doubly_negated, sign_moved, halved, reversed_range, spelled_out]


def associated(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Op("add" | "mul" as name, (ir.Op(inner, (a, b)), c)) if inner == name:
            return binary(name, a, binary(name, b, c))
    return None


def distributed(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Op("mul", (ir.Op("add" | "sub" as name, (a, b)), c)):
            return binary(name, binary("mul", a, c), binary("mul", b, c))
        case ir.Call("fma", (a, b, c)):
            return binary("add", binary("mul", a, b), c)
        case ir.Op("div", (a, b)):
            return binary("mul", a, binary("div", value(1.0).node, b))
    return None


def swapped(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Call("min" | "max" as name, (a, b)):
            return ir.Call(name, (b, a), node.type)
        case ir.Select(condition, yes, no) if node.type == ir.F64:
            two = value(2.0).node
            return binary("div", ir.Select(condition, binary("mul", yes, two), binary("mul", two, no)), two)
    return None


REALS: list[Rewrite] = [associated, distributed, swapped]


def other_operator(node: Node, generator: random.Random) -> Node | None:
    match node:
        case ir.Op("add" | "sub" | "mul" | "div" as name, (a, b)):
            others = [other for other in ("add", "sub", "mul", "div") if other != name]
            return binary(generator.choice(others), a, b)
        case ir.Call("min" | "max" as name, args):
            return ir.Call("max" if name == "min" else "min", args, node.type)
    return None


def other_leaf(node: Node, generator: random.Random) -> Node | None:
    if isinstance(node, ir.Load):
        return generator.choice([leaf for leaf in LEAVES if leaf is not node])
    if isinstance(node, ir.Const):
        assert isinstance(node.value, float)
        return ir.Const(node.value * 1.25, node.type)
    return None


def other_order(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Op("sub" | "div" as name, (a, b)):
            return binary(name, b, a)
        case ir.Select(condition, yes, no):
            return ir.Select(condition, no, yes)
        case ir.Select(ir.Op("lt", (a, b)), yes, no):
            return ir.Select(ir.Op("lt", (b, a), ir.BOOL), yes, no)
        case ir.Op("neg", (a,)):
            return a
    return None


def other_rounding(node: Node, _: random.Random) -> Node | None:
    match node:
        case ir.Cast(ir.Cast(a, _), _):
            return a  # type: ignore[no-any-return]
        case ir.Op():
            return ir.Cast(ir.Cast(node, ir.F32), ir.F64)
    return None


MUTATIONS: list[Rewrite] = [other_operator, other_leaf, other_order, other_rounding, associated, distributed]


def of(node: Node) -> ir.Kernel:
    return kernel([U, V, W], loop(X, 0, U.n(), store(W[X], Value(node)), kind="omp"))


@SETTINGS
@given(st.integers(0, 10**6))
def test_what_keeps_the_bits_is_structural(seed: int) -> None:
    generator = random.Random(seed)
    before = after = expression(generator, 4)
    for _ in range(4):
        after = changed(after, generator, BITS) or after
    result = equivalent(of(before), of(after))
    assert isinstance(result, Proof), result
    assert result.tier == "structural"


@SETTINGS
@given(st.integers(0, 10**6))
def test_what_keeps_the_numbers_is_proved(seed: int) -> None:
    generator = random.Random(seed)
    before = after = expression(generator, 4)
    for _ in range(3):
        after = changed(after, generator, [*REALS, *BITS]) or after
    result = equivalent(of(before), of(after))
    assert isinstance(result, Proof), result
    assert result.tier in ("structural", "algebraic"), result


@SETTINGS
@given(st.integers(0, 10**6))
def test_what_evaluates_to_something_else_is_not_structural(seed: int) -> None:
    """The interpreter decides: the results of both, on many more fields, bit for bit."""
    generator = random.Random(seed)
    before = expression(generator, 3)
    after = changed(before, generator, MUTATIONS)
    if after is None:
        return
    a, b = of(before), of(after)
    result = equivalent(a, b)
    seen = differential_test(a, b, random_inputs(a, b, seed + 1000))
    same = not isinstance(seen, Counterexample) and seen.ulp == 0.0
    if isinstance(result, Proof) and result.tier == "structural":
        assert same, (a, b, seen)
    if isinstance(result, Counterexample):
        assert not same


@pytest.mark.parametrize("mutation", [other_operator, other_leaf, other_order])
def test_mutants_are_caught(mutation: Rewrite) -> None:
    """Of those that change a result by more than rounding, every one is a counterexample."""
    caught = 0
    for seed in range(14):
        generator = random.Random(seed)
        before = expression(generator, 3)
        after = changed(before, generator, [mutation])
        if after is None:
            continue
        seen = differential_test(of(before), of(after), random_inputs(of(before), of(after), seed))
        if isinstance(seen, Counterexample) or seen.relative > 1000.0:
            assert isinstance(equivalent(of(before), of(after)), Counterexample)
            caught += 1
    assert caught > 4
