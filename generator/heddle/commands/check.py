# SPDX-License-Identifier: Apache-2.0
"""`heddle check`: committed files are what the model gives, and each kernel in them does what was lowered."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from heddle.build import files, load
from heddle.errors import KernelError
from heddle.lift.front_end import heddle_lift
from heddle.module import Module
from heddle.roundtrip.report import Verdict, proved


@dataclass(frozen=True)
class Committed:
    """A module that has been generated: its model, the targets, the folder that has the module's, and whether
    <module>_sweeps.hpp belongs to it. root: see `heddle.build.load`."""

    model: Path
    targets: tuple[str, ...]
    against: Path
    sweeps: bool = True
    root: Path | None = None


def of_build(build: Path) -> list[Committed]:
    """The modules that a CMake build generates, as `heddle_add_kernels` wrote them down."""
    entries = sorted((build / "heddle-modules").glob("*.json"))
    if not entries:
        raise KernelError(
            str(build),
            "this build generates no modules.",
            "configure it with a working generator: cmake --preset dev",
        )
    found = [json.loads(entry.read_text()) for entry in entries]
    return [
        Committed(Path(e["model"]), tuple(e["targets"]), Path(e["generated"]), e["sweeps"], Path(e["root"]))
        for e in found
    ]


@dataclass(frozen=True)
class Outcome:
    """What came of one committed module. differing: names of the files that are not what the model gives;
    surplus: of those that it does not give. Only where there are none are the kernels proved."""

    module: str
    differing: list[str]
    surplus: list[str]
    verdicts: list[Verdict]


def check(committed: Sequence[Committed], prove: bool, jobs: int = 1) -> int:
    """Compare and prove; prints a table and returns the exit code.

    prove: read each file back and compare it with the lowered kernel; raises KernelError where heddle-lift is
    not built. jobs: modules at a time, each in a process.
    """
    differing, verdicts = 0, list[Verdict]()
    if prove:
        heddle_lift()  # fails once, not for each kernel
        print(f"{'kernel':<40} {'target':<10} {'precision':<9} {'proof':<11} {'ms':>6}")
    for entry, outcome in zip(committed, _outcomes(committed, prove, jobs), strict=True):
        different = list(_differences(entry, outcome))
        differing += len(different)
        if different:
            print(f"heddle: {entry.against} differs from {entry.model.name}:", file=sys.stderr)
            for line in different:
                print(f"  {line}", file=sys.stderr)
        elif not prove:
            print(f"heddle: {outcome.module}: the files agree with {entry.model.name}")
        else:
            verdicts += outcome.verdicts
            for verdict in outcome.verdicts:
                for line in _lines(verdict):
                    print(line, flush=True)
    failed = sum(bool(verdict.problem) for verdict in verdicts)
    if prove:
        seconds = sum(verdict.seconds for verdict in verdicts)
        good = len(verdicts) - failed
        print(
            f"{good} of {len(verdicts)} kernels proved to give the bits of what was lowered ({seconds:.1f} s)"
        )
    return 1 if differing or failed else 0


def _outcomes(committed: Sequence[Committed], prove: bool, jobs: int) -> Iterator[Outcome]:
    """In the order of `committed`, each as soon as it and those before it are done."""
    outcome = partial(_outcome, prove=prove)
    jobs = min(jobs, len(committed))
    if jobs <= 1:
        yield from map(outcome, committed)
    else:
        with ProcessPoolExecutor(jobs) as pool:
            yield from pool.map(outcome, committed)


def _outcome(entry: Committed, prove: bool) -> Outcome:
    module = load(entry.model, entry.root)
    differing, surplus = _compared(module, entry)
    proofs = proved(module, entry.targets, entry.against) if prove and not (differing or surplus) else ()
    return Outcome(module.name, differing, surplus, list(proofs))


def _compared(module: Module, entry: Committed) -> tuple[list[str], list[str]]:
    """Names of the files that are missing or differ, and of those that nothing generates."""
    texts, against = files(module, entry.targets, sweeps=entry.sweeps), entry.against
    differing = [
        name
        for name, text in texts.items()
        if not (against / name).exists() or (against / name).read_text() != text
    ]
    present = {
        str(path.relative_to(against)) for path in (against / module.name).rglob("*") if path.is_file()
    }
    return differing, sorted(present - texts.keys())


def _differences(entry: Committed, outcome: Outcome) -> Iterator[str]:
    """Lines about the files that are not as they should be, and what to do."""
    targets = " ".join(entry.targets)
    yield from outcome.differing
    if outcome.differing:
        yield f"Hint: heddle build {entry.model} --out {entry.against} --targets {targets}"
    for name in outcome.surplus:
        yield f"{name} (not generated for {targets})"
    if outcome.surplus:
        yield "Hint: remove what no target needs, or name all targets that are committed: --targets"


def _lines(verdict: Verdict) -> Iterator[str]:
    """A line for a kernel, target and precision: tier and time; more where it is not proved."""
    name = f"{verdict.module}/{verdict.kernel}"
    milliseconds = verdict.seconds * 1000
    yield f"{name:<40} {verdict.target:<10} {verdict.precision:<9} {verdict.tier:<11} {milliseconds:6.0f}"
    if verdict.problem:
        yield f"  {verdict.file}: {verdict.problem}"
