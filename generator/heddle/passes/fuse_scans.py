# SPDX-License-Identifier: Apache-2.0
"""fuse_scans: sweeps that follow each other in one direction are one sweep, so that memory is read once.

before   scan z [a = 0] { store u[0,0,0] = ... } update a = ...
         store rain[0,0] = a
         scan z [b = 0] { store v[0,0,0] = u[0,0,0]*b } update b = ...
after    scan z [a = 0, b = 0] { store u[0,0,0] = ...; store v[0,0,0] = u[0,0,0]*b } update a = ..., b = ...
         store rain[0,0] = a

In a fused sweep, the second body of a level runs before the first body of later levels. So the second sweep
must not need what the first one carries to the end, nor touch an element that the first one touches at a
later level, if one of them writes it. Only sweeps with a field in common are fused: others would save
nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from heddle.ir.hash_consing import Node
from heddle.ir.nodes import (
    Access,
    Comment,
    Expression,
    Field,
    Gather,
    Kernel,
    Let,
    Reduce,
    Scan,
    Statement,
    Store,
    Symbol,
    While,
)
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import distinct, evaluated, statements, transform


def fuse_scans(kernel: Kernel, request: Request) -> Kernel:
    """Merge each scan into the one before it where that changes nothing."""
    names = _Names(names_in(kernel))
    body: list[Statement] = []
    for statement in kernel.body:
        fused = _fused(body, statement, names) if isinstance(statement, Scan) else None
        body = [*body, statement] if fused is None else fused
    return dataclasses.replace(kernel, body=tuple(body))


class _Names:
    """New names for a kernel."""

    def __init__(self, taken: frozenset[str]) -> None:
        self.taken = taken

    def new(self, symbol: Symbol, like: str) -> Symbol:
        name = fresh(like, self.taken)
        self.taken |= {name}
        return Symbol(name, symbol.type)


def _fused(before: Sequence[Statement], second: Scan, names: _Names) -> list[Statement] | None:
    """The statements of a column up to a scan, with the scan in the one before it; None: they stay apart."""
    places = [place for place, statement in enumerate(before) if isinstance(statement, Scan)]
    if not places:
        return None
    first = before[places[-1]]
    assert isinstance(first, Scan)
    if (first.axis, first.reverse) != (second.axis, second.reverse):
        return None
    early, late, headings = _between(first, before[places[-1] + 1 :])
    needed = _symbols([*second.initial, *second.body, *second.update])
    results = {*first.carried, *_named(late)}
    if needed & results or not _keep_order(first, second) or _meet([first, *late], [second]):
        return None
    if not _touched([first]) & _touched([second]) or _touched(late, written=True) & _touched([second]):
        return None
    if _touched(late) & _touched([second], written=True):
        return None
    merged = _merged(first, second, headings, names)
    return [*before[: places[-1]], *early, merged, *late]


def _between(
    first: Scan, body: Sequence[Statement]
) -> tuple[list[Statement], list[Statement], list[Comment]]:
    """What stands between two scans: values that may come before the first, what has to come after it, and
    headings."""
    early: list[Statement] = []
    late: list[Statement] = []
    headings: list[Comment] = []
    results = set(first.carried)
    for statement in body:
        if isinstance(statement, Comment):
            headings.append(statement)
        elif (
            isinstance(statement, Let)
            and not _symbols([statement.value]) & results
            and not _touched([statement]) & _touched([first, *late], written=True)
        ):
            early.append(statement)
        else:
            late.append(statement)
            results |= set(_named([statement]))
    return early, late, headings


def _merged(first: Scan, second: Scan, headings: Sequence[Comment], names: _Names) -> Scan:
    """One scan with both bodies."""
    written = _touched([second], written=True)
    named: list[Statement] = []
    update: list[Expression] = []
    for symbol, value in zip(first.carried, first.update, strict=True):
        if any(isinstance(node, (Access, Gather)) and node.field in written for node in distinct(value)):
            following = names.new(symbol, f"{symbol.name}_next")
            named.append(Let(following, value))
            value = following
        update.append(value)
    own = {symbol.name for symbol in _named(statements(first.body))}
    again = _named(statements(second.body))
    changed = {symbol: names.new(symbol, symbol.name) for symbol in again if symbol.name in own}

    def renamed(node: Any) -> Any:
        return changed.get(node, node)

    return Scan(
        first.axis,
        first.reverse,
        (*first.carried, *second.carried),
        (*first.initial, *second.initial),
        (*first.body, *named, *headings, *(transform(s, renamed) for s in second.body)),
        (*update, *(transform(value, renamed) for value in second.update)),
        first.place,
    )


def _named(body: Iterable[Statement]) -> dict[Symbol, None]:
    """What statements name, in order."""
    found: dict[Symbol, None] = {}
    for statement in body:
        if isinstance(statement, Let):
            found[statement.symbol] = None
        elif isinstance(statement, While):
            found |= dict.fromkeys(statement.carried)
    return found


def _keep_order(first: Scan, second: Scan) -> bool:
    """Whether no element that one of two scans writes is touched by the other one at a later level."""
    axis, ahead = first.axis, -1 if first.reverse else 1
    for one, write in _elements(first):
        for other, writes in _elements(second):
            same = (one.field, one.component) == (other.field, other.component)
            if same and (write or writes) and (other.offsets[axis] - one.offsets[axis]) * ahead > 0:
                return False
    for reader, writer in ((first, second), (second, first)):
        gathered = {node.field for node in distinct([reader]) if isinstance(node, Gather)}
        if gathered & (_touched([writer], written=True)):
            return False
        if gathered & _touched([reader], written=True) & _touched([writer]):
            return False
    return True


def _elements(scan: Scan) -> Iterator[tuple[Access, bool]]:
    """The elements of fields with cells that a scan reads (False) and writes (True)."""
    for node in dict.fromkeys(evaluated(scan.body)) | dict.fromkeys(distinct(scan.update)):
        if isinstance(node, Access) and node.field.dense and scan.axis < node.field.rank:
            yield node, False
    for statement in statements(scan.body):
        if isinstance(statement, Store) and isinstance(statement.target, Access):
            yield statement.target, True


def _touched(body: Sequence[Statement], written: bool = False) -> set[Field]:
    """The fields that statements read or write, or only those that they write."""
    stores = [s.target for s in statements(body) if isinstance(s, Store)]
    found = {target.field for target in stores if isinstance(target, (Access, Gather))}
    if not written:
        found |= {node.field for node in evaluated(body) if isinstance(node, (Access, Gather))}
    return found


def _meet(one: Sequence[Statement], other: Sequence[Statement]) -> bool:
    """Whether both reduce to the same output, in an order that must stay."""
    outputs = [{s.output for s in statements(body) if isinstance(s, Reduce)} for body in (one, other)]
    return bool(outputs[0] & outputs[1])


def _symbols(nodes: Sequence[Node]) -> set[Symbol]:
    return {node for node in distinct(nodes) if isinstance(node, Symbol)}
