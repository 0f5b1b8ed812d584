# SPDX-License-Identifier: Apache-2.0
"""Faults put into emitted text at random are found: the score of the proof.

HEDDLE_MUTANTS says how many; 1000 take some minutes.
"""

from __future__ import annotations

import functools
import itertools
import os
import random
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from heddle.build import load
from heddle.module import Module
from heddle.roundtrip.report import proved_kernel
from roundtrip.mutants import KINDS, mutant, tokens

ROOT = Path(__file__).parents[3]
GENERATED = ROOT / "build" / "dev" / "generated"
COUNT = int(os.environ.get("HEDDLE_MUTANTS", "60"))
MODELS = {
    "heat": "examples/first_kernel/model.py",
    "wind": "examples/terrain_wind/model.py",
    "lifted": "examples/lift_loop/model.py",
    "embedding": "tests/embedding/model.py",
    "halo": "tests/kernels/halo/model.py",
    "lbm_blocks": "tests/kernels/lbm_blocks/model.py",
    "lbm_d3q19": "tests/kernels/lbm_d3q19/model.py",
    "lbm_schedules": "tests/kernels/lbm_schedules/model.py",
    "lbm_sparse": "tests/kernels/lbm_sparse/model.py",
    "sor": "tests/kernels/sor/model.py",
}
"""Their emitted files, those of the build dev, are changed: dense and sparse lattices, columns, colours,
reductions, exchanges."""
SHARES = 10


@dataclass(frozen=True)
class Subject:
    """A file of a kernel that can be changed."""

    module: Module
    kernel: str
    target: str
    file: str


@functools.cache
def subjects(module: str) -> list[Subject]:
    """Every emitted file of every kernel of a model."""
    model = load(ROOT / MODELS[module])
    ends = {"_reference.cpp": "reference", ".cpp": "cpu", ".cu": "cuda", ".cuh": "cuda"}
    everything = [
        Subject(model, kernel, target, f"{kernel}{end}")
        for kernel in model.kernels
        for end, target in ends.items()
    ]
    return [subject for subject in everything if (GENERATED / module / subject.file).exists()]


def problems(subject: Subject, out: Path) -> list[str]:
    verdicts = proved_kernel(subject.module, subject.kernel, subject.target, out / subject.module.name)
    return [verdict.problem for verdict in verdicts if verdict.problem]


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_mutants_are_caught(share: int, tmp_path: Path) -> None:
    """Models and kinds of faults take turns, so that each meets each; where and what exactly is chosen at
    random."""
    generator = random.Random(share)
    order = list(itertools.product(KINDS, MODELS))
    generator.shuffle(order)
    survivors = []
    for kind, name in itertools.islice(itertools.cycle(order), COUNT // SHARES):
        made = None
        while made is None:
            subject = generator.choice(subjects(name))
            made = mutant((GENERATED / name / subject.file).read_text(), generator, kind)
        work = tmp_path / name
        if not work.exists():
            shutil.copytree(GENERATED / name, work)
        (work / subject.file).write_text(made.text)
        if not problems(subject, tmp_path):
            survivors.append(f"{name}/{subject.file}, {made.kind}: {made.fault}")
        shutil.copy(GENERATED / name / subject.file, work / subject.file)
    assert not survivors


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_what_is_not_changed_is_proved(name: str) -> None:
    assert problems(subjects(name)[-1], GENERATED) == []


def test_tokens_are_the_text() -> None:
    for path in sorted(GENERATED.glob("*/*.cu*")):
        assert "".join(tokens(path.read_text())) == path.read_text()
