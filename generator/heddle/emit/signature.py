# SPDX-License-Identifier: Apache-2.0
"""The arguments of a kernel's entry: one flat list, the same for C, C++, Fortran, NumPy and CUDA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from heddle.emit.expression import type_text
from heddle.ir import nodes as ir
from heddle.ir.colouring import formula
from heddle.ir.reduction import work_of
from heddle.ir.space import PLACES
from heddle.ir.visit import evaluated, in_every_cell, nodes_of, statements
from heddle.ir.walls import bit

_BOXES = {
    "boxes": "box_count rows of field, component, first cell (x, y, z), extent (x, y, z), place in buffer",
    "buffer": "the cells of all boxes, x fastest; longest: the number of cells of the largest box",
}
Role = Literal[
    "array",
    "extent",
    "stride",
    "entries",
    "table",
    "runs",
    "chunks",
    "list",
    "flags",
    "scalar",
    "output",
    "work",
]
UNCHECKED = ("scalar", "flags")
"""Roles of arguments of which any value is right."""
MOST_LISTED = 32
"""So many arrays may be of different lists: heddle::check_listed has a bit for each. More are of one list."""
UNUSED = {"host": ("chunks",), "device": ("runs",)}
"""Roles of what an entry takes so that all targets have one signature, and leaves alone."""


@dataclass(frozen=True)
class Reach:
    """How many elements before and after the interior of a dense field a kernel accesses, along each axis;
    written: whether it stores to them, too. Empty where it accesses none of them. What a condition guards is
    not counted: it may be there to keep the kernel within the interior."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    written: bool = False


@dataclass(frozen=True)
class Argument:
    """One argument. kind: its IR type. field: the field it belongs to, for arrays, extents, strides and
    entries. reach: of an array. of_row: of that, only the first cell of each row is accessed."""

    name: str
    kind: ir.Type
    role: Role
    field: ir.Field | None = None
    about: str = ""
    reach: Reach = Reach()
    of_row: bool = False

    @property
    def cpp(self) -> str:
        return f"{type_text(self.kind)} {self.name}"

    @property
    def c(self) -> str:
        """As a C header declares it."""
        return self.cpp.replace("std::", "")


def written_fields(kernel: ir.Kernel) -> set[ir.Field]:
    """Fields that a kernel (not yet lowered) stores to."""
    return {
        statement.target.field
        for statement in statements(kernel.body)
        if isinstance(statement, ir.Store) and isinstance(statement.target, (ir.Access, ir.Gather))
    }


def fields_of_rows(kernel: ir.Kernel) -> set[ir.Field]:
    """Fields of which a kernel (not yet lowered) accesses the first cell of each row and no other."""
    kinds = (ir.Access, ir.Gather, ir.IsWallLink)
    elements = [node for node in nodes_of(kernel) if isinstance(node, kinds)]
    found = {node.field for node in elements if isinstance(node, ir.Gather) and node.of_row}
    return found - {n.field for n in elements if not (isinstance(n, ir.Gather) and n.of_row)}


def offsets(node: ir.Access | ir.Gather) -> tuple[int, ...] | None:
    """How far an element lies from the cell that a kernel updates, or its row from that of the cell; None
    where its position is computed."""
    return node.offsets if isinstance(node, ir.Access) else node.row_offsets


def uses_links(kernel: ir.Kernel) -> bool:
    """Whether a kernel (not yet lowered) follows links of a sparse list."""
    return kernel.space.is_list and any(
        isinstance(node, ir.Access) and node.linked for node in nodes_of(kernel)
    )


@cache
def arguments(kernel: ir.Kernel) -> tuple[Argument, ...]:
    """The flat argument list of a kernel that is not yet lowered."""
    result: list[Argument] = []
    written = written_fields(kernel)
    read = {node.field for node in evaluated(kernel.body) if isinstance(node, (ir.Access, ir.Gather))}
    everywhere = set(in_every_cell(kernel.body))
    accesses = [node for node in everywhere if isinstance(node, (ir.Access, ir.Gather))]
    stores = [node for node in everywhere if isinstance(node, ir.Store)]
    index, of_row = ir.Pointer(ir.I64, True), fields_of_rows(kernel)
    for field in sorted(kernel.fields, key=lambda field: field.layout.contiguous):
        pointer = ir.Pointer(field.type, field not in written)
        if field.layout.contiguous:
            result.append(Argument(field.name, pointer, "entries", field, _table(kernel, field)))
            continue
        shape, row = _shape(field), field in of_row
        access = "read" if field not in written else "updated" if field in read else "written"
        result += [
            Argument(
                field.name,
                pointer,
                "array",
                field,
                f"{access}; first interior element" + ("; one value per row along x" if row else ""),
                _reach(field, accesses, stores),
                row,
            ),
            Argument(f"{field.name}_extent", index, "extent", field, f"{shape} interior elements"),
            Argument(f"{field.name}_stride", index, "stride", field, f"{shape} element strides, any sign"),
        ]
    if kernel.space.colours > 1:
        about = (
            "colours first_colour <= c < last_colour are swept, one after the other; the colour of a cell is "
        )
        about += formula(kernel.space.dimensions, kernel.space.colours)
        result += [
            Argument("first_colour", ir.I64, "list", None, about),
            Argument("last_colour", ir.I64, "list"),
        ]
    if kernel.space.walls:
        sides = ", ".join(f"{bit(side)} {side}" for side in kernel.space.walls)
        about = f"at which sides the cells end at a wall, a sum of {sides}"
        result.append(Argument("walls", ir.U32, "flags", None, about))
    if kernel.space.is_list:
        table, cell = ir.Pointer(ir.U32, True), kernel.space.cell
        if uses_links(kernel):
            about = f"row r, cell {cell} at neighbour[r * neighbour_stride + {cell}]"
            result += [
                Argument("neighbour", table, "table", None, about),
                Argument("neighbour_stride", ir.I64, "list"),
            ]
            if kernel.space.strip_size:
                about = f"chunk c, row r at neighbour_run[c * {len(kernel.space.links)} + r]: the first of "
                about += f"{kernel.space.strip_size} entries that follow each other, else 0xFFFFFFFF "
                about += "(GPUs: not used)"
                result.append(Argument("neighbour_run", table, "runs", None, about))
            if kernel.space.compressed:
                about = "the same table compressed, see heddle/device/compressed_neighbours.hpp (GPUs only)"
                result.append(Argument("neighbour_chunk", table, "chunks", None, about))
        if kernel.space.listed:
            if not kernel.space.box:
                result.append(Argument("cells", table, "list", None, "the cells to run over"))
            result.append(Argument("cell_count", ir.I64, "list"))
        else:
            result += [
                Argument("first", ir.I64, "list", None, f"cells first <= {cell} < last are updated"),
                Argument("last", ir.I64, "list"),
            ]
    for output in kernel.outputs:
        assert isinstance(output.type, ir.Scalar)
        pointer = ir.Pointer(output.type)
        result.append(Argument(output.name, pointer, "output", None, "the reduced value"))
        result.append(Argument(work_of(output).name, pointer, "work", None, f"scratch, {_room(kernel)}"))
    for parameter in kernel.parameters:
        assert isinstance(parameter.type, ir.Scalar)
        tables = kernel.space.packs
        result.append(Argument(parameter.name, parameter.type, "list" if tables else "scalar"))
    return tuple(result)


