# SPDX-License-Identifier: Apache-2.0
"""The same model gives the same bytes, whatever the hash seed; ./test.sh has a stage for the oldest SymPy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def digests(seed: str) -> list[str]:
    """The lines that emit_everything.py prints in a process of its own."""
    environment = os.environ | {
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "generator"), str(HERE)]),
        "PYTHONNOUSERSITE": "1",
        "PYTHONWARNINGS": "ignore",
    }
    done = subprocess.run(
        [sys.executable, str(HERE / "emit_everything.py")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def expected() -> list[str]:
    return digests("0")


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "random"])
def test_hash_seeds(expected: list[str], seed: str) -> None:
    assert len(expected) > 40
    assert digests(seed) == expected
