# SPDX-License-Identifier: Apache-2.0
"""Every row of the function table: what SymPy says it is, and every way in which it is written and read."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import sympy
from heddle import Assignment, Module, fields
from heddle.build import files, write
from heddle.emit.expression import ExpressionPrinter
from heddle.emit.targets import CPU
from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.functions import FUNCTIONS
from heddle.ir.visit import walk
from heddle.lift.calls import known_function
from heddle.lift.model_writer.expressions import Printer
from heddle.roundtrip.report import proved

OF_MODELS = [name for name, row in FUNCTIONS.items() if row.sympy]
NAMES = "abc"


def call(name: str) -> ir.Call:
    row = FUNCTIONS[name]
    return ir.Call(name, tuple(ir.Symbol(argument, ir.F64) for argument in NAMES[: row.arguments]), ir.F64)


@pytest.mark.parametrize("name", OF_MODELS)
@pytest.mark.parametrize("x", [0.3, 2.5, 1e-7])
def test_meaning_is_what_sympy_computes(name: str, x: float) -> None:
    arguments = [x, 0.75 * x][: FUNCTIONS[name].arguments]
    expected = getattr(sympy, FUNCTIONS[name].sympy)(*(sympy.Float(a, 40) for a in arguments))
    assert FUNCTIONS[name].meaning(*arguments) == pytest.approx(float(expected), rel=4e-16, abs=0)


@pytest.mark.parametrize("name", [name for name, row in FUNCTIONS.items() if not row.arrays])
def test_spelling_and_c_names_lead_to_the_row(name: str) -> None:
    row = FUNCTIONS[name]
    arguments = ", ".join(NAMES[: row.arguments])
    status = ", status" if name == "within" else ""
    instance = "<double>" if row.converts else ""
    assert ExpressionPrinter(CPU)(call(name)) == f"{row.spelling}{instance}({arguments}{status})"
    for spelling in (row.spelling, *row.c_names):
        assert known_function(spelling) == name
    if row.spelling.startswith("std::"):
        assert known_function(row.spelling.removeprefix("std::")) == name


@pytest.mark.parametrize("name", OF_MODELS)
def test_a_lifted_call_is_written_as_sympy_reads_it(name: str) -> None:
    text = Printer(dict(zip(NAMES, NAMES, strict=True)), Place("model.py", 1)).text(call(name))
    symbols = sympy.symbols(" ".join(NAMES))
    known = vars(sympy) | {symbol.name: symbol for symbol in symbols}
    expected = getattr(sympy, FUNCTIONS[name].sympy)(*symbols[: FUNCTIONS[name].arguments])
    assert eval(text, known) == expected


def test_models_call_each_function_and_the_text_is_read_back(tmp_path: Path) -> None:
    """From SymPy to C++ and CUDA, and from there to the same kernel."""
    a, b, out = fields("a, b, out: real[2D]")
    module = Module("functions", precisions=("f64", "f32"))
    for name in OF_MODELS:
        arguments = (a.here, b.here)[: FUNCTIONS[name].arguments]
        value = getattr(sympy, FUNCTIONS[name].sympy)(*arguments)
        module.add(f"apply_{name}", [Assignment(out.here, value)])
        lowered = module.stages(f"apply_{name}", "f64", "cpu").lowered
        assert name in {node.name for node in walk(lowered.body) if isinstance(node, ir.Call)}
    targets = ("cpu", "cuda")
    write(files(module, targets), tmp_path)
    assert [
        f"{v.kernel} {v.target}: {v.problem}" for v in proved(module, targets, tmp_path) if v.problem
    ] == []


def test_floor_keeps_the_sign_of_zero() -> None:
    """As std::floor does: IEEE 754, 5.9."""
    floor = FUNCTIONS["floor"].meaning
    found = [floor(a) for a in (-0.0, 0.0, 0.5, -0.5, -2.0, 2.5)]
    assert [(a, math.copysign(1, a)) for a in found] == [
        (0, -1), (0, 1), (0, 1), (-1, -1), (-2, -1), (2, 1)
    ]  # fmt: skip
