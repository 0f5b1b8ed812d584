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
from heddle.ir import source
from heddle.lift.front_end import heddle_lift, read
from heddle.lift.kernels import find, lifted_function
from heddle.lift.lifted import Lifted
from heddle.lift.limits import bounded
from heddle.lift.model_writer.model_text import Origin
from heddle.lift.model_writer.python_text import identifier
from heddle.lift.raise_accesses import raise_accesses
from heddle.lift.recovered import Recovered
from heddle.lift.single_nests import each_nest, nest_at
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
    if options.line is not None and len(options.function) != 1:
        raise KernelError(
            options.source.name, "a line is that of one function.", "name one function with --line"
        )
    if options.module:
        identifier(options.module, "--module", "name of the module")
    unit = read(options.source, options.flags, compile_commands=options.database, partly=True)
    with bounded(options.source.name):
        own = [find(unit, each) for each in options.function]
        both = [part for function in own for part in _parts(unit, function, options.line)]
        functions, recovered = [function for function, _ in both], [kernels for _, kernels in both]
        names = [function.name.rsplit("::", 1)[-1] for function in own]
        name = options.module or (names[0] if len(names) == 1 else options.source.stem)
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


def _parts(
    unit: source.Unit, function: source.Function, line: int | None
) -> list[tuple[Lifted, tuple[Recovered, ...]]]:
    """What is lifted of a function: the nest at a line, or the whole function, or, where something stands in
    the way of that, those of its nests that can be lifted; why the others cannot is said."""
    if line is not None:
        nest = nest_at(unit, function, line)
        return [(nest, raise_accesses(nest))]
    try:
        whole = lifted_function(unit, function)
        return [(whole, raise_accesses(whole))]
    except KernelError as error:
        if function.kind == "kernel":
            raise
        problem = error
    nests = each_nest(unit, function, _adoptable)
    if all(isinstance(each, KernelError) for each in nests):
        raise problem
    print(f"heddle: '{function.name}' is lifted in parts: {problem.where}: {problem.what}", file=sys.stderr)
    for each in nests:
        if isinstance(each, KernelError):
            print(f"  not lifted: {each.where}: {each.what}", file=sys.stderr)
    return [each for each in nests if not isinstance(each, KernelError)]


def _adoptable(nest: Lifted) -> tuple[Recovered, ...]:
    """The kernels of a nest, if a model can say them."""
    found = raise_accesses(nest)
    adopted(nest.name.rsplit("::", 1)[-1], found, Origin(nest.place.file))
    return found


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
    rows = list(dict.fromkeys(rows))  # a kernel of a file that several include
    for line in table(rows):
        print(line)
    if options.json:
        write_if_changed(options.json, json.dumps([row.as_json() for row in rows], indent=1) + "\n")
    return 0 if any(row.problem is None for row in rows) else 1
