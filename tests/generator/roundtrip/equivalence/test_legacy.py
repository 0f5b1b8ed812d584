# SPDX-License-Identifier: Apache-2.0
"""A loop as people write it, over plain pointers and sizes, against the CUDA kernel of a model."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from heddle import Assignment, Scan, fields
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array
from heddle.ir.layout import STRIDED
from heddle.ir.schedule import precision
from heddle.ir.space import Dense
from heddle.model.assignment import Statement
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Counterexample, Proof, Sample, equivalent
from loops import Value, assign, cast, loop, named, store, value, var, when
from models import model
from sympy import symbols

NX, NY = (cast(named(name, ir.I32), ir.I64) for name in ("nx", "ny"))
COLUMN, ROW = named("i", ir.I64), named("j", ir.I64)
F = ir.Pointer(ir.F64)


def at(name: str, i: Value | int, j: Value | int) -> Value:
    """`name[j * nx + i]`."""
    index = value(j, ir.I64) * NX + i
    return Value(ir.Load(ir.Symbol(name, F), index.node))


def generated(statements: Sequence[Statement], target: str = "cuda") -> ir.Kernel:
    known = precision("f64")
    entry = model(statements)
    return lower(entry.typed(known), Request(known, entry.schedule, TARGETS[target])).lowered


def legacy(names: Sequence[str], *body: ir.Statement) -> ir.Kernel:
    flat = tuple(ir.Field(name, ir.F64, 1, 0, 0, STRIDED) for name in names)
    sizes = (ir.Symbol("nx", ir.I32), ir.Symbol("ny", ir.I32))
    return ir.Kernel("legacy", flat, sizes, Dense(1), body)


def layout(
    names: Sequence[str], extents: Sequence[Value], first: Value
) -> dict[ir.Expression, ir.Expression]:
    """What the fields of a model are in memory: x first, rows of nx, the first cell somewhere inside."""
    given: dict[ir.Expression, ir.Expression] = {}
    for name in names:
        view = ir.View(ir.Symbol(name.removesuffix("_"), F), first.node, ir.Const(1, ir.I64))
        given[ir.Symbol(name, F)] = view
        for axis, stride in enumerate((value(1, ir.I64), NX)):
            given[argument(name, "stride", axis)] = stride.node
            given[argument(name, "extent", axis)] = extents[axis].node
    return given


def argument(name: str, what: str, axis: int) -> ir.Load:
    return ir.Load(ir.Symbol(f"{name}_{what}", ir.Pointer(ir.I64, True)), ir.Const(axis, ir.I64))


def memory(names: Sequence[str], rim: int) -> list[Sample]:
    """Both views of one memory: flat, and as fields inside a rim."""
    result = []
    for nx, ny in ((3, 3), (4, 5), (7, 3)):
        generator = random.Random(nx)
        arrays: dict[str, Array] = {}
        for name in names:
            values = [generator.uniform(0.5, 1.5) for _ in range(nx * ny)]
            arrays[name.removesuffix("_")] = Array(values, 0, (nx * ny,), (1,))
            inside = (nx - 2 * rim, ny - 2 * rim)
            arrays[name] = Array(values, rim * nx + rim, inside, (1, nx))
        result.append(Sample(arrays, {"nx": nx, "ny": ny}, f"{nx} x {ny}"))
    return result


def neighbours() -> list[Value]:
    offsets = ((-1, 0), (1, 0), (0, -1), (0, 1))
    return [at("u", COLUMN + dx if dx else COLUMN, ROW + dy if dy else ROW) for dx, dy in offsets]


def relaxation(parenthesis: bool = False, last: int = 1) -> ir.Kernel:
    """Jacobi's step inside a rim of ghost cells; rows inner, as in C."""
    west, east, south, north = (
        at("u", COLUMN - 1, ROW),
        at("u", COLUMN + 1, ROW),
        at("u", COLUMN, ROW - 1),
        at("u", COLUMN, ROW + 1),
    )
    total = (west + east) + (south + north) if parenthesis else west + east + south + north
    body = store(at("v", COLUMN, ROW), 0.25 * total)
    return legacy("uv", loop(ROW, 1, NY - last, loop(COLUMN, 1, NX - 1, body)))


def jacobi() -> list[Statement]:
    u, v = fields("u_, v_: double[2D]")
    s, t, total = symbols("s t total")
    return [
        Assignment(s, u[-1, 0] + u[1, 0]),
        Assignment(t, s + u[0, -1]),
        Assignment(total, t + u[0, 1]),
        Assignment(v[0, 0], total / 4),
    ]


