# SPDX-License-Identifier: Apache-2.0
"""What cannot be read is refused, with what and why; and every refusal is provoked here."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.device_calls import device_call
from heddle.roundtrip import compare, equivalence
from heddle.roundtrip.compare import equivalent
from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.random_inputs import random_inputs
from heddle.roundtrip.equivalence.symbolic_execution import SymbolicExecution
from heddle.roundtrip.equivalence.terms import Terms
from loops import Array, U, V, Value, X, cast, kernel, let, loop, named, store, value

N = U.n()
HALF = Array("half", 1, ir.F32)
K = named("k", ir.I64)


def same(*body: ir.Statement) -> Callable[[], object]:
    one = kernel([U, V, HALF], *body)
    return lambda: equivalent(one, one)


def at(pointer: ir.Symbol, index: Value | int = 0) -> Value:
    return Value(ir.Load(pointer, value(index, ir.I64).node))


INDEX = ir.Symbol("u_stride", ir.Pointer(ir.I64))
AS_NUMBERS = ir.Symbol("u", ir.Pointer(ir.I64))
ROOM, ASSUME_LANES = ir.Symbol("room", ir.Pointer(ir.F64)), 2
IN_LANES = (
    ir.Local(ROOM, ASSUME_LANES, "scratch"),
    device_call("load_vector", local=ROOM, first=U[0].node, length=ASSUME_LANES),
    device_call("store_vector", first=V[0].node, local=ROOM, length=ASSUME_LANES),
)
SUMS = ir.Symbol("row_sums", ir.Pointer(ir.F64))
WAITING = device_call("row_sums", SUMS, count=N.node, length=64)
ROW_SUM = device_call(
    "combine_row_sum",
    rows=SUMS,
    first=V[0].node,
    value=U[X].node,
    known=(X < N).node,
    lane=X.node,
    count=N.node,
)
LINE = ir.View(U.pointer, ir.Const(1, ir.I64), ir.Const(1, ir.I64))
CASES: dict[str, tuple[Callable[[], object], str]] = {
    "lanes and something else": (
        lambda: equivalent(kernel([U, V], *IN_LANES), kernel([U, V], store(V[0], value(1.0)))),
        "loop: the kernels run 2 and 1 interleaved blocks at a time and are not proved equal",
    ),
    "a step known only at run time": (
        same(ir.Loop("serial", X.node, value(0, ir.I64).node, N.node, K.node, ())),  # type: ignore[arg-type]
        "loop: the loop over x has no constant step.",
    ),
    "a store to strides": (
        same(store(at(INDEX), value(2, ir.I64))),
        "loop: it stores to 'u_stride', which holds indices.\n  Hint: store to arrays of values only",
    ),
    "an array of two types": (
        same(store(V[0], cast(at(AS_NUMBERS), ir.F64))),
        "loop: u has elements of type f64, but is used with i64.",
    ),
    "a conversion that is missing": (
        same(loop(X, 0, N, ir.Store(HALF[X].node, U[X].node))),  # type: ignore[arg-type]
        "loop: an element of half has type f32, but its value has type f64.",
    ),
    "a pointer as a number": (
        same(ir.Let(K.node, LINE), store(V[K], value(1.0))),  # type: ignore[arg-type]
        "loop: the pointer k is used as a number.",
    ),
    "a number as a pointer": (
        same(let(K, value(1, ir.I64)), store(V[0], at(ir.Symbol("k", ir.Pointer(ir.F64))))),
        "loop: k is used both as a number and as a pointer.",
    ),
    "a view inside an expression": (
        same(ir.Store(V[0].node, ir.Load(U.pointer, ir.Cast(LINE, ir.I64)))),  # type: ignore[arg-type]
        "loop: View is not an expression of a lowered kernel.",
    ),
    "a sum of threads over a row": (
        same(loop(X, 0, N, WAITING, ROW_SUM, kind="thread")),
        "loop: the proof does not read combine_row_sum, with which threads combine the values of a row.",
    ),
    "a remainder of numbers": (
        same(store(V[0], U[0] % U[1])),
        "equivalent: the operation 'rem' is not defined on f64.\n  Hint: use a type that supports it",
    ),
    "what breaks the rules of its level": (
        same(ir.Store(V[0].node, ir.Op("add", (U[0].node, K.node), ir.F64))),  # type: ignore[arg-type]
        "loop: loop: operands of different types in Op(",
    ),
    "a statement of another level": (
        lambda: SymbolicExecution(kernel([U], ir.Reduce("sum", named("total").node, U[0].node)), BITS).read(),  # type: ignore[arg-type]
        "loop: Reduce is not a statement of a lowered kernel.",
    ),
    "one reduction in the fixed order, and nothing to run": (
        lambda: equivalent(
            kernel([U, V], store(V[0], U[0])),
            kernel(
                [U, V], ir.Store(V[0].node, ir.Call("combine_sum", (U.pointer, ir.Const(3, ir.I64)), ir.F64))
            ),  # type: ignore[arg-type]
            memory=[],
        ),
        "loop: only one of the kernels reduces in the order of ir.reduction",
    ),
    "four dimensions": (
        lambda: list(random_inputs(kernel([Array("u", 4)]), kernel([Array("u", 4)]))),
        "loop: it has 4 dimensions, which is not supported.",
    ),
}
BITS = FloatTerms(Terms(), set())


@pytest.mark.parametrize("name", CASES)
def test_refusals(name: str) -> None:
    case, message = CASES[name]
    with pytest.raises(KernelError) as error:
        case()
    assert str(error.value).startswith(message)


def test_every_refusal_has_a_case() -> None:
    seen = set()
    for case, _ in CASES.values():
        with pytest.raises(KernelError) as error:
            case()
        frame = traceback.extract_tb(error.value.__traceback__)[-1]
        seen.add((Path(frame.filename).name, frame.lineno))
    raised = {
        (path.name, node.lineno)
        for path in (*Path(equivalence.__file__).parent.glob("*.py"), Path(compare.__file__))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and getattr(node.exc.func, "id", "") == "KernelError"
    }
    assert raised == seen
