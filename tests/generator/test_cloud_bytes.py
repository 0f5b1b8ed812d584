# SPDX-License-Identifier: Apache-2.0
"""examples/clouds/bytes_per_step.py: the bytes of a step, from the heads of emitted files."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from heddle import Assignment, Module, fields
from heddle.build import files, write

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/clouds"


@pytest.fixture
def bytes_per_step(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    return importlib.import_module("bytes_per_step")


def emitted(folder: Path, name: str, kernels: list[str]) -> None:
    """A module in which each kernel reads one number and writes another."""
    u, v = fields("u, v: real[3D]")
    module = Module(name, precisions=("f64", "f32"))
    for kernel in kernels:
        module.add(kernel, [Assignment(v.here, 2 * u.here)])
    write(files(module, ["cpu"]), folder)


def test_bytes_of_a_step(bytes_per_step: ModuleType, tmp_path: Path) -> None:
    emitted(tmp_path, "clouds", [kernel for _, kernel, _ in bytes_per_step.CALLS])
    lines = bytes_per_step.table(tmp_path)
    calls = sum(times for _, _, times in bytes_per_step.CALLS)
    assert lines[1].split() == ["eddies", "1", "8", "16"]
    assert lines[-3].split() == ["together", str(8 * calls + 204), str(16 * calls + 408)]
    assert lines[-1].split() == ["plan,", "plain", "616", "1232"]
