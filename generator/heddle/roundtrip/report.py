# SPDX-License-Identifier: Apache-2.0
"""All kernels of a module, proved one by one."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from heddle.emit.signature import arguments
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.schedule import WarpPerCell, precision
from heddle.ir.visit import walk
from heddle.lift.dump import dump, dump_statements, instance_name
from heddle.lift.front_end import SHIM, read
from heddle.lift.kernels import lifted_function
from heddle.lift.statements import StatementLifter
from heddle.module import Module
from heddle.resources import folder
from heddle.roundtrip.canonical import canonical
from heddle.roundtrip.device import Launched, launch_lines, same_device_kernel, without_template_arguments
from heddle.roundtrip.entry import Entry, asked_of_tables, fields_of_list, same_lines, spelled
from heddle.roundtrip.file_text import (
    ANONYMOUS,
    GLOBAL,
    STRUCT,
    FileText,
    Lanes,
    device_includes,
    without_effect,
)
from heddle.roundtrip.kernel import DifferenceError, same_host_kernel, used_names
from heddle.roundtrip.mathematics import same_functions
from heddle.roundtrip.rounds import Rounds, round_functions


@dataclass(frozen=True)
class Verdict:
    """What came of one kernel in one precision. problem: empty where the text is proved to do what was
    lowered, bit for bit."""

    module: str
    kernel: str
    precision: str
    target: str
    file: str
    seconds: float
    problem: str = ""

    @property
    def tier(self) -> str:
        return "structural" if not self.problem else "NOT PROVED"


def flags() -> list[str]:
    """How emitted files are parsed: with our stand-ins for the few standard headers that they include."""
    return ["-nostdinc++", "-isystem", str(SHIM / "std"), "-I", str(folder("runtime/include"))]


def proved(module: Module, targets: Sequence[str], out: Path) -> Iterator[Verdict]:
    """Prove every kernel of a module against the files in `out`/<module>."""
    for name in module.kernels:
        for target in targets:
            yield from proved_kernel(module, name, target, out / module.name)


def proved_kernel(module: Module, name: str, target: str, files: Path) -> Iterator[Verdict]:
    """One kernel for one target, in each precision."""
    device = TARGETS[target].threads
    path = files / f"{name}{TARGETS[target].files[-1]}"
    unit: source.Unit | None = None
    failure = ""
    started = time.perf_counter()
    try:
        texts = list(_texts(module, name, target, files))
        unit = read(path, flags())
        for text, functions in zip(texts, _functions(module, name, target, unit), strict=True):
            text.check_functions(functions)
            text.check_loops(unit.functions)
    except KernelError as error:
        unit, failure = None, str(error)
    for chosen in module.precisions:
        problem = failure
        if unit is not None:
            try:
                if device:
                    _device(module, name, chosen, target, unit)
                else:
                    _host(module, name, chosen, target, unit, texts[0].objects())
                same_functions(unit, module.stages(name, chosen, target).lowered.body)
            except (KernelError, DifferenceError) as error:
                problem = str(error)
        seconds, started = time.perf_counter() - started, time.perf_counter()
        yield Verdict(module.name, name, precision(chosen).suffix, target, path.name, seconds, problem)


def _texts(module: Module, name: str, target: str, folder: Path) -> Iterator[FileText]:
    """The files of a kernel, in the order of the target's; they have the directives of emitted files."""
    gpu, ends = TARGETS[target].gpu, TARGETS[target].files
    includes = device_includes() | {"<cmath>", "<cstdint>"}
    here = f'"{module.name}.h"'
    if gpu is None:
        yield FileText.of(folder / f"{name}{ends[0]}", includes | {here}, "")
        return
    header = f"{name}{ends[0]}"
    guard = re.sub(r"\W", "_", f"{module.name}_{header}").upper()
    yield FileText.of(folder / header, includes, guard)
    yield FileText.of(folder / f"{name}{ends[1]}", includes | {here, f'"{header}"', gpu.include}, "")


def _functions(module: Module, name: str, target: str, unit: source.Unit) -> Iterator[dict[str, str]]:
    """The functions of each file of a kernel, and where they are defined."""
    entries = [_entry(module, name, chosen, target, unit) for chosen in module.precisions]
    ends = [""]
    if entries[0].dense and not TARGETS[target].threads and not TARGETS[target].checked:
        ends += ["_unit", "_unchecked"] if entries[0].schedule.cpu.unchecked_entry else ["_unit"]
    if entries[0].tables:
        ends.append("_checked")
    kernels = {entry.function for entry in entries}
    around = dict.fromkeys((entry.check for entry in entries), ANONYMOUS)
    for entry in entries:
        if functions := round_functions(unit, entry.lanes):
            around |= dict.fromkeys((STRUCT + entry.lanes, *(f.name for f in functions)), ANONYMOUS)
    around |= dict.fromkeys((f"{entry.entry}{end}" for entry in entries for end in ends), GLOBAL)
    if not TARGETS[target].threads:
        yield around | dict.fromkeys(kernels, ANONYMOUS)
        return
    yield dict.fromkeys(kernels, f"namespace {module.name}{TARGETS[target].suffix}")
    yield around


