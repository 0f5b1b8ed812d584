# SPDX-License-Identifier: Apache-2.0
"""`heddle check`: committed files are what the model gives, and each kernel in them does what was lowered.

Files that somebody edited are read back, too: what the proof says of them is printed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from heddle.build import files, fortran_files, keep_precisions, load
from heddle.emit.fortran_file import Directives, built_with, fortran_name
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.explored_schedules import use
from heddle.ir.schedule import precision
from heddle.lift.front_end import heddle_lift
from heddle.module import Module
from heddle.roundtrip.report import Verdict, proved
from heddle.roundtrip.tokens import same_tokens


@dataclass(frozen=True)
class Committed:
    """A module that has been generated: its model, the targets, the folder that has the module's, and whether
    <module>_sweeps.hpp belongs to it. root: see `heddle.build.load`. schedules, machine: see
    heddle.explored_schedules.use. precisions: see
    heddle.build.keep_precisions; none: all."""

    model: Path
    targets: tuple[str, ...]
    against: Path
    sweeps: bool = True
    root: Path | None = None
    schedules: Path | None = None
    machine: str | None = None
    precisions: tuple[str, ...] = ()


def of_build(build: Path, part: int = 1, parts: int = 1) -> list[Committed]:
    """The modules that a CMake build generates, as `heddle_add_kernels` wrote them down; or number `part`,
    counted from 1, of equal `parts` of them, for machines that share the work."""
    entries = sorted((build / "heddle-modules").glob("*.json"))
    if not entries:
        raise KernelError(
            str(build),
            "this build generates no modules.",
            "configure it with a working generator: cmake --preset dev",
        )
    found = [json.loads(entry.read_text()) for entry in entries[part - 1 :: parts]]
    return [
        Committed(
            Path(e["model"]),
            tuple(e["targets"]),
            Path(e["generated"]),
            e["sweeps"],
            Path(e["root"]),
            Path(e["schedules"]) if e.get("schedules") else None,
            e.get("machine") or None,
            tuple(e.get("precisions", ())),
        )
        for e in found
    ]


MISSING, LAID_OUT, OTHER = "missing", "other comments or layout", "another text"
PROVED, NOT_PROVED = "another text, proved to give the same bits", "another text, not proved"
"""How a file can differ from what the model gives."""


@dataclass(frozen=True)
class Outcome:
    """What came of one committed module. differing: the files that are not what the model gives, and how;
    surplus: those that it does not give."""

    module: str
    differing: dict[str, str]
    surplus: list[str]
    verdicts: list[Verdict]

    def agrees(self, edits: bool) -> bool:
        """Whether every file is what the model gives, or, with `edits`, differs in nothing that matters."""
        allowed = (LAID_OUT, PROVED) if edits else ()
        return not self.surplus and all(how in allowed for how in self.differing.values())


def check(committed: Sequence[Committed], prove: bool, jobs: int = 1, edits: bool = False) -> int:
    """Compare and prove; prints a table and returns the exit code.

    prove: read each file back and compare it with the lowered kernel, also where its text is another; raises
    KernelError where heddle-lift is not built. jobs: modules at a time, each in a process. edits: files may
    differ in comments and layout, and in their text where it is proved.
    """
    agree, verdicts = True, list[Verdict]()
    if prove:
        heddle_lift()  # fails once, not for each kernel
        print(f"{'kernel':<40} {'target':<10} {'precision':<9} {'proof':<11} {'ms':>6}")
    for entry, outcome in zip(committed, _outcomes(committed, prove, jobs), strict=True):
        agree = agree and outcome.agrees(edits)
        verdicts += outcome.verdicts
        for verdict in outcome.verdicts:
            for line in _lines(verdict):
                print(line, flush=True)
        different = list(_differences(entry, outcome, edits))
        if different:
            print(f"heddle: {entry.against} differs from {entry.model.name}:", file=sys.stderr)
            for line in different:
                print(f"  {line}", file=sys.stderr)
        elif not prove:
            print(f"heddle: {outcome.module}: the files agree with {entry.model.name}")
    failed = sum(bool(verdict.problem) for verdict in verdicts)
    if prove:
        seconds = sum(verdict.seconds for verdict in verdicts)
        good = len(verdicts) - failed
        print(
            f"{good} of {len(verdicts)} kernels proved to give the bits of what was lowered ({seconds:.1f} s)"
        )
    return 0 if agree and not failed else 1


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
    if entry.schedules is not None:
        module, _ = use(module, entry.schedules, entry.targets, entry.machine)
    if entry.precisions:
        keep_precisions(module, entry.precisions)
    texts = files(module, entry.targets, sweeps=entry.sweeps)
    if directives := _fortran(entry.against / module.name / fortran_name(module.name)):
        texts |= fortran_files(module, entry.targets, directives)
    differing = {name: how for name, text in texts.items() if (how := _how(entry.against / name, text))}
    present = (entry.against / module.name).rglob("*")
    surplus = sorted({str(p.relative_to(entry.against)) for p in present if p.is_file()} - texts.keys())
    if not prove:
        return Outcome(module.name, differing, surplus, [])
    header = _foreign_header(module.name, differing, surplus)
    verdicts = list(
        _refused(module, entry.targets, header) if header else proved(module, entry.targets, entry.against)
    )
    for name, how in differing.items():
        if how == OTHER and (own := [v for v in verdicts if name in _files(v)]):
            differing[name] = NOT_PROVED if any(v.problem for v in own) else PROVED
    return Outcome(module.name, differing, surplus, verdicts)


def _fortran(path: Path) -> Directives | None:
    """The directives of a module of Fortran that is there; None where none is, or it says nothing of them."""
    return built_with(path.read_bytes().decode(errors="replace")) if path.is_file() else None


def _how(path: Path, text: str) -> str:
    """How a file differs from what the model gives; empty if it does not."""
    if not path.exists():
        return MISSING
    found = path.read_bytes()
    if found == text.encode():
        return ""
    return LAID_OUT if same_tokens(found.decode(errors="replace"), text) else OTHER


def _foreign_header(module: str, differing: Mapping[str, str], surplus: Sequence[str]) -> str:
    """A header that kernels include and that is not what the model gives: what it does to them is unknown."""
    changed = [name for name, how in differing.items() if how in (MISSING, OTHER)]
    included = [n for n in changed if n == f"{module}/{module}.h" or n.startswith("heddle/")]
    return next(iter((*included, *(name for name in surplus if name.startswith(f"{module}/heddle/")))), "")


def _refused(module: Module, targets: Sequence[str], header: str) -> Iterator[Verdict]:
    """No kernel is proved that includes a header of which nothing is known."""
    problem = f"it includes {header}, which is not what the model gives"
    for name in module.kernels:
        for target in targets:
            for chosen in module.precisions:
                file = f"{name}{TARGETS[target].files[-1]}"
                yield Verdict(module.name, name, precision(chosen).suffix, target, file, 0.0, problem)


def _files(verdict: Verdict) -> list[str]:
    """The files of a kernel for a target."""
    return [f"{verdict.module}/{verdict.kernel}{end}" for end in TARGETS[verdict.target].files]


def _differences(entry: Committed, outcome: Outcome, edits: bool) -> Iterator[str]:
    """Lines about the files that are not what the model gives, and what to do where they should be."""
    targets = " ".join(entry.targets)
    for name, how in outcome.differing.items():
        yield f"{name}: {how}"
    if outcome.differing and not outcome.agrees(edits):
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
        named = re.match(r"[\w.]+:\d+: ", verdict.problem)  # it has file and line
        yield f"  {verdict.problem}" if named else f"  {verdict.file}: {verdict.problem}"
