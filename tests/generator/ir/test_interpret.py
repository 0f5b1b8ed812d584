# SPDX-License-Identifier: Apache-2.0
"""The interpreter against NumPy and exact rationals: rounding, integers, laziness, memory."""

from __future__ import annotations

import dataclasses
import math
import random
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from heddle import Assignment, fields
from heddle.ir import nodes as ir
from heddle.ir.build import integer, operate
from heddle.ir.interpret import Array, run
from heddle.ir.layout import STRIDED
from heddle.ir.rounding import InterpretationError, constant, converted, rounded
from heddle.ir.schedule import precision
from heddle.ir.space import Dense
from heddle.ir.visit import walk
from models import column, model, random_model, reduction
from running import bits, memory, scalars

DTYPES: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
FLOATS = {"f16": ir.F16, "f32": ir.F32, "f64": ir.F64}


def interesting(generator: random.Random) -> float:
    scale = generator.choice((1.0, 1e-3, 1e4, 1e-8, 1e-40, 1e38, 6e4, 6e-8, 1e300, 5e-324))
    return generator.choice((1, -1)) * generator.uniform(0.5, 2.0) * scale


def value(expression: ir.Expression, **names: float) -> Any:
    """Evaluate one expression through a kernel that stores it."""
    assert isinstance(expression.type, ir.Scalar)
    field = ir.Field("u", expression.type, 1, 0, 0, STRIDED)
    parameters = tuple(symbol for symbol in _symbols(expression) if symbol.name in names)
    store = ir.Store(ir.Access(field, (0,)), expression)
    array = Array([0.0], 0, (1,), (1,))
    run(ir.Kernel("k", (field,), parameters, Dense(1), (store,)), {"u": array}, names)
    return array.values[0]


def _symbols(expression: ir.Expression) -> list[ir.Symbol]:
    return list(dict.fromkeys(node for node in walk(expression) if isinstance(node, ir.Symbol)))


@pytest.mark.parametrize("name", ["f16", "f32"])
def test_rounding_to_narrow_floats(name: str) -> None:
    generator = random.Random(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3000):
            number = interesting(generator)
            assert bits(rounded(number, FLOATS[name])) == bits(float(DTYPES[name](number)))
    edges = {"f16": 65520.0, "f32": 3.4028235677973366e38}
    for sign in (1, -1):
        assert rounded(sign * edges[name], FLOATS[name]) == sign * math.inf
        assert math.isfinite(rounded(sign * math.nextafter(edges[name], 0), FLOATS[name]))


@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
def test_rationals_round_once(name: str) -> None:
    """The nearest of the two neighbours, the even one in the middle; found without the code under test."""
    generator = random.Random(2)
    for _ in range(400):
        exact = Fraction(interesting(generator)) * Fraction(
            generator.randrange(1, 99), generator.randrange(1, 99)
        )
        found = rounded(exact, FLOATS[name])
        largest = float(np.finfo(DTYPES[name]).max)
        if abs(exact) > largest:
            continue
        low = float(np.nextafter(DTYPES[name](found), DTYPES[name](-np.inf)))
        high = float(np.nextafter(DTYPES[name](found), DTYPES[name](np.inf)))
        if math.isinf(low) or math.isinf(high):
            continue
        distance = abs(Fraction(found) - exact)
        assert distance <= abs(Fraction(low) - exact)
        assert distance <= abs(Fraction(high) - exact)
    half = {"f16": Fraction(1, 2**11), "f32": Fraction(1, 2**24), "f64": Fraction(1, 2**53)}[name]
    assert rounded(1 + half, FLOATS[name]) == 1.0
    assert rounded(1 + 3 * half, FLOATS[name]) == float(1 + 4 * half)
    assert bits(rounded(Fraction(-1, 10**400), FLOATS[name])) == bits(-0.0)


