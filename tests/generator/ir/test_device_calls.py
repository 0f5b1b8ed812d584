# SPDX-License-Identifier: Apache-2.0
"""Device calls: a made-up row goes all the way without another file, and the rows fit their headers."""

from __future__ import annotations

import dataclasses
import random
import re
from pathlib import Path

import pytest
from heddle.emit.cost import cost
from heddle.emit.kernel_files import headers_of
from heddle.emit.statement import StatementPrinter
from heddle.emit.targets import CPU, CUDA
from heddle.ir import nodes as ir
from heddle.ir.build import add, integer, operate
from heddle.ir.device_calls import (
    ARRAY,
    DEVICE_CALLS,
    VALUE,
    DeviceFunction,
    device_call,
    with_parts,
    written,
)
from heddle.ir.functions import FUNCTIONS
from heddle.ir.interpret import run
from heddle.ir.json import from_json, to_json
from heddle.ir.layout import STRIDED
from heddle.ir.rounding import InterpretationError
from heddle.ir.space import Dense
from heddle.ir.text import lines
from heddle.ir.verify import VerificationError, verify
from heddle.lift.front_end import read
from heddle.lift.kernels import lifted
from heddle.roundtrip.canonical import canonical
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from running import memory

HEADERS = Path(__file__).resolve().parents[3] / "runtime" / "include" / "heddle" / "device"
LENGTH = 8
FIELDS = tuple(ir.Field(name, ir.F64, 1, 0, 0, STRIDED) for name in "uv")
U, V = (ir.Symbol(field.name, ir.Pointer(ir.F64)) for field in FIELDS)
ROOM, X = ir.Symbol("room", ir.Pointer(ir.F64)), ir.Symbol("x", ir.I64)
COUNT, TWO = ir.Symbol("n_x", ir.I64), ir.Const(2.0, ir.F64)


def cells(end: ir.Expression, store: ir.Store) -> ir.Loop:
    return ir.Loop("simd", X, integer(0), end, integer(1), (store,))


def blended(
    local: ir.Symbol,
    row: ir.Symbol,
    first: ir.Expression,
    count: ir.Expression,
    weight: ir.Expression,
    length: int,
) -> list[ir.Statement]:
    """`local[l] = local[l] + weight * row[first + l]` for 0 <= l < count."""
    own = ir.Load(local, X)
    return [
        cells(count, ir.Store(own, operate("add", own, operate("mul", weight, ir.Load(row, add(first, X))))))
    ]


BLEND = DeviceFunction(
    "blend.hpp",
    {"local": ARRAY, "row": ARRAY, "first": VALUE, "count": VALUE, "weight": VALUE},
    blended,
    template=("length",),
    requires=lambda count, length, **_: operate("le", count, integer(length)),
)
BLEND_TEXT = """#include <cstdint>
namespace heddle {
template <int length, typename T>
inline void blend(T* local, const T* row, std::int64_t first, std::int64_t count, T weight) {
  for (std::int64_t l = 0; l < count; ++l) { local[l] = local[l] + weight * row[first + l]; }
}
}
"""


@pytest.fixture(autouse=True)
def made_up_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEVICE_CALLS, "blend", BLEND)


def call(count: ir.Expression = COUNT) -> ir.DeviceCall:
    where = {"row": U, "first": integer(0), "count": count}
    return device_call("blend", local=ROOM, **where, weight=TWO, length=LENGTH)


def kernel(*middle: ir.Statement) -> ir.Kernel:
    """`v = 1 + 2 u` by way of an array, or what else stands in the middle."""
    one = ir.Store(ir.Load(ROOM, X), ir.Const(1.0, ir.F64))
    out = ir.Store(ir.Load(V, X), ir.Load(ROOM, X))
    body = (ir.Local(ROOM, LENGTH, "scratch"), cells(COUNT, one), *middle, cells(COUNT, out))
    return ir.Kernel("blending", FIELDS, (), Dense(1), body)


def test_text_and_json() -> None:
    assert list(lines([call()])) == ["blend[8](room, u, 0:i64, n_x, 2.0:f64)"]
    assert from_json(to_json(kernel(call()))) is kernel(call())