ASSUME_INSIDE = layout(("u_", "v_"), (NX - 2, NY - 2), NX + 1)


@pytest.mark.parametrize("target", TARGETS)
def test_a_legacy_stencil(target: str) -> None:
    result = equivalent(relaxation(), generated(jacobi(), target), ASSUME_INSIDE, memory(("u_", "v_"), 1))
    assert isinstance(result, Proof), result
    assert result.tier == "structural"
    assert "u_ is view u + add(i64(nx), 1:i64) by 1:i64" in result.assumptions


def test_a_legacy_stencil_in_another_order() -> None:
    result = equivalent(relaxation(True), generated(jacobi()), ASSUME_INSIDE, memory(("u_", "v_"), 1))
    assert isinstance(result, Proof), result
    assert result.tier == "algebraic"
    assert result.rounding is not None
    assert 0 < result.rounding < 4


def test_a_legacy_stencil_that_leaves_out_a_row() -> None:
    result = equivalent(relaxation(last=2), generated(jacobi()), ASSUME_INSIDE, memory(("u_", "v_"), 1))
    assert isinstance(result, Counterexample), result
    assert "other ranges" in result.reason


def test_a_guard_inside_the_loop() -> None:
    """All cells are visited, those of the rim do nothing."""
    inner = (COLUMN > 0) & (COLUMN < NX - 1) & (ROW >= 1) & (ROW <= NY - 2)
    west, east, south, north = (
        at("u", COLUMN - 1, ROW),
        at("u", COLUMN + 1, ROW),
        at("u", COLUMN, ROW - 1),
        at("u", COLUMN, ROW + 1),
    )
    body = when(inner, store(at("v", COLUMN, ROW), 0.25 * (west + east + south + north)))
    kernel = legacy("uv", loop(COLUMN, 0, NX, loop(ROW, 0, NY, body)))
    result = equivalent(kernel, generated(jacobi()), ASSUME_INSIDE, memory(("u_", "v_"), 1))
    assert isinstance(result, Proof), result
    assert result.tier == "structural"


def columns(start: int = 1) -> ir.Kernel:
    """A running product along y that reads what it stored, for every x."""
    body = store(at("v", COLUMN, ROW), at("v", COLUMN, ROW - 1) * at("u", COLUMN, ROW) + at("u", COLUMN, ROW))
    first = store(at("v", COLUMN, 0), at("u", COLUMN, 0))
    return legacy("uv", loop(COLUMN, 0, NX, first, loop(ROW, start, NY, body)))


def carried_columns(start: int = 1) -> ir.Kernel:
    """The same with the value of the row below in a variable."""
    below = named("below")
    step = at("u", COLUMN, ROW)
    return legacy(
        "uv",
        loop(
            COLUMN,
            0,
            NX,
            var(below, at("u", COLUMN, 0)),
            store(at("v", COLUMN, 0), below),
            loop(ROW, start, NY, assign(below, below * step + step), store(at("v", COLUMN, ROW), below)),
        ),
    )


def test_what_is_carried_in_memory() -> None:
    flat = memory(("u", "v"), 0)
    result = equivalent(columns(), carried_columns(), memory=flat)
    assert isinstance(result, Proof), result
    assert result.tier == "structural"
    assert isinstance(equivalent(columns(), carried_columns(2), memory=flat), Counterexample)


def test_a_legacy_column() -> None:
    """A sweep upwards in memory, against a scan of a model on CUDA."""
    u, v = fields("u_, v_: double[2D]", ghost_layers=0)
    s = symbols("s")
    now = symbols("now")
    scan = Scan(1, {s: 0}, [Assignment(now, s * u.here + u.here), Assignment(v.here, now)], {s: now})
    whole = layout(("u_", "v_"), (NX, NY), value(0, ir.I64))
    random_inputs = memory(("u_", "v_"), 0)
    total = named("total")
    step = at("u", COLUMN, ROW)
    sweep = loop(ROW, 0, NY, assign(total, total * step + step), store(at("v", COLUMN, ROW), total))
    kernel = legacy("uv", loop(COLUMN, 0, NX, var(total, value(0.0)), sweep))
    result = equivalent(kernel, generated([scan]), whole, random_inputs)
    assert isinstance(result, Proof), result
    assert result.tier == "structural"
