# SPDX-License-Identifier: Apache-2.0
"""`heddle lift`: a loop of a source file as a model and as files of a target; a report on a source tree."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from heddle.build import files, shown, write
from heddle.commands.lift_proof import proof
from heddle.commands.lift_report import SUFFIXES, report, table
from heddle.commands.lifted_model import Adopted, adopted, module_of, origin
from heddle.emit.files import write_if_changed
from heddle.errors import KernelError
from heddle.lift.front_end import heddle_lift, read
from heddle.lift.kernels import lifted
from heddle.lift.lifted import Lifted
from heddle.lift.limits import bounded
from heddle.lift.model_writer.python_text import identifier
from heddle.lift.raise_accesses import raise_accesses
from heddle.lift.recovered import Recovered
from heddle.roundtrip.compare import Proof


def run(options: argparse.Namespace) -> int:
    """Returns the exit code: 1 if nothing could be lifted."""
    if options.report:
        return _report(options)
    if not options.function:
        raise KernelError(
            options.source.name, "no function is named.", "heddle lift FILE --function NAME, or --report"
        )
    if options.targets and not options.out:
        raise KernelError(options.source.name, "targets need an output folder.", "add --out DIR")
    if options.prove and not options.targets:
        raise KernelError(options.source.name, "no targets to verify are named.", "add --targets cpu cuda")
    if options.module:
        identifier(options.module, "--module", "name of the module")
    unit = read(options.source, options.flags, compile_commands=options.database)
    with bounded(options.source.name):
        functions = [lifted(unit, each) for each in options.function]
        names = [function.name.rsplit("::", 1)[-1] for function in functions]
        name = options.module or (names[0] if len(names) == 1 else options.source.stem)
        recovered = [raise_accesses(function) for function in functions]
        model = adopted(name, [kernel for each in recovered for kernel in each], origin(options.source))
    if not options.out:
        print(model.text, end="")
        return 0
    write_if_changed(options.out / "model.py", model.text)
    lifted_from = f"{len(model.kernels)} kernel(s) lifted from {options.source.name}"
    print(f"heddle: {name}: {lifted_from}, in {options.out / 'model.py'}")
    for note in model.rounding:
        print(f"  rounding differs: {note}", file=sys.stderr)
    if options.targets:
        _build(model, options)
    if options.prove:
        results = [
            _prove(function, kernels, model, target, options)
            for function, kernels in zip(functions, recovered, strict=True)
            for target in options.targets
        ]
        return 0 if all(results) else 1
    return 0


def _build(model: Adopted, options: argparse.Namespace) -> None:
    module = module_of(model.name, model.text)
    module.model = shown(options.out / "model.py")
    texts = files(module, options.targets)
    write(texts, options.out)
    print(f"heddle: {model.name}: {len(texts)} files in {options.out / model.name}")


def _prove(
    function: Lifted, kernels: Sequence[Recovered], model: Adopted, target: str, options: argparse.Namespace
) -> bool:
    """Compare a loop with what was generated for a target, and say what came of it."""
    with bounded(function.place):
        found = proof(function, kernels, target, options.out / model.name, model.precision)
    if isinstance(found, Proof):
        rounding = "" if found.tier == "structural" else ", rounding not measured"
        if found.rounding is not None:
            rounding = f", rounding differs by up to {found.rounding:g} ulp"
        print(f"  {function.name:<24} {target:<9} equal: {found.tier}{rounding}")
        for part in found.detail.split("; ") if found.detail else ():
            print(f"    {part}")
        for assumption in dict.fromkeys(each for kernel in kernels for each in kernel.assumptions):
            print(f"    assumed: {assumption}")
        return True
    print(f"  {function.name:<24} {target:<9} NOT PROVED: {found.where}: {found.reason}")
    return False


def _report(options: argparse.Namespace) -> int:
    source: Path = options.source
    if not source.exists():
        raise KernelError(str(source), "the file or folder does not exist.")
    heddle_lift()  # fails once, not for each file
    paths = sorted(p for p in source.rglob("*") if p.suffix in SUFFIXES) if source.is_dir() else [source]
    base = source if source.is_dir() else source.parent
    given = {"flags": options.flags, "compile_commands": options.database}
    rows = [row for path in paths for row in report(path, str(path.relative_to(base)), given)]
    for line in table(rows):
        print(line)
    if options.json:
        write_if_changed(options.json, json.dumps([row.as_json() for row in rows], indent=1) + "\n")
    return 0 if any(row.problem is None for row in rows) else 1