@pytest.mark.parametrize("name", ["f32", "f64"])
@pytest.mark.parametrize("operator", ["add", "sub", "mul", "div"])
def test_arithmetic_as_numpy(operator: str, name: str) -> None:
    generator = random.Random(3)
    dtype, scalar = DTYPES[name], FLOATS[name]
    a, b = ir.Symbol("a", scalar), ir.Symbol("b", scalar)
    function = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[operator]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(300):
            x = generator.choice(
                (dtype(interesting(generator)), dtype(0.0), dtype(-0.0), dtype(np.inf), dtype(np.nan))
            )
            y = generator.choice((dtype(interesting(generator)), dtype(-0.0), dtype(interesting(generator))))
            found = value(operate(operator, a, b), a=float(x), b=float(y))
            assert bits(found) == bits(float(function(x, y)))


def test_fused_multiply_add_rounds_once() -> None:
    generator = random.Random(4)
    for scalar in (ir.F32, ir.F64):
        a, b, c = (ir.Symbol(name, scalar) for name in "abc")
        fused = ir.Call("fma", (a, b, c), scalar)
        different = 0
        for _ in range(300):
            x, y = (rounded(generator.gauss(0, 1), scalar) for _ in range(2))
            z = rounded(-x * y * (1 + generator.choice((0, 1e-7, 1e-15))), scalar)
            exact = Fraction(x) * Fraction(y) + Fraction(z)
            found = value(fused, a=x, b=y, c=z)
            assert bits(found) == bits(rounded(exact, scalar) if exact else x * y + z)
            different += found != value(operate("add", operate("mul", a, b), c), a=x, b=y, c=z)
        assert different > 100


def test_literals_are_what_is_emitted() -> None:
    third = Fraction(1, 3)
    for scalar, dtype in ((ir.F32, np.float32), (ir.F64, np.float64)):
        assert constant(third, scalar) == float(dtype(1) / dtype(3))
        assert constant(Fraction(5, 8), scalar) == 0.625
        assert constant(7, scalar) == 7.0
        assert type(constant(7, scalar)) is float
    big = Fraction(2**25 + 1, 2**24 + 1)  # both parts round, then the quotient: not the nearest float
    assert constant(big, ir.F32) == float(np.float32(2**25 + 1) / np.float32(2**24 + 1))
    assert constant(1e300, ir.F32) == math.inf


def test_integers() -> None:
    assert rounded(2**32 + 5, ir.U32) == 5
    assert rounded(-1, ir.U8) == 255
    assert converted(300, ir.U8) == 44
    assert converted(200, ir.I8) == -56
    assert converted(-1.9, ir.I32) == -1
    assert converted(2.5, ir.BOOL) is True
    assert converted(2**53 + 1, ir.F64) == 2.0**53
    assert converted(2**24 + 1, ir.F32) == 2.0**24
    for bad in (2**31, -(2**31) - 1):
        with pytest.raises(InterpretationError):
            rounded(bad, ir.I32)
    for nothing in (math.nan, math.inf, 1e20):
        with pytest.raises(InterpretationError):
            converted(nothing, ir.I64)
    n = ir.Symbol("n", ir.I64)
    assert value(operate("div", n, integer(2)), n=-7) == -3
    assert value(operate("rem", n, integer(2)), n=-7) == -1


def test_minimum_and_maximum_keep_nan() -> None:
    a, b = ir.Symbol("a", ir.F64), ir.Symbol("b", ir.F64)
    for name in ("min", "max"):
        call = ir.Call(name, (a, b), ir.F64)
        assert math.isnan(value(call, a=math.nan, b=1.0))
        assert math.isnan(value(call, a=1.0, b=math.nan))
    assert bits(value(ir.Call("min", (a, b), ir.F64), a=0.0, b=-0.0)) == bits(0.0)
    sign = ir.Call("sign", (a,), ir.F64)
    assert [value(sign, a=x) for x in (-3.0, 5.0)] == [-1.0, 1.0]
    assert bits(value(sign, a=-0.0)) == bits(-0.0)
    assert math.isnan(value(sign, a=math.nan))


