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


def test_debug_shows_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _command(tmp_path, GOOD.replace("v.here, u", "u.here, u"), "show", "--debug") == 1
    assert "Traceback" in capsys.readouterr().err
