# SPDX-License-Identifier: Apache-2.0
"""The programs under test: HEDDLE_LIFT names one or more, separated by colons. ctest sets it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from heddle.ir import source
from heddle.ir.json import from_json

ROOT = Path(__file__).resolve().parents[2]
SHIM = ROOT / "generator" / "heddle" / "lift" / "shim"
KERNEL_FLAGS = ("-nostdinc++", "-isystem", str(SHIM / "std"), "-I", str(ROOT / "runtime" / "include"))
PROGRAMS = [Path(name) for name in os.environ.get("HEDDLE_LIFT", "").split(":") if name]

Run = Callable[..., subprocess.CompletedProcess[str]]
Lift = Callable[..., source.Unit]


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.parts[-3])
def run(request: pytest.FixtureRequest) -> Run:
    """Calls heddle-lift with arguments."""

    def call(*arguments: str | Path, flags: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        line = [request.param, *map(str, arguments), *(("--", *flags) if flags else ())]
        return subprocess.run(line, capture_output=True, text=True, check=False)

    return call


@pytest.fixture
def lift(run: Run, tmp_path: Path) -> Lift:
    """The record of a text."""

    def read(text: str, name: str = "input.cpp", *options: str, flags: Sequence[str] = ()) -> source.Unit:
        file = tmp_path / name
        file.write_text(text)
        result = run(*options, file, flags=flags)
        assert result.returncode == 0, result.stderr
        unit = from_json(result.stdout)
        assert isinstance(unit, source.Unit)
        return unit

    return read