class Forbidden(list[float]):
    """Memory that nobody may read."""

    def __getitem__(self, index: Any) -> Any:
        raise AssertionError("a guarded operand is evaluated")


def test_guarded_operands_are_not_evaluated() -> None:
    """The guarded branch reads `secret`, which has no readable element."""
    u, secret, out = fields("u, secret, out: real[1D]", ghost_layers=0)
    guarded = sympy.Piecewise((secret.here, u.here > 0), (0, True))
    second = sympy.Piecewise((1, u.here <= 0), (2, secret.here > 0), (3, True))
    for expression in (guarded, second, sympy.log(1 - guarded)):
        kernel = model([Assignment(out.here, expression)]).typed(precision("f64"))
        arrays = {name: Array([-1.0, -2.0], 0, (2,), (1,)) for name in ("u", "out")}
        arrays["secret"] = Array(Forbidden([1.0, 1.0]), 0, (2,), (1,))
        run(kernel, arrays)
        arrays["u"].values[0] = 1.0
        with pytest.raises(AssertionError):
            run(kernel, arrays)


def test_logic_stops_early() -> None:
    yes, no = ir.Const(True, ir.BOOL), ir.Const(False, ir.BOOL)
    never = operate(
        "lt", ir.Load(ir.Symbol("nowhere", ir.Pointer(ir.F64)), integer(0)), ir.Const(1.0, ir.F64)
    )
    assert value(ir.Op("or", (yes, never), ir.BOOL)) is True
    assert value(ir.Op("and", (no, never), ir.BOOL)) is False
    with pytest.raises(KeyError):
        value(ir.Op("and", (yes, never), ir.BOOL))


def test_outside_memory() -> None:
    pointer = ir.Symbol("u", ir.Pointer(ir.F64))
    field = ir.Field("u", ir.F64, 1, 0, 0, STRIDED)
    x = ir.Symbol("x", ir.I64)
    for begin, end in ((-1, 1), (1, 3)):
        body = (ir.Store(ir.Load(pointer, x), ir.Const(1, ir.F64)),)
        loop = ir.Loop("serial", x, integer(begin), integer(end), integer(1), body)
        kernel = ir.Kernel("k", (field,), (), Dense(1), (loop,))
        with pytest.raises(InterpretationError, match="is outside its array"):
            run(kernel, {"u": Array([0.0, 0.0], 0, (2,), (1,))})


def test_local_memory_must_be_written_first() -> None:
    local = ir.Symbol("t", ir.Pointer(ir.F64))
    field = ir.Field("u", ir.F64, 1, 0, 0, STRIDED)
    x = ir.Symbol("x", ir.I64)
    store = ir.Store(ir.Load(ir.Symbol("u", ir.Pointer(ir.F64)), x), ir.Load(local, x))
    loop = ir.Loop("serial", x, integer(0), integer(2), integer(1), (store,))
    kernel = ir.Kernel("k", (field,), (), Dense(1), (ir.Local(local, 2, "register"), loop))
    with pytest.raises(InterpretationError, match="is read before it is written"):
        run(kernel, {"u": Array([0.0, 0.0], 0, (2,), (1,))})
    scratch = Array([1.0, 1.0], 0, (2,), (1,))  # begins with zeros
    run(dataclasses.replace(kernel, body=(ir.Local(local, 2, "scratch"), loop)), {"u": scratch})
    assert scratch.values == [0.0, 0.0]


def test_gather_outside_is_noted() -> None:
    u, v = fields("u, v: real[1D]", ghost_layers=1)
    kernel = model([Assignment(v.here, u.gather(5))]).typed(precision("f64"))
    arrays = {name: Array([1.0, 2.0, 3.0, 4.0], 1, (2,), (1,)) for name in ("u", "v")}
    assert run(kernel, arrays).status == -5
    assert arrays["v"].values == [1.0, 1.0, 1.0, 4.0]  # the lowest element stands for all that are outside


