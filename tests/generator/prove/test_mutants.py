# SPDX-License-Identifier: Apache-2.0
"""Faults put into emitted text at random are found: the score of the proof.

HEDDLE_MUTANTS says how many; 1000 take some minutes.
"""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from heddle.build import files, load, write
from heddle.lift.front_end import available
from heddle.module import Module
from heddle.prove.report import proved_kernel
from prove.mutants import mutant, tokens

ROOT = Path(__file__).parents[3]
COUNT = int(os.environ.get("HEDDLE_MUTANTS", "60"))
MODELS = [
    "examples/first_kernel/model.py",
    "tests/embedding/model.py",
    "tests/kernels/lbm_sparse/model.py",
    "tests/kernels/lbm_schedules/model.py",
    "tests/kernels/lbm_d3q19/model.py",
    "tests/kernels/sor/model.py",
]
pytestmark = pytest.mark.skipif(not available(), reason="neither heddle-lift nor clang++ is here")


@dataclass(frozen=True)
class Subject:
    """A file of a kernel that can be changed."""

    module: Module
    kernel: str
    target: str
    file: str


def subjects() -> list[Subject]:
    """Every file of every kernel of the models."""
    result = []
    for path in MODELS:
        module = load(ROOT / path)
        for kernel in module.kernels:
            for target, names in (
                ("reference", [f"{kernel}_reference.cpp"]),
                ("cpu", [f"{kernel}.cpp"]),
                ("cuda", [f"{kernel}.cu", f"{kernel}.cuh"]),
            ):
                result += [Subject(module, kernel, target, name) for name in names]
    return result


def problems(subject: Subject, out: Path) -> list[str]:
    verdicts = proved_kernel(subject.module, subject.kernel, subject.target, out / subject.module.name)
    return [verdict.problem for verdict in verdicts if verdict.problem]


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All files of all models."""
    out: Path = tmp_path_factory.mktemp("emitted")
    for subject in {s.module.name: s for s in subjects()}.values():
        write(files(subject.module, ["reference", "cpu", "cuda"]), out)
    return out


@pytest.mark.parametrize("share", range(10))
def test_mutants_are_caught(share: int, emitted: Path, tmp_path: Path) -> None:
    generator = random.Random(share)
    everything = subjects()
    survivors = []
    for _ in range(COUNT // 10):
        subject = generator.choice(everything)
        work = tmp_path / subject.module.name
        if not work.exists():
            shutil.copytree(emitted / subject.module.name, work)
        path = work / subject.file
        original = path.read_text()
        changed = mutant(original, generator)
        path.write_text(changed.text)
        if not problems(subject, tmp_path):
            survivors.append(f"{subject.module.name}/{subject.file}, {changed.fault}")
        path.write_text(original)
    assert not survivors


def test_what_is_not_changed_is_proved(emitted: Path) -> None:
    for subject in subjects()[::7]:
        assert problems(subject, emitted) == []


def test_tokens_are_the_text(emitted: Path) -> None:
    for path in sorted(emitted.rglob("*.cu*")):
        assert "".join(tokens(path.read_text())) == path.read_text()
