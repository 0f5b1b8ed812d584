# SPDX-License-Identifier: Apache-2.0
"""The same model gives the same bytes, whatever the hash seed and the supported SymPy."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OLDEST = "1.11.1"


def digests(seed: str, before: Path | None = None) -> list[str]:
    """The lines that emit_everything.py prints in a process of its own."""
    paths = [str(before)] if before else []
    environment = os.environ | {
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": os.pathsep.join([*paths, str(ROOT / "generator"), str(HERE)]),
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


@pytest.fixture(scope="module")
def oldest_sympy() -> Path:
    """SymPy 1.11.1 in a folder of its own below build/; installed once."""
    folder = ROOT / "build" / f"sympy-{OLDEST}"
    if not (folder / "sympy" / "release.py").exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--target",
            str(folder),
            f"sympy=={OLDEST}",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.fail(
                f"SymPy {OLDEST} cannot be installed: is the package index reachable?\n{done.stderr[-500:]}"
            )
    return folder


@pytest.mark.slow
def test_oldest_and_newest_sympy(expected: list[str], oldest_sympy: Path) -> None:
    old = digests("0", oldest_sympy)
    assert old[0] == f"SymPy {OLDEST}"
    newest = importlib.metadata.version("sympy")
    assert expected[0] == f"SymPy {newest}"
    assert newest != OLDEST, "the environment has the oldest SymPy itself: nothing is compared"
    assert old[1:] == expected[1:]
