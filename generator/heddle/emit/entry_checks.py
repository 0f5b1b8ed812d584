# SPDX-License-Identifier: Apache-2.0
"""The statements with which an entry tests its arguments, before it touches anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from heddle.emit.signature import MOST_LISTED, Argument, arguments
from heddle.ir import nodes as ir
from heddle.ir.layout import STRIDED
from heddle.ir.schedule import Interleaved, Schedule
from heddle.ir.visit import nodes_of


def entry_checks(kernel: ir.Kernel, schedule: Schedule, host: bool) -> str:
    """host: of an entry for CPUs, else of what launches a kernel on a GPU."""
    entry = _Entry(kernel, schedule, host)
    split, plain = entry.rows(split=True), entry.rows(split=False)
    arrays = f"const heddle::ArrayArgument arrays[] = {{{', '.join(plain or split)}}};"
    lines = [
        *(entry.split_beside_plain(split) if split and plain else ()),
        *_refusal("null_pointer", entry.null_pointers()),
        *_refusal("extents_differ", [*entry.extents()]),
        *_refusal("bad_stride", [*entry.strides()]),
    ]
    check = entry.check_of_arrays(len(plain))
    if host:
        refused = "if (precondition != heddle::ok) { return precondition; }"
        return "\n".join([arrays, f"const int precondition = {check};", refused, *lines])
    if not lines:
        return f"{arrays}\nreturn {check};"
    guarded = [f"const int status = {check};", "if (status != heddle::ok) { return status; }"]
    return "\n".join([arrays, *guarded, *lines, "return heddle::ok;"])


@dataclass(frozen=True)
class _Entry:
    kernel: ir.Kernel
    schedule: Schedule
    host: bool

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        return arguments(self.kernel)

    @cached_property
    def arrays(self) -> list[tuple[Argument, ir.Field]]:
        return [(a, a.field) for a in self.arguments if a.role == "array" and a.field is not None]

    @cached_property
    def of_list(self) -> set[str]:
        """The arguments that a list, a table of boxes or a range of colours brings, not the user's."""
        return {argument.name for argument in self.arguments if argument.role == "list"}

    @property
    def unit_stride(self) -> str:
        """Whether the cells of a row have to follow each other, as an expression of C++."""
        if not self.kernel.space.is_box:
            return "true" if self.kernel.space.is_index_list else "false"
        if self.host:
            return "true" if self.schedule.cpu.unit_stride else "unit_stride"
        return "true" if self.schedule.gpu.unit_stride else "false"

    def rows(self, split: bool) -> list[str]:
        """The heddle::ArrayArgument of each array that is split by colour, or of each that is not."""
        return [_array_argument(a, field) for a, field in self.arrays if field.layout.split == split]

    def check_of_arrays(self, plain: int) -> str:
        """plain: how many arrays are not split by colour."""
        gpu = self.schedule.gpu
        if not self.host and gpu.row_cells > 1:
            return f"heddle::check_row_cells(arrays, {gpu.row_cells})"
        if not self.host and gpu.same_strides:
            return f"heddle::check_same_strides(arrays, {self.unit_stride})"
        if not self.host and isinstance(gpu, Interleaved):
            return f"heddle::check_interleaved(arrays, {gpu.lanes})"
        if "last" in self.of_list and 1 < plain <= MOST_LISTED:
            linked = _of_one_list(self.kernel)
            bits = [field in linked for _, field in self.arrays]
            if not all(bits):
                number = sum(one << bit for bit, one in enumerate(bits))
                return f"heddle::check_listed(arrays, {number:#x}U, last)"
        return f"heddle::check_arrays(arrays, {self.unit_stride})"

    def split_beside_plain(self, split_rows: Sequence[str]) -> list[str]:
        """The checks of fields that are split by colour in a kernel that has others, too."""
        split = next(a for a, field in self.arrays if field.layout.split)
        plain, field = next((a, field) for a, field in self.arrays if not field.layout.split)
        differ = [f"{plain.name}_extent[0] != 2 * {split.name}_extent[0]"]
        differ += [f"{plain.name}_extent[{d}] != {split.name}_extent[{d}]" for d in range(1, field.rank)]
        return [
            f"const heddle::ArrayArgument split[] = {{{', '.join(split_rows)}}};",
            f"const int wrong = heddle::check_arrays(split, {self.unit_stride});",
            "if (wrong != heddle::ok) { return wrong; }",
            *_refusal("extents_differ", differ),
        ]

    def null_pointers(self) -> list[str]:
        roles = ("table", "output", "work", "runs" if self.host else "chunks")
        null = [f"{a.name} == nullptr" for a in self.arguments if a.role in roles]
        of_list = [
            f"{a.name} == nullptr"
            for a in self.arguments
            if a.role == "entries" or (a.role, a.name) == ("list", "cells")
        ]
        if not of_list or "cell_count" not in self.of_list:
            return null + of_list
        # A list may be empty: a block without boundary cells has no cells to sweep over, and no memory.
        either = " || ".join(of_list)
        return [*null, f"(cell_count > 0 && {f'({either})' if len(of_list) > 1 else either})"]

    def extents(self) -> Iterator[str]:
        """Conditions under which extents, ranges and counts are impossible."""
        cells = next((a.name for a in self.arguments if a.role == "extent"), "")
        if self.schedule.cpu.fixed_nx:
            yield f"{cells}[0] != {self.schedule.cpu.fixed_nx}"
        if "last" in self.of_list:
            yield "first < 0"
            yield f"last > {cells}[0]"
        if "last_colour" in self.of_list:
            yield "first_colour < 0"
            yield f"last_colour > {self.schedule.colours}"
        whole = not self.host and not self.schedule.gpu.row_pieces
        if whole and any(a.of_row and _written(a) for a, _ in self.arrays):
            yield f"{cells}[0] > {self.schedule.gpu.block[0]}"  # a block has a whole row
        for count in ("cell_count", "box_count", "longest"):
            if count in self.of_list:
                yield f"{count} < 0"

    def strides(self) -> Iterator[str]:
        if "neighbour_stride" in self.of_list:
            yield f"neighbour_stride < {'last' if 'last' in self.of_list else '1'}"
        if self.host and (known := self.schedule.cpu.component_stride):
            for argument, field in self.arrays:
                if field.layout == STRIDED and field.components:
                    yield f"{argument.name}_stride[{field.rank}] != {known}"


