# SPDX-License-Identifier: Apache-2.0
"""The files of one kernel, all precisions in each: name.cpp and name_reference.cpp for CPUs; for GPUs the
kernels, name.cuh, and what launches them, name.cu.

f64 and f32 share one template where their texts differ in no more than the type: see `heddle.emit.template`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from heddle.emit.cost import cost
from heddle.emit.entry_checks import entry_checks
from heddle.emit.expression import NoOneTextError, type_text
from heddle.emit.files import render
from heddle.emit.round_functions import RoundFunctions, long_round
from heddle.emit.signature import UNCHECKED, UNUSED, Argument, arguments, table_checks
from heddle.emit.statement import StatementPrinter
from heddle.emit.template import LANES, REAL, STRIP, merged, strip_names
from heddle.emit.warp_text import WarpText, warp_text
from heddle.ir import nodes as ir
from heddle.ir.colouring import COLOUR
from heddle.ir.device_calls import DeviceFunction, row_of
from heddle.ir.functions import FUNCTIONS, Function
from heddle.ir.loops import is_over_threads
from heddle.ir.schedule import Interleaved, Precision, Schedule, WarpPerCell
from heddle.ir.stages import Stages
from heddle.ir.target import Target
from heddle.ir.unique_names import names_in
from heddle.ir.visit import distinct, nodes_of
from heddle.resources import folder

_INCLUDED = re.compile(r'^#include "heddle/device/(\w+\.hpp)"$', re.MULTILINE)
_KERNEL_TEXTS = (
    "parameters",
    "body",
    "common_parameters",
    "checks",
    "device_checked_parameters",
    "device_checks",
)
"""What the precisions of one template have in common."""


@dataclass(frozen=True)
class Variant:
    """A kernel in one precision, at every level, for one target."""

    precision: Precision
    stages: Stages
    schedule: Schedule

    @property
    def suffix(self) -> str:
        return self.precision.suffix


def cpp_files(
    module: str, kernel: str, variants: Sequence[Variant], target: Target, banner: Mapping[str, Any]
) -> tuple[str]:
    """name.cpp or name_reference.cpp."""
    kernels = _kernels(kernel, variants, lambda v, real: _cpu_function(module, kernel, v, target, real))
    text = render(
        "kernel.cpp.j2",
        **banner,
        compiled=target.compiled,
        module=module,
        headers=_device_headers(variants, target),
        cmath=_needs_cmath(variants),
        kernels=kernels,
        costs=_costs(variants, target),
    )
    return (text,)


def gpu_files(
    module: str,
    kernel: str,
    variants: Sequence[Variant],
    target: Target,
    banner: Mapping[str, Any],
) -> tuple[str, str]:
    """name.cuh and name.cu, or what a target calls them."""
    gpu, ends = target.gpu, target.files
    assert gpu is not None
    kernels = _kernels(kernel, variants, lambda v, real: _gpu_function(module, kernel, v, target, real))
    schedule = variants[0].schedule.gpu  # its kind is that of all precisions
    kernel_text = render(
        "kernel.gpu.hpp.j2",
        **banner,
        compiled=target.compiled,
        namespace=f"{module}{target.suffix}",
        guard=re.sub(r"\W", "_", f"{module}_{kernel}{ends[0]}").upper(),
        qualifiers=gpu.qualifiers,
        headers=_device_headers(variants, target),
        cmath=_needs_cmath(variants),
        kernels=kernels,
        costs=_costs(variants, target),
    )
    launcher = render(
        "kernel.gpu.cpp.j2",
        **banner,
        compiled=target.compiled,
        module=module,
        namespace=f"{module}{target.suffix}",
        include=gpu.include,
        header=f"{kernel}{ends[0]}",
        interleaved=isinstance(schedule, Interleaved),
        warps=schedule if isinstance(schedule, WarpPerCell) else None,
        kernels=kernels,
    )
    return kernel_text, launcher


def _kernels(
    kernel: str,
    variants: Sequence[Variant],
    function: Callable[[Variant, ir.Scalar | None], dict[str, Any]],
) -> list[dict[str, Any]]:
    """What templates know of each kernel function and its entries: one function for f64 and f32 where that is
    possible, and one for each other precision.

    function: what they know of a variant, its body printed with a type that is called Real.
    """
    reals = [v for v in variants if v.suffix in ("f64", "f32")]
    shared = _shared(kernel, reals, function) if len(reals) == 2 else None
    kernels: list[dict[str, Any]] = []
    for variant in variants:
        if shared is None or variant not in reals:
            own = function(variant, None)
            kernels.append(own | {"real": False, "strip": (), "entries": [own | {"instance": ""}]})
        elif variant is reals[0]:
            kernels.append(shared)
    return kernels


def _shared(
    kernel: str,
    reals: Sequence[Variant],
    function: Callable[[Variant, ir.Scalar | None], dict[str, Any]],
) -> dict[str, Any] | None:
    """The template over Real and the entries that instantiate it. None where the texts in f64 and f32
    differ in more than the type, or where no argument tells it."""
    if any({REAL, STRIP, LANES} & names_in(v.stages.lowered) or long_round(v.stages.lowered) for v in reals):
        return None
    types = {v.suffix: v.precision.arithmetic for v in reals}
    try:
        printed = {v.suffix: function(v, types[v.suffix]) for v in reals}
    except NoOneTextError:
        return None
    double, single = printed["f64"], printed["f32"]
    texts = {key: merged(double[key], single[key]) for key in _KERNEL_TEXTS if key in double}
    common = {key: text for key, text in texts.items() if text is not None}
    if len(common) < len(texts) or REAL not in common["parameters"]:
        return None
    if double.get("launch_bounds") != single.get("launch_bounds"):
        return None
    return {
        **double,
        **common,
        "name": f"{kernel}_kernel",
        "check": f"{kernel}_check",
        "common_entry": f"{kernel}_entry",
        "real": True,
        "strip": strip_names(common["body"]),
        "entries": [printed[s] | {"instance": f"<{type_text(types[s])}>"} for s in printed],
    }


def device_headers(named: Iterable[str]) -> dict[str, str]:
    """The texts of device headers, and of those that they include."""
    here = folder("runtime/include") / "heddle" / "device"
    texts: dict[str, str] = {}
    wanted = list(named)
    while wanted:
        name = wanted.pop()
        if name not in texts:
            texts[name] = (here / name).read_text()
            wanted += _INCLUDED.findall(texts[name])
    return dict(sorted(texts.items()))


def kernel_headers(variants: Sequence[Variant], target: Target) -> list[str]:
    """The device headers that a kernel's files name."""
    interleaved = target.threads and isinstance(variants[0].schedule.gpu, Interleaved)
    return [
        *_device_headers(variants, target),
        *(["launch.hpp"] if target.threads else []),
        *(["interleaved.hpp"] if interleaved else []),
    ]


