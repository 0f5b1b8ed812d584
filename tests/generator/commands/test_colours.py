# SPDX-License-Identifier: Apache-2.0
"""Colours: on a terminal that shows them, for users who want them, and nowhere else."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from heddle import Rows, Schedule, Threads
from heddle.colours import message
from heddle.explorer.results import Result, append

RESULT = Result(
    key="k",
    machine="here",
    target="cpu",
    module="heat",
    variant="",
    step="step",
    precision="f64",
    schedule=Schedule(Rows(), Threads()),
    extent=(10, 10),
    state="correct",
    bytes_read=8,
    bytes_written=8,
    seconds=(1e-7,),
    stream=(1e-7,),
    timestamp="2026-11-27T12:00:00+00:00",
)


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def on_a_terminal(words: list[str], **variables: str) -> bytes:
    """What a command shows on one."""
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    command = [sys.executable, "-m", "heddle", *words]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=kept | {"TERM": "xterm"} | variables
    ):
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # what a terminal of Linux says when nobody writes any more
            while said := os.read(ours, 4096):
                shown += said
    os.close(ours)
    return shown


@pytest.mark.parametrize(
    ("words", "coloured"),
    [
        (["show", "no.py"], [b"\x1b[31mheddle:\x1b[0m no.py", b"\x1b[1mHint:\x1b[0m"]),
        (["doctor"], [b"\x1b[32mok\x1b[0m      Python: CPython"]),
        (["explore", "--merge", "RESULTS", "--out", "OUT"], [b"\x1b[1mheat/step, ", b"\x1b[32m       1 "]),
    ],
)
def test_colours_on_a_terminal(words: list[str], coloured: list[bytes], tmp_path: Path) -> None:
    """Errors, what doctor finds, tables; not where the user does not want them, or cannot see them."""
    append(tmp_path / "one", RESULT, "")
    names = {"RESULTS": str(tmp_path / "one"), "OUT": str(tmp_path / "out")}
    words = [names.get(word, word) for word in words]
    for shown in (on_a_terminal(words), on_a_terminal(words, NO_COLOR="")):
        assert [one in shown for one in coloured] == [True] * len(coloured), shown
    for without in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert b"\x1b" not in on_a_terminal(words, **without)


def test_warnings_have_a_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert message("old.\n  Hint: new", Screen(), True) == (
        "\x1b[33mheddle: warning:\x1b[0m old.\n  \x1b[1mHint:\x1b[0m new"
    )
    assert message("old.", io.StringIO()) == "heddle: old."