def _array_argument(argument: Argument, field: ir.Field) -> str:
    name = argument.name
    rank = 1 if field.layout.over_list else field.rank
    components = 2 if field.layout.split else field.components
    written = "true" if _written(argument) else "false"
    return (
        f"{{{name}, sizeof(*{name}), {name}_extent, {name}_stride, {rank}, {components}, {written}"
        f"{_beyond(argument, field)}}}"
    )


def _beyond(argument: Argument, field: ir.Field) -> str:
    """The last members of heddle::ArrayArgument, where they are not what it has anyway."""
    reach = argument.reach
    if field.layout.other_grid:
        return ", {}, {}, false, false, true"
    if not reach.before and not argument.of_row:
        return ""
    sides = "".join(f", {{{', '.join(map(str, side))}}}" for side in (reach.before, reach.after))
    if argument.of_row:
        return f"{sides}, {'true' if reach.written else 'false'}, true"
    return sides + (", true" if reach.written else "")


def _written(array: Argument) -> bool:
    assert isinstance(array.kind, ir.Pointer)
    return not array.kind.const


def _of_one_list(kernel: ir.Kernel) -> set[ir.Field]:
    """The fields whose neighbours a kernel over a list touches, and populations beside them; others may
    belong to a list of the same cells that holds more or fewer cells behind walls."""
    linked = {
        node.field
        for node in nodes_of(kernel)
        if isinstance(node, ir.Access) and (any(node.offsets) or node.through)
    }
    sizes = {field.components for field in linked} - {0, 1}
    return {field for field in kernel.fields if field in linked or field.components in sizes}


def _refusal(code: str, conditions: Sequence[str]) -> list[str]:
    """The statement that returns a code where a condition holds; none without conditions."""
    if not conditions:
        return []
    whole = " || ".join(conditions)
    if len(conditions) == 1 and whole.startswith("("):  # a single one needs no parentheses of its own
        whole = whole[1:-1]
    return [f"if ({whole}) {{ return heddle::{code}; }}"]