def _costs(variants: Sequence[Variant], target: Target) -> list[str]:
    """One line for each precision."""
    lines = []
    for variant in variants:
        cells = variant.schedule.gpu.cells_per_thread if target.threads else 1
        spent = cost(variant.stages.kernel, variant.stages.lowered, cells)
        lines.append(f"One update in {variant.suffix}: {spent}.")
    return lines


def _device_headers(variants: Sequence[Variant], target: Target) -> list[str]:
    """The headers that the text of a kernel and of its entries names."""
    found = set(headers_of([v.stages.lowered for v in variants], target))
    if checks_tables(variants[0].stages.kernel, target):
        found.add("list_tables.hpp")
    if target.threads and isinstance(variants[0].schedule.gpu, WarpPerCell):
        found.add("warp_cells.hpp")
    return sorted(found)


def checks_tables(kernel: ir.Kernel, target: Target) -> bool:
    """Whether there is an entry that looks through the tables first."""
    return not target.threads and not target.checked and bool(table_checks(kernel))


def headers_of(kernels: Sequence[ir.Kernel], target: Target) -> list[str]:
    """The headers of `heddle/device` that the text of lowered kernels names."""
    found = {"rounding.hpp"} if target.threads else {"preconditions.hpp", "rounding.hpp"}
    for node in chain.from_iterable(map(nodes_of, kernels)):
        match node:
            case ir.Call(name):
                found |= _header(FUNCTIONS[name], target)
            case ir.DeviceCall():
                found |= _header(row_of(node), target)
            case ir.Cast(value, scalar) if ir.F16 in (scalar, value.type):
                found.add("half.hpp")
            case ir.Select(both=True):
                found.add("choose.hpp")
            case ir.View(opaque=True):
                found.add("opaque.hpp")
            case ir.View(_, _, stride) if not isinstance(stride, ir.Const):
                found.add("row.hpp")
    return sorted(found)


def _header(row: Function | DeviceFunction, target: Target) -> set[str]:
    """The device header that a function needs, if it is not one of <cmath>."""
    header = row.gpu_header if target.threads and row.gpu_header else row.header
    return {header} if header else set()


def _needs_cmath(variants: Sequence[Variant]) -> bool:
    """Whether a kernel calls a function of <cmath>."""
    return any(
        isinstance(node, ir.Call) and FUNCTIONS[node.name].spelling.startswith("std::")
        for variant in variants
        for node in nodes_of(variant.stages.lowered)
    )


