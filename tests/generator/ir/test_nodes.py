# SPDX-License-Identifier: Apache-2.0
"""Hash-consing, JSON, text and the verifier."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from heddle import Assignment, Sparse, fields, has_bit, lbm
from heddle.errors import Place
from heddle.ir import layout
from heddle.ir import nodes as ir
from heddle.ir import space as ir_spaces
from heddle.ir.build import add, integer, multiply, operate
from heddle.ir.hash_consing import Node
from heddle.ir.json import from_json, to_json
from heddle.ir.layout import STRIDED
from heddle.ir.schedule import CompressedList, Interleaved, Schedule, Strips, precision
from heddle.ir.text import expression, text
from heddle.ir.verify import VerificationError, verify
from heddle.ir.visit import expressions, transform, walk
from models import (
    boundary_over_a_list,
    coloured_reduction,
    column,
    lattice_boltzmann,
    model,
    newton,
    random_model,
    reduction,
)
from running import levels
from sympy import Piecewise

X = ir.Symbol("x", ir.I64)
A, B = ir.Symbol("a", ir.F64), ir.Symbol("b", ir.F64)


def test_alike_is_identical() -> None:
    assert operate("add", A, B) is operate("add", A, B)
    assert ir.Const(1) is ir.Const(value=1, type=None)
    assert ir.Let(A, B) is ir.Let(symbol=A, value=B)
    assert ir.Access(_field(), (1, 0)) is ir.Access(_field(), (1, 0), 0)
    assert operate("add", A, B) is not operate("add", B, A)


@pytest.mark.parametrize(
    "values", [(1, 1.0, True, Fraction(1)), (0.0, -0.0), (0, False, 0.0, -0.0), (2, 2.0, Fraction(2))]
)
def test_numbers_that_python_calls_equal_are_apart(values: tuple[float, ...]) -> None:
    nodes = [ir.Const(value) for value in values]
    assert len({id(node) for node in nodes}) == len(values)
    for node, value in zip(nodes, values, strict=True):
        assert repr(node.value) == repr(value)
        assert type(node.value) is type(value)
    assert len({ir.Op("neg", (node,)) for node in nodes}) == len(values)


def test_nodes_that_nobody_holds_go() -> None:
    name = "a name used nowhere else"
    before = id(ir.Symbol(name))
    gc.collect()
    held = [ir.Symbol(f"{name} {i}") for i in range(100)]
    assert ir.Symbol(name).name == name
    assert len(held) == 100
    assert before


def test_nodes_are_frozen() -> None:
    with pytest.raises(AttributeError):
        A.name = "c"  # type: ignore[misc]


def _kernels() -> list[ir.Kernel]:
    entries = [model(random_model(seed)) for seed in range(4)]
    entries += [model(column(3, 2)), model(reduction()), model(newton())]
    entries += [lattice_boltzmann("AA", "odd", schedule=Schedule(cpu=Strips(16, prefetch=64)))]
    found = [kernel for entry in entries for _, kernel in levels(entry, "f32", "cpu")]
    lanes = lattice_boltzmann("AA", "odd", schedule=Schedule(gpu=Interleaved(4)))
    found += [kernel for _, kernel in levels(lanes, "f32", "cuda")]
    coloured = model(coloured_reduction(), Schedule(colours=2))
    found += [kernel for target in ("cpu", "cuda") for _, kernel in levels(coloured, "f32", target)]
    for pattern, step, streamed in (("Pull", "", True), ("AA", "odd", False)):
        sparse = lattice_boltzmann(
            pattern, step, Sparse("fluid"), Schedule(cpu=Strips(16, nontemporal=streamed))
        )
        found += [kernel for _, kernel in levels(sparse, "f16", "cpu")]
    ahead = lattice_boltzmann("AA", "odd", Sparse("fluid"), Schedule(cpu=Strips(16, prefetch=32)))
    found += [kernel for _, kernel in levels(ahead, "f32", "cpu")]
    lines = lattice_boltzmann("Pull", "", schedule=Schedule(cpu=Strips(16, nontemporal=True)))
    found += [kernel for _, kernel in levels(lines, "f32", "cpu")]
    curved = boundary_over_a_list(lbm.Bouzidi(order="quadratic"), "AA", "odd")
    found += [kernel for _, kernel in levels(curved, "f32", "cpu")]
    compressed = lattice_boltzmann("Pull", "", Sparse("fluid"), Schedule(gpu=CompressedList()))
    found += [kernel for _, kernel in levels(compressed, "f32", "cuda")]
    u, v = fields("u, v: real[2D]")
    open_cells = fields("open: int32[2D]")
    copied = model(
        [Assignment(v.here, Piecewise((u.here / 3, has_bit(open_cells.here, 1)), (u.here, True)))],
        Schedule(specialise=("open", 3)),
    )
    found += [kernel for _, kernel in levels(copied, "f32", "cpu")]
    wide = fields("wide: real[2D]", other_grid=True)
    found += [kernel for _, kernel in levels(model([Assignment(v.here, wide.gather(0, 0))]), "f32", "cpu")]
    return found


def test_json_gives_the_same_object() -> None:
    classes: set[type] = set()
    for kernel in _kernels():
        assert from_json(to_json(kernel)) is kernel
        classes |= {type(node) for node in walk(kernel)}
    missing = {
        cls
        for module in (ir, layout, ir_spaces)
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, Node) and cls not in classes
    }
    assert missing <= {
        Node,
        ir.Expression,
        ir.Statement,
        ir.Gather,
        ir.If,
        ir.Scan,
        ir.Reduce,
        ir_spaces.PackRegions,
        ir_spaces.Space,
        layout.Layout,
        layout.Profile,
        layout.Split,
        layout.Table,
        layout.Entries,
        layout.Intermediate,
    }


@pytest.mark.parametrize(
    "value",
    [1, -3, True, 0.1, -0.0, float("inf"), float("-inf"), Fraction(1, 18), Fraction(-2, 3), 2**70, 1e300],
)
def test_json_numbers(value: float) -> None:
    for scalar in (None, ir.F32):
        assert from_json(to_json(ir.Const(value, scalar))) is ir.Const(value, scalar)


def test_json_keeps_places_and_nested_parts() -> None:
    link = ir_spaces.Link(1, (-1, 0, 0), 2)
    space = ir_spaces.Sparse("fluid", True, (link,))
    store = ir.Store(ir.Access(_field(), (0, 0)), A, True, Place("model.py", 7))
    kernel = ir.Kernel(
        "k", (_field(),), (A,), space, (ir.If(operate("lt", A, B), (store,), True),), (B,), "about"
    )
    assert from_json(to_json(kernel)) is kernel


def _field() -> ir.Field:
    return ir.Field("u", ir.F64, 2, 0, 1, STRIDED)


def test_text() -> None:
    entry = model(column(2, 1))
    kernel = entry.typed(precision("f64"))
    assert text(kernel) == (
        "kernel kernel over dense 2D\n"
        "  field lower: f64[2D] strided\n"
        "  field diagonal: f64[2D] strided\n"
        "  field right: f64[2D] strided\n"
        "  field ratio: f64[2D] strided\n"
        "  field solution: f64[2D] strided\n"
        "  parameter upper: f64\n"
        "  scan y from c = 0:f64, d = 0:f64 {\n"
        "    let inverse: f64 = div(1:f64, sub(diagonal[0, 0], mul(c, lower[0, 0])))\n"
        "    store ratio[0, 0] = mul(upper, inverse)\n"
        "    store solution[0, 0] = mul(inverse, sub(right[0, 0], mul(d, lower[0, 0])))\n"
        "    carry c = ratio[0, 0], d = solution[0, 0]\n"
        "  }\n"
        "  scan y reversed from above = 0:f64 {\n"
        "    store solution[0, 0] = sub(solution[0, 0], mul(above, ratio[0, 0]))\n"
        "    carry above = solution[0, 0]\n"
        "  }"
    )


def test_text_of_every_kernel() -> None:
    for kernel in _kernels():
        said = [line for line in text(kernel).splitlines() if not line.lstrip().startswith("#")]
        assert "<" not in "\n".join(said).replace("<model>", "")
        assert all(isinstance(expression(node), str) for node in expressions(kernel.body))


def test_index_arithmetic_folds() -> None:
    assert add(X, integer(0)) is X
    assert add(integer(0), X) is X
    assert add(integer(2), integer(3)) is integer(5)
    assert add(X, integer(-2)) is operate("sub", X, integer(2))
    assert add(X, multiply(integer(-1), A)) is operate("sub", X, A)
    assert multiply(X, integer(1)) is X
    assert multiply(integer(0), X) is integer(0)
    assert multiply(integer(4), integer(5)) is integer(20)


def test_transform_visits_shared_nodes_once() -> None:
    calls = []
    shared = operate("add", A, B)
    root = operate("mul", shared, shared)
    assert transform(root, lambda node: calls.append(node) or node) is root
    assert len(calls) == len(set(calls))
    swapped = transform(root, lambda node: B if node is A else node)
    assert swapped is operate("mul", operate("add", B, B), operate("add", B, B))


# --- The verifier -------------------------------------------------------------------------------------------


def kernel(*body: ir.Statement) -> ir.Kernel:
    return ir.Kernel("k", (_field(),), (A, B), ir_spaces.Dense(2), body)


def let(value: ir.Expression, name: str = "t") -> ir.Statement:
    return ir.Let(ir.Symbol(name, value.type), value)


LOOP = ir.Loop("serial", X, integer(0), integer(3), integer(1), ())
POINTER = ir.Symbol("u", ir.Pointer(ir.F64))
LOAD = ir.Load(POINTER, X)
ACCESS = ir.Access(_field(), (0, 0))
VIOLATIONS: list[tuple[str, Callable[[], ir.Kernel], str]] = [
    ("symbolic", lambda: kernel(LOOP), "Loop does not belong to a symbolic kernel"),
    ("symbolic", lambda: kernel(let(LOAD)), "Load does not belong to a symbolic kernel"),
    ("symbolic", lambda: kernel(ir.Var(A, B)), "Var does not belong to a symbolic kernel"),
    (
        "scheduled",
        lambda: kernel(ir.Local(POINTER, 4, "scratch")),
        "Local does not belong to a scheduled kernel",
    ),
    ("scheduled", lambda: kernel(let(ir.View(POINTER, X, X))), "View does not belong to a scheduled kernel"),
    ("lowered", lambda: kernel(let(ACCESS)), "Access does not belong to a lowered kernel"),
    (
        "lowered",
        lambda: kernel(let(ir.Gather(_field(), (X, X), X))),
        "Gather does not belong to a lowered kernel",
    ),
    ("lowered", lambda: kernel(ir.Reduce("max", A, B)), "Reduce does not belong to a lowered kernel"),
    (
        "lowered",
        lambda: kernel(ir.Scan(0, False, (), (), (), ())),
        "Scan does not belong to a lowered kernel",
    ),
    ("lowered", lambda: kernel(let(ir.Const(1))), "no type in"),
    ("lowered", lambda: kernel(let(ir.Op("plus", (A, B), ir.F64))), "unknown operator in"),
    ("lowered", lambda: kernel(let(ir.Op("add", (A, X), ir.F64))), "operands of different types in"),
    (
        "lowered",
        lambda: kernel(let(ir.Op("add", (A, B), ir.F32))),
        "result type differs from the operands' in",
    ),
    (
        "lowered",
        lambda: kernel(let(ir.Call("sinh", (A,), ir.F64))),
        "unknown function or wrong number of arguments",
    ),
    (
        "lowered",
        lambda: kernel(let(ir.Call("sqrt", (A, B), ir.F64))),
        "unknown function or wrong number of arguments",
    ),
    ("lowered", lambda: kernel(let(ir.Call("min", (A, X), ir.F64))), "arguments of different types in"),
    (
        "lowered",
        lambda: kernel(let(ir.Select(A, A, B))),
        "a select needs a bool and two values of one type in",
    ),
    (
        "lowered",
        lambda: kernel(let(ir.Select(operate("lt", A, B), A, X))),
        "a select needs a bool and two values",
    ),
    ("lowered", lambda: kernel(let(A), let(B)), "'t' is defined twice"),
    ("lowered", lambda: kernel(ir.Let(A, B)), "'a' is defined twice"),
    (
        "lowered",
        lambda: kernel(ir.Loop("serial", X, integer(0), integer(3), integer(1), (let(A, "x"),))),
        "'x' is defined twice",
    ),
    ("lowered", lambda: kernel(let(A), ir.If(operate("lt", A, B), (let(B),))), "'t' is defined twice"),
    (
        "symbolic",
        lambda: kernel(ir.Scan(0, False, (ir.Symbol("c", ir.F64),), (A,), (let(B, "c"),), (A,))),
        "'c' is defined twice",
    ),
]


@pytest.mark.parametrize(("level", "make", "message"), VIOLATIONS)
def test_verifier_rejects(level: str, make: Callable[[], ir.Kernel], message: str) -> None:
    with pytest.raises(VerificationError) as caught:
        verify(make(), level)
    assert str(caught.value).startswith(f"k: {message}")


def test_verifier_accepts() -> None:
    for seed in range(6):
        target = random.Random(seed).choice(("cpu", "cuda", "reference"))
        stages = levels(model(random_model(seed)), "f16", target)
        verify(stages[0][1], "symbolic")
        verify(stages[1][1], "scheduled")
        assert verify(stages[-1][1], "lowered") is stages[-1][1]


def test_same_name_in_two_scopes_is_no_violation() -> None:
    condition = operate("lt", A, B)
    both = kernel(ir.If(condition, (let(A),)), ir.If(condition, (let(B),)))
    assert verify(both, "lowered") is both


def test_there_are_at_most_thirty_nodes() -> None:
    """A call of a device header is a row of ir.device_calls, a function one of ir.functions."""
    own = [c for c in vars(ir).values() if isinstance(c, type) and c.__module__ == ir.__name__]
    assert 20 < sum(issubclass(c, Node) for c in own) <= 30
