# SPDX-License-Identifier: Apache-2.0
"""schedules.json, which `heddle explore` writes: which schedule was best on which machine, and how a module
gets those of one machine.

Nothing in the file is trusted: every row is checked, also of other machines, and a schedule that is used has
to be legal, to compute as the model does, and to leave what the entry takes as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, prod
from pathlib import Path
from typing import Any

from heddle import machine
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.ir.schedule import Schedule, precision
from heddle.ir.schedule_text import as_text, from_json
from heddle.module import KernelModel, Module, Tuned

FORMAT = 2
LARGEST = 16 << 20
"""Bytes of a file that is read."""
AGAIN = "write the file with heddle explore, or remove the row"
STEPS = ("even", "odd")
"""Ends of the names of kernels that alternate: together they are one step of a pattern."""


@dataclass(frozen=True)
class Row:
    """The best schedule of a step. where: file and keys, for errors."""

    where: str
    machine: str
    target: str
    module: str
    variant: str
    step: str
    precision: str
    extent: tuple[int, ...]
    schedule: Schedule


def read(path: Path) -> list[Row]:
    """All rows of a file. Raises KernelError for what is no schedules.json."""
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it has more than {LARGEST >> 20} MiB")
        whole = json.loads(path.read_text())
        machines = _entries(whole, "format", "machines")["machines"]
        if whole["format"] != FORMAT:
            raise ValueError(f"it has the format {whole['format']!r}, not {FORMAT}")
    except FileNotFoundError:
        raise KernelError(
            str(path),
            "the file of schedules does not exist.",
            "write it with heddle explore, or leave it out",
        ) from None
    except (ValueError, RecursionError) as error:
        what = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise KernelError(
            path.name, f"this is no file of schedules: {what}.", "write it with heddle explore"
        ) from None
    return list(_rows(path.name, machines))


def _rows(file: str, machines: object) -> Iterator[Row]:
    for keys, entries in _levels(
        file, machines, ("machine", "target", "module", "variant", "step", "precision")
    ):
        where = f"{file}, {', '.join(key for key in keys if key)}"
        if keys[1] not in TARGETS:
            raise KernelError(where, f"'{keys[1]}' is no target.", AGAIN)
        try:
            precision(keys[5])
        except KernelError:
            raise KernelError(where, f"'{keys[5]}' is no precision.", AGAIN) from None
        if not isinstance(entries, list) or not entries:
            raise KernelError(where, "there is no list of schedules.", AGAIN)
        for entry in entries:
            yield _row(where, keys, entry)


def _levels(file: str, value: object, names: Sequence[str]) -> Iterator[tuple[tuple[str, ...], object]]:
    """What lies below nested dictionaries, and the keys that lead there."""
    if not names:
        yield (), value
        return
    if not isinstance(value, dict):
        raise KernelError(file, f"{value!r:.60} is no dictionary by {names[0]}.", AGAIN)
    for key, inner in value.items():
        for keys, entry in _levels(f"{file}, {key}", inner, names[1:]):
            yield (key, *keys), entry


def _row(where: str, keys: tuple[str, ...], entry: object) -> Row:
    try:
        known = _entries(
            entry, "extent", "schedule", optional=("text", "nanoseconds_per_cell", "fraction_of_stream")
        )
        extent = known["extent"]
        if not (isinstance(extent, list) and 0 < len(extent) <= 3 and all(_cells(n) for n in extent)):
            raise ValueError(f"'extent' is {extent!r:.60}, not one to three numbers of cells")
        for name in ("nanoseconds_per_cell", "fraction_of_stream"):
            if not _measured(known.get(name, 0)):
                raise ValueError(f"'{name}' is {known[name]!r:.60}, not a number")
    except ValueError as error:
        raise KernelError(where, f"the row is no schedule that was explored: {error}.", AGAIN) from None
    schedule = from_json(where, known["schedule"])
    if known.get("text", as_text(schedule)) != as_text(schedule):
        what = f"the row has the text {known['text']!r:.120}, but its schedule is {as_text(schedule)}."
        raise KernelError(where, what, "change both alike, or remove the text")
    name, target, module, variant, step, chosen = keys
    return Row(where, name, target, module, variant, step, chosen, tuple(extent), schedule)


def _cells(value: object) -> bool:
    return type(value) is int and 0 < value < 2**31


def _measured(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isfinite(value) and value >= 0


def _entries(value: object, *names: str, optional: Sequence[str] = ()) -> dict[str, Any]:
    """A dictionary with just these entries; ValueError for anything else."""
    if not isinstance(value, dict):
        raise ValueError(f"{value!r:.60} is no dictionary")
    for name in value:
        if name not in (*names, *optional):
            raise ValueError(f"{name!r:.60} is unknown")
    for name in names:
        if name not in value:
            raise ValueError(f"'{name}' is missing")
    return value


def use(
    module: Module, path: Path, targets: Sequence[str], name: str | None = None
) -> tuple[Module, tuple[str, ...]]:
    """A module with the best schedules of a file, and remarks on what it did not find there.

    name: of a machine, as the file has it; by default this one's processor and GPU. Where the file does not
    have that, and has one machine alone for a target, its rows are taken. Of several sizes that of most cells
    counts. Raises KernelError for a file or a row that cannot be used, and for a `name` that is not there.
    """
    rows = read(path)
    remarks: list[str] = []
    tuned = dict(module.tuned)
    if name is not None and name not in _machines(rows):
        choices = ", ".join(_machines(rows))
        raise KernelError(path.name, f"it has no machine '{name}'.", f"choose from: {choices}")
    for target in targets:
        own = [row for row in rows if row.target == target and row.module == module.name and not row.variant]
        chosen, remark = _of_machine(path, module, target, own, name)
        remarks += [remark] if remark else []
        for row in sorted(chosen, key=lambda row: prod(row.extent)):
            for kernel in _kernels(module, row):
                if row.precision in module.precisions:
                    known = tuned.get((kernel, row.precision), Tuned(module.schedule(kernel, row.precision)))
                    tuned[kernel, row.precision] = _adopted(module, kernel, row, known)
    found = replace(module, tuned=tuned, _stages={})
    found.model = module.model
    return found, tuple(remarks)


def _of_machine(
    path: Path, module: Module, target: str, rows: Sequence[Row], name: str | None
) -> tuple[list[Row], str]:
    """The rows of a machine for a target, and what to say where they are not those of the machine meant."""
    gpu = TARGETS[target].gpu is not None
    if TARGETS[target].checked:
        return [], ""
    wanted = machine.name(gpu) if name is None else name
    names = _machines(rows)
    start = f"{path.name} has no schedules of '{module.name}' for {target}"
    if not rows:
        return [], f"{start}: those of the model hold."
    if wanted not in names:
        if name is not None or len(names) > 1:
            what = f"{start} on {wanted}, but on {', '.join(names)}: those of the model hold."
            return [], what + "\n  Hint: name one with --machine"
        start = f"{start} on {wanted}: those of {names[0]} are taken."
        return list(rows), start + "\n  Hint: explore on this machine, or name the other one with --machine"
    return [row for row in rows if row.machine == wanted], ""


def _machines(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.machine for row in rows))


def _kernels(module: Module, row: Row) -> list[str]:
    """The kernels of a step."""
    found = [row.step, *(f"{row.step}_{end}" for end in STEPS)]
    known = [name for name in found if isinstance(module.kernels.get(name), KernelModel)]
    if not known:
        models = ", ".join(n for n, model in module.kernels.items() if isinstance(model, KernelModel))
        what = f"'{module.name}' has no kernel '{row.step}'; it has {models}."
        raise KernelError(row.where, what, "explore again, or remove the row")
    return known


def _model(module: Module, kernel: str) -> KernelModel:
    model = module.kernels[kernel]
    assert isinstance(model, KernelModel)
    return model


def _adopted(module: Module, kernel: str, row: Row, known: Tuned) -> Tuned:
    """What was known of a kernel, with the part of a row for its target."""
    own, mine = _model(module, kernel), module.schedule(kernel, row.precision)
    gpu = TARGETS[row.target].gpu is not None
    part = "gpu" if gpu else "cpu"
    if option := mine.computes_otherwise(row.schedule):
        here, there = getattr(mine, option), getattr(row.schedule, option)
        raise KernelError(
            row.where,
            f"the row has {option}={there!r}, but '{kernel}' has {option}={here!r}: part of what it "
            "computes.",
            "explore again, or write the option into the model",
        )
    schedule = replace(known.schedule, **{part: getattr(row.schedule, part)})
    try:
        found = _model(module.alone([kernel], row.precision, schedule, row.target), kernel)
    except KernelError as error:
        raise KernelError(
            row.where,
            f"'{kernel}' does not take this schedule: {error.what}",
            "explore again, or remove the row",
        ) from None
    theirs = found.schedule
    promises = ((one.gpu.unit_stride, one.gpu.same_strides, one.cpu.unit_stride) for one in (theirs, mine))
    narrower = any(one and not other for one, other in zip(*promises, strict=True))
    narrower |= mine.gpu.row_cells % theirs.gpu.row_cells != 0
    if found.space != own.space or narrower or theirs.cpu.unchecked_entry != mine.cpu.unchecked_entry:
        raise KernelError(
            row.where,
            f"with this schedule the entry of '{kernel}' takes other arrays than with that of the model.",
            f"write it into the model: {as_text(theirs)}",
        )
    return Tuned(theirs, {**known.origin, row.target: row.machine})
