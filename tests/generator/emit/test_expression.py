# SPDX-License-Identifier: Apache-2.0
"""The expression printer: the parentheses, the literals, the conversions."""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest
from heddle.emit.expression import ExpressionPrinter, literal
from heddle.emit.targets import CPU, CUDA, REFERENCE
from heddle.ir import nodes as ir
from heddle.ir.build import integer, operate
from heddle.ir.functions import OPERATORS
from heddle.ir.rounding import constant
from heddle.ir.target import Target
from heddle.ir.visit import walk

a, b, c = (ir.Symbol(name, ir.F64) for name in "abc")
i, j = (ir.Symbol(name, ir.I64) for name in "ij")
u, w = (ir.Symbol(name, ir.U32) for name in "uw")
p, q = (ir.Symbol(name, ir.BOOL) for name in "pq")
f = ir.Symbol("f", ir.Pointer(ir.F64))


def op(name: str, *args: ir.Expression) -> ir.Expression:
    return operate(name, *args)


def select(condition: ir.Expression, yes: ir.Expression, no: ir.Expression) -> ir.Expression:
    return ir.Select(condition, yes, no)


def call(name: str, *args: ir.Expression) -> ir.Expression:
    return ir.Call(name, args, args[0].type)


def number(value: float | Fraction) -> ir.Const:
    return ir.Const(value, ir.F64)


TABLE: list[tuple[ir.Expression, str]] = [
    (op("add", op("add", a, b), c), "a + b + c"),
    (op("add", a, op("add", b, c)), "a + (b + c)"),
    (op("sub", op("sub", a, b), c), "a - b - c"),
    (op("sub", a, op("sub", b, c)), "a - (b - c)"),
    (op("sub", a, op("add", b, c)), "a - (b + c)"),
    (op("add", op("sub", a, b), c), "a - b + c"),
    (op("mul", op("add", a, b), c), "(a + b) * c"),
    (op("mul", a, op("add", b, c)), "a * (b + c)"),
    (op("add", op("mul", a, b), c), "a * b + c"),
    (op("mul", op("mul", a, b), c), "a * b * c"),
    (op("mul", a, op("mul", b, c)), "a * (b * c)"),
    (op("div", op("mul", a, b), c), "a * b / c"),
    (op("mul", a, op("div", b, c)), "a * (b / c)"),
    (op("div", a, op("mul", b, c)), "a / (b * c)"),
    (op("div", op("div", a, b), c), "a / b / c"),
    (op("neg", a), "-a"),
    (op("neg", op("neg", a)), "-(-a)"),
    (op("neg", op("add", a, b)), "-(a + b)"),
    (op("neg", op("mul", a, b)), "-(a * b)"),
    (op("mul", op("neg", a), b), "-a * b"),
    (op("sub", a, op("neg", b)), "a - -b"),
    (op("add", a, number(-2)), "a + -2.0"),
    (op("mul", number(-2), a), "-2.0 * a"),
    (op("neg", number(-2)), "-(-2.0)"),
    (op("mul", number(Fraction(1, 3)), a), "1.0 / 3.0 * a"),
    (op("mul", a, number(Fraction(1, 3))), "a * (1.0 / 3.0)"),
    (op("div", a, number(Fraction(-1, 3))), "a / (-1.0 / 3.0)"),
    (op("lt", op("add", a, b), c), "a + b < c"),
    (op("eq", op("lt", a, b), op("lt", b, c)), "a < b == b < c"),
    (op("and", op("lt", a, b), op("ge", b, c)), "a < b && b >= c"),
    (op("or", op("and", p, q), p), "(p && q) || p"),
    (op("and", op("or", p, q), p), "(p || q) && p"),
    (op("and", op("and", p, q), p), "p && q && p"),
    (op("or", op("or", p, q), p), "p || q || p"),
    (op("or", p, op("and", p, q)), "p || (p && q)"),
    (op("not", p), "!p"),
    (op("not", op("lt", a, b)), "!(a < b)"),
    (op("not", op("not", p)), "!(!p)"),
    (op("ne", op("bitand", u, w), ir.Const(0, ir.U32)), "(u & w) != 0U"),
    (op("bitand", op("add", u, w), w), "(u + w) & w"),
    (op("bitand", u, op("add", u, w)), "u & (u + w)"),
    (op("bitand", op("shl", u, w), w), "(u << w) & w"),
    (op("shl", op("bitand", u, w), w), "(u & w) << w"),
    (op("shl", u, op("add", w, w)), "u << (w + w)"),
    (op("shr", op("bitand", u, w), w), "(u & w) >> w"),
    (op("bitand", op("shr", u, w), w), "(u >> w) & w"),
    (op("rem", op("add", i, j), i), "(i + j) % i"),
    (select(op("lt", a, b), a, b), "a < b ? a : b"),
    (op("add", a, select(p, a, b)), "a + (p ? a : b)"),
    (op("mul", select(p, a, b), a), "(p ? a : b) * a"),
    (select(p, a, select(q, b, c)), "p ? a : q ? b : c"),
    (select(p, select(q, a, b), c), "p ? (q ? a : b) : c"),
    (select(op("or", p, q), a, b), "p || q ? a : b"),
    (call("sqrt", op("add", a, b)), "std::sqrt(a + b)"),
    (call("fma", a, op("neg", b), op("add", b, c)), "std::fma(a, -b, b + c)"),
    (op("mul", call("min", a, b), c), "heddle::min(a, b) * c"),
    (call("max", i, integer(0)), "heddle::max<std::int64_t>(i, 0)"),
    (call("min", a, number(1)), "heddle::min(a, 1.0)"),
    (ir.Load(f, op("add", i, integer(1))), "f[i + 1]"),
    (op("mul", ir.Load(f, i), a), "f[i] * a"),
    (ir.View(f, op("mul", i, j), j), "f + i * j"),
    (ir.View(f, op("neg", i), j), "f - i"),
    (ir.View(f, op("mul", op("neg", i), j), j), "f - i * j"),
    (ir.View(f, op("add", op("neg", op("add", i, j)), i), j), "f - (i + j) + i"),
    (ir.View(f, integer(-2), j), "f - 2"),
    (ir.View(f, integer(0), j), "f"),
    (ir.Cast(op("add", i, j), ir.F64), "static_cast<double>(i + j)"),
    (op("mul", ir.Cast(i, ir.F64), a), "static_cast<double>(i) * a"),
    (ir.Cast(ir.Symbol("h", ir.F16), ir.F32), "heddle::half_to_float(h)"),
    (ir.Cast(ir.Symbol("h", ir.F16), ir.F64), "heddle::half_to_double(h)"),
    (ir.Cast(op("add", a, b), ir.F16), "heddle::to_half(a + b)"),
    (ir.Const(True, ir.BOOL), "true"),
]