# --- Against the mathematics --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(200, 216))
def test_kernels_compute_the_model(seed: int) -> None:
    """Whole numbers: sums and products are exact, so the model's own expressions give the same numbers."""
    statements = random_model(seed, exact=True)
    entry = model(statements)
    kernel = entry.typed(precision("f64"))
    generator = random.Random(seed)
    extent = (4, 3, 2)[: entry.space.rank]  # type: ignore[union-attr]
    arrays = memory(kernel, extent, generator, exact=True)
    before = {name: list(array.values) for name, array in arrays.items()}
    arguments = scalars(kernel, generator, exact=True)
    run(kernel, arrays, arguments)
    for cell in np.ndindex(*extent):
        names: dict[sympy.Basic, Any] = {sympy.Symbol(name): value for name, value in arguments.items()}
        for statement in statements:
            if not isinstance(statement, Assignment):
                continue
            expected = _exact(statement.value, cell, extent, before, arrays, names)
            if hasattr(statement.target, "offsets"):
                array = arrays[statement.target.field.name]
                assert array.values[_index(statement.target, cell, array)] == expected
            else:
                names[statement.target] = expected


def _index(access: Any, cell: tuple[int, ...], array: Array) -> int:
    place = [c + d for c, d in zip(cell, access.offsets, strict=True)]
    if access.field.components:
        place.append(access.component)
    return array.origin + sum(p * s for p, s in zip(place, array.stride, strict=True))


def _exact(
    expression: sympy.Basic,
    cell: tuple[int, ...],
    extent: tuple[int, ...],
    before: dict[str, list[float]],
    arrays: dict[str, Array],
    names: dict[sympy.Basic, Any],
) -> Fraction:
    if hasattr(expression, "offsets"):
        array = arrays[expression.field.name]
        return Fraction(before[expression.field.name][_index(expression, cell, array)])
    if hasattr(expression, "axis"):
        return Fraction((extent if expression.name.startswith("n_") else cell)[expression.axis])
    if isinstance(expression, sympy.Symbol):
        return Fraction(names[sympy.Symbol(expression.name)])
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    parts = [_exact(argument, cell, extent, before, arrays, names) for argument in expression.args]
    if expression.is_Add:
        return sum(parts, Fraction(0))
    if expression.is_Mul:
        return math.prod(parts, start=Fraction(1))
    assert expression.is_Pow
    return parts[0] ** int(parts[1])


def test_thomas_solves_the_system() -> None:
    kernel = model(column(2, 1)).typed(precision("f64"))
    generator = np.random.default_rng(5)
    shape = (3, 9)
    data = {
        name: generator.uniform(-1, 1, shape) for name in ("lower", "diagonal", "right", "ratio", "solution")
    }
    data["diagonal"] += 4.0
    arrays = {
        name: Array(np.pad(values, 1).ravel().tolist(), shape[1] + 3, shape, (shape[1] + 2, 1))
        for name, values in data.items()
    }
    run(kernel, arrays, {"upper": 0.75})
    solution = np.array(arrays["solution"].values).reshape(5, 11)[1:-1, 1:-1]
    for x in range(3):
        matrix = np.diag(data["diagonal"][x]) + np.diag(data["lower"][x][1:], -1) + np.diag([0.75] * 8, 1)
        assert np.allclose(matrix @ solution[x], data["right"][x], rtol=0, atol=1e-13)


def test_reductions_over_all_cells() -> None:
    kernel = model(reduction(1)).typed(precision("f64"))
    p = [9.0, 1.0, -4.0, 2.0, 7.0]
    arrays = {"p": Array(p, 1, (3,), (1,)), "p_next": Array([0.0] * 5, 1, (3,), (1,))}
    outputs = run(kernel, arrays).outputs
    steps = [p[i + 1] - 2 * p[i] + p[i - 1] for i in (1, 2, 3)]
    assert outputs == {"largest": max(map(abs, steps)), "smallest": -4.0, "total": -1.0}
