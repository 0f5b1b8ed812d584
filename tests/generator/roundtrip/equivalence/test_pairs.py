# SPDX-License-Identifier: Apache-2.0
"""Pairs of loops written by hand: the same bits, the same numbers, or not the same."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from heddle.ir import nodes as ir
from heddle.ir.build import operate
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from loops import (
    A,
    Array,
    B,
    C,
    S,
    T,
    U,
    V,
    Value,
    W,
    X,
    Y,
    assign,
    call,
    cast,
    kernel,
    let,
    loop,
    named,
    output,
    select,
    store,
    value,
    var,
    when,
)

N = U.n()
P, Q = Array("p", 2), Array("q", 2)
FLAG = Array("flag", 1, ir.I32)
SINGLE = Array("single", 1, ir.F32)
K = named("k", ir.I64)


def pointwise(*expressions: Value) -> list[ir.Kernel]:
    """`w[x] = expression` for each of them, over a, b, c from memory."""
    head = (let(A, U[X]), let(B, V[X]), let(C, U[X + 1]))
    return [
        kernel([U, V, W, SINGLE, FLAG], loop(X, 0, N, *head, store(W[X], expression), kind="omp"))
        for expression in expressions
    ]


def bodies(*choices: Sequence[ir.Statement], arrays: Sequence[Array] = (U, V, W)) -> list[ir.Kernel]:
    return [kernel(arrays, *body) for body in choices]


def summed(order: Callable[[Value], Value], kind: str = "serial") -> list[ir.Statement]:
    total = named("total")
    body = assign(total, total + U[order(X)])
    return [var(total, value(0.0)), loop(X, 0, N, body, kind=kind), store(output("sum"), total)]


def extreme(name: str, *, swapped: bool = False, start: float = 0.0, place: Value = X) -> list[ir.Statement]:
    best = named("best")
    args = (U[place], best) if swapped else (best, U[place])
    return [
        var(best, value(start)),
        loop(X, 0, N, assign(best, call(name, *args))),
        store(output("extreme"), best),
    ]


def plane(inner: Value, outer: Value, *body: ir.Statement, kind: str = "omp") -> list[ir.Statement]:
    extent = {id(X): P.n(0), id(Y): P.n(1)}
    return [loop(outer, 0, extent[id(outer)], loop(inner, 0, extent[id(inner)], *body, kind=kind), kind=kind)]


def column(first: Value, update: Callable[[Value], Value], *, backwards: bool = False) -> list[ir.Statement]:
    """A carried value along x, stored where it is visited."""
    begin, end, step = (N - 1, value(-1, ir.I64), -1) if backwards else (value(0, ir.I64), N, 1)
    return [var(S, first), loop(X, begin, end, assign(S, update(S)), store(V[X], S), step=step)]


SMOOTH = store(Q[X, Y], P[X, Y] + P[X + 1, Y] + P[X, Y - 1])

STRUCTURAL = {
    "operands of + change places": pointwise(A + B, B + A),
    "operands of * change places": pointwise(A * B + C, C + B * A),
    "minus is plus a negation": pointwise(A - B, A + -B),
    "a sign moves out of a product": pointwise((-A) * B, -(A * B)),
    "twice is a sum": pointwise(2 * A, A + A),
    "a half": pointwise(A / 2, A * 0.5),
    "a third as it is emitted": pointwise(value(Fraction(1, 3)) * A, (value(1.0) / value(3.0)) * A),
    "a wider literal": pointwise(cast(value(0.25, ir.F32), ir.F64) * A, A * 0.25),
    "greater is less, turned": pointwise(select(A > B, A, C), select(B < A, A, C)),
    "not less, of integers": pointwise(select(~(X < N - 1), A, B), select(X >= N - 1, A, B)),
    "a minimum as a selection": pointwise(call("min", A, B), select(B < A, B, A)),
    "a maximum with what nothing is below": pointwise(call("max", value(-math.inf), A), A),
    "a minimum with what nothing is above": pointwise(A, call("min", A, value(math.inf))),
    "a widening and back": pointwise(cast(cast(SINGLE[X], ir.F64), ir.F32), SINGLE[X])
    and pointwise(cast(SINGLE[X], ir.F64) * A, A * cast(cast(cast(SINGLE[X], ir.F64), ir.F32), ir.F64)),
    "a branch as a selection": bodies(
        [loop(X, 0, N, when(U[X] > V[X], store(W[X], U[X])), when(~(U[X] > V[X]), store(W[X], V[X])))],
        [loop(X, 0, N, store(W[X], select(U[X] > V[X], U[X], V[X])))],
    ),
    "storing what is there": bodies(
        [loop(X, 0, N, when(U[X] > 0, store(W[X], V[X])))],
        [loop(X, 0, N, store(W[X], select(U[X] > 0, V[X], W[X])))],
    ),
    "a loop that starts at 1": bodies(
        [loop(X, 1, N - 1, store(W[X], U[X - 1]))],
        [loop(X, 0, N - 2, store(W[X + 1], U[X]))],
    ),
    "an independent loop backwards": bodies(
        [loop(X, 0, N, store(W[X], U[X + 1]))], [loop(X, N - 1, -1, store(W[X], U[X + 1]), step=-1)]
    ),
    "two loops are one": bodies(
        [loop(X, 0, N, store(W[X], U[X])), loop(X, 0, N, store(V[X], U[X + 1]))],
        [loop(X, 0, N, store(V[X], U[X + 1]), store(W[X], U[X]))],
    ),
    "nests change places": [
        kernel([P, Q], *body) for body in (plane(X, Y, SMOOTH), plane(Y, X, SMOOTH, kind="serial"))
    ],
    "a loop in pieces": bodies(
        [loop(X, 0, N, store(W[X], U[X]))],
        [
            loop(
                K,
                0,
                N,
                loop(X, K, call("min", K + 8, N), store(W[X], U[X])),
                step=8,
            )
        ],
    ),
    "a local is its value": bodies(
        [loop(X, 0, N, let(S, U[X] * V[X]), store(W[X], S + S * A))],
        [loop(X, 0, N, store(W[X], U[X] * V[X] + U[X] * V[X] * A))],
    ),
    "a load before the store that hides it": bodies(
        [loop(X, 0, N, let(S, U[X]), store(U[X], V[X]), store(W[X], S))],
        [loop(X, 0, N, store(W[X], U[X]), store(U[X], V[X]))],
    ),
    "an index written in another way": bodies(
        [loop(X, 0, N, store(W[X], U[(X + 1) * 1 - 1 + X - X]))], [loop(X, 0, N, store(W[X], U[X]))]
    ),
    "a maximum in any order": [
        kernel([U], *extreme("max", place=place), outputs=["extreme"]) for place in (X, N - 1 - X)
    ],
    "an independent loop read backwards": bodies(
        [loop(X, 0, N, store(W[N - 1 - X], U[N - X]))], [loop(X, 0, N, store(W[X], U[X + 1]))]
    ),
    "carried values under other names": [
        kernel([U, V], *body)
        for body in (
            column(value(0.0), lambda s: s * U[X] + 1),
            [
                var(T, value(0.0)),
                loop(K, 0, N, let(A, T * U[K] + 1), store(V[K], A), assign(T, A)),
            ],
        )
    ],
    "a few iterations written out": bodies(
        [loop(K, 0, 3, store(W[K], U[K]))], [store(W[0], U[0]), store(W[1], U[1]), store(W[2], U[2])]
    ),
}

ALGEBRAIC = {
    "sums associate": pointwise((A + B) + C, A + (B + C)),
    "products distribute": pointwise(A * (B + C), A * B + A * C),
    "a common denominator": pointwise(1 / A + 1 / B, (A + B) / (A * B)),
    "quotients of quotients": pointwise(A / B / C, A / (B * C)),
    "a quotient times its divisor": pointwise((A / B) * B, A),
    "a difference turned": pointwise(A - B, -(B - A)),
    "a third and a sixth": pointwise(A / 3 + A / 6, A * 0.5),
    "fused": pointwise(call("fma", A, B, C), A * B + C),
    "a square": pointwise(call("pow", A, value(2.0)), A * A),
    "a distance turned": pointwise(call("abs", A - B), call("abs", B - A)),
    "a minimum turned": pointwise(call("min", A, B), call("min", B, A)),
    "a maximum of three": pointwise(call("max", call("max", A, B), C), call("max", A, call("max", C, B))),
    "a scaled selection": pointwise(select(A < B, A, C) * B, select(A < B, A * B, C * B)),
    "twice one condition": pointwise(
        select(A < B, A, C) * select(A < B, B, 2 * A), select(A < B, A * B, C * A * 2)
    ),
    "not less": pointwise(select(~(A < B), A, C), select(A >= B, A, C)),
    "rounded on the way": pointwise(cast(cast(A * B, ir.F32), ir.F64), A * B),
    "a root of an expression": pointwise(call("sqrt", A * A + A * B), call("sqrt", A * (A + B))),
    "integers as numbers": pointwise(cast(X * 2 + 1, ir.F64) * A, (cast(X, ir.F64) * 2 + 1) * A),
    "a sum backwards": [
        kernel([U], *body, outputs=["sum"]) for body in (summed(lambda x: x), summed(lambda x: N - 1 - x))
    ],
    "a recurrence written in another way": [
        kernel([U, V], *body)
        for body in (
            column(value(0.0), lambda s: (s + 1) * U[X]),
            column(value(0.0), lambda s: U[X] + s * U[X]),
        )
    ],
}

DIFFERENT = {
    "a sign": pointwise(A + B, A - B),
    "a coefficient": pointwise(A * 0.25, A * 0.125),
    "a parenthesis": pointwise(A * (B + C), A * B + C),
    "a neighbour": pointwise(A + B, A + V[X + 1]),
    "the other neighbour": pointwise(U[X - 1], U[X + 1]),
    "a bound": bodies([loop(X, 0, N, store(W[X], U[X]))], [loop(X, 0, N - 1, store(W[X], U[X]))]),
    "a start": bodies([loop(X, 0, N, store(W[X], U[X]))], [loop(X, 1, N, store(W[X], U[X]))]),
    "a step": bodies([loop(X, 0, N, store(W[X], U[X]))], [loop(X, 0, N, store(W[X], U[X]), step=2)]),
    "a guard": bodies(
        [loop(X, 0, N, when(U[X] > V[X], store(W[X], U[X])))],
        [loop(X, 0, N, when(U[X] > V[X + 1], store(W[X], U[X])))],
    ),
    "a guard turned": bodies(
        [loop(X, 0, N, when(U[X] > V[X], store(W[X], U[X])))],
        [loop(X, 0, N, when(U[X] < V[X], store(W[X], U[X])))],
    ),
    "a guard that is missing": bodies(
        [loop(X, 0, N, when(U[X] > V[X], store(W[X], U[X])))], [loop(X, 0, N, store(W[X], U[X]))]
    ),
    "a colour": bodies(
        [loop(X, 0, N, when((X % 2).equals(0), store(W[X], U[X])))],
        [loop(X, 0, N, when((X % 2).equals(1), store(W[X], U[X])))],
    ),
    "where it is stored": bodies([loop(X, 0, N, store(W[X], U[X]))], [loop(X, 0, N, store(W[X + 1], U[X]))]),
    "which array": bodies([loop(X, 0, N, store(W[X], U[X]))], [loop(X, 0, N, store(V[X], U[X]))]),
    "a store that is missing": bodies(
        [loop(X, 0, N, store(W[X], U[X]), store(V[X], U[X]))], [loop(X, 0, N, store(W[X], U[X]))]
    ),
    "a load after the store": bodies(
        [loop(X, 0, N, let(S, U[X]), store(U[X], V[X]), store(W[X], S))],
        [loop(X, 0, N, store(U[X], V[X]), store(W[X], U[X]))],
    ),
    "in place, and not": bodies(
        [loop(X, 1, N, store(W[X], W[X - 1] + U[X]))], [loop(X, 1, N, store(W[X], U[X - 1] + U[X]))]
    ),
    "in place, the other way": bodies(
        [loop(X, 0, N, store(W[X], W[X - 1] + U[X]))],
        [loop(X, N - 1, -1, store(W[X], W[X - 1] + U[X]), step=-1)],
    ),
    "two stores to one element": bodies(
        [loop(X, 0, N, store(W[X], U[X]), store(W[X], V[X]))],
        [loop(X, 0, N, store(W[X], V[X]), store(W[X], U[X]))],
    ),
    "axes": [
        kernel([P, Q], *plane(X, Y, store(Q[X, Y], P[X + 1, Y]))),
        kernel([P, Q], *plane(X, Y, store(Q[X, Y], P[X, Y + 1]))),
    ],
    "a reduction": [kernel([U], *extreme(name), outputs=["extreme"]) for name in ("min", "max")],
    "where a reduction starts": [
        kernel([U], *extreme("max", start=start), outputs=["extreme"]) for start in (0.0, 1.25)
    ],
    "the direction of a scan": [
        kernel([U, V], *column(value(0.0), lambda s: s * U[X] + 1, backwards=backwards))
        for backwards in (False, True)
    ],
    "the first carried value": [
        kernel([U, V], *column(value(first), lambda s: s * U[X] + 1)) for first in (0.0, 1.0)
    ],
    "what is carried": [
        kernel([U, V], *column(value(0.0), update))
        for update in (lambda s: s * U[X] + 1, lambda s: s * U[X + 1] + 1)
    ],
    "a condition of integers": pointwise(select(X < N - 1, A, B), select(X <= N - 1, A, B)),
    "a quotient of integers": pointwise(cast(X // 2, ir.F64) * A, cast((X + 1) // 2, ir.F64) * A),
    "integers before numbers": pointwise(cast(X // 2, ir.F64), cast(X, ir.F64) / 2),
    "a remainder of a negative number": pointwise(cast((X - 3) % 2, ir.F64), cast((X + 3) % 2, ir.F64)),
    "an unsigned difference": pointwise(cast(cast(FLAG[X], ir.U32) - 7, ir.F64), cast(FLAG[X] - 7, ir.F64)),
    "a narrow integer": pointwise(cast(cast(X + 250, ir.U8), ir.F64), cast(X + 250, ir.F64)),
    "truncation": pointwise(cast(cast(A * 3, ir.I32), ir.F64), A * 3),
    "a bound that is halved": pointwise(select(X * 2 <= 3, A, B), select(X <= 2, A, B)),
    "a product that wraps": pointwise(
        cast(cast(cast(X, ir.U8) * 16, ir.I64), ir.F64), cast(cast(cast(X, ir.U8), ir.I64) * 16, ir.F64)
    ),
    "a load after a store under a guard": bodies(
        [loop(X, 0, N, when(U[X] > 1, store(W[X], U[X])), store(V[X], W[X]))],
        [loop(X, 0, N, when(U[X] > 1, store(W[X], U[X])), store(V[X], U[X]))],
    ),
    "the order of two loops": bodies(
        [loop(X, 0, N, store(W[X], U[X])), loop(X, 0, N, store(W[X + 1], V[X]))],
        [loop(X, 0, N, store(W[X + 1], V[X])), loop(X, 0, N, store(W[X], U[X]))],
    ),
    "a store between two others": [
        kernel([U, V, W], loop(X, 0, N, *body), parameters=[K])
        for body in (
            (store(W[X], U[X]), store(W[K], V[X]), store(W[X], U[X] + V[X])),
            (store(W[X], U[X] + V[X]), store(W[K], V[X])),
        )
    ],
    "pieces that leave out the last": bodies(
        [loop(X, 0, N, store(W[X], U[X]))],
        [loop(K, 0, N - 8, loop(X, K, call("min", K + 8, N), store(W[X], U[X])), step=8)],
    ),
    "a guard around a loop": bodies(
        [when(U[0] > 1, loop(X, 0, N, store(W[X], V[X])))], [loop(X, 0, N, store(W[X], V[X]))]
    ),
    "an element that the loop before left out": bodies(
        [loop(X, 0, N - 1, store(W[X], U[X])), loop(X, 0, N, store(V[X], W[X]))],
        [loop(X, 0, N - 1, store(W[X], U[X])), loop(X, 0, N, store(V[X], U[X]))],
    ),
    "a function": pointwise(call("exp", A), call("log", A)),
    "a maximum with what nothing is above": pointwise(call("max", value(math.inf), A), A),
}

NOT_STRUCTURAL = {
    "swapped minimum": pointwise(call("min", A, B), call("min", B, A)),
    "swapped maximum in a reduction": [
        kernel([U], *extreme("max", swapped=swapped), outputs=["extreme"]) for swapped in (False, True)
    ],
    "not less, of numbers": pointwise(select(~(A < B), A, C), select(A >= B, A, C)),
    "a sum that is not ordered": [
        kernel([U], *summed(lambda x: x, kind), outputs=["sum"]) for kind in ("serial", "omp")
    ],
    "a precision": pointwise(
        cast(cast(A, ir.F32) * cast(B, ir.F32), ir.F64), cast(cast(A * B, ir.F32), ir.F64)
    ),
    "an addition of zero": pointwise(A + 0.0, A),
    "a product with zero": pointwise(A * 0.0, value(0.0) + 0.0 * B),
    "a difference from zero": pointwise(0.0 - A, -A),
    "a negated sum": pointwise(-(A + B), -A - B),
}


@pytest.mark.parametrize("name", STRUCTURAL)
def test_the_same_bits(name: str) -> None:
    result = equivalent(*STRUCTURAL[name])
    assert isinstance(result, Proof), result
    assert result.tier == "structural", result


@pytest.mark.parametrize("name", ALGEBRAIC)
def test_the_same_numbers(name: str) -> None:
    result = equivalent(*ALGEBRAIC[name])
    assert isinstance(result, Proof), result
    assert result.tier == "algebraic", result
    assert result.rounding is not None


@pytest.mark.parametrize("name", DIFFERENT)
def test_not_the_same(name: str) -> None:
    """A counterexample that says where, with what both kernels leave there."""
    for pair in (DIFFERENT[name], DIFFERENT[name][::-1]):
        result = equivalent(*pair)
        assert isinstance(result, Counterexample), result
        assert result.reason
        assert result.where
        assert len(set(map(repr, result.values))) == 2, result


def test_evidence_is_called_so() -> None:
    """The second store of each iteration is overwritten by the next one: true, but not proved."""
    one, two = store(W[X], U[X]), store(W[X + 1], V[X])
    result = equivalent(*bodies([loop(X, 0, N, one, two)], [loop(X, 0, N, two, one)]))
    assert isinstance(result, Proof)
    assert result.tier == "numeric"
    assert result.rounding == 0.0
    assert "not proved" in result.detail


@pytest.mark.parametrize("name", NOT_STRUCTURAL)
def test_not_the_same_bits(name: str) -> None:
    result = equivalent(*NOT_STRUCTURAL[name])
    assert not (isinstance(result, Proof) and result.tier == "structural"), result


def test_every_pair_of_itself() -> None:
    for pairs in (STRUCTURAL, ALGEBRAIC, DIFFERENT, NOT_STRUCTURAL):
        for one in itertools.chain.from_iterable(pairs.values()):
            result = equivalent(one, one)
            assert isinstance(result, Proof)
            assert result.tier == "structural"


def test_bits_of_an_integer_operation() -> None:
    """Unsigned sums are taken modulo 2^32, and that is what both kernels must do."""
    flags = cast(FLAG[X], ir.U32)
    three = Value(operate("add", (flags - 7).node, ir.Const(4, ir.U32)))
    result = equivalent(*pointwise(cast(three, ir.F64), cast(flags - 3, ir.F64)))
    assert isinstance(result, Proof)
    assert result.tier == "structural"
