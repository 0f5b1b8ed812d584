# SPDX-License-Identifier: Apache-2.0
"""Values that are the same in other cells: which are equal up to a shift, and how far it is."""

from __future__ import annotations

from typing import Any

from heddle.ir.hash_consing import Node
from heddle.ir.nodes import Access, Call, Op, Select
from heddle.ir.visit import distinct

Shift = tuple[int, int, int]
_Place = tuple[int | None, int | None, int | None]
"""Where a value begins along each axis; None along those on which it does not depend."""


def moved_by(place: Shift | None, other: Shift | None) -> Shift:
    """How far one place is from another."""
    assert place is not None
    assert other is not None
    x, y, z = (a - b for a, b in zip(place, other, strict=True))
    return x, y, z


class Shifts:
    """Numbers for values; those that differ by a shift alone have the same number."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._known: dict[Node, tuple[int, _Place]] = {}
        self._operations: dict[Node, int] = {}

    def of(self, node: Node) -> tuple[int, Shift | None]:
        """The number of a value, and where it begins: the smallest offset that it has of a field, along each
        axis; None where it is the same in all cells of an axis."""
        number, place = self._of(node)
        x, y, z = place
        return number, None if x is None or y is None or z is None else (x, y, z)

    def operations(self, node: Node) -> int:
        """How many operations a value has; those that it has twice count once."""
        if node not in self._operations:
            self._operations[node] = sum(isinstance(one, (Op, Call, Select)) for one in distinct(node))
        return self._operations[node]

    def _of(self, node: Node) -> tuple[int, _Place]:
        if node not in self._known:
            self._known[node] = self._found(node)
        return self._known[node]

    def _found(self, node: Node) -> tuple[int, _Place]:
        if isinstance(node, Access):
            place: list[int | None] = [None, None, None]
            if node.field.layout.along_axis:
                place[node.field.axis] = node.offsets[0]
            else:
                place[: len(node.offsets)] = node.offsets
            return self._number((Access, node.field, node.component)), (place[0], place[1], place[2])
        if not node.children or not isinstance(node, (Op, Call, Select)):
            return self._number((node,)), (None, None, None)
        parts = [self._of(child) for child in node.children]
        first: _Place = tuple(  # type: ignore[assignment]
            min((place[axis] for _, place in parts if place[axis] is not None), default=None)  # type: ignore[type-var]
            for axis in range(3)
        )
        relative = tuple(
            (number, tuple(None if p is None else p - f for p, f in zip(place, first, strict=True)))  # type: ignore[operator]
            for number, place in parts
        )
        head = (
            type(node),
            getattr(node, "name", ""),
            getattr(node, "both", False),
            getattr(node, "type", None),
        )
        return self._number((head, relative)), first

    def _number(self, key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))