@pytest.mark.parametrize(("expression", "text"), TABLE, ids=[text for _, text in TABLE])
def test_parentheses(expression: ir.Expression, text: str) -> None:
    assert ExpressionPrinter(CPU)(expression) == text


def test_every_operator_is_in_the_table() -> None:
    printed = {node.name for expression, _ in TABLE for node in walk(expression) if isinstance(node, ir.Op)}
    assert printed | {"le", "gt"} == set(OPERATORS)


@pytest.mark.parametrize("target", [REFERENCE, CPU, CUDA], ids=lambda target: target.name)
def test_functions_are_named_in_full(target: Target) -> None:
    """`fma` alone may be the function for double."""
    assert ExpressionPrinter(target)(call("sqrt", a)) == "std::sqrt(a)"
    assert ExpressionPrinter(target)(call("fma", a, b, c)) == "std::fma(a, b, c)"
    assert ExpressionPrinter(target)(call("min", a, b)) == "heddle::min(a, b)"
    within = call("within", i, integer(0), j)
    assert ExpressionPrinter(target)(within) == "heddle::within(i, 0, j, status)"


def _python(text: str) -> str:
    return text.replace("&&", " and ").replace("||", " or ").replace("!p", "(not p)").replace("/", "//")


@pytest.mark.parametrize("seed", range(200))
def test_random_trees_read_back(seed: int) -> None:
    """Python's grammar has the same precedence for these operators: its value of the text is the tree's."""
    generator = random.Random(seed)
    names = {"i": 5, "j": -3, "u": 7}
    names_of = [ir.Symbol(name, ir.I64) for name in names]

    def tree(depth: int) -> ir.Expression:
        if depth == 0 or generator.random() < 0.2:
            return generator.choice([*names_of, integer(generator.randrange(-4, 5))])
        name = generator.choice(("add", "sub", "mul", "neg", "bitand", "add", "sub", "mul"))
        return op(name, *(tree(depth - 1) for _ in range(1 if name == "neg" else 2)))

    expression = tree(5)

    def value(node: ir.Expression) -> int:
        match node:
            case ir.Op(name, args):
                return int(OPERATORS[name].meaning(*map(value, args)))
            case ir.Symbol(name):
                return names[name]
        return int(node.value)  # type: ignore[attr-defined]

    assert eval(ExpressionPrinter(CPU)(expression), {}, dict(names)) == value(expression)


