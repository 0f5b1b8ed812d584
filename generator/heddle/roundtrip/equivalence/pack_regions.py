# SPDX-License-Identifier: Apache-2.0
"""What the table of boxes of an exchange promises (`PackRegions`): which cells a box has, and where they
lie in the message buffer. Each use is noted as an assumption, since a kernel cannot check it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heddle.ir.pack_table import COLUMNS, LONGEST, TABLE
from heddle.ir.space import Space
from heddle.roundtrip.equivalence.ranges import Ranges
from heddle.roundtrip.equivalence.terms import Polynomial, Term, is_read

ASSUME_OWN_BOXES = "no element is in two boxes of a table"
ASSUME_LONG_ENOUGH = "no box has more cells than the longest one"
ASSUME_SHORT_ENOUGH = "the cells of a box can be counted in 32 bits"
BUFFER = "buffer"
COUNTS = ("x_count", "y_count", "z_count")


@dataclass(frozen=True)
class _Box:
    """One row of the table: the contents of the table, and the index of the row's first number."""

    table: Term
    first: Term


class Table:
    """The table of one kernel over boxes, in terms."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges, self.bits, self.terms = ranges, ranges.bits, ranges.terms

    def entry(self, box: _Box, column: str) -> Term:
        """The number of a box under a column."""
        where = self.terms.plus(box.first, self.terms.integer(COLUMNS.index(column)))
        return self.terms.make("load", (str(TABLE.type), TABLE.name), (box.table, where))

    def entries(self, value: Term) -> dict[str, tuple[_Box, Term]]:
        """The numbers of the table inside an integer, by their columns."""
        found = {}
        for atom in sorted(self.terms.polynomial(value).atoms, key=Polynomial.key):
            if is_read(atom, TABLE.name):
                table, where = atom.args
                column = self.terms.polynomial(where).number % len(COLUMNS)
                first = self.terms.minus(where, self.terms.integer(column))
                found[COLUMNS[column]] = _Box(table, first), atom
        return found

    def cells(self, box: _Box) -> Term:
        x, y, z = (self.entry(box, column) for column in COUNTS)
        return self.terms.times(self.terms.times(x, y), z)

    def is_longest(self, count: Term | None) -> bool:
        return count is self.terms.make("parameter", (LONGEST.name, str(LONGEST.type)))

    def least(self, count: Term, limit: Term) -> Term | None:
        """The number of cells of a box, if it is compared with that of the longest box."""
        boxes = {box for box, _ in self.entries(limit).values()}
        if not self.is_longest(count) or not any(limit is self.cells(box) for box in boxes):
            return None
        self.bits.assumptions.add(ASSUME_LONG_ENOUGH)
        return limit

    def counts_cells(self, value: Term) -> bool:
        """Whether a number is a counter of the cells of a box, so that it fits into 32 bits."""
        if not self.is_longest(self.ranges.counts.get(value)):
            return False
        self.bits.assumptions.add(ASSUME_SHORT_ENOUGH)
        return True

    def are_in_own_boxes(
        self, array: str, pairs: Sequence[tuple[Term, Term]], counter: Term, loose: frozenset[Term]
    ) -> bool:
        """Whether two indices, given by their coordinates, lie in the boxes that a counter numbers."""
        if not all(self._is_in_box(array, cell, counter, loose) for cell in zip(*pairs, strict=True)):
            return False
        self.bits.assumptions.add(ASSUME_OWN_BOXES)
        return True

    def _is_in_box(self, array: str, cell: Sequence[Term], counter: Term, loose: frozenset[Term]) -> bool:
        """Whether coordinates are those of a cell of box number `counter`, or of its place in the buffer."""
        begins = ("first",) if array == BUFFER else ("x_begin", "y_begin", "z_begin", "component")
        boxes, used = set(), set()
        for value in cell:
            own = [(name, *found) for name, found in self.entries(value).items() if name in begins]
            if len(own) != 1:
                return False
            ((name, box, begin),) = own
            inside = self.terms.minus(value, begin)
            if not self._is_below(inside, self._extent(box, name), loose):
                return False
            boxes.add(box)
            used.add(name)
        (slope, *_) = self.terms.coefficient(box.first, counter) or (None,)
        return len(boxes) == 1 and len(used) == len(cell) and slope is self.terms.integer(len(COLUMNS))

    def _extent(self, box: _Box, begin: str) -> Term:
        if begin == "first":
            return self.cells(box)
        return self.terms.integer(1) if begin == "component" else self.entry(box, f"{begin[0]}_count")

    def _is_below(self, inside: Term, extent: Term, loose: frozenset[Term]) -> bool:
        """Whether a number lies in [0, extent) while the loose counters run."""
        most = self.ranges.bound(inside, inside.free & loose, True)
        if most is None or not self.ranges.not_negative(inside):
            return False
        return self.ranges.not_negative(
            self.terms.minus(self.terms.minus(extent, self.terms.integer(1)), most)
        )


def table_of(space: Space, ranges: Ranges) -> Table | None:
    return Table(ranges) if space.packs else None