def _host(
    module: Module, name: str, chosen: str, target: str, unit: source.Unit, objects: Sequence[Lanes]
) -> None:
    stages = module.stages(name, chosen, target)
    lowered = stages.lowered
    schedule = module.schedule(name, chosen)
    entry = _entry(module, name, chosen, target, unit)
    everything = entry.arguments
    found = [f for f in _main(unit, entry.function) if not entry.real or entry.real in f.template]
    strides = (1,) if schedule.cpu.unit_stride else (1, 0)
    rows = {(unit_stride, entry.real) if entry.real else (unit_stride,) for unit_stride in strides}
    is_row = {f.template for f in found} == rows
    if len(found) != (len(rows) if is_row else 1) or not (
        is_row or found[0].template == tuple(entry.real.split())
    ):
        raise DifferenceError(f"expected exactly one function {entry.function}")
    rounds = next((Rounds(unit, each, lowered) for each in objects if each.name == entry.lanes), None)
    for one in found:
        without_effect(one)
        whole = rounds.whole(one) if rounds else one
        same_host_kernel(
            lifted_function(unit, whole), lowered, everything, is_row and one.template[0] == 1, rounds
        )
    names = used_names(lowered.body)
    passed = [a.name for a in everything if a.name in names]
    reports = any(isinstance(node, ir.Call) and node.name == "within" for node in walk(lowered.body))
    _same(unit, entry.common, entry.host(passed, is_row, reports))
    _same(unit, entry.entry, entry.forwarding(passed))
    if entry.tables:
        _same(unit, f"{entry.entry}_checked", entry.looking(passed))
    if entry.dense and not TARGETS[target].checked:
        _same(unit, f"{entry.entry}_unit", entry.forwarding(passed, unit=True))
        if schedule.cpu.unchecked_entry:
            _same(unit, f"{entry.entry}_unchecked", entry.unchecked(passed, is_row))


def _device(module: Module, name: str, chosen: str, target: str, launcher: source.Unit) -> None:
    """The kernel function stands in a header, which the launcher includes; a template has instances there."""
    stages = module.stages(name, chosen, target)
    lowered, schedule = stages.lowered, module.schedule(name, chosen)
    if isinstance(schedule.gpu, WarpPerCell):
        raise DifferenceError("its rounds are tables for the lanes of a warp, which this proof does not read")
    entry = _entry(module, name, chosen, target, launcher)
    kernel = f"{module.name}{TARGETS[target].suffix}::{entry.instance()}"
    launched = Launched.of(lowered)
    function, lifter = _function(launcher, kernel), StatementLifter(launcher)
    without_effect(function)
    found = canonical(lifter.function(function))
    if lifter.assumptions:
        raise DifferenceError("it relies on an assumption: " + lifter.assumptions[0])
    body, head = _launching(launcher, entry)
    constants = next(i for i, s in enumerate(body) if not _is_constant(s))
    host = canonical(StatementLifter(launcher).block(body[:constants]))
    passed = same_device_kernel(function.parameters, found, host, launched, entry.arguments)
    _same(launcher, entry.launch_checker, entry.launch_check())
    same_lines(entry.entry, head, entry.launcher_head())
    threads = schedule.gpu.threads_per_block
    gpu = TARGETS[target].gpu
    assert gpu is not None
    blocks = schedule.gpu.minimum_blocks if gpu.bounds_blocks else 0
    bounds = (threads, blocks) if blocks else (threads,)
    if function.launch_bounds != bounds:
        raise DifferenceError(f"its launch bounds are {function.launch_bounds} instead of {bounds}")
    lines = dump_statements(body[constants:], {f.key: f for f in launcher.functions})
    expected = launch_lines(launched, kernel, schedule.gpu.launched_block, passed)
    same_lines(entry.entry, [without_template_arguments(line) for line in lines], list(expected))


def _entry(module: Module, name: str, chosen: str, target: str, unit: source.Unit) -> Entry:
    """The entry in one precision: of a kernel function of its own, or of an instance of the template that f64
    and f32 share."""
    check = "check" if TARGETS[target].threads else "entry"
    plain = not TARGETS[target].threads and not TARGETS[target].checked
    kernel, suffix = module.stages(name, chosen, target).kernel, precision(chosen).suffix
    own = f"{name}_{suffix}"
    real = "" if _main(unit, f"{own}_{check}") else spelled(precision(chosen).arithmetic)
    return Entry(
        f"{name}_kernel" if real else own,
        f"{name}_{check}" if real else f"{own}_{check}",
        real,
        f"{module.name}_{name}_{suffix}{TARGETS[target].suffix}",
        arguments(kernel),
        module.schedule(name, chosen),
        kernel.space.is_box,
        fields_of_list(kernel),
        asked_of_tables(kernel, arguments(kernel)) if plain else "",
    )


def _is_constant(statement: ir.Statement) -> bool:
    """Whether a statement of a launcher computes an argument."""
    if not isinstance(statement, source.Declaration):
        return False
    value = statement.value
    return not (isinstance(value, source.Invoke) and value.function.startswith("heddle::launch"))


def _launching(unit: source.Unit, entry: Entry) -> tuple[tuple[ir.Statement, ...], list[str]]:
    """The statements of a CUDA entry after its check, and the lines before them."""
    function = _function(unit, entry.entry)
    lines = dump(function, {f.key: f for f in unit.functions})
    head = len(dump_statements(function.body[:2])) + 1
    return function.body[2:], lines[:head]


def _same(unit: source.Unit, name: str, expected: list[str]) -> None:
    functions = {f.key: f for f in unit.functions}
    same_lines(name, dump(_function(unit, name), functions), expected)


def _function(unit: source.Unit, name: str) -> source.Function:
    """The one function of a name, which has its template arguments behind it."""
    found = [f for f in unit.functions if instance_name(f.name, f.template) == name]
    if len(found) != 1:
        raise DifferenceError(f"expected exactly one function {name}")
    return found[0]


def _main(unit: source.Unit, name: str) -> list[source.Function]:
    """The functions of a name in the file itself, instances of a template each for itself."""
    return [f for f in unit.functions if f.main and f.name == name]