def table_checks(kernel: ir.Kernel) -> tuple[str, ...]:
    """What has to hold of the tables of a list that a kernel trusts, as calls of device functions."""
    space, names = kernel.space, {a.name for a in arguments(kernel) if a.role in ("table", "runs", "list")}
    if not space.is_index_list or not {"neighbour", "cells"} & names:
        return ()
    field = kernel.slots.name
    if "neighbour" not in names:
        return (f"heddle::cells_inside(cells, cell_count, {field}_extent)",)
    which = "cells, cell_count" if space.listed else "first, last"
    slots = (max(link.slot, link.wall_slot) for link in space.links if not link.stores_solid)
    slot = max(slots, default=0)
    table = f"{len(space.links)}, neighbour_stride, {which}"
    checks = [f"heddle::links_inside(neighbour, {table}, {field}_extent, {field}_stride, {slot})"]
    if "neighbour_run" in names:
        checks.append(f"heddle::runs_match<{space.strip_size}>(neighbour_run, neighbour, {table})")
    return tuple(checks)


def _reach(field: ir.Field, accesses: Sequence[ir.Access | ir.Gather], stores: Sequence[ir.Store]) -> Reach:
    far = [offsets(access) for access in accesses if access.field == field]
    known = [distance for distance in far if distance is not None]
    if not field.dense or not any(map(any, known)):
        return Reach()
    along = list(zip(*known, strict=True))
    before, after = [max(0, -min(axis)) for axis in along], [max(0, max(axis)) for axis in along]
    if field.layout.split:  # along x, elements of one colour are two cells apart
        before[0] = after[0] = (max(before[0], after[0]) + 1) // 2
    targets = [s.target for s in stores if isinstance(s.target, ir.Access) and s.target.field == field]
    written = any(any(target.offsets) for target in targets)
    return Reach(tuple(before), tuple(after), written)


def _table(kernel: ir.Kernel, field: ir.Field) -> str:
    """What a list of values without strides holds."""
    if field.layout.table:
        return f"table of {field.size} values"
    if field.layout.along_axis:
        axis = "xyz"[field.axis]
        beyond = f", {field.ghost_layers} before and behind" if field.ghost_layers else ""
        return f"profile along {axis}; value of the first interior cell, n_{axis} in all{beyond}"
    if kernel.space.packs:
        return _BOXES.get(field.name, "")
    place = kernel.space.box and field.name in PLACES
    return "the cell of an entry, from the first interior one" if place else "one value an entry of the list"


def _room(kernel: ir.Kernel) -> str:
    """How many values the scratch of a reduction holds. Its last stages have a part of their own on a GPU."""
    if kernel.space.is_list:
        cells = "cell_count" if kernel.space.listed else "last - first"
        return f"room for t + t / 1024 + 1 values with t = ({cells} + 31) / 32"
    scanned = {s.axis for s in statements(kernel.body) if isinstance(s, ir.Scan)}
    axes = ["xyz"[axis] for axis in range(kernel.space.dimensions) if axis not in scanned]
    tiles = [f"({axes[0]} + 31) / 32", *axes[1:]] if axes else ["1"]
    if kernel.space.colours > 1:
        tiles.append("colours")
    return f"room for t + t / 1024 + 1 values with t = {' * '.join(tiles)}"


def _shape(field: ir.Field) -> str:
    if field.layout.over_list:
        return "{cells, components}" if field.components else "{cells}"
    axes = ", ".join("xyz"[: field.rank])
    if field.layout.split:
        return "{x / 2" + axes[1:] + ", colour}"
    return "{" + axes + (", component" if field.components else "") + "}"
