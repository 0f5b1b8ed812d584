# SPDX-License-Identifier: Apache-2.0
"""`heddle check`: committed files are what the model gives, and each kernel in them does what was lowered."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from heddle.build import files, load
from heddle.module import Module
from heddle.prove.report import Verdict, proved


def check(
    model: Path, targets: Sequence[str], against: Path, prove: bool, front_end: str | None = None
) -> int:
    """Compare and prove; prints a table and returns the exit code. against: folder that has the module's.

    prove: read each file back and compare it with the lowered kernel. front_end: see `heddle.lift.front_end`.
    """
    module = load(model)
    differing = _differing(module, targets, against)
    if differing:
        print(f"heddle: {against} differs from {model.name}:", file=sys.stderr)
        for name in differing:
            print(f"  {name}", file=sys.stderr)
        print(f"  Hint: heddle build {model} --out {against}", file=sys.stderr)
        return 1
    print(f"heddle: {module.name}: the files agree with {model.name}")
    if not prove:
        return 0
    verdicts = list(proved(module, targets, against, front_end))
    for line in table(verdicts):
        print(line)
    failed = [verdict for verdict in verdicts if verdict.problem]
    for verdict in failed:
        print(
            f"heddle: {verdict.file}: {verdict.kernel}_{verdict.precision}: {verdict.problem}",
            file=sys.stderr,
        )
    return 1 if failed else 0


def _differing(module: Module, targets: Sequence[str], against: Path) -> list[str]:
    """Names of the files that are missing, differ, or that nothing generates."""
    texts = files(module, targets)
    missing = [
        name
        for name, text in texts.items()
        if not (against / name).exists() or (against / name).read_text() != text
    ]
    present = {
        str(path.relative_to(against)) for path in (against / module.name).rglob("*") if path.is_file()
    }
    return missing + sorted(present - texts.keys())


def table(verdicts: Sequence[Verdict]) -> list[str]:
    """A line for each kernel, target and precision: tier and time."""
    head = f"  {'kernel':<32} {'target':<10} {'precision':<9} {'proof':<11} {'ms':>6}"
    rows = [
        f"  {v.kernel:<32} {v.target:<10} {v.precision:<9} {v.tier:<11} {v.seconds * 1000:6.0f}"
        for v in verdicts
    ]
    good = sum(not v.problem for v in verdicts)
    seconds = sum(v.seconds for v in verdicts)
    return [head, *rows, f"  {good} of {len(verdicts)} proved to give the same bits, in {seconds:.1f} s"]
