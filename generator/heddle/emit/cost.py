# SPDX-License-Identifier: Apache-2.0
"""The model of a kernel's cost, printed in its banner: bytes and floating-point operations of one update.

Each (field, component) counts once: neighbours of one cell are read for another and are in a cache. Neighbour
tables count with their 4 bytes a link, compressed ones with one number a link for 32 cells, planes and
profiles not at all. A fused multiply-add counts as two operations; library functions are listed by name.
Where usual cells have a copy of their own, the others count.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil

from heddle.ir import nodes as ir
from heddle.ir.device_calls import meaning, row_of
from heddle.ir.functions import FUNCTIONS
from heddle.ir.hash_consing import Node
from heddle.ir.loop_versions import without_versions
from heddle.ir.space import Space
from heddle.ir.visit import distinct, evaluated, nodes_of, statements

_ARITHMETIC = {"add", "sub", "mul", "div", "neg"}


@dataclass(frozen=True)
class Cost:
    """Per update of one cell: bytes, and operations in floating point."""

    bytes_read: int
    bytes_written: int
    flops: int
    calls: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        calls = "".join(f" + {count} {name}" for name, count in self.calls)
        return f"reads {self.bytes_read} B, writes {self.bytes_written} B, {self.flops} flops{calls}"


def cost(kernel: ir.Kernel, lowered: ir.Kernel, cells: int = 1) -> Cost:
    """Bytes from the accesses of the typed kernel, operations from the innermost loops of the lowered one.
    cells: how many a body of those updates; what they share is divided among them, rounded up."""
    reads: dict[tuple[ir.Field, object], int] = {}
    writes: dict[tuple[ir.Field, object], int] = {}
    links: set[tuple[object, ...]] = set()
    for statement in statements(kernel.body):
        target = statement.target if isinstance(statement, ir.Store) else None
        if isinstance(target, (ir.Access, ir.Gather)) and not _is_table(kernel.space, target.field):
            writes[target.field, target.component] = target.type.bytes
    for node in evaluated(kernel.body):
        if isinstance(node, (ir.Access, ir.Gather)) and not _is_table(kernel.space, node.field):
            reads[node.field, node.component] = node.type.bytes
    for node in nodes_of(kernel):
        if isinstance(node, ir.Access) and node.linked:
            links |= _entries(node, kernel.space)
    index = 4 * len(links)
    called = (row_of(s) for s in statements(lowered.body) if isinstance(s, ir.DeviceCall))
    index = ceil(index / max((row.cells_per_entry for row in called), default=1))
    listed = 0
    if kernel.space.listed:
        listed = 4 * (kernel.space.box or 1)  # its number, or its place
    flops, calls = _operations(without_versions(lowered), cells)
    return Cost(sum(reads.values()) + index + listed, sum(writes.values()), flops, calls)


def _is_table(space: Space, field: ir.Field) -> bool:
    """Whether many cells share a value of the field, as those of a column do in a plane."""
    return field.layout.along_axis or field.layout.table or field.is_plane(space)


def _entries(access: ir.Access, space: Space) -> set[tuple[object, ...]]:
    """The entries of the neighbour table that lead to an element: of which row, and of which cell."""
    linked = access.through and access.at is None
    way: set[tuple[object, ...]] = {(space.row_at(access.through), ())} if linked else set()
    if any(access.offsets):
        way |= {(row, access.through) for row in space.path(access.component, access.offsets) or ()}
    return way


def _operations(lowered: ir.Kernel, cells: int) -> tuple[int, tuple[tuple[str, int], ...]]:
    """For one of the cells. Each distinct expression counts once: it is computed once."""
    flops = 0
    calls: Counter[str] = Counter()
    seen: set[Node] = set()
    for loop in _innermost(lowered.body):
        called = [statement for s in loop.body if isinstance(s, ir.DeviceCall) for statement in meaning(s)]
        for node in distinct((*loop.body, *called)):
            if node in seen or not isinstance(node, ir.Expression):
                continue
            seen.add(node)
            operand = node.args[0].type if isinstance(node, (ir.Op, ir.Call)) else None
            if not (isinstance(operand, ir.Scalar) and operand.is_float):
                continue
            if isinstance(node, ir.Op) and node.name in _ARITHMETIC - {"neg"}:
                flops += 1
            elif isinstance(node, ir.Call):
                row = FUNCTIONS[node.name]
                if row.exact:
                    flops += row.flops
                else:
                    calls[node.name] += 1
    return ceil(flops / cells), tuple((name, ceil(count / cells)) for name, count in sorted(calls.items()))


def _innermost(body: tuple[ir.Statement, ...]) -> list[ir.Loop]:
    found: list[ir.Loop] = []
    for statement in body:
        if isinstance(statement, ir.Loop):
            found += _innermost(statement.body) or [statement]
        elif isinstance(statement, (ir.If, ir.While)):
            found += _innermost(statement.body)
    return found
