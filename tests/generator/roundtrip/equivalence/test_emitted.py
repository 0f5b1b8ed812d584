# SPDX-License-Identifier: Apache-2.0
"""What Heddle emits beside plain loops: colours, tiles of reductions, threads that count cells by one number,
boxes of an exchange. Equal ones are proved; those that differ in one place are not."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import sympy
from heddle import Assignment, Reduce, fields
from heddle.build import load
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.build import operate
from heddle.ir.hash_consing import Node
from heddle.ir.schedule import Schedule, precision
from heddle.ir.visit import rebuild
from heddle.module import KernelModel
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from heddle.roundtrip.equivalence.differential_test import differential_test
from heddle.roundtrip.equivalence.random_inputs import random_inputs
from loops import (
    Array,
    U,
    Value,
    W,
    X,
    Y,
    assign,
    call,
    cast,
    kernel,
    loop,
    named,
    output,
    store,
    value,
    var,
    when,
)
from models import coloured_reduction, column_reduction, model, reduction, relaxation, split_relaxation
from test_pairs import pointwise

ROOT = Path(__file__).resolve().parents[4]
P, Q = Array("p", 2), Array("q", 2)
NX, NY = P.n(0), P.n(1)
K, C = named("k", ir.I64), named("colour", ir.I64)


def bit(number: Value) -> Value:
    return Value(operate("bitand", number.node, ir.Const(1, ir.I64)))


def number(integer: Value) -> Value:
    return cast(integer, ir.F64)


def visited(offset: tuple[int, int], kind: str, colour: int = 0) -> ir.Kernel:
    """Cells of a colour in place, found by a condition."""
    there = P[X + offset[0], Y + offset[1]]
    body = when(bit(X + Y + 1).equals(colour), store(P[X, Y], P[X, Y] + there))
    return kernel([P, Q], loop(Y, 0, NY, loop(X, 0, NX, body, kind=kind), kind=kind))


def started(offset: tuple[int, int], kind: str, step: int = 2) -> ir.Kernel:
    """Cells of a colour in place, from the first one on."""
    first = bit(Y + 1)
    body = store(P[X, Y], P[X, Y] + P[X + offset[0], Y + offset[1]])
    return kernel([P, Q], loop(Y, 0, NY, loop(X, first, NX, body, step=step, kind=kind), kind=kind))


def in_pieces(size: int = 16, late: int = 1) -> ir.Kernel:
    """Every second cell of a row, piece by piece."""
    body = loop(X, K + bit(Y + late), call("min", K + size, NX), store(Q[X, Y], P[X, Y]), step=2)
    return kernel([P, Q], loop(Y, 0, NY, loop(K, 0, NX, body, step=16), kind="omp"))


def whole_row() -> ir.Kernel:
    body = loop(X, bit(Y + 1), NX, store(Q[X, Y], P[X, Y]), step=2)
    return kernel([P, Q], loop(Y, 0, NY, body, kind="omp"))


def counted(extent: Value, swapped: bool = False) -> ir.Kernel:
    """The cells of a plane by one number."""
    x, y = K % extent, K // extent
    place = (y, x) if swapped else (x, y)
    return kernel([P, Q], loop(K, 0, NX * NY, store(Q[place], P[place]), kind="thread"))


def plane() -> ir.Kernel:
    return kernel([P, Q], loop(Y, 0, NY, loop(X, 0, NX, store(Q[X, Y], P[X, Y]))))


def guarded(*conditions: Value) -> ir.Kernel:
    return kernel(
        [U, W], loop(X, 0, U.n(), *(when(condition, store(W[X], U[X])) for condition in conditions))
    )


LARGE, FIRST, LAST = U[X] > 1, X.equals(0), X.equals(5)
SAME: dict[str, Sequence[ir.Kernel]] = {
    "a multiple over its factor": pointwise(number(X * 12 // 4), number(X * 3)),
    "a bit beside pairs": pointwise(number((X * 2 + bit(X)) // 2), number(X)),
    "a bit beside pairs in tiles": pointwise(number((X * 2 + bit(X)) // 64), number(X // 32)),
    "a quotient of a quotient": pointwise(number(X // 4 // 8), number(X // 32)),
    "a multiple and a rest": pointwise(number((X * 8 + X // 3) // 8), number(X + X // 3 // 8)),
    "a remainder": pointwise(number(X % 8), number(X - X // 8 * 8)),
    "less than the divisor": pointwise(number(bit(X) // 2), number(X - X)),
    "colours in any order": [visited((-1, 0), kind) for kind in ("serial", "omp")],
    "colours from the first one on": [started((0, 1), kind) for kind in ("serial", "omp")],
    "every second cell in pieces": [in_pieces(), whole_row()],
    "cells by one number": [counted(NX), plane()],
    "conditions with a part in common": [guarded(LARGE & FIRST, LARGE & LAST), guarded(
        Value(operate("and", LARGE.node, operate("or", FIRST.node, LAST.node))))],
}  # fmt: skip
OTHER: dict[str, Sequence[ir.Kernel]] = {
    "rounding towards zero": pointwise(number((X - 8) // 8), number(X // 8 - 1)),
    "two bits beside pairs": pointwise(number((X * 2 + bit(X) * 2) // 2), number(X)),
    "a rest that is no multiple": pointwise(number((X * 8 + 8 - X) // 8), number(X + (8 - X) // 8 - X // 9)),
    "another colour": [visited((-1, 0), "omp", colour) for colour in (0, 1)],
    "every cell": [started((0, 1), "omp", step) for step in (1, 2)],
    "pieces with gaps": [in_pieces(14), whole_row()],
    "pieces that begin late": [in_pieces(late=0), whole_row()],
    "cells by another extent": [counted(NY), plane()],
    "axes in the other order": [counted(NX, swapped=True), plane()],
    "another condition": [guarded(LARGE & FIRST, LARGE & LAST), guarded(LARGE & FIRST)],
}
NOT_INDEPENDENT: dict[str, Sequence[ir.Kernel]] = {
    "a neighbour of the own colour": [visited((-1, 1), kind) for kind in ("serial", "omp")],
    "a neighbour two cells away": [started((2, 0), kind) for kind in ("serial", "omp")],
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_bits(name: str) -> None:
    result = equivalent(*SAME[name])
    assert isinstance(result, Proof), result
    assert result.tier == "structural", result


@pytest.mark.parametrize("name", OTHER)
def test_not_the_same(name: str) -> None:
    result = equivalent(*OTHER[name])
    assert isinstance(result, Counterexample), result
    assert len(set(map(repr, result.values))) == 2, result


@pytest.mark.parametrize("name", NOT_INDEPENDENT)
def test_in_another_order_nothing_is_claimed(name: str) -> None:
    result = equivalent(*NOT_INDEPENDENT[name])
    assert not (isinstance(result, Proof) and result.tier == "structural"), result


# --- Whole kernels, and such with one fault -----------------------------------------------------------------


def lowered(entry: KernelModel, target: str) -> ir.Kernel:
    known = precision("f64")
    return lower(entry.typed(known), Request(known, entry.schedule, TARGETS[target])).lowered


def exchange(kernel_name: str, target: str) -> ir.Kernel:
    module = load(ROOT / "tests" / "kernels" / "halo" / "model.py")
    return module.stages(kernel_name, "f64", target).lowered


def chessboard(colours: int = 2) -> Schedule:
    return Schedule(colours=colours)


MODELS = {
    "reduction": model(reduction()),
    "columns": model(column_reduction()),
    "colours": model(relaxation(2, "faces"), chessboard()),
    "corners": model(relaxation(2, "corners"), chessboard(4)),
    "coloured reduction": model(coloured_reduction(), chessboard()),
    "split": model(split_relaxation(2), chessboard()),
    "mixed": model(split_relaxation(3, True), chessboard()),
}
COMPARED = ("reference", "cpu", "cuda")
KERNELS = {name: [lowered(entry, target) for target in COMPARED] for name, entry in MODELS.items()} | {
    name: [exchange(name, target) for target in COMPARED] for name in ("halo_pack", "halo_unpack")
}


@pytest.mark.parametrize("name", KERNELS)
def test_targets_do_the_same(name: str) -> None:
    reference, cpu, cuda = KERNELS[name]
    for pair in ((reference, cpu), (cpu, cuda), (cuda, reference)):
        result = equivalent(*pair)
        assert isinstance(result, Proof), result
        assert result.tier == "structural", result


def faults(node: Node) -> Iterator[Node]:
    """A node with one thing changed: a number, an operator, the order of operands, a step."""
    match node:
        case ir.Const(int() as known, scalar) if scalar is not None and not scalar.is_float:
            yield ir.Const(known + 1, scalar)
        case ir.Op("add" | "sub" as name, args, scalar):
            yield ir.Op("sub" if name == "add" else "add", args, scalar)
        case ir.Op("lt", args, scalar):
            yield ir.Op("le", args, scalar)
        case ir.Op("div" | "rem" as name, args, scalar) if scalar is not None and not scalar.is_float:
            yield ir.Op("rem" if name == "div" else "div", args, scalar)
        case ir.Call("max" | "min" as name, args, scalar):
            yield ir.Call("min" if name == "max" else "max", args, scalar)
        case ir.Symbol("x_count" | "y_count" as name, scalar):
            yield ir.Symbol("y_count" if name == "x_count" else "x_count", scalar)


def mutants(kernel: ir.Kernel) -> list[ir.Kernel]:
    """The kernel with one fault, for every place and fault."""

    def changed(node: Node) -> Iterator[Node]:
        yield from faults(node)
        for name, part in vars(node).items():
            parts = part if isinstance(part, tuple) else (part,)
            for at, child in enumerate(parts):
                if isinstance(child, Node) and not isinstance(child, (ir.Scalar, ir.Pointer, ir.Field)):
                    for new in changed(child):
                        entries = (*parts[:at], new, *parts[at + 1 :])
                        yield dataclasses.replace(node, **{name: entries if isinstance(part, tuple) else new})

    return [
        dataclasses.replace(kernel, body=(*kernel.body[:at], new, *kernel.body[at + 1 :]))  # type: ignore[arg-type]
        for at, statement in enumerate(kernel.body)
        for new in changed(statement)
    ]


SAMPLED = tuple(name for name in KERNELS if name not in ("mixed", "halo_pack", "halo_unpack"))
"""The fault in a table of boxes may be a box of 2^31 cells, which nobody runs: see below."""


@pytest.mark.parametrize("target", [1, 2], ids=["cpu", "cuda"])
@pytest.mark.parametrize("name", SAMPLED)
def test_one_fault_is_found(name: str, target: int) -> None:
    """If a proof is given all the same, both kernels leave the same bits on any memory."""
    one = KERNELS[name][target]
    found = 0
    for mutant in random.Random(name).sample(mutants(one), 4):
        result = equivalent(one, mutant)
        found += not result
        if isinstance(result, Proof) and result.tier == "structural":
            seen = differential_test(one, mutant, random_inputs(one, mutant, 77))
            assert not isinstance(seen, Counterexample), (mutant, seen)
            assert seen.ulp == 0.0
    assert found


SECOND_FIELD = ir.Op("eq", (ir.Symbol("field", ir.I64), ir.Const(1, ir.I64)), ir.BOOL)
BOX_FAULTS = {
    "axes": ({"x_count": "y_count", "y_count": "x_count"}, ()),
    "first cells": ({"x_begin": "y_begin"}, ()),
    "components": ({"component": "field"}, ()),
    "a field": (
        {},
        (ir.Op("eq", (ir.Symbol("field", ir.I64), ir.Const(1, ir.I64)), ir.BOOL), ir.Const(True, ir.BOOL)),
    ),
    "the last cell": ({}, ("lt", "le")),
}


@pytest.mark.parametrize("fault", BOX_FAULTS)
@pytest.mark.parametrize("name", ["halo_pack", "halo_unpack"])
def test_a_fault_in_boxes_is_found(name: str, fault: str) -> None:
    names, exchanged = BOX_FAULTS[fault]

    def changed(node: Node) -> Node:
        if exchanged and node is exchanged[0]:
            return exchanged[1]  # type: ignore[return-value]
        if isinstance(node, ir.Op) and exchanged and node.name == exchanged[0]:
            return ir.Op(str(exchanged[1]), node.args, node.type)
        if isinstance(node, ir.Symbol) and node.name in names:
            return ir.Symbol(names[node.name], node.type)
        if isinstance(node, ir.Let):
            return dataclasses.replace(node, value=changed(node.value))
        return rebuild(node, changed)  # type: ignore[no-any-return]

    _, cpu, cuda = KERNELS[name]
    wrong = dataclasses.replace(cuda, body=tuple(changed(statement) for statement in cuda.body))
    assert wrong is not cuda
    result = equivalent(cpu, wrong)
    assert not (isinstance(result, Proof) and result.tier == "structural"), result


# --- Reductions of one's own --------------------------------------------------------------------------------


def own_loop(kind: str = "serial", squares: bool = True, begin: int = 0) -> ir.Kernel:
    """A sum and a maximum as people write them."""
    u, v = Array("u", 2), Array("v", 2)
    total, most, here = named("sum"), named("best"), u[X, Y]
    body = (
        store(v[X, Y], here * 2),
        assign(total, total + (here * here if squares else here)),
        assign(most, call("max", most, call("abs", here))),
    )
    return kernel(
        [u, v],
        var(total, value(0.0)),
        var(most, value(float("-inf"))),
        loop(X, 0, u.n(0), loop(Y, begin, u.n(1), *body), kind=kind),
        store(output("total"), total),
        store(output("most"), most),
        outputs=["total", "most"],
    )


def own_model() -> KernelModel:
    u, v = fields("u, v: double[2D]")
    return model(
        [
            Assignment(v.here, u.here * 2),
            Reduce("sum", "total", u.here * u.here),
            Reduce("max", "most", sympy.Abs(u.here)),
        ]
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_of_ones_own_gives_the_same_over_the_reals(target: str) -> None:
    for kind in ("serial", "omp"):
        result = equivalent(lowered(own_model(), target), own_loop(kind))
        assert isinstance(result, Proof), result
        assert result.tier == "algebraic", result
        assert result.rounding is not None
        assert result.rounding < 8


@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_of_ones_own_that_gives_something_else(target: str) -> None:
    for other in (own_loop(squares=False), own_loop(begin=1)):
        assert isinstance(equivalent(lowered(own_model(), target), other), Counterexample)


def test_a_group_that_is_left_out() -> None:
    """A tile of a row in which a colour has no cell holds nothing unless it is combined, too."""
    one = lowered(MODELS["coloured reduction"], "cpu")

    def where_there_are_cells(node: Node) -> Node:
        match node:
            case ir.Store(_, ir.Call(_, (ir.Symbol("error_run"), count))):
                return ir.If(ir.Op("lt", (ir.Const(0, ir.I64), count), ir.BOOL), (node,))
        return rebuild(node, where_there_are_cells)  # type: ignore[no-any-return]

    other = dataclasses.replace(one, body=tuple(where_there_are_cells(s) for s in one.body))
    assert other is not one
    result = equivalent(one, other)
    assert not (isinstance(result, Proof) and result.tier == "structural"), result