def test_verifier() -> None:
    verify(kernel(call()), "lowered")
    constant = ir.Symbol("room", ir.Pointer(ir.F64, True))
    wrong = {
        "the unknown device call 'bland'": dataclasses.replace(call(), name="bland"),
        "'blend' with the wrong number of arguments": dataclasses.replace(call(), args=call().args[1:]),
        "'blend' with a wrong argument count": with_parts(call(), count=V),
        "'blend' with a wrong argument row": with_parts(call(), row=integer(1)),
        "'blend' with a result": dataclasses.replace(call(), result=ROOM),
        "'blend' on an array that is never stored to": with_parts(call(), local=constant),
    }
    for what, statement in wrong.items():
        with pytest.raises(VerificationError, match=f"blending: calls {re.escape(what)}"):
            verify(kernel(statement), "lowered")
    with pytest.raises(VerificationError, match="DeviceCall does not belong to a symbolic kernel"):
        verify(dataclasses.replace(kernel(), body=(call(),)), "symbolic")


def test_interpreter() -> None:
    arrays = memory(kernel(call()), (LENGTH,), random.Random(1), exact=True, plain=True)
    run(kernel(call()), arrays)
    assert arrays["v"].values == [1.0 + 2.0 * u for u in arrays["u"].values]
    with pytest.raises(InterpretationError, match="the precondition of blend does not hold"):
        run(kernel(call(integer(LENGTH + 1))), arrays)


def test_printed_call_and_headers() -> None:
    assert StatementPrinter(CPU).block([call()]) == "heddle::blend<8>(room, u, 0, n_x, 2.0);"
    assert headers_of([kernel(call())], CPU) == ["blend.hpp", "preconditions.hpp", "rounding.hpp"]
    assert headers_of([kernel(call())], CUDA) == ["blend.hpp", "rounding.hpp"]


def test_lifted_call_is_the_call(tmp_path: Path) -> None:
    body = kernel(call()).body
    text = StatementPrinter(CPU).block(body)
    path = tmp_path / "blending.cpp"
    path.write_text(
        f"{BLEND_TEXT}void blending(const double* u, double* v, std::int64_t n_x) {{\n{text}\n}}\n"
    )
    unit = read(path)
    (function,) = (f for f in unit.functions if f.name == "blending")
    found = canonical(lifted(unit, function.key).body)
    u = ir.Symbol("u", ir.Pointer(ir.F64, True))
    assert found == canonical(kernel(with_parts(call(), row=u)).body)


def test_symbolic_execution() -> None:
    written_out = kernel(*blended(ROOM, U, integer(0), COUNT, TWO, LENGTH))
    proof = equivalent(kernel(call()), written_out)
    assert isinstance(proof, Proof), proof
    assert proof.tier == "structural", proof
    other = with_parts(call(), weight=ir.Const(3.0, ir.F64))
    assert isinstance(equivalent(kernel(other), written_out), Counterexample)


def test_effects_and_cost() -> None:
    assert written(call()) == {ROOM}
    inside = ir.Loop("serial", X, integer(0), COUNT, integer(1), (call(),))
    assert cost(kernel(), kernel(inside)).flops == 2


DECLARED = [
    (row.gpu_header or row.header, row.object or row.function or name, len(row.spelled))
    for name, row in DEVICE_CALLS.items()
] + [
    (header, row.spelling.rsplit("::", 1)[-1], row.arguments)
    for row in FUNCTIONS.values()
    for header in {row.header, row.gpu_header} - {"", "checked.hpp", "reduce_gpu.hpp"}
]


@pytest.mark.parametrize(("header", "function", "arguments"), DECLARED)
def test_rows_fit_their_headers(header: str, function: str, arguments: int) -> None:
    """The header declares a function of the name with as many parameters."""
    text = re.sub(r"//[^\n]*", "", (HEADERS / header).read_text())
    declared = re.findall(rf"[\w*&] {function}\(([^)]*)\)", text)
    assert arguments in {parameters.count(",") + 1 if parameters else 0 for parameters in declared}
