# SPDX-License-Identifier: Apache-2.0
"""The commands of README.md, one after the other in an empty folder, with this Python's Heddle as ./heddle.
Its blocks of Python run in test_pages, its lines of CMake in tests/cmake/installed.sh; ./demo.sh and
./test.sh, which install packages, are not run here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$|`(\./heddle [^`]+)`", re.MULTILINE | re.DOTALL)
INSTALLING = "./demo.sh"


@pytest.mark.compiles
def test_the_commands_of_the_readme(tmp_path: Path) -> None:
    """From the model to the program, whose heat is 1; and a new project."""
    found = COMMAND.findall((ROOT / "README.md").read_text())
    shown = [quoted or block for language, block, quoted in found if quoted or not language]
    commands = [command for command in shown if INSTALLING not in command]
    assert [command.split()[:2] for command in commands] == [
        ["./heddle", "build"],
        ["./heddle", "new"],
        ["g++", "-std=c++20"],
    ]
    start = tmp_path / "heddle"
    start.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m heddle "$@"\n')
    start.chmod(0o755)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    script = "set -e\n" + "\n".join([*commands, "./first_kernel"])
    environment = os.environ | {"PYTHONPATH": str(ROOT / "generator")}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "heat in all 1.000000000000, variance along x 40.000000" in done.stdout
    assert (tmp_path / "heat/model.py").is_file()
