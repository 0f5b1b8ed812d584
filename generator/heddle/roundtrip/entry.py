# SPDX-License-Identifier: Apache-2.0
"""What stands around a kernel function: the checks of the arguments, the entries, the launch.

The expected lines are written here a second time, from the argument list alone, in the form of
`heddle.lift.dump`; templates and printers have no part in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heddle.emit.signature import MOST_LISTED, UNCHECKED, Argument
from heddle.ir import nodes as ir
from heddle.ir.schedule import Interleaved, Schedule
from heddle.ir.visit import expressions
from heddle.roundtrip.kernel import DifferenceError, parameter

OK = "heddle::ok"
NULL_POINTER, EXTENTS_DIFFER, BAD_STRIDE = (
    "heddle::null_pointer",
    "heddle::extents_differ",
    "heddle::bad_stride",
)
"""Codes of heddle::Status in heddle/device/preconditions.hpp."""


@dataclass(frozen=True)
class Entry:
    """A kernel's entry in one precision. function: name of the kernel function, without namespace. check:
    of the function that tests its arguments and, on the host, calls the kernel function. real: the type for
    which both are instantiated, where they are templates of one. entry: name of the C entry. arguments: its
    flat argument list. list_fields: over a list, the fields that belong to the list whose links it
    follows. tables: what its entry that looks through the tables of a list asks."""

    function: str
    check: str
    real: str
    entry: str
    arguments: tuple[Argument, ...]
    schedule: Schedule
    dense: bool
    list_fields: frozenset[str]
    tables: str

    @property
    def lanes(self) -> str:
        """The struct with the lanes of a strip, where rounds stand in functions."""
        return f"{self.function}_lanes"

    @property
    def of_list(self) -> frozenset[str]:
        """Arguments that say where a kernel runs, whose names may be the user's elsewhere."""
        return frozenset(argument.name for argument in self.arguments if argument.role == "list")

    @property
    def asks_unit(self) -> bool:
        """Whether the entries on the host tell a common function if strides along x have to be 1."""
        return self.dense and not self.schedule.cpu.unit_stride

    def tests(self, device: bool) -> tuple[str, str, list[str]]:
        """How the arguments are tested: the table of arrays, the call that looks through it, and what comes
        after it."""
        split = [a for a in self.arguments if a.role == "array" and _is_split(a)]
        plain = [a for a in self.arguments if a.role == "array" and not _is_split(a)]
        rows = [self.row(a) for a in plain or split]
        rows_of_list = any(a.field is not None and a.field.layout.over_list for a in self.arguments)
        promised = self.schedule.gpu if device else self.schedule.cpu
        demands = rows_of_list or promised.unit_stride
        unit = "unit_stride" if self.asks_unit and not device else "true:bool" if demands else "false:bool"
        call = f"heddle::check_arrays<{len(rows)}>(arrays, {unit})"
        if device and self.schedule.gpu.row_cells > 1:
            call = f"heddle::check_row_cells<{len(rows)}>(arrays, {self.schedule.gpu.row_cells}:i32)"
        elif device and self.schedule.gpu.same_strides:
            call = f"heddle::check_same_strides<{len(rows)}>(arrays, {unit})"
        elif device and isinstance(self.schedule.gpu, Interleaved):
            call = f"heddle::check_interleaved<{len(rows)}>(arrays, {self.schedule.gpu.lanes}:i32)"
        elif "last" in self.of_list and 1 < len(plain) <= MOST_LISTED:
            others = [a for a in plain if a.name not in self.list_fields]
            bits = sum(2**n for n, a in enumerate(plain) if a not in others)
            if others:
                call = f"heddle::check_listed<{len(rows)}>(arrays, {bits}:u32, last)"
        table = f"const heddle::ArrayArgument[{len(rows)}] arrays = {{{', '.join(rows)}}}"
        after = self.split_beside_plain(plain[0], split, unit) if plain and split else []
        for condition, code in self.conditions(device):
            after += [f"if {condition} {{", f"return {code}", "}"]
        return table, call, after

    def launch_check(self) -> list[str]:
        """The function that tests the arguments of a launch."""
        table, call, after = self.tests(device=True)
        head = [f"i32 {self.launch_checker}({', '.join(map(_declared, self.checked(True)))})", table]
        if not after:
            return [*head, f"return {call}"]
        return [*head, *_unless_ok("status", call), *after, f"return {OK}"]

    @property
    def launch_checker(self) -> str:
        """The name of that function, which is a template where its arguments tell the type."""
        elements = [a.kind.element for a in self.checked(True) if isinstance(a.kind, ir.Pointer)]
        told = self.real and self.real in map(spelled, elements)
        return f"{self.check}<{self.real}>" if told else self.check

    def instance(self, *unit_stride: int) -> str:
        """The kernel function with its template arguments."""
        arguments = [*map(str, unit_stride), *([self.real] if self.real else [])]
        return self.function + (f"<{', '.join(arguments)}>" if arguments else "")

    def split_beside_plain(self, plain: Argument, split: Sequence[Argument], unit: str) -> list[str]:
        """The checks of fields that are split by colour beside others."""
        assert plain.field is not None
        one, other = f"{plain.name}_extent", f"{split[0].name}_extent"
        differ = f"ne({one}[0:i32], mul(i64(2:i32), {other}[0:i32]))"
        for d in range(1, plain.field.rank):
            differ = f"or({differ}, ne({one}[{d}:i32], {other}[{d}:i32]))"
        rows = ", ".join(map(self.row, split))
        return [
            f"const heddle::ArrayArgument[{len(split)}] split = {{{rows}}}",
            f"const i32 wrong = heddle::check_arrays<{len(split)}>(split, {unit})",
            f"if ne(wrong, {OK}) {{", "return wrong", "}",
            f"if {differ} {{", f"return {EXTENTS_DIFFER}", "}",
        ]  # fmt: skip

    def checked(self, device: bool) -> list[Argument]:
        """The arguments that are checked: all but the scalars; the device does not use runs, the host not the
        compressed table."""
        return [a for a in self.arguments if a.role not in (*UNCHECKED, self.unused(device))]

    @staticmethod
    def unused(device: bool) -> str:
        """The role of what a target takes and leaves alone."""
        return "runs" if device else "chunks"

    def row(self, argument: Argument) -> str:
        """What check_arrays is told of one array."""
        field, kind = argument.field, argument.kind
        assert field is not None
        assert isinstance(kind, ir.Pointer)
        rank = 1 if field.layout.over_list else field.rank
        written = "false" if kind.const else "true"
        name = argument.name
        reach = argument.reach
        before, after = (", ".join(f"{n}:i32" for n in side) for side in (reach.before, reach.after))
        beyond = "true" if reach.written else "false"
        row = "true" if argument.of_row else "false"
        return (
            f"{{{name}, {kind.element.bytes}:u64, {name}_extent, {name}_stride, "
            f"{rank}:i32, {2 if _is_split(argument) else field.components}:i32, {written}:bool, "
            f"{{{before}}}, {{{after}}}, {beyond}:bool, {row}:bool, "
            f"{'true' if field.layout.other_grid else 'false'}:bool}}"
        )

    def conditions(self, device: bool) -> Iterator[tuple[str, str]]:
        """Conditions under which the entry refuses, one for each code that it returns."""
        pointers = {"table", "output", "work", "chunks" if device else "runs"}
        names = self.of_list
        null, of_list = list[str](), list[str]()
        for argument in self.arguments:
            if argument.role == "entries" or (argument.role == "list" and argument.name == "cells"):
                of_list.append(f"eq({argument.name}, nullptr)")
            elif argument.role in pointers:
                null.append(f"eq({argument.name}, nullptr)")
        if of_list and "cell_count" in names:  # an empty list may have no memory
            null.append(f"and(gt(cell_count, i64(0:i32)), {_any(of_list)})")
        else:
            null += of_list
        if null:
            yield _any(null), NULL_POINTER
        extent = next((argument.name for argument in self.arguments if argument.role == "extent"), "")
        differ = list[str]()
        if self.schedule.cpu.fixed_nx:
            differ.append(f"ne({extent}[0:i32], i64({self.schedule.cpu.fixed_nx}:i32))")
        if "last" in names:
            differ += ["lt(first, i64(0:i32))", f"gt(last, {extent}[0:i32])"]
        if "last_colour" in names:
            differ += ["lt(first_colour, i64(0:i32))", f"gt(last_colour, i64({self.schedule.colours}:i32))"]
        whole = device and not self.schedule.gpu.row_pieces
        if whole and any(
            a.of_row and isinstance(a.kind, ir.Pointer) and not a.kind.const for a in self.arguments
        ):
            differ.append(f"gt({extent}[0:i32], i64({self.schedule.gpu.block[0]}:i32))")
        counts = (count for count in ("cell_count", "box_count", "longest") if count in names)
        differ += [f"lt({count}, i64(0:i32))" for count in counts]
        if differ:
            yield _any(differ), EXTENTS_DIFFER
        between = 0 if device else self.schedule.cpu.component_stride
        strides = [
            f"ne({a.name}_stride[{a.field.rank}:i32], i64({between}:i32))"
            for a in self.arguments
            if between
            and a.role == "array"
            and a.field
            and a.field.layout.name == "strided"
            and a.field.components
        ]
        if strides:
            yield _any(strides), BAD_STRIDE
        if "neighbour_stride" in names:
            yield f"lt(neighbour_stride, {'last' if 'last' in names else 'i64(1:i32)'})", BAD_STRIDE

    def signature(self, name: str, device: bool) -> str:
        """The head of a C entry."""
        listed = [_declared(a, anonymous=a.role == self.unused(device)) for a in self.arguments]
        return f"i32 {name}({', '.join([*listed, 'void* stream'] if device else listed)})"

    def launcher_head(self) -> list[str]:
        """How the entry of a launch begins: its signature and the check of its arguments."""
        names = ", ".join(a.name for a in self.checked(True))
        check = _unless_ok("precondition", f"{self.launch_checker}({names})")
        return [self.signature(self.entry, device=True), *check]

    @property
    def common(self) -> str:
        """The function that all entries of a type on the host call."""
        return f"{self.check}<{self.real}>" if self.real else self.check

    def given(self, passed: Sequence[str]) -> list[Argument]:
        """What it takes: what is checked, and what the kernel function takes."""
        checked = self.checked(device=False)
        return [a for a in self.arguments if a in checked or a.name in passed]

    def host(self, passed: Sequence[str], rows: bool, reports: bool) -> list[str]:
        """That function. passed: what the kernel function takes. rows: it is a template of unit strides.
        reports: it notes faults in a status."""
        table, call, after = self.tests(device=False)
        listed = [*map(_declared, self.given(passed)), *(["bool unit_stride"] if self.asks_unit else [])]
        lines = [
            f"i32 {self.common}({', '.join(listed)})", table, *_unless_ok("precondition", call), *after
        ]  # fmt: skip
        names = ", ".join(passed)
        if reports:
            return [
                *lines, f"i32 status = {OK}", f"{self.instance()}({names}, status)", "return status"
            ]  # fmt: skip
        if rows and self.schedule.cpu.unit_stride:
            lines.append(f"{self.instance(1)}({names})")
        elif rows:
            tests = [
                f"eq({a.name}_stride[0:i32], i64(1:i32))"
                for a in self.arguments
                if a.role == "array" and not a.of_row
            ]
            condition = tests[0]
            for test in tests[1:]:
                condition = f"and({condition}, {test})"
            lines += [
                f"if {condition} {{", f"{self.instance(1)}({names})",
                "} else {", f"{self.instance(0)}({names})", "}",
            ]  # fmt: skip
        else:
            lines.append(f"{self.instance()}({names})")
        return [*lines, f"return {OK}"]

    def forwarding(self, passed: Sequence[str], unit: bool = False) -> list[str]:
        """A C entry; unit: the one for unit strides."""
        names = [a.name for a in self.given(passed)]
        if self.asks_unit:
            names.append("true:bool" if unit else "false:bool")
        head = self.signature(f"{self.entry}_unit" if unit else self.entry, device=False)
        return [head, f"return {self.common}({', '.join(names)})"]

    def looking(self, passed: Sequence[str]) -> list[str]:
        """The entry that looks through the tables."""
        head = self.signature(f"{self.entry}_checked", device=False)
        refused = [f"if not({self.tables}) {{", "return heddle::index_outside", "}"]
        names = ", ".join(a.name for a in self.given(passed))
        return [head, *refused, f"return {self.common}({names})"]

    def unchecked(self, passed: Sequence[str], rows: bool) -> list[str]:
        """The entry that tests nothing."""
        head = f"i32 {self.entry}_unchecked({', '.join(map(_declared, self.arguments))})"
        unused = [a.name for a in self.arguments if a.name not in passed]
        call = f"{self.instance(*([1] if rows else []))}({', '.join(passed)})"
        return [head, *unused, call, f"return {OK}"]