def _used(lowered: ir.Kernel, everything: Sequence[Argument]) -> list[Argument]:
    """The arguments that the body names."""
    nodes = nodes_of(lowered)
    names = {node.name for node in nodes if isinstance(node, ir.Symbol)}
    names |= {node.pointer.name for node in nodes if isinstance(node, (ir.Load, ir.View))}
    return [argument for argument in everything if argument.name in names]


def _parameter(argument: Argument, short: bool = False) -> str:
    """As the kernel function declares it; short: an index that is known to fit into an int."""
    text = "int" if short else type_text(argument.kind)
    if argument.role in ("array", "entries", "table", "chunks", "output", "work"):
        return f"{text} __restrict__ const {argument.name}"
    return (
        f"{text} const {argument.name}"
        if isinstance(argument.kind, ir.Pointer)
        else f"const {text} {argument.name}"
    )


def _cpu_function(
    module: str, kernel: str, variant: Variant, target: Target, real: ir.Scalar | None
) -> dict[str, Any]:
    stages = variant.stages
    everything = arguments(stages.kernel)
    used = _used(stages.lowered, everything)
    loop = long_round(stages.lowered)
    long = RoundFunctions(f"{kernel}_{variant.suffix}", stages.lowered, loop, target) if loop else None
    dense = stages.kernel.space.is_box
    rows = dense and not target.checked and _has_unit_rows(stages.lowered)
    given = [a for a in everything if a in used or a.role not in (*UNCHECKED, *UNUSED["host"])]
    return _common(module, kernel, variant, target) | {
        "common_entry": f"{kernel}_{variant.suffix}_entry",
        "common_parameters": ", ".join(argument.cpp for argument in given),
        "common_arguments": ", ".join(argument.name for argument in given),
        "rows": rows,
        "reports": any(
            isinstance(node, ir.Call) and node.name == "within" for node in nodes_of(stages.lowered)
        ),
        "unit_entry": dense and not target.checked,
        "only_unit": variant.schedule.cpu.unit_stride,
        "table_checks": table_checks(stages.kernel) if checks_tables(stages.kernel, target) else (),
        "unchecked_entry": variant.schedule.cpu.unchecked_entry and not target.checked,
        "all_unit": " && ".join(f"{a.name}_stride[0] == 1" for a in everything if has_rows(a)),
        "parameters": ", ".join(_parameter(argument) for argument in used),
        "arguments": ", ".join(argument.name for argument in used),
        "unused": [argument.name for argument in everything if argument not in used],
        "functions": long.functions if long else "",
        "body": long.body if long else StatementPrinter(target, real).block(stages.lowered.body),
    }


def _has_unit_rows(lowered: ir.Kernel) -> bool:
    return any(
        isinstance(node, ir.View) and isinstance(node.stride, ir.Symbol) and node.stride.name.endswith("_sx")
        for node in nodes_of(lowered)
    )


def _gpu_function(
    module: str, kernel: str, variant: Variant, target: Target, real: ir.Scalar | None
) -> dict[str, Any]:
    """What the host computes once a launch becomes an argument: extents, strides, values of the
    parameters."""
    stages = variant.stages
    everything = arguments(stages.kernel)
    printer = StatementPrinter(target)
    body = stages.lowered.body
    at = next(i for i, statement in enumerate(body) if isinstance(statement, ir.Loop))
    head, loop, tail = body[:at], body[at], body[at + 1 :]
    assert isinstance(loop, ir.Loop)
    inside = loop.body if loop.counter == COLOUR else (loop,)  # what one launch does
    constants = [
        s
        for s in head
        if isinstance(s, ir.Let) and not any(isinstance(n, ir.Symbol) for n in distinct(s.value))
    ]
    host = [s for s in head if s not in constants and not isinstance(s, ir.Comment)]
    needed = {node.name for node in distinct(inside) if isinstance(node, ir.Symbol)}
    constants = [s for s in constants if s.symbol.name in needed]
    needed |= {node.name for s in constants for node in distinct(s) if isinstance(node, ir.Symbol)}
    computed = [
        Argument(s.symbol.name, s.symbol.type, "scalar")
        for s in host
        if isinstance(s, ir.Let) and s.symbol.type is not None and s.symbol.name in needed
    ]
    used = [argument for argument in everything if argument.name in needed]
    passed, short = [*used, *computed], stages.lowered.space.same_strides
    indices = [argument for argument in computed if short and argument.kind == ir.I64]
    if loop.counter == COLOUR:
        passed.append(Argument(COLOUR.name, ir.I64, "scalar"))
    schedule, gpu = variant.schedule.gpu, target.gpu
    assert gpu is not None
    blocks = f", {schedule.minimum_blocks}" if schedule.minimum_blocks and gpu.bounds_blocks else ""
    warps: WarpText | None = None
    if isinstance(schedule, WarpPerCell):
        names = frozenset(argument.name for argument in passed) | names_in(stages.lowered)
        warps = warp_text(f"{kernel}_{variant.suffix}", (*constants, *inside), schedule, target, names)
    return _common(module, kernel, variant, target) | {
        "block": ", ".join(str(size) for size in schedule.launched_block),
        "launch_bounds": f"{schedule.threads_per_block}{blocks}",
        "parameters": ", ".join(_parameter(a, a in indices) for a in passed),
        "arguments": ", ".join(argument.name for argument in passed),
        "head": printer.block(_needed_head(head, host, [loop, *tail])),
        "combined": [_combination(statement, printer) for statement in tail],
        "cells": _cells(inside[-1], printer),
        "body": warps.body if warps else StatementPrinter(target, real, short).block((*constants, *inside)),
        "tables": warps.tables if warps else "",
        "shared": warps.bytes if warps else 0,
        "colours": loop.counter == COLOUR,
    }


