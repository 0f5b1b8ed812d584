# SPDX-License-Identifier: Apache-2.0
"""A static report on source files: which loops can be lifted, what they touch and cost, and what stands in
the way of the others."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heddle.commands.lifted_model import adopted
from heddle.emit.cost import Cost, cost
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.schedule import Schedule, precision
from heddle.ir.stages import Request
from heddle.ir.visit import evaluated, statements
from heddle.lift.front_end import read
from heddle.lift.kernels import lifted_function
from heddle.lift.lifted import Lifted
from heddle.lift.limits import bounded
from heddle.lift.model_writer.model_text import Origin
from heddle.lift.raise_accesses import raise_each
from heddle.lift.recovered import Recovered
from heddle.lift.single_nests import each_nest
from heddle.pipeline import lower

SUFFIXES = (".c", ".cpp", ".cc", ".cxx", ".cu")


@dataclass(frozen=True)
class Row:
    """A loop nest, or a function or file that could not be lifted as a whole. problem: what stands in the
    way."""

    file: str
    line: int
    function: str
    box: str = ""
    footprint: tuple[str, ...] = ()
    cost: Cost | None = None
    problem: str | None = None
    hint: str = ""
    assumptions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The row for programs; bytes and operations are those of one update."""
        found = {key: value for key, value in dataclasses.asdict(self).items() if key != "cost"}
        if self.cost:
            calls = dict(self.cost.calls)
            found |= {
                "bytes_read": self.cost.bytes_read,
                "bytes_written": self.cost.bytes_written,
                "flops": self.cost.flops,
                "calls": calls,
            }
        return found | {"liftable": self.problem is None}


def report(path: Path, name: str, given: Mapping[str, Any]) -> Iterator[Row]:
    """A row for each loop nest of a file. name: what the report calls the file. given: arguments of
    `heddle.lift.front_end.read`."""
    try:
        unit = read(path, partly=True, **given)
    except Exception as error:
        yield _refused(name, "", error, None)
        return
    for function in unit.functions:
        shown = function.main or function.kind == "kernel"
        if shown and function.kind != "constructor" and _has_loop(function):
            yield from _function(unit, function, name if function.main else function.place.file)


def _has_loop(function: source.Function) -> bool:
    """Whether there is work over elements: a loop, or the threads of a kernel."""
    return function.kind == "kernel" or _loops(function.body)


def _loops(body: Sequence[Any]) -> bool:
    for statement in body:
        match statement:
            case source.For() | source.UnknownStatement():
                return True
            case source.Branch(_, yes, no):
                if _loops(yes) or _loops(no):
                    return True
            case source.Block(inner):
                if _loops(inner):
                    return True
    return False


def _function(unit: source.Unit, function: source.Function, file: str) -> Iterator[Row]:
    """The nests of a function: those of the whole function, or, where something stands in the way of it, each
    by itself. Whatever happens to one, the report goes on with the next."""

    def row(found: Recovered | KernelError) -> Row:
        if isinstance(found, KernelError):
            raise found
        adopted(found.kernel.name, [found], Origin(function.place.file))
        return _row(file, function.name, found)

    try:
        with bounded(function.place):
            yield from [row(each) for each in raise_each(lifted_function(unit, function))]
            return
    except Exception as error:
        problem = error

    def attempt(nest: Lifted) -> list[Row]:
        try:
            with bounded(nest.place):
                return [row(each) for each in raise_each(nest)]
        except KernelError:
            raise
        except Exception as error:
            raise _defect(error) from error

    nests: list[tuple[Lifted, list[Row]] | KernelError] = []
    if function.kind != "kernel":
        try:
            nests = each_nest(unit, function, attempt)
        except Exception as error:
            problem = error
    for each in nests:
        if isinstance(each, KernelError):
            yield _refused(file, function.name, each, function.place)
        else:
            yield from each[1]
    if not nests:
        yield _refused(file, function.name, problem, function.place)


def _defect(error: Exception) -> KernelError:
    what = f"Lifting failed: {type(error).__name__}: {error}"
    return KernelError("", what, "report this as a defect of Heddle")


def _refused(file: str, function: str, error: Exception, place: Place | None) -> Row:
    """place: of what was refused, where the error has a line of its model or none."""
    if not isinstance(error, KernelError):
        error = _defect(error)
    own = isinstance(error.where, Place) and (place is None or error.where.file == place.file)
    where = error.where if own else place
    line = where.line if isinstance(where, Place) else 0
    return Row(file, line, function, problem=error.what, hint=error.hint)


def _row(file: str, function: str, recovered: Recovered) -> Row:
    kernel = recovered.kernel
    box = " x ".join(f"({extent})" if len(extent.terms) > 1 else str(extent) for extent in recovered.extents)
    request = Request(precision("f64"), Schedule(), TARGETS["cpu"])
    spent = cost(kernel, lower(kernel, request).lowered)
    same = {name: axes for name, p in recovered.placements.items() if (axes := p.same_along)}
    spared = sum(bytes_of(kernel, field) for field in kernel.fields if field.name in same)
    spent = dataclasses.replace(spent, bytes_read=spent.bytes_read - spared)
    return Row(
        file,
        recovered.place.line,
        function,
        box,
        tuple(footprint(kernel, same)),
        spent,
        None,
        "",
        recovered.assumptions,
    )


def bytes_of(kernel: ir.Kernel, field: ir.Field) -> int:
    """What `cost` counts for reading a field."""
    reads = {n.component for n in evaluated(kernel.body) if isinstance(n, ir.Access) and n.field is field}
    return len(reads) * field.type.bytes


def footprint(kernel: ir.Kernel, same: Mapping[str, str]) -> Iterator[str]:
    """What a cell touches of each field: `u r7 +-1`, `v w`. same: the axes along which a field has one value;
    it is read once for all, so that its bytes do not count."""
    stored = [s.target for s in statements(kernel.body) if isinstance(s, ir.Store)]
    for field in kernel.fields:
        reads = {n for n in evaluated(kernel.body) if isinstance(n, ir.Access) and n.field is field}
        gathers = any(isinstance(n, ir.Gather) and n.field is field for n in evaluated(kernel.body))
        parts = [f"r{len(reads)}"] if reads else []
        parts += ["w"] if any(isinstance(t, ir.Access) and t.field is field for t in stored) else []
        parts += ["gather"] if gathers else []
        reach = max((abs(offset) for access in reads for offset in access.offsets), default=0)
        once = f" same along {same[field.name]}" if field.name in same else ""
        yield f"{field.name} {''.join(parts)}{f' +-{reach}' if reach else ''}{once}"


def table(rows: Sequence[Row]) -> list[str]:
    """The report for people: a line a loop, then the count."""
    places = [f"{row.file}:{row.line}" if row.line else row.file for row in rows]
    wide = max(map(len, places), default=0), max((len(row.function) for row in rows), default=0)
    lines: list[str] = []
    for row, place in zip(rows, places, strict=True):
        head = f"{place:<{wide[0]}}  {row.function:<{wide[1]}}  "
        if row.problem is None:
            lines.append(f"{head}{row.box}: {row.cost}; {', '.join(row.footprint)}")
        else:
            lines.append(f"{head}not liftable: {row.problem}")
    good = sum(row.problem is None for row in rows)
    return [*lines, f"{good} of {len(rows)} loops can be lifted"]