def _unless_ok(name: str, call: str) -> list[str]:
    """Return what a call returns, unless that is fine."""
    return [f"const i32 {name} = {call}", f"if ne({name}, {OK}) {{", f"return {name}", "}"]


def spelled(scalar: ir.Scalar) -> str:
    """A floating-point type as C++ calls it; nothing for other types."""
    return {"f64": "double", "f32": "float"}.get(str(scalar), "")


def _any(conditions: Sequence[str]) -> str:
    """The conditions joined by `or` from left to right, as C++ groups them."""
    joined = conditions[0]
    for condition in conditions[1:]:
        joined = f"or({joined}, {condition})"
    return joined


def _is_split(argument: Argument) -> bool:
    return argument.field is not None and argument.field.layout.split


def fields_of_list(kernel: ir.Kernel) -> frozenset[str]:
    """The fields of a kernel of which it touches the cells beside, and those with as many components."""
    reached = [a.field for a in expressions(kernel.body) if isinstance(a, ir.Access)]
    beside = {a.field.name for a in expressions(kernel.body) if isinstance(a, ir.Access) and beside_own(a)}
    populations = {f.components for f in reached if f.name in beside and f.components > 1}
    return frozenset(f.name for f in kernel.fields if f.name in beside or f.components in populations)


def asked_of_tables(kernel: ir.Kernel, listed: Sequence[Argument]) -> str:
    """What has to hold of the tables of a kernel over a list; nothing where it has none."""
    names = [a.name for a in listed if a.role in ("table", "runs", "list")]
    if not kernel.space.is_list or kernel.space.box or not ("neighbour" in names or "cells" in names):
        return ""
    widest = max((f for f in kernel.fields if f.layout.over_list), key=lambda f: f.components).name
    cells = "cells, cell_count" if "cells" in names else "first, last"
    if "neighbour" not in names:
        return f"heddle::cells_inside({cells}, {widest}_extent)"
    to_elements = [link for link in kernel.space.links if link.wall_slot >= 0]
    slot = max([0, *(link.slot for link in to_elements), *(link.wall_slot for link in to_elements)])
    table = f"{len(kernel.space.links)}:i32, neighbour_stride, {cells}"
    of_field = f"{widest}_extent, {widest}_stride, {slot}:i32"
    links = f"heddle::links_inside(neighbour, {table}, {of_field})"
    if "neighbour_run" not in names:
        return links
    runs = f"heddle::runs_match<{kernel.space.strip_size}>(neighbour_run, neighbour, {table})"
    return f"and({links}, {runs})"


def beside_own(access: ir.Access) -> bool:
    """Whether it leads to another cell."""
    return access.through != () or any(offset != 0 for offset in access.offsets)


def _declared(argument: Argument, anonymous: bool = False) -> str:
    symbol = parameter(argument).symbol
    return f"{symbol.type} {'' if anonymous else symbol.name}"


def same_lines(what: str, found: Sequence[str], expected: Sequence[str]) -> None:
    """Raises DifferenceError at the first line that differs."""
    for one, other in zip([*found, "nothing"], [*expected, "nothing"], strict=False):
        if one != other:
            raise DifferenceError(f"{what} says\n      {one}\n    where it should say\n      {other}")
