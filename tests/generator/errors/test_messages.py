# SPDX-License-Identifier: Apache-2.0
"""Errors on the command line: no stack trace, exit code 1."""

from __future__ import annotations

from pathlib import Path

import pytest
from heddle.__main__ import main

GOOD = """
from heddle import Assignment, Module, fields
u, v = fields("u, v: real[2D]")
m = Module("m")
m.add("k", [Assignment(v.here, u[1, 0])])
"""


def _command(tmp_path: Path, text: str, *arguments: str) -> int:
    (tmp_path / "model.py").write_text(text)
    return main([arguments[0], str(tmp_path / "model.py"), *arguments[1:]])


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (
            "n = 3\n",
            ("show",),
            "model.py: the file defines 0 modules; exactly one is expected.\n"
            "  Hint: define one: name = Module(...)",
        ),
        (
            GOOD + "other = Module('n')\n",
            ("show",),
            "model.py: the file defines 2 modules; exactly one is expected.\n"
            "  Hint: define one: name = Module(...)",
        ),
        (
            "raise SystemExit\n",
            ("show",),
            "model.py: the model ends the interpreter while it is loaded.\n"
            "  Hint: remove sys.exit() from the model",
        ),
        (GOOD, ("show", "j"), "model.py: the module has no kernel 'j'.\n  Hint: choose one of: k"),
        (
            GOOD,
            ("build", "--out", "OUT", "--expect-module", "n"),
            "model.py: the module is named 'm', but 'n' was expected.\n"
            "  Hint: in CMake write heddle_add_kernels(... MODULE m)",
        ),
        (
            GOOD,
            ("build", "--out", "OUT", "--expect-kernels", "k", "j"),
            "model.py: the module defines the kernels k, but k, j were expected.\n"
            "  Hint: in CMake write KERNELS k",
        ),
        (
            GOOD + "m.add('race', [Assignment(u.here, u[1, 0])])\n",
            ("show",),
            "model.py:6: 'race' reads u[1, 0] and writes u[0, 0]: one cell reads an element that another "
            "cell writes, in no defined order.\n"
            "  Hint: use Schedule(colours=2), or write to a second field",
        ),
        (
            GOOD + "\n\n1 / 0\n",
            ("show",),
            "model.py:8: ZeroDivisionError: division by zero\n  Hint: run "
            "again with --debug for the full trace",
        ),
        (
            GOOD + "m.add('j', [Assignment(u.here, w[1, 0])])\n",
            ("show",),
            "model.py:6: NameError: name 'w' is not defined\n"
            "  Hint: import the name, or declare it with fields(...) or parameters(...)",
        ),
    ],
)
def test_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, arguments: tuple[str, ...], message: str
) -> None:
    with_folder = [str(tmp_path / "out") if argument == "OUT" else argument for argument in arguments]
    assert _command(tmp_path, text, *with_folder) == 1
    output = capsys.readouterr()
    assert output.err == f"heddle: {message}\n"
    assert output.out == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "text",
    ["def f(:\n", "import no_such_thing\n", "\x00", "raise SystemExit(0)\n", "import sys; sys.exit('bad')\n"],
)
def test_model_files_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert _command(tmp_path, text, "show") == 1
    output = capsys.readouterr()
    assert output.err.startswith("heddle: ")
    assert "Traceback" not in output.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "def f(:\n",
            "model.py:1: Python cannot read this: invalid syntax.\n"
            "  Hint: mend the line, or the one before it",
        ),
        (
            "if True:\n\tx = 1\n        y = 2\n",
            "model.py:3: Python cannot read this: inconsistent use of tabs and spaces in indentation.\n"
            "  Hint: mend the line, or the one before it",
        ),
        (
            "\nm = Module('m')\n",
            "model.py:2: the name 'Module' is not known here.\n  Hint: from heddle import Module",
        ),
    ],
)
def test_python_that_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    assert _command(tmp_path, text, "show") == 1
    assert capsys.readouterr().err == f"heddle: {message}\n"


def test_debug_shows_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _command(tmp_path, GOOD.replace("v.here, u", "u.here, u"), "show", "--debug") == 1
    assert "Traceback" in capsys.readouterr().err