# --- Literals -----------------------------------------------------------------------------------------------


def _random_float(generator: random.Random, bits: int) -> float:
    while True:
        pattern = generator.getrandbits(bits)
        code = "fd"[bits == 64]
        found = float(struct.unpack(code, pattern.to_bytes(bits // 8, "little"))[0])
        if math.isfinite(found):
            return found


def test_doubles_read_back_with_the_fewest_digits() -> None:
    generator = random.Random(1)
    for _ in range(2000):
        value = _random_float(generator, 64)
        text, _ = literal(value, ir.F64)
        assert struct.pack("d", float(text)) == struct.pack("d", value)
        assert len(_digits(text)) <= len(_digits(np.format_float_scientific(value, unique=True)))


def test_floats_read_back_with_the_fewest_digits() -> None:
    generator = random.Random(2)
    for _ in range(2000):
        value = _random_float(generator, 32)
        text, _ = literal(value, ir.F32)
        assert text.endswith("F")
        assert struct.pack("f", np.float32(text[:-1])) == struct.pack("f", value)
        assert len(_digits(text)) <= len(_digits(np.format_float_scientific(np.float32(value), unique=True)))


def _digits(text: str) -> str:
    return text.lstrip("-").split("e")[0].rstrip("F").replace(".", "").strip("0")


@pytest.mark.parametrize(
    ("value", "scalar", "text"),
    [
        (0, ir.F64, "0.0"),
        (-0.0, ir.F64, "-0.0"),
        (3, ir.F64, "3.0"),
        (3, ir.F32, "3.0F"),
        (0.1, ir.F64, "0.1"),
        (0.1, ir.F32, "0.1F"),
        (60, ir.F32, "60.0F"),
        (1e22, ir.F64, "1e+22"),
        (2.0**70, ir.F32, "1.1805916e+21F"),
        (5e-324, ir.F64, "5e-324"),
        (math.inf, ir.F64, "HUGE_VAL"),
        (-math.inf, ir.F32, "-HUGE_VALF"),
        (1e300, ir.F32, "HUGE_VALF"),
        (-(10**400), ir.F64, "-HUGE_VAL"),
        (Fraction(1, 18), ir.F64, "1.0 / 18.0"),
        (Fraction(1, 18), ir.F32, "1.0F / 18.0F"),
        (Fraction(-2, 3), ir.F64, "-2.0 / 3.0"),
        (Fraction(3, 8), ir.F64, "0.375"),
        (Fraction(7), ir.F32, "7.0F"),
        (-4, ir.I64, "-4"),
        (4, ir.U32, "4U"),
        (True, ir.BOOL, "true"),
        (False, ir.BOOL, "false"),
    ],
)
def test_literals(value: float | Fraction, scalar: ir.Scalar, text: str) -> None:
    assert literal(value, scalar)[0] == text


def test_the_interpreter_reads_literals_as_compilers_do() -> None:
    generator = random.Random(3)
    for _ in range(500):
        value = Fraction(generator.randrange(-(10**9), 10**9), generator.randrange(1, 10**9))
        for scalar, dtype in ((ir.F64, np.float64), (ir.F32, np.float32)):
            parts = literal(value, scalar)[0].replace("F", "").split(" / ")
            numbers = [dtype(part) for part in parts]
            expected = numbers[0] / numbers[1] if len(numbers) == 2 else numbers[0]
            assert constant(value, scalar) == float(expected)