def _combination(statement: ir.Statement, printer: StatementPrinter) -> dict[str, str]:
    """The launch that makes one number of what the warps gave."""
    assert isinstance(statement, ir.Store)
    assert isinstance(statement.target, ir.Load)
    whole = statement.value
    assert isinstance(whole, ir.Call)
    result = statement.target.pointer.name
    given = ", ".join(map(printer.expression, whole.args))
    call = f"heddle::launch_{whole.name}({result}, {given}, stream)"
    return {"result": result, "text": call}


def _needed_head(
    head: Sequence[ir.Statement], host: Sequence[ir.Statement], launched: Sequence[ir.Statement]
) -> list[ir.Statement]:
    """Host statements that the launch or a later host statement uses, and the constants of the head that they
    use, in the order of the head."""
    needed = {node.name for node in distinct(launched) if isinstance(node, ir.Symbol)}
    kept: list[ir.Statement] = []
    for statement in reversed(host):
        assert isinstance(statement, ir.Let)
        if statement.symbol.name in needed:
            needed |= {node.name for node in distinct(statement.value) if isinstance(node, ir.Symbol)}
            kept.append(statement)
    inner = {node.name for s in kept for node in distinct(s.value) if isinstance(node, ir.Symbol)}  # type: ignore[attr-defined]
    return [
        s for s in head if s in kept or (s not in host and isinstance(s, ir.Let) and s.symbol.name in inner)
    ]


def _cells(loop: ir.Statement, printer: StatementPrinter) -> str:
    """As many threads along each axis as the longest row has cells."""
    extents: list[str] = []
    level = loop
    while is_over_threads(level):
        begin, end = printer.expression(level.begin), printer.expression(level.end)
        assert isinstance(level.step, ir.Const)
        step = int(level.step.value)
        if step > 1:
            extents.append(f"({end} + {step - 1}) / {step}")
        else:
            extents.append(end if begin == "0" else f"{end} - {begin}")
        level = next((s for s in level.body if isinstance(s, ir.Loop)), level.body[0])
    if isinstance(level, ir.Loop) and level.body and is_over_threads(level.body[0]):  # over pieces of a row
        extents.append(printer.expression(level.step))
    return "heddle::Cells{" + ", ".join(reversed(extents)) + "}"


def _common(module: str, kernel: str, variant: Variant, target: Target) -> dict[str, Any]:
    checked_kernel, schedule = variant.stages.kernel, variant.schedule
    everything = arguments(checked_kernel)
    checked = [argument for argument in everything if argument.role not in UNCHECKED]
    on_device = [argument for argument in checked if argument.role not in UNUSED["device"]]
    return {
        "name": f"{kernel}_{variant.suffix}",
        "check": f"{kernel}_{variant.suffix}_check",
        "entry": f"{module}_{kernel}_{variant.suffix}{target.suffix}",
        "dense": checked_kernel.space.is_box,
        "entry_parameters": _entry_parameters(everything, "host"),
        "device_entry_parameters": _entry_parameters(everything, "device"),
        "device_checked_parameters": ", ".join(argument.cpp for argument in on_device),
        "device_checked_arguments": ", ".join(argument.name for argument in on_device),
        "checks": entry_checks(checked_kernel, schedule, host=True),
        "device_checks": entry_checks(checked_kernel, schedule, host=False),
    }


def _entry_parameters(everything: Sequence[Argument], where: str) -> str:
    """As an entry declares them; what it does not use has no name."""
    return ", ".join(type_text(a.kind) if a.role in UNUSED[where] else a.cpp for a in everything)


def has_rows(argument: Argument) -> bool:
    """Whether it is an array of which whole rows are accessed."""
    return argument.role == "array" and not argument.of_row