LATER = "is known only when the kernel runs.\n  Hint: use "
PIECEWISE = "sympy.Piecewise((value, condition), (other, True))"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "x = 1 if p > 0 else 2",
            f"Python evaluates '... if ... else ...' now, but 'p > 0' {LATER}{PIECEWISE}",
        ),
        (
            "if p > 0: x = 1",
            f"Python evaluates 'if' now, but 'p > 0' {LATER}{PIECEWISE}, or heddle.If(condition, [...])",
        ),
        (
            "while p > 0: p = p - 1",
            f"Python evaluates 'while' now, but 'p > 0' {LATER}heddle.While(condition, ..., at_most=100)",
        ),
        ("x = max(p, 0)", f"Python evaluates max(...) now, but 'p < 0' {LATER}sympy.Max(...)"),
        ("x = min(p, 0)", f"Python evaluates min(...) now, but 'p > 0' {LATER}sympy.Min(...)"),
        (
            "x = 0 < p < 1",
            f"Python evaluates a chained comparison now, but 'p > 0' {LATER}sympy.And(a < b, b < c)",
        ),
        (
            "x = p > 0 and p < 1",
            f"Python evaluates 'and' now, but 'p > 0' {LATER}sympy.And(a, b), or a & b",
        ),
        ("x = p > 0 or p < 1", f"Python evaluates 'or' now, but 'p > 0' {LATER}sympy.Or(a, b), or a | b"),
        ("x = not p > 0", f"Python evaluates 'not' now, but 'p > 0' {LATER}sympy.Not(a), or ~a"),
        (
            "x = bool(p > 0)",
            f"Python evaluates a condition now, but 'p > 0' {LATER}sympy.Piecewise, Max, Min, And, Or, Not, "
            "which stay part of the expression",
        ),
        (
            "x = math.sin(p)",
            f"math.sin computes with numbers, but the value of its argument {LATER}sympy.sin",
        ),
        (
            "x = math.fabs(p)",
            f"math.fabs computes with numbers, but the value of its argument {LATER}sympy.Abs",
        ),
        ("x = math.pow(p, 2)", f"math.pow computes with numbers, but the value of its argument {LATER}**"),
        (
            "x = numpy.sin(p)",
            f"numpy.sin computes with numbers, but the value of its argument {LATER}sympy.sin",
        ),
        (
            "x = numpy.maximum(p, 0)",
            f"Python evaluates maximum(...) now, but 'p >= 0' {LATER}sympy.Max(...)",
        ),
        (
            "x = float(p)",
            "float computes with numbers, but the value of its argument is known only when the kernel runs.\n"
            "  Hint: leave the expression as it is, or use a function of SymPy",
        ),
        *(
            (
                f"x = {name}(p)",
                f"{name} computes with numbers, but the value of its argument is known only when the kernel "
                "runs.\n  Hint: leave the expression as it is, or use a function of SymPy",
            )
            for name in ("int", "round")
        ),
        ("x = p & 3", "expressions have no operator &.\n  Hint: use heddle.bit_and(a, 7)"),
        ("x = u.here << 2", "expressions have no operator <<.\n  Hint: use heddle.shift_left(a, 2)"),
        (
            "x = heddle.Schedule(block=256)",
            "Schedule(...) has no argument 'block'.\n  Hint: Schedule takes cpu, gpu, fma, colours, "
            "specialise, math; 'block' belongs to CompressedList, Interleaved, Threads",
        ),
        (
            "x = heddle.WarpPerCell(block=(64, 1, 1), warps=2)",
            "WarpPerCell(...) has no argument 'block'.\n"
            "  Hint: WarpPerCell takes cells_at_once, cells, warps, minimum_blocks, rematerialise; "
            "'block' belongs to CompressedList, Interleaved, Threads",
        ),
        (
            "x = heddle.While(p > 0, [])",
            "While(...) lacks 2 required positional arguments: 'body' and 'update'.\n"
            "  Hint: While takes condition, carried, body, update, at_most",
        ),
        (
            "x = lbm.AA()",
            "AA(...) lacks 1 required positional argument: 'lattice'.\n  Hint: AA takes lattice, "
            "field, field_next, halfway_mask, zero_centred, ghost_layers, half_scale",
        ),
        (
            "x = lbm.NoSlip(mirror=3)",
            "NoSlip(...) has no argument 'mirror'.\n  Hint: NoSlip takes lattice",
        ),
        (
            "heddle.Module('n').add('s', [], shedule=heddle.Schedule())",
            "Module.add(...) has no argument 'shedule'.\n  Hint: did you mean 'schedule'? "
            "Module.add takes name, statements, space, schedule, about",
        ),
        (
            "m = heddle.Module('n'); m.add('s', [], spaces=heddle.Dense())",
            "Module.add(...) has no argument 'spaces'.\n  Hint: did you mean 'space'? "
            "Module.add takes name, statements, space, schedule, about",
        ),
        (
            "x = fields('w: real[2D]', ghost_layer=2)",
            "fields(...) has no argument 'ghost_layer'.\n  Hint: did you mean 'ghost_layers'? "
            "fields takes declarations, ghost_layers, split, other_grid, intermediate",
        ),
        (
            "x = heddle.Rows(paralel=False)",
            "Rows(...) has no argument 'paralel'.\n  Hint: did you mean 'parallel'? Rows takes "
            "fixed_nx, simd, adjacent_components, usual, nontemporal_from, parallel, unchecked_entry, "
            "unit_stride",
        ),
        (
            "x = u + 1",
            "a field stands where the value of one cell is expected.\n"
            "  Hint: write u.here for the current cell, u[1, 0] for a neighbour",
        ),
    ],
)
def test_python_that_computes_with_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    text = (
        "import heddle, math, numpy, sympy; from heddle import lbm\np = sympy.Symbol('p', real=True)" + GOOD
    )
    assert _command(tmp_path, f"{text}{line}\n", "show") == 1
    assert capsys.readouterr().err == f"heddle: model.py:7: {message}\n"


def test_the_line_of_an_imported_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "limiters.py").write_text("def minmod(a, b):\n    return (\n        min(a, b)\n    )\n")
    assert _command(tmp_path, f"from limiters import minmod{GOOD}minmod(u.here, v.here)\n", "show") == 1
    error = capsys.readouterr().err
    assert error.startswith("heddle: limiters.py:3: Python evaluates min(...) now, but 'v[0,0] < u[0,0]' ")
